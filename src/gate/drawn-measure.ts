/**
 * What one simulated replicate gives one measure of one candidate: improvements of all pairs, and where losses are simulated or a gate
 * reads one arm, the values of both cells.
 *
 * Values are drawn into the same places again and again; whoever reads them is done before the next draw. Where units of one pair
 * win, tie or lose, whole counts are drawn.
 */
import type { Sample } from '../analysis/unit-value.ts';
import type { Uniform } from '../stats/draws.ts';
import { countsSampler, type Discordance, type PairLaw, sampler } from './outcome-law.ts';

/** What a simulation assumes of one measure. */
export interface MeasureWorld {
  readonly measure: string;
  /** Set where a placebo takes the baseline's place: the key that gates on it read. */
  readonly overPlacebo?: string;
  readonly law: PairLaw;
  /** Correlation of two pairs of one unit, in [0, 1]. */
  readonly correlation: number;
  /** Pairs of each unit, in any order. */
  readonly pairs: readonly number[];
  /** How many pairs in a row are repeats of one case; 1 without it. */
  readonly repeats?: number;
  /** Share of tied pairs in which both cells have the better value of a binary measure; 1/2 without it. */
  readonly bothBetter?: number;
  /** Cell of each pair within an arm, unit after unit: which values are lost together. Without it every pair is a cell of its own. */
  readonly cells?: readonly number[];
}

/** Cells of both arms that a replicate lost: 1 is lost. */
export interface LostCells {
  readonly candidate: Uint8Array;
  readonly baseline: Uint8Array;
}

interface DrawnUnit {
  readonly unit: string;
  improvement: number;
  pairs: number;
  values: { readonly case: string; readonly repeat: number; improvement: number }[];
}

/** How a measure is read by the gates of a simulation. */
export interface DrawOptions {
  /** Width of its declared range, 0 without one. */
  readonly width: number;
  /** Whether more than improvements is read: one arm's values, or losses filled from the range. */
  readonly levels: boolean;
}

/** Whether a lattice holds a win, a tie and a loss of the whole width, as a binary pair does. */
function isPaired({ law }: MeasureWorld, width: number): boolean {
  return (
    width > 0 &&
    law.kind === 'lattice' &&
    law.values.every((value) => value === 0 || Math.abs(value) === width)
  );
}

/** Units with a cell above 0, such cells, lost cells, and units with either. */
export interface Hits {
  readonly units: number;
  readonly cells: number;
  readonly lost: number;
  readonly hitOrLost: number;
}

/** Draws one measure of one candidate, and shows it as gates read it. */
export class DrawnMeasure {
  readonly #world: MeasureWorld;
  readonly #options: DrawOptions;
  readonly #draw: (uniform: Uniform) => number;
  readonly #drawCounts: ((uniform: Uniform, levels: boolean) => Discordance) | null;
  readonly #shared: number;
  readonly #binary: boolean;
  #units: readonly DrawnUnit[] | null = null;
  readonly #starts: readonly number[];
  readonly #improvements: Float64Array;
  readonly #means: Float64Array;
  /** The baseline's value of each pair above the worst one. */
  readonly #baselines: Float64Array;
  #counts: Discordance | null = null;
  #lost: LostCells | null = null;

