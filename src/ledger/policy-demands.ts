/**
 * What the policy of a family demands of the entries that act for it, beside the order they come in.
 *
 * `requireSignature` (I15): reserve, release, expose, attempt, journal, outcome, abort, void, retire, policy, the amendment of a plan
 * that holds units, and every import carry the signature of a valid key of the ledger with the scope `entry`. What is signed is the
 * canonical JSON of the whole entry without its `signature`, and with `"type":"liftgate/entry/v1"`: the entry names its predecessor,
 * so whoever signs it stands for all of the history before. A signature that nobody asked for is held to the same rules.
 *
 * `requireAnchor` (I16): an exposure needs an anchor that covers its reservation and the plan it measures; whatever follows from its
 * dispatch (attempt, journal, outcome) needs one that covers the exposure. Anchors count whose proof is about this ledger
 * (`anchor.ts`); ending what was begun (release, abort, void) needs none.
 *
 * Leaks and development use take units out, for whoever saw it; they are asked for neither.
 */
import { canonicalBytes } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import { decodeBase64, fingerprintOf, type Signer } from '../base/signature.ts';
import { checkSignature } from '../base/trust.ts';
import type { LedgerEntry } from './entry.ts';
import { importedFrom } from './past.ts';
import type { ExperimentState, LedgerState, Policy } from './projection.ts';
import { policyOf } from './reuse.ts';
import { conflict } from './transitions.ts';

/** Exact bytes that the signature of an entry covers. */
export function entryMessage(entry: LedgerEntry): Uint8Array {
  const { signature: _signature, ...signed } = entry;
  return canonicalBytes({ type: 'liftgate/entry/v1', ...signed });
}

/** The experiment whose reservation, exposure or outcome an entry speaks of; undefined when there is none. */
function experimentOf(state: LedgerState, entry: LedgerEntry): ExperimentState | undefined {
  const { body } = entry;
  const planOf = (): Digest | null | undefined => {
    if (entry.kind === 'amend') return entry.body.from;
    if ('expose' in body) return state.exposures.get(body.expose);
    if ('outcome' in body) return state.outcomes.get(body.outcome);
    return 'reserve' in body ? state.claims.get(body.reserve)?.plan : null;
  };
  const plan = planOf();
  return plan === null || plan === undefined ? undefined : state.experiments.get(plan);
}

/** Policies that an entry is held to: of a policy both the one before and the new one, of an import those of all families. */
function policiesFor(state: LedgerState, entry: LedgerEntry): readonly Policy[] {
  if (entry.kind === 'import') return state.policies.values();
  if (entry.kind === 'policy') return [policyOf(state, entry.body.family), entry.body];
  const acts = entry.kind === 'reserve' || entry.kind === 'retire';
  const family = acts ? entry.body.family : experimentOf(state, entry)?.reservation?.body.family;
  return family === undefined ? [] : [policyOf(state, family)];
}

/** Whether a policy wants an entry signed. */
export function demandsSignature(state: LedgerState, entry: LedgerEntry): boolean {
  return policiesFor(state, entry).some(({ requireSignature }) => requireSignature);
}

/**
 * The entry as it is to be recorded: signed where a policy asks for it and somebody can.
 * @param open  opens the key; called only when a signature is needed
 */
export async function signWhereDemanded(
  state: LedgerState,
  entry: LedgerEntry,
  open: (() => Promise<Signer>) | undefined,
): Promise<LedgerEntry> {
  if (open === undefined || !demandsSignature(state, entry)) return entry;
  const signer = await open();
  const value = await signer.sign(entryMessage(entry));
  const signature = {
    signer: fingerprintOf(signer.key),
    value: Buffer.from(value).toString('base64'),
  };
  return { ...entry, signature };
}

function refuseUnsigned(reason: string, message: string, mend: string): never {
  throw conflict('I15', message, { mend, details: { reason } });
}

