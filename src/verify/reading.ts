/** What verification has read so far; a member is there only when its check could read it. */
import type { Digest } from '../base/digest.ts';
import type { Problem } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import type { LedgerPin, LedgerReport } from '../ledger/check-ledger.ts';
import type { EntryOf, StoredEntry } from '../ledger/entry.ts';
import { knownEntries } from '../ledger/histories.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerState } from '../ledger/projection.ts';
import type { DecisionDocument } from '../report/decision.ts';
import type { FenceRight, JournalPrefix } from '../run/journal.ts';
import type { EvidenceLine } from '../run/measured-line.ts';
import type { ReceiptLine } from '../run/receipt.ts';
import type { CaseIndex } from '../spec/case-index.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import type { FoldedJournal } from './fold-journal.ts';
import type { GateRecord } from './gate-record.ts';
import type { RunManifest } from './record.ts';

/** The ledger a run was recorded in, as read. */
export interface LedgerView {
  /** None when the ledger is damaged. */
  readonly entries: readonly StoredEntry[];
  /** Faults that checking the ledger itself found. */
  readonly problems: readonly Problem[];
  /** Size, head, root, and whether a pin held. */
  readonly report: LedgerReport;
  /** Bytes of the proofs that its anchors name, of imported branches too; none when left out. */
  readonly proofs?: ReadonlyMap<Digest, Uint8Array>;
  /** What the entries add up to; null when the ledger is damaged. */
  readonly state: LedgerState | null;
}

/**
 * A whole ledger as read; of a damaged one only what is wrong with it.
 * @param pin  size and head known from elsewhere; without one a ledger may have a memory of its own
 */
export async function ledgerView(ledger: Ledger, pin?: LedgerPin): Promise<LedgerView> {
  const report = await ledger.verify(pin);
  const { problems } = report;
  if (problems.length > 0) return { entries: [], problems, report, state: null };
  const state = await ledger.state();
  const proofs = new Map<Digest, Uint8Array>();
  for (const { stored } of knownEntries(state).values()) {
    const object = stored.entry.kind === 'anchor' ? stored.entry.body.object : null;
    const bytes = object === null ? null : await ledger.object(object);
    if (object !== null && bytes !== null) proofs.set(object, bytes);
  }
  return { entries: await ledger.entries(), problems, report, state, proofs };
}

/** Entries of a run: its claim, its exposure, every right to dispatch, and what was known of the journal in between. */
export interface RunEntries {
  readonly reserve: { readonly entry: EntryOf<'reserve'>; readonly id: Digest };
  readonly expose: { readonly entry: EntryOf<'expose'>; readonly id: Digest };
  readonly stored: readonly StoredEntry[];
  readonly rights: readonly RunRight[];
  /** In the order of their entries; the exposure knows an empty journal and is not listed. */
  readonly marks: readonly RunMark[];
}

/** A right to dispatch and the journal it started from. */
export interface RunRight extends FenceRight {
  readonly seq: number;
  readonly attempt: number;
}

/** What an entry says of the journal. */
export interface RunMark extends JournalPrefix {
  readonly seq: number;
  readonly kind: 'attempt' | 'journal';
  readonly attempt: number;
  readonly stopped: boolean;
}

export interface Reading {
  manifest?: RunManifest;
  plan?: SealedExperiment;
  seal?: SealedExperiment;
  index?: CaseIndex;
  entries?: RunEntries;
  controls?: readonly ReceiptLine[];
  /** The journal after one pass over its bytes. */
  journal?: FoldedJournal;
  /** Receipts of a journal that could be followed to its end. */
  lines?: Rows<EvidenceLine>;
  gates?: GateRecord;
  document?: DecisionDocument;
  /** Whether the decision is the recorded one byte for byte. */
  asRecorded?: boolean;
}