  constructor(world: MeasureWorld, options: DrawOptions & { readonly losses: boolean }) {
    this.#world = world;
    this.#options = options;
    this.#draw = sampler(world.law);
    this.#binary = isPaired(world, options.width);
    const single = world.pairs.every((count) => count === 1);
    this.#drawCounts =
      single && this.#binary && !options.losses
        ? countsSampler(world.law, world.pairs.length, world.bothBetter)
        : null;
    this.#shared = Math.sqrt(world.correlation);
    let total = 0;
    this.#starts = world.pairs.map((pairs) => {
      total += pairs;
      return total - pairs;
    });
    this.#improvements = new Float64Array(total);
    this.#means = new Float64Array(world.pairs.length);
    this.#baselines = new Float64Array(options.levels ? total : 0);
  }

  get measure(): string {
    return this.#world.measure;
  }

  get units(): number {
    return this.#world.pairs.length;
  }

  /** The units as samples hold them, made when a rule first asks for more than counts or means. */
  #drawnUnits(): readonly DrawnUnit[] {
    const { pairs: sizes, repeats = 1 } = this.#world;
    this.#units ??= sizes.map((pairs, unit) => ({
      unit: String(unit),
      improvement: 0,
      pairs,
      values: Array.from({ length: pairs }, (_, at) => ({
        case: `${unit}-${Math.floor(at / repeats)}`,
        repeat: (at % repeats) + 1,
        improvement: 0,
      })),
    }));
    return this.#units;
  }

  /** Units by the outcome of their one pair; null when more than that decides. */
  get counts(): Discordance | null {
    return this.#counts;
  }

  /** Draws the next replicate; `lost` names the cells that give no value. */
  draw(uniform: Uniform, lost: LostCells | null): void {
    this.#lost = lost;
    if (this.#drawCounts !== null) {
      this.#counts = this.#drawCounts(uniform, this.#options.levels);
      return;
    }
    const { pairs } = this.#world;
    for (let unit = 0; unit < pairs.length; unit += 1) this.#drawUnit(unit, uniform);
  }

  #drawUnit(unit: number, uniform: Uniform): void {
    const start = this.#starts[unit] ?? 0;
    const count = this.#world.pairs[unit] ?? 0;
    const draw = this.#draw;
    const shared = count > 1 ? this.#shared : 0;
    const own = shared > 0 ? draw(uniform) : 0;
    const level = shared > 0 ? this.#level(own, uniform) : 0;
    for (let at = start; at < start + count; at += 1) {
      const alike = shared > 0 && uniform() < shared;
      const drawn = alike ? own : draw(uniform);
      this.#improvements[at] = drawn;
      if (this.#options.levels) this.#baselines[at] = alike ? level : this.#level(drawn, uniform);
    }
  }

  /** A baseline value that leaves room for the improvement: uniform in what the range leaves, or what the tie says. */
  #level(improvement: number, uniform: Uniform): number {
    const { width, levels } = this.#options;
    if (!levels || width === 0) return 0;
    const { bothBetter = 0.5 } = this.#world;
    if (this.#binary) {
      if (improvement !== 0) return improvement > 0 ? 0 : width;
      return uniform() < bothBetter ? width : 0;
    }
    const least = Math.max(0, -improvement);
    const most = Math.min(width, width - improvement);
    return least + (most - least) * uniform();
  }

  #isLost(arm: keyof LostCells, at: number): boolean {
    return this.#lost !== null && this.#lost[arm][this.#world.cells?.[at] ?? at] === 1;
  }

  /** Values lost, of both arms. */
  lostValues(): number {
    let found = 0;
    for (let at = 0; at < this.#improvements.length; at += 1) {
      if (this.#isLost('candidate', at)) found += 1;
      if (this.#isLost('baseline', at)) found += 1;
    }
    return found;
  }

  get pairs(): number {
    return this.#improvements.length;
  }

  /** Improvement of a pair as it is judged, or null where it left. */
  #judged(at: number, filled: boolean): number | null {
    const improvement = this.#improvements[at] ?? 0;
    const [own, other] = [this.#isLost('candidate', at), this.#isLost('baseline', at)];
    if (!own && !other) return improvement;
    if (!filled) return null;
    const { width } = this.#options;
    const baseline = this.#baselines[at] ?? 0;
    return (own ? 0 : baseline + improvement) - (other ? width : baseline);
  }

  /** The sample that gates on a difference read; `filled` counts every lost value against the candidate. */
  sample(filled = false): Sample {
    if (this.#counts !== null) return this.sampleOf(this.#counts);
    const all = this.#drawnUnits();
    const units =
      this.#lost === null
        ? all.map((unit, at) => this.#fillUnit(unit, at))
        : all.flatMap((unit, at) => this.#keptUnit(unit, at, filled) ?? []);
    return this.#sampleWith(units, 0);
  }

  #sampleWith(units: readonly DrawnUnit[], discordant: number): Sample {
    const pairs = this.#improvements.length;
    const n = { units: units.length, pairs, cells: 2 * pairs, discordant };
    return { units, n, lost: [], plannedValues: 2 * pairs };
  }

  /** Mean improvement of every unit with a pair left, as samples hold it; valid until the next draw. */
  means(filled = false): Float64Array {
    let kept = 0;
    for (let unit = 0; unit < this.units; unit += 1) {
      const start = this.#starts[unit] ?? 0;
      const end = start + (this.#world.pairs[unit] ?? 0);
      let [total, count] = [0, 0];
      for (let at = start; at < end; at += 1) {
        const improvement =
          this.#lost === null ? (this.#improvements[at] ?? 0) : this.#judged(at, filled);
        if (improvement === null) continue;
        total += improvement;
        count += 1;
      }
      if (count === 0) continue;
      this.#means[kept] = this.#withoutNoise(total / count);
      kept += 1;
    }
    return kept === this.#means.length ? this.#means : this.#means.subarray(0, kept);
  }

  /** Whether the world says how often both cells of a tie have the better value. */
  get hasLevels(): boolean {
    return this.#world.bothBetter !== undefined;
  }

  /** The sample of units of one pair with so many wins and losses. */
  sampleOf({ wins, losses }: Pick<Discordance, 'wins' | 'losses'>): Sample {
    const { width } = this.#options;
    const values = this.#improvements;
    values
      .fill(width, 0, wins)
      .fill(-width, wins, wins + losses)
      .fill(0, wins + losses);
    const units = this.#drawnUnits().map((unit, at) => this.#fillUnit(unit, at));
    return this.#sampleWith(units, wins + losses);
  }

  #fillUnit(unit: DrawnUnit, at: number): DrawnUnit {
    const start = this.#starts[at] ?? 0;
    let total = 0;
    for (let pair = 0; pair < unit.values.length; pair += 1) {
      const improvement = this.#improvements[start + pair] ?? 0;
      const value = unit.values[pair];
      if (value !== undefined) value.improvement = improvement;
      total += improvement;
    }
    unit.improvement = this.#withoutNoise(total / unit.values.length);
    return unit;
  }

  #withoutNoise(value: number): number {
    return Math.abs(value) < 1e-12 * this.#options.width ? 0 : value;
  }

  /** A unit with the pairs that are left, or null without one. */
  #keptUnit(unit: DrawnUnit, at: number, filled: boolean): DrawnUnit | null {
    const start = this.#starts[at] ?? 0;
    const values = unit.values.flatMap((value, pair) => {
      const improvement = this.#judged(start + pair, filled);
      return improvement === null ? [] : [{ ...value, improvement }];
    });
    if (values.length === 0) return null;
    const total = values.reduce((sum, each) => sum + each.improvement, 0);
    const improvement = this.#withoutNoise(total / values.length);
    return { unit: unit.unit, improvement, pairs: values.length, values };
  }

  /**
   * Mean over each unit of one arm's values as shares of the range, from the worst value up; a lost value is left out, or counts as
   * `fill`. Needs a declared range and `levels`.
   */
  shares(arm: keyof LostCells, fill: number | null): number[] {
    const { width } = this.#options;
    return this.#starts.flatMap((start, unit) => {
      let [total, count] = [0, 0];
      for (let at = start; at < start + (this.#world.pairs[unit] ?? 0); at += 1) {
        const share = this.#isLost(arm, at) ? fill : this.#valueOf(arm, at) / width;
        if (share === null) continue;
        total += share;
        count += 1;
      }
      return count === 0 ? [] : [total / count];
    });
  }

  #valueOf(arm: keyof LostCells, at: number): number {
    const baseline = this.#baselines[at] ?? 0;
    return arm === 'baseline' ? baseline : baseline + (this.#improvements[at] ?? 0);
  }

  /** What the candidate's own cells show, where the law is one of single cells. */
  hits(): Hits {
    if (this.#counts !== null) {
      const { wins } = this.#counts;
      return { units: wins, cells: wins, lost: 0, hitOrLost: wins };
    }
    const found = { units: 0, cells: 0, lost: 0, hitOrLost: 0 };
    for (let unit = 0; unit < this.#starts.length; unit += 1) {
      const [hit, missing] = this.#hitsOf(unit);
      found.cells += hit;
      found.lost += missing;
      if (hit > 0) found.units += 1;
      if (hit + missing > 0) found.hitOrLost += 1;
    }
    return found;
  }

  /** Share of each unit's own cells above 0; a lost one is left out, or counts as `fill`. */
  ownShares(fill: number | null): number[] {
    return this.#starts.flatMap((_, unit) => {
      const [hit, missing] = this.#hitsOf(unit);
      const cells = (this.#world.pairs[unit] ?? 0) - (fill === null ? missing : 0);
      return cells === 0 ? [] : [(hit + missing * (fill ?? 0)) / cells];
    });
  }

  #hitsOf(unit: number): [hit: number, missing: number] {
    const start = this.#starts[unit] ?? 0;
    let [hit, missing] = [0, 0];
    for (let at = start; at < start + (this.#world.pairs[unit] ?? 0); at += 1) {
      if (this.#isLost('candidate', at)) missing += 1;
      else if ((this.#improvements[at] ?? 0) > 0) hit += 1;
    }
    return [hit, missing];
  }
}
