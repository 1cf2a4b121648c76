/** Planning aids: two independent proportions, the price of clustering, and the power of any rule by simulation. */
import {
  requireAbove,
  requireCount,
  requireError,
  requireFinite,
  requireNotNegative,
  requireOpenProbability,
  requireProbability,
} from './arguments.ts';
import { normalUpperQuantile } from './distribution.ts';
import { type PlannedUnits, plannedUnits } from './power.ts';
import { type RandomStream, randomStream } from './random.ts';
import { sum } from './summary.ts';

/** Arctangent of x ≥ 0: three halvings of the angle, then its series; the same digits on every platform. */
function arctangent(x: number): number {
  if (x > 1) return Math.PI / 2 - arctangent(1 / x);
  let reduced = x;
  for (let halving = 0; halving < 3; halving += 1) {
    reduced /= 1 + Math.sqrt(1 + reduced * reduced);
  }
  const square = reduced * reduced;
  let series = 0;
  for (let odd = 21; odd >= 1; odd -= 2) series = 1 / odd - square * series;
  return 8 * reduced * series;
}

/** 2 arcsin √p. */
function arcsineOf(p: number): number {
  return p >= 1 ? Math.PI : 2 * arctangent(Math.sqrt(p / (1 - p)));
}

/** `effect` h, not 0, in radians; one side's `error` in (0, 0.5); `power` in (0.5, 1). */
export interface ArcsineOptions {
  readonly effect: number;
  readonly error: number;
  readonly power: number;
}

/**
 * Units per arm for a difference of arcsines, 2 ((z_error + z_power) / h)²; the far tail is ignored.
 *
 * @param options  Cohen's h, one side's error, wanted power
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example arcsineUnits({ effect: 0.5, error: 0.025, power: 0.8 }).units // => 63
 * @see Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, 6.4
 */
export function arcsineUnits({ effect, error, power }: ArcsineOptions): PlannedUnits {
  requireFinite('effect', effect);
  requireAbove('the size of the effect', Math.abs(effect), 0);
  const root = (zError(error) + zPower(power)) / effect;
  return plannedUnits(2 * root * root);
}

function zError(error: number): number {
  requireError('error', error);
  return normalUpperQuantile(error);
}

function zPower(power: number): number {
  requireOpenProbability('power', power);
  requireAbove('power', power, 0.5);
  return 0 - normalUpperQuantile(power);
}

/** Success probabilities of two independent arms, different; one side's `error` in (0, 0.5); `power` in (0.5, 1). */
export interface TwoProportionOptions {
  readonly baseline: number;
  readonly candidate: number;
  readonly error: number;
  readonly power: number;
}

/** Units per arm; `arcsineEffect` is Cohen's h, baseline's arcsine minus the candidate's. */
export interface TwoProportionUnits {
  readonly pooled: PlannedUnits;
  readonly arcsine: PlannedUnits;
  readonly arcsineEffect: number;
}

/**
 * Units per arm for two independent proportions, by the pooled z test and by arcsines; the far tail is ignored in both.
 *
 * @param options  both probabilities, one side's error, wanted power
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range or the probabilities are equal
 * @example twoProportionUnits({ baseline: 0.5, candidate: 0.75, error: 0.025, power: 0.9 }).pooled.units // => 77
 * @see Fleiss, Levin & Paik (2003), Statistical Methods for Rates and Proportions, 4.3
 */
export function twoProportionUnits(options: TwoProportionOptions): TwoProportionUnits {
  const { baseline, candidate, error, power } = options;
  requireProbability('baseline', baseline);
  requireProbability('candidate', candidate);
  requireAbove('the distance of the probabilities', Math.abs(candidate - baseline), 0);
  const middle = (baseline + candidate) / 2;
  const underNull = Math.sqrt(2 * middle * (1 - middle));
  const underEffect = Math.sqrt(baseline * (1 - baseline) + candidate * (1 - candidate));
  const root = (zError(error) * underNull + zPower(power) * underEffect) / (candidate - baseline);
  const arcsineEffect = arcsineOf(baseline) - arcsineOf(candidate);
  return {
    pooled: plannedUnits(root * root),
    arcsine: arcsineUnits({ effect: arcsineEffect, error, power }),
    arcsineEffect,
  };
}

/** Cases per unit on average ≥ 1, their correlation within a unit in [0, 1], and sd / mean of the sizes ≥ 0. */
export interface DesignEffectOptions {
  readonly meanSize: number;
  readonly intraclassCorrelation: number;
  readonly sizeVariation: number;
}

/**
 * How many clustered cases are worth one independent case: 1 + ((v² + 1) m − 1) ρ, for equal sizes 1 + (m − 1) ρ.
 *
 * @param options  mean size, correlation, variation of sizes
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example designEffect({ meanSize: 10, intraclassCorrelation: 0.05, sizeVariation: 0 }) // => 1.45
 * @see Eldridge, Ashby & Kerry (2006), International Journal of Epidemiology 35:1292
 */
