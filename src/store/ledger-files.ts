/** File operations a ledger folder needs, one durable step each, so that tests can make any of them fail. */
import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from './places.ts';
import { freshFence } from './randomness.ts';

/** A file that did not exist before. `sync` returns when its bytes are on the disk. */
export interface NewFile {
  write(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** What lies under a name; symbolic links are never followed. */
export type FileType = 'file' | 'folder' | 'other' | 'missing';

/** The file system as the ledger uses it; failures keep their Node error code. */
export interface LedgerFiles {
  typeOf(path: string): Promise<FileType>;
  /** Makes a folder and those above it; one that exists is no error. */
  makeFolder(path: string): Promise<void>;
  list(folder: string): Promise<readonly string[]>;
  /** Bytes of a regular file of at most `limit` bytes; refuses a symbolic link with code ELOOP and more bytes with EFBIG. */
  read(path: string, limit: number): Promise<Uint8Array>;
  /** Creates a file; fails with EEXIST when the name is taken. */
  create(path: string): Promise<NewFile>;
  /** Second name for a file; fails with EEXIST when the name is taken. */
  link(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Returns when an existing file is on the disk. */
  syncFile(path: string): Promise<void>;
  /** Returns when the names in a folder are on the disk. */
  syncFolder(path: string): Promise<void>;
}

/** Node's error code of a failure, such as EEXIST; empty when it has none. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

const onWindows = process.platform === 'win32';

/** Opens for reading; a symbolic link fails with ELOOP where the system knows the flag. */
const readUnfollowed = constants.O_RDONLY | (onWindows ? 0 : constants.O_NOFOLLOW);

/** A step of microseconds, done at once; only what waits for the disk goes on beside other work. */
function atOnce<Result>(step: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(step()));
}

function typeOf(path: string): Promise<FileType> {
  return atOnce(() => {
    try {
      const found = lstatSync(path);
      if (found.isFile()) return 'file';
      return found.isDirectory() ? 'folder' : 'other';
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT') return 'missing';
      throw error;
    }
  });
}

/** Files up to this size are read at once, larger ones while other work goes on; in bytes. */
const readAtOnce = 4_194_304;

async function read(path: string, limit: number): Promise<Uint8Array> {
  const file = openSync(path, readUnfollowed);
  try {
    const { size } = fstatSync(file);
    if (size > limit) {
      throw Object.assign(new Error(`${path} has ${size} bytes, more than ${limit}`), {
        code: 'EFBIG',
      });
    }
    if (size <= readAtOnce) return new Uint8Array(readFileSync(file));
  } finally {
    closeSync(file);
  }
  return await readLarge(path);
}

async function readLarge(path: string): Promise<Uint8Array> {
  const file = await open(path, readUnfollowed);
  try {
    return new Uint8Array(await file.readFile());
  } finally {
    await file.close();
  }
}

const syncDescriptor = promisify(fsync);

function create(path: string): Promise<NewFile> {
  return atOnce(() => {
    const file = openSync(path, 'wx', 0o644);
    return {
      write: (bytes) => atOnce(() => writeFileSync(file, bytes)),
      sync: () => syncDescriptor(file),
      close: () => atOnce(() => closeSync(file)),
    };
  });
}

async function sync(path: string, flags: number): Promise<void> {
  const file = openSync(path, flags);
  try {
    await syncDescriptor(file);
  } finally {
    closeSync(file);
  }
}

/** The real file system. */
export const nodeFiles: LedgerFiles = {
  typeOf,
  makeFolder: (path) =>
    atOnce(() => {
      makeFolder(path);
    }),
  list: (folder) => atOnce(() => readdirSync(folder)),
  read,
  create,
  link: (from, to) => atOnce(() => linkSync(from, to)),
  remove: (path) => atOnce(() => unlinkSync(path)),
  syncFile: (path) => sync(path, onWindows ? constants.O_RDWR : readUnfollowed),
  // NTFS writes names with its own journal and has no fsync of a folder.
  syncFolder: async (path) => {
    if (!onWindows) await sync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  },
};

/** A durable file under a name of its own in a folder, to be linked or renamed to its place; returns its path. */
export async function writeDraft(
  files: LedgerFiles,
  folder: string,
  bytes: Uint8Array,
): Promise<string> {
  await files.makeFolder(folder);
  const draft = join(folder, `.tmp-${process.pid}-${freshFence()}`);
  const file = await files.create(draft);
  try {
    await file.write(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

/** Temporary files of writers that may still be at work are younger than this, in ms: a day. */
const abandonedAfterMs = 86_400_000;

/** What `tidyLedger` did, paths relative to the ledger's folder. */
export interface Tidied {
  /** Files of nobody, moved to `quarantine/`; with where each was. */
  readonly moved: readonly { readonly from: string; readonly to: string }[];
  /** Temporary files of writers that ended long ago. */
  readonly removed: readonly string[];
}

/**
 * Moves what lies between entries and objects without being one into `quarantine/`, and removes temporary files older than a day.
 * Whatever bears the name of an entry or an object is never touched, whatever it holds.
 * @param now  ms since 1970
 */
export function tidyLedger(root: string, now: number): Tidied {
  const moved: { from: string; to: string }[] = [];
  const removed: string[] = [];
  for (const [folder, own] of [
    ['log', /^\d{8}\.json$/],
    ['objects', /^[0-9a-f]{64}$/],
  ] as const) {
    if (lstatSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    for (const name of readdirSync(join(root, folder)).sort()) {
      const from = `${folder}/${name}`;
      if (own.test(name)) continue;
      if (!name.startsWith('.tmp-')) moved.push({ from, to: quarantined(root, from) });
      else if (now - lstatSync(join(root, from)).mtimeMs > abandonedAfterMs) {
        unlinkSync(join(root, from));
        removed.push(from);
      }
    }
  }
  return { moved, removed };
}

/** Moves a file under a name that is free; returns it. */
function quarantined(root: string, from: string): string {
  makeFolder(join(root, 'quarantine'));
  for (let copy = 0; ; copy += 1) {
    const to = `quarantine/${from.replace('/', '-')}${copy === 0 ? '' : `.${copy}`}`;
    if (lstatSync(join(root, to), { throwIfNoEntry: false }) !== undefined) continue;
    renameSync(join(root, from), join(root, to));
    return to;
  }
}
