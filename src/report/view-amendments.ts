/** Amendments of a plan as reports show them: what was changed and why, when, and what had been seen by then. */
import { causesOf } from '../spec/amendment.ts';
import type { SealedExperiment } from '../spec/seal.ts';

/** One amendment before the exposure. */
export interface AmendmentView {
  /** UTC, as claimed by whoever amended. */
  readonly at: string;
  readonly reason: string;
  /** Members of the seal that somebody changed, as JSON pointers. */
  readonly changed: readonly string[];
  /** How many more members differ because these do. */
  readonly followed: number;
  /** Seal that was replaced. */
  readonly parent: string;
  /** Entries of the ledger that had exposed units of the family. */
  readonly exposures: readonly string[];
  /** Final seals that had been bound to the plan: candidates that were known. */
  readonly finals: readonly string[];
  /** Who had seen what, as declared. */
  readonly declared: readonly string[];
}

/** The amendments of a seal, oldest first. */
export function amendmentViews({ amendments }: SealedExperiment): readonly AmendmentView[] {
  return amendments.map(({ at, parent, reason, changed, seen }) => {
    const causes = causesOf(changed.map(({ pointer }) => pointer));
    const followed = changed.length - causes.length;
    return { at, reason, changed: causes, followed, parent, ...seen };
  });
}

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

/**
 * What the ledger knew to have been seen when a plan was amended, in words.
 * @example seenText({ exposures: [], finals: ['sha256:00'] }) // => '0 exposures of the family, 1 final seal of the plan'
 */
export function seenText({
  exposures,
  finals,
}: Pick<AmendmentView, 'exposures' | 'finals'>): string {
  return `${counted(exposures.length, 'exposure')} of the family, ${counted(finals.length, 'final seal')} of the plan`;
}

/** How many members differ beside those somebody changed, in words; empty for none. */
export function followedText({ followed }: Pick<AmendmentView, 'followed'>): string {
  return followed === 0
    ? ''
    : `and ${counted(followed, 'member')} that ${followed === 1 ? 'follows' : 'follow'} from it`;
}
