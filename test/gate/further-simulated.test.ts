/** Further units by the power of each gate's own method, held to enumeration and to samples drawn here. */
import { describe, expect, test } from 'vitest';
import { fewestFrom } from '../../src/gate/further-simulated.ts';
import { furtherUnitsSchema } from '../../src/gate/further-units.ts';
import { clusteredMeanBounds } from '../../src/stats/clustered.ts';
import { uniformStream } from '../../src/stats/draws.ts';
import { rosterBounds } from '../../src/stats/fixed-roster.ts';
import { meanDifferenceBounds } from '../../src/stats/mean-difference.ts';
import { mcnemarExact, pairedRiskDifferenceBounds } from '../../src/stats/paired-binary.ts';
import { exactUnconditionalUnits } from '../../src/stats/power-paired-binary-exact.ts';
import {
  binaryCases,
  type CaseTable,
  type EvidenceTable,
  rightMeasure,
} from '../support/evidence.ts';
import { exampleTests } from '../support/examples.ts';
import { judged, ownPlan } from '../support/judged.ts';
import { computed, testSeed } from '../support/statistics.ts';

const gates = [
  { gate: 'lift', measure: 'right' },
  { gate: 'power', target: 0.8, atEffect: 0.2 },
];
const open: EvidenceTable = { gates, cases: binaryCases({ gains: 8, losses: 4, both: 28 }) };
const score = { kind: 'score', min: 0, max: 1, role: 'primary', direction: 'higher' } as const;
const continuous = { kind: 'continuous', role: 'primary', direction: 'higher' } as const;

/** Units of a few cases, whose improvements are given. */
function unitsOf(improvements: readonly (readonly number[])[], baseline = 0): CaseTable[] {
  return improvements.flatMap((unit, at) =>
    unit.map((value, of) => ({
      id: `u${at}-${of}`,
      unit: `u${at}`,
      cells: { baseline, next: baseline + value },
    })),
  );
}

/** Share of 400 samples that clear; its Monte Carlo error is at most 0.025. */
function shareOf(clears: (uniform: () => number) => boolean): number {
  const uniform = uniformStream(testSeed(1), 'samples');
  let cleared = 0;
  for (let at = 0; at < 400; at += 1) if (clears(uniform)) cleared += 1;
  return cleared / 400;
}

function pick<Value>(values: readonly Value[], uniform: () => number): Value {
  const found = values[Math.floor(uniform() * values.length)];
  if (found === undefined) throw new Error('there is something to pick');
  return found;
}

/** Values with their mean at an effect and their spread made unbiased. */
function moved(values: readonly number[], effect: number): number[] {
  const mean = values.reduce((total, value) => total + value, 0) / values.length;
  const stretch = Math.sqrt(values.length / (values.length - 1));
  return values.map((value) => effect + stretch * (value - mean));
}

exampleTests('src/gate/further-simulated.ts', { names: ['fewestFrom'], scope: { fewestFrom } });

