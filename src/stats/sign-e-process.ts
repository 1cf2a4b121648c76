/**
 * A test of a paired binary difference that may be looked at after every pair: the e-process of the signs of discordant
 * pairs. Under the null its value, watched for ever, exceeds 1/error with probability at most error.
 *
 * One-sided against "the candidate wins at most half of the discordant pairs": the probability of winning has a uniform prior
 * on (1/2, 1), so the bet is never on a loss. Two-sided: a Beta(a, a) prior.
 *
 * The recorded state is `{ format, error, signs, logLargest, firstCrossing }`, plain JSON; `signs` holds one of + − 0 per pair
 * in the order seen, written "+", "-", "0", and the rest is recomputed and compared when it is read back.
 */
import { LiftgateError } from '../base/errors.ts';
import { requireCount, requireError, requirePositive } from './arguments.ts';
import { betaUpper } from './distribution.ts';
import { exp, log } from './elementary.ts';
import type { Bounds } from './interval.ts';
import { fallingRoot } from './monotone-root.ts';
import { logGamma } from './special.ts';

/** The format word of a recorded state. */
export const signProcessFormat = 'sign-e-process/1';

/** Discordant pairs: won by the candidate, lost by it. */
export interface SignCounts {
  readonly wins: number;
  readonly losses: number;
}

