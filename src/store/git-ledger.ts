/** A ledger folder as commits of a git repository hold it, and what a merge left of it in the working tree. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { digestHex } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { GitProof } from '../base/git-proof.ts';
import { entryFileName, entryId, parseEntry, type StoredEntry } from '../ledger/entry.ts';
import type { OtherLedger } from '../ledger/import.ts';

/** Largest output of git that is read at once, in bytes. */
const largestOutput = 1_073_741_824;

/** Output of git, or null when it fails. */
function git(folder: string, words: readonly string[]): Buffer | null {
  try {
    return execFileSync('git', ['-C', folder, ...words], {
      maxBuffer: largestOutput,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return null;
  }
}

function nearestFolder(folder: string): string {
  let at = folder;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

/** Path of a folder from the top of its repository, with a slash at its end; null outside of one. */
function pathInRepository(folder: string): string | null {
  const near = nearestFolder(folder);
  const prefix = git(near, ['rev-parse', '--show-prefix']);
  if (prefix === null) return null;
  const rest = folder
    .slice(near.length)
    .replace(/^[/\\]/, '')
    .replaceAll('\\', '/');
  return `${prefix.toString('utf8').trimEnd()}${rest === '' ? '' : `${rest}/`}`;
}

/** Full id of the commit that a word names, in the repository around a folder; null when it names none. */
export function commitOf(folder: string, word: string): string | null {
  // A word with a dash would be taken for an option.
  if (word.startsWith('-')) return null;
  const named = git(nearestFolder(folder), [
    'rev-parse',
    '--verify',
    '--quiet',
    `${word}^{commit}`,
  ]);
  return named === null ? null : named.toString('utf8').trim();
}

/** The bytes of git's objects are read exactly: no conversion of line ends, no filters. */
function blob(folder: string, commit: string, path: string): Uint8Array | null {
  const bytes = git(nearestFolder(folder), ['cat-file', 'blob', `${commit}:${path}`]);
  return bytes === null ? null : new Uint8Array(bytes);
}

/** Several objects in one call, in the order of their names; null for one that is not there. */
function blobs(folder: string, names: readonly string[]): (Uint8Array | null)[] {
  const input = names.map((name) => `${name}\n`).join('');
  const output = execFileSync('git', ['-C', nearestFolder(folder), 'cat-file', '--batch'], {
    ...{ input, maxBuffer: largestOutput, stdio: ['pipe', 'pipe', 'ignore'] },
  });
  let at = 0;
  return names.map(() => {
    const end = output.indexOf(0x0a, at);
    const [, size] = /^[0-9a-f]+ blob ([0-9]+)$/.exec(output.toString('latin1', at, end)) ?? [];
    at = end + 1;
    if (size === undefined) return null;
    const bytes = new Uint8Array(output.subarray(at, at + Number(size)));
    at += Number(size) + 1;
    return bytes;
  });
}

/**
 * The ledger in a folder as a commit holds it; null when there is no ledger in it.
 * @param commit  full id
 * @throws {LiftgateError} ledger-damaged, ledger-unsafe  when an entry cannot be read
 */
export function ledgerAt(folder: string, commit: string): OtherLedger | null {
  const prefix = pathInRepository(folder);
  if (prefix === null) return null;
  const listed = git(nearestFolder(folder), [
    ...['ls-tree', '-r', '-z', '--name-only', '--full-tree'],
    ...[commit, '--', `${prefix}log/`],
  ]);
  const names = (listed?.toString('utf8') ?? '').split('\0').filter((name) => name !== '');
  if (names.length === 0) return null;
  const paths = names.map((_, seq) => `${commit}:${prefix}log/${entryFileName(seq)}`);
  const entries = blobs(folder, paths).map((bytes, seq): StoredEntry => {
    const name = entryFileName(seq);
    if (bytes === null)
      throw damaged(`The commit holds ${names.length} entries, but no ${name}.`, name);
    return { entry: parseEntry(bytes, `log/${name}`), entryId: entryId(bytes), bytes };
  });
  return {
    entries,
    readObject: (digest) =>
      Promise.resolve(blob(folder, commit, `${prefix}objects/${digestHex(digest)}`)),
  };
}

function damaged(message: string, file: string): LiftgateError {
  return new LiftgateError('ledger-damaged', message, {
    where: { file },
    mend: 'Restore the ledger from a commit where `liftgate ledger verify` finds it sound.',
  });
}

/** Entries of a working tree that go on from committed ones: written since the last commit, or never committed. */
export function goOn(folder: string, committed: readonly StoredEntry[]): StoredEntry[] {
  const entries = [...committed];
  for (;;) {
    const path = join(folder, 'log', entryFileName(entries.length));
    const next = statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : null;
    const stored = next === null ? null : parsed(new Uint8Array(next));
    if (stored === null || stored.entry.prev !== (entries.at(-1)?.entryId ?? null)) return entries;
    entries.push(stored);
  }
}

function parsed(bytes: Uint8Array): StoredEntry | null {
  try {
    return { entry: parseEntry(bytes), entryId: entryId(bytes), bytes };
  } catch {
    return null;
  }
}

/** What setting a log right did: files given their own bytes again, and files of the other side taken away. */
export interface SetRight {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
}

const isEntryName = (name: string): boolean => /^\d{8}\.json$/.test(name);

/**
 * Gives a log the entries of one side: what a merge mixed in is either a conflict or an entry of another side, which the import keeps.
 *
 * @param sides  every ledger whose entries may lie there
 * @throws {LiftgateError} ledger-damaged  for a file that is neither; nothing is changed then
 */
export function setRight(
  folder: string,
  ours: readonly StoredEntry[],
  sides: readonly (readonly StoredEntry[])[],
): SetRight {
  const log = join(folder, 'log');
  const names = existsSync(log) ? readdirSync(log).filter(isEntryName).sort() : [];
  const known = (name: string, bytes: Uint8Array): boolean =>
    isConflict(bytes) ||
    sides.some((side) => same(side[Number(name.slice(0, 8))]?.bytes ?? null, bytes));
  for (const name of names) {
    const bytes = new Uint8Array(readFileSync(join(log, name)));
    if (same(ours[Number(name.slice(0, 8))]?.bytes ?? null, bytes) || known(name, bytes)) continue;
    throw damaged(
      'This entry is of neither side: it was changed by hand, or a third side wrote it.',
      join(log, name),
    );
  }
  const removed = names.filter((name) => ours[Number(name.slice(0, 8))] === undefined);
  const restored = ours
    .map(({ entry, bytes }) => ({ name: entryFileName(entry.seq), bytes }))
    .filter(
      ({ name, bytes }) => !names.includes(name) || !same(readFileSync(join(log, name)), bytes),
    );
  mkdirSync(log, { recursive: true });
  for (const { name, bytes } of restored) {
    writeFileSync(join(log, `.tmp-${process.pid}-${name}`), bytes, { flag: 'wx', flush: true });
    renameSync(join(log, `.tmp-${process.pid}-${name}`), join(log, name));
  }
  for (const name of removed) unlinkSync(join(log, name));
  return { restored: restored.map(({ name }) => name), removed };
}

function same(first: Uint8Array | null, second: Uint8Array): boolean {
  return first !== null && Buffer.compare(first, second) === 0;
}

/** A file in which git left both sides between its markers. */
function isConflict(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('utf8');
  return /^<{7} /m.test(text) && /^={7}$/m.test(text) && /^>{7} /m.test(text);
}

/**
 * Proof that a commit holds the newest entry of the ledger it has.
 * @throws {LiftgateError} usage  when the word names no commit, or the commit has no ledger here
 */
export function gitProofOf(
  folder: string,
  word: string,
): { readonly proof: GitProof; readonly entries: readonly StoredEntry[] } {
  const commit = commitOf(folder, word);
  const held = commit === null ? null : ledgerAt(folder, commit);
  const near = nearestFolder(folder);
  const content = commit === null ? null : git(near, ['cat-file', 'commit', commit]);
  if (commit === null || held === null || content === null) {
    throw new LiftgateError('usage', `"${word}" is no commit with the ledger in this folder.`, {
      mend: 'Commit the ledger first, and name that commit.',
    });
  }
  const path = `${pathInRepository(folder)}log/${entryFileName(held.entries.length - 1)}`;
  const trees = path.split('/').map((_, depth, parts) => {
    const tree = git(near, ['cat-file', 'tree', `${commit}:${parts.slice(0, depth).join('/')}`]);
    return new Uint8Array(tree ?? []);
  });
  return { proof: { commit: new Uint8Array(content), path, trees }, entries: held.entries };
}
