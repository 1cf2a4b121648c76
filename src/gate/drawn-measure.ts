/**
 * What one simulated replicate gives one measure of one candidate: improvements of all pairs, and where losses are simulated or a gate
 * reads one arm, the values of both cells.
 *
 * Values are drawn into the same places again and again; whoever reads them is done before the next draw. Where units of one pair
 * win, tie or lose, whole counts are drawn.
 */
import type { Sample } from '../analysis/unit-value.ts';
import type { Uniform } from '../stats/draws.ts';
import { DrawnValues, type DrawOptions, isPaired, type MeasureWorld } from './drawn-values.ts';
import type { JointDraws, JointPlace } from './joint-draws.ts';
import { countsSampler, type Discordance } from './outcome-law.ts';

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
  readonly #width: number;
  readonly #values: DrawnValues;
  readonly #drawCounts: ((uniform: Uniform, levels: boolean) => Discordance) | null;
  readonly #levels: boolean;
  /** Whether wins, losses and ties of units are all there is to read. */
  readonly #counted: boolean;
  #units: readonly DrawnUnit[] | null = null;
  readonly #means: Float64Array;
  /** Pairs of a sample that only its counts are asked of. */
  #arranged: Float64Array | null = null;
  #counts: Discordance | null = null;
  #lost: LostCells | null = null;
  #seen: number;

  /** @param options.ordered  set where less than all units is read: they are drawn one after another */
  constructor(
    world: MeasureWorld,
    options: DrawOptions & { readonly losses: boolean; readonly ordered?: boolean },
  ) {
    const { width, levels, losses, ordered = false } = options;
    this.#world = world;
    this.#width = width;
    this.#levels = levels;
    this.#values = new DrawnValues(world, { width, levels, ordered });
    const units = world.pairs.length;
    this.#counted = !losses && isPaired(world, width) && world.pairs.every((count) => count === 1);
    this.#drawCounts =
      this.#counted && !ordered ? countsSampler(world.law, units, world.bothBetter) : null;
    this.#means = new Float64Array(units);
    this.#seen = units;
  }

  get measure(): string {
    return this.#world.measure;
  }

  /** Units that are read: all of them, or those of a look. */
  get units(): number {
    return this.#seen;
  }

  /** Reads only the first units from now on. */
  see(units: number): void {
    this.#seen = Math.min(units, this.#world.pairs.length);
    if (this.#drawCounts === null) this.#counts = null;
  }

  /** The units as samples hold them, made when a rule first asks for more than counts or means. */
  #drawnUnits(): readonly DrawnUnit[] {
    const { pairs: sizes, repeats = 1, units: places } = this.#world;
    this.#units ??= sizes.map((pairs, unit) => ({
      unit: String(places?.[unit] ?? unit),
      improvement: 0,
      pairs,
      values: Array.from({ length: pairs }, (_, at) => ({
        case: `${unit}-${Math.floor(at / repeats)}`,
        repeat: (at % repeats) + 1,
        improvement: 0,
      })),
    }));
    return this.#seen === sizes.length ? this.#units : this.#units.slice(0, this.#seen);
  }

  /** Units by the outcome of their one pair; null when more than that decides. */
  get counts(): Discordance | null {
    if (!this.#counted) return null;
    this.#counts ??= this.#countSeen();
    return this.#counts;
  }

  #countSeen(): Discordance {
    const { improvements, baselines } = this.#values;
    let [wins, losses, bothBetter] = [0, 0, 0];
    for (let at = 0; at < this.#seen; at += 1) {
      const improvement = improvements[at] ?? 0;
      if (improvement > 0) wins += 1;
      else if (improvement < 0) losses += 1;
      else if (this.#levels && (baselines[at] ?? 0) > 0) bothBetter += 1;
    }
    return { wins, losses, bothBetter };
  }

  /** Draws the next replicate; `lost` names the cells that give no value. */
  draw(uniform: Uniform, lost: LostCells | null): void {
    this.#lost = lost;
    this.#counts = this.#drawCounts === null ? null : this.#drawCounts(uniform, this.#levels);
    if (this.#drawCounts === null) this.#values.draw(uniform);
  }

  /** Takes the next replicate from what was drawn together with others, when every unit is drawn one after another. */
  take(joint: JointDraws, place: JointPlace, lost: LostCells | null): void {
    this.#lost = lost;
    this.#counts = null;
    this.#values.take(joint, place);
  }

  #isLost(arm: keyof LostCells, at: number): boolean {
    return this.#lost !== null && this.#lost[arm][this.#world.cells?.[at] ?? at] === 1;
  }

  /** Values lost, of both arms. */
  lostValues(): number {
    let found = 0;
    for (let at = 0; at < this.pairs; at += 1) {
      if (this.#isLost('candidate', at)) found += 1;
      if (this.#isLost('baseline', at)) found += 1;
    }
    return found;
  }

  /** Pairs of the units that are read. */
  get pairs(): number {
    const { improvements, starts } = this.#values;
    return starts[this.#seen] ?? improvements.length;
  }

  /** Improvement of a pair as it is judged, or null where it left. */
  #judged(at: number, filled: boolean): number | null {
    const improvement = this.#values.improvements[at] ?? 0;
    const [own, other] = [this.#isLost('candidate', at), this.#isLost('baseline', at)];
    if (!own && !other) return improvement;
    if (!filled) return null;
    const baseline = this.#values.baselines[at] ?? 0;
    return (own ? 0 : baseline + improvement) - (other ? this.#width : baseline);
  }

  /** The sample that gates on a difference read; `filled` counts every lost value against the candidate. */
  sample(filled = false): Sample {
    if (this.#drawCounts !== null && this.#counts !== null) return this.sampleOf(this.#counts);
    const { improvements } = this.#values;
    const all = this.#drawnUnits();
    const units =
      this.#lost === null
        ? all.map((unit, at) => this.#fillUnit(unit, at, improvements))
        : all.flatMap((unit, at) => this.#keptUnit(unit, at, filled) ?? []);
    return this.#sampleWith(units, 0);
  }

  #sampleWith(units: readonly DrawnUnit[], discordant: number): Sample {
    const { pairs } = this;
    const n = { units: units.length, pairs, cells: 2 * pairs, discordant };
    return { units, n, lost: [], plannedValues: 2 * pairs };
  }

  /** Mean improvement of every unit with a pair left, as samples hold it; valid until the next draw. */
  means(filled = false): Float64Array {
    const { improvements, starts } = this.#values;
    let kept = 0;
    for (let unit = 0; unit < this.units; unit += 1) {
      const start = starts[unit] ?? 0;
      const end = start + (this.#world.pairs[unit] ?? 0);
      let [total, count] = [0, 0];
      for (let at = start; at < end; at += 1) {
        const improvement =
          this.#lost === null ? (improvements[at] ?? 0) : this.#judged(at, filled);
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
    this.#arranged ??= new Float64Array(this.#world.pairs.length);
    const arranged = this.#arranged
      .fill(this.#width, 0, wins)
      .fill(-this.#width, wins, wins + losses)
      .fill(0, wins + losses);
    const units = this.#drawnUnits().map((unit, at) => this.#fillUnit(unit, at, arranged));
    return this.#sampleWith(units, wins + losses);
  }

  #fillUnit(unit: DrawnUnit, at: number, improvements: Float64Array): DrawnUnit {
    const start = this.#values.starts[at] ?? 0;
    let total = 0;
    for (let pair = 0; pair < unit.values.length; pair += 1) {
      const improvement = improvements[start + pair] ?? 0;
      const value = unit.values[pair];
      if (value !== undefined) value.improvement = improvement;
      total += improvement;
    }
    unit.improvement = this.#withoutNoise(total / unit.values.length);
    return unit;
  }

  #withoutNoise(value: number): number {
    return Math.abs(value) < 1e-12 * this.#width ? 0 : value;
  }

  /** A unit with the pairs that are left, or null without one. */
  #keptUnit(unit: DrawnUnit, at: number, filled: boolean): DrawnUnit | null {
    const start = this.#values.starts[at] ?? 0;
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
    return this.#startsSeen().flatMap((start, unit) => {
      let [total, count] = [0, 0];
      for (let at = start; at < start + (this.#world.pairs[unit] ?? 0); at += 1) {
        const share = this.#isLost(arm, at) ? fill : this.#valueOf(arm, at) / this.#width;
        if (share === null) continue;
        total += share;
        count += 1;
      }
      return count === 0 ? [] : [total / count];
    });
  }

  #startsSeen(): readonly number[] {
    const { starts } = this.#values;
    return this.#seen === starts.length ? starts : starts.slice(0, this.#seen);
  }

  #valueOf(arm: keyof LostCells, at: number): number {
    const { improvements, baselines } = this.#values;
    const baseline = baselines[at] ?? 0;
    return arm === 'baseline' ? baseline : baseline + (improvements[at] ?? 0);
  }

  /** What the candidate's own cells show, where the law is one of single cells. */
  hits(): Hits {
    const { counts } = this;
    if (counts !== null) {
      const { wins } = counts;
      return { units: wins, cells: wins, lost: 0, hitOrLost: wins };
    }
    const found = { units: 0, cells: 0, lost: 0, hitOrLost: 0 };
    for (let unit = 0; unit < this.#seen; unit += 1) {
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
    return this.#startsSeen().flatMap((_, unit) => {
      const [hit, missing] = this.#hitsOf(unit);
      const cells = (this.#world.pairs[unit] ?? 0) - (fill === null ? missing : 0);
      return cells === 0 ? [] : [(hit + missing * (fill ?? 0)) / cells];
    });
  }

  #hitsOf(unit: number): [hit: number, missing: number] {
    const { improvements, starts } = this.#values;
    const start = starts[unit] ?? 0;
    let [hit, missing] = [0, 0];
    for (let at = start; at < start + (this.#world.pairs[unit] ?? 0); at += 1) {
      if (this.#isLost('candidate', at)) missing += 1;
      else if ((improvements[at] ?? 0) > 0) hit += 1;
    }
    return [hit, missing];
  }
}
