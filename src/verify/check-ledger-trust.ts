/** Who vouches for a ledger, whatever was measured in it: its checkpoints, and what a reader demands for every outcome it records. */
import { knownEntries } from '../ledger/histories.ts';
import { countingKeys } from '../ledger/key-trust.ts';
import { emptyState } from '../ledger/projection.ts';
import {
  type CoveringCheckpoint,
  checkCheckpoints,
  checkRequirement,
  type Demands,
  type Requirement,
  requirements,
  trustNames,
  type Vouchers,
} from './check-trust.ts';
import { type Check, Checklist, type Fault, type Finding, findingOf } from './checklist.ts';
import type { LedgerView } from './reading.ts';

/** What a reader finds of a ledger. */
export interface LedgerTrust {
  /** No check failed. */
  readonly ok: boolean;
  readonly checks: readonly Check[];
  readonly checkpoints: readonly CoveringCheckpoint[];
  /** Number of the first entry that no checkpoint covers which a trusted key signed. */
  readonly unsignedFrom: number;
}

/**
 * Holds a ledger against its checkpoints and against the demands of a reader: `signed`, `witnessed` and `anchored` must be met for every
 * outcome, those of imported branches too; a ledger without an outcome meets none of them. A demanded statement is about a run and is
 * not looked at.
 *
 * @param ledger  sound; of a damaged one nothing is checked, and every demand fails
 */
export function checkLedgerTrust(ledger: LedgerView, demands: Demands): LedgerTrust {
  const list = new Checklist();
  const keys = countingKeys(ledger.state ?? emptyState, demands.trust);
  const vouchers: Vouchers = { checkpoints: [], signers: [], keys };
  const noted = [...demands.notes.keys()].some((name) => name.endsWith('.txt'));
  if (noted && ledger.state !== null) {
    list.run(trustNames.checkpoints, () =>
      checkCheckpoints(ledger, { demands, outcome: null, vouchers }),
    );
  }
  for (const requirement of requirements.filter((each) => demands.require.includes(each))) {
    list.run(trustNames[requirement], () => forEveryOutcome(requirement, ledger, demands));
  }
  const { checkpoints } = vouchers;
  const signed = checkpoints.filter(({ signers }) => signers.length > 0);
  const unsignedFrom = Math.max(0, ...signed.map(({ size }) => size));
  return { ok: !list.failed, checks: list.checks, checkpoints, unsignedFrom };
}

function forEveryOutcome(requirement: Requirement, ledger: LedgerView, demands: Demands): Finding {
  const state = ledger.state ?? emptyState;
  const outcomes = [...knownEntries(state).values()].filter(
    ({ entry }) => entry.kind === 'outcome',
  );
  if (outcomes.length === 0)
    return { faults: ['there is no outcome that anybody could vouch for'] };
  const keys = countingKeys(state, demands.trust);
  const faults: Fault[] = [];
  for (const outcome of outcomes) {
    const vouching = { demands, outcome, vouchers: { checkpoints: [], signers: [], keys } };
    // Faults of checkpoints are told by their own check.
    if (requirement !== 'anchored') checkCheckpoints(ledger, vouching);
    const found = checkRequirement(requirement, ledger, vouching);
    if ('detail' in found) continue;
    const { code } = trustNames[requirement];
    for (const fault of found.faults) {
      const told = typeof fault === 'string' ? { code, message: fault } : fault;
      faults.push({ ...told, message: `outcome, entry ${outcome.number}: ${told.message}` });
    }
  }
  const numbers = outcomes.map(({ number }) => String(number)).join(', ');
  return findingOf(faults, `outcomes, entries ${numbers}`);
}
