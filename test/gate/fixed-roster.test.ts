/** Claims about listed units: the noise of repeats is all the uncertainty, and without it there is no verdict. */
import { describe, expect, test } from 'vitest';
import { rosterBounds } from '../../src/stats/fixed-roster.ts';
import type { CaseTable, EvidenceTable } from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { computed } from '../support/statistics.ts';

const score = { kind: 'score', min: 0, max: 10, role: 'primary', direction: 'higher' } as const;

/** One case per unit; the baseline scores 2 in every repeat, so that the candidate's scores less 2 are the differences. */
function rosterOf(units: readonly (readonly number[])[], changes: Partial<EvidenceTable> = {}) {
  const cases = units.map(
    (scores, at): CaseTable => ({
      id: `c${at}`,
      unit: `u${at}`,
      cells: { baseline: 2, next: { repeats: scores } },
    }),
  );
  return {
    cases,
    repeats: units[0]?.length ?? 0,
    measures: { right: score },
    claim: { generalization: 'fixed-roster' },
    ...changes,
  } satisfies EvidenceTable;
}

function liftOf(table: EvidenceTable) {
  return gateOf(judged(table), 'lift:right');
}

const noisy = [
  [5, 6, 5],
  [4, 4, 5],
  [3, 5, 4],
];

describe('a fixed roster', () => {
  test('ships on three listed units whose repeats agree well', () => {
    const judgement = judged(rosterOf(noisy));
    expect(judgement.decision).toBe('ship');
    const { estimate, n, flags } = gateOf(judgement, 'lift:right');
    const expected = computed(
      rosterBounds(
        noisy.map((unit) => unit.map((each) => each - 2)),
        0.025,
      ),
    );
    expect(estimate).toMatchObject({
      estimand: 'mean improvement of the listed units',
      method: 'roster-t',
      guarantee: 'asymptotic',
      unseenLossShare: null,
    });
    expect(estimate?.value).toBeCloseTo(23 / 9, 11);
    expect(estimate?.interval.lower).toBeCloseTo(expected.lower, 10);
    expect(estimate?.interval.upper).toBeCloseTo(expected.upper, 10);
    expect(n).toMatchObject({ units: 3, pairs: 9 });
    expect(flags).toEqual([]);
  });

  test('takes the mean over the cases of a unit for its repeat', () => {
    const half = rosterOf([
      [4, 7, 5],
      [6, 5, 5],
      [4, 4, 5],
      [3, 5, 4],
    ]);
    const units = ['u0', 'u0', 'u1', 'u2'];
    const cases = half.cases.map((each, at) => ({ ...each, unit: units[at] ?? '' }));
    expect(liftOf({ ...half, cases }).estimate?.interval).toEqual(
      liftOf(rosterOf(noisy)).estimate?.interval,
    );
  });

  test('claims something about one listed unit', () => {
    expect(liftOf(rosterOf([[5, 6, 5, 6]]))).toMatchObject({ finding: 'cleared' });
  });

  test.each<[name: string, units: number[][], finding: string, reason: string]>([
    [
      'repeats that never differ',
      [
        [5, 5],
        [3, 3],
      ],
      'indeterminate',
      'no unit differed between its repeats, so their noise is unknown',
    ],
    [
      'one repeat',
      [[5], [3], [6]],
      'insufficient',
      'a unit has fewer than 2 complete repeats, so the noise of repeats is unknown',
    ],
  ])('never ships on %s', (_name, units, finding, reason) => {
    const judgement = judged(rosterOf(units));
    expect(gateOf(judgement, 'lift:right')).toMatchObject({ finding, reason, estimate: null });
    expect(judgement.decision).toBe('need_more_work');
  });

  test('counts the repeats that are left, and asks for more below two', () => {
    const [first, ...others] = rosterOf([
      [5, 6],
      [4, 5],
      [3, 5],
    ]).cases;
    const lost: CaseTable = {
      id: 'c0',
      unit: 'u0',
      cells: { baseline: 2, next: { repeats: [5, 'infrastructureFault'] } },
    };
    expect(first?.unit).toBe(lost.unit);
    const table = rosterOf([[0, 0]], { cases: [lost, ...others], maxLostShare: 0.5 });
    expect(liftOf(table)).toMatchObject({ finding: 'insufficient' });
  });

  test('tells of repeats where other designs plan further units', () => {
    const [plan] = judged(
      rosterOf([
        [2, 5],
        [5, 1],
      ]),
    ).furtherUnits;
    expect(plan?.atObserved).toEqual({
      effect: 1.25,
      units: null,
      further: null,
      reason: 'the roster of units is fixed; more repeats would narrow the interval',
    });
  });

  test('holds on a loss, and gives the same for any order of rows and names of cases', () => {
    const losing = rosterOf(noisy.map((unit) => unit.map((each) => 4 - each)));
    const scored = {
      ...losing,
      measures: { right: { ...score, min: -10 } },
    };
    const judgement = judged(scored);
    expect(judgement.decision).toBe('hold');
    const reversed = [...scored.cases].reverse().map((each, at) => ({ ...each, id: `x${at}` }));
    expect(liftOf({ ...scored, cases: reversed })).toEqual(gateOf(judgement, 'lift:right'));
    const gain = liftOf(rosterOf(noisy)).estimate?.interval;
    const loss = gateOf(judgement, 'lift:right').estimate?.interval;
    expect(loss?.lower).toBeCloseTo(0 - (gain?.upper ?? 0), 10);
  });
});

function factorial(n: number): number {
  return n < 2 ? 1 : n * factorial(n - 1);
}

interface UnitOutcome {
  readonly repeats: readonly number[];
  readonly probability: number;
}

/** Every outcome of a unit whose two arms pass each repeat with the same probability. */
function unitOutcomes(repeats: number, rate: number): UnitOutcome[] {
  const changed = rate * (1 - rate);
  const found: UnitOutcome[] = [];
  for (let gains = 0; gains <= repeats; gains += 1) {
    for (let losses = 0; gains + losses <= repeats; losses += 1) {
      const ties = repeats - gains - losses;
      const orders = factorial(repeats) / (factorial(gains) * factorial(losses) * factorial(ties));
      found.push({
        repeats: Array.from({ length: repeats }, (_, at) =>
          at < gains ? 1 : at < gains + losses ? -1 : 0,
        ),
        probability: orders * changed ** (gains + losses) * (1 - 2 * changed) ** ties,
      });
    }
  }
  return found;
}

describe('the false-ship rate of three listed units', () => {
  test.each([0.05, 0.2, 0.5])(
    'with four repeats and pass rate %d in both arms is at most nominal',
    (rate) => {
      const outcomes = unitOutcomes(4, rate);
      let total = 0;
      let cleared = 0;
      for (const one of outcomes) {
        for (const two of outcomes) {
          for (const three of outcomes) {
            const units = [one, two, three];
            const probability = units.reduce((product, each) => product * each.probability, 1);
            total += probability;
            const bounds = rosterBounds(
              units.map((each) => each.repeats),
              0.025,
            );
            if (!('status' in bounds) && bounds.lower > 1e-12) cleared += probability;
          }
        }
      }
      expect(total).toBeCloseTo(1, 12);
      expect(cleared).toBeGreaterThan(0.0001);
      expect(cleared).toBeLessThanOrEqual(0.025);
    },
  );
});
