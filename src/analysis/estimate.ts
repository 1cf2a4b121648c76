/**
 * Estimates: the mean improvement, across units unless the seal weighs cases or lists its units, with the interval of the sealed method.
 *
 * Every number is rounded to 12 significant digits before it is compared or shown. Observed values can do one thing to the sealed
 * method: fall back to the always-valid betting bound, or refuse. A zero-width or non-finite interval is `indeterminate`.
 */

import { invariant } from '../base/errors.ts';
import * as z from '../base/shape.ts';
import { decidingMethods, guaranteeOf, type MethodName } from '../spec/inference.ts';
import { isLogScale, type Measure } from '../spec/measure.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { seedHex } from '../spec/seeds.ts';
import { bettingBounds } from '../stats/betting.ts';
import { anytimeBounds } from '../stats/betting-sequence.ts';
import { type BootstrapOrigin, tBootstrapTBounds } from '../stats/bootstrap.ts';
import {
  type Bounds,
  type Indeterminate,
  indeterminate,
  isIndeterminate,
} from '../stats/interval.ts';
import { meanDifferenceBounds } from '../stats/mean-difference.ts';
import { type PairedCounts, pairedRiskDifferenceBounds } from '../stats/paired-binary.ts';
import { exactUnconditionalBounds } from '../stats/paired-binary-exact.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { sum } from '../stats/summary.ts';
import { caseMeanBounds, caseRiskBounds, listedUnitsBounds } from './clustered-bounds.ts';
import { isRareLossExposed, unseenLossShare } from './rare-loss.ts';
import { rangeWidth, type Sample, type SampleSize } from './unit-value.ts';

/** Recorded shape of `SampleSize`; whole numbers from 0. */
export const sampleSizeSchema = z.strictObject({
  units: z.int().min(0),
  pairs: z.int().min(0),
  cells: z.int().min(0),
  discordant: z.int().min(0),
});

/**
 * What to know about an estimate beside its numbers.
 *
 * rare-loss-exposed       an asymptotic bound while fewer than 5 units show a loss; see `unseenLossShare`
 * floor-fallback-betting  the sealed method lacked units or differences, the betting bound took its place
 * stepwise                the interval of the candidate's step in Holm's order
 * unadjusted              shown without regard to the number of candidates or looks; no gate reads it
 */
export const estimateFlagSchema = z.enum([
  'rare-loss-exposed',
  'floor-fallback-betting',
  'stepwise',
  'unadjusted',
]);
/** One flag of an estimate. */
export type EstimateFlag = z.infer<typeof estimateFlagSchema>;

const methodSchema = z.enum(decidingMethods);
const guaranteeSchema = z.enum(['finite-sample', 'asymptotic']);
const boundsShape = { lower: z.number(), upper: z.number() };

/** Recorded shape of the interval around an improvement; lower < upper, level in (0, 1). */
export const intervalSchema = z.strictObject({
  ...boundsShape,
  level: z.number(),
  method: methodSchema,
  guarantee: guaranteeSchema,
});

/** Recorded shape of an estimate; `unseenLossShare` stands only beside `rare-loss-exposed`, `bootstrap` only where one was drawn. */
export const estimateSchema = z.strictObject({
  measure: z.string(),
  estimand: z.string(),
  scale: z.enum(['difference', 'log-ratio']),
  value: z.number(),
  interval: intervalSchema,
  n: sampleSizeSchema,
  method: methodSchema,
  guarantee: guaranteeSchema,
  flags: z.array(estimateFlagSchema),
  unseenLossShare: z.number().nullable(),
  bootstrap: z
    .strictObject({
      seed: z.string(),
      resamples: z.int(),
      law: z.enum(['exact', 'monte-carlo']),
      monteCarloError: z.strictObject(boundsShape),
    })
    .nullable(),
});
/** An estimate of an improvement: above 0 the candidate is better, whatever the measure's direction. */
export type Estimate = z.infer<typeof estimateSchema>;

/** No estimate, and why: `insufficient` asks for more evidence, `indeterminate` has evidence that carries no interval. */
export interface NoEstimate {
  readonly status: 'insufficient' | 'indeterminate';
  readonly reason: string;
  readonly n: SampleSize;
}

/** An estimate, or why there is none. */
export type EstimateResult =
  | { readonly status: 'estimated'; readonly estimate: Estimate }
  | NoEstimate;

/** What an estimate is made from; everything but the sample comes from the seal. */
export interface EstimateRequest {
  readonly seal: SealedExperiment;
  readonly measureId: string;
  readonly measure: Measure;
  readonly sample: Sample;
  readonly method: MethodName;
  /** One-sided error of each bound, from the seal, divided by the step of the candidate. */
  readonly error: number;
}

