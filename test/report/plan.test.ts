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
      use: 'certification',
      units: 12,
      cases: 12,
      repeats: 1,
      candidates: ['new', 'same'],
      cells: 36,
      developmentUnits: 4,
      cost: { perCellUsd: 0.01, mostUsd: 1.08, capUsd: 5 },
      errorLevels: { lift: 0.025, perCandidate: 0.0125 },
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
      'experiment.yaml': mailsExperiment.replace('use: certification', 'use: development'),
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

describe('planLines', () => {
  test('say design, cost, error, methods and what could ship', () => {
    const lines = planLines(planReport(sealed.plan, sealed.loaded.index));
    expect(lines.slice(0, 3)).toEqual([
      'mails (certification): 12 final units, 12 cases, 1 repeat(s), 2 candidate(s), 36 cells',
      'development units: 4; at most 1.08 USD with every attempt used; cap 5 USD',
      "one-sided error of lift and no-regression: 0.025, for the first of 2 in Holm's order 0.0125",
    ]);
    expect(lines.filter((line) => line.startsWith('  right: lift by '))).toHaveLength(1);
    expect(lines.at(-1)).toMatch(/^ {2}best case same: ship \| right improves by 1 /);
  });
});
