/**
 * How often a sequential design ships and how many units it measures: the sealed looks on simulated units, in an order, before any
 * is spent.
 *
 * The gates on a paired difference are decided at each look as they will be on evidence: shipping, harm and futility. Every other gate
 * is taken to pass, and no cell to be lost. A world of another size than the plan has its looks at the same shares of its units.
 */
import type { Look } from '../analysis/evidence.ts';
import { rangeWidth, type Sample } from '../analysis/unit-value.ts';
import { guaranteeOf } from '../spec/inference.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { candidateIds } from '../spec/spec.ts';
import { sequentialOf } from '../spec/stopping.ts';
import { bettingLowerClears } from '../stats/betting.ts';
import {
  bettingSequenceWealth,
  extendBettingSequence,
  startBettingSequence,
} from '../stats/betting-sequence.ts';
import { type Uniform, uniformStream } from '../stats/draws.ts';
import { holmByBounds } from '../stats/multiplicity.ts';
import { drawnKey, type EffectGate, effectGates, effectLevel } from './effect.ts';
import { lookError } from './look-error.ts';
import { sampler } from './outcome-law.ts';
import { candidateWorld, type World } from './simulated-world.ts';
import { Staircase } from './staircase.ts';

type MeasureWorld = World['measures'][number];

/** Means of the units of one measure in the order they are measured. */
type Means = Float64Array;

/** One measure as a world draws it, with its looks in units of the measure. */
interface DrawnLooks {
  readonly ends: readonly number[];
  readonly draw: (uniform: Uniform) => Means;
  /** Whether a unit is one pair that wins, ties or loses. */
  readonly signs: boolean;
}

/** Counts over replicates, as of a fixed design, with the units that were measured. */
export interface LookCounts {
  readonly any: number;
  readonly candidates: readonly number[];
  readonly gates: readonly number[];
  /** Units measured, over all replicates. */
  readonly units: number;
}

/** What a candidate is after a look. */
type Standing = 'ships' | 'held' | 'open';

/** Simulates replicates of a sealed sequential decision. */
export class LookSimulator {
  readonly #seal: SealedExperiment;
  readonly #gates: readonly EffectGate[];
  readonly #candidates: number;
  readonly #known = new Map<string, Staircase>();
  readonly #errors = new Map<string, number>();

  constructor(seal: SealedExperiment) {
    this.#seal = seal;
    this.#gates = effectGates(seal).filter(({ required }) => required);
    this.#candidates = candidateIds(seal.spec).length;
  }

  get gateNames(): readonly string[] {
    return this.#gates.map(({ name }) => name);
  }

