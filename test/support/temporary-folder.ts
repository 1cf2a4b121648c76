/** Folders that vanish with the test file. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A file system without a disk, where there is one: thousands of fsyncs then cost nothing. */
const quickRoot = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Returns a maker of empty folders; all of them are removed when the tests of the file are done. `root` is where they are made. */
export function temporaryFolders(root = quickRoot): () => Promise<string> {
  const made: string[] = [];
  afterAll(async () => {
    for (const folder of made) await rm(folder, { recursive: true, force: true });
  });
  return async () => {
    const folder = await mkdtemp(join(root, 'liftgate-test-'));
    made.push(folder);
    return folder;
  };
}
