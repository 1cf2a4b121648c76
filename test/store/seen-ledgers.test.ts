import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StoredEntry } from '../../src/ledger/entry.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { nodeFiles } from '../../src/store/ledger-files.ts';
import { openLedger } from '../../src/store/ledger-folder.ts';
import {
  formatPin,
  parsePin,
  pinFolder,
  pinnedLedger,
  seenLedgers,
  witnessMemory,
} from '../../src/store/seen-ledgers.ts';
import { countingPorts, recordPlan } from '../support/ledger-story.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
const id = 'ab'.repeat(16);

const just = (entries: readonly StoredEntry[]) => () => Promise.resolve(entries);

async function entriesOf(...plans: readonly string[]): Promise<readonly StoredEntry[]> {
  const ledger = memoryLedger(countingPorts());
  for (const plan of plans) await recordPlan(ledger, plan);
  return ledger.entries();
}

describe('pinFolder', () => {
  test.each([
    [{ LIFTGATE_STATE_DIR: '' }, null],
    [{ LIFTGATE_STATE_DIR: '/state' }, '/state/pins'],
    [{ XDG_STATE_HOME: '/xdg' }, '/xdg/liftgate/pins'],
  ])('of %j is %s', (environment, expected) => {
    expect(pinFolder(environment)).toBe(expected);
  });

  test('is a folder of the user otherwise', () => {
    expect(pinFolder({})).toMatch(/[/\\]\.local[/\\]state[/\\]liftgate[/\\]pins$/);
  });
});

describe('seenLedgers', () => {
  test('remembers the longest ledger and keeps one file of it', async () => {
    const at = await folder();
    const entries = await entriesOf('a', 'b', 'c');
    const seen = seenLedgers(at);
    expect(await seen.latest(id)).toBeNull();
    for (let size = 1; size <= entries.length; size += 1)
      await seen.remember(just(entries.slice(0, size)));
    await seen.remember(just(entries));
    expect(await seen.latest(id)).toEqual({ size: entries.length, head: entries.at(-1)?.entryId });
    expect(await readdir(join(at, id))).toEqual([`0000000${entries.length}.json`]);
  });

  test('refuses a shorter ledger and another history, and keeps what it knew', async () => {
    const seen = seenLedgers(await folder());
    const entries = await entriesOf('a', 'b');
    await seen.remember(just(entries));
    const known = await seen.latest(id);
    const refusal = (message: string) =>
      expect.objectContaining({
        code: 'ledger-damaged',
        exitCode: 42,
        message: expect.stringContaining(message),
      });
    await expect(seen.remember(just(entries.slice(0, -1)))).rejects.toThrow(
      refusal(`This ledger has ${entries.length - 1} entries; ${entries.length} were seen before.`),
    );
    await expect(seen.remember(just(await entriesOf('a', 'other', 'c')))).rejects.toThrow(
      refusal('history was rewritten, or this is a fork'),
    );
    expect(await seen.latest(id)).toEqual(known);
  });

  test('lets one of two who remember different continuations at the same time see the other', async () => {
    for (let round = 0; round < 20; round += 1) {
      const at = await folder();
      const [first, second] = await Promise.all([entriesOf('a', 'b'), entriesOf('a', 'c', 'd')]);
      const results = await Promise.allSettled([
        seenLedgers(at).remember(just(first)),
        seenLedgers(at).remember(just(second)),
      ]);
      expect(results.map(({ status }) => status)).toContain('rejected');
    }
  });

  test('follows a ledger that others append to at the same time', async () => {
    const [at, pins] = await Promise.all([folder(), folder()]);
    const writers = ['a', 'b', 'c', 'd'].map((plan) =>
      recordPlan(pinnedLedger(openLedger(at), seenLedgers(pins)), plan),
    );
    await Promise.all(writers);
    const entries = await openLedger(at).entries();
    expect(entries).toHaveLength(5);
    expect(await seenLedgers(pins).latest(entries[0]?.entry.ledger ?? '')).toEqual({
      size: 5,
      head: entries[4]?.entryId,
    });
  });

  test('takes a torn or foreign file for no memory', async () => {
    const at = await folder();
    await mkdir(join(at, id));
    await writeFile(join(at, id, '00000009.json'), '');
    await writeFile(join(at, id, 'notes.txt'), 'mine');
    const seen = seenLedgers(at);
    expect(await seen.latest(id)).toBeNull();
    await seen.remember(just(await entriesOf('a')));
    expect(await seen.latest(id)).toMatchObject({ size: 2 });
  });
});

