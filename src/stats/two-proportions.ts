/** Two independent groups, each with its own units: the difference of two rates, candidate − baseline. */
import { requireCount, requireOpenProbability } from './arguments.ts';
import { normalUpperQuantile } from './distribution.ts';
import {
  type Bounds,
  errorPerSide,
  type Indeterminate,
  type Interval,
  indeterminate,
  isIndeterminate,
} from './interval.ts';
import { differenceInterval, wilsonArms } from './paired-binary-intervals.ts';
import type { ProportionCounts } from './proportion.ts';

/** Successes among the units of two independent groups; whole numbers, 0 ≤ successes ≤ units. */
export interface TwoProportions {
  readonly candidate: ProportionCounts;
  readonly baseline: ProportionCounts;
}

function requireGroups({ candidate, baseline }: TwoProportions): void {
  for (const [name, { successes, units }] of [
    ['candidate', candidate],
    ['baseline', baseline],
  ] as const) {
    requireCount(`${name}.units`, units);
    requireCount(`${name}.successes`, successes);
    requireCount(`${name}.units - ${name}.successes`, units - successes);
  }
}

function isEmpty({ candidate, baseline }: TwoProportions): boolean {
  return candidate.units === 0 || baseline.units === 0;
}

function share({ successes, units }: ProportionCounts): number {
  return successes / units;
}

/**
 * The baseline rate that is most likely when the difference is D, by halving the range where the slope of the likelihood
 * changes sign: the cubic of the paper without its arc cosine, so that every platform gives the same bits.
 */
function likeliestBaseline({ candidate, baseline }: TwoProportions, difference: number): number {
  let below = Math.max(0, -difference);
  let above = Math.min(1, 1 - difference);
  for (let step = 0; step < 100; step += 1) {
    const middle = (below + above) / 2;
    if (middle <= below || middle >= above) break;
    const other = middle + difference;
    const slope =
      candidate.successes / other -
      (candidate.units - candidate.successes) / (1 - other) +
      baseline.successes / middle -
      (baseline.units - baseline.successes) / (1 - middle);
    if (slope > 0) below = middle;
    else above = middle;
  }
  return (below + above) / 2;
}

/** The score statistic at a difference; `factor` is N/(N − 1) for Miettinen and Nurminen and 1 for Mee. */
function scoreOf(groups: TwoProportions, difference: number, factor: number): number {
  const distance = share(groups.candidate) - share(groups.baseline) - difference;
  if (distance === 0) return 0;
  const baseline = likeliestBaseline(groups, difference);
  const candidate = baseline + difference;
  const variance =
    (candidate * (1 - candidate)) / groups.candidate.units +
    (baseline * (1 - baseline)) / groups.baseline.units;
  return distance / Math.sqrt(Math.max(0, variance) * factor);
}

function swappedGroups({ candidate, baseline }: TwoProportions): TwoProportions {
  return { candidate: baseline, baseline: candidate };
}

function scoreLower(groups: TwoProportions, z: number, factor: number): number {
  let below = -1;
  let above = share(groups.candidate) - share(groups.baseline);
  for (let step = 0; step < 60 && above - below > 1e-16; step += 1) {
    const middle = (below + above) / 2;
    if (scoreOf(groups, middle, factor) > z) below = middle;
    else above = middle;
  }
  return below;
}

function scoreInterval(
  groups: TwoProportions,
  { level, method }: { readonly level: number; readonly method: 'miettinen-nurminen' | 'mee' },
): Interval | Indeterminate {
  requireGroups(groups);
  requireOpenProbability('level', level);
  if (isEmpty(groups)) return indeterminate('no-units');
  const total = groups.candidate.units + groups.baseline.units;
  const factor = method === 'mee' ? 1 : total / (total - 1);
  const z = normalUpperQuantile(errorPerSide(level));
  return differenceInterval(
    {
      lower: scoreLower(groups, z, factor),
      upper: 0 - scoreLower(swappedGroups(groups), z, factor),
    },
    { level, method },
  );
}

/**
 * Miettinen and Nurminen's score interval for the difference of two independent rates; the one to decide with.
 *
 * @param groups  successes among the units of both groups
 * @param level   coverage wanted, a probability in (0, 1)
 * @returns       on [−1, 1]; indeterminate('no-units') when a group is empty
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example miettinenNurminenInterval({ candidate: { successes: 56, units: 70 }, baseline: { successes: 48, units: 80 } }, 0.95).lower
 * // => 0.0528297132458 to 12 digits
 * @see Miettinen & Nurminen (1985), Statistics in Medicine 4:213
 */
export function miettinenNurminenInterval(
  groups: TwoProportions,
  level: number,
): Interval | Indeterminate {
  return scoreInterval(groups, { level, method: 'miettinen-nurminen' });
}

