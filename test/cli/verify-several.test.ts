import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { liftgate, projectFolder } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const run = join(projectFolder, 'experiments/refund-desk/runs/33d19367904c');

describe('verify of several runs', () => {
  test('goes on after one that cannot be read and exits with the highest code', async () => {
    const folder = await makeFolder();
    const words = ['verify', run, 'nowhere', run, '--without-ledger'] as const;
    const { exitCode, stdout, stderr } = await liftgate(folder, ...words);
    expect(exitCode).toBe(41);
    expect(stdout.match(/^RESULT consistent/gm)).toHaveLength(2);
    expect(
      stdout.split('\n').filter((line) => line.endsWith(':') && !line.startsWith('C')),
    ).toEqual([`${run}:`, 'nowhere:', `${run}:`]);
    expect(stderr).toContain('There is no run folder here.');
    const json = await liftgate(folder, ...words, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      exitCode: 41,
      runs: [
        { path: run, ok: true, exitCode: 0 },
        { path: 'nowhere', ok: false, exitCode: 41, error: { code: 'run-invalid' } },
        { path: run, ok: true },
      ],
    });
  });

  test('holds a statement against one run only', async () => {
    const folder = await makeFolder();
    const words = ['verify', run, run, '--without-ledger', '--statement', 'a.json'] as const;
    const { exitCode, stderr } = await liftgate(folder, ...words);
    expect([exitCode, stderr]).toEqual([
      64,
      expect.stringContaining('A statement is about one run; 2 are named.'),
    ]);
  });
});
