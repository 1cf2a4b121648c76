/** Worlds of a simulation: everything it assumes of measures, losses and spending, and replicates drawn from it. */
import { measureOf } from '../analysis/evidence.ts';
import { rangeWidth } from '../analysis/unit-value.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { normalQuantile } from '../stats/distribution.ts';
import type { Uniform } from '../stats/draws.ts';
import { sum } from '../stats/summary.ts';
import { DrawnMeasure, type LostCells } from './drawn-measure.ts';
import type { MeasureWorld } from './drawn-values.ts';
import { JointDraws, type JointPlace, type JointWorld } from './joint-draws.ts';
import { type ConductLaw, SimulatedConduct } from './simulated-conduct.ts';
import { type GapWorld, gapMeasures } from './simulated-gap.ts';
import type { DrawnSpending, Replicate } from './simulated-gates.ts';

/** What one cell of an arm spends. */
export interface CellSpending {
  readonly mean: number;
  readonly deviation: number;
}

/** What is spent; totals are drawn from the normal law of a sum of many cells. */
export interface SpendingWorld {
  readonly baseline: CellSpending;
  readonly candidate: CellSpending;
  /** Of each candidate, where theirs differ. */
  readonly candidates?: readonly CellSpending[];
  /** Cells of one arm. */
  readonly cells: number;
  /** Cells of the controls, which spend as the baseline does. */
  readonly controls: number;
}

/** What one candidate draws in place of what all do. */
export type CandidateWorld = Required<Pick<World, 'measures' | 'own'>>;

/** Everything a simulation assumes; a gate on something that is not here is taken to clear. */
export interface World {
  /** Differences of every candidate; those over a placebo are drawn apart from those over the baseline. */
  readonly measures: readonly MeasureWorld[];
  /** Differences of all candidates but the first, where theirs are others. */
  readonly others?: readonly MeasureWorld[];
  /** What each candidate draws, where every one has its own. */
  readonly candidates?: readonly CandidateWorld[];
  /** Place of the candidate whose gates are counted; the first one without it. */
  readonly counted?: number;
  /** How all of them belong together; without it each is drawn by itself. */
  readonly joint?: JointWorld;
  /** Own cells of every candidate: a value above 0 violates, or is too slow. */
  readonly own?: readonly MeasureWorld[];
  /** Probability that a cell gives nothing in the end, and cells of one arm. */
  readonly loss?: { readonly rate: number; readonly cells: number };
  readonly spending?: { readonly usd?: SpendingWorld; readonly tokens?: SpendingWorld };
  /** What gates on the making of the run will find. */
  readonly conduct?: readonly ConductLaw[];
  /** Where gates on the gap of two of the measures have their units. */
  readonly gaps?: readonly GapWorld[];
}

/** What a world draws of the candidate in a place. */
export function candidateWorld(world: World, at: number): CandidateWorld {
  const { measures, others = measures, own = [], candidates } = world;
  return candidates?.[at] ?? { measures: at === 0 ? measures : others, own };
}

/** One candidate's replicate, and the cells it lost with its baseline. */
export interface Drawers {
  readonly replicate: Replicate;
  readonly lost: LostCells | null;
}

