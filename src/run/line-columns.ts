/**
 * Measured lines in columns, one for each member: some 100 bytes a receipt, most of them its Merkle leaf, so that a run of a million
 * receipts is decided in the memory of a small machine. A line is made anew whenever it is read.
 */
import { canonicalText } from '../base/canonical.ts';
import {
  BytesColumn,
  NumberColumn,
  SharedColumn,
  TimeColumn,
  WholeColumn,
} from '../base/columns.ts';
import type { Digest } from '../base/digest.ts';
import { leafText } from '../base/merkle.ts';
import { RowList, requireRow } from '../base/rows.ts';
import type { OutcomeClass } from '../spec/spec.ts';
import type { EvidenceLine, MeasuredReceipt, MeasuredUsage } from './measured-line.ts';
import type { Artifact, Cell, Receipt, ReceiptLine } from './receipt.ts';
import type { Schedule } from './schedule.ts';

const noTokens = { input: null, cachedInput: null, output: null, reasoning: null };

/** Usage of calls; null where a call reported none. */
class UsageColumns {
  private readonly flags: WholeColumn;
  private readonly costUsd: NumberColumn;
  private readonly input: NumberColumn;
  private readonly cachedInput: NumberColumn;
  private readonly output: NumberColumn;
  private readonly reasoning: NumberColumn;

  constructor(expected: number) {
    this.flags = new WholeColumn(expected);
    this.costUsd = new NumberColumn(expected);
    this.input = new NumberColumn(expected);
    this.cachedInput = new NumberColumn(expected);
    this.output = new NumberColumn(expected);
    this.reasoning = new NumberColumn(expected);
  }

  set(row: number, usage: MeasuredUsage | null): void {
    if (usage === null) return;
    const { costUsd, costKnown, tokens, tokensKnown } = usage;
    const flags = 1 + (costKnown ? 2 : 0) + (tokensKnown ? 4 : 0) + (tokens === null ? 0 : 8);
    this.flags.set(row, flags);
    this.costUsd.set(row, costUsd);
    const counts = tokens ?? noTokens;
    this.input.set(row, counts.input);
    this.cachedInput.set(row, counts.cachedInput);
    this.output.set(row, counts.output);
    this.reasoning.set(row, counts.reasoning);
  }

  get(row: number): MeasuredUsage | null {
    const flags = this.flags.get(row);
    if (flags === 0) return null;
    const tokens = {
      input: this.input.get(row) ?? 0,
      cachedInput: this.cachedInput.get(row) ?? 0,
      output: this.output.get(row) ?? 0,
      reasoning: this.reasoning.get(row) ?? 0,
    };
    return {
      costUsd: this.costUsd.get(row),
      costKnown: (flags & 2) !== 0,
      tokens: (flags & 8) === 0 ? null : tokens,
      tokensKnown: (flags & 4) !== 0,
    };
  }
}

type Scores = Receipt['scores'];

/** Scores, a column for each declared measure; what scores anything else is kept as it is. */
class ScoreColumns {
  private readonly values: ReadonlyMap<string, NumberColumn>;
  private readonly ids: SharedColumn<readonly string[]>;
  private readonly others = new Map<number, Scores>();

  constructor(measures: readonly string[], expected: number) {
    this.values = new Map(measures.map((id) => [id, new NumberColumn(expected)]));
    this.ids = new SharedColumn(expected);
  }

  set(row: number, scores: Scores): void {
    const ids = Object.keys(scores);
    if (!ids.every((id) => this.values.has(id))) {
      this.others.set(row, scores);
      return;
    }
    this.ids.set(row, ids.join('\n'), ids);
    for (const id of ids) this.values.get(id)?.set(row, scores[id] ?? null);
  }

  get(row: number): Scores {
    const other = this.others.get(row);
    if (other !== undefined) return other;
    const scores: Record<string, number | null> = {};
    for (const id of this.ids.get(row)) scores[id] = this.values.get(id)?.get(row) ?? null;
    return scores;
  }
}

/** What measured lines belong to, and what is kept of them. */
export interface LineColumnsOptions {
  readonly schedule: Schedule;
  /** Ids of the declared measures. */
  readonly measures: readonly string[];
  /** Whether artifacts are kept. */
  readonly outputs: boolean;
}

