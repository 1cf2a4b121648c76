import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareCodeUnits } from '../../src/base/canonical.ts';
import { type Digest, digestOf } from '../../src/base/digest.ts';
import { engineIdentity, programDigest } from '../../src/store/engine.ts';
import { sourceFolder } from '../../src/store/package.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();

/** What the digest is by its definition: over paths with sizes, and the digest of all bytes one after another. */
function defined(folder: string, paths: readonly string[]): Digest {
  const files = [...paths].sort(compareCodeUnits).map((path) => {
    const bytes = readFileSync(join(folder, path));
    return { bytes, row: `["${path}",${bytes.length}]` };
  });
  const all = digestOf(Buffer.concat(files.map(({ bytes }) => bytes)));
  return digestOf(`{"bytes":"${all}","files":[${files.map(({ row }) => row).join(',')}]}`);
}

async function folderOf(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await makeFolder();
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return folder;
}

test('the build of an engine is the digest over every program file it ships, and over no types', () => {
  const paths = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.(?:js|cjs|ts)$/.test(path) && statSync(join(sourceFolder, path)).isFile(),
  );
  const programs = paths.filter((path) => !path.endsWith('.d.ts'));
  expect(programs.length).toBeGreaterThan(300);
  expect(engineIdentity().build).toBe(defined(sourceFolder, programs));
});

describe('programDigest', () => {
  test('covers folders, files without bytes and files of more than a megabyte, and nothing but programs', async () => {
    const large = new Uint8Array((1 << 20) + 7).fill(65);
    const files = { 'b.js': 'two', 'a/c.cjs': 'three', 'a.js': '', 'z.ts': large };
    const folder = await folderOf({ ...files, 'b.d.ts': 'type', 'a/help.txt': 'text' });
    expect(programDigest(folder)).toBe(defined(folder, Object.keys(files)));
    large[1 << 20] = 66;
    expect(programDigest(await folderOf({ ...files, 'z.ts': large }))).not.toBe(
      programDigest(folder),
    );
  });

  test('differs when bytes move from one file to the next, when a file has another name, and without a file', async () => {
    const digests = await Promise.all(
      [
        { 'a.js': 'one', 'b.js': 'two' },
        { 'a.js': 'onet', 'b.js': 'wo' },
        { 'a.js': 'onetwo', 'b.js': '' },
        { 'a.js': 'onetwo' },
        { 'a.js': 'one', 'c.js': 'two' },
        { 'a/a.js': 'one', 'b.js': 'two' },
        {},
      ].map(async (files) => programDigest(await folderOf(files))),
    );
    expect(new Set(digests).size).toBe(digests.length);
  });
});
