/** Short ways to write a ledger's usual entries in tests. */

import type { Digest } from '../../src/base/digest.ts';
import { digestOf } from '../../src/base/digest.ts';
import type { EntryOf } from '../../src/ledger/entry.ts';
import type { Appended, Ledger, LedgerPorts } from '../../src/ledger/ledger.ts';
import { developUnits, reserveUnits } from '../../src/ledger/reserve.ts';
import { skeletonOf, type UnitRecord } from '../../src/spec/units.ts';

/** UTF-8 bytes of a text. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Any digest, the same for the same text. */
export function digestNamed(text: string): Digest {
  return digestOf(text);
}

/** What the ledger knows of a journal without a line. */
export const noJournal = { lines: 0, digest: digestOf('') };

/** Error held by every reservation of these tests: 0.025. */
export const alphaNano = 25_000_000;

/** Units sorted by id; a unit's content is its id unless another is given. */
export function unitsNamed(
  ids: readonly string[],
  content: (id: string) => string = (id) => id,
): UnitRecord[] {
  return [...ids].sort().map((id) => ({
    id,
    skeleton: skeletonOf(id),
    fingerprints: [digestOf(content(id))],
  }));
}

/** Ports with a clock that counts and ids that never change: equal requests give equal bytes. */
export function countingPorts(): LedgerPorts {
  let calls = 0;
  return {
    now: () => {
      calls += 1;
      return `2026-01-01T00:00:00.${String(calls % 1000).padStart(3, '0')}Z`;
    },
    actor: 'tester',
    random: () => 'ab'.repeat(16),
    jitter: () => Promise.resolve(),
    origin: 'example.com/tests',
    unicode: '15.1',
  };
}

/** Records the plan of an experiment; `text` stands for the sealed bytes. */
export async function recordPlan(
  ledger: Ledger,
  experimentId: string,
  text = `plan of ${experimentId}`,
): Promise<Digest> {
  const bytes = bytesOf(`${text}\n`);
  const sealDigest = await ledger.putObject(bytes);
  await ledger.append({
    kind: 'seal',
    requestId: `seal:${sealDigest}`,
    body: { experimentId, sealDigest, size: bytes.length, stage: 'plan', plan: null },
  });
  return sealDigest;
}

/** Records a final seal of a plan. */
export async function recordFinal(
  ledger: Ledger,
  experimentId: string,
  plan: Digest,
  text = `final of ${experimentId}`,
): Promise<Digest> {
  const bytes = bytesOf(`${text}\n`);
  const sealDigest = await ledger.putObject(bytes);
  await ledger.append({
    kind: 'seal',
    requestId: `seal:${sealDigest}`,
    body: { experimentId, sealDigest, size: bytes.length, stage: 'final', plan },
  });
  return sealDigest;
}

/** Reserves units of the population `mails` in the family `mails`. */
export function reserve(
  ledger: Ledger,
  experimentId: string,
  plan: Digest,
  units: readonly UnitRecord[],
): Promise<Appended<'reserve'>> {
  return reserveUnits(ledger, {
    experimentId,
    plan,
    population: 'mails',
    family: 'mails',
    units,
    alphaNano,
  });
}

/** Records development use of units of the population `mails`. */
export function develop(
  ledger: Ledger,
  experimentId: string,
  units: readonly UnitRecord[],
): Promise<Appended<'develop'>> {
  return developUnits(ledger, { experimentId, population: 'mails', units, reason: 'search' });
}

/** Body of an exposure with two arms. */
export async function exposeBody(
  ledger: Ledger,
  reserved: number,
  seal: Digest,
): Promise<EntryOf<'expose'>['body']> {
  await ledger.putObject(bytesOf('decision.json'));
  return {
    reserve: reserved,
    seal,
    arms: [
      { id: 'baseline', digest: digestNamed('baseline') },
      { id: 'r2', digest: digestNamed('r2') },
    ],
    evaluatorTree: digestNamed('evaluator'),
    cellsObject: await ledger.putObject(bytesOf('cells\n')),
    disclosure: 'aggregate',
    attempt: 1,
    fence: '01'.repeat(16),
  };
}

/** Body of an outcome that covers four planned cells. */
export function outcomeBody(expose: number, attempt = 1): EntryOf<'outcome'>['body'] {
  return {
    expose,
    attempt,
    receiptsRoot: digestNamed('receipts'),
    receiptsObject: null,
    receiptsCount: 5,
    plannedCells: 4,
    missing: 0,
    manifestDigest: digestNamed('manifest'),
    resultDigest: digestNamed('decision.json'),
    verdict: 'ship',
    exitCode: 0,
    disclosure: 'aggregate',
    alphaNano,
  };
}

/** An experiment from plan to exposure; the numbers of its entries. */
export async function exposeExperiment(
  ledger: Ledger,
  experimentId: string,
  units: readonly UnitRecord[],
): Promise<{ plan: Digest; reserve: number; expose: number; exposeId: Digest }> {
  const plan = await recordPlan(ledger, experimentId);
  const reserved = (await reserve(ledger, experimentId, plan, units)).entry.seq;
  const seal = await recordFinal(ledger, experimentId, plan);
  const body = await exposeBody(ledger, reserved, seal);
  const exposed = await ledger.append({ kind: 'expose', requestId: `expose:${seal}`, body });
  return { plan, reserve: reserved, expose: exposed.entry.seq, exposeId: exposed.entryId };
}

/** A ledger with an entry of every kind that is written: 17 entries, two experiments. */
export async function tellStory(ledger: Ledger): Promise<void> {
  await develop(ledger, 'first', unitsNamed(['train-1', 'train-2']));
  const first = await exposeExperiment(ledger, 'first', unitsNamed(['u-1', 'u-2']));
  await ledger.append({
    kind: 'attempt',
    requestId: 'attempt:2',
    body: {
      expose: first.expose,
      attempt: 2,
      reason: 'killed',
      missingCells: 2,
      missingObject: await ledger.putObject(bytesOf('missing\n')),
      fence: '02'.repeat(16),
      journal: noJournal,
    },
  });
  const settled = await ledger.append({
    kind: 'outcome',
    requestId: 'outcome:first',
    body: {
      ...outcomeBody(first.expose, 2),
      receiptsObject: await ledger.putObject(bytesOf('receipts\n')),
    },
  });
  await ledger.append({
    kind: 'void',
    requestId: 'void:first',
    body: { outcome: settled.entry.seq, reason: 'grader was wrong', evidence: 'issue 7' },
  });
  const plan = await recordPlan(ledger, 'second', 'plan of second, first try');
  const held = await reserve(ledger, 'second', plan, unitsNamed(['u-3']));
  await ledger.append({
    kind: 'release',
    requestId: 'release:1',
    body: { reserve: held.entry.seq, reason: 'search ended' },
  });
  const second = await exposeExperiment(ledger, 'second', unitsNamed(['u-3', 'u-4']));
  await ledger.append({
    kind: 'abort',
    requestId: 'abort:second',
    body: { expose: second.expose, reason: 'host gone', receiptsRoot: digestNamed('none') },
  });
}
