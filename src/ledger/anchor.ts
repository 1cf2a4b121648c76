/**
 * Anchors: where an outside proof lies that the ledger was what it is, and how far. The entry binds size, head and root; whether the
 * proof holds, and who gave it, is for whoever verifies.
 */
import { rootOfPeaks } from '../base/merkle.ts';
import type { EntryOf } from './entry.ts';
import { pastOf } from './past.ts';
import type { LedgerState } from './projection.ts';
import { conflict } from './transitions.ts';

/**
 * An anchor changes nothing that it speaks of.
 * @throws {LiftgateError} ledger-conflict I1  when the first entries of this ledger are others
 */
export function applyAnchor(state: LedgerState, { body }: EntryOf<'anchor'>): LedgerState {
  const past = pastOf(state.past, body.size);
  if (past?.stored.entryId === body.head && rootOfPeaks(past.peaks) === body.root) return state;
  throw conflict(
    'I1',
    past === null
      ? `The anchor covers ${body.size} entries; there are ${state.chain.size}.`
      : `The anchor binds ${body.head} under ${body.root} as the first ${body.size} entries; this ledger has others.`,
    {
      mend: 'Anchor this ledger as it is: liftgate ledger anchor.',
      details: { reason: 'anchor-differs' },
    },
  );
}
