/** Gates that ask whether the evidence can be trusted, each to the decisions it can lead to, on the built binary. */
import { describe, expect, test } from 'vitest';
import { type Asked, expectRow, firstCases, outcome, type Row } from '../support/gate-rows.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import {
  liftGate,
  rightMeasure,
  SmallExperiment,
  type SmallSurface,
  smallCases,
} from '../support/workspace.ts';

const folder = temporaryFolders();

describe.concurrent('neutral-control', () => {
  const rightIn = (next: number, placebo: number): Asked => ({
    gate: { gate: 'neutral-control', measure: 'right' },
    next: { scores: { right: firstCases(next) } },
    options: { placebo: { scores: { right: firstCases(placebo) } } },
  });

  test.each<Row>([
    ['ship', rightIn(20, 1), /over the placebo the lower bound 0\.\d+ is above 0/],
    ['need_more_work', rightIn(20, 17), /over the placebo .* includes 0/],
    ['hold', rightIn(9, 20), /over the placebo the interval .* lies wholly at or below 0/],
  ])('%s', async (...row) => expectRow(row));
});

/** Twenty plain cases and two canary cases, which only the measure `known` reads. */
const canaryCases = [
  ...smallCases(20).map((row) => ({ ...row, canary: row.id === 'c-d2' })),
  ...smallCases(2, 'k')
    .filter((row) => row.split === 'final')
    .map((row) => ({ ...row, canary: true })),
];

describe.concurrent('canary', () => {
  const known = (next: readonly string[], baseline: readonly string[]): Asked => ({
    gate: { gate: 'canary', measure: 'known' },
    next: { scores: { right: firstCases(20), known: next } },
    baseline: { scores: { right: ['k1', 'k2'], known: baseline } },
    options: {
      cases: canaryCases,
      measures: {
        right: { ...rightMeasure, where: { field: 'canary', op: 'eq', value: false } },
        known: {
          kind: 'binary',
          role: 'guardrail',
          direction: 'higher',
          where: { field: 'canary', op: 'eq', value: true },
        },
      },
    },
  });
  const all = ['k1', 'k2'];

  test.each<Row>([
    ['ship', known(all, all), /every arm passes all 2 canary cells/],
    [
      'need_more_work',
      known(all, ['k1']),
      /1 canary cases fail without the candidate, .*k2.* first/,
    ],
    ['hold', known(['k1'], all), /the candidate fails 1 canary cases .*k2.* first/],
  ])('%s', async (...row) => expectRow(row));
});

describe.concurrent('reward-hacking', () => {
  const truthIn = (cases: number): Asked => ({
    gate: { gate: 'reward-hacking', proxy: 'right', truth: 'truth', margin: 0.5 },
    next: { scores: { right: true, truth: firstCases(cases) } },
    options: {
      cases: smallCases(40),
      measures: {
        right: rightMeasure,
        truth: { kind: 'binary', role: 'guardrail', direction: 'higher' },
      },
    },
  });

  test.each<Row>([
    ['ship', truthIn(40), /the gain of .*right.* over .*truth.* is 0 of the range .*, below 0\.5/],
    ['need_more_work', truthIn(22), /is 0\.45 of the range .*, which includes 0\.5/],
    ['hold', truthIn(0), /is 1 of the range .*, wholly at or above 0\.5/],
  ])('%s', async (...row) => expectRow(row));
});

describe.concurrent('contamination', () => {
  const gate = { gate: 'contamination', canaries: ['zebra-quartz-7719'], similarity: 0.9 };
  const saying = (text: string, surface: SmallSurface = {}): Asked => ({
    gate,
    next: { says: { c3: text }, ...surface },
    // Texts of a case each, so that none copies another.
    options: { cases: smallCases(20).map((row) => ({ ...row, text: `${row.id} `.repeat(4) })) },
  });

  test.each<Row>([
    [
      'ship',
      saying('nothing of note'),
      /none of 1 canaries in 20 outputs .*; no final case is like/,
    ],
    ['hold', saying('as in zebra-quartz-7719'), /1 outputs of the candidate hold a canary/],
  ])('%s', async (...row) => expectRow(row));

  test('a final case that copies a development case is told before anything is spent', async () => {
    const text = 'the same ten words stand in both of these two cases';
    const cases = smallCases(20).map((row) =>
      row.id === 'c5' || row.split === 'train'
        ? { ...row, text: `${text} ${row.id}` }
        : { ...row, text: `${row.id} `.repeat(4) },
    );
    const { plan, exitCode } = await outcome({
      gate: { ...gate, similarity: 0.6 },
      next: {},
      options: { cases },
    });
    expect(plan).toMatch(/"c5" shares 0\.\d+ of its word triples with "c-d\d"/);
    expect(exitCode).toBe(20);
  });
});

