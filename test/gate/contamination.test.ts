import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { sketchHashes, sketchOf } from '../../src/spec/units.ts';
import type { Attempt, CaseTable, EvidenceTable } from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { both, gains, upTo } from '../support/two-measures.ts';

function contributionOf(name: string, table: EvidenceTable) {
  const found = judged(table);
  return { ...gateOf(found, name), decision: found.decision };
}

describe('contamination by canaries', () => {
  const secret = 'zebra-quartz-7719';
  const gate = { gate: 'contamination', canaries: [secret] };
  const said = (text: unknown): Attempt => ({
    scores: { right: 1 },
    output: { said: [text] } as never,
  });
  const cases = (texts: readonly unknown[], baseline = 'nothing') =>
    upTo(20, (at): CaseTable => {
      const id = `u${at}`;
      const own: Attempt = { scores: { right: 0 }, output: baseline };
      return { id, unit: id, cells: { baseline: own, next: said(texts[at] ?? 'fine') } };
    });
  const found = (texts: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) =>
    contributionOf('contamination', {
      gates: [
        { gate: 'lift', measure: 'right' },
        { ...gate, ...more },
      ],
      cases: cases(texts),
    });

  test('clears when no output holds one', () => {
    expect(found([])).toMatchObject({
      finding: 'cleared',
      statistic: 0,
      threshold: 0,
      reason: 'none of 1 canaries in 20 outputs of the candidate',
      decision: 'ship',
    });
  });

  test.each([
    ['the text itself', `it says ${secret}.`],
    ['another case and spacing', 'ZEBRA-QUARTZ-7719'],
    ['full-width letters', 'ｚebra-quartz-7719'],
    ['invisible characters between', 'zebra\u200b-qu\u2060artz-7719'],
    ['the name of a member', { [`the ${secret}`]: 1 }],
    ['deep inside', { a: [{ b: `x ${secret}` }] }],
  ])('is breached by %s', (_name, text) => {
    expect(found(['fine', text])).toMatchObject({
      finding: 'breached',
      statistic: 1,
      reason: '1 outputs of the candidate hold a canary, that of case "u1" first',
      decision: 'hold',
    });
  });

  test('knows a canary by its digest without knowing the text', () => {
    const canaries = [digestOf(secret)];
    expect(found([`said ${secret}, twice`], { canaries }).finding).toBe('breached');
    expect(found([`said ${secret}x`], { canaries }).finding).toBe('cleared');
  });

  test('reads outputs of attempts that were given up as well', () => {
    const [first, ...rest] = cases([]);
    const leaky: readonly Attempt[] = [
      { outcome: 'evaluatorFailure', output: `graded in vain: ${secret}` },
    ];
    const all = [{ ...first, id: 'u0', unit: 'u0', cells: { baseline: 1, next: leaky } }, ...rest];
    const table = { gates: [{ gate: 'lift', measure: 'right' }, gate], cases: all };
    expect(contributionOf('contamination', table).finding).toBe('breached');
  });

  test('never reads an output that was not kept as clean', () => {
    const [first, ...rest] = cases([]);
    const all = [{ ...first, id: 'u0', unit: 'u0', cells: { baseline: 0, next: 1 } }, ...rest];
    const table = { gates: [{ gate: 'lift', measure: 'right' }, gate], cases: all };
    expect(contributionOf('contamination', table)).toMatchObject({
      finding: 'insufficient',
      reason:
        'no canary in the outputs that are kept, but 1 outputs were not kept and 0 cells are lost',
      decision: 'need_more_work',
    });
  });

  test('reports a baseline that leaks, which excuses nothing', () => {
    const table = {
      gates: [{ gate: 'lift', measure: 'right' }, gate],
      cases: cases([secret], `also ${secret}`),
    };
    expect(contributionOf('contamination', table)).toMatchObject({
      finding: 'breached',
      flags: ['baseline-violations'],
      reason: expect.stringContaining('(and 20 of the arms it is compared with)'),
    });
  });
});

