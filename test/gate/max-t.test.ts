/** `multiplicity: max-t`: what divides the error of several candidates and of several objectives, and when Holm takes its place. */
import { describe, expect, test } from 'vitest';
import { jointFloors, jointLaw } from '../../src/gate/joint-law.ts';
import { judgeEvidence } from '../../src/gate/judge.ts';
import { plannedFallback } from '../../src/gate/multiplicity.ts';
import { decide } from '../../src/report/decision.ts';
import { placeText } from '../../src/report/verdict-lines.ts';
import { jointDivisor } from '../../src/stats/joint-normal.ts';
import { randomStream } from '../../src/stats/random.ts';
import { type EvidenceTable, evidenceOf, rightMeasure } from '../support/evidence.ts';
import { guardrail, upTo } from '../support/two-measures.ts';

const stream = randomStream('d3'.repeat(32), 'max-t');
/** One draw per unit, shared by all candidates, so that their differences are correlated. */
const shared = upTo(200, () => [stream.next(), stream.next(), stream.next()] as const);

interface Changes extends Partial<EvidenceTable> {
  readonly units?: number;
}

/** Candidates a and b gain in most units where the baseline is wrong, nearly the same ones. */
function table({ units = 60, ...changes }: Changes = {}): EvidenceTable {
  const cases = shared.slice(0, units).map(([base, both, own], at) => {
    const baseline = base < 0.5 ? 1 : 0;
    const improved = baseline === 1 || both < 0.7 ? 1 : 0;
    const cells = { right: improved, kind: 1 };
    return {
      id: `c${at}`,
      unit: `u${at}`,
      cells: {
        baseline: { scores: { right: baseline, kind: 1 } },
        a: { scores: cells },
        b: { scores: { ...cells, right: own < 0.8 ? improved : baseline } },
      },
    };
  });
  return {
    cases,
    candidates: ['a', 'b'],
    measures: { right: rightMeasure, kind: guardrail },
    gates: [{ gate: 'lift', measure: 'right' }],
    multiplicity: 'max-t',
    ...changes,
  };
}

const judged = (changes?: Changes) => judgeEvidence(evidenceOf(table(changes))).candidates;

describe('several candidates under max-t', () => {
  test('divide the error by what the correlation of their differences asks for', () => {
    const [a, b] = judged();
    const correlation = a?.correction?.smallestCorrelation ?? 0;
    expect(a?.correction).toEqual({
      applied: 'max-t',
      reason: 'the required gates are differences over the same units',
      smallestCorrelation: correlation,
    });
    expect(correlation).toBeGreaterThan(0.6);
    const both = jointDivisor(
      [
        [1, correlation],
        [correlation, 1],
      ],
      0.025,
    );
    expect(both).toBeLessThan(1.8);
    expect(a?.step).toEqual({ rejected: true, step: 1, divisor: both });
    expect(b?.step).toEqual({ rejected: true, step: 2, divisor: 1 });
    expect(a?.contributions[0]?.errorLevel).toBeCloseTo(0.025 / both, 10);
    expect(a?.contributions[0]?.flags).toContain('stepwise');
  });

  test('show those that are not rejected at the error of Bonferroni, and judge a breach on it', () => {
    const worse = table().cases.map((each) => ({
      ...each,
      cells: { ...each.cells, b: { scores: { right: 0, kind: 1 } } },
    }));
    const [a, b] = judged({ cases: worse });
    expect(a?.step).toMatchObject({ rejected: true, step: 1 });
    expect(b?.step).toEqual({ rejected: false, step: 2, divisor: 2 });
    expect(b?.contributions[0]).toMatchObject({ finding: 'breached', errorLevel: 0.0125 });
  });

  test.each<readonly [string, Changes, RegExp]>([
    [
      'a gate on one arm',
      {
        gates: [
          { gate: 'lift', measure: 'right' },
          { gate: 'rate', measure: 'right', arm: 'candidate', min: 0.1 },
        ],
      },
      /^the gate rate:.* has no joint law over candidates$/,
    ],
    [
      'a finite-sample guarantee',
      { inference: { guarantee: 'finite-sample' } },
      /^the sealed guarantee is finite-sample/,
    ],
    ['19 units', { units: 19 }, /^lift:right has 19 units, a joint law needs 20$/],
    [
      'a guardrail that never differs',
      {
        gates: [
          { gate: 'lift', measure: 'right' },
          { gate: 'no-regression', measure: 'kind', margin: 0.2 },
        ],
      },
      /^no-regression:kind differs in 0 units, a joint law needs 10$/,
    ],
    [
      'weights by case',
      { inference: { weights: 'case' } },
      /^the method tango-effective-n of lift:right is pooled over cases$/,
    ],
  ])('fall back to Holm with %s, and say why', (what, changes, reason) => {
    const depends = /^19 units|differs/.test(what);
    const found = judged(changes);
    const holm = judged({ ...changes, multiplicity: 'holm' });
    expect(found.map(({ step, contributions }) => ({ step, contributions }))).toEqual(
      holm.map(({ step, contributions }) => ({ step, contributions })),
    );
    const planned = plannedFallback(evidenceOf(table(changes)).seal);
    if (depends) expect(planned).toBeNull();
    else expect(planned).toMatch(reason);
    for (const { correction } of found) {
      expect(correction).toMatchObject({ applied: 'holm', smallestCorrelation: null });
      expect(correction?.reason).toMatch(reason);
    }
  });

  test('are not corrected where there is one, and Holm records nothing new', () => {
    const [only] = judged({ candidates: ['a'] });
    expect(only).toMatchObject({ correction: null, step: { divisor: 1 } });
    expect(judged({ multiplicity: 'holm' }).map(({ correction }) => correction)).toEqual([
      null,
      null,
    ]);
    const document = decide(evidenceOf(table({ multiplicity: 'holm' })), {
      ...{ expose: null, fence: null, startedAt: null, endedAt: null },
    });
    expect(document.decisions.every((each) => !('correction' in each))).toBe(true);
  });

  test('are told in the report', () => {
    const { decisions } = decide(evidenceOf(table()), {
      ...{ expose: null, fence: null, startedAt: null, endedAt: null },
    });
    const [first] = decisions;
    if (first === undefined) throw new Error('a decision');
    expect(placeText(first.step, 'max-t', first.correction)).toMatch(
      /^Step 1 of 2 by max-T: the required gates are differences over the same units, their smallest correlation is 0\.\d+; the interval is that of its step \(error divided by 1\.\d+, by Holm 2\)\.$/,
    );
    const fallback = { applied: 'holm', reason: 'why', smallestCorrelation: null } as const;
    expect(placeText({ rejected: false, step: 2, of: 2, divisor: 2 }, 'max-t', fallback)).toBe(
      "Not rejected in Holm's order: the interval is at error divided by 2. Holm in place of max-T: why.",
    );
  });
});

