/** Runs that are killed, interrupted or started twice: nothing settled is repeated, nothing is lost, one process at a time. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { journalLineSchema } from '../../src/run/journal.ts';
import { isAlive, liftgate, linesOf, type Running, startLiftgate, until } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { SmallExperiment, type SmallOptions, smallCases } from '../support/workspace.ts';

const folder = temporaryFolders();

const started: SmallExperiment[] = [];

/** Hosts of a test that failed half way must not outlive it. */
afterAll(() => {
  for (const pid of started.flatMap((experiment) => experiment.hostPids()))
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

/** A run that stops in the candidate's cell of c4 until a file named `go` exists; the host says that it got there. */
async function stoppedRun(
  options: SmallOptions = {},
): Promise<{ experiment: SmallExperiment; process: Running }> {
  const experiment = new SmallExperiment(await folder(), {
    candidates: { new: { scores: { right: true }, behave: { c4: 'wait' } } },
    ...options,
  });
  started.push(experiment);
  const out = `${experiment.name}/run`;
  const process = startLiftgate(
    experiment.workspace,
    'run',
    experiment.name,
    '--seal',
    '--out',
    out,
  );
  await until('the host to reach the waiting cell', () =>
    existsSync(join(experiment.folder, 'reached')),
  );
  return { experiment, process };
}

function letGo(experiment: SmallExperiment): void {
  writeFileSync(join(experiment.folder, 'go'), '');
}

/** Keys of the attempts that the journal holds a receipt for. */
function settledKeys(experiment: SmallExperiment): string[] {
  const text = experiment.text('run/journal.jsonl');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const parsed = journalLineSchema.parse(JSON.parse(line));
      return parsed.kind === 'receipt' ? [parsed.line.receipt.cellKey] : [];
    });
}

function timesExecuted(experiment: SmallExperiment, cellKey: string): number {
  return experiment.executions().filter((each) => each.cellKey === cellKey).length;
}

async function untilGone(experiment: SmallExperiment): Promise<void> {
  await until('the hosts to end', () => !experiment.hostPids().some(isAlive));
}