type Columns = ReturnType<typeof columnsFor>;

function columnsFor({ schedule, measures, outputs }: LineColumnsOptions) {
  const rows = schedule.length;
  const shared = <Value>(): SharedColumn<Value> => new SharedColumn(rows);
  return {
    schedule,
    artifacts: outputs ? new Map<number, Artifact | null>() : null,
    leaf: new BytesColumn(32, rows),
    position: new WholeColumn(rows),
    ledger: shared<string | null>(),
    expose: shared<Digest | null>(),
    fence: shared<string | null>(),
    armDigest: shared<Digest>(),
    evaluatorTree: shared<Digest>(),
    receivedAt: new TimeColumn(rows),
    attempt: new WholeColumn(rows),
    experimentDigest: shared<Digest>(),
    /** Of an input that is not the planned one; it is, as a rule. */
    otherInput: shared<Digest | null | 'planned'>(),
    surfaceLoadedDigest: shared<Digest | null>(),
    outcome: shared<OutcomeClass>(),
    fault: shared<MeasuredReceipt['fault']>(),
    scores: new ScoreColumns(measures, rows),
    critical: shared<MeasuredReceipt['critical']>(),
    usage: new UsageColumns(rows),
    gradeUsage: new UsageColumns(rows),
    gradeAttempts: new NumberColumn(rows),
    startedAt: new TimeColumn(rows),
    activeMs: new NumberColumn(rows),
    waitedMs: new NumberColumn(rows),
    model: shared<MeasuredReceipt['model']>(),
    host: shared<Receipt['host']>(),
    packages: shared<Exclude<Receipt['packages'], undefined> | null>(),
  };
}

/** Measured lines in the order in which they were added. */
export class LineColumns extends RowList<EvidenceLine> {
  length = 0;
  private readonly columns: Columns;

  constructor(options: LineColumnsOptions) {
    super();
    this.columns = columnsFor(options);
  }

  /**
   * Adds the measured form of a line; its cell is the planned one at its position.
   * @param bytes  canonical text of the line
   */
  add(line: ReceiptLine, bytes: Uint8Array): void {
    const { columns, length: row } = this;
    this.length += 1;
    columns.leaf.set(row, leafText(bytes), 'latin1');
    columns.position.set(row, line.position);
    columns.ledger.set(row, line.ledger, line.ledger);
    columns.expose.set(row, line.expose, line.expose);
    columns.fence.set(row, line.fence, line.fence);
    columns.armDigest.set(row, line.armDigest, line.armDigest);
    columns.evaluatorTree.set(row, line.evaluatorTree, line.evaluatorTree);
    columns.receivedAt.set(row, line.receivedAt);
    this.addReceipt(row, line.receipt, line.position);
  }

  private addReceipt(row: number, receipt: Receipt, position: number): void {
    const { columns } = this;
    const { experimentDigest, inputDigest, surfaceLoadedDigest, outcome, timing } = receipt;
    columns.attempt.set(row, receipt.attempt);
    columns.experimentDigest.set(row, experimentDigest, experimentDigest);
    const isPlanned = columns.schedule.caseAt(position).inputDigest === inputDigest;
    const input = isPlanned ? 'planned' : inputDigest;
    columns.otherInput.set(row, input, input);
    columns.surfaceLoadedDigest.set(row, surfaceLoadedDigest, surfaceLoadedDigest);
    columns.outcome.set(row, outcome, outcome);
    columns.scores.set(row, receipt.scores);
    columns.usage.set(row, receipt.usage);
    columns.gradeUsage.set(row, receipt.gradeUsage);
    columns.gradeAttempts.set(row, receipt.gradeAttempts);
    columns.startedAt.set(row, timing.startedAt);
    columns.activeMs.set(row, timing.activeMs);
    columns.waitedMs.set(row, timing.waitedMs);
    columns.artifacts?.set(row, receipt.artifact);
    this.addValues(row, receipt);
  }

