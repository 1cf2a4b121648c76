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

/** One of the two rates of an audit, held against its maximum. */
export interface AuditedRate {
  readonly of: 'audited-bad-units' | 'audited-good-units';
  readonly words: string;
  readonly count: number;
  readonly units: number;
  readonly max: number;
}

interface BoundedRate {
  readonly finding: Finding;
  readonly upper: number;
  readonly max: number;
  readonly reason: string;
}

function boundedRate({ words, count, units, max }: AuditedRate, error: number): BoundedRate {
  const counts = { successes: count, units };
  const found = [clopperPearsonLower(counts, error), clopperPearsonUpper(counts, error)].map(
    (bound, at) => roundSignificant(typeof bound === 'number' ? bound : at, 1),
  );
  const [lower = 0, upper = 1] = found;
  const finding = lower >= max ? 'breached' : upper < max ? 'cleared' : 'unresolved';
  const place =
    finding === 'breached'
      ? `the lower bound ${shownNumber(lower)} is at or above ${shownNumber(max)}`
      : `the upper bound ${shownNumber(upper)} is ${finding === 'cleared' ? 'below' : 'not below'} ${shownNumber(max)}`;
  return { finding, upper, max, reason: `${count} of ${units} ${words}: ${place}` };
}

type SealedAudit = NonNullable<SealedExperiment['evaluator']['audits']>[number]['audit'];

function auditedRates(
  declared: GateOf<'evaluator'>,
  { falseAcceptances: bad, falseRejections: good }: SealedAudit,
): readonly AuditedRate[] {
  return [
    {
      of: 'audited-bad-units',
      words: 'bad units accepted',
      count: bad.count,
      units: bad.of,
      max: declared.maxFalseAcceptance,
    },
    {
      of: 'audited-good-units',
      words: 'good units rejected',
      count: good.count,
      units: good.of,
      max: declared.maxFalseRejection,
    },
  ];
}

type AuditedSeal = Pick<SealedExperiment, 'evaluator' | 'analysis'>;

/** Error of each of the two bounds. */
function auditError({ analysis }: AuditedSeal): number {
  return roundSignificant(analysis.errorLevels.rate / 2);
}

function sealedAudit(declared: GateOf<'evaluator'>, seal: AuditedSeal): SealedAudit | undefined {
  return seal.evaluator.audits?.find(({ path }) => path === declared.audit)?.audit;
}

/** The rates that the audit leaves open, and the error they are read at. */
export function openRates(
  declared: GateOf<'evaluator'>,
  seal: AuditedSeal,
): { readonly rates: readonly AuditedRate[]; readonly error: number } {
  const audit = sealedAudit(declared, seal);
  const error = auditError(seal);
  const rates = audit === undefined ? [] : auditedRates(declared, audit);
  return {
    rates: rates.filter((each) => boundedRate(each, error).finding === 'unresolved'),
    error,
  };
}

/**
 * Contribution of an evaluator gate; everything it reads is sealed.
 *
 * @returns missing for an audit of another scorer or measure; breached when a lower bound reaches its maximum, cleared when both upper
 *   bounds lie below theirs
 */
export function judgeEvaluator(declared: GateOf<'evaluator'>, seal: AuditedSeal): Contribution {
  const { evaluator } = seal;
  const error = auditError(seal);
  const common = {
    name: gateName(declared),
    gate: declared.gate,
    measure: declared.measure,
    required: declared.required,
  };
  const audit = sealedAudit(declared, seal);
  const missing = (reason: string): Contribution =>
    contributionOf({ ...common, finding: 'missing', reason });
  if (audit === undefined) return missing(`the seal holds no audit ${declared.audit}`);
  if (audit.evaluator !== evaluator.tree) {
    return missing(`the audit covers the scorer ${audit.evaluator}, sealed is ${evaluator.tree}`);
  }
  if (audit.measure !== declared.measure) {
    return missing(`the audit is about "${audit.measure}", not about "${declared.measure}"`);
  }
  const rates = auditedRates(declared, audit).map((each) => boundedRate(each, error));
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
    n: {
      units: audit.falseAcceptances.of + audit.falseRejections.of,
      pairs: 0,
      cells: 0,
      discordant: 0,
    },
    reason: rates.map((each) => each.reason).join('; '),
  });
}
