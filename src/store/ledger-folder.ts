/**
 * A ledger in a folder: `log/00000000.json …` and `objects/<64 hex digits>`, every file written once.
 *
 *     create .tmp-* (must be new) - write - fsync - close - link to its name - remove .tmp-* - fsync the folder
 *
 * `link` fails when the name is taken: that is the compare-and-swap. A crash leaves the entry there as a whole or not at all, and
 * perhaps a `.tmp-*` file that nobody reads. A failed fsync is never repeated: the kernel may have dropped the pages and report
 * success the second time, so the store refuses all further work until it is opened again.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Digest, digestHex, digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { entryFileName, maximumEntryBytes } from '../ledger/entry.ts';
import {
  type Ledger,
  type LedgerPorts,
  type LedgerStore,
  openLedgerStore,
} from '../ledger/ledger.ts';
import { ledgerAttributes } from './git-attributes.ts';
import { errorCodeOf, type FileType, type LedgerFiles, nodeFiles } from './ledger-files.ts';
import { postgresStore } from './ledger-postgres.ts';
import { isPostgresUrl } from './postgres-place.ts';

/** Largest object read back, in bytes. */
export const maximumObjectBytes = 1_073_741_824;

const temporaryPrefix = '.tmp-';

function damaged(message: string, file: string, invariant: string): LiftgateError {
  return new LiftgateError('ledger-damaged', message, {
    where: { file },
    mend: 'Restore the ledger folder from version control or a copy; move files that do not belong there elsewhere.',
    details: { invariant },
  });
}

const linkUnsupported = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

class FolderStore implements LedgerStore {
  private readonly root: string;
  private readonly log: string;
  private readonly objects: string;
  private readonly files: LedgerFiles;
  private poisoned = false;
  private foldersDurable = false;

  constructor(root: string, files: LedgerFiles) {
    this.root = resolve(root);
    this.log = join(this.root, 'log');
    this.objects = join(this.root, 'objects');
    this.files = files;
  }

  listEntries(known = 0): Promise<number> {
    return this.guarded(this.log, async () => {
      if (known > 0 && (await this.holdsEntry(known - 1))) return this.countFrom(known);
      if (!(await this.isFolder(this.log))) return 0;
      const names = (await this.files.list(this.log)).filter(
        (name) => !name.startsWith(temporaryPrefix),
      );
      const expected = new Set(names.map((_, seq) => entryFileName(seq)));
      for (const name of names) if (!expected.has(name)) throw this.strayName(name, names.length);
      return names.length;
    });
  }

  /** Looks for the next numbers only: the entries below were listed before and are never removed. */
  private async countFrom(known: number): Promise<number> {
    let count = known;
    while (await this.holdsEntry(count)) count += 1;
    return count;
  }

  private async holdsEntry(seq: number): Promise<boolean> {
    return (await this.files.typeOf(join(this.log, entryFileName(seq)))) !== 'missing';
  }

  readEntry(seq: number): Promise<Uint8Array> {
    const path = join(this.log, entryFileName(seq));
    return this.guarded(path, async () => {
      await this.mustBeFile(path);
      return this.files.read(path, maximumEntryBytes);
    });
  }

  putIfAbsent(seq: number, bytes: Uint8Array): Promise<boolean> {
    const path = join(this.log, entryFileName(seq));
    return this.guarded(path, async () => {
      await this.makeFolders();
      return this.publish(this.log, path, bytes);
    });
  }

  syncEntry(seq: number): Promise<void> {
    return this.guarded(this.log, () => this.syncPublished(join(this.log, entryFileName(seq))));
  }

  readObject(digest: Digest): Promise<Uint8Array | null> {
    const path = this.objectPath(digest);
    return this.guarded(path, async () => {
      const type = await this.files.typeOf(path);
      if (type === 'missing') return null;
      this.refuseOther(type, path);
      return this.checkedObject(digest);
    });
  }

  putObject(bytes: Uint8Array): Promise<Digest> {
    const digest = digestOf(bytes);
    const path = this.objectPath(digest);
    return this.guarded(path, async () => {
      await this.makeFolders();
      const known = (await this.files.typeOf(path)) !== 'missing';
      if (known || !(await this.publish(this.objects, path, bytes))) {
        await this.mustBeFile(path);
        await this.checkedObject(digest);
        await this.syncPublished(path);
      }
      return digest;
    });
  }

