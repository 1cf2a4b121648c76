/** Whether an outside proof that the reader believes covers an outcome: anchors of the ledger, and time stamps beside its checkpoints. */

import { digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import {
  type AnchorFinding,
  type AnchorTrust,
  anchoredText,
  findAnchor,
} from '../ledger/anchor.ts';
import type { EntryOf, StoredEntry } from '../ledger/entry.ts';
import { historiesOf, type KnownEntry, knownEntries } from '../ledger/histories.ts';
import { emptyState } from '../ledger/projection.ts';
import type { NoteFiles } from './bundle.ts';
import type { Fault, Finding } from './checklist.ts';
import type { LedgerView } from './reading.ts';

/** An anchor, where it lies, and the history it speaks of. */
export interface FoundAnchor {
  /** `entry 12`, or the name of a file. */
  readonly shown: string;
  readonly history: readonly StoredEntry[];
  readonly finding: AnchorFinding;
}

/** Whether the first entries of a history hold an outcome, themselves or in a branch that one of them imported. */
export function coversOutcome(
  history: readonly StoredEntry[],
  size: number,
  outcome: KnownEntry,
): boolean {
  return history
    .slice(0, size)
    .some(
      ({ entry, entryId }) =>
        entryId === outcome.stored.entryId ||
        (entry.kind === 'import' && entryId === outcome.heldById),
    );
}

/** Every anchor of a ledger and every time stamp beside it, with what it is worth to this reader; broken ones say why. */
export function anchorsOf(
  ledger: LedgerView,
  notes: NoteFiles,
  trust: AnchorTrust,
): readonly FoundAnchor[] {
  const state = ledger.state ?? emptyState;
  const histories = historiesOf(state);
  const found: FoundAnchor[] = [];
  for (const { number, stored } of knownEntries(state).values()) {
    if (stored.entry.kind !== 'anchor') continue;
    const { seq, body } = stored.entry;
    const history = histories.find((each) => each[seq]?.entryId === stored.entryId) ?? [];
    const proof = ledger.proofs?.get(body.object) ?? new Uint8Array();
    const finding = worth(body, { entries: history, proof }, trust);
    found.push({ shown: `entry ${number}`, history, finding });
  }
  for (const [name, proof] of [...notes].filter(([each]) => each.endsWith('.tsr'))) {
    const size = Number(name.slice(0, 8));
    for (const history of histories.filter((each) => each.length >= size)) {
      const finding = worth(beside(size, proof, history), { entries: history, proof }, trust);
      found.push({ shown: name, history, finding });
    }
  }
  return found;
}

/** A file beside the ledger as the anchor it would be. */
function beside(
  size: number,
  proof: Uint8Array,
  history: readonly StoredEntry[],
): EntryOf<'anchor'>['body'] {
  const head = history[size - 1]?.entryId ?? digestOf('');
  const root = digestOf(anchoredText(history, size));
  return { size, head, root, type: 'rfc3161', object: digestOf(proof) };
}

function worth(
  body: EntryOf<'anchor'>['body'],
  found: { readonly entries: readonly StoredEntry[]; readonly proof: Uint8Array },
  trust: AnchorTrust,
): AnchorFinding {
  try {
    return findAnchor(body, found, trust);
  } catch (error) {
    if (!(error instanceof LiftgateError)) throw error;
    return { holds: false, size: body.size, reason: error.message };
  }
}

/** The demand `anchored`: one anchor that holds for this reader covers the outcome. */
export function checkAnchored(
  anchors: readonly FoundAnchor[],
  outcome: KnownEntry | null,
): Finding {
  const missing = (message: string): Finding => {
    const fault: Fault = { code: 'anchor-missing', message };
    return { faults: [fault] };
  };
  if (outcome === null) return missing('there is no outcome that could be anchored');
  const covering = anchors.filter(({ history, finding }) =>
    coversOutcome(history, finding.size, outcome),
  );
  for (const { shown, finding } of covering)
    if (finding.holds) return { detail: `${shown}: ${finding.size} entries by ${finding.by}` };
  const reasons = covering.map(
    ({ shown, finding }) => `${shown}: ${finding.holds ? finding.by : finding.reason}`,
  );
  const tried = reasons.length === 0 ? 'there is none' : reasons.join('; ');
  return missing(
    `no outside proof that counts for this reader covers the outcome, entry ${outcome.number} (${tried})`,
  );
}
