import { describe, expect, it } from 'vitest';
import { chainFaults, emptyChain, extendChain } from '../../src/ledger/chain.ts';
import { formatEntry } from '../../src/ledger/entry.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { countingPorts, digestNamed, recordPlan } from '../support/ledger-story.ts';

async function twoEntries() {
  const ledger = memoryLedger(countingPorts());
  await recordPlan(ledger, 'e');
  const [first, second] = await ledger.entries();
  if (first === undefined || second === undefined) throw new Error('no entries');
  return { first, second, chain: extendChain(emptyChain, first.bytes).chain };
}

describe('extendChain', () => {
  it('follows entries from genesis on', async () => {
    const { first, second, chain } = await twoEntries();
    expect(chain).toEqual({ size: 1, head: first.entryId, ledger: 'ab'.repeat(16) });
    expect(extendChain(chain, second.bytes)).toEqual({
      chain: { size: 2, head: second.entryId, ledger: 'ab'.repeat(16) },
      stored: second,
    });
  });

  it('refuses an entry with another number, predecessor or ledger, saying which', async () => {
    const { second, chain } = await twoEntries();
    const changed = (change: object) => () =>
      extendChain(chain, formatEntry({ ...second.entry, ...change }));
    const refusal = (invariant: string, message: string) =>
      expect.objectContaining({
        code: 'ledger-damaged',
        message,
        where: { file: '00000001.json' },
        mend: 'Restore the ledger folder from version control or a copy; entries are never edited, removed or reordered.',
        details: { invariant },
      });
    expect(changed({ seq: 2 })).toThrow(
      refusal('I1', 'Entry number 2 stands where number 1 belongs.'),
    );
    expect(changed({ prev: digestNamed('x') })).toThrow(
      refusal(
        'I1',
        `Entry 1 continues ${digestNamed('x')}, but the entry before it is ${chain.head}.`,
      ),
    );
    expect(changed({ prev: null })).toThrow(
      refusal('I1', `Entry 1 continues nothing, but the entry before it is ${chain.head}.`),
    );
    expect(changed({ ledger: 'cd'.repeat(16) })).toThrow(
      refusal(
        'I3',
        `Entry 1 belongs to ledger ${'cd'.repeat(16)}, this ledger is ${chain.ledger}.`,
      ),
    );
  });

  it('wants genesis first and only first', async () => {
    const { first, second, chain } = await twoEntries();
    expect(
      chainFaults(emptyChain, { ...second.entry, seq: 0, prev: null }).map((f) => f.message),
    ).toEqual(['Entry 0 is of kind "seal"; genesis is entry 0 and only entry 0.']);
    expect(
      chainFaults(chain, { ...first.entry, seq: 1, prev: chain.head }).map((f) => f.message),
    ).toEqual(['Entry 1 is of kind "genesis"; genesis is entry 0 and only entry 0.']);
  });

  it('names every fault of one entry', async () => {
    const { second, chain } = await twoEntries();
    const entry = { ...second.entry, seq: 5, prev: null, ledger: 'cd'.repeat(16) };
    expect(chainFaults(chain, entry).map((fault) => fault.invariant)).toEqual(['I1', 'I1', 'I3']);
  });
});
