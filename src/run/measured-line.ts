/**
 * What a decision reads of a receipt line. A whole line is one of them; a measured line leaves out what no decision reads, first of all
 * the artifact, keeps values that are equal only once, and knows the digest of the whole line it was made from. A run of a million
 * receipts is decided from measured lines, one at a time made from the bytes of its journal.
 */
import { canonicalText, type Json } from '../base/canonical.ts';
import { invariant } from '../base/errors.ts';
import { leafText } from '../base/merkle.ts';
import type { Artifact, Cell, Receipt, ReceiptLine } from './receipt.ts';

/** What a decision reads of a receipt. */
export interface MeasuredReceipt
  extends Pick<
    Receipt,
    | 'attempt'
    | 'experimentDigest'
    | 'inputDigest'
    | 'surfaceLoadedDigest'
    | 'outcome'
    | 'fault'
    | 'scores'
    | 'critical'
    | 'usage'
    | 'gradeUsage'
    | 'gradeAttempts'
    | 'timing'
    | 'packages'
    | 'model'
    | 'host'
  > {
  /** Left out where nothing that was asked for reads outputs; null is an output that nobody kept. */
  readonly artifact?: Artifact | null;
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

/**
 * Whether a line that is known has the same receipt as another one; their envelopes may differ.
 *
 * A measured line has no whole receipt to compare. But with the other's receipt in its own envelope it must have its own digest.
 */
export function hasReceipt(known: EvidenceLine, { receipt }: ReceiptLine): boolean {
  const { leaf, ...envelope } = known;
  if (leaf === undefined) return canonicalText(wholeLine(known).receipt) === canonicalText(receipt);
  const rebuilt: ReceiptLine = { v: 1, ...envelope, receipt };
  return leaf === leafText(canonicalText(rebuilt));
}

/** Most different values that are kept to be shared; a run with more of them has little to share. */
const mostShared = 16_384;

/** Makes measured lines that share their equal parts. */
export class LineMeasurer {
  private readonly outputs: boolean;
  private readonly values = new Map<string, unknown>();

  /** @param options.outputs  whether artifacts are kept */
  constructor(options: { readonly outputs: boolean }) {
    this.outputs = options.outputs;
  }

  /**
   * The measured form of a line.
   * @param bytes  canonical text of the line
   * @param cell   the planned cell it belongs to, which it then shares
   */
  measure(line: ReceiptLine, bytes: Uint8Array, cell: Cell): EvidenceLine {
    const { receipt } = line;
    const { artifact, packages } = receipt;
    return {
      ledger: this.word(line.ledger),
      expose: this.word(line.expose),
      fence: this.word(line.fence),
      cell,
      position: line.position,
      armDigest: this.word(line.armDigest),
      evaluatorTree: this.word(line.evaluatorTree),
      receivedAt: this.word(line.receivedAt),
      leaf: leafText(bytes),
      receipt: {
        attempt: receipt.attempt,
        experimentDigest: this.word(receipt.experimentDigest),
        inputDigest: this.word(receipt.inputDigest),
        surfaceLoadedDigest: this.word(receipt.surfaceLoadedDigest),
        outcome: this.word(receipt.outcome),
        fault: this.value(receipt.fault),
        scores: this.value(receipt.scores),
        critical: this.value(receipt.critical),
        usage: this.value(receipt.usage),
        gradeUsage: this.value(receipt.gradeUsage),
        gradeAttempts: receipt.gradeAttempts,
        timing: this.value(receipt.timing),
        model: this.value(receipt.model),
        host: this.value(receipt.host),
        ...(packages === undefined ? {} : { packages: this.value(packages) }),
        ...(this.outputs ? { artifact } : {}),
      },
    };
  }

  private word<Word extends string | null>(word: Word): Word {
    return word === null ? word : this.shared(word, word);
  }

  private value<Value extends Json>(value: Value): Value {
    return value === null ? value : this.shared(canonicalText(value), value);
  }

  /** Words and the texts of objects never meet: a text starts with a brace or bracket. */
  private shared<Value>(key: string, value: Value): Value {
    const known = this.values.get(key);
    if (known !== undefined) return known as Value;
    if (this.values.size < mostShared) this.values.set(key, value);
    return value;
  }
}
