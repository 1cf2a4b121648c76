/**
 * Every small change of everything that is recorded: each bit flipped, each byte lost, doubled or another, each length, lines in another
 * order. A reader who knows a pin and two signers takes none. Here an even share of them is tried; `npm run soak:bytes` tries what
 * `strideOf` says and writes down how many of them that was.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { beforeAll, describe, expect, test } from 'vitest';
import { attack, isFault, keepFault } from '../support/attack.ts';
import { type Change, changesOf } from '../support/every-change.ts';
import type { Fit, Target } from '../support/target.ts';
import { targetsOf } from '../support/targets.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { wholeRecord } from '../support/whole-record.ts';

const folder = temporaryFolders();
const soak = process.env['LIFTGATE_SOAK'] === '1';
/** A share of what a soak tries, on machines that others use: 41 tries one of 41. */
const share = Number(process.env['LIFTGATE_SOAK_SHARE'] ?? 1);
const seed = Number(process.env['LIFTGATE_SOAK_SEED'] ?? 1);
const resultFile = new URL('every-byte-result.txt', import.meta.url);

/**
 * What may be spelt otherwise without anybody being told anything else: unsigned parts of a time stamp, white space and names in JSON of
 * others, a trust list, which its reader writes, the order of the signatures under a checkpoint and a signature that stands there twice.
 */
const spellings: ReadonlySet<string> = new Set([
  ...['time stamp', 'anchor rfc3161', 'statement', 'proof'],
  ...['verifier keys', 'allowed signers', 'checkpoint'],
]);

/** Whether somebody may say the same of a change: another spelling, or a last line without its end, which a crash may leave behind. */
function maySayTheSame({ kind }: Row, change: Change, target: Target): boolean {
  const [before, after] = [target.bytes.length, change.bytes.subarray(target.bytes.length)];
  const isTorn =
    Buffer.compare(change.bytes.subarray(0, before), target.bytes) === 0 && !after.includes(10);
  return spellings.has(kind) || (kind === 'journal to go on from' && isTorn);
}

/** Of how many changes a soak tries one: of all where that takes minutes, of fewer where it would take days. */
function strideOf(kind: string, fit: Fit): number {
  if (fit !== 'as-it-is') return 199;
  const strides: Readonly<Record<string, number>> = {
    ...{ bundle: 997, export: 997, 'bundle index': 31, 'export index': 31 },
    ...{ 'time stamp': 17, 'journal to go on from': 3 },
  };
  return strides[kind] ?? 1;
}

/** Targets of one kind under one fit, and their changes one after another. */
interface Row {
  readonly kind: string;
  readonly fit: Fit;
  readonly targets: readonly Target[];
  readonly bytes: number;
  readonly count: number;
  at(number: number): { readonly target: Target; readonly change: Change };
}

function rowOf(kind: string, fit: Fit, targets: readonly Target[]): Row {
  const parts = /^(?:small )?(?:bundle|export)$/.test(kind) ? 'blocks' : 'lines';
  const held = targets.map((target) => ({ target, changes: changesOf(target.bytes, parts) }));
  return {
    ...{ kind, fit, targets },
    bytes: targets.reduce((total, target) => total + target.bytes.length, 0),
    count: held.reduce((total, { changes }) => total + changes.count, 0),
    at(number) {
      let rest = number;
      for (const { target, changes } of held) {
        if (rest < changes.count) return { target, change: changes.at(rest) };
        rest -= changes.count;
      }
      throw new RangeError(`${kind} has no change ${number}`);
    },
  };
}

let rows: readonly Row[];

beforeAll(async () => {
  const targets = await targetsOf(await wholeRecord(folder, seed));
  const all = [...new Set(targets.map(({ kind }) => kind))];
  // Files of a run last: they are the longest, and test/verify/mangling.test.ts changes each of their bytes too.
  const ofRun = (kind: string) => kind.startsWith('run/');
  const kinds = [...all.filter((kind) => !ofRun(kind)), ...all.filter(ofRun)];
  rows = kinds.flatMap((kind) => {
    const own = targets.filter((each) => each.kind === kind);
    return (own[0]?.fits ?? []).map((fit) => rowOf(kind, fit, own));
  });
});

/** How often what came of the changes that were tried. */
interface Tally {
  readonly row: Row;
  readonly stride: number;
  refused: number;
  same: number;
  /** Changes that left the bytes as they are. */
  none: number;
  readonly faults: string[];
}

/** Tries every change of a row whose number is one of `stride`. */
async function tried(row: Row, stride: number): Promise<Tally> {
  const tally: Tally = { row, stride, refused: 0, same: 0, none: 0, faults: [] };
  for (let number = Math.floor(stride / 2) % row.count; number < row.count; number += stride) {
    const { target, change } = row.at(number);
    if (Buffer.compare(change.bytes, target.bytes) === 0) {
      tally.none += 1;
      continue;
    }
    const tryIt = { bytes: change.bytes, fit: row.fit, thorough: false };
    const found = await attack(target, tryIt);
    if (isFault(found) || (found.verdict === 'same' && !maySayTheSame(row, change, target)))
      tally.faults.push(keepFault({ seed, change: change.what, target }, tryIt, found));
    else if (found.verdict === 'same') tally.same += 1;
    else tally.refused += 1;
  }
  return tally;
}

const told: Tally[] = [];

/** What `npm run soak:bytes` leaves behind, after every row again. */
function resultText(): string {
  const total = (count: (tally: Tally) => number) =>
    told.reduce((sum, tally) => sum + count(tally), 0);
  const faults = told.flatMap((tally) => tally.faults);
  const lines = told.map(({ row, stride, refused, same, none, faults: own }) =>
    [
      ...[row.targets.length, row.bytes, row.count, stride, refused, same, none, own.length],
      `${row.kind}${row.fit === 'as-it-is' ? '' : `, fitted ${row.fit}`}`,
    ]
      .map((each) => String(each).padStart(9))
      .join(' '),
  );
  const heads = ['files', 'bytes', 'changes', 'stride', 'refused', 'same', 'none', 'faults'];
  const memory = Math.round(totalmem() / 2 ** 30);
  return [
    'Every small change of what is recorded, read by one who knows a pin and two signers (npm run soak:bytes, test/support/every-change.ts).',
    'stride: of how many changes one was tried; same: told nobody anything else (see the test); none: the bytes stayed as they were.',
    'fitted one, all: whatever names the changed thing was made to name it again, in one place or everywhere but at the pin.',
    `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${availableParallelism()} cores, ${memory} GiB; seed ${seed}`,
    `${told.length} of ${rows.length} rows: ${total(({ refused, same, faults: own }) => refused + same + own.length)} changes, ${faults.length} faults`,
    `${heads.map((each) => each.padStart(9)).join(' ')} what`,
    ...lines,
    ...faults,
    '',
  ].join('\n');
}

describe('what is recorded', () => {
  test('is refused after every small change, by whoever knows a pin and the signers', {
    timeout: 36_000_000,
  }, async () => {
    for (const row of rows) {
      told.push(
        await tried(row, soak ? share * strideOf(row.kind, row.fit) : Math.ceil(row.count / 3)),
      );
      if (soak) writeFileSync(resultFile, resultText());
    }
    expect(told.flatMap(({ faults }) => faults)).toEqual([]);
    expect(told.filter(({ refused }) => refused === 0).map(({ row }) => row.kind)).toEqual([]);
    expect(rows.length).toBeGreaterThan(80);
  });
});
