import { beforeAll, describe, expect, test } from 'vitest';
import { planLines, planReport } from '../../src/report/plan.ts';
import { mailsExperiment, mailsFiles } from '../support/run.ts';
import { type Sealed, sealedMails } from '../support/seal-input.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let sealed: Sealed;

beforeAll(async () => {
  sealed = await sealedMails(await makeFolder());
});

async function planWith(files: Record<string, string>): Promise<ReturnType<typeof planReport>> {
  const { plan, loaded } = await sealedMails(await makeFolder(), files);
  return planReport(plan, loaded.index);
}

describe('planReport', () => {
  test('counts the design and prices every attempt of every cell', () => {
    const report = planReport(sealed.plan, sealed.loaded.index);
    expect(report).toMatchObject({
      experiment: 'mails',
      use: 'comparison',
      units: 12,
      cases: 12,
      repeats: 1,
      candidates: ['new', 'same'],
      cells: 36,
      developmentUnits: 4,
      cost: { perCellUsd: 0.01, mostUsd: 1.08, capUsd: 5 },
      errorLevels: { lift: 0.025, perCandidate: 0.0125, rate: 0.05 },
      rules: [],
      canShip: true,
    });
    expect(report.bestCase.map((each) => [each.candidate, each.decision])).toEqual([
      ['new', 'ship'],
      ['same', 'ship'],
    ]);
  });

  test('is the same for an unbound plan and its final seal', () => {
    const { plan, final, loaded } = sealed;
    expect(planReport(final, loaded.index)).toEqual(planReport(plan, loaded.index));
  });

  test('says that no outcome can ship when the units cannot carry the threshold', async () => {
    const cases = mailsFiles()['cases.jsonl'] ?? '';
    const few = cases.replace(/.*"m(?:[3-9]|10|11|12)".*\n/g, '');
    const report = await planWith({ 'cases.jsonl': few });
    expect([report.units, report.canShip]).toEqual([2, false]);
    expect(report.bestCase.map((each) => each.decision)).not.toContain('ship');
    expect(planLines(report)).toContain(
      'NO OUTCOME CAN SHIP: even the most favourable receipts would not.',
    );
  });

  test('says that a development claim never ships', async () => {
    const report = await planWith({
      'experiment.yaml': mailsExperiment.replace('use: comparison', 'use: development'),
    });
    expect(report.canShip).toBe(false);
    expect(report.bestCase[0]?.reason).toContain('a development claim never ships');
  });

  test('a critical measure at its best violates nothing', () => {
    const report = planReport(sealed.plan, sealed.loaded.index);
    expect(report.bestCase[0]?.reason).toContain('every required gate passed');
  });

  test('leaves the price open without a limit per cell', async () => {
    const text = mailsExperiment
      .replace(', maxCostUsd: 0.01', '')
      .replace('budget: {usd: 5}\n', '');
    const report = await planWith({ 'experiment.yaml': text });
    expect(report.cost).toEqual({ perCellUsd: null, mostUsd: null, capUsd: null });
    expect(planLines(report)[1]).toBe('development units: 4; cost per cell not limited; no cap');
  });
});

/** The mails with one candidate and these gates beside or in place of the lift. */
function gated(...gates: readonly string[]): string {
  return mailsExperiment
    .replace('    same: {surface: {rule: rules/same.txt}}\n', '')
    .replace('  harm:', '  ms: {kind: duration, role: guardrail, direction: lower}\n  harm:')
    .replace(
      '  - {gate: lift, measure: right, threshold: 0}\n',
      gates.map((gate) => `  - {${gate}}\n`).join(''),
    );
}

const lift = 'gate: lift, measure: right, threshold: 0';
const ratio = 'gate: latency, name: ratio, measure: ms, maxRatio: 0.001';

describe('the best case of a design', () => {
  test.each<[string, boolean, readonly string[]]>([
    [
      'a rate the candidate must have',
      true,
      ['gate: rate, measure: right, arm: candidate, min: 0.75'],
    ],
    [
      'a rate that not even twelve of twelve bound',
      false,
      ['gate: rate, measure: right, arm: candidate, min: 0.8'],
    ],
    [
      'a baseline that must not fail everywhere, and a lift over it',
      true,
      [lift, 'gate: rate, measure: right, arm: baseline, min: 0.1'],
    ],
    [
      'a baseline so good that nothing can lift it',
      false,
      [lift, 'gate: rate, measure: right, arm: baseline, min: 0.7'],
    ],
    [
      'a rate the candidate must stay below, in a measure of which more is better',
      true,
      [
        'gate: rate, measure: right, arm: candidate, min: 0.05',
        'gate: rate, name: most, measure: right, arm: candidate, max: 0.9',
      ],
    ],
    [
      'a quantile of a fraction of a millisecond',
      true,
      [lift, 'gate: latency, measure: ms, quantile: 0.5, max: 0.001'],
    ],
    [
      'a cap and arms that spend alike',
      true,
      [lift, 'gate: budget', 'gate: matched-budget, of: tokens, tolerance: 0'],
    ],
  ])('with %s could ship: %s', async (_name, canShip, gates) => {
    const report = await planWith({ 'experiment.yaml': gated(...gates, ratio) });
    expect({ canShip: report.canShip, reason: report.bestCase[0]?.reason }).toEqual({
      canShip,
      reason: expect.any(String),
    });
  });
});

describe('planLines', () => {
  test('say design, cost, error, methods and what could ship', () => {
    const lines = planLines(planReport(sealed.plan, sealed.loaded.index));
    expect(lines.slice(0, 3)).toEqual([
      'mails (comparison): 12 final units, 12 cases, 1 repeat(s), 2 candidate(s), 36 cells',
      'development units: 4; at most 1.08 USD with every attempt used; cap 5 USD',
      "one-sided error of lift and no-regression: 0.025, for the first of 2 in Holm's order 0.0125",
    ]);
    expect(lines.filter((line) => line.startsWith('  right: lift by '))).toHaveLength(1);
    expect(lines.at(-1)).toMatch(/^ {2}best case same: ship \| right improves by 1 /);
  });

  test('list gates without a method of their own by what they ask', async () => {
    const gates = [
      lift,
      'gate: budget',
      'gate: matched-budget, of: usd, tolerance: 0.1, required: false',
      'gate: critical, measure: harm, maxRate: 0.4',
    ];
    const report = await planWith({ 'experiment.yaml': gated(...gates, ratio) });
    expect(report.rules).toEqual([
      { gate: 'budget', rule: 'cost of every attempt known, at most 5 USD in all', required: true },
      {
        gate: 'matched-budget:usd',
        rule: 'usd of both arms over complete pairs within 0.1 of each other',
        required: false,
      },
      {
        gate: 'critical:harm',
        rule: 'units that violate: exact upper bound below 0.4, one-sided error 0.05',
        required: true,
      },
    ]);
    expect(planLines(report)).toContain(
      '  matched-budget:usd (optional): usd of both arms over complete pairs within 0.1 of each other',
    );
  });
});
