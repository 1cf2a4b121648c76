/** Gates about how the evidence was made: controls, provenance, and the power gate that this version cannot evaluate. */
import type { Evidence } from '../analysis/evidence.ts';
import { isLostByFault, type SettledCell } from '../analysis/settle.ts';
import { LiftgateError } from '../base/errors.ts';
import { type GateDeclaration, gateName } from '../spec/gates.ts';
import { type Contribution, contributionOf } from './gate.ts';

type Declared<Kind extends GateDeclaration['gate']> = Extract<GateDeclaration, { gate: Kind }>;

function commonParts(declared: GateDeclaration): { name: string; gate: string; required: boolean } {
  return { name: gateName(declared), gate: declared.gate, required: declared.required };
}

function notConfirmatory(declared: GateDeclaration): Contribution {
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
export function judgeControls(declared: Declared<'controls'>, evidence: Evidence): Contribution {
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
  readonly cells: readonly SettledCell[];
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
  declared: Declared<'provenance'>,
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

/** The power gate: the sealed decision is not simulated by this version, so it is listed and never read as success. */
export function judgePower(declared: Declared<'power'>): Contribution {
  return contributionOf({
    ...commonParts(declared),
    finding: 'unconfigured',
    threshold: declared.target,
    reason: 'simulation of the sealed decision is not part of this version',
    flags: ['simulation-unavailable'],
  });
}
