import { describe, expect, it } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { type ChainHead, emptyChain, extendChain } from '../../src/ledger/chain.ts';
import { entryId, formatEntry, parseEntry } from '../../src/ledger/entry.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { everyKind, release } from '../support/ledger-entries.ts';
import { countingPorts, tellStory } from '../support/ledger-story.ts';

function refused(bytes: Uint8Array): boolean {
  try {
    parseEntry(bytes);
    return false;
  } catch (error) {
    if (error instanceof LiftgateError) return error.exitCode === 42;
    throw error;
  }
}

/** Whether the chain accepts the changed entry and the one after it. */
function followed(entries: readonly Uint8Array[], changed: number): boolean {
  try {
    let chain: ChainHead = emptyChain;
    const before = entries[changed - 1];
    if (before !== undefined) {
      chain = { size: changed, head: entryId(before), ledger: parseEntry(before).ledger };
    }
    for (const bytes of entries.slice(changed, changed + 2)) {
      ({ chain } = extendChain(chain, bytes));
    }
    return true;
  } catch (error) {
    if (error instanceof LiftgateError) return false;
    throw error;
  }
}

function* singleByteChanges(bytes: Uint8Array): Generator<Uint8Array> {
  for (const [at, original] of bytes.entries()) {
    for (let value = 0; value < 256; value += 1) {
      if (value !== original) yield bytes.with(at, value);
    }
  }
}

describe('every single-byte change', () => {
  it('of a reserve entry is refused, or gives an entry the successor does not name', () => {
    const entry = everyKind.find((each) => each.kind === 'reserve') ?? release;
    const bytes = formatEntry(entry);
    let readable = 0;
    for (const changed of singleByteChanges(bytes)) {
      if (refused(changed)) continue;
      readable += 1;
      expect(entryId(changed)).not.toBe(entryId(bytes));
    }
    expect(readable).toBeGreaterThan(0);
    expect(readable).toBeLessThan(bytes.length * 64);
  }, 60_000);

  it('of a chained ledger breaks the chain, except in the last entry', async () => {
    const ledger = memoryLedger(countingPorts());
    await tellStory(ledger);
    const entries = (await ledger.entries()).map((stored) => stored.bytes);
    let unnoticed = 0;
    for (const [seq, bytes] of entries.entries()) {
      for (let at = 0; at < bytes.length; at += 1) {
        const changed = bytes.slice();
        changed[at] = (changed[at] ?? 0) ^ 1;
        if (followed(entries.with(seq, changed), seq)) {
          unnoticed += 1;
          expect(seq).toBe(entries.length - 1);
        }
      }
    }
    expect(unnoticed).toBeGreaterThan(0);
  }, 60_000);
});
