/**
 * How often sealed rules ship a candidate that is no better, before a cent is spent.
 *
 * Null scenarios of a gate put its measure exactly at the threshold while every other gate passes. The regular grid holds those where
 * every outcome class is expected in 5 units or more, the rare-loss grid those where a loss is expected in fewer: an asymptotic bound
 * keeps its promise on the first and may break it on the second, which is printed and refuses nothing.
 */
import { measureOf } from '../analysis/evidence.ts';
import { rangeWidth } from '../analysis/unit-value.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import { type CaseIndex, finalCases } from '../spec/case-index.ts';
import { type GateDeclaration, gateName, latencyForm, rateLimit } from '../spec/gates.ts';
import { guaranteeOf } from '../spec/inference.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import type { MeasureWorld } from './drawn-values.ts';
import { drawnKey, type EffectGate } from './effect.ts';
import type { JointWorld } from './joint-draws.ts';
import { lawsAt, type PlannedGate } from './null-laws.ts';
import { objectiveGates, paretoGuarantee } from './pareto.ts';
import { drawnEffects, layoutOf, ownWorld, type PlanDesign } from './plan-world.ts';
import {
  type ShipCounts,
  type SimulationOptions,
  simulatedInPlace,
  simulateWorlds,
} from './simulate.ts';
import { joinsCandidates } from './simulated-order.ts';
import type { World } from './simulated-world.ts';

/** One assumed world, with words for it. */
export interface Scenario {
  readonly words: string;
  readonly world: World;
}

/** A rate over replicates with its Monte Carlo error. */
export interface SimulatedRate {
  readonly rate: number;
  readonly standardError: number;
  /** Units measured on average; only of a sequential design. */
  readonly meanUnits?: number;
}

/** How often the rules ship at the worst null of one gate's grid. */
export interface FalseShip {
  readonly gate: string;
  readonly grid: 'regular' | 'rare-loss';
  readonly guarantee: 'finite-sample' | 'asymptotic';
  /** One-sided error of the gate; over several candidates it is shared. */
  readonly nominal: number;
  /** Above this the design is refused; null where the grid refuses nothing. */
  readonly limit: number | null;
  /** Null where the design admits no scenario of the grid. */
  readonly worst: (SimulatedRate & { readonly scenario: string }) | null;
}

const correlations = [0, 0.1, 0.5, 0.9] as const;
/** Correlations of candidates, or of objectives, where their joint law divides the error. */
const joined = [0, 0.5, 0.9] as const;

/** How those whose error a joint law divides belong together in a null: drawn apart, and alike. */
function jointNulls(
  unitOf: readonly number[],
  key: 'candidates' | 'measures',
): readonly { readonly words: string; readonly joint: JointWorld }[] {
  const what = key === 'candidates' ? 'candidates' : 'objectives';
  return joined.map((correlation) => ({
    words: `, correlation of ${what} ${correlation}`,
    joint: { measures: 0, candidates: 0, [key]: correlation, unitOf },
  }));
}

/** Pairs of every final unit that a measure applies to. */
export function pairsOfUnits(
  index: CaseIndex,
  measure: string,
  repeats: number,
): readonly number[] {
  const counts = new Map<string, number>();
  for (const { unit, applies } of finalCases(index)) {
    if (applies.includes(measure)) counts.set(unit, (counts.get(unit) ?? 0) + repeats);
  }
  return [...counts.values()];
}

/** Gates on a paired difference, required or not, with the sizes of their units. */
export function plannedGates(seal: SealedExperiment, index: CaseIndex): readonly PlannedGate[] {
  return drawnEffects(seal).map((gate) => ({
    gate,
    width: rangeWidth(measureOf(seal, gate.measureId)),
    pairs: pairsOfUnits(index, gate.measureId, seal.spec.repeats),
  }));
}

function scenariosAt(
  { seal }: PlanDesign,
  planned: PlannedGate,
  grid: 'regular' | 'rare-loss',
): readonly Scenario[] {
  const { gate, pairs } = planned;
  const { repeats } = seal.spec;
  const several = pairs.some((count) => count > 1);
  // What the units of a roster share is no chance.
  const independent = !several || seal.claim.generalization === 'fixed-roster';
  const alike = independent ? [0] : grid === 'regular' ? correlations : [1];
  const together = joinsCandidates(seal)
    ? jointNulls(
        pairs.flatMap((count, unit) => new Array<number>(count).fill(unit)),
        'candidates',
      )
    : [{ words: '', joint: undefined }];
  return lawsAt(planned, gate.threshold, grid).flatMap(({ words, law }) =>
    alike.flatMap((correlation) => {
      const own = several ? `${words}, correlation within units ${correlation}` : words;
      const measures = [worldOf(gate, { law, correlation, pairs, repeats })];
      return together.map(({ words: more, joint }) => ({
        words: `${own}${more}`,
        world: { measures, ...(joint && { joint }) },
      }));
    }),
  );
}

