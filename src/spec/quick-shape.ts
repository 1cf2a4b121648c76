/**
 * Whether a value has a declared shape, asked of the schema's own definition but without its machinery: for recorded lines, which are
 * read by the hundred thousand and nearly always sound.
 *
 * Asked of what `JSON.parse` made. Yes means that the schema accepts the value and gives back an equal one. No means only that the schema has to be asked: for the
 * refusal and its words, for members a default would fill in, and for everything this file does not know.
 */
import type * as z from 'zod';
import { compareCodeUnits } from '../base/canonical.ts';

type Test = (value: unknown) => boolean;
type Definition = z.core.$ZodTypeDef & Readonly<Record<string, unknown>>;
type Schema = z.core.$ZodType;

interface Compiled {
  readonly test: Test;
  /** Whether the schema gives back every value it accepts as it was; a default does not. */
  readonly exact: boolean;
  /** Whether an object may lack it. */
  readonly optional?: boolean;
}

const unknown: Compiled = { test: () => false, exact: false };

/**
 * A predicate for a schema; the schema is read when it is first asked.
 * @example quickShape(z.strictObject({ a: z.int() }))({ a: 1 }) // => true
 */
export function quickShape<Shape extends z.ZodType>(
  schema: Shape,
): (value: unknown) => value is z.infer<Shape> {
  let test: Test | null = null;
  return (value): value is z.infer<Shape> => {
    // Shapes of our own are quick by themselves: what is not known here is checked in full by the caller.
    test ??= '_zod' in schema ? new Compiler().compile(schema).test : unknown.test;
    return test(value);
  };
}

function definitionOf(schema: Schema): Definition {
  return schema._zod.def as Definition;
}

/** Reads definitions; schemas that contain themselves are met once. */
class Compiler {
  private readonly met = new Map<Schema, Compiled>();

  compile(schema: Schema): Compiled {
    const known = this.met.get(schema);
    if (known !== undefined) return known;
    // A schema within itself: asked later, through the table, when its own test is there.
    this.met.set(schema, { test: (value) => this.compile(schema).test(value), exact: true });
    const definition = definitionOf(schema);
    const checks = checksOf(definition);
    const plain = checks === null ? unknown : this.plain(definition);
    const compiled = checks === null ? unknown : withChecks(plain, checks);
    this.met.set(schema, compiled);
    return compiled;
  }

  private plain(definition: Definition): Compiled {
    switch (definition.type) {
      case 'string':
        return definition['format'] === undefined
          ? exactly((value) => typeof value === 'string')
          : unknown;
      case 'number':
        return numberOf(definition);
      case 'boolean':
        return exactly((value) => typeof value === 'boolean');
      case 'null':
        return exactly((value) => value === null);
      case 'literal':
        return oneOf(definition['values'] as readonly unknown[]);
      case 'enum':
        return oneOf(Object.values(definition['entries'] as Readonly<Record<string, unknown>>));
      case 'custom':
        return exactly(definition['fn'] as Test);
      case 'lazy':
        return this.compile((definition['getter'] as () => Schema)());
      default:
        return this.composed(definition);
    }
  }

  private composed(definition: Definition): Compiled {
    switch (definition.type) {
      case 'nullable':
        return orNull(this.inner(definition));
      case 'optional':
        return { ...this.inner(definition), optional: true };
      case 'default':
        return { test: this.inner(definition).test, exact: false };
      case 'array':
        return arrayOf(this.compile(definition['element'] as Schema));
      case 'record':
        return recordOf(
          this.compile(definition['keyType'] as Schema),
          this.compile(definition['valueType'] as Schema),
        );
      case 'object':
        return this.object(definition);
      case 'union':
        return this.union(definition);
      default:
        return unknown;
    }
  }

  private inner(definition: Definition): Compiled {
    return this.compile(definition['innerType'] as Schema);
  }

  /** Strict objects only: what others drop would have to be dropped here. */
  private object(definition: Definition): Compiled {
    const rest = definition['catchall'] as Schema | undefined;
    if (rest === undefined || definitionOf(rest).type !== 'never') return unknown;
    const shape = definition['shape'] as Readonly<Record<string, Schema>>;
    const members = Object.entries(shape)
      .map(([key, schema]) => ({ key, ...this.compile(schema) }))
      .sort((first, second) => compareCodeUnits(first.key, second.key));
    return {
      exact: members.every(({ exact }) => exact),
      test: (value) => isPlainObject(value) && holds(value, members),
    };
  }

