/**
 * The experiment folder: one experiment file and everything it names, read once into plain values.
 *
 * Nothing outside the folder is read but installed packages that the spec pins. A missing or unreadable file is a problem at the
 * place in the experiment file that names it; all problems come at once.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Admission, admitCases } from '../analysis/admission.ts';
import { LiftgateError, type Problem } from '../base/errors.ts';
import { capProblem } from '../run/budget.ts';
import { type CaseIndex, finalCases } from '../spec/case-index.ts';
import { readCaseRows } from '../spec/case-rows.ts';
import { contentFindings } from '../spec/content-rules.ts';
import { formatPath, type SpecPath } from '../spec/finding.ts';
import { readSpec, type SpecReading } from '../spec/parse.ts';
import { type Material, materialOf } from '../spec/seal.ts';
import { candidateIds, type ExperimentSpec } from '../spec/spec.ts';
import type { Case, CaseFile, CaseRow } from '../spec/units.ts';
import { type InstalledPackage, readInstalledPackage } from './installed-package.ts';
import { type FileReading, isFile, type NamedFile, readNamedFile } from './named-files.ts';

/** Everything an experiment names, as bytes and digests. */
export interface ExperimentFiles {
  /** Real path of the folder; never recorded. */
  readonly folder: string;
  /** Experiment file as the user named it. */
  readonly file: string;
  readonly spec: ExperimentSpec;
  /** The experiment file itself. */
  readonly specSource: Material;
  /** Rows of all case files in order. */
  readonly rows: readonly CaseRow[];
  /** Named files by recorded path: surfaces, case files, host files, surfaces of controls. */
  readonly materialsByPath: ReadonlyMap<string, NamedFile>;
  /** Recorded paths of the case files in order. */
  readonly caseFiles: readonly string[];
  /** Paths of the host's files: words of its command that name files, its module, `host.files`; sorted as declared, without doubles. */
  readonly hostFiles: readonly string[];
  /** Words of the command that name no file, such as `node`. */
  readonly hostPrograms: readonly string[];
  /** Installed packages by pin. */
  readonly packages: ReadonlyMap<string, InstalledPackage>;
  /** Candidates with a surface file that does not exist yet; empty unless candidates may be open. */
  readonly unbound: readonly string[];
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
}

export interface OpenOptions {
  /** `open` accepts that surface files of candidates do not exist yet, as before a search; default `bound`. */
  readonly candidates?: 'bound' | 'open' | undefined;
}

/** Name looked for in a folder. */
const defaultNames = ['experiment.yaml', 'experiment.yml', 'experiment.json'] as const;

async function experimentFile(path: string): Promise<string> {
  try {
    if (!(await stat(path)).isDirectory()) return path;
  } catch {
    throw unreadable(path);
  }
  for (const name of defaultNames) {
    if (await isFile(path, name)) return join(path, name);
  }
  throw unreadable(join(path, defaultNames[0]));
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
  const file = await experimentFile(path);
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  const reading = await readSpec(new Uint8Array(bytes), file);
  const { spec, placeOf } = reading;
  if (spec === undefined) return { problems: reading.problems, placeOf };
  const reader = new FolderReader(await realpath(dirname(file)), dirname(file), placeOf);
  await reader.readAll(spec, options.candidates === 'open');
  const specSource = materialOf(basename(file), new Uint8Array(bytes));
  return {
    files: { file, spec, specSource, ...reader.result() },
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
  const admission = admitCases(files.spec, files.rows);
  const all = [...problems, ...contentProblems(files, admission, placeOf)];
  if (all.length > 0) throw invalid(files.file, all);
  return { ...files, index: admission.index, cases: admission.cases };
}

function invalid(file: string, problems: readonly Problem[]): LiftgateError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new LiftgateError('spec-invalid', `The experiment has ${count}.`, {
    where: { file },
    mend: 'Mend what is listed, then run "liftgate check" again.',
    problems,
  });
}