  private objectPath(digest: Digest): string {
    return join(this.objects, digestHex(digest));
  }

  private async checkedObject(digest: Digest): Promise<Uint8Array> {
    const path = this.objectPath(digest);
    const bytes = await this.files.read(path, maximumObjectBytes);
    if (digestOf(bytes) === digest) return bytes;
    throw damaged(`The object's bytes have the digest ${digestOf(bytes)}.`, path, 'I12');
  }

  private strayName(name: string, count: number): LiftgateError {
    const range = `00000000.json to ${entryFileName(count - 1)}`;
    return damaged(
      `The folder holds ${count} files, so they must be ${range}; "${name}" is not one of them.`,
      join(this.log, name),
      'I1',
    );
  }

  private async mustBeFile(path: string): Promise<void> {
    this.refuseOther(await this.files.typeOf(path), path);
  }

  private refuseOther(type: FileType, path: string): void {
    if (type === 'file') return;
    const what =
      type === 'missing' ? 'is missing' : 'is not a regular file (links are not followed)';
    throw damaged(`The recorded file ${what}.`, path, 'I1');
  }

  private async isFolder(path: string): Promise<boolean> {
    const type = await this.files.typeOf(path);
    if (type === 'file' || type === 'other')
      throw damaged('A folder is expected here (links are not followed).', path, 'I1');
    return type === 'folder';
  }

  /** Makes the folders, and once per opening their names durable: an earlier process may have died in between. */
  private async makeFolders(): Promise<void> {
    if (this.foldersDurable) return;
    if ((await this.files.typeOf(this.root)) === 'missing') await this.makeFolder(this.root);
    for (const path of [this.log, this.objects]) {
      if (!(await this.isFolder(path))) await this.makeFolder(path);
    }
    if (!(await this.holdsEntry(0)))
      await this.publish(this.root, join(this.root, '.gitattributes'), ledgerAttributes);
    await this.durable(() => this.files.syncFolder(this.root));
    await this.durable(() => this.files.syncFolder(dirname(this.root)));
    this.foldersDurable = true;
  }

  private async makeFolder(path: string): Promise<void> {
    try {
      await this.files.makeFolder(path);
    } catch (error) {
      if (errorCodeOf(error) !== 'EEXIST') throw error;
    }
  }

  /** Writes bytes under a new name, whole and durable, or returns false when the name is taken. */
  private async publish(folder: string, path: string, bytes: Uint8Array): Promise<boolean> {
    const temporary = join(
      folder,
      `${temporaryPrefix}${process.pid}-${randomBytes(8).toString('hex')}`,
    );
    let published = false;
    try {
      await this.writeWhole(temporary, bytes);
      published = await this.linkNew(temporary, path);
    } finally {
      await this.removeQuietly(temporary);
    }
    if (published) await this.durable(() => this.files.syncFolder(folder));
    return published;
  }

  private async writeWhole(path: string, bytes: Uint8Array): Promise<void> {
    const file = await this.files.create(path);
    try {
      await file.write(bytes);
      await this.durable(() => file.sync());
    } finally {
      await file.close();
    }
  }

  private async linkNew(from: string, to: string): Promise<boolean> {
    try {
      await this.files.link(from, to);
      return true;
    } catch (error) {
      const code = errorCodeOf(error);
      if (code === 'EEXIST') return false;
      if (!linkUnsupported.has(code)) throw error;
      throw new LiftgateError('ledger-unsafe', `This file system cannot link files (${code}).`, {
        where: { file: to },
        mend: 'Keep the ledger on a file system with hard links (ext4, xfs, APFS, NTFS, NFS); FAT and some mounts have none.',
        cause: error,
        details: { reason: 'link-unsupported' },
      });
    }
  }

  /** A temporary file left behind harms nobody: it is never read. */
  private async removeQuietly(path: string): Promise<void> {
    try {
      await this.files.remove(path);
    } catch {
      // The entry itself is complete; the outcome of the append must not depend on tidying up.
    }
  }

