/**
 * Admission: rows as read become cases of units in splits, or are dropped by a named rule.
 *
 * Rules run in their declared order and before the split check; of several equal rows the first stays. Then every row gets its
 * split, by a field or by its unit's salted hash, and the identities are checked: nothing is repaired, every fault is a problem
 * with the file and line of its row.
 */
import { canonicalText, compareCodeUnits, type Json } from '../base/canonical.ts';
import { digestHex, digestOf, digestOfValue } from '../base/digest.ts';
import type { Place, Problem } from '../base/errors.ts';
import { type CaseIndex, caseIndexType } from '../spec/case-index.ts';
import type { ExperimentSpec } from '../spec/spec.ts';
import {
  type AdmissionRule,
  type Case,
  type CaseRow,
  normalizeText,
  type Split,
  type Splits,
  sketchOf,
  splitSchema,
} from '../spec/units.ts';
import { meets } from '../spec/words.ts';
import { identityProblems } from './identity.ts';

/** What admission makes of the rows. With problems the cases are incomplete and must not be used. */
export interface Admission {
  readonly index: CaseIndex;
  /** Admitted cases in row order. */
  readonly cases: readonly Case[];
  readonly problems: readonly Problem[];
}

/** A row and what admission has learnt about it. */
interface AdmittedRow {
  readonly source: CaseRow;
  readonly each: Case;
}

/**
 * Applies admission, splits and identity checks to all rows.
 *
 * @param rows    all rows of all case files, numbered from 1 in file order
 * @param secret  of the fingerprints, where the spec names one
 * @returns       the case index for the seal, the cases, and every problem of the rows (at most 20 of one kind, then a count)
 * @example admitCases(spec, [{ row: 1, file: 'a.jsonl', line: 1, fields: { id: 'c1', unit: 'u1', split: 'final' } }]).cases.length // => 1
 */
export function admitCases(
  spec: ExperimentSpec,
  rows: readonly CaseRow[],
  secret?: Uint8Array,
): Admission {
  const problems: Problem[] = [];
  const exclusions = excludedRows(spec.admission, rows, problems);
  const admitted: AdmittedRow[] = [];
  for (const source of rows) {
    if (exclusions.has(source.row)) continue;
    const each = caseOf(spec, source, problems);
    if (each !== null) admitted.push({ source, each });
  }
  problems.push(
    ...identityProblems(
      { generalization: spec.claim.generalization, ignore: spec.fingerprint.ignore },
      admitted,
    ),
  );
  return {
    index: indexOf(spec, { rows, exclusions, admitted, secret }),
    cases: admitted.map(({ each }) => each),
    problems: capped(problems),
  };
}

/**
 * Place of a row, with the field that is meant.
 * @example placeOfRow({ file: 'a.jsonl', line: 3 }, 'id') // => { file: 'a.jsonl', line: 3, column: 1, path: 'id' }
 */
export function placeOfRow(source: CaseRow, field?: string): Place {
  return { file: source.file, line: source.line, column: source.column ?? 1, path: field };
}

/** Rule by row number for every row that a rule drops. */
function excludedRows(
  rules: readonly AdmissionRule[],
  rows: readonly CaseRow[],
  problems: Problem[],
): Map<number, string> {
  const exclusions = new Map<number, string>();
  for (const rule of rules) {
    const seen = new Set<string>();
    for (const source of rows) {
      if (exclusions.has(source.row)) continue;
      if (drops(rule, source, { seen, problems })) exclusions.set(source.row, rule.id);
    }
  }
  return exclusions;
}

interface RuleState {
  readonly seen: Set<string>;
  readonly problems: Problem[];
}

function drops(rule: AdmissionRule, source: CaseRow, state: RuleState): boolean {
  if ('keep' in rule) return !meets(rule.keep, source.fields);
  const { field, normalize } = rule.unique;
  const value = fieldOf(source, field);
  if (value === undefined || value === null) {
    state.problems.push({
      code: 'field-missing',
      where: placeOfRow(source, field),
      message: `The row has no value in "${field}", which the admission rule "${rule.id}" compares.`,
      mend: `Give the row a value, or drop it with an earlier rule {keep: {field: ${field}, op: ne, value: null}}.`,
    });
    return false;
  }
  const key = canonicalText(typeof value === 'string' ? normalizeText(value, normalize) : value);
  if (state.seen.has(key)) return true;
  state.seen.add(key);
  return false;
}

function fieldOf(source: CaseRow, field: string): Json | undefined {
  return Object.hasOwn(source.fields, field) ? source.fields[field] : undefined;
}

function caseOf(spec: ExperimentSpec, source: CaseRow, problems: Problem[]): Case | null {
  const id = textField(source, spec.cases.id, { what: 'the case id', problems });
  const unit =
    spec.claim.unit === spec.cases.id
      ? id
      : textField(source, spec.claim.unit, { what: 'the unit', problems });
  if (id === null || unit === null) return null;
  const split = splitOf(spec.splits, unit, { source, problems });
  if (split === null) return null;
  const expected = pick(source, spec.cases.expected);
  return {
    id,
    unit,
    split,
    row: source.row,
    fields: source.fields,
    input: inputOf(spec, source),
    expected,
  };
}

