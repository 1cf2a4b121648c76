/** `liftgate ledger import|export`: a whole ledger in one file, and what another copy of it recorded. */
import { existsSync, lstatSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { digestOf } from '../../base/digest.ts';
import { LiftgateError } from '../../base/errors.ts';
import { readObjectsBehind } from '../../ledger/branch.ts';
import { checkLedger } from '../../ledger/check-ledger.ts';
import type { EntryOf, StoredEntry } from '../../ledger/entry.ts';
import { continueLedger, importBranch, type OtherLedger, relationOf } from '../../ledger/import.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Claim, LedgerState } from '../../ledger/projection.ts';
import { commitOf, goOn, ledgerAt, type SetRight, setRight } from '../../store/git-ledger.ts';
import { ledgerExists, openLedger, storeOf } from '../../store/ledger-folder.ts';
import { refuseOddFile } from '../../store/places.ts';
import { isPostgresUrl } from '../../store/postgres-place.ts';
import { pinFolder, seenLedgers } from '../../store/seen-ledgers.ts';
import { bundledLedger } from '../../verify/bundle.ts';
import { formatExport, gatherExport, parseExport } from '../../verify/ledger-export.ts';
import type { CommandContext } from '../context.ts';
import {
  checkpointFolder,
  entrySigner,
  existingLedger,
  type RecordingOptions,
} from '../workspace.ts';

/** What `liftgate ledger export` takes. */
export interface ExportFlags {
  readonly ledger: string;
  readonly checkpoints?: string;
  readonly out?: string;
}

/** What `liftgate ledger import` takes. */
export interface ImportFlags extends RecordingOptions {
  readonly theirs: string;
  readonly ours?: string;
}

/** Writes the ledger, its objects and the signed notes beside it into one file. */
export async function exportLedger(context: CommandContext, options: ExportFlags): Promise<number> {
  const folder = checkpointFolder(context, options);
  const { readNotes } = await import('../../store/checkpoints.ts');
  const notes = folder === null ? new Map<string, Uint8Array>() : await readNotes(folder);
  const held = await gatherExport(await existingLedger(context, options), notes);
  const bytes = formatExport(held);
  const last = held.entries.at(-1);
  const file = options.out ?? `ledger-${last?.entry.ledger.slice(0, 12)}.tar`;
  refuseOddFile(resolve(context.cwd, file), file);
  try {
    await writeFile(resolve(context.cwd, file), bytes);
  } catch (cause) {
    throw new LiftgateError('usage', 'The export cannot be written.', {
      where: { file },
      mend: 'Name a file with --out in a folder that exists, where you may write.',
      cause,
    });
  }
  const [entries, head, digest] = [held.entries.length, last?.entryId ?? null, digestOf(bytes)];
  context.output.line(`${file}: ${bytes.length} bytes, ${digest}`);
  context.output.line(`ledger of ${entries} entries, head ${head}`);
  context.output.document({ file, size: bytes.length, digest, entries, head });
  return 0;
}

/** A copy of the ledger and how it is called. */
interface Side extends OtherLedger {
  readonly shown: string;
}

/**
 * Brings in what another copy recorded. In a folder that a merge left half joined, the entries of this side are restored first.
 * @throws {LiftgateError} usage, ledger-conflict, ledger-damaged
 */
export async function importLedger(context: CommandContext, options: ImportFlags): Promise<number> {
  const place = isPostgresUrl(options.ledger)
    ? options.ledger
    : resolve(context.cwd, options.ledger);
  const theirs = await otherSide(context, place, options.theirs);
  const ours = await ownSide(place, options);
  await refuseUnseen(ours.entries, theirs.entries);
  const { relation, fork } =
    ours.entries.length === 0
      ? { relation: 'ahead' as const, fork: 0 }
      : relationOf(ours.entries, theirs.entries);
  const right = await restore(place, ours, theirs);
  for (const name of right.restored) context.output.line(`restored log/${name}`);
  for (const name of right.removed) context.output.line(`took away log/${name} of the other side`);
  const ledger = openLedger(place, entrySigner(context, options));
  switch (relation) {
    case 'same':
    case 'behind':
      return nothing(context, `${theirs.shown} has no entry that is not here`);
    case 'ahead':
      return takeOver(context, { place, ledger, from: fork, theirs });
    case 'forked':
      return merge(context, ledger, theirs);
  }
}

/** The other copy: a folder, an export, a database, or a commit of the repository around the ledger. */
async function otherSide(context: CommandContext, place: string, word: string): Promise<Side> {
  if (isPostgresUrl(word)) return sideOf(openLedger(word), word);
  const path = resolve(context.cwd, word);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === true)
    return sideOf(bundledLedger(parseExport(await readFile(path), word)), word);
  if (await ledgerExists(path)) return sideOf(openLedger(path), word);
  if (existsSync(join(path, 'ledger', 'log')))
    return sideOf(openLedger(join(path, 'ledger')), word);
  return committedSide(place, word, '--theirs');
}