  run(
    world: World,
    options: { readonly replicates: number; readonly seed: string; readonly label: string },
  ): LookCounts {
    const uniform = uniformStream(options.seed, options.label);
    const drawers = Array.from({ length: this.#candidates }, (_, at) =>
      this.#drawers(candidateWorld(world, at).measures),
    );
    const candidates = new Array<number>(this.#candidates).fill(0);
    const gates = new Array<number>(this.#gates.length).fill(0);
    let [any, units] = [0, 0];
    for (let replicate = 0; replicate < options.replicates; replicate += 1) {
      const drawn = drawers.map((each) => new Drawn(each, uniform));
      const { ships, look } = this.#decide(drawn, { counts: gates, of: world.counted ?? 0 });
      ships.forEach((shipped, at) => {
        if (shipped) candidates[at] = (candidates[at] ?? 0) + 1;
      });
      if (ships.includes(true)) any += 1;
      const [measured] = drawers[0]?.values() ?? [];
      units += (measured?.ends ?? this.#seal.analysis.looks)?.[look] ?? 0;
    }
    return { any, candidates, gates, units };
  }

  #drawers(measures: readonly MeasureWorld[]): ReadonlyMap<string, DrawnLooks> {
    const { looks = [] } = this.#seal.analysis;
    const shares = looks.map((units) => units / (looks.at(-1) ?? 1));
    return new Map(
      measures.map((each) => [
        each.overPlacebo ?? each.measure,
        { ...drawerOf(each), ends: endsOf(shares, each) },
      ]),
    );
  }

  /** The look at which nobody is undecided, or the last one, and who ships. */
  #decide(
    drawn: readonly Drawn[],
    { counts, of }: { readonly counts: number[]; readonly of: number },
  ): { readonly ships: readonly boolean[]; readonly look: number } {
    const standings = drawn.map((): Standing => 'open');
    const last = (this.#seal.analysis.looks?.length ?? 1) - 1;
    let look = 0;
    for (; look <= last; look += 1) {
      const found = this.#standings(drawn, look);
      standings.forEach((standing, at) => {
        if (standing === 'open') standings[at] = found[at] ?? 'open';
      });
      if (!standings.includes('open') || look === last) break;
    }
    const whole = drawn[of];
    if (whole !== undefined) {
      this.#gates.forEach((gate, at) => {
        if (this.#clears(gate, whole, { look, divisor: 1 })) counts[at] = (counts[at] ?? 0) + 1;
      });
    }
    return { ships: standings.map((standing) => standing === 'ships'), look };
  }

  #standings(drawn: readonly Drawn[], look: number): Standing[] {
    const sequence = this.#seal.decision.multiplicity;
    const clears = drawn.map((each) => {
      let cleared = true;
      return drawn.map((_, index) => {
        cleared &&= this.#gates.every((gate) =>
          this.#clears(gate, each, { look, divisor: index + 1 }),
        );
        return cleared;
      });
    });
    const standing = (at: number, rejected: boolean, divisor: number): Standing => {
      const own = drawn[at];
      if (own === undefined || this.#isHeld(own, { look, divisor })) return 'held';
      if (rejected) return 'ships';
      return this.#isFutile(own, look) ? 'held' : 'open';
    };
    if (typeof sequence !== 'string') {
      const order = sequence.sequence.map((id) => candidateIds(this.#seal.spec).indexOf(id));
      const stop = order.findIndex((at) => clears[at]?.[0] !== true);
      return drawn.map((_, at) => standing(at, stop < 0 || order.indexOf(at) < stop, 1));
    }
    return holmByBounds(clears).map(({ rejected, divisor }, at) => standing(at, rejected, divisor));
  }

  /** Error of a gate at a look of the sealed design; a world of another size has its looks at the same shares. */
  #error({ measureId, method }: EffectGate, at: { look: number; error: number }): number {
    const guarantee = guaranteeOf(method);
    const key = `${guarantee} ${at.look} ${at.error}`;
    const known = this.#errors.get(key);
    if (known !== undefined) return known;
    const ends = this.#seal.analysis.looks ?? [];
    const look: Look = {
      number: at.look + 1,
      of: ends.length,
      units: new Set(),
      applicable: new Map([[measureId, ends]]),
    };
    const error = lookError(this.#seal, look, { measure: measureId, guarantee, error: at.error });
    this.#errors.set(key, error);
    return error;
  }

  #clears(
    gate: EffectGate,
    drawn: Drawn,
    { look, divisor }: { readonly look: number; readonly divisor: number },
  ): boolean {
    const error = this.#seal.analysis.errorLevels.lift / divisor;
    return this.#isAbove(gate, drawn, { look, error, mirror: false });
  }

  /** Whether a gate's whole interval lies on its wrong side. */
  #isHeld(drawn: Drawn, at: { readonly look: number; readonly divisor: number }): boolean {
    const error = this.#seal.analysis.errorLevels.lift / at.divisor;
    return this.#gates.some((gate) => {
      const most = Math.max(gate.threshold, gate.minimumEffect ?? gate.threshold);
      const mirrored = { ...gate, threshold: -most };
      return (
        drawn.has(gate) && this.#isAbove(mirrored, drawn, { look: at.look, error, mirror: true })
      );
    });
  }

  #isFutile(drawn: Drawn, look: number): boolean {
    const futility = sequentialOf(this.#seal.spec)?.futility;
    if (futility === undefined) return false;
    return this.#gates.some((gate) => {
      if (gate.minimumEffect === null || !drawn.has(gate)) return false;
      const mirrored = { ...gate, threshold: -gate.minimumEffect };
      return this.#isAbove(mirrored, drawn, { look, error: futility.error, mirror: true });
    });
  }

  /** Whether the lower bound of the units of a look lies above the threshold; of their negatives where mirrored. */
  #isAbove(
    gate: EffectGate,
    drawn: Drawn,
    at: { readonly look: number; readonly error: number; readonly mirror: boolean },
  ): boolean {
    const own = drawn.of(gate);
    if (own === null) return true;
    const { means, looks } = own;
    const seen = means.subarray(0, looks.ends[at.look] ?? 0);
    const error = this.#error(gate, at);
    if (looks.signs && (gate.method === 'tango-score' || gate.method === 'exact-unconditional')) {
      return this.#isAboveByCounts(gate, seen, { ...at, error });
    }
    const turned = (values: Means): Means =>
      at.mirror ? values.map((value) => 0 - value) : values;
    if (gate.method === 'betting-sequence') {
      const key = `${gate.name} ${gate.threshold} ${error} ${at.mirror}`;
      const known = drawn.refuted.get(key) ?? refutedAfter(gate, turned(means), error);
      drawn.refuted.set(key, known);
      return seen.length >= known;
    }
    return isAboveInOrder(this.#seal, gate, turned(seen), { error, mirror: at.mirror });
  }

  #isAboveByCounts(
    gate: EffectGate,
    seen: Means,
    { error, mirror }: { readonly error: number; readonly mirror: boolean },
  ): boolean {
    let [wins, losses] = [0, 0];
    for (const value of seen) {
      if (value > 0) wins += 1;
      else if (value < 0) losses += 1;
    }
    if (mirror) [wins, losses] = [losses, wins];
    const key = `${gate.name}\n${gate.threshold}\n${error}\n${seen.length}\n${mirror}`;
    const known = this.#known.get(key) ?? new Staircase(seen.length);
    this.#known.set(key, known);
    const width = rangeWidth(gate.measure);
    return known.ask({ wins, losses }, () => {
      const values = Float64Array.from(seen, (_, at) =>
        at < wins ? width : at < wins + losses ? -width : 0,
      );
      return isAboveInOrder(this.#seal, gate, values, { error, mirror });
    });
  }
}

