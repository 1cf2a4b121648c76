/** `liftgate plan --aa`: the baseline against itself, through a real host, and nothing recorded. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AaReport } from '../../src/report/aa.ts';
import { documentOf, isAlive, startLiftgate, until } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import {
  type CaseRow,
  chosenControls,
  liftGate,
  SmallExperiment,
  type SmallOptions,
  smallCases,
} from '../support/workspace.ts';

const folder = temporaryFolders();

/** Development cases d1, d2, ... of one unit each, before the final ones of `smallCases`. */
function withDevelopment(development: number, final: number): CaseRow[] {
  const more = smallCases(development, 'd')
    .slice(2)
    .map((row): CaseRow => ({ ...row, split: 'train' }));
  return [...more, ...smallCases(final).slice(2)];
}

const quiet = chosenControls('ceiling', 'floor');

async function experimentOf(options: SmallOptions): Promise<SmallExperiment> {
  const { spec = {}, ...rest } = options;
  return new SmallExperiment(await folder(), { ...rest, spec: { controls: quiet, ...spec } });
}

async function aaOf(
  experiment: SmallExperiment,
  ...words: string[]
): Promise<{ readonly aa: AaReport; readonly exitCode: number | null }> {
  const ended = await experiment.call('plan', '--aa', '--json', ...words);
  const { aa } = documentOf(ended) as { readonly aa: AaReport };
  return { aa, exitCode: ended.exitCode };
}

const codes = ({ notes }: AaReport): string[] => notes.map(({ code }) => code);

