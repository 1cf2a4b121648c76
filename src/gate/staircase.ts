/** Answers of a rule on wins and losses, kept while a simulation asks the same again and again. */
import type { Discordance } from './outcome-law.ts';

/**
 * Answers of a rule that only wins and losses of a number of units decide: with more wins or fewer losses it holds as well, the other
 * way it fails as well (DESIGN promise 11).
 */
export class Staircase {
  /** By losses: the fewest wins known to hold, the most known to fail. */
  readonly #holding: Int32Array;
  readonly #failing: Int32Array;

  constructor(units: number) {
    this.#holding = new Int32Array(units + 1).fill(units + 1);
    this.#failing = new Int32Array(units + 1).fill(-1);
  }

  ask({ wins, losses }: Pick<Discordance, 'wins' | 'losses'>, decide: () => boolean): boolean {
    if (wins >= (this.#holding[losses] ?? 0)) return true;
    if (wins <= (this.#failing[losses] ?? 0)) return false;
    const holds = decide();
    if (holds) {
      for (let at = losses; at >= 0 && (this.#holding[at] ?? 0) > wins; at -= 1)
        this.#holding[at] = wins;
    } else {
      for (let at = losses; at < this.#failing.length && (this.#failing[at] ?? 0) < wins; at += 1)
        this.#failing[at] = wins;
    }
    return holds;
  }
}

/** Something for each number of units and divisor. */
class ByDesign<Kept> {
  readonly #known = new Map<number, Kept[]>();
  readonly #make: (units: number) => Kept;

  constructor(make: (units: number) => Kept) {
    this.#make = make;
  }

  of(units: number, divisor: number): Kept {
    // A joint law divides by another number each time: nothing of it would be asked for again.
    if (!Number.isInteger(divisor)) return this.#make(units);
    let known = this.#known.get(units);
    if (known === undefined) {
      known = [];
      this.#known.set(units, known);
    }
    const found = known[divisor] ?? this.#make(units);
    known[divisor] = found;
    return found;
  }
}

/** A staircase for each number of units and divisor. */
export const staircases = (): ByDesign<Staircase> => new ByDesign((units) => new Staircase(units));

/** Answers by whole numbers. */
export function remembered(compute: (count: number, units: number, divisor: number) => boolean) {
  const known = new ByDesign<boolean[]>(() => []);
  return (count: number, units: number, divisor: number): boolean => {
    const answers = known.of(units, divisor);
    const found = answers[count] ?? compute(count, units, divisor);
    answers[count] = found;
    return found;
  };
}
