/** Which keys a schema knows at a path, for the suggestion beside an unknown key. */
import type { Json } from '../base/canonical.ts';
import type { AnyShape } from '../base/shape.ts';
import { ArrayShape, ObjectShape, RecordShape } from '../base/shape-compound.ts';
import { Wrapper } from '../base/shape-core.ts';
import { TaggedShape, UnionShape } from '../base/shape-union.ts';
import type { SpecPath } from './finding.ts';
import { isMapping, valueAt } from './source.ts';

/** A schema without the wrappers that only say what happens when a value is absent. */
function unwrapped(schema: AnyShape): AnyShape {
  let inner = schema;
  while (inner instanceof Wrapper) inner = inner.inner;
  return inner;
}

/** Alternatives of a schema; of a discriminated union only those whose literal the value has. */
function alternatives(schema: AnyShape, value: Json | undefined): AnyShape[] {
  const inner = unwrapped(schema);
  if (inner instanceof UnionShape) {
    return inner.options.flatMap((option: AnyShape) => alternatives(option, value));
  }
  if (!(inner instanceof TaggedShape)) return [inner];
  const word = isMapping(value) ? value[inner.tag] : undefined;
  const chosen = inner.options.filter((option) =>
    inner.wordsOf(option).some((each) => each === word),
  );
  return chosen.length > 0 ? chosen : [...inner.options];
}

function stepInto(schema: AnyShape, step: string | number): AnyShape[] {
  if (schema instanceof ArrayShape && typeof step === 'number') return [schema.element];
  if (schema instanceof RecordShape && typeof step === 'string') return [schema.value];
  if (!(schema instanceof ObjectShape) || typeof step !== 'string') return [];
  const member = Object.hasOwn(schema.shape, step) ? schema.shape[step] : undefined;
  return member === undefined ? [] : [member];
}

/**
 * Keys that the schema knows for the mapping at a path of a value, in the order they are declared.
 * @returns  an empty list where any key may stand (records) or where no mapping is expected
 * @example knownKeys(specSchema, { claim: { population: {} } }, ['claim', 'population']) // => ['id', 'description']
 */
export function knownKeys(schema: AnyShape, value: Json, path: SpecPath): string[] {
  let current = alternatives(schema, value);
  path.forEach((step, index) => {
    const inner = valueAt(value, path.slice(0, index + 1));
    current = current
      .flatMap((each) => stepInto(each, step))
      .flatMap((each) => alternatives(each, inner));
  });
  const keys = current.flatMap((each) =>
    each instanceof ObjectShape ? Object.keys(each.shape) : [],
  );
  return [...new Set(keys)];
}