function worldOf(gate: EffectGate, parts: Omit<MeasureWorld, 'measure'>): MeasureWorld {
  const overPlacebo = gate.gate === 'neutral-control' ? { overPlacebo: drawnKey(gate) } : {};
  return { measure: gate.measureId, ...overPlacebo, ...parts };
}

/** No objective better, each at 0 by the same law of its grid: drawn apart, and where their joint law divides the error also alike. */
function paretoNulls(design: PlanDesign): AskedNull[] {
  const { seal, index } = design;
  const nominal = seal.analysis.errorLevels.lift;
  const layout = layoutOf(design);
  return seal.decision.gates.flatMap((declared) => {
    if (declared.gate !== 'pareto' || !declared.required) return [];
    const objectives = objectiveGates(seal, declared).map((gate) => ({
      gate,
      width: rangeWidth(gate.measure),
      pairs: pairsOfUnits(index, gate.measureId, seal.spec.repeats),
    }));
    const fewest = Math.min(...objectives.map(({ pairs }) => pairs.length));
    const laws = objectives.map((each) => lawsAt(each, 0, 'regular'));
    if (fewest < 2 || laws.some((each) => each.length === 0)) return [];
    const { repeats } = seal.spec;
    const correlation = seal.claim.generalization === 'fixed-roster' ? 0 : 0.5;
    const together =
      seal.decision.multiplicity === 'max-t'
        ? jointNulls(layout.unitOf, 'measures')
        : [{ words: '', joint: undefined }];
    const scenarios = [0, 1].flatMap((place) => {
      const words = laws.map((each) => (each[place] ?? each[0])?.words).join('; ');
      const measures = objectives.flatMap(({ gate }, at) => {
        const law = (laws[at]?.[place] ?? laws[at]?.[0])?.law;
        const parts = { ...layout.of(gate.measureId), correlation, repeats };
        return law === undefined ? [] : [worldOf(gate, { law, ...parts })];
      });
      return together.map(({ words: more, joint }) => ({
        words: `no objective better, ${words}${more}`,
        world: { measures, ...(joint && { joint }) },
      }));
    });
    const guarantee = paretoGuarantee(seal, declared);
    const limit = falseShipLimit(nominal, fewest);
    return [{ gate: gateName(declared), grid: 'regular', guarantee, nominal, limit, scenarios }];
  });
}

/** Null of a gate, its scenarios and what they may ship. */
interface AskedNull {
  readonly gate: string;
  readonly grid: FalseShip['grid'];
  readonly guarantee: FalseShip['guarantee'];
  readonly nominal: number;
  readonly limit: number | null;
  readonly scenarios: readonly Scenario[];
}

function pairedNulls(design: PlanDesign, grids: readonly FalseShip['grid'][]): AskedNull[] {
  const { seal, index } = design;
  const nominal = seal.analysis.errorLevels.lift;
  return plannedGates(seal, index)
    .filter(({ gate, pairs }) => gate.required && pairs.length > 1)
    .flatMap((planned) =>
      grids.map((grid) => ({
        gate: planned.gate.name,
        grid,
        guarantee: guaranteeOf(planned.gate.method),
        nominal,
        limit: grid === 'regular' ? falseShipLimit(nominal, planned.pairs.length) : null,
        scenarios: scenariosAt(design, planned, grid),
      })),
    );
}

/** The rate of own cells at which a gate on one arm is just not kept; null for any other gate. */
function ownNull(seal: SealedExperiment, gate: GateDeclaration) {
  const { lift, rate } = seal.analysis.errorLevels;
  if (gate.gate === 'rate') {
    const limit = rateLimit(gate);
    return limit === null ? null : { at: limit.value, nominal: rate, alike: correlations };
  }
  if (gate.gate === 'critical' && gate.maxRate !== undefined) {
    return { at: gate.maxRate, nominal: rate, alike: [1] };
  }
  const form = gate.gate === 'latency' ? latencyForm(gate) : null;
  return form?.form === 'quantile' ? { at: 1 - form.quantile, nominal: lift, alike: [1] } : null;
}

/** Nulls of gates that bound one arm: its units at the limit, all cells of a unit alike where the limit is one of units. */
function ownNulls(design: PlanDesign): AskedNull[] {
  // Looks are simulated on differences alone; one arm's finite-sample bounds add up over the looks by themselves.
  if (design.seal.analysis.looks !== undefined) return [];
  const layout = layoutOf(design);
  return design.seal.decision.gates.flatMap((gate) => {
    const found = gate.required && 'measure' in gate ? ownNull(design.seal, gate) : null;
    if (found === null || !('measure' in gate)) return [];
    const { measure } = gate;
    const { pairs } = layout.of(measure);
    if (pairs.length === 0) return [];
    const several = pairs.some((count) => count > 1);
    const scenarios = (several ? found.alike : [0]).map((correlation) => ({
      words: `${Number((100 * found.at).toPrecision(3))} % of its ${several && found.alike.length > 1 ? `cells, correlation within units ${correlation}` : 'units'}`,
      world: {
        measures: [],
        own: [ownWorld(design, layout, { measure, rate: found.at, correlation })],
      },
    }));
    const { nominal } = found;
    const name = gateName(gate);
    return [
      { gate: name, grid: 'regular', guarantee: 'finite-sample', nominal, limit: null, scenarios },
    ];
  });
}