/** Holds a signature to its key, whoever asked for it. */
function checkSigned(
  state: LedgerState,
  entry: LedgerEntry,
  { signer, value }: NonNullable<LedgerEntry['signature']>,
): void {
  const key = state.keys.get(signer);
  if (key === undefined || key.ended !== null || !key.scopes.includes('entry')) {
    const why =
      key === undefined
        ? 'which the ledger does not know'
        : key.ended === null
          ? `which signs ${key.scopes.join(', ')} and no entries`
          : `which was ${key.ended.how} in entry ${key.ended.seq}`;
    refuseUnsigned(
      'entry-signer',
      `The ${entry.kind} entry is signed by ${signer}, ${why}.`,
      'Sign with a key that has the scope entry: `liftgate ledger key list` shows them, `liftgate ledger key add --scopes entry` introduces one.',
    );
  }
  const signature = decodeBase64(value);
  const fault =
    signature === null
      ? 'it is no base64'
      : checkSignature(key.key, entryMessage(entry), signature);
  if (fault === null) return;
  refuseUnsigned(
    'entry-signature',
    `The signature of ${key.name} on the ${entry.kind} entry does not hold: ${fault}.`,
    'Sign the entry as it stands: name the key with --entry-key.',
  );
}

/** Number among this ledger's own entries from which an entry is held: its own, or that of the import that brought it. */
function heldAt(state: LedgerState, seq: number): number {
  if (seq < importedFrom) return seq;
  return state.imported.values().find(({ entry }) => entry.seq === seq)?.importSeq ?? seq;
}

/** The last entry that an anchor must cover before an experiment is exposed, or, once it is, before it is measured. */
function toAnchor(state: LedgerState, experiment: ExperimentState): number | null {
  const { reservation, exposure, sealedSeq } = experiment;
  if (exposure !== null) return heldAt(state, exposure.seq);
  if (reservation === null) return null;
  return Math.max(heldAt(state, reservation.seq), heldAt(state, sealedSeq));
}

/** The last entry that an anchor must cover before this one; null when there is none. */
function anchoredFirst(state: LedgerState, entry: LedgerEntry): number | null {
  const begins = entry.kind === 'expose';
  const goesOn = entry.kind === 'attempt' || entry.kind === 'journal' || entry.kind === 'outcome';
  const experiment = begins || goesOn ? experimentOf(state, entry) : undefined;
  return experiment === undefined ? null : toAnchor(state, experiment);
}

/**
 * Number of the entry that the policy of its family wants anchored before an experiment goes on, and that no anchor covers; null when
 * nothing is missing.
 */
export function unanchoredEntry(state: LedgerState, experiment: ExperimentState): number | null {
  const family = experiment.reservation?.body.family;
  if (family === undefined || !policyOf(state, family).requireAnchor) return null;
  const at = toAnchor(state, experiment);
  return at === null || at < state.anchored ? null : at;
}

/**
 * Refuses an entry that lacks what the policy of its family demands.
 * @throws {LiftgateError} ledger-conflict  I15 unsigned, or signed by a key that may not, or not as it stands; I16 not anchored
 */
export function checkDemands(state: LedgerState, entry: LedgerEntry): void {
  if (entry.signature !== undefined) checkSigned(state, entry, entry.signature);
  const policies = policiesFor(state, entry);
  const signing = policies.find(({ requireSignature }) => requireSignature);
  if (signing !== undefined && entry.signature === undefined) {
    refuseUnsigned(
      'entry-unsigned',
      `The policy of family "${signing.family}" wants this ${entry.kind} entry signed, and nobody signed it.`,
      'Name a key that may sign entries with --entry-key KEY; `liftgate ledger key list` shows who may.',
    );
  }
  const first = anchoredFirst(state, entry);
  const anchoring = policies.find(({ requireAnchor }) => requireAnchor);
  if (anchoring === undefined || first === null || first < state.anchored) return;
  throw conflict(
    'I16',
    `The policy of family "${anchoring.family}" wants entry ${first} anchored before this ${entry.kind}; the anchors of the ledger cover ${state.anchored} entries.`,
    {
      mend: 'Record an outside proof with `liftgate ledger anchor` (--commit, --time-stamp or --note), then repeat the command.',
      details: { reason: 'not-anchored', ownerSeq: first },
    },
  );
}
