/** Whose signatures count for a reader, by the keys of the ledger and the list the reader brings along. */
import { describe, expect, it } from 'vitest';
import {
  countingKeys,
  standingOnCheckpoint,
  standingOnStatement,
} from '../../src/ledger/key-trust.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { recordKey } from '../support/ledger-keys.ts';
import { countingPorts, recordPlan } from '../support/ledger-story.ts';
import { plainSigner } from '../support/signers.ts';

const [alice, bob, carol] = [plainSigner('alice'), plainSigner('bob'), plainSigner('carol')];

/** A ledger whose entry 2 introduces alice, who may sign for others. */
async function withAlice(): Promise<Ledger> {
  const ledger = memoryLedger(countingPorts());
  await recordPlan(ledger, 'e');
  await recordKey(ledger, { op: 'add', key: alice });
  return ledger;
}

describe('countingKeys', () => {
  it('takes keys that a trusted one introduced, and counts them as the same party', async () => {
    const ledger = await withAlice();
    await recordKey(ledger, { op: 'add', key: bob, by: alice });
    await recordKey(ledger, { op: 'add', key: carol, by: bob, scopes: ['witness'] });
    const keys = countingKeys(await ledger.state(), [alice]);
    expect(keys.map(({ name, root, addedSeq }) => [name, root.name, addedSeq])).toEqual([
      ['alice', 'alice', 2],
      ['bob', 'alice', 3],
      ['carol', 'alice', 4],
    ]);
    const both = countingKeys(await ledger.state(), [alice, carol]);
    expect(both.map(({ name, root }) => [name, root.name])).toEqual([
      ['alice', 'alice'],
      ['carol', 'carol'],
      ['bob', 'alice'],
    ]);
  });

  it('takes no key of a ledger whose first key nobody trusts', async () => {
    const ledger = await withAlice();
    await recordKey(ledger, { op: 'add', key: bob, by: alice });
    const keys = countingKeys(await ledger.state(), [carol]);
    expect(keys.map(({ name, addedSeq, scopes }) => [name, addedSeq, scopes])).toEqual([
      ['carol', null, null],
    ]);
    expect(countingKeys(await ledger.state(), [])).toEqual([]);
  });
});

describe('the standing of a signature', () => {
  /** alice in entry 2, bob in 3 (witness); bob is ended in 4. */
  async function ended(op: 'revoke' | 'rotate') {
    const ledger = await withAlice();
    await recordKey(ledger, { op: 'add', key: bob, by: alice, scopes: ['witness'] });
    const rotate = { op, key: carol, replaces: bob, by: alice, scopes: ['witness'] } as const;
    await recordKey(ledger, op === 'revoke' ? { op, key: bob, by: alice } : rotate);
    const keys = countingKeys(await ledger.state(), [alice]);
    const found = keys.find(({ name }) => name === 'bob');
    if (found === undefined) throw new Error('bob does not count');
    return found;
  }
  const firstOf = (size: number) => (seq: number) => seq < size;
  const on = (key: Awaited<ReturnType<typeof ended>>, size: number, validSize = 0) => {
    const coverage = { covers: firstOf(size), vouched: firstOf(validSize) };
    const standing = standingOnCheckpoint(key, coverage);
    return standing.counts
      ? 'counts'
      : `${standing.misused ? 'misused' : 'idle'}: ${standing.reason}`;
  };

  it('on a checkpoint counts from the entry that introduced the key until the one that ended it', async () => {
    const key = await ended('rotate');
    expect(on(key, 3)).toBe(
      'idle: the key of bob was introduced in entry 3, after this checkpoint',
    );
    expect(on(key, 4)).toBe('counts');
    expect(on(key, 5)).toBe(
      'misused: the key of bob was rotated in entry 4, before this checkpoint',
    );
  });

  it('of a revoked key counts only where a valid key vouches for the revocation', async () => {
    const key = await ended('revoke');
    expect(on(key, 4)).toBe(
      'idle: the key of bob was revoked in entry 4, and no valid key vouches that this was signed before',
    );
    expect(on(key, 4, 4)).toContain('idle');
    expect(on(key, 4, 5)).toBe('counts');
    expect(on(key, 5, 5)).toContain('misused');
  });

  it('counts for nothing outside the scopes of the key', async () => {
    const ledger = await withAlice();
    await recordKey(ledger, { op: 'add', key: bob, by: alice, scopes: ['statement'] });
    const [first, second] = countingKeys(await ledger.state(), [alice]);
    if (first === undefined || second === undefined) throw new Error('two keys count');
    expect(on(second, 9)).toBe('misused: the key of bob signs statement and nothing else');
    expect(standingOnStatement(second, 1)).toEqual({ counts: true });
    expect(standingOnStatement(first, 1)).toMatchObject({ counts: false, misused: true });
  });

  it('on a statement ends with the key, however old what it speaks of', async () => {
    const scopes = ['statement'] as const;
    const key = { ...(await ended('revoke')), scopes };
    expect(standingOnStatement(key, 3)).toMatchObject({ counts: false, misused: false });
    expect(standingOnStatement(key, 5)).toMatchObject({ counts: false, misused: true });
    const rotated = { ...(await ended('rotate')), scopes };
    expect(standingOnStatement(rotated, 3)).toEqual({ counts: true });
    expect(standingOnStatement(rotated, 5)).toMatchObject({ counts: false, misused: true });
  });
});
