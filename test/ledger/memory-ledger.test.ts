import { describe, expect, it } from 'vitest';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { describeLedgerStore, memoryPlace } from '../support/ledger-conformance.ts';
import { recordPlan } from '../support/ledger-story.ts';

describeLedgerStore('memory', memoryPlace, 50);

describe('memoryLedger', () => {
  it('has a still clock and a fixed id unless told otherwise', async () => {
    const still = memoryLedger();
    await recordPlan(still, 'e');
    expect((await still.entries())[1]?.entry).toMatchObject({
      ledger: '0'.repeat(32),
      at: '1970-01-01T00:00:00.000Z',
      actor: 'memory',
    });
    const named = memoryLedger({ actor: 'alice' });
    await recordPlan(named, 'e');
    expect((await named.entries())[1]?.entry.actor).toBe('alice');
  });
});
