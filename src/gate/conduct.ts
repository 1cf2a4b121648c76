/** Gates about how the evidence was made: controls, provenance, budget; and the power the design was sealed with. */
import type { Evidence } from '../analysis/evidence.ts';
import { isLostByFault, type SettledCell } from '../analysis/settle.ts';
import { LiftgateError } from '../base/errors.ts';
import { type Rows, rowsOf } from '../base/rows.ts';
import { costOf } from '../run/budget.ts';
import type { EvidenceLine } from '../run/measured-line.ts';
import { wallMinutesOf } from '../run/wall-time.ts';
import { type GateDeclaration, type GateOf, gateName } from '../spec/gates.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { sum } from '../stats/summary.ts';
import { type Contribution, type ContributionParts, contributionOf, shownNumber } from './gate.ts';

function commonParts(declared: GateDeclaration): { name: string; gate: string; required: boolean } {
  return { name: gateName(declared), gate: declared.gate, required: declared.required };
}

/** What a gate on the making of evidence says of receipts that nobody saw being made. */
export function notConfirmatory(declared: GateDeclaration): Contribution {
  return contributionOf({
    ...commonParts(declared),
    finding: 'insufficient',
    reason: 'receipts from outside a sealed run prove nothing about their making',
    flags: ['not-confirmatory'],
  });
}

/**
 * Every declared control was classified as declared.
 * @returns breached if one was not; missing if a control has no result or none is declared
 * @throws {LiftgateError} run-invalid  if a result names a control that the seal does not declare, or one twice
 */
export function judgeControls(declared: GateOf<'controls'>, evidence: Evidence): Contribution {
  if (!evidence.confirmatory) return notConfirmatory(declared);
  const common = commonParts(declared);
  const ids = evidence.seal.spec.controls.map((control) => control.id);
  const results = evidence.controls ?? [];
  checkControlIds(
    ids,
    results.map((result) => result.id),
  );
  const failed = results.filter((result) => !result.passed);
  const [first] = failed;
  if (first !== undefined) {
    return contributionOf({
      ...common,
      finding: 'breached',
      statistic: failed.length,
      threshold: 0,
      reason: `the control "${first.id}" failed: ${first.reason}`,
    });
  }
  const absent = ids.filter((id) => !results.some((result) => result.id === id));
  if (ids.length === 0 || absent.length > 0) {
    const reason =
      ids.length === 0
        ? 'no control is declared, so nothing shows that the harness classifies correctly'
        : `no result of the control${absent.length === 1 ? '' : 's'} ${absent.map((id) => `"${id}"`).join(', ')}`;
    return contributionOf({ ...common, finding: 'missing', reason });
  }
  return contributionOf({
    ...common,
    finding: 'cleared',
    statistic: 0,
    threshold: 0,
    reason: `${ids.length} of ${ids.length} controls were classified as declared`,
  });
}

function checkControlIds(declared: readonly string[], found: readonly string[]): void {
  const wrong = found.find((id, index) => !declared.includes(id) || found.indexOf(id) !== index);
  if (wrong === undefined) return;
  throw new LiftgateError(
    'run-invalid',
    `The control results name "${wrong}", which is not one of the sealed controls or is given twice.`,
    { where: { path: `controls.${wrong}` }, mend: 'Restore the control results of the run.' },
  );
}

/** An arm with how its planned cells ended. */
export interface JudgedArm {
  readonly id: string;
  readonly cells: Rows<SettledCell>;
}

/** Whether faults left an arm without one outcome to check. */
function isSilencedByFaults({ cells }: JudgedArm): boolean {
  return (
    cells.length > 0 &&
    cells.every(
      ({ settlement }) => settlement.status === 'missing' && isLostByFault(settlement.reason),
    )
  );
}

