/** Shapes that are one of several, and the shape of any JSON value. */
import type { Json } from './canonical.ts';
import {
  ArrayShape,
  isObject,
  isPlainData,
  type Members,
  type ObjectShape,
  RecordShape,
} from './shape-compound.ts';
import { type AnyShape, type Infer, Shape } from './shape-core.ts';
import { endsSome, type Finding, issueOf, note, type Primitive } from './shape-issue.ts';
import {
  BooleanShape,
  EnumShape,
  LiteralShape,
  NullShape,
  NumberShape,
  StringShape,
} from './shape-scalar.ts';

/** The first of several shapes that fits; the only one with lesser faults speaks alone. */
export class UnionShape<Option extends AnyShape> extends Shape<Infer<Option>> {
  readonly options: readonly Option[];

  constructor(options: readonly Option[]) {
    super();
    this.options = options;
  }

  protected take(value: unknown, found: Finding[]): unknown {
    const lesser: { readonly output: unknown; readonly own: readonly Finding[] }[] = [];
    const faults: (readonly Finding[])[] = [];
    for (const option of this.options) {
      const own: Finding[] = [];
      const output = option.read(value, own);
      if (own.length === 0) return output;
      if (!endsSome(own, 0)) lesser.push({ output, own });
      faults.push(own);
    }
    const [only, ...others] = lesser;
    if (only !== undefined && others.length === 0) {
      found.push(...only.own);
      return only.output;
    }
    const errors = faults.map((own) => own.map(issueOf));
    note(found, { code: 'invalid_union', errors }, value);
    return value;
  }

  /** An option that accepts the value counts unless one before it reads the value as something else. */
  protected fits(value: unknown): boolean {
    for (const option of this.options) {
      if (option.accepts(value)) return true;
      const own: Finding[] = [];
      option.read(value, own);
      if (own.length === 0) return false;
    }
    return false;
  }
}

/** One of several objects, chosen by the word in one member. */
export class TaggedShape<Option extends ObjectShape<Members>> extends Shape<Infer<Option>> {
  readonly tag: string;
  readonly options: readonly Option[];

  constructor(tag: string, options: readonly Option[]) {
    super();
    this.tag = tag;
    this.options = options;
  }

  protected take(value: unknown, found: Finding[]): unknown {
    if (!isObject(value)) {
      note(found, { code: 'invalid_type', expected: 'object' }, value);
      return value;
    }
    const chosen = this.optionFor(value[this.tag]);
    if (chosen !== undefined) return chosen.read(value, found);
    const options = this.options.flatMap((option) => this.wordsOf(option));
    found.push({
      fault: { code: 'invalid_union', errors: [], options },
      input: value,
      ends: 'most',
      path: [this.tag],
    });
    return value;
  }

  protected fits(value: unknown): boolean {
    if (!isObject(value)) return false;
    return this.optionFor(value[this.tag])?.accepts(value) === true;
  }

  /** Made when it is first needed. */
  private chosen: Map<unknown, Option> | undefined;

  /** The option that a word chooses. */
  optionFor(word: unknown): Option | undefined {
    if (this.chosen === undefined) {
      this.chosen = new Map();
      for (const option of this.options) {
        for (const each of this.wordsOf(option)) {
          if (!this.chosen.has(each)) this.chosen.set(each, option);
        }
      }
    }
    return this.chosen.get(word);
  }

  /** Words that choose one of the options. */
  wordsOf(option: Option): readonly Primitive[] {
    const word = option.shape[this.tag];
    return word instanceof LiteralShape || word instanceof EnumShape ? word.values : [];
  }
}

/** Any JSON value, each of its numbers finite. */
export class JsonShape extends Shape<Json> {
  protected take(value: unknown, found: Finding[]): unknown {
    return jsonKinds.read(value, found);
  }

  protected fits(value: unknown): boolean {
    return isJson(value);
  }
}

function isJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || (Array.isArray(value) ? value.every(isJson) : isJsonObject(value));
    case 'undefined':
    case 'bigint':
    case 'symbol':
    case 'function':
      return false;
  }
}

function isJsonObject(value: unknown): boolean {
  if (!isPlainData(value)) return false;
  for (const key in value) if (key === '__proto__' || !isJson(value[key])) return false;
  return true;
}

/** The one shape of any JSON value. */
export const jsonShape = new JsonShape();

/** What a JSON value may be. */
export const jsonKinds = new UnionShape([
  new StringShape(),
  new NumberShape(false),
  new BooleanShape(),
  new NullShape(),
  new ArrayShape(jsonShape),
  new RecordShape(new StringShape(), jsonShape),
]);
