/** Places named by --out, --ledger and the like that can hold nothing: refused at once, and left as they are. */
import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { liftgate, projectFolder } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const evidence = join(projectFolder, 'experiments/refund-desk/runs/33d19367904c');
const ledger = join(projectFolder, 'ledger');

async function folderWithFifo(): Promise<string> {
  const folder = await makeFolder();
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  return folder;
}

describe('places that can hold nothing', () => {
  test('a FIFO or a device is no place for a report or a bundle, and stays what it is', async () => {
    const folder = await folderWithFifo();
    for (const [words, kind] of [
      [['report', evidence, '--out', 'fifo'], 'a FIFO'],
      [['report', evidence, '--format', 'html', '--out', 'fifo'], 'a FIFO'],
      [['report', evidence, '--out', '/dev/null'], 'a device'],
      [['bundle', evidence, '--ledger', ledger, '--out', 'fifo'], 'a FIFO'],
    ] as const) {
      const { exitCode, stderr } = await liftgate(folder, ...words);
      expect([words[0], exitCode]).toEqual([words[0], 64]);
      expect(stderr).toContain(`This is ${kind}, no plain file.`);
    }
    expect(lstatSync(join(folder, 'fifo')).isFIFO()).toBe(true);
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  test('nothing is made below /proc', async () => {
    const folder = await makeFolder();
    const made = await liftgate(folder, 'init', 'small');
    expect(made.exitCode).toBe(0);
    const init = await liftgate(folder, 'init', '/proc/small');
    expect([init.exitCode, init.stderr]).toEqual([64, expect.stringContaining('/proc/small')]);
    const seal = await liftgate(folder, 'seal', 'small', '--ledger', '/proc/ledger');
    expect([seal.exitCode, seal.stderr]).toEqual([42, expect.stringContaining('(ENOENT)')]);
    const run = await liftgate(folder, 'run', 'small', '--seal', '--out', '/proc/run');
    expect([run.exitCode, run.stderr]).toEqual([
      41,
      expect.stringContaining('The run folder cannot be made (ENOENT).'),
    ]);
  });
});
