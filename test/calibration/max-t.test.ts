/** False ships and power of max-T against Holm at 100 units, through the gates themselves; the figures are printed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { maxTStudy, maxTTable } from '../../scripts/calibration/max-t.mjs';
import {
  analyzeEvidence,
  type CandidateAnalysis,
  type MeasureAnalysis,
} from '../../src/analysis/analyze.ts';
import { judgeBounds } from '../../src/gate/multiplicity.ts';
import { normalQuantile } from '../../src/stats/distribution.ts';
import * as kernel from '../../src/stats/index.ts';
import { type RandomStream, randomStream } from '../../src/stats/random.ts';
import { evidenceOf } from '../support/evidence.ts';
import { upTo } from '../support/two-measures.ts';

const units = 100;
const nominal = 0.025;
const ids = upTo(units, (at) => `u${String(at).padStart(3, '0')}`);

/** Values of one unit: one per column, equally correlated, about a mean, with deviation 1. */
function correlated(stream: RandomStream, columns: number, correlation: number): number[] {
  const normal = (): number => normalQuantile(Math.max(stream.next(), 1e-12));
  const shared = Math.sqrt(correlation) * normal();
  return upTo(columns, () => shared + Math.sqrt(1 - correlation) * normal());
}

interface Design {
  readonly candidates: number;
  /** More than one: objectives of a pareto gate, whose floors are out of reach. */
  readonly objectives: number;
  readonly correlation: number;
  /** Mean improvement of each value. */
  readonly mean: number;
}

/** How often some candidate clears everything, by each multiplicity on the same draws, and what divided the error on average. */
function shipRates(
  { candidates, objectives, correlation, mean }: Design,
  draws: number,
  seed: string,
): { readonly holm: number; readonly maxT: number; readonly divisor: number } {
  const measures = upTo(objectives, (at) => `m${at}`);
  const gates =
    objectives === 1
      ? [{ gate: 'lift', measure: 'm0' }]
      : [{ gate: 'pareto', objectives: measures.map((measure) => ({ measure, margin: 1 })) }];
  const [holm, maxT] = (['holm', 'max-t'] as const).map((multiplicity) =>
    analyzeEvidence(
      evidenceOf({
        cases: ids.map((id) => ({ id, unit: id, cells: {} })),
        candidates: upTo(candidates, (at) => `c${String(at).padStart(2, '0')}`),
        measures: Object.fromEntries(
          measures.map((id, at) => [
            id,
            { kind: 'continuous', role: at === 0 ? 'primary' : 'guardrail', direction: 'higher' },
          ]),
        ),
        inference: { method: 't' },
        gates,
        multiplicity,
      }),
    ),
  );
  if (holm === undefined || maxT === undefined) throw new Error('two designs');
  const stream = randomStream(seed.repeat(64), 'max-t');
  const ships = { holm: 0, maxT: 0 };
  let divisors = 0;
  for (let replicate = 0; replicate < draws; replicate += 1) {
    const values = ids.map(() => correlated(stream, candidates * objectives, correlation));
    const drawn = holm.candidates.map((candidate, at): CandidateAnalysis => {
      const own = measures.map((id, measure): [string, MeasureAnalysis] => {
        const known = candidate.measures.get(id);
        if (known === undefined) throw new Error(`no measure ${id}`);
        const sample = {
          units: ids.map((unit, row) => {
            const improvement = mean + (values[row]?.[at * objectives + measure] ?? 0);
            return {
              unit,
              improvement,
              pairs: 1,
              values: [{ case: unit, repeat: 0, improvement }],
            };
          }),
          n: { units, pairs: units, cells: 2 * units, discordant: units },
          lost: [],
          plannedValues: 2 * units,
        };
        return [id, { ...known, sample, filled: sample, spared: sample }];
      });
      return { ...candidate, measures: new Map(own) };
    });
    for (const [name, analysis] of Object.entries({ holm, maxT })) {
      const judged = judgeBounds({ ...analysis, candidates: drawn }, false);
      const isShip = judged.some((each) =>
        each.contributions.every(({ finding }) => finding === 'cleared'),
      );
      if (isShip) ships[name as keyof typeof ships] += 1;
      const error = judged[0]?.contributions[0]?.errorLevel ?? nominal;
      if (name === 'maxT') divisors += nominal / error;
    }
  }
  return {
    holm: ships.holm / draws,
    maxT: ships.maxT / draws,
    divisor: divisors / draws,
  };
}

