/** Attacks on recorded things: what came of one, and everything that is needed to repeat it, kept the moment it is known. */
import { appendFileSync } from 'node:fs';
import { digestOf } from '../../src/base/digest.ts';
import { LiftgateError } from '../../src/base/errors.ts';
import type { Answer, Fit, Target } from './target.ts';

/** What a reader made of changed bytes; `crashed` is no refusal, or one that blames this program. */
export type Verdict = Answer | 'crashed';

/** How a target is attacked. */
export interface Attack {
  readonly bytes: Uint8Array;
  readonly fit: Fit;
  readonly thorough: boolean;
}

/** What came of it, and what was thrown when that was a crash. */
export interface Attacked {
  readonly verdict: Verdict;
  readonly crash?: string;
}

/** Has a target read other bytes. */
export async function attack(target: Target, { bytes, fit, thorough }: Attack): Promise<Attacked> {
  try {
    return { verdict: await target.read(bytes, fit, thorough) };
  } catch (error) {
    if (error instanceof LiftgateError && error.code !== 'internal') return { verdict: 'refused' };
    const crash = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { verdict: 'crashed', crash };
  }
}

/** What should not have happened. */
export function isFault({ verdict }: Attacked): boolean {
  return verdict === 'accepted' || verdict === 'crashed';
}

/** A fault as one line of JSON: the seed gives the record and all keys again, the bytes are those that were read. */
export interface KeptFault {
  readonly seed: number;
  readonly target: string;
  readonly fit: Fit;
  readonly thorough: boolean;
  /** What was done, in words. */
  readonly change: string;
  readonly verdict: Verdict;
  readonly crash: string | null;
  /** Digest of the bytes before the change: a record that other sources make has others. */
  readonly before: string;
  /** The changed bytes, base64. */
  readonly bytes: string;
}

/** Where a soak keeps its faults at once; `npm run soak:replay` repeats them. */
export const faultFile = new URL('../verify/soak-faults.jsonl', import.meta.url);

/** Keeps a fault before anything else can happen, and says how it is called in a result. */
export function keepFault(
  { seed, change, target }: { readonly seed: number; readonly change: string; target: Target },
  { bytes, fit, thorough }: Attack,
  { verdict, crash }: Attacked,
): string {
  const fault: KeptFault = {
    ...{ seed, target: target.name, fit, thorough, change, verdict, crash: crash ?? null },
    before: digestOf(target.bytes),
    bytes: Buffer.from(bytes).toString('base64'),
  };
  appendFileSync(faultFile, `${JSON.stringify(fault)}\n`);
  const shown = `${verdict}: seed ${seed}, ${target.name}, fitted ${fit}, ${change}`;
  return crash === undefined ? shown : `${shown}\n${crash}`;
}

/**
 * Repeats a fault that was kept.
 * @param targets  of the record of its seed
 * @throws {Error}  when the record of its seed is another one now
 */
export function repeated(fault: KeptFault, targets: readonly Target[]): Promise<Attacked> {
  const target = targets.find(({ name }) => name === fault.target);
  if (target === undefined || digestOf(target.bytes) !== fault.before)
    throw new Error(`${fault.target} of seed ${fault.seed} is another one in these sources`);
  const bytes = new Uint8Array(Buffer.from(fault.bytes, 'base64'));
  return attack(target, { bytes, fit: fault.fit, thorough: fault.thorough });
}