async function sideOf(ledger: Ledger, shown: string): Promise<Side> {
  const entries = await ledger.entries();
  return { shown, entries, readObject: (digest) => ledger.object(digest) };
}

function committedSide(place: string, word: string, flag: string): Side {
  const commit = isPostgresUrl(place) ? null : commitOf(place, word);
  const found = commit === null ? null : ledgerAt(place, commit);
  if (found !== null) return { ...found, shown: word };
  throw new LiftgateError(
    'usage',
    commit === null
      ? `"${word}" is neither a ledger, nor an export, nor a commit.`
      : `The commit ${word} holds no ledger in this folder.`,
    {
      mend: `Write ${flag} with a branch, a ledger folder, or a file that \`liftgate ledger export\` wrote.`,
    },
  );
}

/** The entries that stay as they are: those of a named commit, or of the last commit and what was appended since. */
async function ownSide(place: string, { ours }: ImportFlags): Promise<Side> {
  if (ours !== undefined) return committedSide(place, ours, '--ours');
  if (isPostgresUrl(place)) return await sideOf(openLedger(place), 'this ledger');
  const head = commitOf(place, 'HEAD');
  const committed = head === null ? null : ledgerAt(place, head);
  const readObject = committed?.readObject ?? (() => Promise.resolve(null));
  return { shown: 'this ledger', readObject, entries: goOn(place, committed?.entries ?? []) };
}

/** What this machine has seen must be in one of the two, or an import would hide that it is gone. */
async function refuseUnseen(
  ours: readonly StoredEntry[],
  theirs: readonly StoredEntry[],
): Promise<void> {
  const [folder, ledger] = [pinFolder(), (ours[0] ?? theirs[0])?.entry.ledger];
  const pin =
    folder === null || ledger === undefined ? null : await seenLedgers(folder).latest(ledger);
  if (pin === null) return;
  if ([ours, theirs].some((side) => side[pin.size - 1]?.entryId === pin.head)) return;
  throw new LiftgateError(
    'ledger-damaged',
    `This machine has seen ${pin.size} entries with the head ${pin.head}; neither side has them.`,
    {
      mend: 'Import from the branch or the copy that holds them, or fetch it first.',
      details: { reason: 'rollback', seen: pin.size },
    },
  );
}

/** The folder with the entries of this side and the objects behind them. */
async function restore(place: string, ours: Side, theirs: Side): Promise<SetRight> {
  if (isPostgresUrl(place)) return { restored: [], removed: [] };
  const head = commitOf(place, 'HEAD');
  const committed = head === null ? [] : (ledgerAt(place, head)?.entries ?? []);
  const right = setRight(place, ours.entries, [theirs.entries, committed]);
  const store = storeOf(place);
  const read = async (digest: `sha256:${string}`) => {
    const stored = await store.readObject(digest);
    if (stored !== null) return stored;
    const found = await ours.readObject(digest);
    if (found !== null) await store.putObject(found);
    return found;
  };
  if (right.restored.length > 0) await readObjectsBehind(ours.entries, read);
  return right;
}

function nothing({ output }: CommandContext, why: string): number {
  output.line(`nothing to import: ${why}`);
  output.document({ imported: null, contested: [] });
  return 0;
}