describe.concurrent('a run killed in the middle', () => {
  test('goes on where it stopped: nothing settled is executed again, and verify confirms it', async () => {
    const { experiment, process } = await stoppedRun();
    process.signal('SIGKILL');
    expect((await process.ended).exitCode).toBe(null);
    const settled = settledKeys(experiment);
    expect(settled.length).toBeLessThan(16);
    expect(await experiment.ledgerKinds()).toContain('expose');
    await untilGone(experiment);

    letGo(experiment);
    const again = await experiment.run();
    expect(again.exitCode).toBe(0);
    expect(again.stderr).toContain(`Resuming: ${16 - settled.length} of 16 cells are open.`);
    expect(linesOf(again.stdout).at(-1)).toMatch(/^new: ship \| right \+1 .* n=8 units/);
    for (const key of settled) expect(timesExecuted(experiment, key)).toBe(1);
    // The attempt that was under way is kept as a crash, and its cell got a new one.
    expect(experiment.text('run/summary.md')).toContain(
      '- attempts: 16 completed, 1 infrastructureFault; cost',
    );
    const kinds = await experiment.ledgerKinds();
    expect(kinds.filter((kind) => kind !== 'journal')).toEqual([
      'genesis',
      'seal',
      'seal',
      'develop',
      'reserve',
      'expose',
      'attempt',
      'outcome',
    ]);
    expect(kinds.indexOf('journal')).toBeLessThan(kinds.indexOf('attempt'));
    const verified = await experiment.verify();
    expect(verified.exitCode).toBe(0);
    expect(verified.stdout).toContain('2 attempt(s)');
    expect(verified.stdout).toMatch(/what the journal held after line \d+ .* only the run folder/);
  });

  test('is not continued from a journal that was changed meanwhile: 41, and void ends it', async () => {
    const candidate = { scores: { right: true }, behave: { c6: 'wait' } } as const;
    const { experiment, process } = await stoppedRun({ candidates: { new: candidate } });
    process.signal('SIGKILL');
    await process.ended;
    await untilGone(experiment);
    letGo(experiment);
    const executed = experiment.executions().length;
    const journal = experiment.text('run/journal.jsonl');
    // The ledger knows the first line at least, wherever the waiting cell stands in the schedule.
    for (const changed of ['', journal.replace(/"at":"20/, '"at":"19')]) {
      expect(changed).not.toBe(journal);
      experiment.writeText('run/journal.jsonl', changed);
      const again = await experiment.run();
      expect(again.exitCode).toBe(41);
      expect(again.stderr).toContain('The journal of this exposed run was changed: it');
      expect(again.stderr).toContain('`liftgate ledger void small --reason "..."`');
    }
    rmSync(join(experiment.folder, 'run/journal.jsonl'));
    expect((await experiment.run()).stderr).toContain('was changed: there is none, and entry');
    expect(experiment.executions()).toHaveLength(executed);

    const ended = await liftgate(
      experiment.workspace,
      ...['ledger', 'void', 'small', '--reason', 'journal lost'],
    );
    expect(ended.stdout).toMatch(
      /^small: exposure \d+ ended without an outcome in entry \d+; its units stay spent$/m,
    );
    const after = await experiment.run();
    expect(after.exitCode).toBe(42);
    expect(after.stderr).toContain('decides nothing: it was aborted (journal lost)');
  });

  test('survives a torn last line of its journal', async () => {
    const { experiment, process } = await stoppedRun();
    process.signal('SIGKILL');
    await process.ended;
    await untilGone(experiment);
    const journal = experiment.text('run/journal.jsonl');
    experiment.writeText('run/journal.jsonl', `${journal}{"kind":"receipt","line":{"v":1,"cell`);
    letGo(experiment);
    expect((await experiment.run()).exitCode).toBe(0);
    expect((await experiment.verify()).exitCode).toBe(0);
  });

  test('cannot be finished without its run folder: receipts of exposed units exist only there', async () => {
    const { experiment, process } = await stoppedRun();
    process.signal('SIGKILL');
    await process.ended;
    await untilGone(experiment);
    letGo(experiment);
    const executed = experiment.executions().length;
    const elsewhere = await experiment.call('run', '--out', 'small/other');
    expect(elsewhere.exitCode).toBe(41);
    expect(elsewhere.stderr).toContain('name it with --out');
    rmSync(join(experiment.folder, 'run'), { recursive: true });
    const gone = await experiment.run();
    expect(gone.exitCode).toBe(41);
    expect(experiment.executions()).toHaveLength(executed);
  });
});

describe.concurrent('a run that is interrupted', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s settles what it can, exits 130, leaves no host and goes on later',
    async (name) => {
      const { experiment, process } = await stoppedRun();
      process.signal(name);
      const { exitCode, stdout, stderr } = await process.ended;
      expect(exitCode).toBe(130);
      expect(stderr).toContain('Interrupted: cells in flight are being settled');
      expect(stdout).toMatch(/^interrupted: \d+ of 16 cells are settled; it was interrupted\.$/m);
      expect(linesOf(stdout).at(-1)).toBe(
        'Run the same command again to continue; settled cells are not repeated.',
      );
      expect(experiment.hostPids().filter(isAlive)).toEqual([]);
      expect(await experiment.ledgerKinds()).not.toContain('outcome');

      const completed = settledKeys(experiment);
      letGo(experiment);
      const again = await experiment.run();
      expect(again.exitCode).toBe(0);
      for (const key of completed) expect(timesExecuted(experiment, key)).toBe(1);
      expect((await experiment.verify()).exitCode).toBe(0);
    },
  );

  test('under --json gives one document with what is missing', async () => {
    const experiment = new SmallExperiment(await folder(), {
      candidates: { new: { scores: { right: true }, behave: { c4: 'wait' } } },
    });
    started.push(experiment);
    const process = startLiftgate(experiment.workspace, 'run', 'small', '--seal', '--json');
    await until('the host to wait', () => existsSync(join(experiment.folder, 'reached')));
    process.signal('SIGINT');
    const { exitCode, stdout } = await process.ended;
    expect(exitCode).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'interrupted', planned: 16 });
  });

  test('twice ends at once', async () => {
    const { experiment, process } = await stoppedRun({
      candidates: { new: { scores: { right: true }, behave: { c4: 'deaf' } } },
    });
    process.signal('SIGINT');
    await until('the host to be told', () => existsSync(join(experiment.folder, 'cancelled')));
    process.signal('SIGINT');
    expect((await process.ended).exitCode).toBe(130);
    await untilGone(experiment);
  });
});

describe.concurrent('a settled run', () => {
  test('started again prints the recorded decision and starts no host', async () => {
    const experiment = new SmallExperiment(await folder());
    const first = await experiment.run();
    const [executed, hosts] = [experiment.executions().length, experiment.hostPids().length];
    const entries = (await experiment.ledgerKinds()).length;
    const again = await experiment.run();
    expect(again.exitCode).toBe(0);
    expect(linesOf(again.stdout)[0]).toBe('Recorded decision; nothing was dispatched.');
    expect(linesOf(again.stdout).slice(1)).toEqual(linesOf(first.stdout));
    expect(experiment.executions()).toHaveLength(executed);
    expect(experiment.hostPids()).toHaveLength(hosts);
    expect(await experiment.ledgerKinds()).toHaveLength(entries);
  });
});

describe.concurrent('a second process on the same run', () => {
  test('is refused while the first is alive: 42, naming the process', async () => {
    const { experiment, process } = await stoppedRun({ cases: smallCases(8) });
    const second = await experiment.run();
    expect(second.exitCode).toBe(42);
    expect(second.stderr).toContain('[ledger-busy]');
    expect(second.stderr).toContain(`Process ${process.pid} is running this experiment.`);
    letGo(experiment);
    expect((await process.ended).exitCode).toBe(0);
    expect((await experiment.verify()).exitCode).toBe(0);
  });
});
