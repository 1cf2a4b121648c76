/** Reads what an experiment file names: case files, surfaces, host files, installed packages; every fault at its place in the file. */
import { join } from 'node:path';
import { LiftgateError, type Problem } from '../base/errors.ts';
import { decodeUtf8 } from '../base/strict-json.ts';
import { readCaseRows } from '../spec/case-rows.ts';
import { readAudit } from '../spec/evaluator-audit.ts';
import { formatPath, type SpecPath } from '../spec/finding.ts';
import type { GateOf } from '../spec/gates.ts';
import type { SpecReading } from '../spec/parse.ts';
import type { ExperimentSpec } from '../spec/spec.ts';
import type { CaseFile, CaseRow } from '../spec/units.ts';
import { type InstalledPackage, readInstalledPackage } from './installed-package.ts';
import { type FileReading, isFile, type NamedFile, readNamedFile } from './named-files.ts';

/** Everything an experiment file names, as bytes and digests. */
export interface FolderContent {
  /** Real path of the folder; never recorded. */
  readonly folder: string;
  /** Rows of all case files in order. */
  readonly rows: readonly CaseRow[];
  /** Named files by recorded path: surfaces, case files, host files, surfaces of controls. */
  readonly materialsByPath: ReadonlyMap<string, NamedFile>;
  /** Recorded paths of the case files in order. */
  readonly caseFiles: readonly string[];
  /** Paths of the host's files: words of its command that name files, its module, `host.files`; in declared order, without doubles. */
  readonly hostFiles: readonly string[];
  /** The program of the command when it is no file of the folder, such as `node`. */
  readonly hostPrograms: readonly string[];
  /** Installed packages by pin. */
  readonly packages: ReadonlyMap<string, InstalledPackage>;
  /** Candidates with a surface file that does not exist yet; empty unless candidates may be open. */
  readonly unbound: readonly string[];
}

/**
 * Path under which a case file is recorded: as named, or `package:name@version/path` for a file of an installed package.
 * @example caseFilePath({ package: 'sentiment@5.0.2', path: 'test/fixtures/yelp.json' }) // => 'package:sentiment@5.0.2/test/fixtures/yelp.json'
 */
export function caseFilePath(file: CaseFile): string {
  return file.package === undefined ? file.path : `package:${file.package}/${file.path}`;
}

function isText(bytes: Uint8Array): boolean {
  try {
    decodeUtf8(bytes);
    return true;
  } catch (error) {
    if (error instanceof LiftgateError) return false;
    throw error;
  }
}

const scriptPattern = /\.(?:[cm]?[jt]s|py|sh|rb|pl)$/;

