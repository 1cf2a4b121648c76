/** What a run folder already holds of a run: journal and controls, held to the exposure they must belong to before they count. */
import { digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import type { Exposure } from '../ledger/projection.ts';
import {
  fenceFaults,
  type JournalPrefix,
  journalPrefix,
  type LookLine,
  parseJournal,
} from '../run/journal.ts';
import type { Cell, ReceiptLine } from '../run/receipt.ts';
import { type ResumedState, resumeFrom } from '../run/resume.ts';
import type { CaseIndex } from '../spec/case-index.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { controlFaults } from '../verify/check-controls.ts';
import { lineFaults } from '../verify/check-lines.ts';
import { parseReceiptLines, runFileNames } from '../verify/record.ts';
import type { RunFolder } from './run-folder.ts';

/** A journal to continue: its state, the bytes of its whole lines, and what is to be known of them. */
export interface RecordedJournal {
  readonly resumed: ResumedState;
  readonly kept: Uint8Array;
  readonly prefix: JournalPrefix;
  /** Looks of a sequential design that were taken. */
  readonly looks: readonly LookLine[];
}

/** Whose journal it must be. */
export interface JournalOwner {
  readonly seal: SealedExperiment;
  readonly schedule: Rows<Cell>;
  /** Id of the ledger. */
  readonly ledger: string | null;
  /** Null before the exposure, when nothing can have been dispatched. */
  readonly exposure: Exposure | null;
}

/**
 * The journal of a folder. A planted one would decide without a cell being run, so every line must name the exposure and the fence of
 * its time; before an exposure there must be none. A shortened one would have cells run again whose outcome was seen, so it must hold
 * everything the ledger knows of it.
 *
 * @throws {LiftgateError} run-invalid when lines belong to no or another exposure, or lines the ledger knows are gone or changed;
 * receipt-invalid as `resumeFrom`
 */
export function recordedJournal(folder: RunFolder, owner: JournalOwner): RecordedJournal {
  const found = folder.read(runFileNames.journal);
  const bytes = found ?? new Uint8Array();
  const { exposure, seal, ledger, schedule } = owner;
  if (exposure === null && bytes.length > 0) {
    throw refuseJournal(folder, 'its cells were dispatched before this ledger exposed any unit');
  }
  const { lines, keptBytes } = parseJournal(bytes, runFileNames.journal);
  const resumed = resumeFrom(schedule, lines);
  if (exposure !== null) {
    const { entryId: expose, rights } = exposure;
    const held = { seal, ledger: ledger ?? '', expose, fences: rights.map(({ fence }) => fence) };
    const [first] = [...lineFaults(resumed.lines, held), ...fenceFaults(lines, rights)];
    if (first !== undefined) throw refuseJournal(folder, first);
    if (found === null && folder.read(runFileNames.controls) === null) throw missingFolder(folder);
    const lost = lostLines(found, lines.length, exposure);
    if (lost !== null) throw refuseLoss(folder, lost, seal.spec.name);
  }
  const kept = bytes.slice(0, keptBytes);
  const looks = lines.filter((line) => line.kind === 'look');
  return { resumed, kept, prefix: { lines: lines.length, digest: digestOf(kept) }, looks };
}

/** What of the known journal is not there any more; null when everything is. */
function lostLines(found: Uint8Array | null, lines: number, { journal }: Exposure): string | null {
  const known = `entry ${journal.seq} of the ledger knows ${journal.lines} lines of it`;
  if (found === null) return `there is none, and ${known}`;
  if (lines < journal.lines) return `it has ${lines} lines, and ${known}`;
  if (journalPrefix(found, journal.lines)?.digest !== journal.digest) {
    return `its first ${journal.lines} lines are not those that entry ${journal.seq} of the ledger knows`;
  }
  if (!journal.stopped || lines === journal.lines) return null;
  return `it has ${lines} lines, and its runner stopped after ${journal.lines} (entry ${journal.seq})`;
}

function refuseLoss(folder: RunFolder, why: string, experimentId: string): LiftgateError {
  return new LiftgateError('run-invalid', `The journal of this exposed run was changed: ${why}.`, {
    where: { file: `${folder.path}/${runFileNames.journal}` },
    mend: `Restore the recorded journal. If it is lost, nobody can say which outcomes were seen: end the experiment with \`liftgate ledger void ${experimentId} --reason "..."\`; its units stay spent.`,
  });
}

function refuseJournal(folder: RunFolder, why: string): LiftgateError {
  return new LiftgateError(
    'run-invalid',
    `The journal in this run folder is not that of this exposure: ${why}.`,
    {
      where: { file: `${folder.path}/${runFileNames.journal}` },
      mend: 'Name another folder with --out, or the ledger this journal was recorded under with --ledger; recorded receipts are never edited or moved.',
    },
  );
}

function missingFolder(folder: RunFolder): LiftgateError {
  return new LiftgateError(
    'run-invalid',
    'The run folder of this exposed experiment is missing or incomplete.',
    {
      where: { file: folder.path },
      mend: 'Restore the run folder, or name it with --out: receipts of exposed units exist only there.',
    },
  );
}

/** Whose controls they must be. */
export interface ControlsOwner {
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
  readonly exposure: Exposure;
}

/**
 * Receipts of the controls that passed before the exposure, which knows them by their root.
 * @throws {LiftgateError} run-invalid when the folder of the exposed run is not the one named, or its controls were changed
 */
export function recordedControls(
  folder: RunFolder,
  { seal, index, exposure }: ControlsOwner,
): readonly ReceiptLine[] {
  const bytes = folder.read(runFileNames.controls);
  if (bytes === null) {
    throw missingFolder(folder);
  }
  const lines = parseReceiptLines(bytes, runFileNames.controls);
  const [first] = controlFaults(seal, index, lines, exposure);
  if (first === undefined) return lines;
  throw new LiftgateError('run-invalid', `The recorded controls do not hold: ${first}.`, {
    where: { file: `${folder.path}/${runFileNames.controls}` },
    mend: `Restore the recorded file; the units are exposed, so controls cannot be run anew. If it is lost, end the experiment with \`liftgate ledger void ${seal.spec.name} --reason "..."\`; its units stay spent.`,
  });
}
