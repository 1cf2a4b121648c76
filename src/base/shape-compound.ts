/** Shapes made of others: lists, objects, records, unions. */
import type { Json } from './canonical.ts';
import {
  type AnyShape,
  endsSome,
  type Infer,
  lead,
  note,
  type OptionalShape,
  Shape,
  type ShapeCheck,
} from './shape-core.ts';
import { type Finding, issueOf, type Primitive } from './shape-issue.ts';
import { BooleanShape, LiteralShape, NullShape, NumberShape, StringShape } from './shape-scalar.ts';

export class ArrayShape<Element extends AnyShape> extends Shape<Infer<Element>[]> {
  readonly element: Element;

  constructor(element: Element) {
    super();
    this.element = element;
  }

  protected take(value: unknown, found: Finding[]): unknown {
    if (!Array.isArray(value)) {
      note(found, { code: 'invalid_type', expected: 'array' }, value);
      return value;
    }
    const cap = this.checks.find((check) => isExceeded(check, value.length));
    if (cap !== undefined && 'bound' in cap) {
      // Nobody reads the items of a list that is too long.
      const fault = {
        code: 'too_big',
        origin: 'array',
        maximum: cap.bound,
        inclusive: true,
      } as const;
      note(found, fault, value, 'all');
      return value;
    }
    return Array.from(value, (item: unknown, at) => {
      const before = found.length;
      const output = this.element.read(item, found);
      if (found.length > before) lead(at, found, before);
      return output;
    });
  }

  min(bound: number): this {
    return this.checked({ kind: 'shortest', bound });
  }

  max(bound: number): this {
    return this.checked({ kind: 'longest', bound });
  }
}

function isExceeded(check: ShapeCheck, length: number): boolean {
  return check.kind === 'longest' && length > check.bound;
}

/** Members of an object by name. */
export type Members = Readonly<Record<string, AnyShape>>;

type LackableKeys<Of> = {
  [Key in keyof Of]: Of[Key] extends OptionalShape<AnyShape> ? Key : never;
}[keyof Of];

type Flat<Of> = { [Key in keyof Of]: Of[Key] };

/** The object that its members make. */
export type ObjectOf<Of> = Flat<
  { -readonly [Key in Exclude<keyof Of, LackableKeys<Of>>]: Infer<Of[Key]> } & {
    -readonly [Key in LackableKeys<Of>]?: Infer<Of[Key]>;
  }
>;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export class ObjectShape<Of extends Members, Output = ObjectOf<Of>> extends Shape<Output> {
  readonly shape: Of;

  /** Whether other members are kept as they are instead of refused. */
  readonly loose: boolean;

  constructor(shape: Of, loose = false) {
    super();
    this.shape = shape;
    this.loose = loose;
  }

  /** The same object with further or other members. */
  extend<More extends Members>(more: More): ObjectShape<Omit<Of, keyof More> & More> {
    const members: Omit<Of, keyof More> & More = { ...this.shape, ...more };
    return new ObjectShape(members, this.loose);
  }

  protected take(value: unknown, found: Finding[]): unknown {
    if (!isObject(value)) {
      note(found, { code: 'invalid_type', expected: 'object' }, value);
      return value;
    }
    const output: Record<string, unknown> = {};
    for (const key in this.shape) this.takeMember(key, value, { output, found });
    const keys: string[] = [];
    for (const key in value) if (!Object.hasOwn(this.shape, key)) keys.push(key);
    // An own member named __proto__ would become the prototype of what is read.
    if (this.loose) for (const key of keys) if (key !== '__proto__') output[key] = value[key];
    if (!this.loose && keys.length > 0) {
      note(found, { code: 'unrecognized_keys', keys }, value, 'nothing');
    }
    return output;
  }

  private takeMember(
    key: string,
    value: Readonly<Record<string, unknown>>,
    { output, found }: { readonly output: Record<string, unknown>; readonly found: Finding[] },
  ): void {
    const member = this.shape[key];
    const isThere = key in value;
    if (member === undefined || (!isThere && member.absence === 'nothing')) return;
    const before = found.length;
    const read = member.read(value[key], found);
    if (found.length > before) {
      if (!isThere && member.mayLack) {
        found.length = before;
        return;
      }
      lead(key, found, before);
    }
    if (!isThere && member.absence === 'fault') {
      if (found.length === before) {
        found.push({
          fault: { code: 'invalid_type', expected: 'nonoptional' },
          input: undefined,
          ends: 'most',
          path: [key],
        });
      }
      return;
    }
    if (read !== undefined || isThere || !member.mayLack) output[key] = read;
  }
}

/** Any number of members, each name and each value of one kind. */
export class RecordShape<Value extends AnyShape> extends Shape<Record<string, Infer<Value>>> {
  readonly key: Shape<string>;
  readonly value: Value;

  constructor(key: Shape<string>, value: Value) {
    super();
    this.key = key;
    this.value = value;
  }

  protected take(value: unknown, found: Finding[]): unknown {
    if (!isPlain(value)) {
      note(found, { code: 'invalid_type', expected: 'record' }, value);
      return value;
    }
    const output: Record<string, unknown> = {};
    for (const key of Reflect.ownKeys(value)) {
      // An own member of this name would become the prototype of what is read.
      if (key === '__proto__' || !Object.prototype.propertyIsEnumerable.call(value, key)) continue;
      const before = found.length;
      this.key.read(key, found);
      const name = String(key);
      if (found.length > before) {
        const issues = found.splice(before).map(issueOf);
        found.push({
          fault: { code: 'invalid_key', origin: 'record', issues },
          input: key,
          ends: 'most',
          path: [name],
        });
      } else {
        output[name] = this.value.read(value[name], found);
        if (found.length > before) lead(name, found, before);
      }
    }
    return output;
  }
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value)) return false;
  const made = value['constructor'];
  if (typeof made !== 'function') return true;
  const prototype: unknown = made.prototype;
  return isObject(prototype) && Object.hasOwn(prototype, 'isPrototypeOf');
}

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
    const word = value[this.tag];
    const chosen = this.options.find((option) =>
      this.wordsOf(option).some((each) => each === word),
    );
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

  /** Words that choose one of the options. */
  wordsOf(option: Option): readonly Primitive[] {
    const word = option.shape[this.tag];
    return word instanceof LiteralShape ? word.values : [];
  }
}

/** Any JSON value, each of its numbers finite. */
export class JsonShape extends Shape<Json> {
  protected take(value: unknown, found: Finding[]): unknown {
    return jsonKinds.read(value, found);
  }
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
