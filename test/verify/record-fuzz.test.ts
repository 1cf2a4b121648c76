/**
 * Random changes of everything that is recorded, blind ones and such as know what they change: none crashes a reader, and none is taken
 * by a reader who knows a pin and two signers. `npm run soak` runs 100,000 of them.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { everyKind } from '../support/ledger-entries.ts';
import { type Mutation, mutated, mutationKinds } from '../support/mutations.ts';
import { type Target, targetsOf } from '../support/targets.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { type WholeRecord, wholeRecord } from '../support/whole-record.ts';

const folder = temporaryFolders();
const soak = process.env['LIFTGATE_SOAK'] === '1';
const runs = soak ? 2_000 : 600;
const slices = soak ? Array.from({ length: 50 }, (_, at) => at) : [0];
const seed = 20261130;

let record: WholeRecord;
let targets: readonly Target[];
let texts: readonly string[];

beforeAll(async () => {
  record = await wholeRecord(folder);
  targets = await targetsOf(record);
  texts = textsOf(record.bundle.entries.map(({ bytes }) => new TextDecoder().decode(bytes)));
});

/** Digests, ids and words that the entries hold. */
function textsOf(lines: readonly string[]): string[] {
  const found = lines.flatMap((line) => line.match(/"[^"\\]{2,80}"/g) ?? []);
  return [...new Set(found)].map((each) => each.slice(1, -1)).sort();
}

/** Every kind is attacked as often as any other. */
function byKind(all: readonly Target[]): (readonly [string, readonly Target[]])[] {
  const kinds = [...new Set(all.map(({ kind }) => kind))].sort();
  return kinds.map((kind) => [kind, all.filter((each) => each.kind === kind)]);
}

interface Attack {
  readonly target: number;
  readonly kind: number;
  readonly fit: number;
  readonly mutation: Mutation;
}

const attack: fc.Arbitrary<Attack> = fc.record({
  kind: fc.nat(1_000_000),
  target: fc.nat(1_000_000),
  fit: fc.nat(5),
  mutation: fc.record({
    kind: fc.constantFrom(...mutationKinds),
    line: fc.nat(1_000_000),
    place: fc.nat(1_000_000),
    amount: fc.nat(1_000_000),
  }),
});

/** What came of an attack. */
interface Outcome {
  readonly kind: string;
  /** What should not have happened; null for a refusal, and for bytes that say what they said before. */
  readonly fault: string | null;
}

/** Attacks one target; null when that changed nothing. A refusal that blames this program is a crash. */
async function attacked(
  { target: which, fit, mutation }: Attack,
  [kind, among]: readonly [string, readonly Target[]],
): Promise<Outcome | null> {
  const target = among[which % among.length];
  const bytes = target === undefined ? null : mutated(target.bytes, mutation, texts);
  if (target === undefined || bytes === null) return null;
  if (Buffer.compare(bytes, target.bytes) === 0) return null;
  const how = target.fits[fit % target.fits.length] ?? 'as-it-is';
  const shown = `${target.name}, fitted ${how}, ${JSON.stringify(mutation)}`;
  try {
    const answer = await target.read(bytes, how, mutation.amount % 20 === 0);
    return { kind, fault: answer === 'accepted' ? `accepted: ${shown}` : null };
  } catch (error) {
    const refused = error instanceof LiftgateError && error.code !== 'internal';
    const crash = error instanceof Error ? error.stack : String(error);
    return { kind, fault: refused ? null : `crashed: ${shown}\n${crash}` };
  }
}

const told: Outcome[] = [];
const resultFile = new URL('soak-result.txt', import.meta.url);

/** What `npm run soak` leaves behind: when, where, how often, and what it found. */
function resultOf(kinds: readonly string[]): string {
  const faults = told.flatMap(({ fault }) => fault ?? []);
  const memory = Math.round(totalmem() / 2 ** 30);
  const counted = kinds.map((kind) => {
    const own = told.filter((each) => each.kind === kind);
    return `${String(own.length).padStart(7)}  ${kind}`;
  });
  return [
    'Changes of recorded bytes, none of which may crash a reader or be taken by one who knows a pin and two signers (npm run soak).',
    `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${availableParallelism()} cores, ${memory} GiB; seeds ${seed} to ${seed + slices.length - 1}`,
    `${told.length} changes, ${faults.length} faults; by what was changed:`,
    ...counted,
    ...faults,
    '',
  ].join('\n');
}

describe('what is recorded', () => {
  test.each(slices)(
    'is refused after any change, by whoever knows a pin and the signers (slice %i)',
    { timeout: 3_600_000 },
    async (slice) => {
      const kinds = byKind(targets);
      const outcomes: Outcome[] = [];
      for (const each of fc.sample(attack, { seed: seed + slice, numRuns: 2 * runs })) {
        const outcome = await attacked(each, kinds[each.kind % kinds.length] ?? ['', targets]);
        if (outcome !== null) outcomes.push(outcome);
        if (outcomes.length === runs) break;
      }
      const faults = outcomes.flatMap(({ fault }) => fault ?? []);
      const tried = kinds.map(([kind]) => outcomes.filter((each) => each.kind === kind).length);
      told.push(...outcomes);
      if (soak) writeFileSync(resultFile, resultOf(kinds.map(([kind]) => kind)));
      expect(faults).toEqual([]);
      expect(Math.min(...tried)).toBeGreaterThan(0);
      expect(outcomes).toHaveLength(runs);
    },
  );

  test('holds an entry of every kind, and whoever knows no pin takes a rewritten end of the ledger', async () => {
    const kinds = new Set(targets.map(({ kind }) => kind));
    expect(everyKind.filter(({ kind }) => !kinds.has(`entry ${kind}`))).toEqual([]);
    const unpinned = await targetsOf({ ...record, pin: undefined });
    const rewritten = unpinned.findLast(({ kind }) => kind.startsWith('entry '));
    const other = new TextDecoder().decode(rewritten?.bytes).replace('"tester"', '"forger"');
    expect(await rewritten?.read(new TextEncoder().encode(other), 'all', true)).toBe('accepted');
  });
});
