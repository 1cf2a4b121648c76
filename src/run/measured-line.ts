/**
 * What a decision reads of a receipt line. A whole line is one of them; a measured line leaves out what no decision reads, first of all
 * the artifact, and knows the digest of the whole line it was made from.
 */
import { canonicalText } from '../base/canonical.ts';
import { invariant } from '../base/errors.ts';
import { leafText } from '../base/merkle.ts';
import type {
  Artifact,
  Cell,
  FaultReport,
  Receipt,
  ReceiptLine,
  Timing,
  Usage,
} from './receipt.ts';

/** Usage as far as a decision reads it. */
export type MeasuredUsage = Pick<Usage, 'costUsd' | 'costKnown' | 'tokens' | 'tokensKnown'>;

/** What a decision reads of a receipt. */
export interface MeasuredReceipt
  extends Pick<
    Receipt,
    | 'attempt'
    | 'experimentDigest'
    | 'inputDigest'
    | 'surfaceLoadedDigest'
    | 'outcome'
    | 'scores'
    | 'gradeAttempts'
    | 'host'
  > {
  readonly fault: Pick<FaultReport, 'code'> | null;
  readonly critical: readonly { readonly id: string }[] | null;
  readonly usage: MeasuredUsage;
  readonly gradeUsage: MeasuredUsage | null;
  readonly timing: Pick<Timing, 'startedAt' | 'activeMs' | 'waitedMs'>;
  readonly model: { readonly observed: string | null } | null;
  readonly packages?: Receipt['packages'] | undefined;
  /** Left out where nothing that was asked for reads outputs; null is an output that nobody kept. */
  readonly artifact?: Artifact | null | undefined;
}

/** A receipt line as a decision reads it. */
export interface EvidenceLine extends Omit<ReceiptLine, 'v' | 'receipt'> {
  readonly receipt: MeasuredReceipt;
  /** Of a measured line: the Merkle leaf of the whole line, a character per byte. */
  readonly leaf?: string;
}

function isWhole(line: EvidenceLine): line is ReceiptLine {
  return 'v' in line;
}

function wholeLine(line: EvidenceLine): ReceiptLine {
  invariant(isWhole(line), 'a line without a leaf is whole');
  return line;
}

/** Merkle leaf of the canonical text of a line, a character per byte. */
export function lineLeaf(line: EvidenceLine): string {
  return line.leaf ?? leafText(canonicalText(wholeLine(line)));
}

/** The members of a line beside its receipt and what stands for it. */
function envelopeOf(line: EvidenceLine): Omit<ReceiptLine, 'v' | 'receipt'> {
  const { ledger, expose, fence, cell, position, armDigest, evaluatorTree, receivedAt } = line;
  return { ledger, expose, fence, cell, position, armDigest, evaluatorTree, receivedAt };
}

/**
 * A line as that of another cell at another place.
 * @example movedLine(line, { cell, position: 3 }).position // => 3
 */
export function movedLine(
  line: EvidenceLine,
  to: { readonly cell: Cell; readonly position: number },
): EvidenceLine {
  const { leaf, receipt } = line;
  const own = { ...envelopeOf(line), ...to, receipt };
  return leaf === undefined ? { ...wholeLine(line), ...to } : { ...own, leaf };
}

/**
 * Whether a line that is known has the same receipt as another one; their envelopes may differ.
 *
 * A measured line has no whole receipt to compare. But with the other's receipt in its own envelope it must have its own digest.
 */
export function hasReceipt(known: EvidenceLine, { receipt }: ReceiptLine): boolean {
  const { leaf } = known;
  if (leaf === undefined) return canonicalText(wholeLine(known).receipt) === canonicalText(receipt);
  const rebuilt: ReceiptLine = { v: 1, ...envelopeOf(known), receipt };
  return leaf === leafText(canonicalText(rebuilt));
}
