/**
 * Units an unresolved gate would need, by simulation of the gate itself: units are drawn as they were seen, moved to the effect in question,
 * and the smallest number of them is searched at which the gate clears with the target power at the error it was read at.
 *
 * Deciding and verifying both compute it, so that it is bounded: 400 replicates or a million units a step, whichever is less, but at
 * least 100 replicates. Methods that would take longer keep the normal approximation.
 */
import { rangeWidth, type Sample } from '../analysis/unit-value.ts';
import type { GateDeclaration } from '../spec/gates.ts';
import { gateName } from '../spec/gates.ts';
import type { MethodName } from '../spec/inference.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { seedHex } from '../spec/seeds.ts';
import { uniformStream } from '../stats/draws.ts';
import { sum } from '../stats/summary.ts';
import { DrawnMeasure } from './drawn-measure.ts';
import type { EffectGate } from './effect.ts';
import { type PairLaw, pairedLaw } from './outcome-law.ts';
import { type SimulatedGate, simulatedGate } from './simulated-gates.ts';

/** Most replicates of a step, fewest, and units drawn in one. */
export const furtherReplicates = 400;
const fewestReplicates = 100;
const unitsPerStep = 1_000_000;
/** Largest number of units that is tried. */
export const mostFurtherUnits = 20_000;

/** Methods that are simulated: one pass over the units, or a table of counts. */
const quickMethods: readonly MethodName[] = ['tango-score', 'betting-fixed-n', 't'];

/** Whether the seal asks for simulated numbers of units and the gate's method allows it. */
export function simulatesFurther(seal: SealedExperiment, { method }: EffectGate): boolean {
  return seal.spec.power?.further === 'simulated' && quickMethods.includes(method);
}

/** What is asked of a gate that stayed open. */
export interface FurtherQuery {
  readonly seal: SealedExperiment;
  readonly gate: EffectGate;
  readonly sample: Sample;
  /** One-sided error the gate was read at. */
  readonly error: number;
  readonly target: number;
}

/** The units as seen with their mean moved to an effect, drawn together where the range would not hold them. */
function movedLaw({ gate, sample }: FurtherQuery, effect: number): PairLaw | null {
  const width = rangeWidth(gate.measure);
  const values = sample.units.map(({ improvement }) => improvement);
  const mean = sum(values) / values.length;
  if (gate.measure.kind === 'binary' && sample.units.every(({ pairs }) => pairs === 1)) {
    const differing = values.filter((value) => value !== 0).length / values.length;
    return pairedLaw({
      mean: effect,
      discordance: Math.min(1, Math.max(differing, Math.abs(effect) / width)),
      width,
    });
  }
  const farthest = Math.max(...values.map((value) => Math.abs(value - mean)));
  const room = width === 0 ? Number.POSITIVE_INFINITY : width - Math.abs(effect);
  const shrink = farthest > room ? room / farthest : 1;
  return {
    kind: 'lattice',
    values: values.map((value) => effect + shrink * (value - mean)),
    probabilities: values.map(() => 1 / values.length),
  };
}

function declaredGate(seal: SealedExperiment, name: string): GateDeclaration | undefined {
  return seal.decision.gates.find((each) => gateName(each) === name);
}

/** Whether the gate clears often enough over so many units. */
function reaches(
  { seal, gate, error, target }: FurtherQuery,
  rule: SimulatedGate,
  { law, units }: { readonly law: PairLaw; readonly units: number },
): boolean {
  const world = {
    measure: gate.measureId,
    law,
    correlation: 0,
    pairs: Array.from({ length: units }, () => 1),
  };
  const width = rangeWidth(gate.measure);
  const drawn = new DrawnMeasure(world, { width, levels: false, losses: false });
  const replicate = {
    measures: new Map([[gate.measureId, drawn]]),
    own: new Map<string, DrawnMeasure>(),
    spent: { usd: null, tokens: null },
  };
  const divisor = Math.round(seal.analysis.errorLevels.lift / error);
  // One stream for every number of units: what differs is the number, not the luck.
  const uniform = uniformStream(seedHex(seal.digests.cases, `further/${gate.name}`), 'units');
  const replicates = Math.max(
    fewestReplicates,
    Math.min(furtherReplicates, Math.floor(unitsPerStep / units)),
  );
  let cleared = 0;
  for (let at = 0; at < replicates; at += 1) {
    drawn.draw(uniform, null);
    if (rule.clears(replicate, divisor, false)) cleared += 1;
  }
  return cleared >= target * replicates;
}

/**
 * The smallest number of units, within 2 %, at which the gate clears with the target power should the effect be the true one.
 * @param effect  on the scale of the improvement, above the gate's threshold
 * @returns       null where more than 20,000 units would be needed or the range has no room for the effect
 */
export function simulatedUnits(query: FurtherQuery, effect: number): number | null {
  const declared = declaredGate(query.seal, query.gate.name);
  const rule = declared === undefined ? null : simulatedGate(query.seal, declared);
  const law = movedLaw(query, effect);
  if (rule === null || law === null) return null;
  const enough = (units: number): boolean => reaches(query, rule, { law, units });
  let [low, high] = [1, 8];
  while (!enough(high)) {
    if (high >= mostFurtherUnits) return null;
    [low, high] = [high, Math.min(mostFurtherUnits, high * 2)];
  }
  while (high - low > Math.max(1, high / 50)) {
    const middle = Math.floor((low + high) / 2);
    if (enough(middle)) high = middle;
    else low = middle;
  }
  return high;
}
