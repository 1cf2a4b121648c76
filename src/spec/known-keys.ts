/** Which keys a schema knows at a path, for the suggestion beside an unknown key. */
import * as z from 'zod';
import type { Json } from '../base/canonical.ts';
import type { SpecPath } from './finding.ts';
import { isMapping, valueAt } from './source.ts';

type Schema = z.core.$ZodType;

/** A schema without the wrappers that only say what happens when a value is absent. */
function unwrapped(schema: Schema): Schema {
  let inner = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault ||
    inner instanceof z.ZodNullable
  ) {
    inner = inner.def.innerType;
  }
  return inner;
}

/** Alternatives of a schema; of a discriminated union only those whose literal the value has. */
function alternatives(schema: Schema, value: Json | undefined): Schema[] {
  const inner = unwrapped(schema);
  if (!(inner instanceof z.ZodUnion)) return [inner];
  const options = inner.options.flatMap((option) => alternatives(option, value));
  if (!(inner instanceof z.ZodDiscriminatedUnion) || !isMapping(value)) return options;
  const word = value[inner.def.discriminator];
  const chosen = options.filter((option) =>
    literalsOf(option, inner.def.discriminator).includes(word),
  );
  return chosen.length > 0 ? chosen : options;
}

function literalsOf(option: Schema, key: string): unknown[] {
  if (!(option instanceof z.ZodObject)) return [];
  const literal: unknown = option.shape[key];
  return literal instanceof z.ZodLiteral ? [...literal.values] : [];
}

function stepInto(schema: Schema, step: string | number): Schema[] {
  if (schema instanceof z.ZodArray && typeof step === 'number') return [schema.element];
  if (schema instanceof z.ZodRecord && typeof step === 'string') return [schema.valueType];
  if (!(schema instanceof z.ZodObject) || typeof step !== 'string') return [];
  const member = Object.hasOwn(schema.shape, step) ? schema.shape[step] : undefined;
  return member === undefined ? [] : [member];
}

/**
 * Keys that the schema knows for the mapping at a path of a value, in the order they are declared.
 * @returns  an empty list where any key may stand (records) or where no mapping is expected
 * @example knownKeys(specSchema, { claim: { population: {} } }, ['claim', 'population']) // => ['id', 'description']
 */
export function knownKeys(schema: Schema, value: Json, path: SpecPath): string[] {
  let current = alternatives(schema, value);
  path.forEach((step, index) => {
    const inner = valueAt(value, path.slice(0, index + 1));
    current = current
      .flatMap((each) => stepInto(each, step))
      .flatMap((each) => alternatives(each, inner));
  });
  const keys = current.flatMap((each) =>
    each instanceof z.ZodObject ? Object.keys(each.shape) : [],
  );
  return [...new Set(keys)];
}
