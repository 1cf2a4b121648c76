/** Further units of required gates without a place in the order of candidates that more units would settle. */
import type { Analysis, CandidateAnalysis } from '../analysis/analyze.ts';
import { type GateDeclaration, type GateOf, gateName } from '../spec/gates.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { proportionPower } from '../stats/power.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { moments } from '../stats/summary.ts';
import { openRates } from './evaluator.ts';
import { jointUnits, mostApproximated, type NormalBound } from './further-objectives.ts';
import { fewestFrom, mostFurtherUnits } from './further-simulated.ts';
import {
  type FurtherUnits,
  foundNeed,
  noNeed,
  noneWouldDo,
  noSpread,
  powerGate,
  type UnitNeed,
} from './further-units.ts';
import type { Contribution } from './gate.ts';
import { unitAsymmetries } from './symmetry.ts';

/** A difference that has to lie within a margin on both sides: the values of its units. */
interface OpenDifference {
  readonly values: readonly number[];
  readonly margin: number;
}

/** The two one-sided bounds of a difference that was seen. */
function sidesOf({ values, margin }: OpenDifference, error: number): NormalBound[] {
  const { mean, variance } = moments(values);
  const deviation = Math.sqrt(variance);
  return [mean, -mean].map((effect) => ({ effect, threshold: -margin, deviation, error }));
}

function differenceNeed(
  open: readonly OpenDifference[],
  { error, target }: { readonly error: number; readonly target: number },
): UnitNeed {
  const [first] = open;
  const effect = roundSignificant(first === undefined ? 0 : moments(first.values).mean);
  const bounds = open.flatMap((each) => sidesOf(each, error));
  if (bounds.some((each) => each.effect <= each.threshold)) return noNeed(effect, noneWouldDo);
  if (bounds.every(({ deviation }) => deviation === 0)) return noNeed(effect, noSpread);
  const present = open.reduce((most, { values }) => Math.max(most, values.length), 0);
  return foundNeed({ units: jointUnits(bounds, target), tried: mostApproximated, present }, effect);
}

function symmetryUnits(
  declared: GateOf<'infrastructure-symmetry'>,
  analysis: Analysis,
  candidate: CandidateAnalysis,
): FurtherUnits[] {
  const { faults, waits } = unitAsymmetries(analysis, candidate);
  const { margin, maxWaitMs } = declared;
  const differs = (values: readonly number[]): boolean => values.some((value) => value !== 0);
  const open = [
    { values: faults, margin },
    ...(maxWaitMs === undefined || waits === null ? [] : [{ values: waits, margin: maxWaitMs }]),
  ].filter(({ values }) => differs(values));
  // A wait that nobody knows stays unknown, whatever the units.
  if (open.length === 0 || (maxWaitMs !== undefined && waits === null)) return [];
  const { target } = powerGate(analysis.seal);
  const error = analysis.seal.analysis.errorLevels.lift;
  return [
    {
      gate: gateName(declared),
      method: 'normal-approximation',
      target,
      atEffect: null,
      atObserved: differenceNeed(open, { error, target }),
    },
  ];
}

/** Units that a further audit would need: of those whose truth is bad, and of those whose truth is good. */
function auditUnits(declared: GateOf<'evaluator'>, seal: SealedExperiment): FurtherUnits[] {
  const { rates, error } = openRates(declared, seal);
  const { target } = powerGate(seal);
  return rates.map(({ of, count, units: present, max }): FurtherUnits => {
    const rate = count / present;
    const effect = roundSignificant(rate, 1);
    const asked = { rate, limit: max, side: 'max', error } as const;
    const enough = (units: number): boolean => proportionPower({ ...asked, units }) >= target;
    const range = { start: present, least: 2, most: mostFurtherUnits };
    const atObserved =
      rate < max
        ? foundNeed({ units: fewestFrom(range, enough), tried: mostFurtherUnits, present }, effect)
        : noNeed(effect, noneWouldDo);
    return { gate: gateName(declared), of, method: 'exact', target, atEffect: null, atObserved };
  });
}

/**
 * Further units of a gate outside the order of candidates; none where it is settled, optional, or nothing but what was lost is to
 * blame.
 */
export function furtherForOther(
  declared: GateDeclaration,
  { finding, required }: Pick<Contribution, 'finding' | 'required'>,
  { analysis, candidate }: { readonly analysis: Analysis; readonly candidate: CandidateAnalysis },
): readonly FurtherUnits[] {
  if (!required || finding !== 'unresolved') return [];
  if (declared.gate === 'evaluator') return auditUnits(declared, analysis.seal);
  return declared.gate === 'infrastructure-symmetry'
    ? symmetryUnits(declared, analysis, candidate)
    : [];
}
