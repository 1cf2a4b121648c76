import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chunksOf, digestOfContent, wholeBytes } from '../../src/base/content.ts';
import { digestOf } from '../../src/base/digest.ts';
import { formatTar, parseTar } from '../../src/base/tar.ts';
import { fileContent, heldBytes, withParts } from '../../src/store/long-files.ts';
import { readRunFiles } from '../../src/store/run-folder.ts';
import { refusedBy } from '../support/refused-by.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const long = Uint8Array.from({ length: 2 * heldBytes + 77 }, (_, at) => (at * 7 + (at >> 9)) % 251);

async function longFile(): Promise<string> {
  const path = join(await makeFolder(), 'long');
  writeFileSync(path, long);
  return path;
}

describe('fileContent', () => {
  test('holds a short file and reads a long one piece by piece, with the same bytes', async () => {
    const path = await longFile();
    const content = fileContent(path, long.length);
    expect(content).not.toBeInstanceOf(Uint8Array);
    expect(digestOfContent(content)).toBe(digestOf(long));
    expect(wholeBytes(content)).toEqual(long);
    writeFileSync(path, 'short');
    expect(fileContent(path, 5)).toBeInstanceOf(Uint8Array);
  });

  const changes: readonly (readonly [string, (path: string) => void, string])[] = [
    ['grew', (path) => appendFileSync(path, 'x'), 'The file changed while it was read.'],
    ['was cut', (path) => truncateSync(path, 10), 'The file changed while it was read.'],
    ['is gone', (path) => rmSync(path), 'The file cannot be read: Error: ENOENT'],
    [
      'became a link to the same bytes',
      (path) => {
        renameSync(path, `${path}.real`);
        symlinkSync(`${path}.real`, path);
      },
      'The file cannot be read: Error: ELOOP',
    ],
    [
      'became a FIFO that nobody writes to',
      (path) => {
        rmSync(path);
        execFileSync('mkfifo', [path]);
      },
      'The file changed while it was read.',
    ],
  ];

  test.each(changes)('refuses a file that %s since it was found', async (_what, change, said) => {
    const path = await longFile();
    const content = fileContent(path, long.length);
    change(path);
    expect(refusedBy(() => wholeBytes(content))).toContain(`run-invalid: ${said}`);
  });

  test.each<[string, (path: string) => void]>([
    ['grows', (path) => appendFileSync(path, 'x')],
    ['is cut', (path) => truncateSync(path, heldBytes)],
  ])('refuses a file that %s while it is read', async (_what, change) => {
    const path = await longFile();
    const content = fileContent(path, long.length);
    const read = (): void => {
      let pieces = 0;
      for (const _piece of chunksOf(content)) {
        pieces += 1;
        if (pieces === 1) change(path);
      }
    };
    expect(refusedBy(read)).toContain('run-invalid: The file changed while it was read.');
  });
});

describe('readRunFiles', () => {
  test('reads a long journal later, and everything else of a run at once', async () => {
    const path = await makeFolder();
    for (const name of ['journal.jsonl', 'cases.json', 'stray.bin'])
      writeFileSync(join(path, name), long);
    const files = readRunFiles(path);
    expect(files.get('cases.json')).toBeInstanceOf(Uint8Array);
    expect(files.get('journal.jsonl')).not.toBeInstanceOf(Uint8Array);
    expect(files.get('stray.bin')).not.toBeInstanceOf(Uint8Array);
  });
});

describe('withParts', () => {
  test('reads an archive as from memory, long members when they are asked for', async () => {
    const members = [
      { path: 'a.txt', bytes: new TextEncoder().encode('short') },
      { path: 'b.bin', bytes: long },
      { path: 'c.txt', bytes: new Uint8Array() },
    ];
    const archive = formatTar(members);
    const path = join(await makeFolder(), 'x.tar');
    writeFileSync(path, archive);
    const read = withParts(path, archive.length, (file) => parseTar(file, path));
    expect(read.map((each) => each.bytes instanceof Uint8Array)).toEqual([true, false, true]);
    expect(read.map((each) => [each.path, digestOfContent(each.bytes)])).toEqual(
      members.map((each) => [each.path, digestOf(each.bytes)]),
    );
    writeFileSync(path, archive.with(archive.length - 1, 1));
    const refuse = (): unknown =>
      withParts(path, archive.length, (file) => parseTar(file, 'x.tar'));
    expect(refusedBy(refuse)).toContain('the end is not the 1024 zeros that close it');
    expect(refusedBy(() => withParts(path, archive.length - 1, () => null))).toContain(
      'The file changed while it was read.',
    );
  });
});
