/** File operations a ledger folder needs, one durable step each, so that tests can make any of them fail. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { link, mkdir, open, readdir, unlink } from 'node:fs/promises';

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

/** A name is looked at at once: handing a look of microseconds to another thread takes longer than the look. */
function typeOf(path: string): Promise<FileType> {
  try {
    const found = lstatSync(path);
    if (found.isFile()) return Promise.resolve('file');
    return Promise.resolve(found.isDirectory() ? 'folder' : 'other');
  } catch (error) {
    return errorCodeOf(error) === 'ENOENT' ? Promise.resolve('missing') : Promise.reject(error);
  }
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

async function create(path: string): Promise<NewFile> {
  const file = await open(path, 'wx', 0o644);
  return {
    write: (bytes) => file.writeFile(bytes),
    sync: () => file.sync(),
    close: () => file.close(),
  };
}

async function sync(path: string, flags: number): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The real file system. */
export const nodeFiles: LedgerFiles = {
  typeOf,
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true });
  },
  list: (folder) => readdir(folder),
  read,
  create,
  link,
  remove: unlink,
  syncFile: (path) => sync(path, onWindows ? constants.O_RDWR : readUnfollowed),
  // NTFS writes names with its own journal and has no fsync of a folder.
  syncFolder: async (path) => {
    if (!onWindows) await sync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  },
};