/**
 * Mee's score interval for the difference of two independent rates: Miettinen and Nurminen's without the factor N/(N − 1).
 *
 * @param groups  successes among the units of both groups
 * @param level   coverage wanted, a probability in (0, 1)
 * @returns       on [−1, 1]; indeterminate('no-units') when a group is empty
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example meeInterval({ candidate: { successes: 56, units: 70 }, baseline: { successes: 48, units: 80 } }, 0.95).lower
 * // => 0.0533338492913 to 12 digits
 * @see Mee (1984), Biometrics 40:1175
 */
export function meeInterval(groups: TwoProportions, level: number): Interval | Indeterminate {
  return scoreInterval(groups, { level, method: 'mee' });
}

/**
 * Newcombe's square-and-add interval for the difference of two independent rates; the one to report.
 *
 * @param groups   successes among the units of both groups
 * @param options  `level` in (0, 1); `continuity` takes the corrected Wilson intervals (method 11 instead of 10)
 * @returns        on [−1, 1]; indeterminate('no-units') when a group is empty
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example newcombeInterval({ candidate: { successes: 56, units: 70 }, baseline: { successes: 48, units: 80 } },
 *   { level: 0.95, continuity: false }).lower // => 0.0524314724024 to 12 digits
 * @see Newcombe (1998), Statistics in Medicine 17:873, methods 10 and 11
 */
export function newcombeInterval(
  groups: TwoProportions,
  { level, continuity }: { readonly level: number; readonly continuity: boolean },
): Interval | Indeterminate {
  requireGroups(groups);
  const candidate = wilsonArms(groups.candidate, { level, continuity });
  const baseline = wilsonArms(groups.baseline, { level, continuity });
  if (isIndeterminate(candidate)) return candidate;
  if (isIndeterminate(baseline)) return baseline;
  const difference = share(groups.candidate) - share(groups.baseline);
  const added = (one: number, other: number): number => Math.sqrt(one * one + other * other);
  return differenceInterval(
    {
      lower: difference - added(candidate.down, baseline.up),
      upper: difference + added(candidate.up, baseline.down),
    },
    { level, method: continuity ? 'newcombe-continuity' : 'newcombe' },
  );
}

/** Estimate ± z standard errors, unpooled. */
function waldBounds({ candidate, baseline }: TwoProportions, level: number): Bounds {
  const one = share(candidate);
  const other = share(baseline);
  const variance = (one * (1 - one)) / candidate.units + (other * (1 - other)) / baseline.units;
  const half = normalUpperQuantile(errorPerSide(level)) * Math.sqrt(variance);
  return { lower: one - other - half, upper: one - other + half };
}

/**
 * Agresti and Caffo's interval: Wald's with one success and one failure added to each group.
 *
 * @param groups  successes among the units of both groups
 * @param level   coverage wanted, a probability in (0, 1)
 * @returns       on [−1, 1]; indeterminate('no-units') when a group is empty
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example agrestiCaffoInterval({ candidate: { successes: 9, units: 10 }, baseline: { successes: 3, units: 10 } }, 0.95).lower
 * // => 0.160000801100 to 12 digits
 * @see Agresti & Caffo (2000), The American Statistician 54:280
 */
export function agrestiCaffoInterval(
  groups: TwoProportions,
  level: number,
): Interval | Indeterminate {
  requireGroups(groups);
  requireOpenProbability('level', level);
  if (isEmpty(groups)) return indeterminate('no-units');
  const added = ({ successes, units }: ProportionCounts): ProportionCounts => ({
    successes: successes + 1,
    units: units + 2,
  });
  const bounds = waldBounds(
    { candidate: added(groups.candidate), baseline: added(groups.baseline) },
    level,
  );
  return differenceInterval(bounds, { level, method: 'agresti-caffo' });
}

/**
 * Wald's unpooled interval for the difference of two independent rates; for comparison only.
 *
 * @param groups  successes among the units of both groups
 * @param level   coverage wanted, a probability in (0, 1)
 * @returns       on [−1, 1]; indeterminate('no-units') when a group is empty, ('zero-width-interval') when neither varies
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example twoProportionWaldInterval({ candidate: { successes: 9, units: 10 }, baseline: { successes: 3, units: 10 } }, 0.95).lower
 * // => 0.260524279777 to 12 digits
 * @see Newcombe (1998), Statistics in Medicine 17:873, method 1
 */
export function twoProportionWaldInterval(
  groups: TwoProportions,
  level: number,
): Interval | Indeterminate {
  requireGroups(groups);
  requireOpenProbability('level', level);
  if (isEmpty(groups)) return indeterminate('no-units');
  return differenceInterval(waldBounds(groups, level), { level, method: 'wald' });
}
