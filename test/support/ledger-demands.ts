/** A ledger whose policy wants entries signed and anchored, for tests. */
import { digestOf } from '../../src/base/digest.ts';
import { fingerprintOf, type Signer } from '../../src/base/signature.ts';
import {
  checkpointOf,
  formatSignedCheckpoint,
  signCheckpoint,
} from '../../src/ledger/checkpoint.ts';
import type { EntryOf, LedgerEntry } from '../../src/ledger/entry.ts';
import type { Appended, Ledger, LedgerPorts } from '../../src/ledger/ledger.ts';
import { recordKey } from './ledger-keys.ts';
import {
  countingPorts,
  exposeBody,
  outcomeBody,
  recordFinal,
  recordPlan,
  reserve,
  unitsNamed,
} from './ledger-story.ts';
import { seededSigner } from './signers.ts';

/** Keys of these ledgers: `root` signs entries, `witness` signs notes. */
export const demandKeys = {
  root: seededSigner('root', 11),
  witness: seededSigner('witness', 12),
  stranger: seededSigner('stranger', 13),
} as const;

/** Ports of a writer who signs with a key. */
export function signingPorts(signer: Signer): LedgerPorts {
  return { ...countingPorts(), signer: () => Promise.resolve(signer) };
}

/** A policy of the family `mails` that demands what is named, and allows what one-shot does. */
export const demanding = (
  wanted: Partial<EntryOf<'policy'>['body']>,
): EntryOf<'policy'>['body'] => ({
  ...{ family: 'mails', mode: 'one-shot', alphaNano: 50_000_000, weights: [] },
  ...{ retireOnShip: true, requireSignature: false, requireAnchor: false },
  ...wanted,
});

/** Introduces both keys and records the policy: entries 0 to 4. */
export async function beginDemanding(
  ledger: Ledger,
  wanted: Partial<EntryOf<'policy'>['body']>,
): Promise<void> {
  const { root, witness } = demandKeys;
  await recordPlan(ledger, 'first');
  await recordKey(ledger, { op: 'add', key: root, scopes: ['key', 'entry'] });
  await recordKey(ledger, { op: 'add', key: witness, by: root, scopes: ['witness'] });
  await ledger.append({ kind: 'policy', requestId: 'policy', body: demanding(wanted) });
}

/** Anchors the ledger as it is by a note that a key signed. */
export async function anchorByNote(ledger: Ledger, by: Signer): Promise<Appended<'anchor'>> {
  const entries = await ledger.entries();
  const checkpoint = checkpointOf(entries);
  const note = formatSignedCheckpoint(checkpoint, [await signCheckpoint(checkpoint, by)]);
  const object = await ledger.putObject(Buffer.from(note));
  const { size, root } = checkpoint;
  const head = entries.at(-1)?.entryId ?? digestOf('');
  const body = { size, head, root, type: 'witness' as const, object };
  const requestId = `anchor:${size}:${fingerprintOf(by.key)}`;
  return ledger.append({ kind: 'anchor', requestId, body });
}

/** Reserves a unit, and binds the candidates. */
export async function holdUnit(ledger: Ledger): Promise<EntryOf<'expose'>['body']> {
  const plan = await recordPlan(ledger, 'first');
  const held = await reserve(ledger, 'first', plan, unitsNamed(['u-1']));
  return exposeBody(ledger, held.entry.seq, await recordFinal(ledger, 'first', plan));
}

/** Requests after an exposure, in an order that every policy allows once it is anchored. */
export function requestsAfter(expose: number) {
  const journal = { lines: 1, digest: digestOf('a line\n') };
  const kept = { expose, attempt: 1, journal, stopped: false };
  const again = { expose, attempt: 2, reason: 'killed', missingCells: 1, missingObject: null };
  return {
    journal: { kind: 'journal', requestId: 'journal', body: kept },
    attempt: {
      kind: 'attempt',
      requestId: 'attempt',
      body: { ...again, fence: '02'.repeat(16), journal },
    },
    outcome: { kind: 'outcome', requestId: 'outcome', body: outcomeBody(expose, 2) },
  } as const;
}

/** Tells a whole measurement under both demands: 15 entries, the last of them an outcome and its end. */
export async function tellDemanding(ledger: Ledger): Promise<readonly LedgerEntry[]> {
  const { witness } = demandKeys;
  await beginDemanding(ledger, { requireSignature: true, requireAnchor: true });
  const body = await holdUnit(ledger);
  await anchorByNote(ledger, witness);
  const { entry } = await ledger.append({ kind: 'expose', requestId: 'expose', body });
  await anchorByNote(ledger, witness);
  const after = requestsAfter(entry.seq);
  await ledger.append(after.journal);
  await ledger.append(after.attempt);
  const settled = await ledger.append(after.outcome);
  const ended = { outcome: settled.entry.seq, reason: 'grader', evidence: '' };
  await ledger.append({ kind: 'void', requestId: 'void', body: ended });
  return (await ledger.entries()).map((each) => each.entry);
}
