/** Shapes made of others: lists, objects, records. */
import type { ShapeCheck } from './shape-check.ts';
import { type AnyShape, type Infer, OptionalShape, Shape } from './shape-core.ts';
import { type Finding, issueOf, lead, note } from './shape-issue.ts';
import { UnknownShape } from './shape-scalar.ts';

export class ArrayShape<Element extends AnyShape> extends Shape<Infer<Element>[]> {
  declare readonly element: Element;

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

  protected fits(value: unknown): boolean {
    if (!Array.isArray(value)) return false;
    const { element } = this;
    for (const item of value) if (!element.accepts(item)) return false;
    return true;
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

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an object is of no class, so that its members are all there is to it. */
export function isPlainData(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}

/** What the further members of a loose object may be. */
const anything = new OptionalShape(new UnknownShape());

/** Declared members in the order in which canonical text has them. */
interface Plan {
  readonly names: readonly string[];
  readonly members: readonly AnyShape[];
  /** How many of them are never missing in what was read. */
  readonly required: number;
}

export class ObjectShape<Of extends Members, Output = ObjectOf<Of>> extends Shape<Output> {
  declare readonly shape: Of;

  /** Whether other members are kept as they are instead of refused. */
  declare readonly loose: boolean;

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

  /** Made when it is first needed: most shapes of a program read nothing. */
  declare private plan: Plan | undefined;

  protected fits(value: unknown): boolean {
    if (!isPlainData(value)) return false;
    this.plan ??= planOf(this.shape);
    const { names, members, required } = this.plan;
    let next = 0;
    let found = 0;
    for (const key in value) {
      // What was read from canonical text comes in the order of the plan.
      const at = names[next] === key ? next : names.indexOf(key);
      const member = members[at] ?? this.unnamed(key);
      if (member?.accepts(value[key]) !== true) return false;
      if (member.absence !== 'nothing') found += 1;
      next = at + 1;
    }
    return found === required;
  }

  /** What a member that is not declared has to be. */
  private unnamed(key: string): AnyShape | undefined {
    // An own member named __proto__ is left out of what is read.
    return this.loose && key !== '__proto__' ? anything : undefined;
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

function planOf(shape: Members): Plan {
  const names: string[] = [];
  const members: AnyShape[] = [];
  let required = 0;
  // Without a function, texts are sorted by their code units.
  for (const name of Object.keys(shape).sort()) {
    const member = shape[name];
    if (member === undefined) continue;
    names.push(name);
    members.push(member);
    if (member.absence !== 'nothing') required += 1;
  }
  return { names, members, required };
}

/** Any number of members, each name and each value of one kind. */
export class RecordShape<Value extends AnyShape> extends Shape<Record<string, Infer<Value>>> {
  declare readonly key: Shape<string>;
  declare readonly value: Value;

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

  protected fits(value: unknown): boolean {
    if (!isPlainData(value)) return false;
    for (const key in value) {
      if (key === '__proto__' || !this.key.accepts(key)) return false;
      if (!this.value.accepts(value[key])) return false;
    }
    return true;
  }
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value)) return false;
  const made = value['constructor'];
  if (typeof made !== 'function') return true;
  const prototype: unknown = made.prototype;
  return isObject(prototype) && Object.hasOwn(prototype, 'isPrototypeOf');
}