  /** Of several options the first that accepts has the word; which one it is matters only where values change. */
  private union(definition: Definition): Compiled {
    const options = (definition['options'] as readonly Schema[]).map((each) => this.compile(each));
    const key = definition['discriminator'];
    if (typeof key !== 'string' && !options.every(({ exact }) => exact)) return unknown;
    return {
      exact: options.every(({ exact }) => exact),
      test: (value) => options.some(({ test }) => test(value)),
    };
  }
}

interface Member extends Compiled {
  readonly key: string;
}

/** Every member in the order of the list, as canonical lines have them. */
function isComplete(keys: readonly string[], members: readonly Member[]): boolean {
  if (keys.length !== members.length) return false;
  for (let at = 0; at < keys.length; at += 1) if (keys[at] !== members[at]?.key) return false;
  return true;
}

/** Whether an object has these members and no other; an optional one is absent or has a value. */
function holds(value: Readonly<Record<string, unknown>>, members: readonly Member[]): boolean {
  const keys = Object.keys(value);
  if (isComplete(keys, members)) {
    for (const { key, test } of members) if (!test(value[key])) return false;
    return true;
  }
  let present = 0;
  for (const { key, test, optional } of members) {
    if (Object.hasOwn(value, key)) {
      if (value[key] === undefined || !test(value[key])) return false;
      present += 1;
    } else if (optional !== true) return false;
  }
  return keys.length === present;
}

function exactly(test: Test): Compiled {
  return { test, exact: true };
}

function oneOf(values: readonly unknown[]): Compiled {
  const allowed = new Set(values);
  return exactly((value) => allowed.has(value));
}

function orNull({ test, exact }: Compiled): Compiled {
  return { exact, test: (value) => value === null || test(value) };
}

function numberOf(definition: Definition): Compiled {
  switch (definition['format']) {
    case undefined:
      return exactly((value) => typeof value === 'number' && Number.isFinite(value));
    case 'safeint':
      return exactly((value) => Number.isSafeInteger(value));
    default:
      return unknown;
  }
}

function arrayOf({ test, exact }: Compiled): Compiled {
  return { exact, test: (value) => Array.isArray(value) && value.every((item) => test(item)) };
}

/** A key named `__proto__` is passed over in silence by the schema: it has to be asked. */
function recordOf(key: Compiled, member: Compiled): Compiled {
  return {
    exact: key.exact && member.exact,
    test: (value) => {
      if (!isPlainObject(value) || Object.hasOwn(value, '__proto__')) return false;
      for (const name of Object.keys(value))
        if (!key.test(name) || !member.test(value[name])) return false;
      return true;
    },
  };
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

function withChecks(
  { test, exact, optional = false }: Compiled,
  checks: readonly Test[],
): Compiled {
  const [first, ...others] = checks;
  if (first === undefined) return { test, exact, optional };
  const all: Test = others.length === 0 ? first : (value) => checks.every((check) => check(value));
  return { exact, optional, test: (value) => test(value) && all(value) };
}

/** Checks of a definition; null when one is not known. */
function checksOf(definition: Definition): Test[] | null {
  const given = (definition['checks'] ?? []) as readonly {
    readonly _zod: { readonly def: unknown };
  }[];
  const tests = given.map(({ _zod }) => checkOf(_zod.def as Readonly<Record<string, unknown>>));
  return tests.every((test) => test !== null) ? tests : null;
}

function checkOf(check: Readonly<Record<string, unknown>>): Test | null {
  switch (check['check']) {
    case 'min_length':
      return longerThan(check['minimum'] as number, Number.POSITIVE_INFINITY);
    case 'max_length':
      return longerThan(0, check['maximum'] as number);
    case 'greater_than':
      return bounded(check, (value, bound) => value > bound);
    case 'less_than':
      return bounded(check, (value, bound) => value < bound);
    case 'string_format':
      return check['format'] === 'regex' ? matching(check['pattern'] as RegExp) : null;
    case 'custom':
      return typeof check['fn'] === 'function' ? (check['fn'] as Test) : null;
    default:
      return null;
  }
}

function longerThan(least: number, most: number): Test {
  return (value) => {
    const { length } = value as { readonly length: number };
    return length >= least && length <= most;
  };
}

function bounded(
  { value: bound, inclusive }: Readonly<Record<string, unknown>>,
  beyond: (value: number, bound: number) => boolean,
): Test | null {
  if (typeof bound !== 'number') return null;
  return (value) => beyond(value as number, bound) || (inclusive === true && value === bound);
}

function matching(pattern: RegExp): Test | null {
  return pattern.global || pattern.sticky ? null : (value) => pattern.test(value as string);
}