describe('parsePin', () => {
  test('reads what was remembered of this ledger and size, and nothing else', async () => {
    const head = (await entriesOf('a'))[1]?.entryId ?? 'sha256:';
    const bytes = formatPin(id, { size: 2, head });
    expect(parsePin(bytes, id, 2)).toEqual({ size: 2, head });
    expect(parsePin(bytes, 'cd'.repeat(16), 2)).toBeNull();
    expect(parsePin(bytes, id, 3)).toBeNull();
    expect(parsePin(Buffer.concat([bytes, bytes]), id, 2)).toBeNull();
    expect(parsePin(new Uint8Array(), id, 2)).toBeNull();
  });
});

describe('witnessMemory', () => {
  const damaged = {
    ...{ code: 'ledger-unsafe', exitCode: 42, details: { reason: 'memory-damaged' } },
    message: 'What this witness has seen cannot be read.',
    mend: expect.stringMatching(
      /^Restore the memory from a copy\. .* before you remove the damaged/,
    ),
  };

  test('is none before the first ledger, and refuses once a byte of it has changed or is gone', async () => {
    const at = await folder();
    const entries = await entriesOf('a', 'b');
    const memory = witnessMemory(at);
    expect(await memory.latest(id)).toBeNull();
    await memory.remember(just(entries));
    const file = join(at, id, '00000003.json');
    const bytes = await readFile(file);
    const other = entries.map((each) => ({ ...each, entryId: entries[0]?.entryId ?? 'sha256:' }));
    for (const changed of ['', bytes.subarray(1), `${bytes}\n`, `${bytes}`.replace(id, 'x')]) {
      await writeFile(file, changed);
      await expect(memory.latest(id)).rejects.toMatchObject(damaged);
      await expect(memory.remember(just(other))).rejects.toMatchObject(damaged);
    }
    await writeFile(file, bytes);
    expect(await memory.latest(id)).toMatchObject({ size: 3 });
  });

  test('refuses a folder that cannot be listed, and a file that cannot be read', async () => {
    const at = await folder();
    await witnessMemory(at).remember(just(await entriesOf('a')));
    const denied = Object.assign(new Error('no'), { code: 'EACCES' });
    for (const broken of ['list', 'read'] as const) {
      const files = { ...nodeFiles, [broken]: () => Promise.reject(denied) };
      await expect(witnessMemory(at, files).latest(id)).rejects.toMatchObject(damaged);
      expect(await seenLedgers(at, files).latest(id)).toBeNull();
    }
  });
});

describe('pinnedLedger', () => {
  test('appends as the ledger does, and refuses once the folder lost an entry', async () => {
    const [at, pins] = await Promise.all([folder(), folder()]);
    const open = () => pinnedLedger(openLedger(at), seenLedgers(pins));
    await recordPlan(open(), 'a');
    await recordPlan(open(), 'b');
    expect(await open().verify()).toMatchObject({ ok: true, completeness: 'pinned' });
    await rm(join(at, 'log', '00000002.json'));
    await expect(recordPlan(open(), 'c')).rejects.toThrow(
      'This ledger has 2 entries; 3 were seen before.',
    );
    expect(await readdir(join(at, 'log'))).toEqual(['00000000.json', '00000001.json']);
    expect(await open().verify()).toMatchObject({ ok: false, completeness: 'contradicted' });
    // Reading an older copy is no harm.
    expect(await open().entries()).toHaveLength(2);
  });

  test('reads again what another writer appended and remembered during a check', async () => {
    const [at, pins] = await Promise.all([folder(), folder()]);
    const writer = pinnedLedger(openLedger(at), seenLedgers(pins));
    await recordPlan(writer, 'a');
    const seen = seenLedgers(pins);
    let looked = 0;
    const latest = async (ledger: string) => {
      looked += 1;
      await recordPlan(writer, 'b');
      return seen.latest(ledger);
    };
    const reader = pinnedLedger(openLedger(at), { latest, remember: () => Promise.resolve() });
    expect(await reader.verify()).toMatchObject({ ok: true, entries: 3, completeness: 'pinned' });
    expect(looked).toBe(1);
  });

  test('does without a memory that cannot be written', async () => {
    const pins = seenLedgers(await folder(), {
      ...nodeFiles,
      makeFolder: () => Promise.reject(Object.assign(new Error('read-only'), { code: 'EROFS' })),
    });
    const ledger = pinnedLedger(memoryLedger(countingPorts()), pins);
    await recordPlan(ledger, 'a');
    expect(await ledger.verify()).toMatchObject({ ok: true, completeness: 'unknown' });
  });
});
