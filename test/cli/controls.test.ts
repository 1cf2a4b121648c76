/** Controls that a broken host or scorer fails: 31, and the final units stay unexposed. */
import { describe, expect, test } from 'vitest';
import { liftgate } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { type HostMode, SmallExperiment } from '../support/workspace.ts';

const folder = temporaryFolders();

const rows: readonly (readonly [string, HostMode, readonly string[]])[] = [
  [
    'an always-passing scorer',
    'always-pass',
    ['floor: the mean of right is 1, expected at most 0'],
  ],
  [
    'an always-failing scorer',
    'always-fail',
    ['ceiling: the mean of right is 0, expected at least 1'],
  ],
  [
    'a throwing agent',
    'agent-throws',
    [
      'ceiling: the mean of right is 0, expected at least 1',
      'broken-scorer: the fault scorer-throw was classified as agentError (agentCrash), expected evaluatorFailure',
    ],
  ],
  [
    'a throwing scorer',
    'scorer-throws',
    [
      'ceiling: 2 of 2 cells ended without an outcome (evaluatorFailure, graderCrash)',
      'floor: 2 of 2 cells ended without an outcome (evaluatorFailure, graderCrash)',
      'dead-host: after host-exit an ordinary cell ended as evaluatorFailure (graderCrash): the host did not come back',
    ],
  ],
  [
    'a host that swallows errors',
    'swallow',
    [
      'broken-agent: the fault agent-throw was classified as completed, expected agentError',
      'dead-host: the fault host-exit was classified as completed, expected infrastructureFault',
      'broken-scorer: the fault scorer-throw was classified as completed, expected evaluatorFailure',
    ],
  ],
];

const reservedOnly = ['genesis', 'seal', 'seal', 'develop', 'reserve'];

/** Executions on final cases. */
function finalExecutions(experiment: SmallExperiment): string[] {
  return experiment
    .executions()
    .map(({ caseId }) => caseId)
    .filter((id) => !id.startsWith('c-d'));
}

describe.concurrent('controls', () => {
  test.each(rows)('catch %s: 31, nothing exposed', async (_, mode, reasons) => {
    const experiment = new SmallExperiment(await folder(), { mode });
    const { exitCode, stdout, stderr } = await experiment.run('--report-only');
    expect(exitCode).toBe(31);
    expect(stdout).toBe('');
    expect(stderr).toContain('[controls-failed]');
    for (const reason of reasons) expect(stderr).toContain(`\n    ${reason}`);
    const count = `${reasons.length} of 5 controls were classified wrong:`;
    expect(stderr).toContain(count);
    expect(stderr).toContain('The final units are still unexposed.');
    expect(await experiment.ledgerKinds()).toEqual(reservedOnly);
    expect(finalExecutions(experiment)).toEqual([]);
  });

  test('that nobody declared are missed before anything is sealed: 40', async () => {
    const experiment = new SmallExperiment(await folder(), { spec: { controls: [] } });
    const { exitCode, stderr } = await experiment.run();
    expect(exitCode).toBe(40);
    expect(stderr).toContain(
      'No control refuses a scorer that gives "right" its best value whatever happened, and a gate reads it.',
    );
    expect(await experiment.ledgerKinds()).toEqual([]);
  });

  test('that nobody declared in development cannot be passed: 31, nothing exposed', async () => {
    const experiment = new SmallExperiment(await folder(), {
      claim: { use: 'development' },
      spec: { controls: [] },
    });
    const { exitCode, stderr } = await experiment.run();
    expect(exitCode).toBe(31);
    expect(stderr).toContain('The experiment declares no control');
    expect(await experiment.ledgerKinds()).toEqual(reservedOnly);
    expect(experiment.executions()).toEqual([]);
  });

  test('that failed leave the units to the mended host once they are given back', async () => {
    const experiment = new SmallExperiment(await folder(), { mode: 'always-pass' });
    const failed = await experiment.run();
    expect(failed.exitCode).toBe(31);
    expect(failed.stderr).toContain(
      'give the units back with `liftgate ledger release small --reason "..."` and run again with --seal.',
    );
    experiment.write({});
    const held = await experiment.run();
    expect(held.exitCode).toBe(42);
    expect(held.stderr).toContain('8 of 8 units are held by experiment "small" since entry 4');
    const words = ['ledger', 'release', 'small', '--reason', 'scorer mended'];
    const released = await liftgate(experiment.workspace, ...words);
    expect(released.stdout).toBe('small: reservation 4 released in entry 7\n');
    expect((await experiment.run()).exitCode).toBe(0);
    expect((await experiment.verify()).exitCode).toBe(0);
    const again = await liftgate(experiment.workspace, ...words);
    expect(again.exitCode).toBe(42);
    expect(again.stderr).toContain('holds no reservation that could be released');
  });
});
