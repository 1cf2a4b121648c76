/**
 * Gates that decide by the interval of a paired difference: `lift`, `no-regression` and the ratio form of `latency`.
 *
 * Breach is tested first: a lift whose interval lies wholly below claim.minimumEffect is smaller than useful even where it clears
 * the threshold. At threshold 0 the Tango interval is joined by the exact one-sided McNemar test.
 */
import type { CandidateAnalysis, MeasureAnalysis } from '../analysis/analyze.ts';
import { sealedMethod } from '../analysis/analyze.ts';
import { clearsImprovement } from '../analysis/clears.ts';
import {
  discordantUnits,
  type Estimate,
  type EstimateFlag,
  type EstimateResult,
  estimateImprovement,
  type NoEstimate,
} from '../analysis/estimate.ts';
import { measureOf } from '../analysis/evidence.ts';
import { isLostByFault, isMissingClass } from '../analysis/settle.ts';
import type { Sample } from '../analysis/unit-value.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import { type GateDeclaration, gateName, type PairedGate, pairedGate } from '../spec/gates.ts';
import type { MethodName } from '../spec/inference.ts';
import { isLogScale, type Measure } from '../spec/measure.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { log, log1p } from '../stats/elementary.ts';
import { mcnemarExact } from '../stats/paired-binary.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { noEstimateReasons, shownBounds, wordsOf } from './effect-words.ts';
import {
  type BoundWords,
  type Contribution,
  type ContributionFlag,
  contributionOf,
  type FoundReason,
  type Standing,
  shownNumber,
  standingFinding,
} from './gate.ts';

/** A gate on a paired difference with its numbers on the scale of the improvement. */
export interface EffectGate {
  readonly gate: PairedGate['gate'];
  readonly name: string;
  readonly measureId: string;
  readonly measure: Measure;
  readonly required: boolean;
  readonly method: MethodName;
  /** The lower bound must lie above it: the lift threshold, or minus the margin. */
  readonly threshold: number;
  /** claim.minimumEffect for a lift, else null. */
  readonly minimumEffect: number | null;
  readonly words: BoundWords;
}

/**
 * A threshold, margin or effect on the scale of the improvement; for durations and costs it is a ratio, so 0.1 is log 1.1.
 * @example onScale({ kind: 'cost', role: 'guardrail', direction: 'lower' }, -0.1) // => -0.0953101798043
 */
export function onScale(measure: Measure, value: number): number {
  if (!isLogScale(measure)) return roundSignificant(value);
  return roundSignificant(value < 0 ? -log1p(-value) : log1p(value));
}

/**
 * The gate as one on a paired difference, or null for any other gate.
 * @throws {LiftgateError} seal-invalid  as `effectGates`
 */
export function effectGate(seal: SealedExperiment, declared: GateDeclaration): EffectGate | null {
  const paired = pairedGate(declared);
  if (paired === null) return null;
  const { gate, measure: measureId, threshold } = paired;
  const name = gateName(declared);
  const measure = measureOf(seal, measureId);
  const method = sealedMethod(seal, paired);
  if (method === null) {
    throw new LiftgateError('seal-invalid', `The seal resolves no method for the gate "${name}".`, {
      where: { path: 'analysis.methods' },
      mend: 'Seal the experiment again; a design without a method for a gate is refused then.',
    });
  }
  const useful = gate === 'lift' ? (seal.claim.minimumEffect ?? null) : null;
  const isRatio = gate === 'latency';
  return {
    gate,
    name,
    measureId,
    measure,
    required: declared.required,
    method,
    threshold: isRatio ? roundSignificant(-log(threshold)) : onScale(measure, threshold),
    minimumEffect: useful === null ? null : onScale(measure, useful),
    words: wordsOf[gate],
  };
}

/**
 * Interval gates of a seal, in their sealed order.
 * @throws {LiftgateError} seal-invalid  if one names an undeclared measure or has no resolved method
 */
export function effectGates(seal: SealedExperiment): EffectGate[] {
  return seal.decision.gates.flatMap((declared) => {
    const gate = effectGate(seal, declared);
    return gate === null ? [] : [gate];
  });
}

/**
 * Where a simulation keeps the differences that a gate reads: those over a placebo apart from those over the baseline.
 * @example drawnKey({ gate: 'neutral-control', measureId: 'right' }) // => 'right over placebo'
 */
