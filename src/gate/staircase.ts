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