describe('further units of pairs that win, tie or lose', () => {
  /** Power of Tango's bound with McNemar's test, by enumeration of every table. */
  function power(units: number, { gain, loss }: { gain: number; loss: number }): number {
    const logs = [0];
    for (let k = 1; k <= units; k += 1) logs.push((logs[k - 1] ?? 0) + Math.log(k));
    const log = (count: number): number => logs[count] ?? 0;
    let total = 0;
    for (let won = 0; won <= units; won += 1) {
      for (let lost = 0; won + lost <= units; lost += 1) {
        const tied = units - won - lost;
        const table = { both: tied, onlyCandidate: won, onlyBaseline: lost, neither: 0 };
        const { lower } = computed(pairedRiskDifferenceBounds(table, 0.025));
        if (!(lower > 0 && mcnemarExact(table).pGreater <= 0.025)) continue;
        const ways = log(units) - log(won) - log(lost) - log(tied);
        const likely = won * Math.log(gain) + lost * Math.log(loss);
        total += Math.exp(ways + likely + tied * Math.log(1 - gain - loss));
      }
    }
    return total;
  }

  test('are exact, the same every time, and reach the target that fewer units miss', () => {
    const found = ownPlan(open);
    expect(found).toMatchObject({ gate: 'lift:right', method: 'exact' });
    expect(found).not.toHaveProperty('simulations');
    expect(ownPlan(open)).toEqual(found);
    expect(furtherUnitsSchema.parse(found)).toEqual(found);
    const units = found.atEffect?.units ?? 0;
    // As seen, 30 % of the units differ; 20 % of them more win than lose.
    expect(power(units, { gain: 0.25, loss: 0.05 })).toBeGreaterThanOrEqual(0.8);
    expect(power(units - 6, { gain: 0.25, loss: 0.05 })).toBeLessThan(0.8);
    expect(found.atEffect?.further).toBe(units - 40);
    expect(found.atObserved.units).toBeGreaterThan(234);
    expect(found.atObserved.units).toBeLessThan(270);
  });

  test('follow the exact unconditional bound where it decides', () => {
    const found = ownPlan({ ...open, inference: { guarantee: 'finite-sample' } });
    expect(found.method).toBe('exact');
    const rates = { onlyCandidate: 0.25, onlyBaseline: 0.05 };
    const least = exactUnconditionalUnits({
      rates,
      threshold: 0,
      error: 0.025,
      power: 0.8,
      limit: 100,
    });
    expect(found.atEffect?.units).toBeGreaterThanOrEqual(least ?? 0);
    expect(found.atEffect?.units).toBeLessThanOrEqual((least ?? 0) + 4);
  });

  test('say that no number would do where the observed effect is not above the threshold', () => {
    const none = ownPlan({ ...open, cases: binaryCases({ gains: 4, losses: 4, both: 32 }) });
    expect(none.atObserved).toEqual({
      effect: 0,
      units: null,
      further: null,
      reason: 'no number of units would do',
    });
    expect(none.atEffect?.units).toBeGreaterThan(0);
  });

  test('are planned for units that are all alike, and stop at the largest number that is tried', () => {
    const gate = { gate: 'no-regression', measure: 'safe', margin: 0.05 };
    const measures = { right: rightMeasure, safe: { ...rightMeasure, role: 'guardrail' } };
    const cases = Array.from({ length: 20 }, (_, at): CaseTable => {
      const scores = { right: 1, safe: 1 };
      return { id: `u${at}`, unit: `u${at}`, cells: { baseline: { scores }, next: { scores } } };
    });
    // n >= z^2 (1 - M) / M without one pair that differs.
    expect(ownPlan({ measures, gates: [gate], cases }).atEffect?.units).toBe(73);
    const tiny = ownPlan({ ...open, cases: binaryCases({ gains: 21, losses: 20, both: 200 }) });
    expect(tiny.atObserved).toMatchObject({
      units: null,
      reason: 'more than 20000 units would be needed',
    });
  });
});

