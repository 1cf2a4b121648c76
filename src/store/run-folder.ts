/** A run folder on disk: the journal grows durably while cells run, the other files are written at the end. */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Content } from '../base/content.ts';
import { LiftgateError } from '../base/errors.ts';
import { type DecisionDocument, parseDecision } from '../report/decision.ts';
import { parseSeal, type SealedExperiment } from '../spec/seal.ts';
import { type Bundle, parseBundle } from '../verify/bundle.ts';
import { type RunFiles, runFile, runFileNames } from '../verify/record.ts';
import { fileContent, withParts } from './long-files.ts';
import { makeFolder } from './places.ts';

export interface RunFolder {
  readonly path: string;
  /** Bytes of one file, or null when it does not exist. */
  read(name: string): Uint8Array | null;
  /** Writes a whole file durably: temporary file, fsync, rename, fsync of the folder. */
  write(name: string, bytes: Uint8Array | string): void;
  /** Opens a file that only grows; `keep` bytes of what is there stay. */
  openLog(name: string, keep: number): RunLog;
  /** Every file of the folder. */
  files(): RunFiles;
  /**
   * Keeps other processes of this machine out until the returned function is called; the lock of a dead process is taken over and
   * what it left half written is removed.
   * The ledger's fence protects the evidence; this protects people from starting the same run twice.
   */
  lock(): () => void;
}

/** Appends lines; a call resolves when its line is on disk. Lines that arrive together share one sync. */
export interface RunLog {
  append(line: string): Promise<void>;
  close(): Promise<void>;
}

const runNames: ReadonlySet<string> = new Set(Object.values(runFileNames));

function unreadable(path: string, cause: unknown): LiftgateError {
  const absent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  const message = absent
    ? 'There is no run folder here.'
    : `The run folder cannot be read: ${String(cause)}`;
  return new LiftgateError('run-invalid', message, {
    where: { file: path },
    mend: 'Name a folder that `liftgate run` wrote.',
    cause,
  });
}

/** Only a journal, and what is no file of a run, is read piece by piece: everything else is needed whole. */
function contentIn(path: string, name: string, size: number): Content {
  const whole = name !== runFileNames.journal && runNames.has(name);
  return whole ? readFileSync(path) : fileContent(path, size);
}

/**
 * All files of a folder by POSIX path; symbolic links and other odd entries are refused. A long journal is read when its bytes are
 * asked for.
 */
export function readRunFiles(path: string): RunFiles {
  const files = new Map<string, Content>();
  const visit = (folder: string, prefix: string): void => {
    for (const name of readdirSync(folder).sort()) {
      const full = join(folder, name);
      const stat = lstatSync(full);
      if (stat.isDirectory()) visit(full, `${prefix}${name}/`);
      else if (stat.isFile()) files.set(`${prefix}${name}`, contentIn(full, name, stat.size));
      else throw unreadable(full, 'it is neither a file nor a folder');
    }
  };
  try {
    visit(path, '');
  } catch (thrown) {
    throw thrown instanceof LiftgateError ? thrown : unreadable(path, thrown);
  }
  return files;
}

/** A run to be checked: its files, and the bundle they came in, which brings ledger and checkpoints along. */
export interface Evidence {
  readonly files: RunFiles;
  /** Null for a run folder. */
  readonly bundle: Bundle | null;
}

/**
 * A run folder, or a bundle file.
 * @throws {LiftgateError} run-invalid, ledger-damaged, ledger-unsafe, signature-invalid
 */
export function readEvidence(path: string): Evidence {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return { files: readRunFiles(path), bundle: null };
  const bundle = withParts(path, stat.size, (archive) => parseBundle(archive, path));
  return { files: bundle.run, bundle };
}

/**
 * Decision and final seal of a run folder or bundle.
 * @throws {LiftgateError} run-invalid, seal-invalid
 */
export function readDecision(path: string): {
  readonly document: DecisionDocument;
  readonly seal: SealedExperiment;
} {
  const { files } = readEvidence(path);
  return {
    document: parseDecision(runFile(files, runFileNames.decision), runFileNames.decision),
    seal: parseSeal(runFile(files, runFileNames.seal), runFileNames.seal),
  };
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

function writeDurably(folder: string, name: string, bytes: Uint8Array | string): void {
  const temporary = join(folder, `.tmp-${name}`);
  const file = openSync(temporary, 'w');
  writeFileSync(file, bytes);
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, join(folder, name));
  syncFolder(folder);
}

function openLogFile(path: string, keep: number): RunLog {
  const file = openSync(path, 'a');
  ftruncateSync(file, keep);
  let waiting: { line: string; resolve: () => void; reject: (cause: unknown) => void }[] = [];
  let failed: { readonly cause: unknown } | null = null;
  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      if (failed !== null) throw failed.cause;
      writeFileSync(file, batch.map(({ line }) => line).join(''));
      fdatasyncSync(file);
      for (const { resolve } of batch) resolve();
    } catch (cause) {
      // After a failed sync nobody knows which lines are on disk: the log takes no more.
      failed = { cause };
      for (const { reject } of batch) reject(cause);
    }
  };
  return {
    append: (line) =>
      new Promise((resolve, reject) => {
        waiting.push({ line, resolve, reject });
        if (waiting.length === 1) setImmediate(flush);
      }),
    close: () => {
      if (waiting.length > 0) flush();
      closeSync(file);
      return Promise.resolve();
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function takeLock(folder: string): () => void {
  const path = `${folder.replace(/\/+$/, '')}.lock`;
  for (let tries = 0; tries < 3; tries += 1) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: 'wx' });
      return () => rmSync(path, { force: true });
    } catch {
      const owner = existsSync(path) ? Number.parseInt(readFileSync(path, 'utf8'), 10) : 0;
      if (owner > 0 && isAlive(owner)) throw runningElsewhere(path, owner);
      rmSync(path, { force: true });
    }
  }
  throw runningElsewhere(path, 0);
}

function runningElsewhere(path: string, owner: number): LiftgateError {
  return new LiftgateError('ledger-busy', `Process ${owner} is running this experiment.`, {
    where: { file: path },
    mend: 'Wait for it to end; remove the lock file only if that process is not a Liftgate.',
  });
}

/** Removes what a killed process left half written; only under the lock, or the files of a living one would go. */
function clearTemporaryFiles(path: string): void {
  for (const name of readdirSync(path)) {
    if (name.startsWith('.tmp-')) rmSync(join(path, name), { force: true });
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
}

/**
 * Opens (and makes) a run folder.
 * @throws {LiftgateError} run-invalid  if the path cannot be a folder
 */
export function openRunFolder(path: string): RunFolder {
  try {
    makeFolder(path);
  } catch (cause) {
    throw new LiftgateError('run-invalid', `The run folder cannot be made (${codeOf(cause)}).`, {
      where: { file: path },
      mend: 'Name a folder with --out that is new or holds this run, where you may write.',
      cause,
    });
  }
  return {
    path,
    read: (name) => (existsSync(join(path, name)) ? readFileSync(join(path, name)) : null),
    write: (name, bytes) => writeDurably(path, name, bytes),
    openLog: (name, keep) => openLogFile(join(path, name), keep),
    files: () => readRunFiles(path),
    lock: () => {
      const unlock = takeLock(path);
      clearTemporaryFiles(path);
      return unlock;
    },
  };
}
