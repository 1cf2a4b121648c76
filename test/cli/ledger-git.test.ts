/** A ledger folder under git and among stray files: what CI refuses, what a merge shows, what --fix moves. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLedger } from '../../src/store/ledger-folder.ts';
import { liftgate, linesOf, projectFolder } from '../support/cli.ts';
import { countingPorts, recordPlan } from '../support/ledger-story.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
const page = readFileSync(join(projectFolder, 'docs/ci.md'), 'utf8');
const block = (words: string) => page.split(`\`\`\`${words}\n`)[1]?.split('```')[0] ?? '';

function git(cwd: string, ...words: string[]) {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'core.autocrlf=true'];
  const { status, stdout, stderr } = spawnSync('git', [...who, ...words], {
    cwd,
    encoding: 'utf8',
  });
  return { status, text: `${stdout}${stderr}` };
}

async function repository(): Promise<string> {
  const cwd = await folder();
  git(cwd, 'init', '-q', '-b', 'main');
  writeFileSync(join(cwd, '.gitattributes'), block('gitattributes'));
  await recordPlan(openLedger(join(cwd, 'ledger'), countingPorts()), 'first');
  commit(cwd, 'base');
  return cwd;
}

function commit(cwd: string, message: string): void {
  git(cwd, 'add', '.');
  expect(git(cwd, 'commit', '-q', '-m', message).status).toBe(0);
}

function recipe(cwd: string): { status: number | null; text: string } {
  const command = `liftgate() { "${process.execPath}" "${join(projectFolder, 'bin/liftgate.js')}" "$@"; }`;
  const environment = { ...process.env, BASE: 'main' };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', `${command}\n${block('sh ledger')}`], {
    ...{ cwd, encoding: 'utf8', env: environment },
  });
  return { status, text: `${stdout}${stderr}` };
}

const entry = (cwd: string, seq: number) => join(cwd, 'ledger/log', `0000000${seq}.json`);

describe('the recipe of docs/ci.md', () => {
  test('passes a branch that only added entries', async () => {
    const cwd = await repository();
    git(cwd, 'checkout', '-q', '-b', 'work');
    await recordPlan(openLedger(join(cwd, 'ledger'), countingPorts()), 'second');
    commit(cwd, 'append');
    expect(recipe(cwd)).toMatchObject({ status: 0, text: expect.stringContaining('RESULT sound') });
  });

  test.each<[string, (cwd: string) => void]>([
    ['modified', (cwd) => writeFileSync(entry(cwd, 1), `${readFileSync(entry(cwd, 1), 'utf8')} `)],
    ['deleted', (cwd) => rmSync(entry(cwd, 1))],
    ['renamed', (cwd) => git(cwd, 'mv', entry(cwd, 1), entry(cwd, 2))],
  ])('fails when an entry was %s', async (_, change) => {
    const cwd = await repository();
    git(cwd, 'checkout', '-q', '-b', 'work');
    change(cwd);
    commit(cwd, 'change');
    const { status, text } = recipe(cwd);
    expect(status).toBe(1);
    expect(text).toBe('ledger files are never changed: ledger/log/00000001.json\n');
  });
});

describe('a merge of two branches that both appended', () => {
  async function merged(counts: {
    readonly left: number;
    readonly right: number;
  }): Promise<string> {
    const cwd = await repository();
    for (const [name, count] of Object.entries(counts)) {
      git(cwd, 'checkout', '-q', '-b', name, 'main');
      const ledger = openLedger(join(cwd, 'ledger'), countingPorts());
      for (let each = 0; each < count; each += 1) await recordPlan(ledger, `${name}-${each}`);
      commit(cwd, name);
    }
    const { status, text } = git(cwd, 'merge', 'left');
    expect(status).toBe(1);
    expect(text).toContain('CONFLICT (add/add): Merge conflict in ledger/log/00000002.json');
    return cwd;
  }
  const command = (cwd: string, ...words: string[]) => liftgate(cwd, 'ledger', ...words);
  const kinds = async (cwd: string) =>
    (await openLedger(join(cwd, 'ledger')).entries()).map((each) => each.entry.kind);

  test.each([
    ['as many entries', { left: 1, right: 1 }],
    ['more entries on the other side', { left: 3, right: 1 }],
    ['more entries on this side', { left: 1, right: 3 }],
  ])('is a visible conflict that import resolves: %s', async (_, counts) => {
    const cwd = await merged(counts);
    const imported = await command(cwd, 'import', '--theirs', 'left');
    expect([imported.exitCode, imported.stderr]).toEqual([0, '']);
    expect(imported.stdout).toContain('contested: nothing, no unit was claimed on both sides');
    expect(await kinds(cwd)).toEqual([
      'genesis',
      ...Array.from({ length: 1 + counts.right }, () => 'seal'),
      'import',
    ]);
    expect((await command(cwd, 'verify')).stdout).toContain('RESULT sound');
    git(cwd, 'add', '-A', 'ledger');
    expect(git(cwd, 'commit', '-q', '-m', 'merge').status).toBe(0);
    expect(git(cwd, 'status', '--porcelain').text).toBe('');
    const again = await command(cwd, 'import', '--theirs', 'left');
    expect([again.exitCode, again.stdout]).toEqual([
      0,
      'nothing to import: every entry of left was imported before\n',
    ]);
  });

  test('keeps the published side where it is named, so that CI sees only new files', async () => {
    const cwd = await merged({ left: 2, right: 3 });
    const imported = await command(cwd, 'import', '--ours', 'left', '--theirs', 'right');
    expect([imported.exitCode, imported.stderr]).toEqual([0, '']);
    git(cwd, 'add', '-A', 'ledger');
    expect(git(cwd, 'commit', '-q', '-m', 'merge').status).toBe(0);
    git(cwd, 'branch', '-f', 'main', 'left');
    expect(recipe(cwd)).toMatchObject({ status: 0, text: expect.stringContaining('RESULT sound') });
    expect(await kinds(cwd)).toHaveLength(5);
  });

  test('also where the markers of git stand in the entry', async () => {
    const cwd = await repository();
    rmSync(join(cwd, 'ledger/.gitattributes'));
    writeFileSync(join(cwd, '.gitattributes'), 'ledger/** -text\n');
    commit(cwd, 'as before');
    git(cwd, 'branch', '-f', 'main');
    for (const name of ['left', 'right']) {
      git(cwd, 'checkout', '-q', '-b', name, 'main');
      await recordPlan(openLedger(join(cwd, 'ledger'), countingPorts()), name);
      commit(cwd, name);
    }
    git(cwd, 'merge', 'left');
    expect(readFileSync(entry(cwd, 2), 'utf8')).toContain('<<<<<<<');
    expect((await command(cwd, 'verify')).exitCode).toBe(42);
    expect((await command(cwd, 'import', '--theirs', 'left')).stdout).toContain(
      'restored log/00000002.json',
    );
    expect((await command(cwd, 'verify')).exitCode).toBe(0);
  });

  test('touches nothing when an entry is of neither side', async () => {
    const cwd = await merged({ left: 2, right: 1 });
    writeFileSync(entry(cwd, 3), '{}\n');
    const refused = await command(cwd, 'import', '--theirs', 'left');
    expect(refused.exitCode).toBe(42);
    expect(refused.stderr).toContain('This entry is of neither side');
    expect(readFileSync(entry(cwd, 3), 'utf8')).toBe('{}\n');
  });

  test('says what is no copy of the ledger', async () => {
    const cwd = await merged({ left: 1, right: 1 });
    const refused = await command(cwd, 'import', '--theirs', 'nowhere');
    expect(refused.exitCode).toBe(64);
    expect(refused.stderr).toContain('"nowhere" is neither a ledger, nor an export, nor a commit.');
  });
});

test('a checkout under core.autocrlf keeps every byte', async () => {
  const cwd = await repository();
  const bytes = readFileSync(entry(cwd, 1));
  rmSync(entry(cwd, 1));
  git(cwd, 'checkout', '--', '.');
  expect(readFileSync(entry(cwd, 1))).toEqual(bytes);
});

test('ledger verify --fix moves strays away, drops old temporary files and touches no entry', async () => {
  const cwd = await folder();
  await recordPlan(openLedger(join(cwd, 'ledger'), countingPorts()), 'first');
  const log = join(cwd, 'ledger/log');
  writeFileSync(join(log, 'notes.txt'), 'mine');
  writeFileSync(join(log, '.tmp-1-old'), 'half');
  writeFileSync(join(log, '.tmp-2-new'), 'half');
  utimesSync(join(log, '.tmp-1-old'), 1, 1);
  expect((await liftgate(cwd, 'ledger', 'verify')).exitCode).toBe(42);
  const fixed = await liftgate(cwd, 'ledger', 'verify', '--fix');
  expect(fixed.exitCode).toBe(0);
  expect(linesOf(fixed.stdout).slice(0, 2)).toEqual([
    'moved log/notes.txt to quarantine/log-notes.txt',
    'removed log/.tmp-1-old, left by a writer that ended',
  ]);
  expect(readFileSync(join(cwd, 'ledger/quarantine/log-notes.txt'), 'utf8')).toBe('mine');
  expect(readdirSync(log).sort()).toEqual(['.tmp-2-new', '00000000.json', '00000001.json']);

  writeFileSync(join(log, '00000007.json'), 'not an entry');
  writeFileSync(join(log, 'notes.txt'), 'again');
  expect((await liftgate(cwd, 'ledger', 'verify', '--fix')).exitCode).toBe(42);
  expect(readFileSync(join(log, '00000007.json'), 'utf8')).toBe('not an entry');
  expect(existsSync(join(cwd, 'ledger/quarantine/log-notes.txt.1'))).toBe(true);
});