/** What ran is what was sealed, for the baseline and this candidate. */
export function judgeProvenance(
  declared: GateOf<'provenance'>,
  evidence: Evidence,
  arms: readonly JudgedArm[],
): Contribution {
  if (!evidence.confirmatory) return notConfirmatory(declared);
  const common = commonParts(declared);
  const found = arms.map((arm) => ({
    arm,
    result: evidence.provenance.find((each) => each.arm === arm.id),
  }));
  const inconsistent = found
    .map(({ result }) => result)
    .find((result) => result?.consistency === 'inconsistent');
  if (inconsistent !== undefined) {
    const why = inconsistent.reasons[0] ?? 'what ran is not what was sealed';
    return contributionOf({
      ...common,
      finding: 'breached',
      reason: `arm "${inconsistent.arm}" is inconsistent: ${why}`,
    });
  }
  const unverified = found
    .filter(({ result }) => result?.consistency !== 'consistent')
    .map(({ arm }) => arm);
  if (unverified.length === 0) {
    return contributionOf({
      ...common,
      finding: 'cleared',
      reason: 'both arms ran what was sealed',
    });
  }
  const names = unverified.map((each) => `"${each.id}"`).join(', ');
  return contributionOf({
    ...common,
    finding: declared.allowUnverified ? 'cleared' : 'insufficient',
    reason: `nothing shows what ran in ${names}${declared.allowUnverified ? ', which the spec allows' : ''}`,
    flags: unverified.every(isSilencedByFaults) ? ['lost-by-fault'] : [],
  });
}

/** What a run spent: dollars that are known, and attempts of which they are not. */
interface Spending {
  readonly knownUsd: number;
  readonly attempts: number;
  /** Attempts of unknown cost that the engine itself ended by a `host-exit` control. */
  readonly ended: number;
  /** All other attempts of unknown cost. */
  readonly unknown: Rows<EvidenceLine>;
}

function spendingOf({ seal, lines, controlLines }: Evidence): Spending {
  const ended = new Set(
    seal.spec.controls.flatMap((each) =>
      'fault' in each && each.fault === 'host-exit' ? [each.id] : [],
    ),
  );
  const controls = controlLines ?? [];
  const isOpen = ({ receipt }: EvidenceLine): boolean => !costOf(receipt).known;
  const isEnded = ({ cell, receipt }: EvidenceLine): boolean =>
    ended.has(cell.arm) && receipt.outcome === 'infrastructureFault';
  const open = controls.filter(isOpen);
  const costs = rowsOf<EvidenceLine>(lines, controls).map(({ receipt }) => {
    const cost = costOf(receipt);
    return cost.known ? cost.usd : cost.atLeast;
  });
  return {
    knownUsd: roundSignificant(sum(costs)),
    attempts: costs.length,
    ended: open.filter(isEnded).length,
    unknown: rowsOf<EvidenceLine>(
      lines.filter(isOpen),
      open.filter((line) => !isEnded(line)),
    ),
  };
}

type BudgetFinding = Pick<
  ContributionParts,
  'finding' | 'reason' | 'flags' | 'statistic' | 'threshold'
>;

/** The gravest first. */
const budgetOrder = ['breached', 'insufficient', 'cleared'];

/**
 * Whether the run kept to the sealed caps on cost and on time; with both, the graver finding is the gate's, and both are told.
 * @returns breached above a cap, whatever else is unknown; insufficient while cost or time is unknown; missing without a cap
 */
export function judgeBudget(declared: GateOf<'budget'>, evidence: Evidence): Contribution {
  if (!evidence.confirmatory) return notConfirmatory(declared);
  const { usd, wallMinutes } = evidence.seal.limits.budget;
  const common = commonParts(declared);
  const found = [
    ...(usd === null ? [] : [judgeCost(evidence, usd)]),
    ...(wallMinutes === null ? [] : [judgeTime(evidence, wallMinutes)]),
  ];
  const [gravest] = [...found].sort(
    (first, second) => budgetOrder.indexOf(first.finding) - budgetOrder.indexOf(second.finding),
  );
  if (gravest === undefined) {
    return contributionOf({
      ...common,
      threshold: null,
      finding: 'missing',
      reason: 'no cap on cost is sealed',
    });
  }
  const reason = found.map((each) => each.reason).join('; ');
  return contributionOf({ ...common, ...gravest, reason });
}

/**
 * Whether every attempt of the run, those of the controls included, is accounted for and together they cost at most the sealed cap.
 *
 * An attempt that a `host-exit` control ended has nobody left to bill it; it counts at the sealed limit of one attempt.
 */