/** Reads one experiment folder; `problems` grows while `readAll` works, `content` is complete after it. */
export class FolderReader {
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
    if (spec.arms.placebo !== undefined) await this.arm(spec.arms.placebo, ['arms', 'placebo']);
    for (const [id, arm] of Object.entries(spec.arms.candidates)) {
      await this.arm(arm, ['arms', 'candidates', id], open ? id : undefined);
    }
    for (const [index, control] of spec.controls.entries()) {
      if ('surface' in control) this.surface(control.surface, ['controls', index, 'surface']);
    }
    await this.host(spec.host);
    for (const [index, gate] of spec.gates.entries()) {
      if (gate.gate === 'evaluator') this.audit(gate.audit, ['gates', index, 'audit']);
      if (gate.gate === 'custom') this.gateCode(gate, ['gates', index]);
    }
  }

  private audit(path: string, at: SpecPath): void {
    const file = this.named(path, at);
    const reading = file === null ? null : readAudit(file.bytes);
    if (reading?.status !== 'invalid') return;
    const fault = {
      code: 'audit-invalid',
      message: `The audit ${path} does not have the form liftgate/evaluator-audit/v1: ${reading.reason}.`,
      mend: 'Write {type, evaluator, measure, falseAcceptances: {count, of}, falseRejections: {count, of}}, as docs/gates-and-findings.md shows.',
    } as const;
    this.refuse(fault, at);
  }

  private gateCode({ module, files = [] }: GateOf<'custom'>, at: SpecPath): void {
    this.code(module, [...at, 'module']);
    for (const [index, path] of files.entries()) this.code(path, [...at, 'files', index]);
  }

  /** Code is recorded as text, so its bytes must be those of one. */
  private code(path: string, at: SpecPath): void {
    const file = this.named(path, at);
    if (file === null || isText(file.bytes)) return;
    const message = `The code of a gate is recorded as text, and ${path} is not plain UTF-8.`;
    const mend = 'Save it as UTF-8 without a byte order mark.';
    this.refuse({ code: 'gate-module-invalid', message, mend }, at);
  }

  content(): FolderContent {
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
  private read(path: string): FileReading {
    const known = this.readings.get(path) ?? readNamedFile(this.folder, path);
    this.readings.set(path, known);
    if (known.status === 'read') this.files.set(path, known.file);
    return known;
  }

  private named(path: string, at: SpecPath): NamedFile | null {
    const reading = this.read(path);
    if (reading.status === 'read') return reading.file;
    this.refuse(reading.fault, at);
    return null;
  }

  private async caseFile(file: CaseFile, at: SpecPath): Promise<void> {
    const recorded = caseFilePath(file);
    const found =
      file.package === undefined
        ? this.named(file.path, [...at, 'path'])
        : await this.packageFile(file.package, { path: file.path, recorded, at });
    if (found === null) return;
    this.caseFiles.push(recorded);
    const shown = file.package === undefined ? join(this.shown, file.path) : recorded;
    const firstRow = this.rows.length + 1;
    const { rows, problems } = readCaseRows(found.bytes, { file: shown, firstRow, set: file.set });
    for (const problem of problems) this.problems.push(problem);
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
    const reading = readNamedFile(installed.folder, path, recorded);
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
    this.surface(arm.surface, [...at, 'surface'], open);
    for (const [index, pin] of (arm.pins?.packages ?? []).entries()) {
      await this.installed(pin, [...at, 'pins', 'packages', index]);
    }
  }

  /** @param open  id of a candidate whose files may not exist yet */
  private surface(surface: Readonly<Record<string, string>>, at: SpecPath, open?: string): void {
    for (const [component, path] of Object.entries(surface)) {
      const reading = this.read(path);
      if (reading.status === 'read') continue;
      if (open !== undefined && reading.absent) this.unbound.add(open);
      else this.refuse(reading.fault, [...at, component]);
    }
  }

  private async host(host: ExperimentSpec['host']): Promise<void> {
    if ('worker' in host) {
      for (const [index, word] of host.worker.entries()) {
        this.commandWord(word, ['host', 'worker', index]);
      }
    } else if (this.named(host.module, ['host', 'module']) !== null) {
      this.hostFiles.add(host.module);
    }
    for (const [index, path] of host.files.entries()) {
      const file = this.named(path, ['host', 'files', index]);
      if (file !== null) this.hostFiles.add(path);
    }
    for (const [index, pin] of host.packages.entries()) {
      await this.installed(pin, ['host', 'packages', index]);
    }
  }

  /** A word of the command that names a file of the folder is sealed; one that looks like a script must. */
  private commandWord(word: string, at: SpecPath): void {
    const inside = !/^(?:\/|-|[A-Za-z]:)|\\|(?:^|\/)\.\.(?:\/|$)/.test(word);
    const path = word.replace(/^(?:\.\/)+/, '');
    if (inside && (scriptPattern.test(path) || isFile(this.folder, path))) {
      if (this.named(path, at) !== null) this.hostFiles.add(path);
    } else if (scriptPattern.test(word)) {
      this.refuse(
        {
          code: 'file-outside-folder',
          message: `The command's file "${word}" does not lie in the experiment folder.`,
          mend: 'Copy it into the folder and name it by its relative path, so that it can be sealed.',
        },
        at,
      );
    } else if (at.at(-1) === 0) this.hostPrograms.push(word);
  }
}
