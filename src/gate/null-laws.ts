/** Laws of a measure's differences with their mean at a null: the regular and the rare-loss grid. */
import type { EffectGate } from './effect.ts';
import { type PairLaw, pairedLaw, rareLossLaw } from './outcome-law.ts';

const regularUnits = 5;
const discordances = [0.1, 0.2, 0.3, 0.5, 0.8] as const;
const expectedLosses = [0.5, 1, 2, 4] as const;
const deviations = [0.1, 0.25] as const;
/** Where units have several pairs, the grid of the calibration: at most half of them discordant. */
const mostDiscordantWithin = 0.5;
/** One gate with the sizes of its units. */
export interface PlannedGate {
  readonly gate: EffectGate;
  readonly width: number;
  readonly pairs: readonly number[];
}

/** Laws with their mean at a value, by grid; none where the declared range or the number of units admits none. */
export function lawsAt(
  planned: PlannedGate,
  mean: number,
  grid: 'regular' | 'rare-loss',
): readonly { readonly words: string; readonly law: PairLaw }[] {
  const { gate, width, pairs } = planned;
  const units = pairs.length;
  if (width === 0)
    return grid === 'regular'
      ? unboundedLaws(mean)
      : [
          {
            words: 'long tail of losses',
            law: { kind: 'lognormal', mean, deviation: 1, skew: -1 },
          },
        ];
  if (grid === 'rare-loss') {
    return expectedLosses.flatMap((losses) => {
      const loss = losses / units;
      const discordance = 2 * loss + mean / width;
      const law =
        gate.measure.kind === 'binary'
          ? pairedLaw({ mean, discordance, width })
          : rareLossLaw({ mean, loss, width });
      return law === null || loss >= 1 ? [] : [{ words: `${losses} units expected to lose`, law }];
    });
  }
  if (gate.measure.kind !== 'binary') {
    return deviations.map((share) => ({
      words: `differences with a standard deviation of ${share} of the range`,
      law: { kind: 'triangular', mean, deviation: share * width } as const,
    }));
  }
  const most = pairs.some((count) => count > 1) ? mostDiscordantWithin : 1;
  return discordances.flatMap((discordance) => {
    if (discordance > most) return [];
    const law = pairedLaw({ mean, discordance, width });
    if (law === null || law.kind !== 'lattice') return [];
    const rarest = unitsShowing(Math.min(...law.probabilities), pairs);
    return rarest < regularUnits
      ? []
      : [{ words: `${discordance * 100} % of pairs discordant`, law }];
  });
}

/** Units expected to have at least one pair of an outcome, were their pairs unrelated. */
function unitsShowing(probability: number, pairs: readonly number[]): number {
  let expected = 0;
  for (const count of pairs) {
    let without = 1;
    for (let pair = 0; pair < count; pair += 1) without *= 1 - probability;
    expected += 1 - without;
  }
  return expected;
}

/** The methods of unbounded measures shift and scale with the data: one deviation stands for all. */
function unboundedLaws(mean: number): readonly { readonly words: string; readonly law: PairLaw }[] {
  return [
    { words: 'normal differences', law: { kind: 'normal', mean, deviation: 1 } },
    { words: 'long tail of gains', law: { kind: 'lognormal', mean, deviation: 1, skew: 1 } },
  ];
}