function textField(
  source: CaseRow,
  field: string,
  { what, problems }: { readonly what: string; readonly problems: Problem[] },
): string | null {
  const value = fieldOf(source, field);
  if (typeof value === 'string') return value;
  const missing = value === undefined || value === null;
  problems.push({
    code: missing ? 'field-missing' : 'field-not-text',
    where: placeOfRow(source, field),
    message: missing
      ? `The row has no "${field}", which is ${what}.`
      : `"${field}" is ${what} and must be text, got ${canonicalText(value).slice(0, 60)}.`,
    mend: missing ? `Add "${field}" to the row.` : 'Write it in double quotes.',
  });
  return null;
}

function splitOf(
  splits: Splits,
  unit: string,
  { source, problems }: { readonly source: CaseRow; readonly problems: Problem[] },
): Split | null {
  if (splits.by === 'hash') return hashSplit(splits, unit);
  const value = fieldOf(source, splits.field);
  const parsed = splitSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  problems.push({
    code: value === undefined ? 'field-missing' : 'split-unknown',
    where: placeOfRow(source, splits.field),
    message:
      value === undefined
        ? `The row has no "${splits.field}", which is the split.`
        : `Expected the split train, selection or final in "${splits.field}", got ${canonicalText(value).slice(0, 60)}.`,
    mend: 'Write train (the optimizer reads it), selection (the optimizer chooses by it) or final (held back).',
  });
  return null;
}

/** 2^52: the fraction below has 52 bits, which a double holds exactly. */
const fractionScale = 4_503_599_627_370_496;

/**
 * Where a unit falls in [0, 1): the first 13 hex digits of sha256(salt LF unit) as a fraction.
 * @example unitFraction('salt', 'u1') < 1 // => true
 */
export function unitFraction(salt: string, unit: string): number {
  return Number.parseInt(digestHex(digestOf(`${salt}\n${unit}`)).slice(0, 13), 16) / fractionScale;
}

/** Shares are laid out from 0 in the order final, selection, train; the last share in use takes what rounding leaves. */
function hashSplit(splits: Splits & { by: 'hash' }, unit: string): Split {
  const fraction = unitFraction(splits.salt, unit);
  if (fraction < splits.final) return 'final';
  if (splits.train === 0) return splits.selection === 0 ? 'final' : 'selection';
  return fraction < splits.final + splits.selection ? 'selection' : 'train';
}

function pick(source: CaseRow, fields: readonly string[]): { [field: string]: Json } {
  const found = fields.filter((field) => fieldOf(source, field) !== undefined);
  return Object.fromEntries(found.map((field) => [field, fieldOf(source, field) ?? null]));
}

/** Fields shown to execute: those named, or all but id, unit, split and expected. */
function inputOf(spec: ExperimentSpec, source: CaseRow): { [field: string]: Json } {
  if (spec.cases.input !== undefined) return pick(source, spec.cases.input);
  const hidden = new Set([spec.cases.id, spec.claim.unit, ...spec.cases.expected]);
  if (spec.splits.by === 'field') hidden.add(spec.splits.field);
  return pick(
    source,
    Object.keys(source.fields).filter((field) => !hidden.has(field)),
  );
}

function indexOf(
  spec: ExperimentSpec,
  content: {
    readonly rows: readonly CaseRow[];
    readonly exclusions: ReadonlyMap<number, string>;
    readonly admitted: readonly AdmittedRow[];
    readonly secret: Uint8Array | undefined;
  },
): CaseIndex {
  const cases = new Map(content.admitted.map(({ each }) => [each.row, each]));
  const measures = Object.entries(spec.measures).sort(([a], [b]) => compareCodeUnits(a, b));
  const { secret } = content;
  const sketched =
    spec.gates.some((gate) => gate.gate === 'contamination' && gate.similarity !== undefined) &&
    // A sketch without its secret would tell what fingerprints with it do not.
    (secret !== undefined || spec.fingerprint.secret === undefined);
  const rows: CaseIndex['rows'] = [];
  for (const { row } of content.rows) {
    const excluded = content.exclusions.get(row);
    const each = cases.get(row);
    if (excluded !== undefined) rows.push({ row, excluded });
    else if (each !== undefined) {
      const { id, unit, split } = each;
      const applying = measures.filter(
        ([, { where }]) => where === undefined || meets(where, each.fields),
      );
      // In the order of its canonical text, which is written faster so.
      rows.push({
        applies: applying.map(([measure]) => measure),
        excluded: null,
        expectedDigest: digestOfValue(each.expected),
        id,
        inputDigest: digestOfValue(each.input),
        row,
        ...(sketched ? { sketch: sketchOf(each.input, spec.fingerprint.ignore, secret) } : {}),
        split,
        unit,
      });
    }
  }
  return { rows, rules: spec.admission.map((rule) => rule.id), type: caseIndexType };
}

/** Problems of one kind and field shown before the rest is only counted. */
const shownOfOneKind = 20;

function capped(problems: readonly Problem[]): Problem[] {
  const kinds = new Map<string, Problem[]>();
  for (const problem of problems) {
    const kind = `${problem.code} ${problem.where.path ?? ''}`;
    const known = kinds.get(kind) ?? [];
    known.push(problem);
    kinds.set(kind, known);
  }
  return [...kinds.values()].flatMap((kind) => {
    const shown = kind.slice(0, shownOfOneKind);
    const next = kind[shownOfOneKind];
    if (next === undefined) return shown;
    const message = `${kind.length - shownOfOneKind} further rows from here on have the same problem.`;
    return [...shown, { ...next, message, mend: 'Mend those shown, then check again.' }];
  });
}
