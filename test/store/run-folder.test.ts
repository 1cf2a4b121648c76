import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wholeBytes } from '../../src/base/content.ts';
import { openRunFolder, readRunFiles } from '../../src/store/run-folder.ts';
import { refusedBy } from '../support/refused-by.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const text = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : new TextDecoder().decode(bytes);

describe('openRunFolder', () => {
  test('makes the folder; whoever locks it clears what a killed process left half written', async () => {
    const path = join(await makeFolder(), 'runs', 'one');
    expect(openRunFolder(path).files().size).toBe(0);
    writeFileSync(join(path, '.tmp-decision.json'), 'half');
    writeFileSync(join(path, 'notes.txt'), 'kept');
    const again = openRunFolder(path);
    expect(readdirSync(path)).toEqual(['.tmp-decision.json', 'notes.txt']);
    again.lock()();
    expect(readdirSync(path)).toEqual(['notes.txt']);
  });

  test('refuses a path that is a file, saying what to name instead', async () => {
    const path = join(await makeFolder(), 'taken');
    writeFileSync(path, 'kept');
    expect(refusedBy(() => openRunFolder(path))).toBe(
      'run-invalid: The run folder cannot be made (EEXIST). Name a folder with --out that is new or holds this run, where you may write.',
    );
  });

  test('reads back what it wrote, and nothing for a file that is not there', async () => {
    const folder = openRunFolder(join(await makeFolder(), 'run'));
    folder.write('a.json', '{}\n');
    folder.write('a.json', new TextEncoder().encode('[]\n'));
    expect(text(folder.read('a.json'))).toBe('[]\n');
    expect(folder.read('b.json')).toBe(null);
    expect([...folder.files().keys()]).toEqual(['a.json']);
  });
});

describe('openLog', () => {
  test('appends lines in the order of the calls, durable when each call resolves', async () => {
    const folder = openRunFolder(join(await makeFolder(), 'run'));
    const log = folder.openLog('journal.jsonl', 0);
    const lines = Array.from({ length: 50 }, (_, at) => `${at}\n`);
    await Promise.all(lines.map((line) => log.append(line)));
    expect(text(folder.read('journal.jsonl'))).toBe(lines.join(''));
    await log.append('last\n');
    expect(text(folder.read('journal.jsonl'))).toBe(`${lines.join('')}last\n`);
    await log.close();
  });

  test('cuts a torn line off and continues behind the kept bytes', async () => {
    const folder = openRunFolder(join(await makeFolder(), 'run'));
    folder.write('journal.jsonl', 'whole\ntor');
    const log = folder.openLog('journal.jsonl', 6);
    await log.append('next\n');
    await log.close();
    expect(text(folder.read('journal.jsonl'))).toBe('whole\nnext\n');
  });

  test('writes what still waits when it is closed', async () => {
    const folder = openRunFolder(join(await makeFolder(), 'run'));
    const log = folder.openLog('journal.jsonl', 0);
    const waiting = log.append('line\n');
    await log.close();
    await waiting;
    expect(text(folder.read('journal.jsonl'))).toBe('line\n');
  });

  test('takes no line after one could not be written', async () => {
    const folder = openRunFolder(join(await makeFolder(), 'run'));
    const log = folder.openLog('journal.jsonl', 0);
    await log.append('line\n');
    await log.close();
    await expect(log.append('after\n')).rejects.toThrow(/EBADF/);
    await expect(log.append('later\n')).rejects.toThrow(/EBADF/);
    expect(text(folder.read('journal.jsonl'))).toBe('line\n');
  });
});

describe('lock', () => {
  test('keeps a second opener out, naming the process, until it is given back', async () => {
    const path = join(await makeFolder(), 'run');
    const unlock = openRunFolder(path).lock();
    expect(readFileSync(`${path}.lock`, 'utf8')).toBe(`${process.pid}\n`);
    expect(refusedBy(() => openRunFolder(path).lock())).toBe(
      `ledger-busy: Process ${process.pid} is running this experiment. Wait for it to end; remove the lock file only if that process is not a Liftgate.`,
    );
    unlock();
    expect(existsSync(`${path}.lock`)).toBe(false);
    openRunFolder(path).lock()();
  });

  test('of a dead process, or without a readable owner, is taken over', async () => {
    const path = join(await makeFolder(), 'run');
    const folder = openRunFolder(path);
    for (const owner of ['2147483646\n', 'nobody\n', '']) {
      writeFileSync(`${path}.lock`, owner);
      folder.lock()();
      expect(existsSync(`${path}.lock`)).toBe(false);
    }
  });

  test('lies beside the folder, so that it is no part of the record', async () => {
    const path = join(await makeFolder(), 'run');
    const folder = openRunFolder(path);
    folder.lock();
    expect(folder.files().size).toBe(0);
  });
});

describe('readRunFiles', () => {
  test('lists nested files by POSIX path', async () => {
    const path = await makeFolder();
    mkdirSync(join(path, 'sub'));
    writeFileSync(join(path, 'sub', 'b'), '2');
    writeFileSync(join(path, 'a'), '1');
    expect([...readRunFiles(path)].map(([name, bytes]) => [name, text(wholeBytes(bytes))])).toEqual(
      [
        ['a', '1'],
        ['sub/b', '2'],
      ],
    );
  });

  test('refuses a symbolic link, which could show one file and hash another', async () => {
    const path = await makeFolder();
    writeFileSync(join(path, 'a'), '1');
    symlinkSync(join(path, 'a'), join(path, 'b'));
    expect(refusedBy(() => readRunFiles(path))).toBe(
      'run-invalid: The run folder cannot be read: it is neither a file nor a folder Name a folder that `liftgate run` wrote.',
    );
  });

  test('refuses a folder that is not there', async () => {
    const path = join(await makeFolder(), 'none');
    expect(refusedBy(() => readRunFiles(path))).toBe(
      'run-invalid: There is no run folder here. Name a folder that `liftgate run` wrote.',
    );
  });
});