export function drawnKey({ gate, measureId }: Pick<EffectGate, 'gate' | 'measureId'>): string {
  return gate === 'neutral-control' ? `${measureId} over placebo` : measureId;
}

/** One gate read at one error level. */
export interface EffectReading {
  readonly error: number;
  readonly result: EstimateResult;
  /** One-sided exact p at threshold 0 under Tango, else null. */
  readonly mcnemarP: number | null;
  /** Whether the sample lacks anything, and lacks it through faults alone. */
  readonly lostByFault: boolean;
  readonly clears: boolean;
}

function mcnemarNeeded(gate: EffectGate, estimate: Estimate): boolean {
  return estimate.method === 'tango-score' && gate.threshold === 0;
}

/** Reads a gate on a sample at a one-sided error; clearing asks nothing of the minimum effect. */
export function readEffect(
  seal: SealedExperiment,
  gate: EffectGate,
  sample: Sample,
  error: number,
): EffectReading {
  const { measureId, measure, method } = gate;
  const result = estimateImprovement({ seal, measureId, measure, sample, method, error });
  const lostByFault =
    sample.lost.length > 0 && sample.lost.every((each) => isLostByFault(each.reason));
  if (result.status !== 'estimated') {
    return { error, result, mcnemarP: null, lostByFault, clears: false };
  }
  const mcnemarP = mcnemarNeeded(gate, result.estimate)
    ? roundSignificant(mcnemarExact(discordantUnits(sample)).pGreater)
    : null;
  const clears =
    result.estimate.interval.lower > gate.threshold &&
    (mcnemarP === null || mcnemarP <= roundSignificant(error));
  return { error, result, mcnemarP, lostByFault, clears };
}

/** One gate at one error level, its numbers computed when they are asked for. */
export interface EffectLevel {
  readonly clears: boolean;
  readonly reading: () => EffectReading;
}

/**
 * A gate at a one-sided error: whether it clears, by a single decision where the method offers one, and its reading on demand.
 * Of the levels of several candidates only one is shown; the bounds of the others would be computed for nothing.
 */
export function effectLevel(
  seal: SealedExperiment,
  gate: EffectGate,
  sample: Sample,
  error: number,
): EffectLevel {
  const { measureId, measure, method, threshold } = gate;
  let read: EffectReading | null = null;
  const reading = (): EffectReading => {
    read ??= readEffect(seal, gate, sample, error);
    return read;
  };
  const request = { seal, measureId, measure, sample, method, error };
  return { clears: clearsImprovement(request, threshold) ?? reading().clears, reading };
}

/** How a candidate stands, and whether a breach stands with every missing cell counted in its favour. */
export interface EffectStanding extends Standing {
  /** An outage alone never gives hold. */
  readonly breachStands: boolean;
}

interface Verdict extends FoundReason {
  readonly flags: readonly ContributionFlag[];
}

function breachOf(gate: EffectGate, estimate: Estimate): Verdict | null {
  const { upper } = estimate.interval;
  if (upper <= gate.threshold) {
    return {
      finding: 'breached',
      reason: gate.words.breached(estimate.interval, gate.threshold),
      flags: [],
    };
  }
  if (gate.minimumEffect !== null && upper < gate.minimumEffect) {
    return {
      finding: 'breached',
      reason: `the interval ${shownBounds(estimate.interval)} lies wholly below the minimum effect ${shownNumber(gate.minimumEffect)}`,
      flags: ['smaller-than-useful'],
    };
  }
  return null;
}

function undoneBreach(breach: Verdict, { lostByFault }: EffectReading): Verdict {
  return {
    finding: 'insufficient',
    reason: `${breach.reason}, but the missing cells could undo it`,
    flags: lostByFault ? ['lost-by-fault'] : [],
  };
}

/**
 * Whether a breach of the reading stands without the outage that took some of its cells: nothing is missing, or the interval
 * breaches as well with every missing cell counted in the candidate's favour.
 */
export function doesBreachStand(
  seal: SealedExperiment,
  gate: EffectGate,
  measured: MeasureAnalysis,
  reading: EffectReading,
): boolean {
  const { result, error } = reading;
  if (result.status !== 'estimated' || breachOf(gate, result.estimate) === null) return true;
  if (!measured.sample.lost.some((each) => isMissingClass(each.reason))) return true;
  if (measured.spared === null) return false;
  const spared = readEffect(seal, gate, measured.spared, error).result;
  return spared.status === 'estimated' && breachOf(gate, spared.estimate) !== null;
}

