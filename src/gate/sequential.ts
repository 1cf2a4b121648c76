/**
 * The decision of a sealed design with its looks: the gates are judged at each sealed look in turn, and the first look at which a
 * candidate ships or is held decides about it, for good.
 *
 * A pure function of the receipts: the runner asks it after every look whether to go on, and whoever verifies the run asks it again.
 * Only need_more_work goes on. Whoever is undecided after the last look, or where a budget ended the run before one, is judged on the
 * whole plan.
 */
import type { Analysis } from '../analysis/analyze.ts';
import type { Evidence, Look } from '../analysis/evidence.ts';
import { atLook, isReached, looksOf } from '../analysis/look.ts';
import { rangeWidth } from '../analysis/unit-value.ts';
import { invariant } from '../base/errors.ts';
import {
  bettingSequenceWealth,
  extendBettingSequence,
  startBettingSequence,
} from '../stats/betting-sequence.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { composeDecision } from './compose.ts';
import { effectGates } from './effect.ts';
import type { Contribution, Decision } from './gate.ts';
import { type CandidateJudgement, type Judgement, judgeEvidence } from './judge.ts';

/** What one look said of one candidate that was undecided before it. */
export interface LookFinding {
  readonly candidate: string;
  readonly decision: Decision;
  readonly contributions: readonly Contribution[];
  /** Logarithm of the largest wealth so far, bet on the first required lift at any time; null under other rules. */
  readonly wealth: number | null;
}

/** A look that was taken. */
export interface TakenLook {
  readonly look: Look;
  readonly findings: readonly LookFinding[];
  /** Whether it left no candidate undecided. */
  readonly decides: boolean;
}

/** One candidate with the analysis and the look its decision rests on; the look is null in a fixed design. */
export interface SealedCandidate extends CandidateJudgement {
  readonly analysis: Analysis;
  readonly look: Look | null;
}

/** The judgement of all candidates, each at its own look. */
export interface SealedJudgement {
  /** At the last look that was judged. */
  readonly analysis: Analysis;
  readonly candidates: readonly SealedCandidate[];
  /** In their order; none in a fixed design. */
  readonly looks: readonly TakenLook[];
}

/** The decision of the gates themselves: evidence from elsewhere stops where evidence of a run would. */
function ownDecision({ contributions }: CandidateJudgement): Decision {
  return composeDecision(contributions.filter(({ flags }) => !flags.includes('not-confirmatory')));
}

function withPlace(judgement: Judgement, index: number, look: Look | null): SealedCandidate {
  const found = judgement.candidates[index];
  invariant(found !== undefined, 'every look judges every candidate');
  return { ...found, analysis: judgement.analysis, look };
}

/** Takes looks in their order and keeps the first decision about every candidate. */
export class LookLatch {
  readonly #decided = new Map<number, SealedCandidate>();
  #judgement: Judgement | null = null;

  /** Judges a look on the receipts of its units; evidence of later units changes nothing. */
  take(evidence: Evidence, look: Look): TakenLook {
    const judgement = this.#judge(evidence, look);
    const findings = judgement.candidates.flatMap((judged, index): LookFinding[] => {
      if (this.#decided.has(index)) return [];
      const decision = ownDecision(judged);
      const candidate = withPlace(judgement, index, look);
      if (decision !== 'need_more_work') this.#decided.set(index, candidate);
      const { contributions } = judged;
      return [
        { candidate: judged.candidate, decision, contributions, wealth: wealthOf(candidate) },
      ];
    });
    return { look, findings, decides: this.#decided.size === judgement.candidates.length };
  }

  /** All candidates: undecided ones on the whole plan, whose last look may have been taken. */
  close(evidence: Evidence, last: Look): Omit<SealedJudgement, 'looks'> {
    const isTaken = this.#judgement?.analysis.look?.number === last.number;
    const judgement =
      this.#judgement !== null && (isTaken || this.#isDecided())
        ? this.#judgement
        : this.#judge(evidence, last);
    const candidates = judgement.candidates.map(
      (_, index) => this.#decided.get(index) ?? withPlace(judgement, index, last),
    );
    return { analysis: judgement.analysis, candidates };
  }

  #isDecided(): boolean {
    return this.#decided.size === this.#judgement?.candidates.length;
  }

  #judge(evidence: Evidence, look: Look): Judgement {
    this.#judgement = judgeEvidence(atLook(evidence, look));
    return this.#judgement;
  }
}

/**
 * Judges all candidates of a sealed experiment at its looks; every rule comes from the seal.
 *
 * @throws {LiftgateError} as `judgeEvidence`
 */
export function judgeSealed(evidence: Evidence): SealedJudgement {
  const looks = looksOf(evidence);
  const last = looks.at(-1);
  if (last === undefined) {
    const judgement = judgeEvidence(evidence);
    const candidates = judgement.candidates.map((_, index) => withPlace(judgement, index, null));
    return { analysis: judgement.analysis, candidates, looks: [] };
  }
  const latch = new LookLatch();
  const taken: TakenLook[] = [];
  for (const look of looks) {
    if (!isReached(evidence, look)) break;
    const found = latch.take(evidence, look);
    taken.push(found);
    if (found.decides) break;
  }
  return { ...latch.close(evidence, last), looks: taken };
}

/**
 * Wealth of the bets on the first required lift, as its natural logarithm: the largest so far, against the threshold. From
 * log(1/error) on the lift is cleared.
 * @returns null where no lift is decided by a betting sequence
 */
function wealthOf({ analysis, candidate }: SealedCandidate): number | null {
  const { seal, candidates } = analysis;
  const lift = effectGates(seal).find(
    ({ gate, required, method }) => gate === 'lift' && required && method === 'betting-sequence',
  );
  const measured = candidates.find(({ id }) => id === candidate)?.measures;
  const sample = lift === undefined ? undefined : measured?.get(lift.measureId)?.sample;
  if (lift === undefined || sample === undefined) return null;
  const width = rangeWidth(lift.measure);
  const error = seal.analysis.errorLevels.lift;
  const range = { lower: -width, upper: width };
  const start = startBettingSequence({ range, error, sides: 'lower' });
  const state = extendBettingSequence(
    start,
    sample.units.map(({ improvement }) => improvement),
  );
  return roundSignificant(bettingSequenceWealth(state, lift.threshold).largest, 1);
}