export function designEffect(options: DesignEffectOptions): number {
  const { meanSize, intraclassCorrelation, sizeVariation } = options;
  requireFinite('meanSize', meanSize);
  requireAbove('meanSize', meanSize, 1 - 1e-12);
  requireProbability('intraclassCorrelation', intraclassCorrelation);
  requireNotNegative('sizeVariation', sizeVariation);
  return 1 + ((sizeVariation * sizeVariation + 1) * meanSize - 1) * intraclassCorrelation;
}

/** The design effect of a list of sizes and the cases it leaves. */
export interface SizesDesignEffect {
  readonly designEffect: number;
  readonly effectiveCases: number;
}

/**
 * The design effect of units of known sizes, 1 + (Σm²/Σm − 1) ρ, and the effective number of cases.
 *
 * @param sizes                  cases by unit, whole ≥ 1, at least one unit
 * @param intraclassCorrelation  in [0, 1]
 * @throws {LiftgateError} stats-argument-invalid  if a size is not a whole number ≥ 1 or the correlation is outside [0, 1]
 * @example designEffectOfSizes([1, 2, 3, 5, 8, 13], 0.2) // => { designEffect: 2.5, effectiveCases: 12.8 }
 * @see Kish (1965), Survey Sampling, 5.4
 */
export function designEffectOfSizes(
  sizes: readonly number[],
  intraclassCorrelation: number,
): SizesDesignEffect {
  requireCount('sizes.length', sizes.length, 1);
  sizes.forEach((size, index) => {
    requireCount(`sizes[${index}]`, size, 1);
  });
  requireProbability('intraclassCorrelation', intraclassCorrelation);
  const cases = sum(sizes);
  const inflation = 1 + (sum(sizes.map((size) => size * size)) / cases - 1) * intraclassCorrelation;
  return { designEffect: inflation, effectiveCases: cases / inflation };
}

/** Cases that independent sampling would need ≥ 0, the design effect ≥ 1 and the mean cases per unit ≥ 1. */
export interface ClusteredPlanOptions {
  readonly independentCases: number;
  readonly designEffect: number;
  readonly meanSize: number;
}

/** Clustered cases that carry the same information, and the whole units that hold them. */
export interface ClusteredPlan {
  readonly cases: number;
  readonly units: number;
}

/**
 * The clustered cases and units that replace a number of independent cases.
 *
 * @param options  independent cases, design effect, mean size
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example clusteredPlan({ independentCases: 120, designEffect: 1.45, meanSize: 10 }) // => { cases: 174, units: 18 }
 */
export function clusteredPlan(options: ClusteredPlanOptions): ClusteredPlan {
  requireNotNegative('independentCases', options.independentCases);
  requireFinite('designEffect', options.designEffect);
  requireAbove('designEffect', options.designEffect, 1 - 1e-12);
  requireFinite('meanSize', options.meanSize);
  requireAbove('meanSize', options.meanSize, 1 - 1e-12);
  const cases = options.independentCases * options.designEffect;
  return { cases, units: plannedUnits(cases / options.meanSize).units };
}

/** What is simulated: `draw` one unit's difference, `clears` the rule, for any interval or gate of this kernel. */
export interface SimulatedPowerOptions {
  readonly units: number;
  readonly draw: (stream: RandomStream) => number;
  readonly clears: (differences: readonly number[]) => boolean;
  readonly simulations: number;
  readonly seed: string;
}

/** The share of simulations that cleared and its Monte Carlo standard error. */
export interface SimulatedPower {
  readonly power: number;
  readonly standardError: number;
  readonly simulations: number;
}

/**
 * The power of any rule on a list of differences, by simulation; with a draw at the null, its actual error.
 *
 * @param options  units ≥ 1, draw, rule, simulations ≥ 1, seed of 64 lower-case hex digits
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example simulatedPower({ units: 3, draw: () => 1, clears: (list) => list.length === 3, simulations: 10, seed: '00'.repeat(32) })
 * // => { power: 1, standardError: 0, simulations: 10 }
 */
export function simulatedPower(options: SimulatedPowerOptions): SimulatedPower {
  const { units, draw, clears, simulations, seed } = options;
  requireCount('units', units, 1);
  requireCount('simulations', simulations, 1);
  const stream = randomStream(seed, 'simulated-power');
  let cleared = 0;
  for (let simulation = 0; simulation < simulations; simulation += 1) {
    if (clears(Array.from({ length: units }, () => draw(stream)))) cleared += 1;
  }
  const power = cleared / simulations;
  return { power, standardError: Math.sqrt((power * (1 - power)) / simulations), simulations };
}
