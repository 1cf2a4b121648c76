/** Samples of more units, or of more repeats, as an open gate would read them: those that were seen, their mean moved to an effect. */
import type { PairValue, Sample, UnitValue } from '../analysis/unit-value.ts';
import { rangeWidth } from '../analysis/unit-value.ts';
import type { Rows } from '../base/rows.ts';
import type { Uniform } from '../stats/draws.ts';
import { largest, moments, sum } from '../stats/summary.ts';
import { DrawnMeasure } from './drawn-measure.ts';
import type { EffectGate } from './effect.ts';
import { pairedLaw } from './outcome-law.ts';
import { unitCorrelation } from './pilot.ts';

/** What was seen of a gate: its sample and the estimate of the mean, on the scale of the improvement. */
export interface SeenGate {
  readonly gate: EffectGate;
  readonly sample: Sample;
  readonly value: number;
}

/** Draws one sample after another, each of so many units (of a fixed roster: repeats); valid until the next. */
export type SampleSource = (size: number) => (uniform: Uniform) => Sample;

/** The share of pairs that differ: as seen, but no less than the effect alone needs. */
export function discordanceAt({ gate, sample }: SeenGate, effect: number): number {
  const { discordant, pairs } = sample.n;
  const least = Math.abs(effect) / rangeWidth(gate.measure);
  return Math.min(1, Math.max(pairs === 0 ? 0 : discordant / pairs, least));
}

/**
 * A source of samples whose mean is the effect.
 *
 * Binary measures with weighed cases draw wins, ties and losses at the discordance and likeness within units that were seen; a fixed
 * roster draws repeats of its units, every other design whole units. What is drawn from few values spreads too little: its distance
 * from the mean is stretched by sqrt(k / (k - 1)), as far as a declared range has room.
 *
 * @returns null where the declared range has no room for the effect
 */
export function sourceAt(seen: SeenGate, effect: number): SampleSource | null {
  switch (seen.gate.method) {
    case 'roster-t':
      return repeatsSource(seen, effect);
    case 'tango-effective-n':
      return casesSource(seen, effect);
    case 'tango-score':
    case 'exact-unconditional':
    case 'betting-fixed-n':
    case 'betting-sequence':
    case 't':
    case 't-bootstrap-t':
    case 'cr2':
      return unitsSource(seen, effect);
  }
}

/** Stretches a sample to an unbiased spread; nothing stretches a single value. */
function stretchOf(count: number): number {
  return count < 2 ? 1 : Math.sqrt(count / (count - 1));
}

/** The units that were seen with their mean moved to the effect; null where the declared range has no room for it. */
export function movedUnits(
  { gate, sample, value }: SeenGate,
  effect: number,
): readonly UnitValue[] | null {
  const { units } = sample;
  const width = rangeWidth(gate.measure);
  const room = width === 0 ? Number.POSITIVE_INFINITY : width - Math.abs(effect);
  if (room < 0) return null;
  const farthest = largest(units.map(({ improvement }) => Math.abs(improvement - value)));
  const scale = Math.min(stretchOf(units.length), farthest > 0 ? room / farthest : 1);
  const moved = (improvement: number): number => effect + scale * (improvement - value);
  return units.map((unit) => ({
    ...unit,
    improvement: moved(unit.improvement),
    values: unit.values.map((pair) => ({ ...pair, improvement: moved(pair.improvement) })),
  }));
}

function unitsSource(seen: SeenGate, effect: number): SampleSource | null {
  const templates = movedUnits(seen, effect);
  if (templates === null) return null;
  return (size) => (uniform) =>
    sampleOf(
      Array.from(
        { length: size },
        () => templates[Math.floor(uniform() * templates.length)],
      ).filter((unit) => unit !== undefined),
    );
}

/** A sample of drawn units. */
export function sampleOf(units: Rows<UnitValue>): Sample {
  const pairs = units.reduce((total, unit) => total + unit.pairs, 0);
  const n = { units: units.length, pairs, cells: 2 * pairs, discordant: 0 };
  return { units, n, lost: [], plannedValues: 2 * pairs };
}

/** Units of the sizes that were seen, again from the first one when more are wanted. */
function casesSource(seen: SeenGate, effect: number): SampleSource | null {
  const { gate, sample } = seen;
  const width = rangeWidth(gate.measure);
  const law = pairedLaw({ mean: effect, discordance: discordanceAt(seen, effect), width });
  if (law === null) return null;
  const correlation =
    unitCorrelation(
      sample.units.map(({ values }) => values.map(({ improvement }) => improvement)),
    ) ?? 0;
  return (size) => {
    const pairs = Array.from(
      { length: size },
      (_, at) => sample.units.at(at % sample.units.length)?.pairs ?? 1,
    );
    const world = { measure: gate.measureId, law, correlation, pairs };
    const drawn = new DrawnMeasure(world, { width, levels: false, losses: false });
    return (uniform) => {
      drawn.draw(uniform, null);
      return drawn.sample();
    };
  };
}

/** Mean improvement of every repeat of a unit. */
function repeatMeans({ values }: UnitValue): number[] {
  const byRepeat = new Map<number, PairValue[]>();
  for (const pair of values) {
    byRepeat.set(pair.repeat, [...(byRepeat.get(pair.repeat) ?? []), pair]);
  }
  return [...byRepeat.values()].map(
    (pairs) => sum(pairs.map(({ improvement }) => improvement)) / pairs.length,
  );
}

/** Every listed unit with so many repeats, drawn from those it has. */
function repeatsSource({ sample, value }: SeenGate, effect: number): SampleSource {
  const templates = sample.units.map((unit) => {
    const means = repeatMeans(unit);
    const { mean } = moments(means);
    const stretch = stretchOf(means.length);
    return {
      unit: unit.unit,
      means: means.map((each) => mean + effect - value + stretch * (each - mean)),
    };
  });
  return (size) => (uniform) =>
    sampleOf(
      templates.map(({ unit, means }) => {
        const values = Array.from({ length: size }, (_, repeat) => ({
          case: unit,
          repeat,
          improvement: means[Math.floor(uniform() * means.length)] ?? 0,
        }));
        const improvement = sum(values.map((pair) => pair.improvement)) / size;
        return { unit, improvement, pairs: size, values };
      }),
    );
}