/** A count as a rate. */
export function rateOf(count: number, { replicates, units }: ShipCounts): SimulatedRate {
  const rate = count / replicates;
  const standardError = Math.sqrt((rate * (1 - rate)) / replicates);
  return { rate, standardError, ...(units === null ? {} : { meanUnits: units / replicates }) };
}

/** Largest rate at a regular null that is not refused: 1.4 times nominal, 2.2 times below 50 units (DESIGN promise 2). */
export function falseShipLimit(nominal: number, units: number): number {
  return nominal * (units < 50 ? 2.2 : 1.4);
}

/**
 * False-ship rates of every required gate with a bound, the worst over each of its grids.
 * @param grids  which grids of gates on a paired difference to go through
 */
export function falseShipRates(
  design: PlanDesign,
  options: SimulationOptions,
  grids: readonly FalseShip['grid'][] = ['regular', 'rare-loss'],
): Promise<readonly FalseShip[]> {
  const asked = [...pairedNulls(design, grids), ...paretoNulls(design), ...ownNulls(design)];
  return worstOf(design.seal, asked, options);
}

async function worstOf(
  seal: SealedExperiment,
  asked: readonly AskedNull[],
  options: SimulationOptions,
): Promise<readonly FalseShip[]> {
  const jobs = asked.flatMap(({ gate, grid, scenarios }) =>
    scenarios.map(({ words, world }) => ({ world, label: `null/${gate}/${grid}/${words}` })),
  );
  const counts = [...(await simulateWorlds(seal, jobs, options))];
  return asked.map(({ scenarios, ...rest }) => {
    const rates = scenarios.map(({ words }) => {
      const found = counts.shift();
      invariant(found !== undefined, 'every scenario was simulated');
      return { ...rateOf(found.any, found), scenario: words };
    });
    return {
      ...rest,
      worst: rates.toSorted((first, second) => second.rate - first.rate)[0] ?? null,
    };
  });
}

/** Whether an asymptotic bound ships more often than its grid allows, by more than twice the Monte Carlo error. */
export function isBeyondLimit({ guarantee, limit, worst }: FalseShip): boolean {
  if (guarantee !== 'asymptotic' || limit === null || worst === null) return false;
  return worst.rate - 2 * worst.standardError > limit;
}

/** Simulated decisions of each scenario before a design is sealed; fewer where each of them resamples ten thousand times. */
const sealReplicates = { plain: 1000, resampled: 200 } as const;

/**
 * Refuses a design whose asymptotic gates would ship a candidate that is no better too often on their regular grid (DESIGN promise 2).
 * Gates with a finite-sample bound cannot, and are not simulated.
 *
 * @param seed  64 hex digits
 * @throws {LiftgateError} design-refused  naming gate, rate and limit
 */
export async function refuseFalseShips(
  design: PlanDesign,
  { seed, file }: { readonly seed: string; readonly file: string },
): Promise<void> {
  const methods = drawnEffects(design.seal)
    .filter(({ method, required }) => required && guaranteeOf(method) === 'asymptotic')
    .map(({ method }) => method);
  if (methods.length === 0) return;
  const replicates = methods.includes('t-bootstrap-t')
    ? sealReplicates.resampled
    : sealReplicates.plain;
  const options = { replicates, seed, pool: simulatedInPlace };
  const asked = [...pairedNulls(design, ['regular']), ...paretoNulls(design)];
  const rates = await worstOf(design.seal, asked, options);
  const beyond = rates.find(isBeyondLimit);
  if (beyond !== undefined) throw falseShipRefusal(beyond, file);
}

/** Why rules that ship too often by chance are not sealed: gate, rate at its worst null, nominal and limit. */
export function falseShipRefusal(
  { gate, nominal, limit, worst }: FalseShip,
  file: string,
): LiftgateError {
  const percent = (share = 0) => `${Number((100 * share).toPrecision(3))} %`;
  return new LiftgateError(
    'design-refused',
    `The gate "${gate}" would ship a candidate that is no better in ${percent(worst?.rate)} of experiments (${worst?.scenario}); nominal is ${percent(nominal)}, the limit ${percent(limit ?? nominal)}.`,
    {
      where: { file, path: 'inference' },
      mend: 'Plan more units, or write `guarantee: finite-sample`; `liftgate plan` shows the rates.',
    },
  );
}
