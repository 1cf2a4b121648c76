/** Records on disk as an insight report: run folders, and files of records from anywhere. */
import { readFileSync, statSync } from 'node:fs';
import { LiftgateError } from '../base/errors.ts';
import { inputsOf, parseInsightRecords, recordsOfRun } from '../interop/insight-records.ts';
import { insightView } from '../report/insight.ts';
import type {
  InsightInput,
  InsightRecord,
  InsightView,
  RecordedDecision,
} from '../report/insight-facts.ts';
import { baselineArm } from '../spec/spec.ts';
import { readRecordedRun } from './run-report.ts';

/** What to read, and how to compare. */
export interface InsightRequest {
  /** Paths with the names that the report shows for them. */
  readonly sources: readonly { readonly path: string; readonly name: string }[];
  /** The arm that others are compared with; `baseline` where there is one, else the first. */
  readonly baseline?: string;
  /** Measures of which less is better; those of a run are known from its seal. */
  readonly lower?: readonly string[];
}

interface Gathered {
  readonly records: InsightRecord[][];
  readonly inputs: InsightInput[][];
  readonly decisions: RecordedDecision[];
  readonly lower: Set<string>;
  /** Primary measures of the runs. */
  readonly primary: string[];
}

function gatherRun(path: string, name: string, into: Gathered): void {
  const { document, seal, evidence } = readRecordedRun(path);
  into.records.push(recordsOfRun(evidence.lines, evidence.index));
  into.inputs.push(inputsOf(evidence.index));
  for (const { candidate, decision, reason } of document.decisions) {
    into.decisions.push({ source: name, candidate, decision, reason });
  }
  for (const [id, { direction, role }] of Object.entries(seal.spec.measures)) {
    if (direction === 'lower') into.lower.add(id);
    if (role === 'primary') into.primary.push(id);
  }
}

function gather({ path, name }: InsightRequest['sources'][number], into: Gathered): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new LiftgateError('file-unreadable', 'There are no records.', {
      where: { file: name },
      mend: 'Name run folders, or files with one JSON record per line.',
    });
  }
  if (found.isDirectory()) gatherRun(path, name, into);
  else into.records.push(parseInsightRecords(readFileSync(path, 'utf8'), name));
}

/**
 * Reads records and shows what is in them; nothing is decided, written or recorded.
 *
 * @throws {LiftgateError} file-unreadable, receipt-invalid, run-invalid; usage when there is no record or no such baseline
 */
export function readInsight({ sources, baseline, lower = [] }: InsightRequest): InsightView {
  const gathered: Gathered = {
    records: [],
    inputs: [],
    decisions: [],
    lower: new Set(lower),
    primary: [],
  };
  for (const source of sources) gather(source, gathered);
  const records = gathered.records.flat();
  const arms = new Set(records.map(({ arm }) => arm));
  const chosen = baseline ?? (arms.has(baselineArm) ? baselineArm : [...arms].sort()[0]);
  if (chosen === undefined || !arms.has(chosen)) {
    throw new LiftgateError(
      'usage',
      chosen === undefined ? 'There is no record.' : `No record is of the arm "${chosen}".`,
      {
        mend: `Name records${arms.size === 0 ? '' : `, or one of the arms ${[...arms].join(', ')}`}.`,
      },
    );
  }
  const { primary } = gathered;
  const scored = records.find(({ scores }) => Object.keys(scores).length > 0)?.scores ?? {};
  const quality = primary[0] ?? Object.keys(scored)[0] ?? null;
  return insightView({
    ...gathered,
    records,
    inputs: gathered.inputs.flat(),
    quality,
    baseline: chosen,
  });
}