/** Problems of rows, and of rules that need to know the rows; the latter only where all rows could be read. */
function contentProblems(
  files: ExperimentFiles,
  admission: Admission,
  placeOf: SpecReading['placeOf'],
): Problem[] {
  if (files.rows.length === 0 || admission.problems.length > 0) return [...admission.problems];
  const { spec, rows } = files;
  const findings = contentFindings(spec, { index: admission.index, rows });
  const located = findings.map(({ code, path, at, message, mend }) => ({
    code,
    where: placeOf(formatPath(path), at),
    message,
    mend,
  }));
  const arms = candidateIds(spec).length + 1;
  const cap = capProblem(spec, finalCases(admission.index).length * spec.repeats * arms);
  const budget = cap === null ? [] : [{ ...cap, where: placeOf(cap.where.path ?? '') }];
  return [...located, ...budget];
}

/**
 * Path under which a case file is recorded: as named, or `package:name@version/path` for a file of an installed package.
 * @example caseFilePath({ package: 'sentiment@5.0.2', path: 'test/fixtures/yelp.json' }) // => 'package:sentiment@5.0.2/test/fixtures/yelp.json'
 */
export function caseFilePath(file: CaseFile): string {
  return file.package === undefined ? file.path : `package:${file.package}/${file.path}`;
}

const scriptPattern = /\.(?:[cm]?[jt]s|py|sh|rb|pl)$/;

class FolderReader {
  readonly problems: Problem[] = [];
  private readonly folder: string;
  private readonly shown: string;
  private readonly placeOf: SpecReading['placeOf'];
  private readonly files = new Map<string, NamedFile>();
  private readonly readings = new Map<string, FileReading>();
  private readonly packages = new Map<string, InstalledPackage>();
  private readonly rows: CaseRow[] = [];
  private readonly caseFiles: string[] = [];
  private readonly hostFiles = new Set<string>();
  private readonly hostPrograms: string[] = [];
  private readonly unbound = new Set<string>();

  /** @param folder  real path; @param shown  the folder as the user named it */
  constructor(folder: string, shown: string, placeOf: SpecReading['placeOf']) {
    this.folder = folder;
    this.shown = shown;
    this.placeOf = placeOf;
  }

  async readAll(spec: ExperimentSpec, open: boolean): Promise<void> {
    for (const [index, file] of spec.cases.files.entries()) {
      await this.caseFile(file, ['cases', 'files', index]);
    }
    await this.arm(spec.arms.baseline, ['arms', 'baseline']);
    for (const [id, arm] of Object.entries(spec.arms.candidates)) {
      await this.arm(arm, ['arms', 'candidates', id], open ? id : undefined);
    }
    for (const [index, control] of spec.controls.entries()) {
      if ('surface' in control) await this.surface(control.surface, ['controls', index, 'surface']);
    }
    await this.host(spec.host);
  }

  result(): Omit<ExperimentFiles, 'file' | 'spec' | 'specSource'> {
    return {
      folder: this.folder,
      rows: this.rows,
      materialsByPath: this.files,
      caseFiles: this.caseFiles,
      hostFiles: [...this.hostFiles],
      hostPrograms: this.hostPrograms,
      packages: this.packages,
      unbound: [...this.unbound],
    };
  }

  private refuse(fault: Pick<Problem, 'code' | 'message' | 'mend'>, path: SpecPath): void {
    this.problems.push({ ...fault, where: this.placeOf(formatPath(path)) });
  }

  /** Reads a file of the folder once, whoever names it. */
  private async read(path: string): Promise<FileReading> {
    const known = this.readings.get(path) ?? (await readNamedFile(this.folder, path));
    this.readings.set(path, known);
    if (known.status === 'read') this.files.set(path, known.file);
    return known;
  }

  private async named(path: string, at: SpecPath): Promise<NamedFile | null> {
    const reading = await this.read(path);
    if (reading.status === 'read') return reading.file;
    this.refuse(reading.fault, at);
    return null;
  }

