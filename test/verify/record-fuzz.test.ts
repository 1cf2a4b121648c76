/**
 * Random changes of everything that is recorded, blind ones and such as know what they change: none crashes a reader, and none is taken
 * by a reader who knows a pin and two signers. `npm run soak` runs 100,000 of them, each slice with keys of its own; a fault is kept at
 * once in soak-faults.jsonl, and `npm run soak:replay` repeats what is kept there.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import {
  attack as attackTarget,
  faultFile,
  isFault,
  type KeptFault,
  keepFault,
  repeated,
} from '../support/attack.ts';
import { everyKind } from '../support/ledger-entries.ts';
import { type Mutation, mutated, mutationKinds } from '../support/mutations.ts';
import type { Target } from '../support/target.ts';
import { targetsOf } from '../support/targets.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { type WholeRecord, wholeRecord } from '../support/whole-record.ts';

const folder = temporaryFolders();
const soak = process.env['LIFTGATE_SOAK'] === '1';
const replay = process.env['LIFTGATE_SOAK'] === 'replay';
const runs = soak ? 2_000 : 600;
const slices = soak ? Array.from({ length: 50 }, (_, at) => at) : [0];
const seed = Number(process.env['LIFTGATE_SOAK_SEED'] ?? 20261130);

/** A record whose keys follow from a seed, its targets, and the texts in it. */
interface Attackable {
  readonly seed: number;
  readonly record: WholeRecord;
  readonly targets: readonly Target[];
  readonly texts: readonly string[];
}

async function makeAttackable(own: number): Promise<Attackable> {
  const record = await wholeRecord(folder, own);
  const lines = record.bundle.entries.map(({ bytes }) => new TextDecoder().decode(bytes));
  return { seed: own, record, targets: await targetsOf(record), texts: textsOf(lines) };
}

const made = new Map<number, Promise<Attackable>>();

function attackableOf(own: number): Promise<Attackable> {
  const found = made.get(own) ?? makeAttackable(own);
  made.clear();
  made.set(own, found);
  return found;
}

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

/** Attacks one target; null when that changed nothing. */
async function attacked(
  { target: which, fit, mutation }: Attack,
  [kind, among]: readonly [string, readonly Target[]],
  { seed: own, texts }: Attackable,
): Promise<Outcome | null> {
  const target = among[which % among.length];
  const bytes = target === undefined ? null : mutated(target.bytes, mutation, texts);
  if (target === undefined || bytes === null) return null;
  if (Buffer.compare(bytes, target.bytes) === 0) return null;
  const how = target.fits[fit % target.fits.length] ?? 'as-it-is';
  const given = { bytes, fit: how, thorough: mutation.amount % 20 === 0 };
  const found = await attackTarget(target, given);
  const change = JSON.stringify(mutation);
  const fault = isFault(found) ? keepFault({ seed: own, change, target }, given, found) : null;
  return { kind, fault };
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
      const attackable = await attackableOf(seed + slice);
      const kinds = byKind(attackable.targets);
      const outcomes: Outcome[] = [];
      for (const each of fc.sample(attack, { seed: seed + slice, numRuns: 2 * runs })) {
        const row = kinds[each.kind % kinds.length] ?? ['', attackable.targets];
        const outcome = await attacked(each, row, attackable);
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
    const { record, targets } = await attackableOf(seed);
    const kinds = new Set(targets.map(({ kind }) => kind));
    expect(everyKind.filter(({ kind }) => !kinds.has(`entry ${kind}`))).toEqual([]);
    const unpinned = await targetsOf({ ...record, pin: undefined });
    const rewritten = unpinned.findLast(({ kind }) => kind.startsWith('entry '));
    const other = new TextDecoder().decode(rewritten?.bytes).replace('"tester"', '"forger"');
    expect(await rewritten?.read(new TextEncoder().encode(other), 'all', true)).toBe('accepted');
  });

  test('repeats a fault that was kept, on the record that its seed gives and on no other', async () => {
    const { targets } = await attackableOf(seed);
    const last = targets.findLast(({ kind }) => kind.startsWith('entry '));
    const fault: KeptFault = {
      ...{ seed, target: last?.name ?? '', fit: 'all', thorough: false, change: '', crash: null },
      ...{ verdict: 'accepted', before: digestOf(last?.bytes ?? new Uint8Array()) },
      bytes: Buffer.from('{}\n').toString('base64'),
    };
    expect(await repeated(fault, targets)).toEqual({ verdict: 'refused' });
    const other = { ...fault, before: digestOf('another entry') };
    expect(() => repeated(other, targets)).toThrow('is another one in these sources');
  });

  if (replay) {
    test('does not show a fault that was kept again', async () => {
      const kept = existsSync(faultFile) ? readFileSync(faultFile, 'utf8') : '';
      for (const line of kept.split('\n').filter((each) => each !== '')) {
        const fault: KeptFault = JSON.parse(line);
        const { targets } = await attackableOf(fault.seed);
        const { bytes: _, ...shown } = fault;
        expect({ ...shown, now: isFault(await repeated(fault, targets)) }).toMatchObject({
          now: false,
        });
      }
    });
  }
});
