/** What a plan assumes of gates on the gap of two measures: what one gains with the other, and in which units they meet. */
import { measureOf } from '../analysis/evidence.ts';
import { rangeWidth } from '../analysis/unit-value.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import type { EffectGate } from './effect.ts';
import { wordsOf } from './effect-words.ts';
import type { Layout, PlanDesign } from './plan-world.ts';
import { type GapWorld, gapGates, gapMeasures, type UnitPlaces } from './simulated-gap.ts';

/** The measures of a gap as gates on a difference whose laws a world draws; nothing is decided by them. */
export function gapDrawings(seal: SealedExperiment): readonly EffectGate[] {
  return [...gapMeasures(seal)].map((measureId) => ({
    gate: 'no-regression',
    name: measureId,
    measureId,
    measure: measureOf(seal, measureId),
    required: false,
    method: 'betting-fixed-n',
    threshold: 0,
    minimumEffect: null,
    words: wordsOf['no-regression'],
  }));
}

/** Whether a gate holds a measure against the one that improves. */
export function isPartner(seal: SealedExperiment, measure: string, improved: string): boolean {
  return gapGates(seal).some(
    ({ gap: { ahead, behind } }) =>
      (ahead === improved && behind === measure) || (behind === improved && ahead === measure),
  );
}

/**
 * What a measure gains with the improved one: nothing, unless stated, but as much where a gate holds the two against each other.
 * @param at.held  what the held one gains in place of that, as a share
 */
export function followedEffect(
  { seal, assumptions }: PlanDesign,
  { measureId, measure }: EffectGate,
  at: {
    readonly improved: EffectGate;
    readonly effect: number;
    readonly held: number | undefined;
  },
): number {
  const { improved, effect, held } = at;
  const isHeld = isPartner(seal, measureId, improved.measureId);
  const stated = assumptions?.measures?.[measureId]?.follows ?? (isHeld ? 1 : 0);
  const share = isHeld ? (held ?? stated) : stated;
  const [own, other] = [rangeWidth(measure), rangeWidth(improved.measure)];
  return share === 0 || other === 0 ? 0 : (share * effect * own) / other;
}

/** Where the gaps of a seal's gates lie among the units of a layout. */
export function gapWorlds(seal: SealedExperiment, layout: Layout): readonly GapWorld[] {
  const placesOf = (measure: string): UnitPlaces => {
    const { pairs, units } = layout.of(measure);
    return { places: units, pairs };
  };
  return gapGates(seal).map(({ name: gate, gap }) => ({
    gate,
    ahead: placesOf(gap.ahead),
    behind: placesOf(gap.behind),
  }));
}
