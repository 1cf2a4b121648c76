/** JSON Schema (draft 2020-12) of a shape. Tests of a value and rules between members have no place in it. */
import type { ShapeCheck } from './shape-check.ts';
import { ArrayShape, ObjectShape, RecordShape } from './shape-compound.ts';
import { type AnyShape, DefaultShape, NullableShape, Shape, Wrapper } from './shape-core.ts';
import {
  BooleanShape,
  CustomShape,
  EnumShape,
  LiteralShape,
  NeverShape,
  NullShape,
  NumberShape,
  StringShape,
} from './shape-scalar.ts';
import { JsonShape, jsonKinds, TaggedShape, UnionShape } from './shape-union.ts';

/** A JSON Schema or a part of one. */
export type JsonSchema = { [keyword: string]: unknown };

export interface JsonSchemaOptions {
  /** `input`: what people write, where a member with a default may be left out. `output`: what is recorded. */
  readonly io: 'input' | 'output';
  /** Keywords for shapes that a test of their own recognises. */
  custom(shape: CustomShape<unknown>): JsonSchema;
}

/** Name of the one definition: any JSON value. */
const anyJson = '__schema0';

/**
 * The schema of a shape, any JSON value under `$defs`.
 * @example jsonSchemaOf(array(string()).max(3), { io: 'output', custom: () => ({}) }) // => { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'array', items: { type: 'string' }, maxItems: 3 }
 */
export function jsonSchemaOf(shape: AnyShape, options: JsonSchemaOptions): JsonSchema {
  const writer = new SchemaWriter(options);
  const schema = writer.schema(shape);
  const definitions = writer.usesJson ? { $defs: { [anyJson]: writer.schema(jsonKinds) } } : {};
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema, ...definitions };
}

class SchemaWriter {
  usesJson = false;
  private readonly options: JsonSchemaOptions;

  constructor(options: JsonSchemaOptions) {
    this.options = options;
  }

  schema(shape: AnyShape): JsonSchema {
    const description = shape instanceof Shape ? shape.description : undefined;
    const keywords = this.keywords(shape);
    return description === undefined ? keywords : { ...keywords, description };
  }

  private keywords(shape: AnyShape): JsonSchema {
    if (shape instanceof Wrapper) return this.wrapped(shape);
    if (shape instanceof ArrayShape) {
      const { shortest, longest } = bounds(shape.checks);
      return {
        type: 'array',
        items: this.schema(shape.element),
        ...given({ minItems: shortest, maxItems: longest }),
      };
    }
    if (shape instanceof ObjectShape) return this.object(shape);
    if (shape instanceof RecordShape) {
      return {
        type: 'object',
        propertyNames: this.schema(shape.key),
        additionalProperties: this.schema(shape.value),
      };
    }
    if (shape instanceof UnionShape) return this.anyOf(shape.options);
    if (shape instanceof TaggedShape) {
      return { oneOf: shape.options.map((option: AnyShape) => this.schema(option)) };
    }
    if (shape instanceof JsonShape) {
      this.usesJson = true;
      return { $ref: `#/$defs/${anyJson}` };
    }
    return shape instanceof CustomShape ? this.options.custom(shape) : scalar(shape);
  }

  private wrapped(shape: Wrapper<AnyShape, unknown>): JsonSchema {
    if (shape instanceof NullableShape) return this.anyOf([shape.inner, new NullShape()]);
    const inner = this.schema(shape.inner);
    if (!(shape instanceof DefaultShape)) return inner;
    // On the way in a written preset is what people may leave out; on the way out it is always there, filled in.
    return shape.isRead && this.options.io === 'output'
      ? inner
      : { ...inner, default: shape.preset };
  }

  private object(shape: ObjectShape<Readonly<Record<string, AnyShape>>>): JsonSchema {
    const members = Object.entries(shape.shape);
    const required = members
      .filter(([, { absence, mayLack }]) =>
        this.options.io === 'input' ? absence === 'fault' : !mayLack,
      )
      .map(([key]) => key);
    return {
      type: 'object',
      properties: Object.fromEntries(members.map(([key, member]) => [key, this.schema(member)])),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: shape.loose ? {} : false,
    };
  }

  /** Alternatives; those that say nothing but a type come as one list of types. */
  private anyOf(options: readonly AnyShape[]): JsonSchema {
    const schemas = options.map((option) => this.schema(option));
    const bare = schemas.every((each) => Object.keys(each).length === 1 && 'type' in each);
    return bare ? { type: [...new Set(schemas.flatMap(({ type }) => type))] } : { anyOf: schemas };
  }
}

function scalar(shape: AnyShape): JsonSchema {
  if (shape instanceof StringShape) {
    const { shortest, longest } = bounds(shape.checks);
    const [pattern] = shape.checks.flatMap((check) =>
      check.kind === 'pattern' ? [check.pattern.source] : [],
    );
    return { type: 'string', ...given({ minLength: shortest, maxLength: longest, pattern }) };
  }
  if (shape instanceof NumberShape) return numeric(shape);
  if (shape instanceof BooleanShape) return { type: 'boolean' };
  if (shape instanceof NullShape) return { type: 'null' };
  if (shape instanceof NeverShape) return { not: {} };
  if (shape instanceof EnumShape) return { type: 'string', enum: [...shape.values] };
  if (shape instanceof LiteralShape) return literal(shape.values);
  return {};
}

function literal(values: readonly unknown[]): JsonSchema {
  const [type, ...others] = [...new Set(values.map((value) => typeof value))];
  const typed = others.length === 0 ? { type } : {};
  return values.length === 1 ? { ...typed, const: values[0] } : { ...typed, enum: [...values] };
}

function numeric({ whole, checks }: NumberShape): JsonSchema {
  const { least, most, above, below } = bounds(checks);
  const limits = given({
    minimum: least,
    maximum: most,
    exclusiveMinimum: above,
    exclusiveMaximum: below,
  });
  if (!whole) return { type: 'number', ...limits };
  const safe = {
    ...(above === undefined ? { minimum: Number.MIN_SAFE_INTEGER } : {}),
    ...(below === undefined ? { maximum: Number.MAX_SAFE_INTEGER } : {}),
  };
  return { type: 'integer', ...safe, ...limits };
}

type Bounds = { [Kind in 'least' | 'most' | 'above' | 'below' | 'shortest' | 'longest']?: number };

/** The narrowest bounds that the checks set. */
function bounds(checks: readonly ShapeCheck[]): Bounds {
  const found: Bounds = {};
  for (const check of checks) {
    if (!('bound' in check)) continue;
    const { kind, bound } = check;
    const open = 'inclusive' in check && !check.inclusive;
    const name = open ? (kind === 'least' ? 'above' : 'below') : kind;
    const known = found[name];
    const narrower = kind === 'least' || kind === 'shortest' ? Math.max : Math.min;
    found[name] = known === undefined ? bound : narrower(known, bound);
  }
  return found;
}

/** Only the keywords that have a value. */
function given(keywords: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}
