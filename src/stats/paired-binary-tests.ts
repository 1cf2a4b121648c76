/** Tests on paired binary outcomes beside McNemar's exact one: mid-p, asymptotic, and noninferiority at a margin. */
import { requireWithin } from './arguments.ts';
import { binomialUpper, normalUpper } from './distribution.ts';
import { type Indeterminate, indeterminate, isIndeterminate } from './interval.ts';
import {
  type DiscordantCounts,
  type McnemarTest,
  mcnemarExact,
  type PairedCounts,
  tangoStatistic,
} from './paired-binary.ts';

/**
 * McNemar's mid-p test of no difference: half of the probability of the result seen is left out of each tail.
 *
 * Less conservative than the exact test; its error may exceed the nominal one a little, so it does not decide.
 *
 * @param counts  the discordant pairs
 * @returns       pTwoSided is 1 without a discordant pair; with as many gains as losses it is 1 − P(seen)/2
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole
 * @example mcnemarMidP({ onlyCandidate: 1, onlyBaseline: 0 }).pTwoSided // => 0.5 to 12 digits
 * @see Fagerland, Lydersen & Laake (2013), BMC Medical Research Methodology 13:91
 */
export function mcnemarMidP(counts: DiscordantCounts): McnemarTest {
  const { pGreater: reached, pLess: reachedBelow } = mcnemarExact(counts);
  const { onlyCandidate, onlyBaseline } = counts;
  const coin = { trials: onlyCandidate + onlyBaseline, probability: 0.5 };
  const beyond = binomialUpper(onlyCandidate, coin);
  const pGreater = (reached + beyond) / 2;
  const pLess = (reachedBelow + binomialUpper(onlyBaseline, coin)) / 2;
  const tied = coin.trials === 0 ? 1 : 1 - (reached - beyond) / 2;
  return {
    pTwoSided: onlyCandidate === onlyBaseline ? tied : 2 * Math.min(pGreater, pLess),
    pGreater,
    pLess,
  };
}

/** McNemar's asymptotic test: the chi-square statistic on one degree of freedom and its two-sided probability. */
export interface McnemarAsymptoticTest {
  readonly chiSquare: number | Indeterminate;
  readonly pTwoSided: number;
}

/**
 * McNemar's asymptotic test of no difference, with Edwards' continuity correction on request.
 *
 * @param counts      the discordant pairs
 * @param continuity  whether 1 is taken from the absolute difference, down to 0
 * @returns           without a discordant pair chiSquare is indeterminate('no-discordant-pairs') and p is 1
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole
 * @example mcnemarAsymptotic({ onlyCandidate: 6, onlyBaseline: 16 }, false).pTwoSided // => 0.033006 to 5 digits
 * @see McNemar (1947), Psychometrika 12:153; Edwards (1948), Psychometrika 13:185
 */
export function mcnemarAsymptotic(
  counts: DiscordantCounts,
  continuity: boolean,
): McnemarAsymptoticTest {
  mcnemarExact(counts);
  const { onlyCandidate, onlyBaseline } = counts;
  const discordant = onlyCandidate + onlyBaseline;
  if (discordant === 0) return { chiSquare: indeterminate('no-discordant-pairs'), pTwoSided: 1 };
  const distance = Math.abs(onlyCandidate - onlyBaseline);
  const counted = continuity ? Math.max(0, distance - 1) : distance;
  const z = counted / Math.sqrt(discordant);
  return {
    chiSquare: (counted * counted) / discordant,
    pTwoSided: Math.min(1, 2 * normalUpper(z)),
  };
}

/** Tango's test of noninferiority: small p speaks for a difference above −margin. */
export interface NoninferiorityTest {
  readonly statistic: number;
  readonly pValue: number;
}

/**
 * Tango's score test that the candidate is worse by at least the margin; rejecting it claims noninferiority.
 *
 * p ≤ significanceLevel where the one-sided Tango bound at that level lies above −margin, and only there.
 *
 * @param counts  units by outcome pair
 * @param margin  the largest tolerated loss, in [0, 1]; 0 tests superiority
 * @returns       indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the margin is outside [0, 1]
 * @example pairedNoninferiorityTest({ both: 43, onlyCandidate: 0, onlyBaseline: 1, neither: 0 }, 0.1).pValue
 * // => 0.0437658444386 to 12 digits
 * @see Tango (1998), Statistics in Medicine 17:891
 */
export function pairedNoninferiorityTest(
  counts: PairedCounts,
  margin: number,
): NoninferiorityTest | Indeterminate {
  requireWithin('margin', margin, { lower: 0, upper: 1 });
  const statistic = tangoStatistic(counts, 0 - margin);
  if (isIndeterminate(statistic)) return statistic;
  return { statistic, pValue: normalUpper(statistic) };
}