/** Draws replicates of a world, again and again into the same places. */
export class WorldDraw {
  readonly #world: World;
  readonly #baseline: Uint8Array;
  readonly #placebo: Uint8Array;
  /** Keys of what is compared with the placebo. */
  readonly #overPlacebo: ReadonlySet<string>;
  readonly #candidates: readonly {
    readonly measures: ReadonlyMap<string, DrawnMeasure>;
    readonly own: ReadonlyMap<string, DrawnMeasure>;
    readonly lost: Uint8Array;
  }[];
  /** Place of each measure among all that are drawn together, those of a candidate's own cells behind. */
  readonly #places: { readonly measures: Places; readonly own: Places };
  readonly #conduct: SimulatedConduct;
  readonly #joint: JointDraws | null;
  /** What a replicate without losses and spending is read from. */
  readonly #whole: readonly Drawers[];

  constructor(seal: SealedExperiment, world: World, candidates: number) {
    this.#world = world;
    const cells = world.loss?.cells ?? 0;
    this.#baseline = new Uint8Array(cells);
    this.#placebo = new Uint8Array(cells);
    this.#overPlacebo = new Set(world.measures.flatMap(({ overPlacebo }) => overPlacebo ?? []));
    const losses = world.loss !== undefined;
    const { gaps = [] } = world;
    const gapped = gaps.length === 0 ? new Set() : gapMeasures(seal);
    const ordered = world.joint !== undefined;
    let leveled = false;
    const rated = new Set(
      seal.decision.gates.flatMap((gate) => (gate.gate === 'rate' ? [gate.measure] : [])),
    );
    const drawn = (each: MeasureWorld): [string, DrawnMeasure] => {
      const width = rangeWidth(measureOf(seal, each.measure));
      const levels = losses || rated.has(each.measure);
      leveled ||= levels;
      // What a gap holds against another measure is drawn unit by unit.
      const units = losses || gapped.has(each.measure);
      const options = { width, levels, losses: units, ordered };
      return [each.overPlacebo ?? each.measure, new DrawnMeasure(each, options)];
    };
    // Own cells count as 0 or 1, whatever the measure's range.
    const own = (each: MeasureWorld): [string, DrawnMeasure] => [
      each.measure,
      new DrawnMeasure(each, { width: 1, levels: false, losses, ordered }),
    ];
    this.#candidates = Array.from({ length: candidates }, (_, at) => {
      const each = candidateWorld(world, at);
      return {
        measures: new Map(each.measures.map(drawn)),
        own: new Map(each.own.map(own)),
        lost: new Uint8Array(cells),
      };
    });
    this.#places = {
      measures: placesOf(this.#candidates.map(({ measures }) => measures)),
      own: placesOf(this.#candidates.map(({ own: cellsOf }) => cellsOf)),
    };
    const drawnTogether = this.#places.measures.size + this.#places.own.size;
    this.#joint =
      world.joint === undefined
        ? null
        : new JointDraws(world.joint, { candidates, measures: drawnTogether, leveled });
    const lossRate = world.loss?.rate ?? 0;
    this.#conduct = new SimulatedConduct(seal, world.conduct ?? [], { candidates, lossRate });
    this.#whole = this.#candidates.map(({ measures, own: cellsOf }, at) => ({
      replicate: {
        measures,
        own: cellsOf,
        spent: { usd: null, tokens: null },
        conduct: this.#conduct.found(at),
        gaps,
      },
      lost: null,
    }));
  }

  /** The next replicate of every candidate; valid until the one after it. */
  next(uniform: Uniform): readonly Drawers[] {
    const { loss, spending } = this.#world;
    this.#joint?.next(uniform);
    if (loss === undefined && spending === undefined) {
      this.#whole.forEach(({ replicate }, candidate) => {
        this.#drawAll({ replicate, candidate, lost: null }, uniform);
      });
      this.#conduct.draw(uniform, []);
      return this.#whole;
    }
    const anyBaseline = loss !== undefined && loseCells(this.#baseline, loss.rate, uniform);
    const hasPlacebo = this.#overPlacebo.size > 0 || this.#conduct.readsPlacebo;
    const anyPlacebo =
      hasPlacebo && loss !== undefined && loseCells(this.#placebo, loss.rate, uniform);
    const usd = drawSpending(spending?.usd, this.#candidates.length, uniform);
    const tokens = drawSpending(spending?.tokens, this.#candidates.length, uniform);
    const drawn = this.#candidates.map(({ measures, own, lost }, at) => {
      const anyOwn = loss !== undefined && loseCells(lost, loss.rate, uniform);
      const cells =
        anyBaseline || anyPlacebo || anyOwn ? { candidate: lost, baseline: this.#baseline } : null;
      const spent = { usd: usd?.[at] ?? null, tokens: tokens?.[at] ?? null };
      const conduct = this.#conduct.found(at);
      const replicate = { measures, own, spent, conduct, gaps: this.#world.gaps ?? [] };
      this.#drawAll({ replicate, candidate: at, lost: cells }, uniform);
      return { replicate, lost: cells };
    });
    const placebo = anyPlacebo ? this.#placebo : null;
    this.#conduct.draw(
      uniform,
      drawn.map(({ lost }) => (lost === null ? null : { ...lost, placebo })),
    );
    return drawn;
  }

  #drawAll({ replicate, candidate, lost }: DrawnTogether, uniform: Uniform): void {
    const joint = this.#joint;
    const { measures, own } = replicate;
    const draw = (drawn: DrawnMeasure, measure: number, cells: LostCells | null): void => {
      if (joint === null) drawn.draw(uniform, cells);
      else drawn.take(joint, { candidate, measure }, cells);
    };
    const { measures: places, own: ownPlaces } = this.#places;
    for (const [key, each] of measures) {
      const isOver = lost !== null && this.#overPlacebo.has(key);
      draw(each, places.get(key) ?? 0, isOver ? { ...lost, baseline: this.#placebo } : lost);
    }
    for (const [key, each] of own) draw(each, places.size + (ownPlaces.get(key) ?? 0), lost);
  }
}

type Places = ReadonlyMap<string, number>;

/** Place of every key that any of them has, in the order of the first that has it. */
function placesOf(all: readonly ReadonlyMap<string, unknown>[]): Places {
  const keys = new Set(all.flatMap((each) => [...each.keys()]));
  return new Map([...keys].map((key, place) => [key, place]));
}

/** One candidate's replicate, to be drawn. */
interface DrawnTogether extends Pick<JointPlace, 'candidate'> {
  readonly replicate: Replicate;
  readonly lost: LostCells | null;
}

/** Loses each cell with a probability; whether any was lost. */
function loseCells(cells: Uint8Array, rate: number, uniform: Uniform): boolean {
  let any = false;
  for (let at = 0; at < cells.length; at += 1) {
    const lost = uniform() < rate;
    cells[at] = lost ? 1 : 0;
    any ||= lost;
  }
  return any;
}

function totalOf({ mean, deviation }: CellSpending, cells: number, uniform: Uniform): number {
  return Math.max(0, cells * mean + Math.sqrt(cells) * deviation * normalQuantile(uniform()));
}

function drawSpending(
  world: SpendingWorld | undefined,
  candidates: number,
  uniform: Uniform,
): readonly DrawnSpending[] | null {
  if (world === undefined) return null;
  const baseline = totalOf(world.baseline, world.cells, uniform);
  const own = Array.from({ length: candidates }, (_, at) =>
    totalOf(world.candidates?.[at] ?? world.candidate, world.cells, uniform),
  );
  const controls = totalOf(world.baseline, world.controls, uniform);
  const all = baseline + controls + sum(own);
  return own.map((candidate) => ({ baseline, candidate, all }));
}
