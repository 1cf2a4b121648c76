import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { unitStatus } from '../../src/ledger/claim.ts';
import { historiesOf, knownEntries } from '../../src/ledger/histories.ts';
import { openLedgerStore } from '../../src/ledger/ledger.ts';
import { memoryLedger, memoryStore } from '../../src/ledger/memory-ledger.ts';
import { familyBudgets, type LedgerState } from '../../src/ledger/projection.ts';
import {
  type Branches,
  branchesArbitrary,
  importFrom,
  tellBranches,
  theirCopy,
} from '../support/branches.ts';
import { runOperations } from '../support/ledger-operations.ts';
import { countingPorts } from '../support/ledger-story.ts';

const unitIds = ['u-1', 'u-2', 'u-3', 'u-4', 'u-5'];
const statusesOf = (state: LedgerState) =>
  unitIds.map((id) => unitStatus(state, 'mails', id).status);
const sumOf = (state: LedgerState, what: 'spentNano' | 'looks') =>
  familyBudgets(state).reduce((sum, each) => sum + each[what], 0);
const exposuresOf = (state: LedgerState) =>
  [...knownEntries(state).values()].filter(({ entry }) => entry.kind === 'expose').length;

/** Both copies, and ours after the import; null when there is no branch to import. */
async function imported(branches: Branches) {
  const ours = memoryLedger(countingPorts());
  await runOperations(() => ours, [...branches.common, ...branches.ours]);
  const theirs = await theirCopy(branches);
  const before = await ours.state();
  try {
    if ((await importFrom(ours, theirs)) === null) return null;
  } catch (error) {
    if (error instanceof LiftgateError && error.code !== 'internal') return null;
    throw error;
  }
  return { ours, theirs, before, other: await theirs.state(), after: await ours.state() };
}

describe('an import of any branch', () => {
  it('loses no exposure and no spent error, and frees no unit that a side has used', async () => {
    let made = 0;
    await fc.assert(
      fc.asyncProperty(branchesArbitrary, async (branches) => {
        const found = await imported(branches);
        if (found === null) return;
        made += 1;
        const { before, other, after } = found;
        expect(sumOf(after, 'looks')).toBe(exposuresOf(after));
        for (const side of [before, other]) {
          expect(sumOf(after, 'spentNano')).toBeGreaterThanOrEqual(sumOf(side, 'spentNano'));
          expect(sumOf(after, 'looks')).toBeGreaterThanOrEqual(sumOf(side, 'looks'));
          const [now, then] = [statusesOf(after), statusesOf(side)];
          const used = ['exposed', 'retired', 'leaked', 'development'];
          const freed = unitIds.filter(
            (_, at) => used.includes(then[at] ?? '') && ['free', 'held'].includes(now[at] ?? ''),
          );
          expect(freed).toEqual([]);
        }
      }),
      { seed: 20260201, numRuns: 120 },
    );
    expect(made).toBeGreaterThan(60);
  });

  it('holds both histories whole, verifies, and gives the same when it is made again', async () => {
    await fc.assert(
      fc.asyncProperty(branchesArbitrary, async (branches) => {
        const found = await imported(branches);
        if (found === null) return;
        const { ours, theirs, after } = found;
        expect((await ours.verify()).problems).toEqual([]);
        expect(historiesOf(after)).toEqual([await ours.entries(), await theirs.entries()]);
        expect(await importFrom(ours, theirs)).toBeNull();
        await importFrom(theirs, ours);
        expect((await theirs.verify()).problems).toEqual([]);
        expect(sumOf(await theirs.state(), 'looks')).toBe(sumOf(after, 'looks'));
        expect(await importFrom(ours, theirs)).not.toBeNull();
        expect((await ours.verify()).problems).toEqual([]);
        expect(sumOf(await ours.state(), 'looks')).toBe(sumOf(after, 'looks'));
      }),
      { seed: 20260202, numRuns: 60 },
    );
  });

  it('is followed the same by an instance that stays open and by one that opens anew', async () => {
    await fc.assert(
      fc.asyncProperty(branchesArbitrary, async (branches) => {
        const [store, ports] = [memoryStore(), countingPorts()];
        const kept = memoryLedger(countingPorts());
        const told = await tellBranches(() => openLedgerStore(store, ports), branches);
        expect(told).toEqual(await tellBranches(() => kept, branches));
      }),
      { seed: 20260203, numRuns: 20 },
    );
  });
});