function judgeCost(evidence: Evidence, cap: number): BudgetFinding {
  const spending = spendingOf(evidence);
  const statistic = spending.knownUsd;
  const spent = `${spending.attempts} attempts, controls included, cost ${shownNumber(statistic)} USD`;
  if (statistic > cap) {
    const reason = `${spent}, above the cap of ${shownNumber(cap)} USD`;
    return { threshold: cap, statistic, finding: 'breached', reason };
  }
  return { threshold: cap, ...withinCap(evidence, { spending, cap, spent }) };
}

/** Time is told only where it is above the cap: otherwise it would differ between two runs that decide alike. */
function judgeTime({ lines, controlLines }: Evidence, cap: number): BudgetFinding {
  const minutes = wallMinutesOf(lines, controlLines ?? []);
  const allowed = `the cap of ${shownNumber(cap)} minutes`;
  if (minutes !== null && minutes > cap) {
    const reason = `the run took ${shownNumber(minutes)} minutes, above ${allowed}`;
    return { threshold: cap, statistic: minutes, finding: 'breached', reason };
  }
  if (minutes === null || controlLines === null) {
    const whose = controlLines === null ? 'the controls' : 'some attempts';
    const reason = `how long ${whose} took is not known, so nothing shows that the run kept to ${allowed}`;
    return { threshold: cap, finding: 'insufficient', reason };
  }
  return { threshold: cap, finding: 'cleared', reason: `the run kept to ${allowed}` };
}

interface WithinCap {
  readonly spending: Spending;
  readonly cap: number;
  readonly spent: string;
}

/** What is known is within the cap; whether all of it is depends on what is not known. */
function withinCap(
  evidence: Evidence,
  { spending, cap, spent }: WithinCap,
): Omit<BudgetFinding, 'threshold'> {
  const { knownUsd: statistic, unknown, ended, attempts } = spending;
  if (evidence.controlLines === null) {
    return { statistic, finding: 'insufficient', reason: 'what the controls cost is not known' };
  }
  if (unknown.length > 0) {
    const byFault = unknown.every(({ receipt }) => isLostByFault(receipt.outcome));
    return {
      statistic,
      finding: 'insufficient',
      reason: `the cost of ${unknown.length} of ${attempts} attempts is not known, the others cost ${shownNumber(statistic)} USD`,
      flags: byFault ? ['lost-by-fault'] : [],
    };
  }
  const limit = evidence.seal.spec.host.limits.maxCostUsd;
  const most = limit === undefined && ended > 0 ? null : statistic + ended * (limit ?? 0);
  const counted =
    ended === 0
      ? ''
      : `, and ${ended} that a control ended ${shownNumber(limit ?? 0)} at most each`;
  if (most === null || roundSignificant(most) > cap) {
    const reason = `${spent}${counted}: together this may be above the cap of ${shownNumber(cap)} USD`;
    return { statistic, finding: 'insufficient', reason };
  }
  const reason = `${spent}${counted}: within the cap of ${shownNumber(cap)} USD`;
  return { statistic: roundSignificant(most), finding: 'cleared', reason };
}

/**
 * The power gate is about the plan: `liftgate plan` simulates it before sealing. A required one was simulated when the design was sealed,
 * which is refused below the target unless the spec accepts that; an optional one is listed and never read as success.
 */
export function judgePower(
  declared: GateOf<'power'>,
  { analysis }: SealedExperiment,
): Contribution {
  const { power } = analysis;
  const common = { ...commonParts(declared), threshold: declared.target };
  if (!declared.required || power === undefined) {
    return contributionOf({
      ...common,
      finding: 'unconfigured',
      reason: 'a matter of the plan: `liftgate plan` simulates it before anything is sealed',
      flags: ['simulated-by-plan'],
    });
  }
  const percent = (share: number): string => `${shownNumber(100 * share)} %`;
  const found = `simulated before sealing, the rules ship ${percent(power.rate)} (Monte Carlo error ${percent(power.standardError)}) of candidates better by ${shownNumber(power.atEffect)}, when ${power.assumption}`;
  const missed = `${found}: below the target of ${percent(power.target)}, which the spec accepts`;
  return contributionOf({
    ...common,
    finding: 'cleared',
    statistic: power.rate,
    reason: power.accepted ? missed : found,
    flags: power.accepted ? ['simulated-by-plan', 'underpowered'] : ['simulated-by-plan'],
  });
}
