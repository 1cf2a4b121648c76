import { describe, expect, it } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { LedgerFiles, NewFile } from '../../src/store/ledger-files.ts';
import { openLedger } from '../../src/store/ledger-folder.ts';
import { afterCrash, afterKill, CrashFiles } from '../support/crash-files.ts';
import {
  countingPorts,
  recordFinal,
  recordPlan,
  reserve,
  unitsNamed,
} from '../support/ledger-story.ts';

const folder = '/virtual/ledger';

function ledgerOn(files: LedgerFiles): Ledger {
  return openLedger(folder, { ...countingPorts(), files });
}

/** Plan, reservation and final seal; each acknowledged to the disk's record as the caller hears of it. */
async function write(disk: CrashFiles, files: LedgerFiles): Promise<string[]> {
  await disk.makeFolder('/virtual');
  await disk.syncFolder('/');
  const ledger = ledgerOn(files);
  const plan = await recordPlan(ledger, 'e');
  disk.acknowledge();
  await reserve(ledger, 'e', plan, unitsNamed(['u-1', 'u-2']));
  disk.acknowledge();
  await recordFinal(ledger, 'e', plan);
  disk.acknowledge();
  return (await ledger.entries()).map((stored) => stored.entryId);
}

/** Why a found ledger breaks its promise, or null. */
async function violation(
  found: CrashFiles,
  entryIds: readonly string[],
  acknowledged: number,
): Promise<string | null> {
  const ledger = ledgerOn(found);
  try {
    const present = (await ledger.entries()).map((stored) => stored.entryId);
    if (present.some((id, seq) => id !== entryIds[seq])) return 'other entries';
    if (acknowledged > 0 && present.length < acknowledged + 1)
      return 'an acknowledged entry is lost';
    return (await ledger.verify()).ok ? null : 'an object is missing or torn';
  } catch (error) {
    if (error instanceof LiftgateError) return `unreadable: ${error.message}`;
    throw error;
  }
}

interface Census {
  readonly moments: number;
  readonly states: number;
  readonly violations: ReadonlyMap<string, number>;
}

/** Crashes at every moment of a run and looks at every state that may be found. */
async function crashEverywhere(mutate: (files: LedgerFiles) => LedgerFiles): Promise<Census> {
  const disk = new CrashFiles();
  const entryIds = await write(disk, mutate(disk));
  const violations = new Map<string, number>();
  let states = 0;
  for (const moment of disk.moments) {
    for (const found of afterCrash(moment)) {
      states += 1;
      const fault = await violation(found, entryIds, moment.acknowledged);
      const kind = fault?.startsWith('unreadable') === true ? 'unreadable' : fault;
      if (kind !== null) violations.set(kind, (violations.get(kind) ?? 0) + 1);
    }
  }
  return { moments: disk.moments.length, states, violations };
}

function forward(files: LedgerFiles, change: Partial<LedgerFiles>): LedgerFiles {
  return {
    typeOf: (path) => files.typeOf(path),
    makeFolder: (path) => files.makeFolder(path),
    list: (path) => files.list(path),
    read: (path, limit) => files.read(path, limit),
    create: (path) => files.create(path),
    link: (from, to) => files.link(from, to),
    remove: (path) => files.remove(path),
    syncFile: (path) => files.syncFile(path),
    syncFolder: (path) => files.syncFolder(path),
    ...change,
  };
}

const withoutFileSync = (files: LedgerFiles) =>
  forward(files, {
    create: async (path) => ({ ...(await files.create(path)), sync: () => Promise.resolve() }),
    syncFile: () => Promise.resolve(),
  });

const withoutFolderSync = (files: LedgerFiles) =>
  forward(files, { syncFolder: () => Promise.resolve() });

/** Writes under the final name instead of linking a finished file to it. */
function directWrite(files: LedgerFiles): LedgerFiles {
  const drafts = new Map<string, Uint8Array>();
  return forward(files, {
    create: (path): Promise<NewFile> =>
      Promise.resolve({
        write: (bytes) => {
          drafts.set(path, bytes);
          return Promise.resolve();
        },
        sync: () => Promise.resolve(),
        close: () => Promise.resolve(),
      }),
    link: async (from, to) => {
      const file = await files.create(to);
      await file.write(drafts.get(from) ?? new Uint8Array());
      await file.sync();
    },
    remove: () => Promise.resolve(),
  });
}

describe('a ledger folder after a loss of power', () => {
  it('is as before or after each entry, never between, and keeps what was acknowledged', async () => {
    const census = await crashEverywhere((files) => files);
    expect(census.violations).toEqual(new Map());
    expect(census.moments).toBeGreaterThan(40);
    expect(census.states).toBeGreaterThan(150);
  });

  it('accepts the same requests again and ends with the same entries', async () => {
    const disk = new CrashFiles();
    const entryIds = await write(disk, disk);
    let resumed = 0;
    for (const moment of disk.moments) {
      for (const found of afterCrash(moment)) {
        if ((await found.typeOf('/virtual')) === 'missing') continue;
        const ledger = openLedger(folder, { ...countingPorts(), files: found });
        const plan = await recordPlan(ledger, 'e');
        await reserve(ledger, 'e', plan, unitsNamed(['u-1', 'u-2']));
        await recordFinal(ledger, 'e', plan);
        expect((await ledger.entries()).length).toBe(entryIds.length);
        expect((await ledger.verify()).ok).toBe(true);
        resumed += 1;
      }
    }
    expect(resumed).toBeGreaterThan(150);
  });

  it('keeps what a second process acknowledged after the first was killed', async () => {
    const disk = new CrashFiles();
    const entryIds = await write(disk, disk);
    let states = 0;
    const parentDurable = 2;
    for (const moment of disk.moments.slice(parentDurable)) {
      if (moment.acknowledged > 1) break;
      const second = afterKill(moment);
      await recordPlan(ledgerOn(second), 'e');
      second.acknowledge();
      const last = second.moments.at(-1);
      if (last === undefined) throw new Error('nothing happened');
      for (const found of afterCrash(last)) {
        const present = await ledgerOn(found).entries();
        expect(present.length).toBeGreaterThanOrEqual(2);
        expect(present[1]?.entry.kind).toBe('seal');
        expect((await ledgerOn(found).verify()).ok).toBe(true);
        states += 1;
      }
    }
    expect(states).toBeGreaterThan(40);
    expect(entryIds).toHaveLength(4);
  });

  it.each([
    ['without fsync of the file', withoutFileSync, 'unreadable'],
    ['without fsync of the folder', withoutFolderSync, 'an acknowledged entry is lost'],
    ['with a write under the final name', directWrite, 'unreadable'],
  ])('would break its promise %s', async (_, mutate, kind) => {
    const census = await crashEverywhere(mutate);
    expect(census.violations.get(kind) ?? 0).toBeGreaterThan(0);
  });
});