/** Floors of the t and bootstrap-t family on bounded measures: units and non-zero differences. */
const floors = { units: 20, differences: 10 } as const;
/** Units below which an unbounded measure has no bound. */
export const unboundedUnits = 10;

/** Reasons that further evidence would mend; the others are indeterminate. */
const insufficientReasons: readonly string[] = [
  'too-few-units',
  'one-unit-dominates',
  'few-degrees-of-freedom',
  'too-few-repeats',
];

interface MadeBounds {
  readonly bounds: Bounds;
  /** The estimate, where it is not the mean of the unit values. */
  readonly value?: number;
  readonly method: MethodName;
  readonly fallback: boolean;
  readonly bootstrap: BootstrapOrigin | null;
}

/** Units by outcome of their one pair; the tied ones stand under `neither`, which changes no bound. */
export function discordantUnits(sample: Sample): PairedCounts {
  const onlyCandidate = sample.units.filter((each) => each.improvement > 0).length;
  const onlyBaseline = sample.units.filter((each) => each.improvement < 0).length;
  const tied = sample.units.length - onlyCandidate - onlyBaseline;
  return { both: 0, onlyCandidate, onlyBaseline, neither: tied };
}

function improvements(sample: Sample): number[] {
  return sample.units.map((each) => each.improvement);
}

/** Bounds of the risk difference on the measure's scale; they need one pair per unit. */
function pairedBounds(
  { sample, measure, error }: EstimateRequest,
  method: 'tango-score' | 'exact-unconditional',
): MadeBounds | Indeterminate {
  if (sample.units.some((each) => each.pairs !== 1)) return indeterminate('several-pairs-per-unit');
  const counts = discordantUnits(sample);
  const found =
    method === 'tango-score'
      ? pairedRiskDifferenceBounds(counts, error)
      : exactUnconditionalBounds(counts, error);
  if (isIndeterminate(found)) return found;
  const scale = rangeWidth(measure);
  const bounds = { lower: scale * found.lower, upper: scale * found.upper };
  return { bounds, method, fallback: false, bootstrap: null };
}

function betting(request: EstimateRequest, fallback: boolean): MadeBounds | Indeterminate {
  const width = rangeWidth(request.measure);
  if (width === 0) return indeterminate('no-declared-range');
  const bounds = bettingBounds(improvements(request.sample), {
    range: { lower: -width, upper: width },
    error: request.error,
    truncation: request.seal.analysis.bettingTruncation,
  });
  if (isIndeterminate(bounds)) return bounds;
  return { bounds, method: 'betting-fixed-n', fallback, bootstrap: null };
}

function sequence({ measure, sample, error }: EstimateRequest): MadeBounds | Indeterminate {
  const width = rangeWidth(measure);
  if (width === 0) return indeterminate('no-declared-range');
  const bounds = anytimeBounds(improvements(sample), {
    range: { lower: -width, upper: width },
    error,
  });
  return { bounds, method: 'betting-sequence', fallback: false, bootstrap: null };
}

function meetsFloors({ sample, measure }: EstimateRequest): boolean {
  if (rangeWidth(measure) === 0) return sample.units.length >= unboundedUnits;
  const differing = sample.units.filter((each) => each.improvement !== 0).length;
  return sample.units.length >= floors.units && differing >= floors.differences;
}

function spreadBounds(
  request: EstimateRequest,
  method: 't' | 't-bootstrap-t',
): MadeBounds | Indeterminate {
  if (method === 't') {
    const bounds = meanDifferenceBounds(improvements(request.sample), request.error);
    return isIndeterminate(bounds) ? bounds : { bounds, method, fallback: false, bootstrap: null };
  }
  const { digests, analysis } = request.seal;
  const found = tBootstrapTBounds(improvements(request.sample), {
    error: request.error,
    seed: seedHex(digests.cases, `resample/${request.measureId}`),
    resamples: analysis.resamples,
  });
  if (isIndeterminate(found)) return found;
  const { lower, upper, ...bootstrap } = found;
  return { bounds: { lower, upper }, method, fallback: false, bootstrap };
}

/** t and bootstrap-t where their floors hold; else the betting bound, which every bounded measure has. */
function flooredBounds(
  request: EstimateRequest,
  method: 't' | 't-bootstrap-t',
): MadeBounds | Indeterminate {
  const bounded = rangeWidth(request.measure) > 0;
  if (!meetsFloors(request)) {
    return bounded ? betting(request, true) : indeterminate('too-few-units');
  }
  const found = spreadBounds(request, method);
  return isIndeterminate(found) && bounded ? betting(request, true) : found;
}