function resolvedVerdict(
  gate: EffectGate,
  reading: EffectReading,
  standing: EffectStanding,
): Verdict {
  const { result, mcnemarP, error } = reading;
  if (result.status !== 'estimated') return unestimated(result, reading.lostByFault);
  const { estimate } = result;
  const breach = breachOf(gate, estimate);
  if (breach !== null) return standing.breachStands ? breach : undoneBreach(breach, reading);
  const beyond = gate.words.beyond(estimate.interval.lower, gate.threshold);
  const open = openReason(gate, estimate, { mcnemarP, error });
  return { ...standingFinding(standing, { beyond, open }), flags: [] };
}

/** Why a gate that breaches nothing does not clear at its own error. */
function openReason(
  gate: EffectGate,
  estimate: Estimate,
  { mcnemarP, error }: Pick<EffectReading, 'mcnemarP' | 'error'>,
): string {
  const { lower } = estimate.interval;
  if (lower <= gate.threshold) return gate.words.open(estimate.interval, gate.threshold);
  const beyond = gate.words.beyond(lower, gate.threshold);
  return mcnemarP !== null && mcnemarP > roundSignificant(error)
    ? `${beyond}, but McNemar's exact one-sided p ${shownNumber(mcnemarP)} is above ${shownNumber(error)}`
    : `${beyond}, but not at every larger error level`;
}

function unestimated(result: NoEstimate, lostByFault: boolean): Verdict {
  const flags: ContributionFlag[] = [];
  if (result.reason === 'one-unit') flags.push('one-unit');
  if (lostByFault && result.status === 'insufficient') flags.push('lost-by-fault');
  return {
    finding: result.status,
    reason: noEstimateReasons[result.reason] ?? result.reason,
    flags,
  };
}

function estimateFlags(estimate: Estimate | null, standing: Standing): EstimateFlag[] {
  if (estimate === null) return [];
  return standing.stepwise ? [...estimate.flags, 'stepwise'] : [...estimate.flags];
}

/** The contribution of an interval gate, from its reading at the error of the candidate's standing. */
export function effectContribution(
  gate: EffectGate,
  reading: EffectReading,
  standing: EffectStanding,
): Contribution {
  const verdict = resolvedVerdict(gate, reading, standing);
  const found = reading.result.status === 'estimated' ? reading.result.estimate : null;
  const flags = estimateFlags(found, standing);
  return contributionOf({
    name: gate.name,
    gate: gate.gate,
    measure: gate.measureId,
    required: gate.required,
    finding: verdict.finding,
    reason: verdict.reason,
    statistic: found === null ? null : gate.words.shown(found.interval.lower),
    threshold: gate.words.shown(gate.threshold),
    errorLevel: roundSignificant(reading.error),
    n: found?.n ?? (reading.result.status === 'estimated' ? null : reading.result.n),
    flags: [...flags, ...verdict.flags],
    estimate: found === null ? null : { ...found, flags, estimand: estimandOf(gate, found) },
  });
}

function estimandOf({ gate }: EffectGate, { estimand }: Estimate): string {
  return gate === 'neutral-control' ? `${estimand}, over the placebo` : estimand;
}

/**
 * What a gate reads of a candidate: its measure against the baseline, or against the placebo.
 * @throws {LiftgateError} seal-invalid  for a gate on a placebo that the seal does not have
 */
export function measuredFor(gate: EffectGate, candidate: CandidateAnalysis): MeasureAnalysis {
  const against = gate.gate === 'neutral-control' ? candidate.overPlacebo : candidate.measures;
  if (against === null) {
    throw new LiftgateError('seal-invalid', `The gate "${gate.name}" has no placebo arm.`, {
      where: { path: 'arms' },
      mend: 'Declare arms.placebo and seal the experiment again.',
    });
  }
  const measured = against.get(gate.measureId);
  invariant(measured !== undefined, 'every gated measure is analysed');
  return measured;
}

/** The sample of a measure that is judged: what was seen, or every loss filled against the candidate where a range allows it. */
export function chosenSample(analysis: MeasureAnalysis, filled: boolean): Sample {
  return filled ? (analysis.filled ?? analysis.sample) : analysis.sample;
}
