/** `liftgate ledger policy` and `liftgate ledger budget`: how often a family's units may be measured, and what that has cost. */
import { LiftgateError } from '../../base/errors.ts';
import { levelText, type ReuseBudget, reuseBudgets } from '../../ledger/reuse.ts';
import type { CommandContext } from '../context.ts';
import { table } from '../print.ts';
import { commandLedger, existingLedger, type RecordingOptions } from '../workspace.ts';

interface LedgerFlags {
  readonly ledger: string;
}

/** What `liftgate ledger policy` takes. */
export interface PolicyFlags extends RecordingOptions {
  readonly requireSignature?: boolean;
  readonly requireAnchor?: boolean;
  readonly alphaSlots?: string;
  readonly alpha?: string;
}

const whole = 1_000_000_000;

/** A number of slots between 1 and 1000. */
function slotsOf(word: string): number {
  const slots = Number(word);
  if (/^\d+$/.test(word) && slots >= 1 && slots <= 1000) return slots;
  throw new LiftgateError('usage', `--alpha-slots ${word} is no number of slots.`, {
    mend: 'Give a whole number from 1 to 1000: how often units of the family may be measured.',
  });
}

/** An error level in units of 1e-9, exact: nine decimals at most. */
function nanoOf(word: string): number {
  const decimals = /^0?\.(\d{1,9})$/.exec(word)?.[1];
  const nano = decimals === undefined ? 0 : Number(decimals.padEnd(9, '0'));
  if (nano > 0 && nano <= whole / 2) return nano;
  throw new LiftgateError('usage', `--alpha ${word} is no error level.`, {
    mend: 'Give a decimal above 0 and up to 0.5 with at most nine places, such as 0.05.',
  });
}

/**
 * Records the reuse policy of a family.
 * @throws {LiftgateError} ledger-conflict when units of the family are held or exposed and the policy would allow more than before
 */
export async function policy(
  context: CommandContext,
  options: PolicyFlags,
  family: string,
): Promise<number> {
  const slots = options.alphaSlots === undefined ? null : slotsOf(options.alphaSlots);
  const ledger = commandLedger(context, options);
  const body = {
    family,
    mode: slots === null ? ('one-shot' as const) : ('alpha-slots' as const),
    alphaNano: nanoOf(options.alpha ?? '0.05'),
    weights: slots === null ? [] : Array<number>(slots).fill(Math.floor(whole / slots)),
    retireOnShip: true,
    requireSignature: options.requireSignature === true,
    requireAnchor: options.requireAnchor === true,
  };
  const { size } = (await ledger.state()).chain;
  const { entry } = await ledger.append({ kind: 'policy', requestId: `policy:${size}`, body });
  const own = reuseBudgets(await ledger.state()).find((each) => each.family === family);
  context.output.line(`${family}: ${entry.body.mode}, recorded in entry ${entry.seq}`);
  if (own !== undefined) context.output.line(lookText(own));
  context.output.document({ family, entry: entry.seq, policy: entry.body });
  return 0;
}

function lookText({ mode, nextSlot, nextNano, repeatNano, retiredSeq }: ReuseBudget): string {
  if (retiredSeq !== null)
    return `  next look: none, the family was retired in entry ${retiredSeq}`;
  if (mode === 'one-shot') {
    const level =
      nextNano === null
        ? 'the level of their own design'
        : `inference.level ${levelText(nextNano)} or higher`;
    return `  next look: units nobody has measured, at ${level}`;
  }
  if (nextSlot === null || nextNano === null) return '  next look: none, every slot is taken';
  const again =
    repeatNano === null
      ? ''
      : `; at units measured before: ${levelText(repeatNano)} or higher (all of them together)`;
  return `  next look: slot ${nextSlot}, at fresh units: inference.level ${levelText(nextNano)} or higher${again}`;
}

/** Error in units of 1e-9 as a decimal, exact, without trailing zeros. */
function errorText(nano: number | null): string {
  if (nano === null) return '-';
  const digits = String(nano).padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '');
}

/** What every family of units has, has spent, holds and has left. */
export async function budget(context: CommandContext, options: LedgerFlags): Promise<number> {
  const { output } = context;
  const families = reuseBudgets(await (await existingLedger(context, options)).state());
  const head = ['family', 'policy', 'error', 'spent', 'held', 'left', 'looks'];
  const rows = families.map((each) => [
    ...[each.family, each.mode, errorText(each.totalNano), errorText(each.spentNano)],
    ...[errorText(each.heldNano), errorText(each.leftNano)],
    each.slots === null ? String(each.looks) : `${each.looks} of ${each.slots}`,
  ]);
  for (const line of table([head, ...rows])) output.line(line);
  for (const each of families) {
    output.line(
      `${each.family}: units ${each.unitsFree} free, ${each.unitsHeld} held, ${each.unitsExposed} exposed, ${each.unitsRetired} retired`,
    );
    output.line(lookText(each));
  }
  output.line(
    'What was shown of a measurement is declared by its seal; nothing here can see who read a run folder.',
  );
  output.document(families);
  return 0;
}
