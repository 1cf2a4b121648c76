/** What commands share: the experiment, the ledger and the run folder that words on the command line name. */
import { join, resolve } from 'node:path';
import { LiftgateError } from '../base/errors.ts';
import type { Signer } from '../base/signature.ts';
import type { Ledger, LedgerPorts } from '../ledger/ledger.ts';
import { type DecisionDocument, exitCodeOf } from '../report/decision.ts';
import { candidateIds, type ExperimentSpec } from '../spec/spec.ts';
import type { LoadedExperiment, OpenOptions } from '../store/experiment-folder.ts';
import { ledgerExists, openLedger } from '../store/ledger-folder.ts';
import { isPostgresUrl, parsePostgresUrl } from '../store/postgres-place.ts';
import { pinFolder, pinnedLedger, seenLedgers } from '../store/seen-ledgers.ts';
import type { CommandContext } from './context.ts';

/** Experiment named on the command line, with its path shown as it was typed. */
export async function openExperiment(
  path: string,
  options: OpenOptions = {},
): Promise<LoadedExperiment> {
  const { loadExperiment } = await import('../store/experiment-folder.ts');
  return await loadExperiment(path, options);
}

/** Where a command records, and the key that signs its entries where a policy wants them signed. */
export interface RecordingOptions {
  readonly ledger: string;
  readonly entryKey?: string;
}

/** The key of `--entry-key`, opened when an entry is to be signed. */
export function entrySigner(
  { cwd }: CommandContext,
  { entryKey }: RecordingOptions,
): Pick<LedgerPorts, 'signer'> {
  if (entryKey === undefined) return {};
  const open = async () => (await import('../store/signing.ts')).openSigner;
  return { signer: async () => (await open())({ file: resolve(cwd, entryKey), name: 'signer' }) };
}

/** Ledger of a command, held to what this machine has seen of it. */
export function commandLedger(context: CommandContext, options: RecordingOptions): Ledger {
  const ledger = openLedger(ledgerPlace(context, options), entrySigner(context, options));
  const pins = pinFolder();
  return pins === null ? ledger : pinnedLedger(ledger, seenLedgers(pins));
}

/** A folder from where the command runs, or a URL as it is. */
function ledgerPlace(context: CommandContext, { ledger }: { readonly ledger: string }): string {
  return isPostgresUrl(ledger) ? ledger : resolve(context.cwd, ledger);
}

/** Folder of the checkpoints: the one that is named, or the one in the ledger's folder; null for a ledger that is no folder. */
export function checkpointFolder(
  context: CommandContext,
  { ledger, checkpoints }: { readonly ledger: string; readonly checkpoints?: string },
): string | null {
  if (checkpoints === undefined && isPostgresUrl(ledger)) return null;
  return resolve(context.cwd, checkpoints ?? join(ledger, 'checkpoints'));
}

/**
 * A ledger that is to be read: a mistyped place must not pass for a sound, empty ledger.
 * @throws {LiftgateError} ledger-damaged when there is none
 */
export async function existingLedger(
  context: CommandContext,
  options: { readonly ledger: string },
  mend = 'Name the ledger with --ledger: a folder, or a postgres:// URL.',
): Promise<Ledger> {
  const { ledger } = options;
  if (!(await ledgerExists(ledgerPlace(context, options)))) {
    throw new LiftgateError('ledger-damaged', 'There is no ledger here.', {
      where: { file: isPostgresUrl(ledger) ? parsePostgresUrl(ledger).shown : ledger },
      mend,
    });
  }
  return commandLedger(context, options);
}

export interface ExitOptions {
  readonly candidate?: string;
  readonly reportOnly?: boolean;
}

/**
 * Stops before anything is spent when `--candidate` names nobody.
 * @throws {LiftgateError} usage, naming the candidates
 */
export function refuseUnknownCandidate(spec: ExperimentSpec, { candidate }: ExitOptions): void {
  const known = candidateIds(spec);
  if (candidate === undefined || known.includes(candidate)) return;
  throw new LiftgateError('usage', `There is no candidate "${candidate}".`, {
    mend: `Name one of: ${known.join(', ')}.`,
  });
}

/** Exit code of a decision for these options: one candidate's own, and 20 and 21 as 0 under --report-only. */
export function exitCodeFor(
  document: DecisionDocument,
  { candidate, reportOnly }: ExitOptions,
): number {
  const { decisions } = document;
  const code = exitCodeOf(
    candidate === undefined ? decisions : decisions.filter((each) => each.candidate === candidate),
  );
  return reportOnly === true && (code === 20 || code === 21) ? 0 : code;
}

/** Flags of a command that may sign what it writes. */
export interface SigningOptions {
  readonly sign?: string;
  readonly name?: string;
}

/**
 * The signer that the words name, null without one; opened before anything is recorded, so that a key that cannot sign stops the command.
 * @throws {LiftgateError} usage for a name without a key; signature-invalid
 */
export async function namedSigner(
  { cwd }: CommandContext,
  { sign, name }: SigningOptions,
): Promise<Signer | null> {
  if (sign !== undefined) {
    const { openSigner } = await import('../store/signing.ts');
    return await openSigner({ file: resolve(cwd, sign), name });
  }
  if (name === undefined) return null;
  throw new LiftgateError('usage', 'Nothing is signed, so a name has no use.', {
    mend: 'Name the key with --sign KEY.',
  });
}
