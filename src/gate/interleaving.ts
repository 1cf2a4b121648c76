/**
 * The `interleaving` gate: whether the arms ran side by side. It gives hold only for receipts that stand at another place than the
 * sealed schedule gives them.
 */
import type { Analysis, CandidateAnalysis } from '../analysis/analyze.ts';
import { baselineOf } from '../analysis/evidence.ts';
import type { Rows } from '../base/rows.ts';
import type { EvidenceLine } from '../run/measured-line.ts';
import { cellId, planSchedule } from '../run/schedule.ts';
import { finalCases } from '../spec/case-index.ts';
import { type GateOf, gateName } from '../spec/gates.ts';
import { armIds, type ExperimentSpec } from '../spec/spec.ts';
import { type Contribution, contributionOf, shownNumber } from './gate.ts';

/** Last lines of the cells in the order they were received; ties by place in the schedule. */
function receivedOrder(lines: Rows<EvidenceLine>): EvidenceLine[] {
  const last = new Map<string, EvidenceLine>();
  for (const line of lines) {
    const known = last.get(cellId(line.cell));
    if (known === undefined || known.receipt.attempt < line.receipt.attempt) {
      last.set(cellId(line.cell), line);
    }
  }
  return [...last.values()].sort((first, second) =>
    first.receivedAt === second.receivedAt
      ? first.position - second.position
      : first.receivedAt < second.receivedAt
        ? -1
        : 1,
  );
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((first, second) => first - second);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** Places that the two cells of a pair may come back apart, in the median. */
function mostApart(spec: ExperimentSpec): number {
  return armIds(spec).length + 2 * spec.host.concurrency;
}

/**
 * Whether the two cells of a pair came back near each other.
 * @param apart  places between them, of every pair; not empty
 */
export function areSideBySide(apart: readonly number[], spec: ExperimentSpec): boolean {
  return medianOf(apart) <= mostApart(spec);
}

/**
 * Whether the arms ran side by side: every receipt stands at its place of the sealed schedule, and in half of the pairs or more the
 * two cells came back within one block and the cells in flight of each other.
 *
 * @returns breached for a receipt at another place; insufficient for cells that came back further apart, and without a pair
 */
export function judgeInterleaving(
  declared: GateOf<'interleaving'>,
  analysis: Analysis,
  candidate: CandidateAnalysis,
): Contribution {
  const { seal, index, lines } = analysis;
  const arms = armIds(seal.spec);
  const schedule = planSchedule({
    cases: finalCases(index),
    arms,
    repeats: seal.spec.repeats,
    casesDigest: seal.digests.cases,
  });
  const threshold = mostApart(seal.spec);
  const common = {
    name: gateName(declared),
    gate: declared.gate,
    required: declared.required,
    threshold,
  };
  const strays = lines.filter((line) => {
    const planned = schedule.at(line.position);
    return planned === undefined || cellId(planned) !== cellId(line.cell);
  });
  const [stray] = strays;
  if (stray !== undefined) {
    const reason = `${strays.length} of ${lines.length} receipts stand at another place than the sealed schedule gives them, that of case "${stray.cell.case}" first`;
    return contributionOf({ ...common, finding: 'breached', reason });
  }
  const ranks = new Map(
    receivedOrder(lines).map(({ cell, position }, rank) => [cellId(cell), { rank, position }]),
  );
  const baseline = baselineOf(seal).id;
  const pairs = candidate.cells.flatMap(({ cell }) => {
    const own = ranks.get(cellId(cell));
    const other = ranks.get(cellId({ ...cell, arm: baseline }));
    if (own === undefined || other === undefined) return [];
    const apart = Math.abs(own.rank - other.rank);
    return [{ unit: cell.unit, apart, isFirst: own.position < other.position }];
  });
  const n = {
    units: new Set(pairs.map((each) => each.unit)).size,
    pairs: pairs.length,
    cells: 2 * pairs.length,
    discordant: 0,
  };
  if (pairs.length === 0) {
    const reason = 'no pair was attempted in both arms';
    return contributionOf({ ...common, n, finding: 'insufficient', reason });
  }
  const apart = pairs.map((each) => each.apart);
  const statistic = medianOf(apart);
  const first = pairs.filter((each) => each.isFirst).length;
  const within = areSideBySide(apart, seal.spec);
  const reason = `the cells of a pair came back ${shownNumber(statistic)} places apart (median of ${pairs.length}, ${threshold} at most), the candidate scheduled first in ${first}`;
  return contributionOf({
    ...common,
    n,
    statistic,
    finding: within ? 'cleared' : 'insufficient',
    reason: within ? reason : `${reason}: the arms met different hours`,
  });
}