describe('objectives of a pareto gate under max-t', () => {
  const objectives = {
    gate: 'pareto',
    objectives: [
      { measure: 'right', margin: 0.5 },
      { measure: 'kind', margin: 0.5 },
    ],
  };
  /** `kind` follows `right` in most units. */
  const follows = table().cases.map(({ cells, ...rest }, at) => {
    const right = (arm: 'baseline' | 'a') =>
      (cells[arm] as { scores: { right: number } }).scores.right;
    const kind = at % 10 === 0 ? right('baseline') : right('a');
    return {
      ...rest,
      cells: {
        baseline: { scores: { right: right('baseline'), kind: right('baseline') } },
        a: { scores: { right: right('a'), kind } },
      },
    };
  });

  test('divide the error by their joint law, and the reason says by what', () => {
    const found = (multiplicity: string) =>
      judged({ cases: follows, candidates: ['a'], gates: [objectives], multiplicity })[0]
        ?.contributions[0];
    const joint = found('max-t');
    const plain = found('none');
    expect(joint?.reason).toMatch(
      /; by max-T over 2 objectives the error is divided by 1\.[0-6]\d*$/,
    );
    expect(plain?.reason).not.toContain('max-T');
    expect(plain?.errorLevel).toBe(0.0125);
    expect(joint?.errorLevel).toBeGreaterThan(0.0125);
    expect(joint?.errorLevel).toBeLessThan(0.025);
  });

  test('divide it by their number without a law, and say why', () => {
    const [only] = judged({ candidates: ['a'], gates: [objectives] });
    expect(only?.contributions[0]).toMatchObject({ errorLevel: 0.0125 });
    expect(only?.contributions[0]?.reason).toMatch(
      /; the error is divided by 2, there is no max-T: kind differs in 0 units, a joint law needs 10$/,
    );
  });
});

describe('jointLaw', () => {
  const sampleOf = (values: readonly number[], from = 0) => ({
    units: values.map((improvement, at) => ({
      unit: `u${at + from}`,
      improvement,
      pairs: 1,
      values: [],
    })),
    n: { units: values.length, pairs: values.length, cells: 0, discordant: 0 },
    lost: [],
    plannedValues: 0,
  });
  const claim = (values: readonly number[], from = 0) => ({
    name: 'gate',
    method: 't' as const,
    sample: sampleOf(values, from),
  });
  const wave = upTo(40, (at) => ((at * 7) % 11) - 5);

  test('takes the smallest correlation over the gates of each two', () => {
    const other = upTo(40, (at) => ((at * 5) % 7) - 3);
    const same = jointLaw([[claim(wave)], [claim(wave)]], 0.025);
    expect(same).toMatchObject({ fallback: null, smallest: 1 });
    const mixed = jointLaw([[claim(wave), claim(other)], [claim(wave)]], 0.025);
    expect(mixed.smallest).toBeLessThan(0.5);
  });

  test('counts units that only one of two has as unrelated, and falls back where signs differ', () => {
    const half = jointLaw([[claim(wave)], [claim(wave.slice(20), 20)]], 0.025);
    expect(half.smallest).toBeGreaterThan(0.5);
    expect(half.smallest).toBeLessThan(0.85);
    const apart = jointLaw([[claim(wave)], [claim(wave.map((value) => -value))]], 0.025);
    expect(apart).toMatchObject({
      smallest: -1,
      fallback: 'two of them are negatively correlated (-1)',
    });
    expect(apart.divisor([0, 1])).toBe(2);
  });

  test('needs spread, and at least one test of each', () => {
    expect(jointLaw([[claim(upTo(30, () => 2))], [claim(wave)]], 0.025).fallback).toBe(
      'the differences of gate are all equal',
    );
    expect(jointLaw([[], [claim(wave)]], 0.025).fallback).toBe(
      'a candidate has no required gate on a difference',
    );
    expect(jointLaw([[claim(wave)]], 0.025)).toMatchObject({ fallback: null, smallest: null });
    expect(jointFloors).toEqual({ units: 20, nonZero: 10 });
  });
});
