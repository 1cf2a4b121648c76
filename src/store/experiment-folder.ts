/**
 * The experiment folder: one experiment file and everything it names, read once into plain values.
 *
 * Nothing outside the folder is read but installed packages that the spec pins. A missing or unreadable file is a problem at the
 * place in the experiment file that names it; all problems come at once.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Admission, admitCases } from '../analysis/admission.ts';
import { LiftgateError, type Problem } from '../base/errors.ts';
import { capProblem } from '../run/budget.ts';
import { type CaseIndex, finalCases } from '../spec/case-index.ts';
import { contentFindings, fieldFindings } from '../spec/content-rules.ts';
import { formatPath } from '../spec/finding.ts';
import { readSpec, type SpecReading } from '../spec/parse.ts';
import { type Material, materialOf } from '../spec/seal.ts';
import { armIds, type ExperimentSpec } from '../spec/spec.ts';
import type { Case } from '../spec/units.ts';
import { readFingerprintSecret } from './fingerprint-secret.ts';
import { type FolderContent, FolderReader } from './folder-reader.ts';
import { isFile } from './named-files.ts';

/** An experiment file and everything it names. */
export interface ExperimentFiles extends FolderContent {
  /** Experiment file as the user named it. */
  readonly file: string;
  readonly spec: ExperimentSpec;
  /** The experiment file itself. */
  readonly specSource: Material;
}

/** What opening a folder gives: the files (absent when the spec has no valid shape) and every problem. */
export interface FolderReading {
  readonly files?: ExperimentFiles | undefined;
  readonly problems: readonly Problem[];
  readonly placeOf: SpecReading['placeOf'];
}

/** An experiment ready to be planned, sealed or run. */
export interface LoadedExperiment extends ExperimentFiles {
  readonly index: CaseIndex;
  /** Admitted cases of all splits in row order. */
  readonly cases: readonly Case[];
  /** Of `fingerprint.secret`; absent when the spec names none, or what it names is not there. */
  readonly secret?: Uint8Array | undefined;
}

export interface OpenOptions {
  /** `open` accepts that surface files of candidates do not exist yet, as before a search; default `bound`. */
  readonly candidates?: 'bound' | 'open' | undefined;
}

/** Name looked for in a folder. */
const defaultNames = ['experiment.yaml', 'experiment.yml', 'experiment.json'] as const;

function experimentFile(path: string): string {
  try {
    if (!statSync(path).isDirectory()) return path;
  } catch {
    throw unreadable(path);
  }
  for (const name of defaultNames) {
    if (isFile(path, name)) return join(path, name);
  }
  throw unreadable(join(path, defaultNames[0]));
}

function bytesOf(file: string): Uint8Array {
  try {
    return new Uint8Array(readFileSync(file));
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

function unreadable(path: string, cause?: unknown): LiftgateError {
  return new LiftgateError('file-unreadable', 'There is no experiment file here.', {
    where: { file: path },
    mend: 'Name an experiment file, or a folder that holds experiment.yaml.',
    cause,
  });
}

/**
 * Reads an experiment file and everything it names.
 * @param path  the experiment file, or its folder
 * @throws {LiftgateError} file-unreadable when there is no experiment file at all
 */
export async function openExperimentFolder(
  path: string,
  options: OpenOptions = {},
): Promise<FolderReading> {
  const file = experimentFile(path);
  const bytes = bytesOf(file);
  const reading = await readSpec(bytes, file);
  const { spec, placeOf } = reading;
  if (spec === undefined) return { problems: reading.problems, placeOf };
  const reader = new FolderReader(realpathSync.native(dirname(file)), dirname(file), placeOf);
  await reader.readAll(spec, options.candidates === 'open');
  const specSource = materialOf(basename(file), bytes);
  return {
    files: { file, spec, specSource, ...reader.content() },
    problems: [...reading.problems, ...reader.problems],
    placeOf,
  };
}

/**
 * Loads an experiment: reads the folder, admits the cases, applies every rule.
 *
 * @param path  the experiment file, or its folder
 * @throws {LiftgateError} spec-invalid with all `problems`; file-unreadable when there is no experiment file
 * @example (await loadExperiment('experiments/refund-desk')).spec.name // => 'refund-desk'
 */
export async function loadExperiment(
  path: string,
  options: OpenOptions = {},
): Promise<LoadedExperiment> {
  const { files, problems, placeOf } = await openExperimentFolder(path, options);
  if (files === undefined) throw invalid(path, problems);
  const secret = problems.length > 0 ? undefined : await readFingerprintSecret(files);
  const admission = admitCases(files.spec, files.rows, secret);
  const all = [...problems, ...contentProblems(files, admission, placeOf)];
  if (all.length > 0) throw invalid(files.file, all);
  return { ...files, index: admission.index, cases: admission.cases, secret };
}

function invalid(file: string, problems: readonly Problem[]): LiftgateError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new LiftgateError('spec-invalid', `The experiment has ${count}.`, {
    where: { file },
    mend: 'Mend what is listed, then run "liftgate check" again.',
    problems,
  });
}

/** Problems of rows and of rules that need to know them, each at its place. */
function contentProblems(
  files: ExperimentFiles,
  admission: Admission,
  placeOf: SpecReading['placeOf'],
): Problem[] {
  const { spec, rows } = files;
  const arms = armIds(spec).length;
  const cap = capProblem(spec, finalCases(admission.index).length * spec.repeats * arms);
  const budget = cap === null ? [] : [{ ...cap, where: placeOf(cap.where.path ?? '') }];
  if (rows.length === 0) return budget;
  const fields = fieldFindings(spec, rows);
  const unknown = new Set(fields.map(({ field }) => field));
  // A misspelt field is one problem, not one per row.
  const ofRows = admission.problems.filter(
    ({ code, where }) => code !== 'field-missing' || !unknown.has(where.path ?? ''),
  );
  const complete = unknown.size === 0 && ofRows.length === 0;
  const ofCases = complete ? contentFindings(spec, admission.index) : [];
  const located = [...fields, ...ofCases].map(({ code, path, at, message, mend }) => ({
    code,
    where: placeOf(formatPath(path), at),
    message,
    mend,
  }));
  return [...located, ...budget, ...ofRows];
}