/** A copy that only goes on from this ledger is taken as it is. */
async function takeOver(
  context: CommandContext,
  taken: {
    readonly place: string;
    readonly ledger: Ledger;
    readonly from: number;
    readonly theirs: Side;
  },
): Promise<number> {
  const { place, ledger, from, theirs } = taken;
  const { problems } = await checkLedger({
    listEntries: () => Promise.resolve(theirs.entries.length),
    readEntry: (seq) => Promise.resolve(theirs.entries[seq]?.bytes ?? new Uint8Array()),
    readObject: (digest) => theirs.readObject(digest),
  });
  const [first] = problems;
  if (first !== undefined) {
    throw new LiftgateError('ledger-damaged', `${theirs.shown} is not sound: ${first.message}`, {
      where: first.where,
      mend: 'Check it with `liftgate ledger verify`; what is damaged is not taken over.',
      problems,
    });
  }
  await continueLedger(storeOf(place), from, theirs);
  await remember(ledger);
  const count = theirs.entries.length - from;
  context.output.line(
    `took over ${count} entries of ${theirs.shown} as they are: they go on from here`,
  );
  context.output.document({ imported: null, takenOver: count, contested: [] });
  return 0;
}

async function merge(context: CommandContext, ledger: Ledger, theirs: Side): Promise<number> {
  const { output } = context;
  const appended = await importBranch(ledger, theirs);
  await remember(ledger);
  if (appended === null)
    return nothing(context, `every entry of ${theirs.shown} was imported before`);
  const { entry } = appended;
  const { body, seq } = entry;
  output.line(
    `imported entries ${body.forkSeq} to ${body.size - 1} of ${theirs.shown} in entry ${seq}; head ${body.head}`,
  );
  const state = await ledger.state();
  const contested = contestedBy(state, entry);
  for (const claim of contested) output.line(contestedLine(claim));
  const idle = idleAmendments(state, theirs.entries.slice(body.forkSeq));
  for (const each of idle)
    output.line(
      `not taken: their amendment of ${each.experiment} (their entry ${each.entry}); this ledger amended or exposed that plan itself, and no run under theirs verifies here`,
    );
  if (contested.length === 0) output.line('contested: nothing, no unit was claimed on both sides');
  output.line('next: git add -A on the ledger folder, and commit');
  output.document({
    imported: seq,
    head: body.head,
    root: body.root,
    entries: body.size - body.forkSeq,
    contested: contested.map(({ experimentId, status, seq: claim }) => ({
      ...{ experiment: experimentId, status, claim },
    })),
    notTaken: idle,
  });
  return 0;
}

function contestedBy(state: LedgerState, { seq }: EntryOf<'import'>): Claim[] {
  return state.claims.values().filter(({ contestedSeq }) => contestedSeq === seq);
}

/** Amendments of a branch that change nothing here, because the plan they replace was amended or exposed on this side. */
function idleAmendments(
  { experiments }: LedgerState,
  branch: readonly StoredEntry[],
): { readonly experiment: string; readonly entry: number; readonly plan: string }[] {
  return branch.flatMap(({ entry }) =>
    entry.kind === 'amend' && experiments.get(entry.body.to) === undefined
      ? [{ experiment: entry.body.experimentId, entry: entry.seq, plan: entry.body.to }]
      : [],
  );
}

function contestedLine({ experimentId, status, settled, seq }: Claim): string {
  const what =
    status === 'exposed'
      ? settled
        ? 'its result lets nobody ship'
        : 'it can only be ended: liftgate ledger void'
      : 'it can only be given back: liftgate ledger release';
  return `contested: ${experimentId} (claim ${seq}, ${status}); ${what}`;
}

/** The memory of this machine follows: what it saw of either side is in the ledger now. */
async function remember(ledger: Ledger): Promise<void> {
  const folder = pinFolder();
  if (folder === null) return;
  const imports = async (id: `sha256:${string}`) =>
    (await ledger.state()).imported.get(id) !== undefined;
  await seenLedgers(folder)
    .remember(() => ledger.entries(), imports)
    .catch((error: unknown) => {
      if (error instanceof LiftgateError) throw error;
    });
}