describe.concurrent('liftgate plan --aa', () => {
  test('shows the noise of a host, ships copies no more often than allowed, and records nothing', async () => {
    const experiment = await experimentOf({
      cases: withDevelopment(40, 24),
      baseline: { noise: 'coin' },
      candidates: { new: {} },
    });
    const before = readdirSync(experiment.folder);
    const { aa, exitCode } = await aaOf(experiment);
    expect(exitCode).toBe(0);
    expect(aa).toMatchObject({
      stamp: 'exploratory',
      experiment: 'small',
      units: { development: 40, measured: 24, planned: 24 },
      rounds: { asked: 1, complete: 1 },
      cells: { planned: 48, settled: 48, attempts: { completed: 48 } },
      nominal: 0.025,
      measured: { decisions: 1 },
      redrawn: { decisions: 500 },
      notes: [],
    });
    const [right] = aa.noise;
    expect(right).toMatchObject({ measure: 'right', units: 24, blocks: 24 });
    // Half of the pairs of fair coins differ: 12 of 24, from 5 to 19 in all but one case of 1000.
    expect(right?.differing.units).toBeGreaterThanOrEqual(5);
    expect(right?.differing.units).toBeLessThanOrEqual(19);
    expect(right?.tied).toBe(24 - (right?.differing.units ?? 0));
    const share = (right?.differing.units ?? 0) / 24;
    expect(right?.unitDeviation).toBeCloseTo(Math.sqrt(share), 10);
    expect(right?.cellDeviation).toBeCloseTo(Math.sqrt(share / 2), 10);
    expect(aa.redrawn?.rate?.lower).toBeLessThanOrEqual(0.025);
    const lift = aa.redrawn?.gates.find(({ gate }) => gate === 'lift:right');
    expect(lift?.cleared).toBe(aa.redrawn?.ships);
    // Controls and 24 units twice, every attempt under a key of its own, and no final case among them.
    const executed = experiment.executions();
    expect(new Set(executed.map(({ cellKey }) => cellKey)).size).toBe(executed.length);
    expect(executed.filter(({ caseId }) => caseId.startsWith('c'))).toEqual([]);
    const logs = ['executed.log', 'pids.log'];
    expect(readdirSync(experiment.folder).sort()).toEqual([...before, ...logs].sort());
    expect(existsSync(join(experiment.workspace, 'ledger'))).toBe(false);
    expect((await aaOf(experiment)).aa).toEqual(aa);
  });

  test('shows a host whose second call scores lower, and that it ships nobody', async () => {
    const experiment = await experimentOf({
      cases: withDevelopment(12, 12),
      baseline: { noise: 'tires' },
      candidates: { new: {} },
      // The controls take two development cases, which are tired afterwards; their own cases leave the others fresh.
      spec: {
        controls: quiet.map((control) => ({ ...control, case: { id: 'own', text: 'of its own' } })),
      },
    });
    const ended = await experiment.call('plan', '--aa');
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain(
      'Note: "right": later calls differ from the first of their block by -1, 12 units, sign-flip p 0.0004883, for all measures 0.0004883. Something is carried over',
    );
    const { aa } = await aaOf(experiment);
    expect(codes(aa)).toEqual(['place-matters']);
    expect(aa.noise[0]?.place).toEqual({
      units: 12,
      difference: -1,
      interval: null,
      p: 2 / 2 ** 12,
      adjusted: 2 / 2 ** 12,
    });
    expect(aa.redrawn?.ships).toBe(0);
  });

  test('says that a host which honours seeds answers alike, in every round anew', async () => {
    const experiment = await experimentOf({
      cases: withDevelopment(10, 10),
      baseline: { noise: 'seed' },
      candidates: { new: {}, other: {} },
    });
    const { aa } = await aaOf(experiment, '--rounds', '3', '--simulations', '30');
    expect(codes(aa)).toEqual(['answers-alike']);
    expect(aa).toMatchObject({
      rounds: { asked: 3, complete: 3 },
      cells: { planned: 90, settled: 90 },
      measured: { decisions: 3, ships: 0, of: { need_more_work: 3 } },
      redrawn: { decisions: 30, ships: 0 },
      outputs: { blocks: 30, equal: 30 },
    });
    expect(aa.noise[0]).toMatchObject({ units: 10, blocks: 30, tied: 30, unitDeviation: 0 });
    // The exact interval of 0 in 3: 1 - 0.025^(1/3).
    expect(aa.measured.rate?.upper).toBeCloseTo(0.7075982, 6);
  });

  test('draws units again where development has fewer than the plan, and says so', async () => {
    const experiment = await experimentOf({
      cases: withDevelopment(3, 30),
      baseline: { noise: 'coin' },
      candidates: { new: {} },
    });
    const { aa } = await aaOf(experiment);
    expect(codes(aa)).toContain('few-units');
    expect(aa.units).toEqual({ development: 3, measured: 3, planned: 30 });
    // At 3 units no table clears the lift; as many units as planned can.
    expect(aa.measured.ships).toBe(0);
    expect(aa.redrawn?.rate?.lower).toBeLessThanOrEqual(0.025);
    expect(aa.notes.at(-1)?.text).toBe(
      '3 units were measured and 30 are planned: redraws draw units with replacement, so their rates are those of 30 units like these 3.',
    );
  });

  test('reports cells without an outcome and ends with 30', async () => {
    const experiment = await experimentOf({
      cases: withDevelopment(8, 8),
      baseline: { behave: { d2: 'die' } },
      candidates: { new: {} },
      spec: { attempts: { max: 1 } },
    });
    const { aa, exitCode } = await aaOf(experiment);
    expect(exitCode).toBe(30);
    expect(aa.cells).toEqual({
      planned: 16,
      settled: 14,
      attempts: { completed: 14, infrastructureFault: 2 },
    });
    expect(codes(aa)).toContain('cells-without-outcome');
    expect(aa.redrawn).toMatchObject({ ships: 0, of: { need_more_work: 500 } });
    expect(aa.noise[0]).toMatchObject({ units: 7 });
  });

  test('keeps to the sealed cap over all rounds, and decides nothing on a round that was cut short', async () => {
    const experiment = await experimentOf({
      cases: withDevelopment(8, 8),
      baseline: { noise: 'coin', usd: 0.01 },
      candidates: { new: {} },
      limits: { maxCostUsd: 0.01 },
      // Two controls of up to ten cells, 16 cells, and a little more.
      spec: { budget: { usd: 0.4 } },
    });
    const { aa, exitCode } = await aaOf(experiment, '--rounds', '9', '--simulations', '20');
    expect(exitCode).toBe(30);
    expect(aa.stoppedBy).toBe('budget');
    expect(aa.spentUsd).toBeLessThanOrEqual(0.4);
    expect(aa.rounds.complete).toBeGreaterThan(0);
    expect(aa.rounds.complete).toBeLessThan(9);
    expect(aa.measured.decisions).toBe(aa.rounds.complete);
    expect(codes(aa)).toContain('cells-without-outcome');
  });

  test('lets copies ship where no gate asks for a gain, and says that this is right', async () => {
    const experiment = await experimentOf({
      cases: withDevelopment(8, 8),
      candidates: { new: {} },
      spec: { gates: [{ gate: 'no-regression', measure: 'right', margin: 0.5 }] },
    });
    const { aa } = await aaOf(experiment);
    expect(aa.nominal).toBeNull();
    expect(codes(aa)).toEqual(['answers-alike', 'copies-may-ship']);
    expect(aa.redrawn).toMatchObject({ decisions: 500, ships: 500 });
  });

  test('names the required gates whose code it does not run, and takes them not to object', async () => {
    const custom = { gate: 'custom', module: 'own.mjs', measures: ['right'] };
    const experiment = await experimentOf({
      cases: withDevelopment(8, 8),
      candidates: { new: {} },
      spec: {
        gates: [
          { gate: 'no-regression', measure: 'right', margin: 0.5 },
          { ...custom, name: 'strict' },
          { ...custom, name: 'shown', required: false },
        ],
      },
    });
    const code = "({ decision: 'hold', reason: 'never' })";
    const text = `import { defineGate } from 'liftgate/gate';\nexport default defineGate(() => ${code});\n`;
    writeFileSync(join(experiment.folder, 'own.mjs'), text);
    const { aa } = await aaOf(experiment);
    // The one that would hold everything is not asked: copies ship by the other gates.
    expect(aa.redrawn).toMatchObject({ decisions: 500, ships: 500 });
    expect(aa.notes.find(({ code: note }) => note === 'gates-not-run')?.text).toBe(
      'The code of "strict" is not run here and taken not to object: the ship rate is that of the other gates.',
    );
  });

  test('measures a development claim as well, which could ship nothing', async () => {
    const experiment = await experimentOf({
      cases: withDevelopment(8, 8),
      claim: { use: 'development' },
      candidates: { new: {} },
      spec: { gates: [{ gate: 'no-regression', measure: 'right', margin: 0.5 }, liftGate] },
    });
    const { aa } = await aaOf(experiment, '--simulations', '0');
    expect(aa).toMatchObject({
      nominal: 0.025,
      redrawn: null,
      measured: { decisions: 1, ships: 0 },
    });
  });
});

