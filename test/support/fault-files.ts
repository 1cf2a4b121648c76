/** The real file system with one step that fails: the i-th call, once or from then on. */
import type { LedgerFiles, NewFile } from '../../src/store/ledger-files.ts';

/** Which call fails, counted from 1, and how. */
export interface Fault {
  readonly at: number;
  readonly code: 'EIO' | 'ENOSPC' | 'EROFS';
  readonly sticky: boolean;
}

/** Files that fail as told; `calls` lists the steps taken, so that a test knows when all were tried. */
export function faultyFiles(
  files: LedgerFiles,
  fault: Fault,
): { readonly files: LedgerFiles; readonly calls: string[] } {
  const calls: string[] = [];
  const step = <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    calls.push(name);
    const fails = fault.sticky ? calls.length >= fault.at : calls.length === fault.at;
    if (!fails) return work();
    return Promise.reject(Object.assign(new Error(`${fault.code}: ${name}`), { code: fault.code }));
  };
  const wrapFile = (file: NewFile): NewFile => ({
    write: (bytes) => step('write', () => file.write(bytes)),
    sync: () => step('sync', () => file.sync()),
    close: async () => {
      await file.close();
      await step('close', () => Promise.resolve());
    },
  });
  return {
    calls,
    files: {
      typeOf: (path) => step('typeOf', () => files.typeOf(path)),
      makeFolder: (path) => step('makeFolder', () => files.makeFolder(path)),
      list: (folder) => step('list', () => files.list(folder)),
      read: (path, limit) => step('read', () => files.read(path, limit)),
      create: (path) => step('create', async () => wrapFile(await files.create(path))),
      link: (from, to) => step('link', () => files.link(from, to)),
      remove: (path) => step('remove', () => files.remove(path)),
      syncFile: (path) => step('syncFile', () => files.syncFile(path)),
      syncFolder: (path) => step('syncFolder', () => files.syncFolder(path)),
    },
  };
}
