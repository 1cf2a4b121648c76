/** Two clones of one repository that both measured: what `ledger import`, `verify` and `bundle` make of their runs. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { experimentAttributes } from '../../src/store/git-attributes.ts';
import { documentOf, liftgate, projectFolder } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { type CaseRow, liftGate, SmallExperiment, smallCases } from '../support/workspace.ts';

const folder = temporaryFolders();

function git(cwd: string, ...words: string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'core.autocrlf=true'];
  return execFileSync('git', [...who, ...words], { cwd, encoding: 'utf8', stdio: 'pipe' });
}

/** A repository whose experiments are as `liftgate init` leaves them: no checkout converts what is sealed. */
async function repository(): Promise<string> {
  const cwd = await folder();
  git(cwd, 'init', '-q', '-b', 'main');
  writeFileSync(join(cwd, '.gitignore'), '*.log\n');
  writeFileSync(join(cwd, '.gitattributes'), experimentAttributes);
  return cwd;
}

function commit(cwd: string, message: string): void {
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', message);
}

interface Clones {
  readonly left: string;
  readonly right: string;
}

/** A common beginning (a third experiment is sealed), and a clone of it in which each side runs an experiment of its own. */
async function measured(
  cases: Readonly<Record<keyof Clones, readonly CaseRow[]>>,
): Promise<Clones> {
  const [left, clone] = [await repository(), await folder()];
  const base = new SmallExperiment(left, { name: 'base', cases: smallCases(8, 'b') });
  expect((await base.call('seal')).exitCode).toBe(0);
  commit(left, 'base');
  git(clone, 'clone', '-q', left, 'right');
  const right = join(clone, 'right');
  for (const [name, workspace] of [
    ['left', left],
    ['right', right],
  ] as const) {
    const own = new SmallExperiment(workspace, { name, cases: cases[name] });
    const ran = await own.run();
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.anything()]);
    commit(workspace, name);
  }
  return { left, right };
}

/** Merges the other clone into the left one, and resolves the ledger. */
async function merged({ left, right }: Clones): Promise<string> {
  git(left, 'fetch', '-q', right, 'main:theirs');
  expect(() => git(left, 'merge', 'theirs')).toThrow();
  expect(git(left, 'status', '--porcelain')).toMatch(/^AA ledger\/log\/00000002\.json$/m);
  const imported = await liftgate(left, 'ledger', 'import', '--theirs', 'theirs');
  expect(imported.exitCode).toBe(0);
  commit(left, 'merge');
  return imported.stdout;
}

const verify = (workspace: string, name: string, ...words: string[]) =>
  liftgate(workspace, 'verify', `${name}/run`, ...words);