test('an interrupted A/A run ends with 130 and leaves nothing', async () => {
  const experiment = await experimentOf({
    cases: withDevelopment(8, 8),
    baseline: { behave: { d3: 'wait' } },
    candidates: { new: {} },
  });
  const running = startLiftgate(experiment.workspace, 'plan', 'small', '--aa');
  await until('the host to wait', () => existsSync(join(experiment.folder, 'reached')));
  running.signal('SIGINT');
  const { exitCode, stdout, stderr } = await running.ended;
  expect(exitCode).toBe(130);
  expect(stdout).toBe('');
  expect(stderr).toContain('Interrupted before any final unit was exposed.');
  expect(stderr).not.toContain('continue');
  expect(experiment.hostPids().filter(isAlive)).toEqual([]);
  expect(existsSync(join(experiment.workspace, 'ledger'))).toBe(false);
});

describe.concurrent('liftgate plan --aa is refused', () => {
  test.each([
    [['--rounds', '2'], 'Only an A/A run has rounds.'],
    [['--aa', '--pilot', 'small/run'], 'so --assume and --pilot have no use with --aa'],
    [['--aa', '--rounds', '0'], 'An A/A run takes a whole number of rounds, 1 to 100.'],
    [['--aa', '--rounds', 'many'], 'An A/A run takes a whole number of rounds, 1 to 100.'],
    [['--aa', '--simulations', '-1'], 'An A/A run takes a whole number of redraws, 0 to 1000000.'],
  ])('with 64 for %s', async (words, text) => {
    const experiment = await experimentOf({});
    const ended = await experiment.call('plan', ...words);
    expect(ended.exitCode).toBe(64);
    expect(ended.stderr).toContain(text);
    expect(experiment.hostPids()).toEqual([]);
  });

  test('with 40 without development units', async () => {
    const own = quiet.map((control) => ({ ...control, case: { id: 'own', text: 'of its own' } }));
    const experiment = await experimentOf({
      cases: smallCases(8).slice(2),
      spec: { controls: own },
    });
    const ended = await experiment.call('plan', '--aa');
    expect(ended.exitCode).toBe(40);
    expect(ended.stderr).toContain(
      'An A/A run measures development units, and this experiment has none.',
    );
    expect(experiment.hostPids()).toEqual([]);
  });

  test('with 31 when a control is classified wrong, and with 32 when there is no host', async () => {
    const failing = await experimentOf({ mode: 'always-pass' });
    const failed = await failing.call('plan', '--aa');
    expect(failed.exitCode).toBe(31);
    expect(failed.stderr).toContain('Mend the host or the scorer, and ask again.');
    const missing = await experimentOf({ mode: 'missing' });
    expect((await missing.call('plan', '--aa')).exitCode).toBe(32);
  });
});
