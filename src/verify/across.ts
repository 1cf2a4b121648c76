/**
 * Near-copies across the experiments of one ledger. A ledger knows units by id and by the digest of their content, so a source whose
 * text was changed a little counts as new; only the texts show it, and no record holds them. Where a reader has them, the case files
 * beside the experiments, they are held to the case index that a seal names and then compared. Reported, never refused.
 */
import { type CaseTexts, type CopiesAcross, copiesAcross } from '../analysis/near-copies.ts';
import type { Digest } from '../base/digest.ts';
import type { ExperimentState, LedgerState } from '../ledger/projection.ts';
import type { SealedExperiment } from '../spec/seal.ts';

/** Texts that a reader has, and what the plans of a ledger seal. */
export interface TextsAtHand {
  /** Cases by the digest of their index, as seals name it. */
  readonly byIndex: ReadonlyMap<Digest, CaseTexts>;
  /** Digest of the index that a plan seals; a plan that cannot be read is left out. */
  readonly indexOf: ReadonlyMap<Digest, Digest>;
}

/** What looking across experiments came to; `looked` is false when no text of this run's own cases was at hand. */
export interface AcrossExperiments extends CopiesAcross {
  readonly looked: boolean;
  /** Other experiments whose cases were compared. */
  readonly compared: readonly string[];
  /** Other experiments of the ledger whose texts were not at hand as they were sealed. */
  readonly missing: readonly string[];
}

/** Plans of other experiments that no amendment replaced, in the order of their seals. */
function otherPlans(seal: SealedExperiment, state: LedgerState | null): ExperimentState[] {
  return [...(state?.experiments.values() ?? [])]
    .filter(({ phase, experimentId }) => phase !== 'amended' && experimentId !== seal.experimentId)
    .sort((first, second) => first.sealedSeq - second.sealedSeq);
}

/** Looks for units of a run among the units of every other experiment of its ledger. */
export function acrossExperiments(
  seal: SealedExperiment,
  state: LedgerState | null,
  texts: TextsAtHand | null,
): AcrossExperiments {
  const own = texts?.byIndex.get(seal.dataset.cases.object);
  const others = new Map<string, CaseTexts>();
  const missing = new Set<string>();
  for (const { plan, experimentId } of otherPlans(seal, state)) {
    const index = texts?.indexOf.get(plan);
    const found = index === undefined ? undefined : texts?.byIndex.get(index);
    if (found === undefined || own === undefined) missing.add(experimentId);
    else if (found !== own)
      others.set(`${experimentId} ${index}`, { ...found, experiment: experimentId });
  }
  const compared = [...new Set([...others.values()].map(({ experiment }) => experiment))];
  return {
    looked: own !== undefined,
    compared,
    missing: [...missing],
    ...(own === undefined ? { pairs: [], tooShort: 0 } : copiesAcross(own, [...others.values()])),
  };
}

/** Pairs shown to people; the document under --json has all. */
const shownPairs = 10;

/**
 * What was found, as lines of the audit; the first begins a paragraph of its own.
 * @example acrossLines({ looked: false, compared: [], missing: [], pairs: [], tooShort: 0 }) // => ['no other experiment is in this ledger']
 */
export function acrossLines(found: AcrossExperiments): string[] {
  const { looked, compared, missing, pairs, tooShort } = found;
  if (compared.length + missing.length === 0) return ['no other experiment is in this ledger'];
  const shown = pairs
    .slice(0, shownPairs)
    .map(
      ({ unit, split, like, likeSplit, experiment, similarity, onlyNumbers }) =>
        `  "${unit}" (${split}) ~ "${like}" of ${experiment} (${likeSplit}): ${onlyNumbers ? 'only numbers differ' : `${similarity.toFixed(2)} alike`}`,
    );
  const units = new Set(pairs.map(({ unit }) => unit)).size;
  const left = pairs.length - shownPairs;
  return [
    ...(compared.length === 0
      ? []
      : [
          `${units} ${units === 1 ? 'unit resembles' : 'units resemble'} one of another experiment; compared with ${compared.join(', ')}${tooShort === 0 ? '' : `; ${tooShort} ${tooShort === 1 ? 'case has' : 'cases have'} too few words`}`,
        ]),
    ...shown,
    ...(left > 0 ? [`  and ${left} more`] : []),
    ...(missing.length === 0
      ? []
      : [
          `not compared with ${missing.join(', ')}: ${looked ? 'their texts are' : "this run's own texts are"} not at hand as they were sealed (verify --texts FOLDERS)`,
        ]),
  ];
}
