/** What a run folder already holds of a run: journal and controls, held to the exposure they must belong to before they count. */
import { LiftgateError } from '../base/errors.ts';
import type { Exposure } from '../ledger/projection.ts';
import { parseJournal } from '../run/journal.ts';
import type { Cell, ReceiptLine } from '../run/receipt.ts';
import { type ResumedState, resumeFrom } from '../run/resume.ts';
import type { CaseIndex } from '../spec/case-index.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { controlFaults } from '../verify/check-controls.ts';
import { lineFaults } from '../verify/check-lines.ts';
import { parseReceiptLines, runFileNames } from '../verify/record.ts';
import type { RunFolder } from './run-folder.ts';

/** A journal to continue: its state, and how many of its bytes are whole lines. */
export interface RecordedJournal {
  readonly resumed: ResumedState;
  readonly keep: number;
}

/** Whose journal it must be. */
export interface JournalOwner {
  readonly seal: SealedExperiment;
  readonly schedule: readonly Cell[];
  /** Id of the ledger. */
  readonly ledger: string | null;
  /** Null before the exposure, when nothing can have been dispatched. */
  readonly exposure: Exposure | null;
}

/**
 * The journal of a folder. A planted one would decide without a cell being run, so every line must name the exposure and one of its
 * fences; before an exposure there must be none.
 *
 * @throws {LiftgateError} run-invalid when lines belong to no or another exposure; receipt-invalid as `resumeFrom`
 */
export function recordedJournal(folder: RunFolder, owner: JournalOwner): RecordedJournal {
  const bytes = folder.read(runFileNames.journal) ?? new Uint8Array();
  const { exposure, seal, ledger, schedule } = owner;
  if (exposure === null && bytes.length > 0) {
    throw refuseJournal(folder, 'its cells were dispatched before this ledger exposed any unit');
  }
  const { lines, keptBytes } = parseJournal(bytes, runFileNames.journal);
  const resumed = resumeFrom(schedule, lines);
  if (exposure !== null) {
    const fences = exposure.rights.map((right) => right.fence);
    const { entryId: expose } = exposure;
    const strange = lines.flatMap((line) =>
      line.kind === 'dispatch' && !fences.includes(line.fence ?? '')
        ? [
            `the dispatch of case ${line.cell.case}, arm ${line.cell.arm} names a fence nobody holds`,
          ]
        : [],
    );
    const held = { seal, ledger: ledger ?? '', expose, fences };
    const [first] = [...strange, ...lineFaults(resumed.lines, held)];
    if (first !== undefined) throw refuseJournal(folder, first);
  }
  return { resumed, keep: keptBytes };
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

/**
 * Receipts of the controls that passed before the exposure.
 * @throws {LiftgateError} run-invalid when the folder of the exposed run is not the one named, or its controls were changed
 */
export function recordedControls(
  folder: RunFolder,
  seal: SealedExperiment,
  index: CaseIndex,
): readonly ReceiptLine[] {
  const bytes = folder.read(runFileNames.controls);
  if (bytes === null) {
    throw new LiftgateError(
      'run-invalid',
      'The run folder of this exposed experiment is missing or incomplete.',
      {
        where: { file: folder.path },
        mend: 'Restore the run folder, or name it with --out: receipts of exposed units exist only there.',
      },
    );
  }
  const lines = parseReceiptLines(bytes, runFileNames.controls);
  const [first] = controlFaults(seal, index, lines);
  if (first === undefined) return lines;
  throw new LiftgateError('run-invalid', `The recorded controls do not hold: ${first}.`, {
    where: { file: `${folder.path}/${runFileNames.controls}` },
    mend: 'Restore the recorded file; the units are exposed, so controls cannot be run anew.',
  });
}