const replicates = 100;

/** Three Monte Carlo errors above nominal would be seen; without a correction ten independent tests ship in 22 %. */
function limit(decisions: number): number {
  return nominal + 3 * Math.sqrt((nominal * (1 - nominal)) / decisions);
}

describe('the complete null at 100 units', () => {
  let [ships, decisions] = [0, 0];

  test.each(
    [3, 5, 10].flatMap((candidates) =>
      [0, 0.5, 0.9].map((correlation) => ({ candidates, objectives: 1, correlation, mean: 0 })),
    ),
  )('$candidates candidates, correlation $correlation', (design) => {
    const { holm, maxT } = shipRates(design, replicates, 'a');
    // Whoever ships under Holm ships under max-T on the same draws.
    expect(maxT).toBeGreaterThanOrEqual(holm);
    expect(maxT).toBeLessThanOrEqual(limit(replicates));
    ships += maxT * replicates;
    decisions += replicates;
  });

  test.each(
    [1, 3, 5, 10].flatMap((objectives) =>
      [0, 0.5, 0.9].map((correlation) => ({ candidates: 1, objectives, correlation, mean: 0 })),
    ),
  )('$objectives objectives, correlation $correlation', (design) => {
    const { holm, maxT } = shipRates(design, replicates, 'b');
    expect(maxT).toBeGreaterThanOrEqual(holm);
    expect(maxT).toBeLessThanOrEqual(limit(replicates));
    ships += maxT * replicates;
    decisions += replicates;
  });

  test('all of them together', () => {
    process.stdout.write(`max-T at the complete null: ${ships} of ${decisions} decisions ship\n`);
    expect(decisions).toBe(21 * replicates);
    expect(ships / decisions).toBeLessThanOrEqual(limit(decisions));
    expect(ships / decisions).toBeGreaterThan(nominal / 2);
  });
}, 300_000);

test('more power than Holm where the tests are correlated, printed', () => {
  for (const design of [
    { candidates: 5, objectives: 1, correlation: 0.9, mean: 0.2 },
    { candidates: 1, objectives: 5, correlation: 0.9, mean: 0.2 },
  ]) {
    const { holm, maxT } = shipRates(design, replicates, 'c');
    process.stdout.write(
      `${design.candidates} candidates, ${design.objectives} objectives, correlation 0.9, effect 0.2 of a deviation: ${holm} by Holm, ${maxT} by max-T\n`,
    );
    expect(maxT).toBeGreaterThan(holm);
  }
}, 120_000);

describe('the complete null at few units', () => {
  const rows = maxTStudy(kernel, { trials: 300, seed: '2'.repeat(64), sizes: [20, 50] });

  test('ships no more often than the limit, and at least as often as Holm', () => {
    expect(rows).toHaveLength(32);
    for (const { holds, holm, maxT } of rows) {
      expect(holds).not.toBe(false);
      expect(maxT).toBeGreaterThanOrEqual(holm);
    }
    // The law was applied, and divided the error less than Holm somewhere: else nothing was shown.
    expect(rows.some(({ law }) => law === 1)).toBe(true);
    expect(rows.some(({ holm, maxT }) => maxT > holm)).toBe(true);
  });

  test('stands in the committed result, made by the same study, with nothing beyond its limit', () => {
    const text = readFileSync(join(import.meta.dirname, 'max-t-result.txt'), 'utf8');
    const designs = new Set(rows.map(({ name }) => name));
    for (const name of designs) expect(text).toContain(`| ${name} |`);
    expect(text).not.toContain('exceeded');
    expect(maxTTable(rows).split('\n')[0]).toBe(
      text.split('\n').find((line) => line.startsWith('| design')),
    );
  });
});
