/** The order of candidates as a simulation asks for it: Holm, max-T by the law of what was drawn, or a fixed sequence. */
import type { SealedExperiment } from '../spec/seal.ts';
import { candidateIds } from '../spec/spec.ts';
import { holmByBounds } from '../stats/multiplicity.ts';
import { type JointTest, jointLaw } from './joint-law.ts';
import { plannedFallback } from './multiplicity.ts';

/** What the order of candidates is made from. */
export interface OrderedCandidates {
  /** Whether a candidate's required gates with a bound clear with their error divided by this; may be asked again. */
  readonly clears: (candidate: number, divisor: number) => boolean;
  /** Tests of each candidate that a joint law is read off. */
  readonly tests: () => readonly (readonly JointTest[])[];
}

/** A candidate's place: whether it is rejected, and by what its error is divided, which takes time to say under max-T. */
export interface SimulatedPlace {
  readonly rejected: boolean;
  readonly divisor: () => number;
}

/** Whether several candidates are judged by the joint law of their units. */
export function joinsCandidates(seal: SealedExperiment): boolean {
  const { multiplicity } = seal.decision;
  if (multiplicity !== 'max-t' || candidateIds(seal.spec).length < 2) return false;
  return plannedFallback(seal) === null;
}

/** The sealed order of candidates, by answers to whether each clears. */
export class SimulatedOrder {
  readonly #seal: SealedExperiment;
  readonly #count: number;
  readonly #joins: boolean;
  /** Places of the candidates in a fixed sequence, null for another order. */
  readonly #sequence: readonly number[] | null;

  constructor(seal: SealedExperiment) {
    this.#seal = seal;
    const ids = candidateIds(seal.spec);
    this.#count = ids.length;
    this.#joins = joinsCandidates(seal);
    const { multiplicity } = seal.decision;
    this.#sequence =
      typeof multiplicity === 'string' ? null : multiplicity.sequence.map((id) => ids.indexOf(id));
  }

  /** One place for each candidate. */
  places(asked: OrderedCandidates): readonly SimulatedPlace[] {
    const all = Array.from({ length: this.#count }, (_, at) => at);
    if (this.#sequence !== null) {
      const order = this.#sequence;
      const stop = order.findIndex((at) => !asked.clears(at, 1));
      return all.map((at) => ({
        rejected: stop < 0 || order.indexOf(at) < stop,
        divisor: () => 1,
      }));
    }
    if (this.#joins) return this.#jointPlaces(all, asked);
    const clears = all.map((at) => levelsOf(all.length, (divisor) => asked.clears(at, divisor)));
    return holmByBounds(clears).map(({ rejected, divisor }) => ({
      rejected,
      divisor: () => divisor,
    }));
  }

  /**
   * The places of `stepDownByBounds`. Whoever clears as many whole divisors as are left is rejected whatever their joint law says, and
   * whoever clears none is not, so that the law is read in few replicates.
   */
  #jointPlaces(all: readonly number[], asked: OrderedCandidates): readonly SimulatedPlace[] {
    const depths = all.map((at) => {
      const levels = levelsOf(all.length, (divisor) => asked.clears(at, divisor));
      return levels.filter((cleared) => cleared).length;
    });
    const depthOf = (at: number): number => depths[at] ?? 0;
    const law = once(() => jointLaw(asked.tests(), this.#seal.analysis.errorLevels.lift));
    const places = all.map((): SimulatedPlace => ({ rejected: false, divisor: () => all.length }));
    let open = [...all].sort((one, other) => depthOf(other) - depthOf(one) || one - other);
    let before = (): number => all.length;
    for (let [first] = open; first !== undefined && depthOf(first) > 0; [first] = open) {
      const [left, larger] = [open, before];
      const divisor = once(() => Math.min(larger(), law().divisor(left)));
      const next =
        depthOf(first) >= open.length
          ? first
          : open.find((at) => depthOf(at) >= Math.floor(divisor()) && asked.clears(at, divisor()));
      if (next === undefined) break;
      places[next] = { rejected: true, divisor };
      before = divisor;
      open = open.filter((at) => at !== next);
    }
    return places;
  }
}

/** Answers for each whole divisor: who fails at an error fails at every smaller one. */
function levelsOf(count: number, clears: (divisor: number) => boolean): boolean[] {
  let cleared = true;
  return Array.from({ length: count }, (_, index) => {
    cleared &&= clears(index + 1);
    return cleared;
  });
}

/** Computes a value when it is first asked for. */
function once<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | null = null;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
