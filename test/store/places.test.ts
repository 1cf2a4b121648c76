import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder, refuseOddFile } from '../../src/store/places.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeTemporary = temporaryFolders();

describe('makeFolder', () => {
  test('makes what is missing and says where it began', async () => {
    const folder = await makeTemporary();
    expect(makeFolder(join(folder, 'a/b/c'))).toBe(join(folder, 'a'));
    expect(existsSync(join(folder, 'a/b/c'))).toBe(true);
    expect(makeFolder(join(folder, 'a/b'))).toBeUndefined();
    expect(makeFolder(join(folder, 'a/d'))).toBe(join(folder, 'a/d'));
  });

  test('refuses a place that holds something else, also on the way and behind a link', async () => {
    const folder = await makeTemporary();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
    expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
    expect(() => makeFolder(join(folder, 'file/below'))).toThrow('ENOTDIR');
    expect(() => makeFolder(join(folder, 'dangling'))).toThrow('EEXIST');
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    expect(makeFolder(join(folder, 'link/below'))).toBe(join(folder, 'link/below'));
  });

  test('answers at once below /proc', () => {
    expect(() => makeFolder('/proc/liftgate/below')).toThrow('ENOENT');
  });
});

describe('refuseOddFile', () => {
  test('lets new and plain files pass, also behind a link', async () => {
    const folder = await makeTemporary();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'file'), join(folder, 'link'));
    for (const name of ['new', 'file', 'link']) {
      expect(() => refuseOddFile(join(folder, name))).not.toThrow();
    }
  });

  test('names what else is there', async () => {
    const folder = await makeTemporary();
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    const server = createServer().listen(join(folder, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      for (const [path, kind] of [
        [folder, 'a folder'],
        [join(folder, 'fifo'), 'a FIFO'],
        [join(folder, 'socket'), 'a socket'],
        ['/dev/null', 'a device'],
      ] as const) {
        expect(() => refuseOddFile(path, 'shown')).toThrow(
          expect.objectContaining({
            code: 'usage',
            message: `This is ${kind}, no plain file.`,
            where: { file: 'shown' },
          }),
        );
      }
    } finally {
      server.close();
    }
  });
});