  private async caseFile(file: CaseFile, at: SpecPath): Promise<void> {
    const recorded = caseFilePath(file);
    const found =
      file.package === undefined
        ? await this.named(file.path, [...at, 'path'])
        : await this.packageFile(file.package, { path: file.path, recorded, at });
    if (found === null) return;
    this.caseFiles.push(recorded);
    const shown = file.package === undefined ? join(this.shown, file.path) : recorded;
    const firstRow = this.rows.length + 1;
    const { rows, problems } = readCaseRows(found.bytes, { file: shown, firstRow, set: file.set });
    this.problems.push(...problems);
    for (const row of rows) this.rows.push(row);
  }

  private async packageFile(
    pin: string,
    {
      path,
      recorded,
      at,
    }: { readonly path: string; readonly recorded: string; readonly at: SpecPath },
  ): Promise<NamedFile | null> {
    const installed = await this.installed(pin, [...at, 'package']);
    if (installed === null) return null;
    const reading = await readNamedFile(installed.folder, path, recorded);
    if (reading.status === 'refused') {
      this.refuse(reading.fault, [...at, 'path']);
      return null;
    }
    this.files.set(recorded, reading.file);
    return reading.file;
  }

  private async installed(pin: string, at: SpecPath): Promise<InstalledPackage | null> {
    const known = this.packages.get(pin);
    if (known !== undefined) return known;
    const reading = await readInstalledPackage(this.folder, pin);
    if (reading.status === 'refused') {
      this.refuse(reading.fault, at);
      return null;
    }
    this.packages.set(pin, reading.installed);
    return reading.installed;
  }

  private async arm(
    arm: ExperimentSpec['arms']['baseline'],
    at: SpecPath,
    open?: string,
  ): Promise<void> {
    await this.surface(arm.surface, [...at, 'surface'], open);
    for (const [index, pin] of (arm.pins?.packages ?? []).entries()) {
      await this.installed(pin, [...at, 'pins', 'packages', index]);
    }
  }

  /** @param open  id of a candidate whose files may not exist yet */
  private async surface(
    surface: Readonly<Record<string, string>>,
    at: SpecPath,
    open?: string,
  ): Promise<void> {
    for (const [component, path] of Object.entries(surface)) {
      const reading = await this.read(path);
      if (reading.status === 'read') continue;
      if (open !== undefined && reading.absent) this.unbound.add(open);
      else this.refuse(reading.fault, [...at, component]);
    }
  }

  private async host(host: ExperimentSpec['host']): Promise<void> {
    if ('worker' in host) {
      for (const [index, word] of host.worker.entries()) {
        await this.commandWord(word, ['host', 'worker', index]);
      }
    } else if ((await this.named(host.module, ['host', 'module'])) !== null) {
      this.hostFiles.add(host.module);
    }
    for (const [index, path] of host.files.entries()) {
      const file = await this.named(path, ['host', 'files', index]);
      if (file !== null) this.hostFiles.add(path);
    }
    for (const [index, pin] of host.packages.entries()) {
      await this.installed(pin, ['host', 'packages', index]);
    }
  }

  /** A word of the command that names a file of the folder is sealed; one that looks like a script must. */
  private async commandWord(word: string, at: SpecPath): Promise<void> {
    const inside = !/^(?:\/|-|[A-Za-z]:)|\\|(?:^|\/)\.\.(?:\/|$)/.test(word);
    const path = word.replace(/^(?:\.\/)+/, '');
    if (inside && (scriptPattern.test(path) || (await isFile(this.folder, path)))) {
      if ((await this.named(path, at)) !== null) this.hostFiles.add(path);
    } else if (scriptPattern.test(word)) {
      this.refuse(
        {
          code: 'file-outside-folder',
          message: `The command's file "${word}" does not lie in the experiment folder.`,
          mend: 'Copy it into the folder and name it by its relative path, so that it can be sealed.',
        },
        at,
      );
    } else this.hostPrograms.push(word);
  }
}
