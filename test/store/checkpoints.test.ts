import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatSignedCheckpoint, signersOf } from '../../src/ledger/checkpoint.ts';
import type { StoredEntry } from '../../src/ledger/entry.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { addCheckpoint, readCheckpoints, witnessCheckpoint } from '../../src/store/checkpoints.ts';
import { seenLedgers } from '../../src/store/seen-ledgers.ts';
import { countingPorts, recordPlan } from '../support/ledger-story.ts';
import { plainSigner } from '../support/signers.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
const ci = plainSigner('ci');
const bob = plainSigner('bob');

async function entriesOf(...plans: readonly string[]): Promise<readonly StoredEntry[]> {
  const ledger = memoryLedger(countingPorts());
  for (const plan of plans) await recordPlan(ledger, plan);
  return ledger.entries();
}

describe('addCheckpoint', () => {
  test('writes a note named after its size, and again one for a longer ledger', async () => {
    const at = join(await folder(), 'checkpoints');
    expect(await readCheckpoints(at)).toEqual([]);
    await addCheckpoint({ folder: at, entries: await entriesOf('a'), signer: ci });
    await addCheckpoint({ folder: at, entries: await entriesOf('a', 'b'), signer: ci });
    expect(await readdir(at)).toEqual(['00000002.txt', '00000003.txt']);
    const stored = await readCheckpoints(at);
    expect(stored.map(({ signed }) => signersOf(signed, [ci, bob]))).toEqual([['ci'], ['ci']]);
  });

  test('adds the line of a second signer, and one line only of each', async () => {
    const at = await folder();
    const entries = await entriesOf('a');
    for (const signer of [ci, bob, ci]) await addCheckpoint({ folder: at, entries, signer });
    const [stored] = await readCheckpoints(at);
    expect(stored?.signed.lines.map(({ name }) => name)).toEqual(['bob', 'ci']);
  });

  test('is never made for a ledger that contradicts an earlier one', async () => {
    const at = await folder();
    await addCheckpoint({ folder: at, entries: await entriesOf('a', 'b'), signer: ci });
    const before = await readdir(at);
    for (const entries of [await entriesOf('a'), await entriesOf('a', 'other', 'c')]) {
      await expect(addCheckpoint({ folder: at, entries, signer: ci })).rejects.toThrow(
        expect.objectContaining({ code: 'ledger-damaged', exitCode: 42 }),
      );
    }
    expect(await readdir(at)).toEqual(before);
  });

  test('refuses a folder with a note under another size', async () => {
    const at = await folder();
    await addCheckpoint({ folder: at, entries: await entriesOf('a'), signer: ci });
    await rename(join(at, '00000002.txt'), join(at, '00000003.txt'));
    await expect(readCheckpoints(at)).rejects.toThrow(
      'This checkpoint covers 2 entries, its name says otherwise.',
    );
  });
});

describe('readCheckpoints', () => {
  test('refuses bytes that are no text, even where a replacement would fit', async () => {
    const at = await folder();
    const { file, note } = await addCheckpoint({
      ...{ folder: at, entries: await entriesOf('a'), signer: { ...ci, name: 'c\ufffd' } },
    });
    expect(await readCheckpoints(at)).toHaveLength(1);
    const bytes = Buffer.from(note);
    const from = bytes.indexOf('\ufffd');
    await writeFile(
      file,
      Buffer.concat([bytes.subarray(0, from), Buffer.of(0xff), bytes.subarray(from + 3)]),
    );
    await expect(readCheckpoints(at)).rejects.toMatchObject({ code: 'signature-invalid' });
  });
});

describe('witnessCheckpoint', () => {
  const witnessing = async (
    at: string,
    memory: string,
    entries: readonly StoredEntry[],
    trust = [ci],
  ) => witnessCheckpoint({ folder: at, entries, signer: bob, trust, seen: seenLedgers(memory) });

  test('adds its line and remembers before it signs', async () => {
    const [at, memory] = await Promise.all([folder(), folder()]);
    const entries = await entriesOf('a', 'b');
    await addCheckpoint({ folder: at, entries, signer: ci });
    const { signed } = await witnessing(at, memory, entries);
    expect(signersOf(signed, [ci, bob])).toEqual(['ci', 'bob']);
    expect(await seenLedgers(memory).latest('ab'.repeat(16))).toMatchObject({ size: 3 });
    // The ledger may have grown since the checkpoint.
    await witnessing(at, memory, await entriesOf('a', 'b', 'c'));
  });

  test('refuses a history it saw differently, though the log itself signed both', async () => {
    const [at, other, memory] = await Promise.all([folder(), folder(), folder()]);
    const [seen, rewritten] = [await entriesOf('a', 'b'), await entriesOf('a', 'x', 'y')];
    await addCheckpoint({ folder: at, entries: seen, signer: ci });
    await witnessing(at, memory, seen);
    await addCheckpoint({ folder: other, entries: rewritten, signer: ci });
    await expect(witnessing(other, memory, rewritten)).rejects.toThrow(
      'history was rewritten, or this is a fork',
    );
    expect((await readCheckpoints(other))[0]?.signed.lines).toHaveLength(1);
  });

  test('refuses an older checkpoint than it has seen', async () => {
    const [at, other, memory] = await Promise.all([folder(), folder(), folder()]);
    await addCheckpoint({ folder: at, entries: await entriesOf('a', 'b'), signer: ci });
    await witnessing(at, memory, await entriesOf('a', 'b'));
    await addCheckpoint({ folder: other, entries: await entriesOf('a'), signer: ci });
    await expect(witnessing(other, memory, await entriesOf('a', 'b'))).rejects.toThrow(
      'This ledger has 2 entries; 3 were seen before.',
    );
  });

  test('refuses without a checkpoint, without a trusted signature, and a forged one', async () => {
    const [at, memory] = await Promise.all([folder(), folder()]);
    const entries = await entriesOf('a');
    await expect(witnessing(at, memory, entries)).rejects.toThrow(
      'There is no checkpoint to witness.',
    );
    const stored = await addCheckpoint({ folder: at, entries, signer: ci });
    await expect(witnessing(at, memory, entries, [plainSigner('ci')])).rejects.toThrow(
      'Nobody trusted has signed the newest checkpoint.',
    );
    const forged = stored.signed.lines.map((line) => ({
      ...line,
      signature: line.signature.with(3, 0).with(4, 1),
    }));
    await writeFile(stored.file, formatSignedCheckpoint(stored.signed, forged));
    await expect(witnessing(at, memory, entries)).rejects.toThrow(
      'The signature of ci does not hold',
    );
    expect(await seenLedgers(memory).latest('ab'.repeat(16))).toBeNull();
    expect(await readFile(stored.file, 'utf8')).not.toContain('bob');
  });
});
