/** Values that one simulated replicate gives one measure of one candidate: improvements of all pairs, and the baseline's values where they are read. */
import type { Uniform } from '../stats/draws.ts';
import type { JointDraws, JointPlace } from './joint-draws.ts';
import { type PairLaw, quantileOf, sampler } from './outcome-law.ts';

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
  /** Place of each unit among all of the design's, where they are compared between measures. */
  readonly units?: readonly number[];
  /** Set where more is worse: what is drawn together with others is drawn against them. */
  readonly reversed?: true;
}

/** How a measure is read by the gates of a simulation. */
export interface DrawOptions {
  /** Width of its declared range, 0 without one. */
  readonly width: number;
  /** Whether more than improvements is read: one arm's values, or losses filled from the range. */
  readonly levels: boolean;
  /** Whether units are read in their order, at looks: a unit of several pairs then always has a number of its own. */
  readonly ordered?: boolean;
}

/** Whether a lattice holds a win, a tie and a loss of the whole width, as a binary pair does. */
export function isPaired({ law }: MeasureWorld, width: number): boolean {
  return (
    width > 0 &&
    law.kind === 'lattice' &&
    law.values.every((value) => value === 0 || Math.abs(value) === width)
  );
}

/** Draws the values of a measure into the same places again and again. */
export class DrawnValues {
  readonly improvements: Float64Array;
  /** The baseline's value of each pair above the worst one; empty where only improvements are read. */
  readonly baselines: Float64Array;
  /** Place of the first pair of each unit. */
  readonly starts: readonly number[];
  readonly #world: MeasureWorld;
  readonly #options: DrawOptions;
  readonly #draw: (uniform: Uniform) => number;
  readonly #quantile: (u: number) => number;
  readonly #shared: number;
  readonly #binary: boolean;

  constructor(world: MeasureWorld, options: DrawOptions) {
    this.#world = world;
    this.#options = options;
    this.#draw = sampler(world.law);
    this.#quantile = quantileOf(world.law);
    this.#binary = isPaired(world, options.width);
    this.#shared = Math.sqrt(world.correlation);
    let total = 0;
    this.starts = world.pairs.map((pairs) => {
      total += pairs;
      return total - pairs;
    });
    this.improvements = new Float64Array(total);
    this.baselines = new Float64Array(options.levels ? total : 0);
  }

  /** Draws every unit by itself. */
  draw(uniform: Uniform): void {
    const { pairs } = this.#world;
    for (let unit = 0; unit < pairs.length; unit += 1) this.#drawUnit(unit, uniform);
  }

  #drawUnit(unit: number, uniform: Uniform): void {
    const start = this.starts[unit] ?? 0;
    const count = this.#world.pairs[unit] ?? 0;
    const draw = this.#draw;
    const shares = count > 1 && (this.#shared > 0 || this.#options.ordered === true);
    const own = shares ? draw(uniform) : 0;
    const level = shares ? this.#level(own, uniform) : 0;
    for (let at = start; at < start + count; at += 1) {
      const alike = shares && uniform() < this.#shared;
      const drawn = alike ? own : draw(uniform);
      this.improvements[at] = drawn;
      if (this.#options.levels) this.baselines[at] = alike ? level : this.#level(drawn, uniform);
    }
  }

  /** Takes the numbers of its place among everything that was drawn together. */
  take(joint: JointDraws, place: JointPlace): void {
    const { pairs, cells, reversed } = this.#world;
    const { levels } = this.#options;
    for (let unit = 0; unit < pairs.length; unit += 1) {
      const start = this.starts[unit] ?? 0;
      const count = pairs[unit] ?? 0;
      const shared = count > 1 ? this.#shared : 0;
      for (let at = start; at < start + count; at += 1) {
        const slot = joint.slotOf(cells?.[at] ?? at, shared);
        const value = joint.value(place, slot);
        const drawn = this.#quantile(reversed === true ? 1 - value : value);
        this.improvements[at] = drawn;
        if (levels) this.baselines[at] = this.#level(drawn, () => joint.level(place, slot));
      }
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
}