/** One candidate in one replicate. */
class Drawn {
  /** Units after which a betting sequence had refuted a threshold, by gate and threshold. */
  readonly refuted = new Map<string, number>();
  readonly #measures: ReadonlyMap<string, { readonly means: Means; readonly looks: DrawnLooks }>;

  constructor(drawers: ReadonlyMap<string, DrawnLooks>, uniform: Uniform) {
    this.#measures = new Map(
      [...drawers].map(([id, looks]) => [id, { means: looks.draw(uniform), looks }]),
    );
  }

  of(gate: EffectGate): { readonly means: Means; readonly looks: DrawnLooks } | null {
    return this.#measures.get(drawnKey(gate)) ?? null;
  }

  has(gate: EffectGate): boolean {
    return this.of(gate) !== null;
  }
}

/** Units of a measure at each look, in proportion; at least one at the first and all at the last. */
function endsOf(shares: readonly number[], { pairs }: MeasureWorld): number[] {
  return shares.map((share) => Math.max(1, Math.round(share * pairs.length)));
}

/** Pairs of one unit share the unit's own draw with probability sqrt(correlation) each, as in a fixed design. */
function drawerOf({ law, correlation, pairs }: MeasureWorld): Omit<DrawnLooks, 'ends'> {
  const draw = sampler(law);
  const shared = Math.sqrt(correlation);
  const meanOf = (count: number, uniform: Uniform): number => {
    const own = draw(uniform);
    if (count === 1) return own;
    let total = 0;
    for (let pair = 0; pair < count; pair += 1) total += uniform() < shared ? own : draw(uniform);
    return total / count;
  };
  const values = law.kind === 'lattice' ? new Set(law.values.map(Math.abs)) : new Set([1, 2, 3]);
  values.delete(0);
  return {
    draw: (uniform) => Float64Array.from(pairs, (count) => meanOf(count, uniform)),
    signs: values.size <= 1 && pairs.every((count) => count === 1),
  };
}

/** Units after which the bets on the values in their order refute the threshold; infinite when they never do. */
export function refutedAfter(
  { measure, threshold }: EffectGate,
  values: Means,
  error: number,
): number {
  const width = rangeWidth(measure);
  const range = { lower: -width, upper: width };
  const start = startBettingSequence({ range, error, sides: 'lower' });
  const state = extendBettingSequence(start, [...values]);
  return bettingSequenceWealth(state, threshold).refutedAt ?? Number.POSITIVE_INFINITY;
}

/** The lower bound of values in their order against the threshold, by the sealed method; a breach asks for no exact test beside it. */
function isAboveInOrder(
  seal: SealedExperiment,
  gate: EffectGate,
  values: Means,
  { error, mirror }: { readonly error: number; readonly mirror: boolean },
): boolean {
  const width = rangeWidth(gate.measure);
  if (gate.method === 'betting-fixed-n' && width > 0 && values.length > 1) {
    const { bettingTruncation: truncation } = seal.analysis;
    const range = { lower: -width, upper: width };
    const found = bettingLowerClears(values, gate.threshold, { range, error, truncation });
    if (found !== null) return found;
  }
  const { clears, reading } = effectLevel(seal, gate, sampleOf(values), error);
  if (clears || !mirror) return clears;
  const { result } = reading();
  return result.status === 'estimated' && result.estimate.interval.lower > gate.threshold;
}

function sampleOf(values: Means): Sample {
  const units = Array.from(values, (improvement, at) => ({
    unit: String(at),
    improvement,
    pairs: 1,
    values: [{ case: String(at), repeat: 0, improvement }],
  }));
  const { length } = values;
  const n = { units: length, pairs: length, cells: 2 * length, discordant: 0 };
  return { units, n, lost: [], plannedValues: 2 * length };
}
