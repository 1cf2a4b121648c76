import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unitStatus } from '../../src/ledger/claim.ts';
import { openLedgerStore } from '../../src/ledger/ledger.ts';
import { memoryStore } from '../../src/ledger/memory-ledger.ts';
import { familyBudgets, type LedgerState } from '../../src/ledger/projection.ts';
import { LedgerModel } from '../support/ledger-model.ts';
import { operationsArbitrary, runOperations } from '../support/ledger-operations.ts';
import { countingPorts } from '../support/ledger-story.ts';

const unitIds = ['u-1', 'u-2', 'u-3', 'u-4', 'u-5'];

const spent = (state: LedgerState) => {
  const budget = familyBudgets(state)[0];
  return {
    nano: budget?.spentNano ?? 0,
    looks: budget?.looks ?? 0,
    units: budget?.unitsExposed ?? 0,
  };
};

describe('a ledger under random requests', () => {
  it('accepts and refuses what the model does, and knows every unit as it does', async () => {
    const seen = { accepted: new Set<string>(), refused: new Set<string>() };
    await fc.assert(
      fc.asyncProperty(operationsArbitrary, async (operations) => {
        const model = new LedgerModel();
        const ledger = openLedgerStore(memoryStore(), countingPorts());
        await runOperations(
          () => ledger,
          operations,
          (operation, given, state) => {
            const expected = model.step(operation);
            expect(`${given.accepted} ${given.text}`).toMatch(new RegExp(`^${expected} `));
            (given.accepted ? seen.accepted : seen.refused).add(operation.verb);
            const found = unitIds.map((id) => unitStatus(state, 'mails', id).status);
            expect(found).toEqual(unitIds.map((id) => model.status(id)));
          },
        );
      }),
      { seed: 20260106, numRuns: 150 },
    );
    // A leak is a fact: nothing refuses to record it.
    expect([...seen.accepted].sort()).toEqual([...seen.refused, 'leak'].sort());
    expect(seen.accepted.size).toBe(17);
  });

  it('never lets exposures or spent error decrease, and no unit is measured twice', async () => {
    await fc.assert(
      fc.asyncProperty(operationsArbitrary, async (operations) => {
        const ledger = openLedgerStore(memoryStore(), countingPorts());
        let before = { nano: 0, looks: 0, units: 0 };
        await runOperations(
          () => ledger,
          operations,
          (_, __, state) => {
            const now = spent(state);
            expect(now.nano).toBeGreaterThanOrEqual(before.nano);
            expect(now.looks).toBeGreaterThanOrEqual(before.looks);
            expect(now.units).toBeGreaterThanOrEqual(before.units);
            before = now;
            for (const id of unitIds) {
              const unit = unitStatus(state, 'mails', id);
              expect('count' in unit ? unit.count : 0).toBeLessThanOrEqual(1);
            }
          },
        );
        expect((await ledger.verify()).problems).toEqual([]);
      }),
      { seed: 20260107, numRuns: 60 },
    );
  });

  it('is the same whether one instance stays open or each request opens it anew', async () => {
    await fc.assert(
      fc.asyncProperty(operationsArbitrary, async (operations) => {
        const kept = openLedgerStore(memoryStore(), countingPorts());
        const store = memoryStore();
        const ports = countingPorts();
        const answers = await runOperations(() => openLedgerStore(store, ports), operations);
        expect(answers).toEqual(await runOperations(() => kept, operations));
      }),
      { seed: 20260108, numRuns: 20 },
    );
  });
});
