/**
 * A file system in memory that can lose power.
 *
 * Bytes of a file are durable once it is synced, names once their folder is synced. What is pending at a crash may have reached the
 * disk in any combination: any subset of the pending names, and none, half or all of the unsynced bytes of every file.
 */
import { basename, dirname } from 'node:path';
import type { FileType, LedgerFiles } from '../../src/store/ledger-files.ts';

interface Inode {
  readonly folder: boolean;
  bytes: Uint8Array;
  durable: Uint8Array;
}

type Names = Map<string, Inode>;

interface Pending {
  readonly path: string;
  /** Null when the name was removed. */
  readonly inode: Inode | null;
}

/** What is on the disk and what is not yet. */
interface Disk {
  readonly names: Names;
  readonly durable: Names;
  readonly pending: readonly Pending[];
}

function failing(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

function copyDisk(disk: Disk): Disk {
  const copies = new Map<Inode, Inode>();
  const copy = (inode: Inode): Inode => {
    const known = copies.get(inode) ?? { ...inode };
    copies.set(inode, known);
    return known;
  };
  const names = (map: Names): Names =>
    new Map([...map].map(([path, inode]) => [path, copy(inode)] as const));
  const pending = disk.pending.map(({ path, inode }) => ({
    path,
    inode: inode === null ? null : copy(inode),
  }));
  return { names: names(disk.names), durable: names(disk.durable), pending };
}

/** A crash at one moment: the disk then, and how many acknowledgements had been given. */
export interface Moment {
  readonly disk: Disk;
  readonly acknowledged: number;
}

/** The file system; `moments` holds a copy of the disk after every step that changed it. */
export class CrashFiles implements LedgerFiles {
  private disk: Disk;
  readonly moments: Moment[] = [];
  acknowledged = 0;

  constructor(disk: Disk = { names: new Map(), durable: new Map(), pending: [] }) {
    this.disk = disk;
    const root: Inode = { folder: true, bytes: new Uint8Array(), durable: new Uint8Array() };
    if (disk.names.size === 0) {
      disk.names.set('/', root);
      disk.durable.set('/', root);
    }
  }

  /** Counts what was promised to the caller and keeps the disk at that moment. */
  acknowledge(): void {
    this.acknowledged += 1;
    this.keep();
  }

  private keep(): void {
    this.moments.push({ disk: copyDisk(this.disk), acknowledged: this.acknowledged });
  }

  private inode(path: string): Inode {
    const named = this.disk.names.get(path);
    if (named === undefined) throw failing('ENOENT', path);
    return named;
  }

  private name(path: string, inode: Inode | null): void {
    this.inode(dirname(path));
    if (inode === null) this.disk.names.delete(path);
    else this.disk.names.set(path, inode);
    this.disk = { ...this.disk, pending: [...this.disk.pending, { path, inode }] };
    this.keep();
  }

  private free(path: string): void {
    if (this.disk.names.has(path)) throw failing('EEXIST', path);
  }

  async typeOf(path: string): Promise<FileType> {
    await Promise.resolve();
    const named = this.disk.names.get(path);
    if (named === undefined) return 'missing';
    return named.folder ? 'folder' : 'file';
  }

  async makeFolder(path: string): Promise<void> {
    await Promise.resolve();
    this.free(path);
    this.name(path, { folder: true, bytes: new Uint8Array(), durable: new Uint8Array() });
  }

  async list(folder: string): Promise<readonly string[]> {
    await Promise.resolve();
    this.inode(folder);
    return [...this.disk.names.keys()]
      .filter((path) => path !== '/' && dirname(path) === folder)
      .map((path) => basename(path));
  }

  async read(path: string): Promise<Uint8Array> {
    await Promise.resolve();
    return this.inode(path).bytes.slice();
  }

  async create(path: string) {
    await Promise.resolve();
    this.free(path);
    const inode: Inode = { folder: false, bytes: new Uint8Array(), durable: new Uint8Array() };
    this.name(path, inode);
    return {
      write: async (bytes: Uint8Array) => {
        await Promise.resolve();
        inode.bytes = bytes.slice();
        this.keep();
      },
      sync: async () => {
        await Promise.resolve();
        inode.durable = inode.bytes;
        this.keep();
      },
      close: () => Promise.resolve(),
    };
  }

  async link(from: string, to: string): Promise<void> {
    await Promise.resolve();
    this.free(to);
    this.name(to, this.inode(from));
  }

  async remove(path: string): Promise<void> {
    await Promise.resolve();
    this.inode(path);
    this.name(path, null);
  }

  async syncFile(path: string): Promise<void> {
    await Promise.resolve();
    const inode = this.inode(path);
    inode.durable = inode.bytes;
    this.keep();
  }

  async syncFolder(path: string): Promise<void> {
    await Promise.resolve();
    this.inode(path);
    for (const change of this.disk.pending) {
      if (dirname(change.path) !== path) continue;
      if (change.inode === null) this.disk.durable.delete(change.path);
      else this.disk.durable.set(change.path, change.inode);
    }
    const pending = this.disk.pending.filter((change) => dirname(change.path) !== path);
    this.disk = { ...this.disk, pending };
    this.keep();
  }
}

/** The file system another process meets when the writer is killed at this moment and the power stays on. */
export function afterKill(moment: Moment): CrashFiles {
  return new CrashFiles(copyDisk(moment.disk));
}

/** Subsets of the pending names that are tried: all of them up to six, else none, all, and each one alone missing or present. */
function subsets(count: number): readonly (readonly boolean[])[] {
  const pick = (chosen: (index: number) => boolean) =>
    Array.from({ length: count }, (_, index) => chosen(index));
  if (count <= 6) {
    return Array.from({ length: 2 ** count }, (_, bits) => pick((i) => ((bits >> i) & 1) === 1));
  }
  const single = Array.from({ length: count }, (_, at) => at);
  return [
    pick(() => false),
    pick(() => true),
    ...single.map((at) => pick((index) => index !== at)),
    ...single.map((at) => pick((index) => index === at)),
  ];
}

/** The file systems somebody may find after a crash at this moment; folders whose name was lost are lost with their files. */
export function* afterCrash(moment: Moment): Generator<CrashFiles> {
  const { durable, pending } = moment.disk;
  for (const chosen of subsets(pending.length)) {
    const names: Names = new Map(durable);
    for (const [index, { path, inode }] of pending.entries()) {
      if (chosen[index] !== true) continue;
      if (inode === null) names.delete(path);
      else names.set(path, inode);
    }
    const reachable = [...names].filter(([path]) => {
      for (let at = path; at !== '/'; at = dirname(at)) if (!names.has(at)) return false;
      return true;
    });
    const unsynced = reachable.some(([, { bytes, durable: kept }]) => bytes.length !== kept.length);
    for (const share of unsynced ? [0, 0.5, 1] : [1]) yield diskWith(reachable, share);
  }
}

function diskWith(reachable: readonly (readonly [string, Inode])[], share: number): CrashFiles {
  const names: Names = new Map();
  for (const [path, { folder, bytes, durable }] of reachable) {
    const extra = Math.floor((bytes.length - durable.length) * share);
    const kept = bytes.slice(0, durable.length + extra);
    names.set(path, { folder, bytes: kept, durable: kept });
  }
  return new CrashFiles({ names, durable: new Map(names), pending: [] });
}
