/** False ships where several objectives or several candidates share the error: at most nominal. */
import { describe, expect, test } from 'vitest';
import type { CandidateAnalysis, MeasureAnalysis } from '../../src/analysis/analyze.ts';
import { analyzeEvidence } from '../../src/analysis/analyze.ts';
import { sampleUnits } from '../../src/analysis/unit-value.ts';
import { judgeBounds } from '../../src/gate/multiplicity.ts';
import { type RandomStream, randomStream } from '../../src/stats/random.ts';
import { evidenceOf, rightMeasure } from '../support/evidence.ts';
import { guardrail, upTo } from '../support/two-measures.ts';

const units = 100;
const nominal = 0.025;

/** Draws one pair of a unit: baseline and candidate. */
type Draw = (stream: RandomStream) => readonly [baseline: number, candidate: number];

/** Right with this probability in both arms, independently. */
const noEffect =
  (rate: number): Draw =>
  (stream) => [stream.next() < rate ? 1 : 0, stream.next() < rate ? 1 : 0];

/** The candidate loses alone with `lost` and gains alone with `gained`; the rest are tied. */
const moved =
  (gained: number, lost: number): Draw =>
  (stream) => {
    const at = stream.next();
    return at < gained ? [0, 1] : at < gained + lost ? [1, 0] : [1, 1];
  };

interface Design {
  readonly measures: Readonly<Record<string, unknown>>;
  readonly gates: readonly unknown[];
  readonly candidates: readonly string[];
  readonly multiplicity?: unknown;
  readonly draws: Readonly<Record<string, Draw>>;
}

/** How often any candidate clears every required gate with a bound. */
function shipRate(design: Design, replicates: number, seed: string): number {
  const order = upTo(units, (at) => `u${String(at).padStart(3, '0')}`);
  const { draws, ...table } = design;
  const cases = order.map((id) => ({ id, unit: id, cells: {} }));
  const analysis = analyzeEvidence(evidenceOf({ ...table, cases }));
  const stream = randomStream(seed.repeat(64), 'false-ship');
  let shipped = 0;
  for (let replicate = 0; replicate < replicates; replicate += 1) {
    const drawn = analysis.candidates.map((candidate): CandidateAnalysis => {
      const own = Object.entries(draws).map(([id, draw]): [string, MeasureAnalysis] => {
        const known = candidate.measures.get(id);
        if (known === undefined) throw new Error(`no measure ${id}`);
        const pairs = order.map((unit) => {
          const [baseline, value] = draw(stream);
          const valued = (each: number) =>
            ({ status: 'valued', value: each, failed: false }) as const;
          return {
            unit,
            case: unit,
            repeat: 0,
            candidate: valued(value),
            baseline: valued(baseline),
          };
        });
        const sample = sampleUnits(known.measure, pairs, order);
        return [id, { ...known, pairs, sample, filled: sample, spared: sample }];
      });
      return { ...candidate, measures: new Map(own) };
    });
    const judged = judgeBounds({ ...analysis, candidates: drawn }, false);
    if (judged.some((each) => each.contributions.every(({ finding }) => finding === 'cleared'))) {
      shipped += 1;
    }
  }
  return shipped / replicates;
}

/** Three Monte Carlo errors above nominal would be seen; without a correction each of these designs is far beyond. */
function limit(replicates: number): number {
  return nominal + 2.5 * Math.sqrt((nominal * (1 - nominal)) / replicates);
}

describe('the complete null at 100 units', () => {
  test.each([1, 3, 5, 10])('%i objectives', (count) => {
    const ids = upTo(count, (at) => `m${at}`);
    const measures = Object.fromEntries(
      ids.map((id, at) => [id, at === 0 ? rightMeasure : guardrail]),
    );
    const objectives = ids.map((measure) => ({ measure, margin: 0.4 }));
    const gates =
      count === 1 ? [{ gate: 'lift', measure: 'm0' }] : [{ gate: 'pareto', objectives }];
    const draws = Object.fromEntries(ids.map((id) => [id, noEffect(0.6)]));
    const replicates = 800;
    const rate = shipRate({ measures, gates, candidates: ['next'], draws }, replicates, 'a');
    expect(rate).toBeLessThanOrEqual(limit(replicates));
    // The margins are so wide that it ships by chance gains alone: a rate of 0 would show nothing.
    expect(rate).toBeGreaterThan(0.003);
  });

  test('co-primary lifts: all must hold, so none needs a correction', () => {
    const gates = ['m0', 'm1'].map((measure) => ({ gate: 'lift', measure, threshold: 0 }));
    const measures = { m0: rightMeasure, m1: rightMeasure };
    // One is plainly better, the other not at all: the worst case of an intersection-union test.
    const draws = { m0: moved(0.5, 0.05), m1: noEffect(0.6) };
    const rate = shipRate({ measures, gates, candidates: ['next'], draws }, 800, 'b');
    expect(rate).toBeLessThanOrEqual(limit(800));
    expect(rate).toBeGreaterThan(0.003);
  });
});

describe('five candidates that all lift and all breach one guardrail by a hair', () => {
  const candidates = ['a', 'b', 'c', 'd', 'e'];

  test.each(['holm', { sequence: candidates }])('%j', (multiplicity) => {
    const measures = { right: rightMeasure, kind: guardrail };
    const gates = [
      { gate: 'lift', measure: 'right' },
      { gate: 'no-regression', measure: 'kind', margin: 0.1 },
    ];
    const draws = { right: moved(0.5, 0.05), kind: moved(0.05, 0.15) };
    const rate = shipRate({ measures, gates, candidates, multiplicity, draws }, 500, 'c');
    expect(rate).toBeLessThanOrEqual(limit(500));
    expect(rate).toBeGreaterThan(0);
  });
});
