import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { leafDigest, merkleRoot } from '../../src/base/merkle.ts';
import {
  type Checkpoint,
  checkGrowth,
  checkpointOf,
  contradictionOf,
  faultOfProof,
  formatCheckpoint,
  formatSignedCheckpoint,
  parseCheckpoint,
  parseEntryProof,
  proveEntry,
  proveGrowth,
  signCheckpoint,
  signersOf,
} from '../../src/ledger/checkpoint.ts';
import type { StoredEntry } from '../../src/ledger/entry.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { countingPorts, recordPlan } from '../support/ledger-story.ts';
import { plainSigner, sshSigner } from '../support/signers.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();

async function ledgerOf(plans: number): Promise<readonly StoredEntry[]> {
  const ledger = memoryLedger(countingPorts());
  for (let plan = 0; plan < plans; plan += 1) await recordPlan(ledger, `e${plan}`);
  return ledger.entries();
}

async function signed(
  checkpoint: Checkpoint,
  ...signers: readonly ReturnType<typeof plainSigner>[]
) {
  const lines = await Promise.all(signers.map((signer) => signCheckpoint(checkpoint, signer)));
  return formatSignedCheckpoint(checkpoint, lines);
}

function isAccepted(note: string, signer: ReturnType<typeof plainSigner>): boolean {
  try {
    return signersOf(parseCheckpoint(note), [signer]).length > 0;
  } catch (error) {
    expect(error).toMatchObject({ code: 'signature-invalid', exitCode: 41 });
    return false;
  }
}

describe('checkpointOf', () => {
  test('is origin and ledger id, size, and the root over the bytes', async () => {
    const entries = await ledgerOf(2);
    expect(checkpointOf(entries)).toEqual({
      origin: `example.com/tests/${'ab'.repeat(16)}`,
      size: entries.length,
      root: merkleRoot(entries.map(({ bytes }) => bytes)),
    });
    expect(checkpointOf(entries, 1).root).toBe(leafDigest(entries[0]?.bytes ?? ''));
  });

  test('refuses a size the ledger does not have', async () => {
    const entries = await ledgerOf(1);
    expect(() => checkpointOf(entries, entries.length + 1)).toThrow(
      `there is no checkpoint of ${entries.length + 1}`,
    );
    expect(() => checkpointOf([])).toThrow('The ledger has 0 entries');
  });
});

