import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { nodeFiles } from '../../src/store/ledger-files.ts';
import { openLedger } from '../../src/store/ledger-folder.ts';
import { type Fault, faultyFiles } from '../support/fault-files.ts';
import { countingPorts, recordPlan, reserve, unitsNamed } from '../support/ledger-story.ts';
import { refusalOf } from '../support/refusal.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const newFolder = temporaryFolders();
const syncs = ['sync', 'syncFile', 'syncFolder'];

/** A plan and its reservation: genesis and two entries, three objects' worth of steps. */
async function work(ledger: Ledger): Promise<void> {
  const plan = await recordPlan(ledger, 'e');
  await reserve(ledger, 'e', plan, unitsNamed(['u-1', 'u-2']));
}

async function outcomeOf(run: Promise<void>): Promise<LiftgateError | null> {
  try {
    await run;
    return null;
  } catch (error) {
    if (error instanceof LiftgateError) return error;
    throw error;
  }
}

async function expectWhole(folder: string): Promise<void> {
  const ledger = openLedger(folder, countingPorts());
  await work(ledger);
  const kinds = (await ledger.entries()).map(({ entry }) => entry.kind);
  expect(kinds).toEqual(['genesis', 'seal', 'reserve']);
  expect((await ledger.verify()).problems).toEqual([]);
}

/** Fails step 1, 2, 3 … of the work until a run gets by without meeting the fault; returns the names of the failed steps. */
async function failEveryStep(fault: Omit<Fault, 'at'>): Promise<string[]> {
  const failed: string[] = [];
  for (let at = 1; ; at += 1) {
    const folder = join(await newFolder(), 'ledger');
    const { files, calls } = faultyFiles(nodeFiles, { ...fault, at });
    const ledger = openLedger(folder, { ...countingPorts(), files });
    const first = await outcomeOf(work(ledger));
    if (calls.length < at) return failed;
    const step = calls[at - 1] ?? '';
    failed.push(step);
    if (first !== null) expect(first.code).toBe('ledger-unsafe');
    if (first === null) expect(step).toBe('remove');
    if (syncs.includes(step)) {
      const again = await refusalOf(work(ledger));
      expect(again.details).toEqual({ reason: 'durability' });
    }
    await expectWhole(folder);
  }
}

describe('a ledger folder on a failing disk', () => {
  it.each([
    { code: 'EIO', sticky: false },
    { code: 'EIO', sticky: true },
    { code: 'ENOSPC', sticky: true },
  ] as const)(
    'has exactly one entry per request after a retry: $code, sticky $sticky',
    async (fault) => {
      const failed = await failEveryStep(fault);
      expect(new Set(failed)).toEqual(
        new Set([
          'typeOf',
          'makeFolder',
          'list',
          'read',
          'create',
          'write',
          'sync',
          'close',
          'link',
          'remove',
          'syncFolder',
        ]),
      );
    },
    60_000,
  );

  it('is asked to confirm again what another process may not have confirmed', async () => {
    const folder = join(await newFolder(), 'ledger');
    await work(openLedger(folder, countingPorts()));
    const { files, calls } = faultyFiles(nodeFiles, { at: 1000, code: 'EIO', sticky: false });
    await work(openLedger(folder, { ...countingPorts(), files }));
    const confirmed = calls.filter((step) => syncs.includes(step));
    const folders = ['syncFolder', 'syncFolder'];
    const one = ['syncFile', 'syncFolder'];
    expect(confirmed).toEqual([...folders, ...one, ...one, ...one, ...one]);
  });

  it('says what failed, where, and how to go on', async () => {
    const folder = join(await newFolder(), 'ledger');
    const { files } = faultyFiles(nodeFiles, { at: 1, code: 'EROFS', sticky: true });
    const error = await refusalOf(openLedger(folder, { files }).state());
    expect(error).toMatchObject({
      code: 'ledger-unsafe',
      exitCode: 42,
      message: 'The ledger folder cannot be used (EROFS).',
      where: { file: join(folder, 'log') },
      mend: 'Check that the folder is readable and writable and the disk has room; then repeat the command.',
    });
  });

  it('is never used again after a failed fsync', async () => {
    const folder = join(await newFolder(), 'ledger');
    const files = {
      ...nodeFiles,
      syncFolder: () => Promise.reject(Object.assign(new Error('x'), { code: 'EIO' })),
    };
    const ledger = openLedger(folder, { files });
    const error = await refusalOf(recordPlan(ledger, 'e'));
    expect(error.message).toBe('The disk did not confirm a write (EIO).');
    expect(error.mend).toBe(
      'Check the disk, open the ledger again and repeat the command; the same request is recorded once.',
    );
    const later = await refusalOf(ledger.state());
    expect(later.message).toBe('The disk did not confirm an earlier write.');
    expect(later.mend).toBe(
      'Check the disk and open the ledger again; nothing more is read or written through this one.',
    );
  });

  it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])(
    'refuses a file system that answers link with %s',
    async (code) => {
      const folder = join(await newFolder(), 'ledger');
      const files = {
        ...nodeFiles,
        link: () => Promise.reject(Object.assign(new Error('x'), { code })),
      };
      const error = await refusalOf(recordPlan(openLedger(folder, { files }), 'e'));
      expect(error.code).toBe('ledger-unsafe');
      expect(error.message).toBe(`This file system cannot link files (${code}).`);
      expect(error.mend).toMatch(/^Keep the ledger on a file system with hard links/);
      expect(await nodeFiles.list(join(folder, 'objects'))).toEqual([]);
    },
  );
});
