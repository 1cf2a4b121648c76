/**
 * Records for the insight report, from anywhere: one JSON object per line.
 *
 *   {"case": "m1", "arm": "r2", "unit": "family-1", "repeat": 0, "rater": "ann", "outcome": "completed", "scores": {"right": 1},
 *    "usd": 0.002, "ms": 1200, "strata": {"language": "de"}, "split": "final", "input": "sha256:..."}
 *
 * Only `case` and `arm` must be there. Several raters of one cell write a line each, with the same case, arm and repeat.
 */

import { LiftgateError, type Problem } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import * as z from '../base/shape.ts';
import { readJson } from '../base/strict-json.ts';
import type { InsightInput, InsightRecord } from '../report/insight-facts.ts';
import type { EvidenceLine } from '../run/measured-line.ts';
import { type CaseIndex, indexedCases } from '../spec/case-index.ts';

const name = z.string().min(1).max(256);

export const insightRecordSchema = z.strictObject({
  case: name,
  arm: name,
  unit: name.optional(),
  repeat: z.int().min(0).default(0),
  rater: name.nullable().default(null),
  outcome: name.default('completed'),
  scores: z.record(name, z.number().nullable()).default({}),
  usd: z.number().min(0).nullable().default(null),
  ms: z.number().min(0).nullable().default(null),
  strata: z.record(name, z.string()).default({}),
  split: name.nullable().default(null),
  input: name.nullable().default(null),
});

/**
 * Reads a file of records.
 * @throws {LiftgateError} receipt-invalid with every problem as file:line
 */
export function parseInsightRecords(text: string, file: string): InsightRecord[] {
  const problems: Problem[] = [];
  const records = text.split('\n').flatMap((row, at) => {
    if (row.trim() === '') return [];
    const read = readRecord(row, { file, line: at + 1 });
    if ('record' in read) return [read.record];
    problems.push(read.problem);
    return [];
  });
  if (problems.length === 0) return records;
  throw new LiftgateError('receipt-invalid', `The records have ${problems.length} problems.`, {
    where: { file },
    mend: 'Mend the lines that are listed.',
    problems,
  });
}

type Read = { readonly record: InsightRecord } | { readonly problem: Problem };

function readRecord(row: string, place: { readonly file: string; readonly line: number }): Read {
  const problem = (message: string, where: object = {}): Read => ({
    problem: {
      code: 'receipt-invalid',
      where: { ...place, ...where },
      message,
      mend: 'Write {"case", "arm"} with any of unit, repeat, rater, outcome, scores, usd, ms, strata, split and input.',
    },
  });
  let value: unknown;
  try {
    value = readJson(row, { ...place, firstLine: place.line, errorCode: 'receipt-invalid' });
  } catch (thrown) {
    if (!(thrown instanceof LiftgateError) || thrown.code !== 'receipt-invalid') throw thrown;
    return problem(thrown.message, thrown.where);
  }
  const parsed = insightRecordSchema.safeParse(value);
  if (parsed.success) {
    return { record: { ...parsed.data, unit: parsed.data.unit ?? parsed.data.case } };
  }
  const [issue] = parsed.error.issues;
  return problem(`The line is no record: ${issue?.message ?? ''}.`, {
    column: 1,
    path: issue?.path.join('.'),
  });
}

/** Records of a run's receipts: the last attempt of every cell. Inputs are the digests of the case index. */
export function recordsOfRun(lines: Rows<EvidenceLine>, index: CaseIndex): InsightRecord[] {
  const cases = indexedCases(index);
  const last = new Map<string, EvidenceLine>();
  for (const line of lines) {
    const { case: caseId, arm, repeat } = line.cell;
    const key = `${arm}\n${repeat}\n${caseId}`;
    const known = last.get(key);
    if (known === undefined || known.receipt.attempt <= line.receipt.attempt) last.set(key, line);
  }
  return [...last.values()].map(({ cell, receipt }) => {
    const { usage, timing, outcome, scores } = receipt;
    const found = cases.get(cell.case);
    return {
      case: cell.case,
      arm: cell.arm,
      unit: cell.unit,
      repeat: cell.repeat,
      rater: null,
      outcome,
      scores,
      usd: usage.costKnown ? usage.costUsd : null,
      ms: timing.activeMs,
      strata: {},
      split: found?.split ?? null,
      input: found?.inputDigest ?? null,
    };
  });
}

/** Inputs of all admitted cases of an index, so that those of development can be held against the final ones. */
export function inputsOf(index: CaseIndex): InsightInput[] {
  return [...indexedCases(index).values()].map((each) => ({
    case: each.id,
    split: each.split,
    input: each.inputDigest,
  }));
}
