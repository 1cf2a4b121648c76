/**
 * Canonical JSON the slow way: descriptors of every own key, members sorted each time, nothing remembered. What the writer is held
 * against: it has the same texts and refuses the same values for the same reason.
 */

/** What the slow writer says of a value: its text, or the reason why it has none. */
export function slowVerdict(value: unknown): string {
  try {
    return written(value, []);
  } catch (reason) {
    if (typeof reason === 'string') return reason;
    throw reason;
  }
}

function refuse(reason: string): never {
  throw reason;
}

function written(value: unknown, around: readonly object[]): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : refuse('E_NONFINITE');
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object') return refuse('E_TYPE');
  if (around.includes(value)) return refuse('E_CYCLE');
  if (around.length >= 200) return refuse('E_DEPTH');
  return Array.isArray(value)
    ? list(value, [...around, value])
    : members(value, [...around, value]);
}

function quoted(text: string): string {
  return text.isWellFormed() ? JSON.stringify(text) : refuse('E_SURROGATE');
}

function list(items: readonly unknown[], around: readonly object[]): string {
  if (Reflect.ownKeys(items).length !== items.length + 1) return refuse('E_TYPE');
  return `[${Array.from(items, (item) => written(item, around)).join(',')}]`;
}

function members(value: object, around: readonly object[]): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return refuse('E_TYPE');
  const keys = Reflect.ownKeys(value).map((key) =>
    typeof key === 'string' ? key : refuse('E_TYPE'),
  );
  // Code units, as `sort` has them.
  const texts = keys.sort().map((key) => {
    const member = Object.getOwnPropertyDescriptor(value, key);
    if (member?.enumerable !== true || !('value' in member)) return refuse('E_TYPE');
    return `${quoted(key)}:${written(member.value, around)}`;
  });
  return `{${texts.join(',')}}`;
}
