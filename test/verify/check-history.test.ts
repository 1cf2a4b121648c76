/** The second independent checker: keys, signatures and amendments of a ledger, in Python's standard library. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { formatEntry, type LedgerEntry, type StoredEntry } from '../../src/ledger/entry.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { formatExport, gatherExport, type LedgerExport } from '../../src/verify/ledger-export.ts';
import { demandKeys, signingPorts, tellDemanding } from '../support/ledger-demands.ts';
import { recordKey } from '../support/ledger-keys.ts';
import { countingPorts, recordPlan } from '../support/ledger-story.ts';
import { tellUpkeep } from '../support/ledger-upkeep.ts';
import { sshSigner } from '../support/signers.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
const checker = join(import.meta.dirname, '../support/check_history.py');

const unseen =
  'not looked at: 0 files of checkpoints, keys and signatures in 0 imported branches, proofs of anchors\n';

/** @param path  where it finds other programs; where this process does when left out */
async function checked(held: LedgerExport, path = process.env['PATH']): Promise<string> {
  const file = join(await folder(), 'ledger.tar');
  writeFileSync(file, formatExport(held));
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).trim();
  try {
    const options = {
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, PATH: path },
    } as const;
    return execFileSync(python, ['-B', checker, file], options);
  } catch (error) {
    return String(Reflect.get(Object(error), 'stderr'));
  }
}

async function upkeep(): Promise<LedgerExport> {
  const ledger = memoryLedger(countingPorts());
  await tellUpkeep(ledger);
  return gatherExport(ledger, new Map());
}

async function demanded(): Promise<LedgerExport> {
  const ledger = memoryLedger(signingPorts(demandKeys.root));
  await tellDemanding(ledger);
  return gatherExport(ledger, new Map());
}

/** Keys and revocations signed through SSH, with each type of key. */
async function throughSsh(): Promise<LedgerExport> {
  const at = await folder();
  const keys = (['ed25519', 'ecdsa', 'rsa'] as const).map((type) =>
    sshSigner({ folder: at, name: type, type }),
  );
  const ledger = memoryLedger(countingPorts());
  await recordPlan(ledger, 'a');
  const [first, ...others] = keys;
  if (first === undefined) throw new Error('there is a key');
  await recordKey(ledger, { op: 'add', key: first });
  for (const key of others) await recordKey(ledger, { op: 'add', key, by: first });
  for (const key of others) await recordKey(ledger, { op: 'revoke', key });
  return gatherExport(ledger, new Map());
}

/** The ledger that somebody would make who changes one entry and writes all later ones anew. */
function forged(held: LedgerExport, change: (entry: LedgerEntry) => LedgerEntry): LedgerExport {
  const entries: StoredEntry[] = [];
  let changes = 0;
  for (const { entry } of held.entries) {
    const next = { ...change(entry), prev: entries.at(-1)?.entryId ?? null } as LedgerEntry;
    changes += change(entry) === entry ? 0 : 1;
    const bytes = formatEntry(next);
    entries.push({ entry: next, entryId: digestOf(bytes), bytes });
  }
  expect(changes).toBeGreaterThan(0);
  return { ...held, entries };
}

describe('check_history.py', () => {
  test('follows keys and amendments', async () => {
    expect(await checked(await upkeep())).toBe(
      `3 keys, 4 signatures hold, 0 through SSH not checked, 1 amendments\n${unseen}`,
    );
  });

  test('checks the signature of every entry that a policy wants signed', async () => {
    expect(await checked(await demanded())).toBe(
      `2 keys, 9 signatures hold, 0 through SSH not checked, 0 amendments\n${unseen}`,
    );
  });

  test('has ssh-keygen check what was signed through SSH, and says so where there is none', async () => {
    const held = await throughSsh();
    expect(await checked(held)).toBe(
      `3 keys, 5 signatures hold, 0 through SSH not checked, 0 amendments\n${unseen}`,
    );
    expect(await checked(held, await folder())).toBe(
      `3 keys, 0 signatures hold, 5 through SSH not checked, 0 amendments\n${unseen}`,
    );
    const other = forged(held, (entry) =>
      entry.kind === 'key' && entry.body.op === 'revoke' && entry.seq === held.entries.length - 1
        ? { ...entry, body: { ...entry.body, reason: 'another' } }
        : entry,
    );
    expect(await checked(other)).toContain('ssh-keygen does not find the signature good');
  });

  test.each<[string, (entry: LedgerEntry) => LedgerEntry, string]>([
    [
      'a key entry with another reason',
      (entry) =>
        entry.kind === 'key' && entry.body.op === 'rotate'
          ? { ...entry, body: { ...entry.body, reason: 'another' } }
          : entry,
      'the signature does not hold',
    ],
    [
      'a key that signs for itself beside another',
      (entry) =>
        entry.kind === 'key' && entry.body.op === 'add' && entry.body.key?.name === 'witness'
          ? { ...entry, body: { ...entry.body, signer: entry.body.keyId } }
          : entry,
      'it signs for itself',
    ],
    [
      'a revocation by a key that has ended',
      (entry) =>
        entry.kind === 'key' && entry.body.op === 'revoke'
          ? { ...entry, body: { ...entry.body, signer: `SHA256:${'A'.repeat(43)}` } }
          : entry,
      'its signer is not valid',
    ],
    [
      'an amendment with another reason than its seal',
      (entry) =>
        entry.kind === 'amend' ? { ...entry, body: { ...entry.body, reason: 'x' } } : entry,
      'its seal says something else',
    ],
  ])('refuses %s', async (_, change, said) => {
    expect(await checked(forged(await upkeep(), change))).toContain(said);
  });

  test('refuses an entry without the signature that a policy wants, and one moved elsewhere', async () => {
    const held = await demanded();
    const bare = forged(held, (entry) => {
      if (entry.kind !== 'outcome') return entry;
      const { signature: _signature, ...rest } = entry;
      return rest;
    });
    expect(await checked(bare)).toContain('outcome entry');
    expect(await checked(bare)).toContain('a policy wants it signed');
    const moved = forged(held, (entry) =>
      entry.kind === 'genesis' ? { ...entry, at: '2027-01-01T00:00:00.000Z' } : entry,
    );
    expect(await checked(moved)).toContain('the signature does not hold');
  });
});