/** Bounds of the estimands that look inside a unit. */
function innerBounds(
  { sample, measure, error }: EstimateRequest,
  method: 'cr2' | 'tango-effective-n' | 'roster-t',
): MadeBounds | Indeterminate {
  const found =
    method === 'cr2'
      ? caseMeanBounds(sample, error)
      : method === 'roster-t'
        ? listedUnitsBounds(sample, error)
        : caseRiskBounds(sample, { error, width: rangeWidth(measure) });
  return isIndeterminate(found) ? found : { ...found, method, fallback: false, bootstrap: null };
}

function boundsOf(request: EstimateRequest): MadeBounds | Indeterminate {
  switch (request.method) {
    case 'cr2':
    case 'tango-effective-n':
    case 'roster-t':
      return innerBounds(request, request.method);
    case 'tango-score':
    case 'exact-unconditional':
      return pairedBounds(request, request.method);
    case 'betting-fixed-n':
      return betting(request, false);
    case 'betting-sequence':
      return sequence(request);
    case 't':
    case 't-bootstrap-t':
      return flooredBounds(request, request.method);
  }
}

function estimandOf(measure: Measure, method: MethodName): string {
  const what = isLogScale(measure) ? 'mean improvement of the log ratio' : 'mean improvement';
  if (method === 'roster-t') return `${what} of the listed units`;
  if (method === 'cr2' || method === 'tango-effective-n')
    return `${what} across cases, weights: case`;
  return `${what} across units`;
}

/**
 * Estimate of a candidate's improvement on one measure by the sealed method at a one-sided error.
 *
 * @returns insufficient `no-units`, `one-unit` (unless the roster is fixed), `too-few-units`, `too-few-repeats`, or a missed floor of
 *   `weights: case`; indeterminate when no interval of positive, finite width exists
 */
export function estimateImprovement(request: EstimateRequest): EstimateResult {
  const { sample, measure } = request;
  const { n } = sample;
  if (n.units === 0) return { status: 'insufficient', reason: 'no-units', n };
  if (n.units === 1 && request.method !== 'roster-t') {
    return { status: 'insufficient', reason: 'one-unit', n };
  }
  const made = boundsOf(request);
  if (isIndeterminate(made)) {
    const status = insufficientReasons.includes(made.reason) ? 'insufficient' : 'indeterminate';
    return { status, reason: made.reason, n };
  }
  const width = rangeWidth(measure);
  const { lower, upper } = made.bounds;
  if (!Number.isFinite(lower) || !Number.isFinite(upper)) {
    return { status: 'indeterminate', reason: 'non-finite-interval', n };
  }
  const bounds = { lower: roundSignificant(lower, width), upper: roundSignificant(upper, width) };
  if (!(bounds.lower < bounds.upper)) {
    return { status: 'indeterminate', reason: 'zero-width-interval', n };
  }
  return { status: 'estimated', estimate: describe(request, made, bounds) };
}

function describe(request: EstimateRequest, made: MadeBounds, bounds: Bounds): Estimate {
  const { sample, measure, measureId, error } = request;
  const guarantee = guaranteeOf(made.method);
  const exposed = isRareLossExposed(sample, made.method);
  const flags: EstimateFlag[] = [];
  if (exposed) flags.push('rare-loss-exposed');
  if (made.fallback) flags.push('floor-fallback-betting');
  const value = made.value ?? sum(improvements(sample)) / sample.units.length;
  invariant(Number.isFinite(value), 'a mean of finite improvements is finite');
  return {
    measure: measureId,
    estimand: estimandOf(measure, made.method),
    scale: isLogScale(measure) ? 'log-ratio' : 'difference',
    value: roundSignificant(value, rangeWidth(measure)),
    interval: { ...bounds, level: roundSignificant(1 - 2 * error), method: made.method, guarantee },
    n: sample.n,
    method: made.method,
    guarantee,
    flags,
    unseenLossShare: exposed ? unseenLossShare(error, sample.units.length) : null,
    bootstrap: made.bootstrap === null ? null : roundedOrigin(made.bootstrap),
  };
}

function roundedOrigin(origin: BootstrapOrigin): NonNullable<Estimate['bootstrap']> {
  const { lower, upper } = origin.monteCarloError;
  return {
    seed: origin.seed,
    resamples: origin.resamples,
    law: origin.law,
    monteCarloError: { lower: roundSignificant(lower), upper: roundSignificant(upper) },
  };
}
