/**
 * Numbers that measures and candidates are drawn from together: one for every cell of every candidate and measure, and one for what all
 * cells of a unit share.
 *
 * A candidate takes part in what candidates share with probability sqrt(correlation), a measure in what measures share likewise. Two
 * measures of a candidate then have exactly the stated correlation where their laws have one shape, two candidates in one measure as
 * well, and another candidate's other measure the product of both. Laws of different shapes, and below 0 those that are not symmetric,
 * have that times the largest correlation their shapes admit.
 */
import { LiftgateError } from '../base/errors.ts';
import type { Uniform } from '../stats/draws.ts';

/** How the draws of a world belong together. */
export interface JointWorld {
  /** Correlation of two measures of one candidate, in [-1, 1]; below 0 for two measures only. */
  readonly measures: number;
  /** Correlation of two candidates in one measure, in [0, 1]. */
  readonly candidates: number;
  /** Place of its unit, for each cell of one arm. */
  readonly unitOf: readonly number[];
}

/** Place of a measure of a candidate among all that are drawn. */
export interface JointPlace {
  readonly candidate: number;
  readonly measure: number;
}

function tooManyNegative(measures: number): LiftgateError {
  return new LiftgateError(
    'design-refused',
    `A negative correlation between measures is stated, but ${measures} are drawn: one number below 0 holds between two of them only.`,
    {
      where: { path: 'assume.joint.measures' },
      mend: 'State a correlation from 0 to 1, or leave it out.',
    },
  );
}

/** Draws the numbers of one replicate after another into the same places. */
export class JointDraws {
  readonly #world: JointWorld;
  readonly #candidates: number;
  readonly #leveled: boolean;
  readonly #shares: { readonly measure: number; readonly candidate: number };
  readonly #byMeasure: Float64Array;
  readonly #measureShares: Uint8Array;
  readonly #units: number;
  readonly #slots: number;
  /** For each candidate and measure: its numbers by cell, then by unit; all of them once for the value and once for the level. */
  readonly #values: Float64Array;
  readonly #levels: Float64Array;
  /** Against which each cell's likeness to its unit is held. */
  readonly #alike: Float64Array;

  /** @param sizes.leveled  whether anything reads more than differences */
  constructor(
    world: JointWorld,
    {
      candidates,
      measures,
      leveled,
    }: { readonly candidates: number; readonly measures: number; readonly leveled: boolean },
  ) {
    if (world.measures < 0 && measures !== 2) throw tooManyNegative(measures);
    this.#world = world;
    this.#candidates = candidates;
    this.#leveled = leveled;
    this.#shares = {
      measure: Math.sqrt(Math.abs(world.measures)),
      candidate: Math.sqrt(world.candidates),
    };
    this.#byMeasure = new Float64Array(measures);
    this.#measureShares = new Uint8Array(measures);
    const cells = world.unitOf.length;
    this.#units = world.unitOf.reduce((most, unit) => Math.max(most, unit + 1), 0);
    this.#slots = cells + this.#units;
    const size = candidates * measures * this.#slots;
    this.#values = new Float64Array(size);
    this.#levels = new Float64Array(leveled ? size : 0);
    this.#alike = new Float64Array(cells);
  }

  /** Draws the next replicate. */
  next(uniform: Uniform): void {
    const cells = this.#world.unitOf.length;
    const several = this.#units < cells;
    const slots = several ? this.#slots : cells;
    for (let slot = 0; slot < slots; slot += 1) {
      this.#fill(this.#values, slot, uniform);
      if (this.#leveled) this.#fill(this.#levels, slot, uniform);
    }
    for (let cell = 0; several && cell < cells; cell += 1) this.#alike[cell] = uniform();
  }

  /** One number for every candidate and measure in one place; who shares takes the number of all that share with it. */
  #fill(into: Float64Array, slot: number, uniform: Uniform): void {
    const count = this.#byMeasure.length;
    const common = uniform();
    for (let measure = 0; measure < count; measure += 1) {
      this.#byMeasure[measure] = uniform();
      this.#measureShares[measure] = uniform() < this.#shares.measure ? 1 : 0;
    }
    const first = slot * this.#candidates * count;
    for (let candidate = 0; candidate < this.#candidates; candidate += 1) {
      const place = first + candidate * count;
      const shares = uniform() < this.#shares.candidate;
      this.#fillCandidate(into.subarray(place, place + count), shares ? common : null, uniform);
    }
    for (let at = 1; this.#world.measures < 0 && at < this.#candidates * count; at += 2) {
      into[first + at] = 1 - (into[first + at] ?? 0);
    }
  }

  /** @param common  what candidates share, or null for one that takes no part in it */
  #fillCandidate(into: Float64Array, common: number | null, uniform: Uniform): void {
    const own = common ?? uniform();
    for (let measure = 0; measure < into.length; measure += 1) {
      const alone = common === null ? uniform() : (this.#byMeasure[measure] ?? 0);
      into[measure] = this.#measureShares[measure] === 1 ? own : alone;
    }
  }

  /**
   * Where the numbers of a cell stand: with those of its unit where the two are alike.
   * @param likeness  probability that they are
   */
  slotOf(cell: number, likeness: number): number {
    const isAlike = likeness > 0 && (this.#alike[cell] ?? 1) < likeness;
    return isAlike ? this.#world.unitOf.length + (this.#world.unitOf[cell] ?? 0) : cell;
  }

  value(place: JointPlace, slot: number): number {
    return this.#values[this.#at(place, slot)] ?? 0;
  }

  level(place: JointPlace, slot: number): number {
    return this.#levels[this.#at(place, slot)] ?? 0;
  }

  #at({ candidate, measure }: JointPlace, slot: number): number {
    return (slot * this.#candidates + candidate) * this.#byMeasure.length + measure;
  }
}
