/** What a plan's run spends, with what is assumed of the cells of its arms. */
import type { Assumptions } from '../spec/assumptions.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import type { SpendingWorld } from './simulated-world.ts';

/** A plan's seal and what is assumed of the cells of all candidates, or of each. */
interface SpendingDesign {
  readonly seal: SealedExperiment;
  readonly assumptions?: Assumptions;
  readonly candidates?: readonly Assumptions[];
}

/** Cells of the controls, which the baseline answers. */
export function controlCells({ spec }: SealedExperiment): number {
  return spec.controls.reduce((total, each) => total + ('cells' in each ? each.cells : 1), 0);
}

/**
 * What is drawn of spending, or nothing where it is not stated; a candidate of which nothing else is stated spends as the common one.
 * @param cells  of one arm
 */
export function spendingWorld(
  { seal, assumptions = {}, candidates }: SpendingDesign,
  cells: number,
  kind: 'usdPerCell' | 'tokensPerCell',
): SpendingWorld | undefined {
  const stated = assumptions[kind];
  if (stated === undefined) return undefined;
  const candidateOf = (own = stated) => ({ mean: own.candidate, deviation: own.deviation });
  return {
    baseline: { mean: stated.baseline, deviation: stated.deviation },
    candidate: candidateOf(),
    ...(candidates && { candidates: candidates.map((own) => candidateOf(own[kind])) }),
    cells,
    controls: controlCells(seal),
  };
}