  private async syncPublished(path: string): Promise<void> {
    await this.durable(() => this.files.syncFile(path));
    await this.durable(() => this.files.syncFolder(dirname(path)));
  }

  /** Runs an fsync; a failure ends this store. */
  private async durable(sync: () => Promise<void>): Promise<void> {
    try {
      await sync();
    } catch (error) {
      this.poisoned = true;
      throw new LiftgateError(
        'ledger-unsafe',
        `The disk did not confirm a write (${errorCodeOf(error) || 'unknown error'}).`,
        {
          where: { file: this.root },
          mend: 'Check the disk, open the ledger again and repeat the command; the same request is recorded once.',
          cause: error,
          details: { reason: 'durability' },
        },
      );
    }
  }

  /** Turns failures of the file system into one that says where; refuses all work after a failed fsync. */
  private async guarded<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    if (this.poisoned) {
      throw new LiftgateError('ledger-unsafe', 'The disk did not confirm an earlier write.', {
        where: { file: this.root },
        mend: 'Check the disk and open the ledger again; nothing more is read or written through this one.',
        details: { reason: 'durability' },
      });
    }
    try {
      return await work();
    } catch (error) {
      if (error instanceof LiftgateError) throw error;
      const code = errorCodeOf(error);
      if (code === 'EFBIG') throw damaged('The recorded file is too long.', path, 'I2');
      throw new LiftgateError(
        'ledger-unsafe',
        `The ledger folder cannot be used (${code || 'unknown error'}).`,
        {
          where: { file: path },
          mend: 'Check that the folder is readable and writable and the disk has room; then repeat the command.',
          cause: error,
          details: { reason: 'file-system', code },
        },
      );
    }
  }
}

/**
 * The store of a ledger folder; the folder is made with the first write.
 * @param files  the file system, replaced by tests
 */
export function folderStore(folder: string, files: LedgerFiles = nodeFiles): LedgerStore {
  return new FolderStore(folder, files);
}

/** How a ledger folder is opened; everything has a default. */
export interface OpenLedgerOptions extends Partial<LedgerPorts> {
  readonly files?: LedgerFiles;
}

/** Pauses 1 to 50 ms, at random so that two writers do not keep step. */
function randomPause(): Promise<void> {
  const milliseconds = 1 + ((randomBytes(2).readUInt16BE(0) * 50) >>> 16);
  return new Promise((done) => setTimeout(done, milliseconds));
}

/**
 * Opens the ledger in a folder or in PostgreSQL. A place without entries is an empty ledger; its genesis is written with the first
 * append.
 *
 * @param place    a folder, usually `ledger` beside the experiments, or a URL such as `postgres://user@host/database?ledger=NAME`
 * @param options  `actor` (default `local`) and `origin` (default `liftgate`) are recorded as claims; the other ports are for tests
 * @throws {LiftgateError} usage  when the URL is malformed
 * @example (await openLedger('no-such-folder').verify()).entries // => 0
 */
export function openLedger(place: string, options: OpenLedgerOptions = {}): Ledger {
  const { files, ...ports } = options;
  return openLedgerStore(storeOf(place, files), {
    now: () => new Date().toISOString(),
    actor: 'local',
    random: () => randomBytes(16).toString('hex'),
    jitter: randomPause,
    origin: 'liftgate',
    unicode: process.versions['unicode'] ?? 'unknown',
    ...ports,
  });
}

/** Store of a folder or a database. */
export function storeOf(place: string, files?: LedgerFiles): LedgerStore {
  return isPostgresUrl(place) ? postgresStore(place) : folderStore(place, files);
}

/**
 * Whether there is a ledger: entries in PostgreSQL, a folder `log` on the disk.
 * @throws {LiftgateError} usage, ledger-unsafe, ledger-busy
 */
export async function ledgerExists(place: string): Promise<boolean> {
  if (!isPostgresUrl(place)) return existsSync(join(place, 'log'));
  try {
    return (await postgresStore(place).listEntries()) > 0;
  } catch (error) {
    if (error instanceof LiftgateError && error.code === 'ledger-damaged') return true;
    throw error;
  }
}
