/**
 * The sealed futility rule: a lift that neither clears nor breaches is given up where an improvement of claim.minimumEffect is ruled
 * out at the error the rule may spend at this look.
 *
 * The rule is not binding: the bounds that ship are made as if it did not exist, so that it can only take ships away. A candidate
 * that is better by the minimum effect is given up with probability at most the rule's error, over all looks.
 */
import type { Analysis } from '../analysis/analyze.ts';
import { estimateImprovement } from '../analysis/estimate.ts';
import { isMissingClass } from '../analysis/settle.ts';
import type { Sample } from '../analysis/unit-value.ts';
import { guaranteeOf } from '../spec/inference.ts';
import { sequentialOf } from '../spec/stopping.ts';
import type { EffectGate } from './effect.ts';
import { type Contribution, contributionOf, shownNumber } from './gate.ts';
import { lookError } from './look-error.ts';

/**
 * The contribution of a lift, or its breach for futility.
 *
 * Missing cells leave it as it is: an outage alone never gives hold.
 */
export function orFutile(
  { seal, look }: Analysis,
  gate: EffectGate,
  { sample, own }: { readonly sample: Sample; readonly own: Contribution },
): Contribution {
  const futility = sequentialOf(seal.spec)?.futility;
  const { minimumEffect, measureId, measure, method } = gate;
  if (futility === undefined || minimumEffect === null || own.finding !== 'unresolved') return own;
  if (sample.lost.some(({ reason }) => isMissingClass(reason))) return own;
  const guarantee = guaranteeOf(method);
  const error = lookError(seal, look, { measure: measureId, guarantee, error: futility.error });
  const found = estimateImprovement({ seal, measureId, measure, sample, method, error });
  if (found.status !== 'estimated') return own;
  const { upper } = found.estimate.interval;
  if (upper >= minimumEffect) return own;
  return contributionOf({
    ...own,
    finding: 'breached',
    flags: [...own.flags, 'futile'],
    reason: `${own.reason}; futile: at error ${shownNumber(error)} the improvement is below ${shownNumber(upper)}, less than the minimum effect ${shownNumber(minimumEffect)}`,
  });
}