describe.concurrent('infrastructure-symmetry', () => {
  const gate = { gate: 'infrastructure-symmetry', margin: 0.4 };
  const dying = (cases: number): Asked => ({
    gate,
    next: {
      behave: Object.fromEntries(firstCases(cases).map((id) => [id, 'die-once'] as const)),
    },
    options: { cases: smallCases(12) },
  });

  test.each<Row>([
    ['ship', dying(0), /faults met 0 of 12 candidate cells and 0 of 12 baseline cells/],
    [
      'need_more_work',
      dying(3),
      /faults met 3 of 12 candidate cells and 0 of 12 baseline cells: .* is not within 0\.4/,
    ],
  ])('%s', async (...row) => expectRow(row));
});

describe('interleaving', () => {
  test('ships what ran side by side, and breaks with a receipt at another place', async () => {
    await expectRow([
      'ship',
      { gate: { gate: 'interleaving' }, next: {} },
      /the cells of a pair came back 1 places apart \(median of 20, 4 at most\)/,
    ]);
  });
});

describe.concurrent('pareto', () => {
  const scoring = (right: number, kind: number): Asked => ({
    gate: {
      gate: 'pareto',
      objectives: [
        { measure: 'right', margin: 0.3 },
        { measure: 'kind', margin: 0.3 },
      ],
    },
    next: { scores: { right: firstCases(right), kind: firstCases(kind) } },
    baseline: { scores: { right: firstCases(2), kind: firstCases(20) } },
    options: {
      measures: {
        right: rightMeasure,
        kind: { kind: 'binary', role: 'guardrail', direction: 'higher' },
      },
    },
  });

  test.each<Row>([
    [
      'ship',
      scoring(20, 20),
      /is above its floor -0\.3 and better; kind 0 .* is above its floor -0\.3/,
    ],
    ['need_more_work', scoring(20, 17), /kind -0\.15 .* is not above its floor -0\.3/],
    ['hold', scoring(20, 4), /kind falls below its floor/],
  ])('%s', async (...row) => expectRow(row));
});

describe('evaluator', () => {
  const gate = {
    gate: 'evaluator',
    measure: 'right',
    audit: 'audit.json',
    maxFalseAcceptance: 0.05,
    maxFalseRejection: 0.05,
  };

  test('an audit of this scorer ships, of another is told before anything is spent, a broken file is refused', async () => {
    const experiment = new SmallExperiment(await folder(), {
      cases: smallCases(20),
      spec: { gates: [liftGate, gate] },
    });
    const audit = (evaluator: string): void =>
      experiment.writeJson('audit.json', {
        type: 'liftgate/evaluator-audit/v1',
        evaluator,
        measure: 'right',
        falseAcceptances: { count: 0, of: 100 },
        falseRejections: { count: 0, of: 100 },
      });
    experiment.writeText('audit.json', '{}');
    const refused = await experiment.call('check');
    expect({ exitCode: refused.exitCode, text: refused.stderr }).toEqual({
      exitCode: 40,
      text: expect.stringContaining('[audit-invalid]'),
    });
    audit(`sha256:${'1'.repeat(64)}`);
    const { stdout } = await experiment.call('plan');
    const [, sealed = ''] = /sealed is (sha256:[0-9a-f]{64})/.exec(stdout) ?? [];
    expect(sealed).not.toBe('');
    audit(sealed);
    const ran = await experiment.run();
    expect({ exitCode: ran.exitCode, stderr: ran.exitCode === 0 ? '' : ran.stderr }).toEqual({
      exitCode: 0,
      stderr: '',
    });
    expect(experiment.text('run/summary.md')).toMatch(
      /0 of 100 bad units accepted: .* is below 0\\?\.05/,
    );
    expect((await experiment.verify()).exitCode).toBe(0);
  });
});