describe('contamination by copies', () => {
  const gate = { gate: 'contamination', similarity: 0.6 };
  const words = (from: number, count: number) => upTo(count, (at) => `word${from + at}`).join(' ');
  const found = (development: readonly string[], final: (at: number) => string) =>
    contributionOf('contamination', {
      gates: [{ gate: 'lift', measure: 'right' }, gate],
      cases: [
        ...development.map((text, at): CaseTable => {
          return { id: `d${at}`, unit: `d${at}`, split: 'train', text, cells: {} };
        }),
        ...upTo(20, (at): CaseTable => {
          const id = `u${at}`;
          return { id, unit: id, text: final(at), cells: { baseline: 0, next: 1 } };
        }),
      ],
    });

  test('clears where texts share few word triples, and says how many at most', () => {
    expect(found([words(0, 20)], (at) => words(100 * at + 10, 30))).toMatchObject({
      finding: 'cleared',
      // 8 triples in common of 18 + 28 - 8.
      statistic: 0.210526315789,
      reason: expect.stringContaining('no final case is like a development case'),
    });
  });

  test('is breached by one final case that copies a development case with few words changed', () => {
    const original = words(0, 40);
    const copy = original.replace('word20', 'another');
    expect(
      found([words(900, 40), original], (at) => (at === 7 ? copy : words(100 * at + 50, 40))),
    ).toMatchObject({
      finding: 'breached',
      threshold: 0.6,
      reason: expect.stringMatching(
        /^1 final cases of 1 units copy development cases: "u7" shares 0\.8\d+ of its word triples with "d1"$/,
      ),
      decision: 'hold',
    });
  });

  test('never takes cases without a sketch for different ones', () => {
    const cases = ['train', 'final', 'final'].map((split, at): CaseTable => {
      const cells = split === 'final' ? { baseline: 0, next: 1 } : {};
      return { id: `u${at}`, unit: `u${at}`, split: split as 'train' | 'final', cells };
    });
    const gates = [{ gate: 'lift', measure: 'right' }, gate];
    expect(contributionOf('contamination', { gates, cases })).toMatchObject({
      finding: 'insufficient',
      reason: expect.stringContaining('3 cases have no sketch to compare'),
    });
  });

  test('is missing without a development case', () => {
    expect(found([], (at) => words(100 * at, 20))).toMatchObject({
      finding: 'missing',
      decision: 'hold',
    });
  });

  test('a sketch knows words and no order of fields, cases or white space', () => {
    const first = sketchOf({ a: 'One two, three four', b: ['five'] });
    expect(sketchHashes(first)).toHaveLength(3);
    expect(sketchOf({ a: 'ONE  two three. four', b: ['five'] })).toBe(first);
    expect(sketchOf({ a: 'one two three four five', id: 'x' }, ['id'])).toBe(first);
    expect(sketchOf({ a: 'one two three four six' })).not.toBe(first);
    expect(sketchHashes(sketchOf({}))).toHaveLength(1);
    const keyed = sketchOf({ a: 'one two three four five' }, [], new Uint8Array(16));
    expect(keyed).toHaveLength(first.length);
    expect(keyed).not.toBe(first);
    expect(sketchHashes(sketchOf({ a: words(0, 500) }))).toHaveLength(64);
  });
});

describe('contamination by a probe', () => {
  test('holds when the gain is gone where cases are worded anew', () => {
    const gates = [
      { gate: 'lift', measure: 'right' },
      {
        gate: 'contamination',
        canaries: ['never-said-this'],
        probe: { original: 'right', perturbed: 'truth', margin: 0.3 },
      },
    ];
    const cases = gains([60, 1, 0], [20, 0, 0]).map((each) => ({
      ...each,
      cells: Object.fromEntries(
        Object.entries(each.cells).map(([arm, cell]) => [
          arm,
          { ...(cell as Attempt), output: 'x' },
        ]),
      ),
    }));
    expect(contributionOf('contamination', { measures: both, gates, cases })).toMatchObject({
      finding: 'breached',
      threshold: 0.3,
      errorLevel: 0.025,
      reason: expect.stringMatching(
        /^none of 1 canaries in 80 outputs .*; the gain of "right" over "truth"/,
      ),
      decision: 'hold',
    });
  });
});
