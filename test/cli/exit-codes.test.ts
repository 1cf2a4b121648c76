/** One decision with every kind of candidate, and the exit codes that commands give for it. Faults have files of their own. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Ended, liftgate, linesOf } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { allRight, SmallExperiment, smallCases } from '../support/workspace.ts';

const folder = temporaryFolders();

let decided: SmallExperiment;
let first: Ended;

beforeAll(async () => {
  decided = new SmallExperiment(await folder(), {
    cases: smallCases(9),
    baseline: { scores: { right: ['c1'] } },
    candidates: {
      better: allRight,
      same: { scores: { right: ['c1', 'c2'] } },
      worse: { scores: { right: [] } },
    },
  });
  first = await decided.run();
});

describe.concurrent('liftgate run', () => {
  test('exits 0 when a candidate ships, and ends with one verdict line per candidate', () => {
    expect(first.exitCode).toBe(0);
    const lines = linesOf(first.stdout).slice(-3);
    expect(lines[0]).toMatch(
      /^better: ship \| right \+0\.8889 \(\+0\.\d+ \.\. \+0\.\d+\) n=9 units \| right improves by 0\.8889/,
    );
    expect(lines[1]).toMatch(
      /^same: need_more_work \| right \+0\.1111 \(-0\.\d+ \.\. \+0\.\d+\) n=9 units \| lift:right: the interval/,
    );
    expect(lines[2]).toMatch(/^worse: need_more_work \| right -0\.1111 /);
  });

  test.each([
    [['--candidate', 'better'], 0],
    [['--candidate', 'same'], 21],
    [['--candidate', 'same', '--report-only'], 0],
    [['--report-only'], 0],
  ])('with %j exits %i on the recorded decision', async (words, code) => {
    const { exitCode, stdout, stderr } = await decided.run(...words);
    expect(exitCode).toBe(code);
    expect(stderr).toBe('');
    expect(linesOf(stdout)[0]).toBe('Recorded decision; nothing was dispatched.');
    expect(linesOf(stdout).slice(-3)).toEqual(linesOf(first.stdout).slice(-3));
  });

  test('exits 64 for a candidate that does not exist, naming those that do', async () => {
    const { exitCode, stdout, stderr } = await decided.run('--candidate', 'r9');
    expect(exitCode).toBe(64);
    expect(stdout).toBe('');
    expect(stderr).toBe(
      '[usage]\n  There is no candidate "r9".\n  Name one of: better, same, worse.\n',
    );
  });

  test('spends nothing when the candidate does not exist', async () => {
    const fresh = new SmallExperiment(await folder());
    const { exitCode } = await fresh.run('--candidate', 'r9');
    expect(exitCode).toBe(64);
    expect(fresh.executions()).toEqual([]);
    expect(await fresh.ledgerKinds()).toEqual([]);
  });

  test('exits 20 when the best decision is hold, and 0 instead under --report-only', async () => {
    const held = new SmallExperiment(await folder(), {
      baseline: allRight,
      candidates: { new: { scores: { right: [] } } },
    });
    const { exitCode, stdout } = await held.run();
    expect(exitCode).toBe(20);
    expect(linesOf(stdout).at(-1)).toMatch(/^new: hold \| right -1 \(-1 \.\. -0\.\d+\) n=8 units/);
    expect((await held.run('--report-only')).exitCode).toBe(0);
  });
});

describe.concurrent('liftgate verify and report', () => {
  test('exit 0 on the run and repeat its verdict lines last', async () => {
    const verified = await decided.verify();
    expect(verified.exitCode).toBe(0);
    expect(verified.stdout).toContain('\nRESULT confirmed\n');
    const verdicts = linesOf(first.stdout).slice(-3);
    expect(linesOf(verified.stdout).slice(-3)).toEqual(verdicts);
    const path = `${decided.name}/run`;
    const reported = await liftgate(decided.workspace, 'report', path, '--verdicts');
    expect(reported.exitCode).toBe(0);
    expect(linesOf(reported.stdout)).toEqual(verdicts);
    const summary = await liftgate(decided.workspace, 'report', path);
    expect(summary.stdout.startsWith(decided.text('run/summary.md'))).toBe(true);
    expect(linesOf(summary.stdout).slice(-3)).toEqual(verdicts);
  });

  test('say so when no ledger confirmed the run', async () => {
    const { exitCode, stdout } = await decided.verify('--without-ledger');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('\nRESULT consistent, not confirmed by a ledger\n');
  });
});

describe.concurrent('usage', () => {
  test.each([
    [['swim'], "error: unknown command 'swim'"],
    [['run'], "error: missing required argument 'experiment'"],
    [['run', 'small', '--fast'], "error: unknown option '--fast'"],
    [['ledger', 'void', 'small'], "error: required option '--reason <text>' not specified"],
  ])('%j exits 64, says what is wrong and points to --help', async (words, message) => {
    const { exitCode, stdout, stderr } = await liftgate(decided.workspace, ...words);
    expect(exitCode).toBe(64);
    expect(stdout).toBe('');
    expect(stderr).toBe(`${message}\n(see --help)\n`);
  });

  test('no words at all exit 64 with the help on stderr', async () => {
    const { exitCode, stdout, stderr } = await liftgate(decided.workspace);
    expect(exitCode).toBe(64);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^Usage: liftgate \[options\] \[command\]\n/);
  });

  test('an entry or an experiment that the ledger does not have exits 64', async () => {
    const show = await liftgate(decided.workspace, 'ledger', 'show', '99');
    expect(show.exitCode).toBe(64);
    const last = (await decided.ledgerKinds()).length - 1;
    expect(show.stderr).toContain(
      `The ledger has no entry "99".\n  Name a number from 0 to ${last};`,
    );
    const given = ['ledger', 'release', 'other', '--reason', 'none'];
    const release = await liftgate(decided.workspace, ...given);
    expect(release.exitCode).toBe(64);
    expect(release.stderr).toContain('The ledger knows no experiment "other".');
  });
});
