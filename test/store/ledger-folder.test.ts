import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestHex, digestOf } from '../../src/base/digest.ts';
import { openLedgerStore } from '../../src/ledger/ledger.ts';
import { folderStore, openLedger } from '../../src/store/ledger-folder.ts';
import { describeLedgerStore } from '../support/ledger-conformance.ts';
import {
  bytesOf,
  countingPorts,
  digestNamed,
  recordPlan,
  tellStory,
} from '../support/ledger-story.ts';
import { refusalOf } from '../support/refusal.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const newFolder = temporaryFolders();

describeLedgerStore(
  'folder',
  async () => {
    const folder = join(await newFolder(), 'ledger');
    return { open: () => folderStore(folder) };
  },
  3,
);

async function toldFolder(): Promise<string> {
  const folder = join(await newFolder(), 'ledger');
  await tellStory(openLedgerStore(folderStore(folder), countingPorts()));
  return folder;
}

const entryPath = (folder: string, seq: number) =>
  join(folder, 'log', `${String(seq).padStart(8, '0')}.json`);

describe('a ledger folder', () => {
  it('is made with the folders above it', async () => {
    const folder = join(await newFolder(), 'not', 'yet', 'there');
    await tellStory(openLedgerStore(folderStore(folder), countingPorts()));
    expect((await readdir(folder)).sort()).toEqual(['.gitattributes', 'log', 'objects']);
  });

  it('holds one file per entry, chained by the digests sha256sum prints', async () => {
    const folder = await toldFolder();
    expect((await readdir(folder)).sort()).toEqual(['.gitattributes', 'log', 'objects']);
    const names = (await readdir(join(folder, 'log'))).sort();
    expect(names).toHaveLength(17);
    expect(names[16]).toBe('00000016.json');
    let prev: unknown = null;
    for (const name of names) {
      const text = await readFile(join(folder, 'log', name), 'utf8');
      const entry: unknown = JSON.parse(text);
      expect(Reflect.get(Object(entry), 'prev')).toBe(prev);
      prev = digestOf(text);
    }
    for (const name of await readdir(join(folder, 'objects'))) {
      expect(digestHex(digestOf(await readFile(join(folder, 'objects', name))))).toBe(name);
    }
  });

  it('is not made by reading', async () => {
    const folder = join(await newFolder(), 'ledger');
    expect((await openLedger(folder).state()).chain.size).toBe(0);
    expect((await openLedger(folder).verify()).ok).toBe(true);
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });

  it('draws its own id and clock when none is given', async () => {
    const [first, second] = [
      openLedger(join(await newFolder(), 'a')),
      openLedger(join(await newFolder(), 'b')),
    ];
    await recordPlan(first, 'e');
    await recordPlan(second, 'e');
    const [one, two] = [await first.state(), await second.state()];
    expect(one.chain.ledger).toMatch(/^[0-9a-f]{32}$/);
    expect(one.chain.ledger).not.toBe(two.chain.ledger);
    expect((await first.entries())[0]?.entry).toMatchObject({
      actor: 'local',
      body: { origin: 'liftgate', unicode: process.versions['unicode'] },
    });
  });

  it('ignores what a killed writer left behind', async () => {
    const folder = await toldFolder();
    await writeFile(join(folder, 'log', '.tmp-1-aa'), 'half an en');
    await writeFile(join(folder, 'objects', '.tmp-1-bb'), '');
    expect((await openLedger(folder).verify()).ok).toBe(true);
    expect((await openLedger(folder).entries()).length).toBe(17);
  });

  it('leaves no temporary files of its own', async () => {
    const folder = await toldFolder();
    const names = [
      ...(await readdir(join(folder, 'log'))),
      ...(await readdir(join(folder, 'objects'))),
    ];
    expect(names.filter((name) => name.startsWith('.tmp-'))).toEqual([]);
  });

  it.each([
    ['a foreign file', 'notes.txt'],
    ['an entry beyond a gap', '00000018.json'],
    ['a name with nine digits', '000000017.json'],
    ['an upper-case name', '00000017.JSON'],
  ])('is damaged by %s in the log, which is named', async (_, name) => {
    const folder = await toldFolder();
    await writeFile(join(folder, 'log', name), '{}\n');
    const error = await refusalOf(openLedger(folder).state());
    expect(error.code).toBe('ledger-damaged');
    expect(error.exitCode).toBe(42);
    expect(error.message).toBe(
      `The folder holds 18 files, so they must be 00000000.json to 00000017.json; "${name}" is not one of them.`,
    );
    expect(error.where).toEqual({ file: join(folder, 'log', name) });
    expect(error.mend).toBe(
      'Restore the ledger folder from version control or a copy; move files that do not belong there elsewhere.',
    );
    const report = await openLedger(folder).verify();
    expect(report.problems[0]).toMatchObject({ code: 'I1', message: error.message });
  });

  it('is not taken for empty when its first entry is gone', async () => {
    const folder = await toldFolder();
    await rm(entryPath(folder, 0));
    const error = await refusalOf(openLedger(folder).state());
    expect(error.message).toBe(
      'The folder holds 16 files, so they must be 00000000.json to 00000015.json; "00000016.json" is not one of them.',
    );
  });

  it('follows no symbolic links: entry, object, log', async () => {
    const folder = await toldFolder();
    const last = entryPath(folder, 16);
    await rename(last, join(folder, 'moved'));
    await symlink(join(folder, 'moved'), last);
    const entry = await refusalOf(openLedger(folder).state());
    expect(entry.message).toBe('The recorded file is not a regular file (links are not followed).');
    expect(entry.where).toEqual({ file: last });
    await rm(last);
    await copyFile(join(folder, 'moved'), last);
    const bytes = bytesOf('plan of first\n');
    const object = join(folder, 'objects', digestHex(digestOf(bytes)));
    await rename(object, join(folder, 'object'));
    await symlink(join(folder, 'object'), object);
    const linked = await refusalOf(openLedger(folder).object(digestOf(bytes)));
    expect(linked.code).toBe('ledger-damaged');
    expect(linked.message).toBe(entry.message);
    expect(linked.where).toEqual({ file: object });
    await rename(join(folder, 'log'), join(folder, 'elsewhere'));
    await symlink(join(folder, 'elsewhere'), join(folder, 'log'));
    const log = await refusalOf(openLedger(folder).state());
    expect(log.message).toBe('A folder is expected here (links are not followed).');
  });

  it('is damaged by a folder in place of an entry and by an oversized entry', async () => {
    const folder = await toldFolder();
    await mkdir(entryPath(folder, 17));
    expect((await refusalOf(openLedger(folder).state())).where).toEqual({
      file: entryPath(folder, 17),
    });
    await rm(entryPath(folder, 17), { recursive: true });
    await writeFile(entryPath(folder, 17), new Uint8Array(1_048_577));
    const error = await refusalOf(openLedger(folder).state());
    expect(error.message).toBe('The recorded file is too long.');
    expect(error.code).toBe('ledger-damaged');
  });

  it('reports a changed byte of any entry but the last, and of any object', async () => {
    const folder = await toldFolder();
    const files = [
      ...Array.from({ length: 16 }, (_, seq) => entryPath(folder, seq)),
      ...(await readdir(join(folder, 'objects'))).map((name) => join(folder, 'objects', name)),
    ];
    for (const path of files) {
      const bytes = await readFile(path);
      await writeFile(path, bytes.with(bytes.length - 3, (bytes.at(-3) ?? 0) ^ 1));
      expect((await openLedger(folder).verify()).ok).toBe(false);
      await writeFile(path, bytes);
    }
    expect((await openLedger(folder).verify()).ok).toBe(true);
  });

  it('names the cause when version control converted its line ends or left merge markers', async () => {
    const folder = await toldFolder();
    const path = entryPath(folder, 4);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('\n', '\r\n'));
    expect((await refusalOf(openLedger(folder).state())).message).toBe(
      'The bytes are not the canonical form of their value (line ends were converted to CRLF).',
    );
    await writeFile(path, `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> other\n`);
    expect((await refusalOf(openLedger(folder).state())).message).toBe(
      'The bytes are not the canonical form of their value (it holds merge markers).',
    );
  });

  it('refuses to build on an object whose bytes changed', async () => {
    const folder = join(await newFolder(), 'ledger');
    const ledger = openLedger(folder);
    const digest = await ledger.putObject(bytesOf('plan\n'));
    await writeFile(join(folder, 'objects', digestHex(digest)), 'PLAN\n');
    const error = await refusalOf(ledger.putObject(bytesOf('plan\n')));
    expect(error.code).toBe('ledger-damaged');
    expect(error.message).toBe(`The object's bytes have the digest ${digestNamed('PLAN\n')}.`);
  });
});
