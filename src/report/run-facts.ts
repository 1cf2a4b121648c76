/** Facts about a run that a decision records and does not depend on: digests, times, attempts, faults, cost. */
import type { Evidence } from '../analysis/evidence.ts';
import { compareCodeUnits } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import { rootOfLeaves } from '../base/merkle.ts';
import { type Rows, rowsAt } from '../base/rows.ts';
import * as z from '../base/shape.ts';
import { spentOn } from '../run/budget.ts';
import { type EvidenceLine, lineLeaf } from '../run/measured-line.ts';
import { isOutcome } from '../run/receipt.ts';
import { sealDigest } from '../spec/seal.ts';
import { outcomeClassSchema } from '../spec/spec.ts';
import { digestSchema } from '../spec/words.ts';

/** What the receipts do not say; null where there is none, as for hand-written receipts. */
export interface RunInfo {
  readonly expose: Digest | null;
  readonly fence: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** Recorded shape of the `run` member; `receipts` counts attempts, `cost.knownUsd` sums what is known. */
export const runFactsSchema = z.strictObject({
  sealDigest: digestSchema,
  planDigest: digestSchema.nullable(),
  designDigest: digestSchema,
  casesDigest: digestSchema,
  expose: digestSchema.nullable(),
  fence: z.string().nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  receiptsRoot: digestSchema,
  receipts: z.int(),
  attempts: z.array(z.strictObject({ class: outcomeClassSchema, count: z.int() })),
  faults: z.array(
    z.strictObject({
      arm: z.string(),
      class: outcomeClassSchema,
      code: z.string().nullable(),
      count: z.int(),
    }),
  ),
  cost: z.strictObject({ knownUsd: z.number(), unknownCells: z.int() }),
});
/** The `run` member of a decision. */
export type RunFacts = z.infer<typeof runFactsSchema>;

/** Receipt lines in the one order that their root is made in: place in the schedule, then attempt. */
export function orderedLines<Line extends EvidenceLine>(lines: Rows<Line>): Rows<Line> {
  const positions = new Float64Array(lines.length);
  const attempts = new Float64Array(lines.length);
  const places = new Uint32Array(lines.length);
  let at = 0;
  for (const { position, receipt } of lines) {
    positions[at] = position;
    attempts[at] = receipt.attempt;
    places[at] = at;
    at += 1;
  }
  const order = (first: number, second: number): number =>
    (positions[first] ?? 0) - (positions[second] ?? 0) ||
    (attempts[first] ?? 0) - (attempts[second] ?? 0) ||
    first - second;
  return rowsAt(lines, places.sort(order));
}

function* leavesOf(lines: Rows<EvidenceLine>): Generator<string> {
  for (const line of lines) yield lineLeaf(line);
}

/** Merkle root over the canonical text of every receipt line. */
export function receiptsRoot(lines: Rows<EvidenceLine>): Digest {
  return rootOfLeaves(leavesOf(orderedLines(lines)));
}

/** Collects the facts of a run from its receipts. */
export function runFacts(evidence: Evidence, info: RunInfo): RunFacts {
  const { seal } = evidence;
  const lines = orderedLines(evidence.lines);
  return {
    sealDigest: sealDigest(seal),
    planDigest: seal.plan,
    designDigest: seal.digests.design,
    casesDigest: seal.digests.cases,
    expose: info.expose,
    fence: info.fence,
    startedAt: info.startedAt,
    endedAt: info.endedAt,
    receiptsRoot: receiptsRoot(lines),
    receipts: lines.length,
    attempts: outcomeClassSchema.options.flatMap((outcome) => {
      const count = lines.filter((line) => line.receipt.outcome === outcome).length;
      return count === 0 ? [] : [{ class: outcome, count }];
    }),
    faults: faultsOf(lines),
    cost: spentOn(lines),
  };
}

function faultsOf(lines: Rows<EvidenceLine>): RunFacts['faults'] {
  const counts = new Map<string, RunFacts['faults'][number]>();
  for (const { cell, receipt } of lines) {
    if (isOutcome(receipt.outcome)) continue;
    const code = receipt.fault?.code ?? null;
    const key = `${cell.arm}\n${receipt.outcome}\n${code ?? ''}`;
    const count = (counts.get(key)?.count ?? 0) + 1;
    counts.set(key, { arm: cell.arm, class: receipt.outcome, code, count });
  }
  return [...counts]
    .sort(([first], [second]) => compareCodeUnits(first, second))
    .map(([, fault]) => fault);
}
