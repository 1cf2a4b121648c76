/**
 * The `evaluator` gate: an admitted audit covers the scorer that graded, and its errors are rare enough by exact bounds.
 *
 * Both rates are bounded at once: each Clopper-Pearson bound has half of the error 1 - level.
 */
import { type GateOf, gateName } from '../spec/gates.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { clopperPearsonLower, clopperPearsonUpper } from '../stats/proportion.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { type Contribution, contributionOf, type Finding, shownNumber } from './gate.ts';

interface AuditedRate {
  readonly words: string;
  readonly count: number;
  readonly of: number;
  readonly max: number;
}

interface BoundedRate {
  readonly finding: Finding;
  readonly upper: number;
  readonly max: number;
  readonly reason: string;
}

function boundedRate({ words, count, of, max }: AuditedRate, error: number): BoundedRate {
  const counts = { successes: count, units: of };
  const found = [clopperPearsonLower(counts, error), clopperPearsonUpper(counts, error)].map(
    (bound, at) => roundSignificant(typeof bound === 'number' ? bound : at, 1),
  );
  const [lower = 0, upper = 1] = found;
  const finding = lower >= max ? 'breached' : upper < max ? 'cleared' : 'unresolved';
  const place =
    finding === 'breached'
      ? `the lower bound ${shownNumber(lower)} is at or above ${shownNumber(max)}`
      : `the upper bound ${shownNumber(upper)} is ${finding === 'cleared' ? 'below' : 'not below'} ${shownNumber(max)}`;
  return { finding, upper, max, reason: `${count} of ${of} ${words}: ${place}` };
}

/**
 * Contribution of an evaluator gate; everything it reads is sealed.
 *
 * @returns missing for an audit of another scorer or measure; breached when a lower bound reaches its maximum, cleared when both upper
 *   bounds lie below theirs
 */
export function judgeEvaluator(
  declared: GateOf<'evaluator'>,
  { evaluator, analysis }: Pick<SealedExperiment, 'evaluator' | 'analysis'>,
): Contribution {
  const error = roundSignificant(analysis.errorLevels.rate / 2);
  const common = {
    name: gateName(declared),
    gate: declared.gate,
    measure: declared.measure,
    required: declared.required,
  };
  const audit = evaluator.audits?.find(({ path }) => path === declared.audit)?.audit;
  const missing = (reason: string): Contribution =>
    contributionOf({ ...common, finding: 'missing', reason });
  if (audit === undefined) return missing(`the seal holds no audit ${declared.audit}`);
  if (audit.evaluator !== evaluator.tree) {
    return missing(`the audit covers the scorer ${audit.evaluator}, sealed is ${evaluator.tree}`);
  }
  if (audit.measure !== declared.measure) {
    return missing(`the audit is about "${audit.measure}", not about "${declared.measure}"`);
  }
  const { falseAcceptances, falseRejections } = audit;
  const rates = [
    boundedRate(
      { words: 'bad units accepted', max: declared.maxFalseAcceptance, ...falseAcceptances },
      error,
    ),
    boundedRate(
      { words: 'good units rejected', max: declared.maxFalseRejection, ...falseRejections },
      error,
    ),
  ];
  const decisive =
    rates.find(({ finding }) => finding === 'breached') ??
    rates.find(({ finding }) => finding === 'unresolved') ??
    rates.reduce((most, each) => (each.upper / each.max > most.upper / most.max ? each : most));
  return contributionOf({
    ...common,
    finding: decisive.finding,
    statistic: decisive.upper,
    threshold: decisive.max,
    errorLevel: error,
    n: { units: falseAcceptances.of + falseRejections.of, pairs: 0, cells: 0, discordant: 0 },
    reason: rates.map((each) => each.reason).join('; '),
  });
}
