/** Designs that are refused before anything runs, and designs that run and cannot ship, on the built binary. */
import { describe, expect, test } from 'vitest';
import { linesOf } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import {
  allRight,
  liftGate,
  rightMeasure,
  SmallExperiment,
  type SmallOptions,
  smallCases,
} from '../support/workspace.ts';

const folder = temporaryFolders();

async function experimentOf(options: SmallOptions): Promise<SmallExperiment> {
  return new SmallExperiment(await folder(), options);
}

const aboveZero = [{ gate: 'lift', measure: 'right', threshold: 0.1 }];
describe.concurrent('liftgate seal', () => {
  test('refuses weights: case below five units, which could never ship: 40, naming the floor', async () => {
    const experiment = await experimentOf({
      cases: smallCases(4),
      spec: { inference: { weights: 'case' } },
    });
    const { exitCode, stderr } = await experiment.call('seal');
    expect(exitCode).toBe(40);
    expect(stderr).toContain('fewer than 5 units');
    expect(await experiment.ledgerKinds()).toEqual([]);
  });

  test('refuses a fixed roster without repeats, whose noise nothing could tell: 40', async () => {
    const experiment = await experimentOf({ claim: { generalization: 'fixed-roster' } });
    const { exitCode, stderr } = await experiment.call('seal');
    expect(exitCode).toBe(40);
    expect(stderr).toContain('[too-few-repeats]');
    expect(stderr).toContain('Write repeats: 2 or more, or claim generalization: new-units.');
    expect(await experiment.ledgerKinds()).toEqual([]);
  });

  test('refuses an experiment without gates: 40', async () => {
    const experiment = await experimentOf({ spec: { gates: [] } });
    const { exitCode, stderr } = await experiment.call('seal');
    expect(exitCode).toBe(40);
    expect(stderr).toContain('Without gates there is nothing to decide');
  });

  test('refuses a certification without an inferential gate: 40', async () => {
    const experiment = await experimentOf({
      measures: {
        right: rightMeasure,
        harm: { kind: 'binary', role: 'critical', direction: 'lower' },
      },
      spec: { gates: [{ gate: 'critical', measure: 'harm' }] },
    });
    const { exitCode, stderr } = await experiment.call('seal');
    expect(exitCode).toBe(40);
    expect(stderr).toContain('certification');
  });

  test('lists every problem at once, each with its place', async () => {
    const experiment = await experimentOf({ spec: { gates: [], repeats: 0, loss: { max: 1 } } });
    const { exitCode, stderr } = await experiment.call('check');
    expect(exitCode).toBe(40);
    expect(stderr).toMatch(/^small\/experiment\.yaml:\d+:\d+ loss\.max \[unknown-key\]$/m);
    expect(stderr).toMatch(/^small\/experiment\.yaml:\d+:\d+ repeats \[/m);
    expect(linesOf(stderr).at(-1)).toMatch(/^[23] problems found; nothing was done\.$/);
  });
});

describe.concurrent('ten repeats of one unit', () => {
  test('cannot ship: plan says so, and a perfect candidate gets 21', async () => {
    const experiment = await experimentOf({
      cases: smallCases(1),
      claim: { use: 'comparison' },
      spec: { repeats: 10 },
    });
    const plan = await experiment.call('plan');
    expect(plan.exitCode).toBe(0);
    expect(plan.stdout).toContain(
      'NO OUTCOME CAN SHIP: even the most favourable receipts would not.',
    );
    const { exitCode, stdout } = await experiment.run();
    expect(exitCode).toBe(21);
    expect(linesOf(stdout).at(-1)).toBe(
      'new: need_more_work | no estimate | lift:right: one unit carries no inference about new units',
    );
  });
});

const guardedBy = (units: number): SmallOptions => ({
  cases: smallCases(units),
  candidates: { new: { scores: { right: true, polite: true } } },
  baseline: { scores: { polite: true } },
  measures: {
    right: rightMeasure,
    polite: { kind: 'binary', role: 'guardrail', direction: 'higher' },
  },
  spec: {
    gates: [liftGate, { gate: 'no-regression', measure: 'polite', margin: 0.05 }],
    host: { worker: ['node', 'host.mjs', 'well'], concurrency: 4 },
  },
});

describe.concurrent('a binary guardrail on which every pair ties, at a margin of 5 points', () => {
  test('is unresolved with 20 units: not ship', async () => {
    const { exitCode, stdout } = await (await experimentOf(guardedBy(20))).run();
    expect(exitCode).toBe(21);
    expect(linesOf(stdout).at(-1)).toContain(
      'no-regression:polite: the interval -0.1611 .. 0.1611 includes -0.05',
    );
  });

  test('is cleared with 100 units: ship', async () => {
    const experiment = await experimentOf(guardedBy(100));
    const { exitCode, stdout } = await experiment.run();
    expect(exitCode).toBe(0);
    expect(linesOf(stdout).at(-1)).toMatch(
      /^new: ship \| right \+1 \(\+0\.\d+ \.\. \+1\) n=100 units/,
    );
    expect(experiment.text('run/summary.md')).toContain('-0.03699');
  });
});

describe.concurrent('six units under the asymptotic guarantee', () => {
  test('5 wins and 0 losses are not enough: the exact McNemar test says 1/32', async () => {
    const experiment = await experimentOf({
      cases: smallCases(6),
      candidates: { new: { scores: { right: ['c1', 'c2', 'c3', 'c4', 'c5'] } } },
    });
    const { exitCode, stdout } = await experiment.run();
    expect(exitCode).toBe(21);
    expect(linesOf(stdout).at(-1)).toContain('0.03125');
  });

  test('6 wins of 6 ship', async () => {
    const experiment = await experimentOf({ cases: smallCases(6), candidates: { new: allRight } });
    const { exitCode, stdout } = await experiment.run();
    expect(exitCode).toBe(0);
    expect(linesOf(stdout).at(-1)).toMatch(/^new: ship \| right \+1 .* n=6 units/);
  });
});

describe.concurrent('rows of the method table with a positive threshold or a finite-sample guarantee', () => {
  test.each([
    ['threshold above 0', { spec: { gates: aboveZero } }],
    ['finite-sample', { spec: { inference: { guarantee: 'finite-sample' } } }],
  ])('%s: served by the exact bound, never by another method', async (_, options) => {
    const experiment = await experimentOf({
      ...options,
      cases: smallCases(40),
      candidates: { new: allRight },
    });
    const { exitCode, stdout, stderr } = await experiment.run();
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(linesOf(stdout).at(-1)).toMatch(/^new: ship \| right \+1 .* n=40 units/);
    expect(experiment.text('run/seal.json')).toContain('"method":"exact-unconditional"');
  });
});
