/** One thing of a record that can be attacked, and the readers that judge it after a change. */
import type { Digest } from '../../src/base/digest.ts';
import { type LedgerStore, openLedgerStore } from '../../src/ledger/ledger.ts';
import { stillPorts } from '../../src/ledger/memory-ledger.ts';
import { type Demands, noDemands } from '../../src/verify/check-trust.ts';
import { type LedgerView, ledgerView } from '../../src/verify/reading.ts';
import type { RunFiles } from '../../src/verify/record.ts';
import { checkRun } from '../../src/verify/verify.ts';
import type { WholeRecord } from './whole-record.ts';

/** What a reader makes of changed bytes: refused, taken though they say something else, or taken and nothing is said otherwise. */
export type Answer = 'refused' | 'accepted' | 'same';

export interface Target {
  readonly kind: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** How an attacker makes the rest fit; the first does nothing for it. */
  readonly fits: readonly Fit[];
  /** Reads the record with other bytes here; what is no `LiftgateError` is a crash. What the first look refuses is read on if `thorough`. */
  readonly read: (bytes: Uint8Array, fit: Fit, thorough: boolean) => Promise<Answer>;
}

/** How what names the changed thing is made to fit: not, in one place, or everywhere but at what the reader knows. */
export type Fit = 'as-it-is' | 'one' | 'all';

/** A file, and the sound ledger it came with. */
export interface Found {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly view: LedgerView;
}

/** Whether a run is confirmed under a ledger and demands. */
export function confirmed(
  files: RunFiles,
  view: LedgerView,
  demands: Partial<Demands> = {},
): Answer {
  return checkRun(files, view, { ...noDemands, ...demands }).ok ? 'accepted' : 'refused';
}

/** A whole ledger held to the pin; sound and pinned is acceptance, and then so must the run be. */
export async function readLedger(
  { bundle, pin }: WholeRecord,
  store: LedgerStore,
  thorough: boolean,
): Promise<Answer> {
  const view = await ledgerView(openLedgerStore(store, stillPorts), pin);
  if (view.problems.length === 0) return 'accepted';
  return thorough ? confirmed(bundle.run, view) : 'refused';
}

/** A ledger of these bytes, which takes no entries. */
export function storeWith(
  log: readonly Uint8Array[],
  objects: ReadonlyMap<Digest, Uint8Array>,
): LedgerStore {
  const refuse = (): Promise<never> => Promise.reject(new Error('nothing is written'));
  return {
    listEntries: () => Promise.resolve(log.length),
    readEntry: (seq) => Promise.resolve(log[seq] ?? new Uint8Array()),
    readObject: (digest) => Promise.resolve(objects.get(digest) ?? null),
    putIfAbsent: refuse,
    syncEntry: refuse,
    putObject: refuse,
  };
}
