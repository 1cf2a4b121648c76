/** `liftgate ledger leak` and `liftgate ledger retire`: units that must not be measured any more. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { digestHex, digestOfValue } from '../../base/digest.ts';
import { LiftgateError } from '../../base/errors.ts';
import { decodeUtf8 } from '../../base/strict-json.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { withdrawnUnits } from '../../store/withdrawn-units.ts';
import type { CommandContext } from '../context.ts';
import { commandLedger, openExperiment, type RecordingOptions } from '../workspace.ts';

interface WithdrawFlags extends RecordingOptions {
  readonly reason: string;
  readonly experiment?: string;
}

/** Flags of `leak`. */
export interface LeakFlags extends WithdrawFlags {
  readonly units: string;
  readonly source: string;
}

/** Flags of `retire`. */
export interface RetireFlags extends WithdrawFlags {
  readonly units?: string;
  readonly population?: string;
}

/** Ids of a file, one a line; empty lines say nothing. */
async function idsIn({ cwd }: CommandContext, path: string): Promise<string[]> {
  const file = resolve(cwd, path);
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    throw new LiftgateError('file-unreadable', 'The list of units cannot be read.', {
      where: { file: path },
      mend: 'Name a file with one id a line.',
      cause,
    });
  }
  const text = decodeUtf8(bytes, { file: path, errorCode: 'file-unreadable' });
  return text.split(/\r?\n/).filter((line) => line !== '');
}

interface Listed {
  readonly ledger: Ledger;
  readonly population: string;
  readonly file: string;
}

async function listed(context: CommandContext, options: WithdrawFlags, listing: Listed) {
  const { ledger, population, file } = listing;
  const ids = await idsIn(context, file);
  const loaded =
    options.experiment === undefined
      ? null
      : await openExperiment(options.experiment, { candidates: 'open' });
  const { units, unknown } = await withdrawnUnits(ledger, { population, ids, file, loaded });
  if (unknown > 0)
    context.output.note(
      `${unknown} of ${units.count} units are known by their ids alone; name an experiment with their cases with --experiment to find them renamed.`,
    );
  await ledger.putObject(units.bytes);
  return { unitCount: units.count, unitsRoot: units.root, unitsObject: units.object };
}

/**
 * Records units that somebody may have seen.
 * @throws {LiftgateError} file-unreadable, usage
 */
export async function leak(
  context: CommandContext,
  options: LeakFlags,
  population: string,
): Promise<number> {
  const ledger = commandLedger(context, options);
  const set = await listed(context, options, { ledger, population, file: options.units });
  const body = { population, ...set, source: options.source, reason: options.reason };
  const requestId = `leak:${digestHex(digestOfValue(body))}`;
  const { entry } = await ledger.append({ kind: 'leak', requestId, body });
  const held = (await ledger.state()).claims
    .values()
    .filter(({ status, leakedSeq }) => status === 'held' && leakedSeq === entry.seq)
    .map(({ experimentId }) => experimentId);
  context.output.line(
    `${population}: ${set.unitCount} units recorded as known outside in entry ${entry.seq}`,
  );
  for (const name of held)
    context.output.line(
      `  ${name} holds some of them and will not be exposed: liftgate ledger release ${name} --reason "..."`,
    );
  context.output.document({ population, units: set.unitCount, entry: entry.seq, held });
  return 0;
}

/**
 * Ends the measurement of a family, or of units of it.
 * @throws {LiftgateError} file-unreadable, usage, ledger-conflict while units are held, naming the owner
 */
export async function retire(
  context: CommandContext,
  options: RetireFlags,
  family: string,
): Promise<number> {
  const ledger = commandLedger(context, options);
  const { units: file, population = family, reason } = options;
  const set =
    file === undefined
      ? null
      : { population, ...(await listed(context, options, { ledger, population, file })) };
  const body = { family, units: set, reason };
  const requestId = `retire:${digestHex(digestOfValue(body))}`;
  const { entry } = await ledger.append({ kind: 'retire', requestId, body });
  const what = set === null ? 'the whole family is' : `${set.unitCount} units are`;
  context.output.line(`${family}: ${what} retired in entry ${entry.seq}`);
  context.output.document({ family, units: set?.unitCount ?? null, entry: entry.seq });
  return 0;
}