describe('a signed checkpoint', () => {
  test('executes its documented example', () => {
    expect(formatCheckpoint({ origin: 'o', size: 1, root: leafDigest('') })).toBe(
      'o\n1\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n',
    );
  });

  test('is read as it was written, and names its trusted signers', async () => {
    const checkpoint = checkpointOf(await ledgerOf(2));
    const [ci, stranger] = [plainSigner('ci'), plainSigner('stranger')];
    const alice = sshSigner({ folder: await folder(), name: 'alice', type: 'ed25519' });
    const lines = await Promise.all(
      [ci, stranger, alice].map((signer) => signCheckpoint(checkpoint, signer)),
    );
    const note = formatSignedCheckpoint(checkpoint, lines);
    const parsed = parseCheckpoint(note);
    expect(parsed).toMatchObject(checkpoint);
    expect(formatSignedCheckpoint(parsed, parsed.lines)).toBe(note);
    expect(signersOf(parsed, [alice, ci])).toEqual(['alice', 'ci']);
    expect(signersOf(parsed, [plainSigner('ci')])).toEqual([]);
  });

  test('is verified by openssl, from the note alone', async () => {
    const at = await folder();
    const checkpoint = checkpointOf(await ledgerOf(1));
    const ci = plainSigner('ci');
    const parsed = parseCheckpoint(await signed(checkpoint, ci));
    writeFileSync(join(at, 'body'), parsed.text);
    writeFileSync(join(at, 'sig'), parsed.lines[0]?.signature ?? '');
    writeFileSync(join(at, 'key.pem'), ci.privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const words = [
      'pkeyutl',
      '-verify',
      '-inkey',
      'key.pem',
      '-rawin',
      '-in',
      'body',
      '-sigfile',
      'sig',
    ];
    expect(execFileSync('openssl', words, { cwd: at, encoding: 'utf8' })).toContain(
      'Signature Verified Successfully',
    );
  });

  test('is refused when a byte of text or signature changes', async () => {
    const checkpoint = checkpointOf(await ledgerOf(2));
    const ci = plainSigner('ci');
    const note = await signed(checkpoint, ci);
    const changes = [...note].flatMap((_, at) =>
      ['A', '1', '\n', ''].map(
        (replacement) => note.slice(0, at) + replacement + note.slice(at + 1),
      ),
    );
    const accepted = changes.filter((changed) => changed !== note && isAccepted(changed, ci));
    expect(accepted).toEqual([]);
  });

  test.each([
    '',
    'o\n1\nx\n\n',
    'o\n01\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n\n',
    'o\n1\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\nmore\n\n',
    'o\n1\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n',
  ])('is not %j', (note) => {
    expect(() => parseCheckpoint(note, 'c.txt')).toThrow('This is no checkpoint');
  });
});

describe('contradictionOf', () => {
  test('is null for every longer ledger with the same beginning', async () => {
    const entries = await ledgerOf(3);
    for (let size = 1; size <= entries.length; size += 1) {
      expect(contradictionOf(entries, checkpointOf(entries, size))).toBeNull();
    }
  });

  test('names a cut tail, another ledger, and a rewritten history', async () => {
    const entries = await ledgerOf(2);
    const whole = checkpointOf(entries);
    expect(contradictionOf(entries.slice(0, -1), whole)).toContain('its tail was cut off');
    expect(contradictionOf(entries, { ...whole, origin: 'other' })).toContain(
      'the checkpoint is of other',
    );
    expect(contradictionOf(entries, { ...whole, root: leafDigest('') })).toContain(
      'history was rewritten',
    );
  });
});

describe('proveGrowth', () => {
  test('shows that one checkpoint continues another, and fails for any other pair', async () => {
    const entries = await ledgerOf(3);
    const later = checkpointOf(entries);
    for (let size = 1; size <= entries.length; size += 1) {
      const earlier = checkpointOf(entries, size);
      const proof = proveGrowth(entries, size);
      expect(checkGrowth(earlier, later, proof)).toBe(true);
      expect(checkGrowth({ ...earlier, origin: 'x' }, later, proof)).toBe(false);
      expect(checkGrowth({ ...earlier, root: leafDigest('') }, later, proof)).toBe(false);
    }
  });
});

describe('proveEntry', () => {
  test('is checked without the ledger, under a checkpoint or without one', async () => {
    const entries = await ledgerOf(3);
    const note = await signed(checkpointOf(entries, 4), plainSigner('ci'));
    for (const seq of [0, 1, 2, 3]) {
      const proof = proveEntry(entries, seq, note);
      expect(proof).toMatchObject({
        index: seq,
        size: 4,
        entry: Buffer.from(entries[seq]?.bytes ?? '').toString(),
      });
      expect(faultOfProof(proof)).toBeNull();
      expect(faultOfProof(proveEntry(entries, seq, null))).toBeNull();
    }
  });

  test('fails for another entry, place, size or root', async () => {
    const entries = await ledgerOf(3);
    const proof = proveEntry(entries, 2, await signed(checkpointOf(entries), plainSigner('ci')));
    expect(faultOfProof({ ...proof, entry: proof.entry.replace('tester', 'hacker') })).toContain(
      'not the one at this place',
    );
    expect(faultOfProof({ ...proof, index: 1 })).toContain('not the one at this place');
    expect(
      faultOfProof({
        ...proof,
        checkpoint: await signed(checkpointOf(entries, 1), plainSigner('ci')),
      }),
    ).toBe('The root is not the one of the checkpoint.');
  });

  test('refuses an entry the checkpoint does not cover', async () => {
    const entries = await ledgerOf(2);
    const note = await signed(checkpointOf(entries, 1), plainSigner('ci'));
    expect(() => proveEntry(entries, 1, note)).toThrow(
      'There is no entry 1 among the first 1 entries.',
    );
  });
});

describe('parseEntryProof', () => {
  test('reads what was proven and refuses what was changed', async () => {
    const entries = await ledgerOf(2);
    const proof = proveEntry(entries, 1, await signed(checkpointOf(entries), plainSigner('ci')));
    const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
    expect(parseEntryProof(bytes(proof), 'p.json')).toEqual(proof);
    const changes = [
      { index: 0 },
      { size: 2 },
      { v: 2 },
      { extra: 1 },
      { proof: [] },
      { entry: '' },
      { checkpoint: 'x' },
      { root: 'x' },
    ];
    for (const change of changes) {
      expect(() => parseEntryProof(bytes({ ...proof, ...change }), 'p.json')).toThrow(
        expect.objectContaining({ code: 'signature-invalid', exitCode: 41 }),
      );
    }
    expect(() => parseEntryProof(bytes([]), 'p.json')).toThrow('This is no proof of an entry.');
  });
});