describe('runs of both branches, on different units', () => {
  let clones: Clones;
  let said: string;
  beforeAll(async () => {
    clones = await measured({ left: smallCases(8, 'l'), right: smallCases(8, 'r') });
    said = await merged(clones);
  });

  test('verify after the import, each by its own entries', async () => {
    expect(said).toContain('contested: nothing, no unit was claimed on both sides');
    expect((await liftgate(clones.left, 'ledger', 'verify')).stdout).toContain('RESULT sound');
    for (const name of ['left', 'right']) {
      const { exitCode, stdout } = await verify(clones.left, name);
      expect([exitCode, stdout.includes('RESULT confirmed')]).toEqual([0, true]);
    }
    const { stdout } = await verify(clones.left, 'right');
    expect(stdout).toMatch(/Exposed in another branch, which entry \d+ imported\./);
  });

  test('have entries that are listed and shown under their numbers here', async () => {
    const listed = await liftgate(clones.left, 'ledger', 'list');
    expect(listed.stdout).toMatch(/^90000000 +seal +right /m);
    const shown = await liftgate(clones.left, 'ledger', 'show', '90000000');
    expect([shown.exitCode, shown.stdout]).toEqual([0, expect.stringMatching(/^kind +seal$/m)]);
    expect((await liftgate(clones.left, 'ledger', 'show', '89999999')).exitCode).toBe(64);
  });

  test('print their recorded decision again and dispatch nothing', async () => {
    const again = await liftgate(clones.left, 'run', 'right', '--out', 'right/run');
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toMatch(/^new: ship/m);
  });

  test('are bundled with everything behind the branch; the Python checker and tar read it', async () => {
    for (const name of ['left', 'right']) {
      const out = `${name}.tar`;
      expect((await liftgate(clones.left, 'bundle', `${name}/run`, '--out', out)).exitCode).toBe(0);
      const there = await liftgate(await folder(), 'verify', join(clones.left, out));
      expect(there.stdout).toContain('RESULT confirmed');
      const python = [join(projectFolder, 'test/support/check_bundle.py'), join(clones.left, out)];
      expect(execFileSync('python3', python, { encoding: 'utf8' })).toContain(`${name}: ship`);
    }
  });

  test('a pin on the head of the other branch holds: its entries are in the ledger', async () => {
    const entries = JSON.parse((await liftgate(clones.right, 'ledger', 'list', '--json')).stdout);
    const pin = `${entries.length}:${entries.at(-1).entryId}`;
    const { exitCode, stdout } = await verify(clones.left, 'right', '--pin', pin);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('The pinned entries are those of a branch'),
    ]);
    const other = `${entries.length}:sha256:${'0'.repeat(64)}`;
    expect((await verify(clones.left, 'right', '--pin', other)).exitCode).toBe(42);
  });

  test('an export of it restores an empty folder, and gives the same bytes again', async () => {
    const [place, out] = [await folder(), join(clones.left, 'ledger.tar')];
    expect((await liftgate(clones.left, 'ledger', 'export', '--out', out)).exitCode).toBe(0);
    const taken = await liftgate(place, 'ledger', 'import', '--theirs', out);
    expect(taken.stdout).toMatch(/^took over \d+ entries/);
    expect((await liftgate(place, 'ledger', 'verify')).stdout).toContain('RESULT sound');
    await liftgate(place, 'ledger', 'export', '--out', 'again.tar');
    expect(readFileSync(join(place, 'again.tar')).equals(readFileSync(out))).toBe(true);
    const same = await liftgate(place, 'ledger', 'import', '--theirs', 'again.tar');
    expect(same.stdout).toContain('nothing to import');
    execFileSync('tar', ['-xf', out], { cwd: await folder() });
  });
});

describe('runs of both branches, on shared units', () => {
  let clones: Clones;
  let said: string;
  beforeAll(async () => {
    const shared = smallCases(10, 's');
    clones = await measured({
      left: shared.slice(0, 10),
      right: [...smallCases(0, 't'), ...shared.slice(4)],
    });
    said = await merged(clones);
  });

  test('are contested, and the import says what that means', () => {
    expect(said).toMatch(/^contested: left \(claim \d+, exposed\); its result lets nobody ship$/m);
    expect(said).toMatch(/^contested: right \(claim \d+, exposed\); its result lets nobody ship$/m);
  });

  test('do not verify as a ship any more, with one reason', async () => {
    expect((await liftgate(clones.left, 'ledger', 'verify')).exitCode).toBe(0);
    for (const name of ['left', 'right']) {
      const { exitCode, stdout } = await liftgate(clones.left, 'verify', `${name}/run`, '--json');
      expect(exitCode).toBe(41);
      const { checks } = JSON.parse(stdout) as {
        checks: { id: string; problems: { code: string; message: string }[] }[];
      };
      const problems = checks.flatMap(({ problems: found }) => found);
      expect(problems).toEqual([
        {
          code: 'outcome-contested',
          message: expect.stringMatching(
            /^entry \d+ found that another branch claimed units of this measurement too and must not be used$/,
          ),
        },
      ]);
    }
  });

  test('leave no unit free: a new experiment on any of them is refused', async () => {
    const next = new SmallExperiment(clones.left, { name: 'next', cases: smallCases(10, 's') });
    const refused = await next.run();
    expect(refused.exitCode).toBe(42);
  });
});

