/** What a shape finds wrong with a value: where, what was expected, and a text that says so. */

/** One fault, with the keys and places that lead to it from the value that was read. */
export type Issue = Fault & {
  readonly path: readonly (string | number)[];
  /** The value at the path; absent when nothing is there. */
  readonly input: unknown;
  readonly message: string;
};

/** Kinds of faults. */
export type Fault =
  | { readonly code: 'invalid_type'; readonly expected: string }
  | { readonly code: 'invalid_value'; readonly values: readonly Primitive[] }
  | {
      readonly code: 'too_small';
      readonly origin: string;
      readonly minimum: number;
      readonly inclusive: boolean;
    }
  | {
      readonly code: 'too_big';
      readonly origin: string;
      readonly maximum: number;
      readonly inclusive: boolean;
    }
  | { readonly code: 'invalid_format'; readonly format: 'regex'; readonly pattern: string }
  | { readonly code: 'custom' }
  | { readonly code: 'unrecognized_keys'; readonly keys: readonly string[] }
  | { readonly code: 'invalid_key'; readonly origin: 'record'; readonly issues: readonly Issue[] }
  /** No branch fits: the faults of each, or the words that would choose one. */
  | {
      readonly code: 'invalid_union';
      readonly errors: readonly (readonly Issue[])[];
      readonly options?: readonly Primitive[] | undefined;
    };

/** A value that a literal can name. */
export type Primitive = string | number | boolean | null;

/**
 * A fault while the value is still being read. `ends` says which checks of the same value it makes pointless: none of them; those of
 * anything but its length; all.
 */
export interface Finding {
  readonly fault: Fault;
  readonly input: unknown;
  readonly ends: 'nothing' | 'most' | 'all';
  /** A text of the shape's own, in place of the usual one. */
  readonly text?: string | undefined;
  /** Grows at its front on the way out. */
  readonly path: (string | number)[];
}

/** Notes a fault of the value itself. */
export function note(
  found: Finding[],
  fault: Fault,
  input: unknown,
  ends: Finding['ends'] = 'most',
): void {
  found.push({ fault, input, ends, path: [] });
}

/** Puts a key or place in front of the paths of what was found below it. */
export function lead(step: string | number, found: readonly Finding[], from: number): void {
  for (let at = from; at < found.length; at += 1) found[at]?.path.unshift(step);
}

/** Whether something was found after which a value is not worth more checks. */
export function endsSome(found: readonly Finding[], from: number): boolean {
  for (let at = from; at < found.length; at += 1) if (found[at]?.ends !== 'nothing') return true;
  return false;
}

/** Whether something was found after which no check says anything. */
export function endsAll(found: readonly Finding[], from: number): boolean {
  for (let at = from; at < found.length; at += 1) if (found[at]?.ends === 'all') return true;
  return false;
}

/** A finding as an issue. */
export function issueOf({ fault, input, text, path }: Finding): Issue {
  return { ...fault, path, input, message: text ?? usualText(fault, input) };
}

function usualText(fault: Fault, input: unknown): string {
  switch (fault.code) {
    case 'invalid_type':
      return `Invalid input: expected ${fault.expected}, received ${typeName(input)}`;
    case 'invalid_value':
      return fault.values.length === 1
        ? `Invalid input: expected ${written(fault.values[0])}`
        : `Invalid option: expected one of ${fault.values.map(written).join('|')}`;
    case 'too_small':
      return `Too small: expected ${sized(fault.origin, fault.inclusive ? '>=' : '>', fault.minimum)}`;
    case 'too_big':
      return `Too big: expected ${sized(fault.origin, fault.inclusive ? '<=' : '<', fault.maximum)}`;
    case 'invalid_format':
      return `Invalid string: must match pattern ${fault.pattern}`;
    case 'unrecognized_keys':
      return `Unrecognized key${fault.keys.length > 1 ? 's' : ''}: ${fault.keys.map(written).join(', ')}`;
    case 'invalid_key':
      return `Invalid key in ${fault.origin}`;
    case 'invalid_union':
      return fault.options === undefined || fault.options.length === 0
        ? 'Invalid input'
        : `Invalid discriminator value. Expected ${fault.options.map((each) => `'${each}'`).join(' | ')}`;
    case 'custom':
      return 'Invalid input';
  }
}

const lengths: Readonly<Record<string, string>> = { string: 'characters', array: 'items' };

function sized(origin: string, sign: string, bound: number): string {
  const unit = lengths[origin];
  return unit === undefined
    ? `${origin} to be ${sign}${bound}`
    : `${origin} to have ${sign}${bound} ${unit}`;
}

function written(value: Primitive | undefined): string {
  return typeof value === 'string' ? `"${value}"` : `${value}`;
}

/** Type of a value as texts name it; objects of a class by its name. */
function typeName(value: unknown): string {
  if (typeof value === 'number') return Number.isFinite(value) ? 'number' : `${value}`;
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'object') return typeof value;
  const known = Object.getPrototypeOf(value) === Object.prototype;
  const made: unknown = known ? undefined : value.constructor;
  return typeof made === 'function' ? made.name : 'object';
}