describe('further units of means', () => {
  test('are simulated for scores by the betting bound, whose price the normal approximation does not know', () => {
    const table = {
      measures: { right: score },
      gates,
      cases: unitsOf(
        Array.from({ length: 30 }, (_, at) => [0.05 + (at % 2 === 0 ? 0.12 : -0.12)]),
        0.5,
      ),
    };
    const found = ownPlan(table);
    expect(found).toMatchObject({ method: 'simulation', simulations: 400 });
    expect(found.atObserved.effect).toBeCloseTo(0.05, 12);
    const [approximate] = judged(table).furtherUnits;
    expect(found.atEffect?.units).toBeGreaterThan(4 * (approximate?.atEffect?.units ?? 100));
    expect(found.atObserved.units).toBeGreaterThan(2 * (approximate?.atObserved.units ?? 1000));
  });

  test('of unbounded measures clear their resampled bound as often as wanted', () => {
    const seen = Array.from({ length: 12 }, (_, at) => 0.3 + (at % 4) * 0.8 - (at % 3) * 0.9);
    const found = ownPlan({
      measures: { right: continuous },
      gates,
      cases: unitsOf(seen.map((value) => [value])),
    });
    expect(found).toMatchObject({ method: 'simulation', simulations: 400 });
    const { units, effect } = found.atObserved;
    const population = moved(seen, effect);
    // The bound is at most that of t, which is why t alone clears at least as often.
    const clears = (uniform: () => number): boolean => {
      const values = Array.from({ length: units ?? 0 }, () => pick(population, uniform));
      return computed(meanDifferenceBounds(values, 0.025)).lower > 0;
    };
    const share = shareOf(clears);
    expect(share).toBeGreaterThan(0.74);
    expect(share).toBeLessThan(0.9);
  });

  test('of weighed cases are drawn as whole units and read by their own bound', () => {
    const seen = Array.from({ length: 20 }, (_, unit) =>
      [0, 1, 2].map((at) => 0.12 + 0.4 * ((unit % 5) - 2) + 0.3 * (((unit + at) % 3) - 1)),
    );
    const found = ownPlan({
      measures: { right: continuous },
      inference: { weights: 'case' },
      gates,
      cases: unitsOf(seen),
    });
    expect(found.method).toBe('simulation');
    const { units, effect } = found.atObserved;
    const stretch = Math.sqrt(20 / 19);
    const population = seen.map((unit) => unit.map((value) => effect + stretch * (value - effect)));
    const share = shareOf((uniform) => {
      const drawn = Array.from({ length: units ?? 0 }, () => pick(population, uniform));
      return computed(clusteredMeanBounds(drawn, 0.025)).lower > 0;
    });
    expect(share).toBeGreaterThan(0.72);
    expect(share).toBeLessThan(0.88);
  });

  test('of weighed binary cases follow their likeness within units', () => {
    const alike = Array.from({ length: 24 }, (_, unit) =>
      [0, 1, 2, 3].map(() => (unit % 4 === 0 ? 1 : unit % 7 === 1 ? -1 : 0)),
    );
    const spread = Array.from({ length: 24 }, (_, unit) =>
      [0, 1, 2, 3].map((of) => ((unit + of) % 4 === 0 ? 1 : (5 * unit + of) % 7 === 1 ? -1 : 0)),
    );
    const neededBy = (seen: number[][]): number | null | undefined => {
      const cases = seen.flatMap((unit, of) =>
        unit.map((value, place) => ({
          id: `u${of}-${place}`,
          unit: `u${of}`,
          cells: { baseline: value < 0 ? 1 : 0, next: value > 0 ? 1 : 0 },
        })),
      );
      const guard = [{ gate: 'lift', measure: 'right', threshold: 0.15 }, gates[1]];
      return ownPlan({ gates: guard, inference: { weights: 'case' }, cases }).atEffect?.units;
    };
    // Four cases that agree tell as much as one.
    expect(neededBy(alike) ?? 0).toBeGreaterThan(
      2 * (neededBy(spread) ?? Number.POSITIVE_INFINITY),
    );
  });
});

describe('further repeats of a fixed roster', () => {
  test('clear its bound as often as wanted, and no number of units is named', () => {
    const seen = [
      [0.4, -0.3, 0.9],
      [0.1, 0.6, -0.4],
      [0.5, 0.3, -0.6],
      [0.9, -0.2, 0.2],
    ];
    const cases = seen.map((values, at) => ({
      id: `c${at}`,
      unit: `u${at}`,
      cells: { baseline: 4, next: { repeats: values.map((value) => 4 + value) } },
    }));
    const found = ownPlan({
      cases,
      gates,
      repeats: 3,
      measures: { right: { ...score, max: 10 } },
      claim: { generalization: 'fixed-roster' },
    });
    const { repeats, units, further, reason, effect } = found.atObserved;
    expect({ units, further }).toEqual({ units: null, further: null });
    expect(reason).toBe(
      `the roster of units is fixed; ${repeats?.all} repeats (${repeats?.further} more) would do`,
    );
    expect(repeats?.further).toBe((repeats?.all ?? 0) - 3);
    // Four units with a cent for each cell of both arms, in each repeat.
    expect(found.atObserved.cost?.knownUsd).toBeCloseTo(0.08 * (repeats?.further ?? 0), 10);
    const overall = seen.flat().reduce((total, value) => total + value, 0) / 12;
    const share = shareOf((uniform) => {
      const drawn = seen.map((unit) => {
        const mean = unit.reduce((total, value) => total + value, 0) / 3;
        const population = moved(unit, mean + effect - overall);
        return Array.from({ length: repeats?.all ?? 2 }, () => pick(population, uniform));
      });
      return computed(rosterBounds(drawn, 0.025)).lower > 0;
    });
    expect(share).toBeGreaterThan(0.72);
    expect(share).toBeLessThan(0.9);
  });
});