test('a reservation that both sides made of one plan is given back, never exposed', async () => {
  const [left, clone] = [await repository(), await folder()];
  const base = new SmallExperiment(left, { name: 'base' });
  await base.call('seal');
  commit(left, 'base');
  git(clone, 'clone', '-q', left, 'right');
  const right = join(clone, 'right');
  for (const workspace of [left, right]) {
    expect((await liftgate(workspace, 'reserve', 'base')).exitCode).toBe(0);
    commit(workspace, 'reserve');
  }
  await merged({ left, right });
  const ran = await base.run();
  expect(ran.exitCode).toBe(42);
  expect(ran.stderr).toContain('were claimed by another branch too');
  const released = await liftgate(left, 'ledger', 'release', 'base', '--reason', 'contested');
  expect(released.exitCode).toBe(0);
  expect((await base.run()).exitCode).toBe(42);
});

test('an experiment that the other side only reserved runs after the import, and verifies', async () => {
  const [left, clone] = [await repository(), await folder()];
  await new SmallExperiment(left, { name: 'base', cases: smallCases(8, 'b') }).call('seal');
  commit(left, 'base');
  git(clone, 'clone', '-q', left, 'right');
  const right = join(clone, 'right');
  const own = new SmallExperiment(left, { name: 'left', cases: smallCases(8, 'l') });
  expect((await own.run()).exitCode).toBe(0);
  commit(left, 'left');
  const theirs = new SmallExperiment(right, { name: 'right', cases: smallCases(8, 'r') });
  await theirs.call('seal');
  expect((await theirs.call('reserve')).exitCode).toBe(0);
  commit(right, 'right');
  await merged({ left, right });
  const ran = await liftgate(left, 'run', 'right', '--seal', '--out', 'right/run');
  expect([ran.exitCode, ran.stderr]).toEqual([0, expect.anything()]);
  expect((await verify(left, 'right')).stdout).toContain('RESULT confirmed');
  expect((await liftgate(left, 'ledger', 'verify')).stdout).toContain('RESULT sound');
});

describe('one plan that both branches amended', () => {
  test('stays as this side amended it, which the import says', async () => {
    const [left, clone] = [await repository(), await folder()];
    const base = new SmallExperiment(left, { name: 'base' });
    expect((await base.call('seal')).exitCode).toBe(0);
    commit(left, 'base');
    git(clone, 'clone', '-q', left, 'right');
    const right = join(clone, 'right');
    const amended: string[] = [];
    for (const [workspace, threshold] of [
      [left, 0.05],
      [right, 0.07],
    ] as const) {
      const own = new SmallExperiment(workspace, { name: 'base' });
      own.write({ spec: { gates: [{ ...liftGate, threshold }] } });
      const { exitCode, stdout } = await own.call('amend', '--reason', `meant ${threshold}`);
      expect(exitCode).toBe(0);
      amended.push(/^plan seal (sha256:\w{64}) amends/.exec(stdout)?.[1] ?? '');
      commit(workspace, 'amended');
    }
    git(left, 'fetch', '-q', right, 'main:theirs');
    const imported = await liftgate(left, 'ledger', 'import', '--theirs', 'theirs', '--json');
    expect(imported.exitCode).toBe(0);
    expect(documentOf(imported)).toMatchObject({
      notTaken: [{ experiment: 'base', entry: expect.any(Number), plan: amended[1] }],
    });
    expect(imported.stderr).toContain('not taken: their amendment of base (their entry ');
    const again = await base.call('seal', '--json');
    expect(documentOf(again)).toMatchObject({ plan: amended[0] });
    expect((await liftgate(left, 'ledger', 'verify')).exitCode).toBe(0);
  });
});