  private addValues(row: number, { fault, critical, model, host, packages }: Receipt): void {
    const { columns } = this;
    if (fault === null) columns.fault.set(row, null, null);
    else columns.fault.set(row, fault.code, { code: fault.code });
    const found = critical?.map(({ id }) => ({ id })) ?? null;
    columns.critical.set(row, found?.map(({ id }) => id).join('\n') ?? null, found);
    const observed = model === null ? null : { observed: model.observed };
    columns.model.set(row, observed === null ? null : canonicalText(observed), observed);
    columns.host.set(row, canonicalText(host), host);
    if (packages === undefined) columns.packages.set(row, null, null);
    else columns.packages.set(row, canonicalText(packages), packages);
  }

  protected row(index: number): EvidenceLine {
    return new LineView(this.columns, index);
  }
}

/** One line, read out of its columns member by member. */
class LineView implements EvidenceLine {
  readonly #columns: Columns;
  readonly #row: number;
  readonly position: number;
  readonly receipt: MeasuredReceipt;

  constructor(columns: Columns, row: number) {
    this.#columns = columns;
    this.#row = row;
    this.position = columns.position.get(row);
    this.receipt = new ReceiptView(columns, row, this.position);
  }

  get leaf(): string {
    return this.#columns.leaf.text(this.#row, 'latin1');
  }

  get cell(): Cell {
    return requireRow(this.#columns.schedule, this.position);
  }

  get ledger(): string | null {
    return this.#columns.ledger.get(this.#row);
  }

  get expose(): Digest | null {
    return this.#columns.expose.get(this.#row);
  }

  get fence(): string | null {
    return this.#columns.fence.get(this.#row);
  }

  get armDigest(): Digest {
    return this.#columns.armDigest.get(this.#row);
  }

  get evaluatorTree(): Digest {
    return this.#columns.evaluatorTree.get(this.#row);
  }

  get receivedAt(): string {
    return this.#columns.receivedAt.get(this.#row);
  }
}

class ReceiptView implements MeasuredReceipt {
  readonly #columns: Columns;
  readonly #row: number;
  readonly #position: number;

  constructor(columns: Columns, row: number, position: number) {
    this.#columns = columns;
    this.#row = row;
    this.#position = position;
  }

  get attempt(): number {
    return this.#columns.attempt.get(this.#row);
  }

  get experimentDigest(): Digest {
    return this.#columns.experimentDigest.get(this.#row);
  }

  get inputDigest(): Digest | null {
    const input = this.#columns.otherInput.get(this.#row);
    return input === 'planned' ? this.#columns.schedule.caseAt(this.#position).inputDigest : input;
  }

  get surfaceLoadedDigest(): Digest | null {
    return this.#columns.surfaceLoadedDigest.get(this.#row);
  }

  get outcome(): OutcomeClass {
    return this.#columns.outcome.get(this.#row);
  }

  get fault(): MeasuredReceipt['fault'] {
    return this.#columns.fault.get(this.#row);
  }

  get scores(): Scores {
    return this.#columns.scores.get(this.#row);
  }

  get critical(): MeasuredReceipt['critical'] {
    return this.#columns.critical.get(this.#row);
  }

  get usage(): MeasuredUsage {
    return this.#columns.usage.get(this.#row) ?? unknownUsage;
  }

  get gradeUsage(): MeasuredUsage | null {
    return this.#columns.gradeUsage.get(this.#row);
  }

  get gradeAttempts(): number {
    return this.#columns.gradeAttempts.get(this.#row) ?? 0;
  }

  get timing(): MeasuredReceipt['timing'] {
    const { startedAt, activeMs, waitedMs } = this.#columns;
    const row = this.#row;
    return {
      startedAt: startedAt.get(row),
      activeMs: activeMs.get(row),
      waitedMs: waitedMs.get(row),
    };
  }

  get model(): MeasuredReceipt['model'] {
    return this.#columns.model.get(this.#row);
  }

  get host(): Receipt['host'] {
    return this.#columns.host.get(this.#row);
  }

  get packages(): Receipt['packages'] {
    return this.#columns.packages.get(this.#row) ?? undefined;
  }

  get artifact(): Artifact | null | undefined {
    return this.#columns.artifacts?.get(this.#row);
  }
}

const unknownUsage = { costUsd: null, costKnown: false, tokens: null, tokensKnown: false };
