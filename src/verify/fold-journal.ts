/**
 * One pass over the bytes of a journal: digest of the file, digests of the beginnings that the ledger knows, every line read and held
 * against schedule, seal and fence, and of every receipt what the decision reads. No byte is read twice and no line is kept, so a
 * journal of any length takes the memory of its measured lines.
 */
import { type Content, isWholeLine, linesOf } from '../base/content.ts';
import { type Digest, digestHex, runningDigest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import {
  type FenceRight,
  fenceFault,
  type JournalLine,
  parseJournalLine,
  receiptLineBytes,
} from '../run/journal.ts';
import { JournalReplay } from '../run/journal-replay.ts';
import { LineColumns } from '../run/line-columns.ts';
import type { EvidenceLine } from '../run/measured-line.ts';
import type { ReceiptLine } from '../run/receipt.ts';
import type { Schedule } from '../run/schedule.ts';
import type { Material, SealedExperiment } from '../spec/seal.ts';
import { lineChecker } from './check-lines.ts';
import type { JournalStep } from './check-looks.ts';
import { runFileNames } from './record.ts';

/** What a journal is held against. */
export interface JournalOwner {
  readonly seal: SealedExperiment;
  readonly schedule: Schedule;
  /** The exposure that receipts and fences must be of; null where it is not asked for. */
  readonly exposure: {
    /** Id of the ledger, and of the entry that exposed the units. */
    readonly ledger: string;
    readonly expose: Digest;
    readonly rights: readonly FenceRight[];
  } | null;
  /** Numbers of lines whose digest is asked for. */
  readonly marks: readonly number[];
  /** Whether artifacts are kept with the lines. */
  readonly outputs: boolean;
}

/** A journal as one pass over its bytes found it. */
export interface FoldedJournal {
  /** Size and digest of the file. */
  readonly material: Material;
  /** Why it cannot be read, or names what was not planned; null when it could be followed to its end. */
  readonly failure: LiftgateError | null;
  /** Whether its last line has no line feed. */
  readonly torn: boolean;
  /** Digests of its first lines, by their number; none where it has fewer. */
  readonly prefixes: ReadonlyMap<number, Digest>;
  /** Receipts in journal order, equal duplicates dropped. */
  readonly lines: Rows<EvidenceLine>;
  readonly duplicates: number;
  /** Number of cells that the schedule plans. */
  readonly planned: number;
  /** Dispatches without receipt. */
  readonly dangling: number;
  /** What is wrong with receipts, then with fences, a text each. */
  readonly faults: readonly string[];
  /** Its lines in their order where the design has looks; otherwise its looks alone. */
  readonly steps: readonly JournalStep[];
}

/** Reads a journal once, from its first byte to its last. */
export function foldJournal(content: Content, owner: JournalOwner): FoldedJournal {
  const fold = new JournalFold(owner);
  for (const bytes of linesOf(content)) fold.add(bytes);
  return fold.end();
}

/** Whether a gate of the seal reads outputs. */
export function readsOutputs({ decision }: SealedExperiment): boolean {
  return decision.gates.some(
    (gate) => gate.gate === 'contamination' && gate.canaries !== undefined,
  );
}

class JournalFold {
  private readonly owner: JournalOwner;
  private readonly running = runningDigest();
  private readonly wanted: ReadonlySet<number>;
  private readonly prefixes = new Map<number, Digest>();
  private readonly replay: JournalReplay;
  private readonly lines: LineColumns;
  private readonly check: ReturnType<typeof lineChecker> | null;
  /** A receipt of an attempt beyond the sealed number waits until all attempts of its cell are known. */
  private readonly ofLines: (string | ReceiptLine)[] = [];
  private readonly ofFences: string[] = [];
  private readonly steps: JournalStep[] = [];
  private size = 0;
  private line = 0;
  private duplicates = 0;
  private torn = false;
  private unreadable: LiftgateError | null = null;
  private refused: LiftgateError | null = null;

  constructor(owner: JournalOwner) {
    const { seal, schedule, exposure, marks, outputs } = owner;
    this.owner = owner;
    this.wanted = new Set(marks);
    const measures = Object.keys(seal.spec.measures);
    this.lines = new LineColumns({ schedule, measures, outputs });
    this.replay = new JournalReplay(schedule, this.lines);
    const fences = exposure?.rights.map(({ fence }) => fence) ?? [];
    this.check = exposure === null ? null : lineChecker({ seal, ...exposure, fences });
    if (this.wanted.has(0)) this.prefixes.set(0, this.running.value());
  }

  add(bytes: Uint8Array): void {
    this.running.add(bytes);
    this.size += bytes.length;
    if (!isWholeLine(bytes)) {
      this.torn = true;
      return;
    }
    this.line += 1;
    if (this.wanted.has(this.line)) this.prefixes.set(this.line, this.running.value());
    if (this.unreadable !== null) return;
    try {
      this.follow(this.read(bytes), bytes);
    } catch (thrown) {
      if (!(thrown instanceof LiftgateError)) throw thrown;
      this.refused ??= thrown;
    }
  }

  end(): FoldedJournal {
    const { replay } = this;
    const ofLines = this.ofLines.flatMap((each) =>
      typeof each === 'string'
        ? [each]
        : (this.check?.(each, () => replay.linesAt(each.position)) ?? []),
    );
    return {
      material: {
        path: runFileNames.journal,
        size: this.size,
        sha256: digestHex(this.running.value()),
      },
      failure: this.unreadable ?? this.refused,
      torn: this.torn,
      prefixes: this.prefixes,
      lines: this.lines,
      duplicates: this.duplicates,
      planned: this.owner.schedule.length,
      dangling: replay.dangling,
      faults: [...ofLines, ...this.ofFences],
      steps: this.steps,
    };
  }

  /** A line that cannot be read outweighs one before it that names what was not planned. */
  private read(bytes: Uint8Array): JournalLine {
    try {
      return parseJournalLine(bytes, { file: runFileNames.journal, line: this.line });
    } catch (thrown) {
      if (thrown instanceof LiftgateError) this.unreadable = thrown;
      throw thrown;
    }
  }

  private follow(entry: JournalLine, bytes: Uint8Array): void {
    if (this.refused !== null) return;
    const { seal, schedule, exposure } = this.owner;
    const fault = exposure === null ? null : fenceFault(entry, this.line - 1, exposure.rights);
    if (fault !== null) this.ofFences.push(fault);
    if (entry.kind === 'look') {
      this.steps.push(entry);
      return;
    }
    const { position } = entry.kind === 'dispatch' ? entry : entry.line;
    if (entry.kind === 'dispatch') this.replay.addDispatch(entry);
    else this.receipt(entry.line, bytes);
    if (seal.analysis.looks === undefined) return;
    const cell = schedule.at(position);
    if (cell !== undefined) this.steps.push({ kind: entry.kind, cell });
  }

  private receipt(line: ReceiptLine, bytes: Uint8Array): void {
    if (!this.replay.addReceipt(line)) {
      this.duplicates += 1;
      return;
    }
    this.lines.add(line, receiptLineBytes(bytes));
    const { check } = this;
    if (check === null) return;
    if (line.receipt.attempt > this.owner.seal.limits.maxAttempts) this.ofLines.push(line);
    else for (const fault of check(line, () => [])) this.ofLines.push(fault);
  }
}
