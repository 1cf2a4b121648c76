/**
 * Amendments of a plan seal: the chain a seal carries, oldest first, and the comparison it is made from.
 *
 * A change names a member of the seal by JSON pointer (RFC 6901) with the SHA-256 of its canonical JSON before and after; null is a
 * member that was not there. Objects are compared member by member, lists item by item when they are equally long and as a whole
 * otherwise. `previous` and `amendments`, which hold the chain itself, are left out. Where that gives more than 200 changes, members
 * nearer to the root stand for what lies below them.
 */
import { canonicalText, compareCodeUnits } from '../base/canonical.ts';
import { type Digest, digestOf } from '../base/digest.ts';
import * as z from '../base/shape.ts';
import { digestSchema, textSchema, timeSchema } from './words.ts';

/** Most changes one amendment lists. */
export const maximumChanges = 200;

/** Longest pointer in characters. */
const maximumPointer = 1024;

/** A member of the seal that differs. */
export const changeSchema = z.strictObject({
  pointer: z.string().regex(/^\//).max(maximumPointer),
  from: digestSchema.nullable(),
  to: digestSchema.nullable(),
});
export type Change = z.infer<typeof changeSchema>;

/** What had been seen when a plan was amended. */
export const seenSchema = z.strictObject({
  /** Identities of the entries that exposed units of the family, in ledger order. */
  exposures: z.array(digestSchema).max(10_000),
  /** Final seals bound to the amended plan: candidates that were known. */
  finals: z.array(digestSchema).max(10_000),
  /** Who had seen what, as declared by whoever amends. */
  declared: z.array(z.string().min(1).max(512)).max(100),
});
export type Seen = z.infer<typeof seenSchema>;

/** One link of the chain: the seal it replaced, why, what changed and what had been seen. */
export const amendmentSchema = z.strictObject({
  at: timeSchema,
  parent: digestSchema,
  reason: textSchema,
  changed: z.array(changeSchema).min(1).max(maximumChanges),
  seen: seenSchema,
});
export type Amendment = z.infer<typeof amendmentSchema>;

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const digestOrNull = (value: unknown): Digest | null =>
  value === undefined ? null : digestOf(canonicalText(value));

/** Members of both values by name, or null when they are not compared member by member. */
function partsOf(before: unknown, after: unknown): readonly string[] | null {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length ? before.map((_, at) => String(at)) : null;
  }
  if (!isMembers(before) || !isMembers(after)) return null;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].sort(compareCodeUnits);
}

function partOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function differences(
  sides: { readonly before: unknown; readonly after: unknown },
  pointer: string,
  depth: number,
): Change[] {
  const { before, after } = sides;
  const [from, to] = [digestOrNull(before), digestOrNull(after)];
  if (from === to) return [];
  const parts = depth === 0 ? null : partsOf(before, after);
  if (parts === null) return [{ pointer, from, to }];
  return parts.flatMap((name) =>
    differences(
      { before: partOf(before, name), after: partOf(after, name) },
      `${pointer}/${escaped(name)}`,
      depth - 1,
    ),
  );
}

/** Members that hold the chain itself. */
function withoutChain(seal: Members): Members {
  const { previous: _previous, amendments: _amendments, ...rest } = seal;
  return rest;
}

const deepest = 12;

/**
 * Everything in which two seals differ, their chains aside; sorted by the path of the members (code units of their names).
 * @example changesBetween({ a: { b: 1 } }, { a: { b: 2 } }).map(({ pointer }) => pointer) // => ['/a/b']
 */
export function changesBetween(before: Members, after: Members): readonly Change[] {
  const sides = { before: withoutChain(before), after: withoutChain(after) };
  for (let depth = deepest; depth > 1; depth -= 1) {
    const found = differences(sides, '', depth);
    const fits = found.every(({ pointer }) => pointer.length <= maximumPointer);
    if (fits && found.length <= maximumChanges) return found;
  }
  return differences(sides, '', 1);
}

/** Members of a seal that follow from its spec and its files. */
const followed =
  /^\/(analysis|cells|claim|decision|digests|disclosure|limits|seeds|specSource)(\/|$)/;

/**
 * What somebody changed, without what follows from it; everything when nothing else is left.
 * @example causesOf(['/analysis/methods/0', '/spec/gates/0/threshold']) // => ['/spec/gates/0/threshold']
 */
export function causesOf(changed: readonly string[]): readonly string[] {
  const causes = changed.filter((pointer) => !followed.test(pointer));
  return causes.length > 0 ? causes : changed;
}