function requireCounts({ wins, losses }: SignCounts): void {
  requireCount('wins', wins);
  requireCount('losses', losses);
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/**
 * The logarithm of the one-sided e-value against "wins at most half".
 *
 * @param counts  whole numbers ≥ 0
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole
 * @example logSignE({ wins: 5, losses: 0 }) // => 2.35137525716 to 12 digits
 * @see Ville (1939), Étude critique de la notion de collectif; Robbins (1970), Annals of Mathematical Statistics 41:1397
 */
export function logSignE(counts: SignCounts): number {
  requireCounts(counts);
  const { wins, losses } = counts;
  const tail = betaUpper(0.5, { a: wins + 1, b: losses + 1 });
  return (wins + losses + 1) * log(2) + logBeta(wins + 1, losses + 1) + log(tail);
}

/**
 * The logarithm of the two-sided e-value against "wins half" under a Beta(a, a) prior.
 *
 * @param counts  whole numbers ≥ 0
 * @param prior   a, above 0: 1/2 (Jeffreys) or 1 (uniform)
 * @throws {LiftgateError} stats-argument-invalid  if a count or the prior is outside its range
 * @example logSignETwoSided({ wins: 5, losses: 0 }, 0.5) // => 2.06369318471 to 12 digits
 * @see Robbins (1970), Annals of Mathematical Statistics 41:1397
 */
export function logSignETwoSided(counts: SignCounts, prior: number): number {
  requireCounts(counts);
  requirePositive('prior', prior);
  const { wins, losses } = counts;
  return logBeta(prior + wins, prior + losses) - logBeta(prior, prior) + (wins + losses) * log(2);
}

/** Prior a above 0, and the probability that the sequence ever misses, in (0, 0.5). */
export interface SignSequenceOptions {
  readonly prior: number;
  readonly error: number;
}

/**
 * The confidence sequence for the probability that a discordant pair is won.
 *
 * @param counts   whole numbers ≥ 0; without any the interval is [0, 1]
 * @param options  prior and error
 * @throws {LiftgateError} stats-argument-invalid  if a count or an option is outside its range
 * @example signSequenceBounds({ wins: 5, losses: 0 }, { prior: 0.5, error: 0.05 }).lower // => 0.414967531846 to 12 digits
 * @see Robbins (1970), Annals of Mathematical Statistics 41:1397
 */
export function signSequenceBounds(counts: SignCounts, options: SignSequenceOptions): Bounds {
  const { prior, error } = options;
  requireCounts(counts);
  requirePositive('prior', prior);
  requireError('error', error);
  const { wins, losses } = counts;
  const fixed = logBeta(prior + wins, prior + losses) - logBeta(prior, prior) + log(error);
  const lowerFor = (won: number, lost: number): number =>
    won === 0
      ? 0
      : fallingRoot((p) => fixed - won * log(p) - (lost === 0 ? 0 : lost * log(1 - p)), {
          lower: 0,
          upper: won / (won + lost),
        });
  return { lower: lowerFor(wins, losses), upper: 1 - lowerFor(losses, wins) };
}

/** A path of signs watched one-sided at `error`; `firstCrossing` counts pairs, ties included, null where 1/error was never reached. */
export interface SignProcessState {
  readonly format: typeof signProcessFormat;
  readonly error: number;
  readonly signs: string;
  readonly logLargest: number;
  readonly firstCrossing: number | null;
}

function refuse(path: string, message: string): never {
  throw new LiftgateError('stats-argument-invalid', message, {
    where: { path },
    mend: 'Pass a state as extendSignProcess returned it.',
  });
}

/** The state a path of signs leads to. */
function walked(signs: string, error: number): SignProcessState {
  requireError('error', error);
  const wrong = /[^+\-0]/.exec(signs);
  if (wrong !== null) {
    refuse(
      `signs[${wrong.index}]`,
      `signs must hold only +, - and 0, got ${wrong[0]} at ${wrong.index}`,
    );
  }
  const goal = log(1 / error);
  let [wins, losses, logLargest] = [0, 0, 0];
  let firstCrossing: number | null = null;
  for (let at = 0; at < signs.length; at += 1) {
    if (signs[at] === '+') wins += 1;
    if (signs[at] === '-') losses += 1;
    if (signs[at] !== '0') logLargest = Math.max(logLargest, logSignE({ wins, losses }));
    if (firstCrossing === null && logLargest >= goal) firstCrossing = at + 1;
  }
  return { format: signProcessFormat, error, signs, logLargest, firstCrossing };
}

/**
 * The process before the first pair.
 *
 * @param error  the probability of ever crossing under the null, in (0, 0.5)
 * @throws {LiftgateError} stats-argument-invalid  if the error is outside its range
 * @example startSignProcess(0.05).firstCrossing // => null
 */
export function startSignProcess(error: number): SignProcessState {
  return walked('', error);
}

/**
 * The process after further pairs.
 *
 * @param state  a process
 * @param signs  one of + - 0 per pair, in the order seen
 * @throws {LiftgateError} stats-argument-invalid  if the state is not one or a sign is unknown
 * @example extendSignProcess(startSignProcess(0.05), '++++++++++').firstCrossing // => 7
 */
export function extendSignProcess(state: SignProcessState, signs: string): SignProcessState {
  return walked(state.signs + signs, state.error);
}

/**
 * A state read back from outside: its members, and every number recomputed from the signs.
 *
 * @param value  what was parsed
 * @throws {LiftgateError} stats-argument-invalid  if a member is missing or unknown, or the numbers do not follow from the signs
 * @example checkSignProcess(startSignProcess(0.05)).signs // => ''
 */
export function checkSignProcess(value: unknown): SignProcessState {
  const record: Readonly<Record<string, unknown>> = Object(value);
  const known = ['error', 'firstCrossing', 'format', 'logLargest', 'signs'];
  const members = Object.keys(record).sort();
  if (members.join() !== known.join()) {
    refuse('state', `state must have the members ${known.join(', ')}, got ${members.join(', ')}`);
  }
  const { format, signs, error } = record;
  if (format !== signProcessFormat) {
    refuse('format', `format must be ${signProcessFormat}, got ${String(format)}`);
  }
  if (typeof signs !== 'string') refuse('signs', 'signs must be a text');
  const state = walked(signs, Number(error));
  const agrees =
    Math.abs(state.logLargest - Number(record['logLargest'])) <= 1e-9 &&
    state.firstCrossing === record['firstCrossing'];
  if (!agrees) refuse('logLargest', 'logLargest and firstCrossing must follow from the signs');
  return state;
}

/** The e-value now, the p-value valid at every look, and how often each outcome was seen. */
export interface SignProcessReading extends SignCounts {
  readonly ties: number;
  readonly eValue: number;
  /** min(1, 1 / the largest e-value so far). */
  readonly pAnytime: number;
}

/**
 * What a process says after its last pair.
 *
 * @param state  a process
 * @example readSignProcess(extendSignProcess(startSignProcess(0.05), '++++++++++')).eValue // => 186.090909091 to 12 digits
 */
export function readSignProcess(state: SignProcessState): SignProcessReading {
  const count = (sign: string): number => state.signs.split(sign).length - 1;
  const [wins, losses, ties] = [count('+'), count('-'), count('0')];
  return {
    wins,
    losses,
    ties,
    eValue: exp(logSignE({ wins, losses })),
    pAnytime: exp(0 - state.logLargest),
  };
}
