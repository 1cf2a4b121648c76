/**
 * What the entries of a ledger add up to: experiments with their phase, claims on units, requests already answered.
 *
 *     experiment:  none -seal-> sealed -reserve-> reserved -expose-> exposed -outcome-> settled -void-> voided
 *                                  ^--release--/       ^attempt, journal/  \-abort-> aborted
 *                  sealed, reserved -amend-> amended, another plan takes its place
 *     unit:        free -reserve-> held -release-> free ; held -expose-> exposed, for good ; free -develop-> development
 *
 * A unit's state is the state of its claims: nothing is copied per unit when a reservation is exposed or released.
 */
import { canonicalText, compareCodeUnits } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import type { PublicKey } from '../base/signature.ts';
import { type ChainHead, emptyChain } from './chain.ts';
import type { EntryOf, LedgerEntry } from './entry.ts';
import type { Disclosure, JournalMark, KeyScope } from './entry-bodies.ts';
import { LayeredMap } from './layered-map.ts';
import { type ImportedEntry, importedFrom, type Past } from './past.ts';

/** Where an experiment stands; `none` is the phase of a plan the ledger has never seen, `amended` of one that another replaced. */
export type Phase =
  | 'none'
  | 'sealed'
  | 'reserved'
  | 'exposed'
  | 'settled'
  | 'aborted'
  | 'voided'
  | 'amended';

/** One right to dispatch: the exposure itself is attempt 1. */
export interface DispatchRight {
  readonly attempt: number;
  readonly seq: number;
  readonly entryId: Digest;
  readonly fence: string;
  /** Lines of the journal when the right was given: what this dispatcher writes comes after them. */
  readonly lines: number;
}

/** The latest entry that says what the journal of an exposure holds; the exposure itself says that it is empty. */
export interface KnownJournal extends JournalMark {
  readonly seq: number;
  /** Whether its runner wrote nothing more: the journal then has exactly these lines. */
  readonly stopped: boolean;
}

/** An exposure with its current right to dispatch; every receipt names `entryId` and the current `fence`. */
export interface Exposure {
  readonly seq: number;
  readonly entryId: Digest;
  readonly body: EntryOf<'expose'>['body'];
  readonly attempt: number;
  readonly fence: string;
  readonly rights: readonly DispatchRight[];
  readonly journal: KnownJournal;
}

/** A recorded entry by number and identity with its body. */
export interface Recorded<Body> {
  readonly seq: number;
  readonly entryId: Digest;
  readonly body: Body;
}

/** One experiment, keyed by the digest of its plan seal. */
export interface ExperimentState {
  readonly plan: Digest;
  readonly experimentId: string;
  readonly phase: Exclude<Phase, 'none'>;
  readonly sealedSeq: number;
  /** Plan that this one replaced; absent for the first of its experiment. */
  readonly amendsPlan?: Digest;
  /** Plan that replaced this one, in phase `amended`. */
  readonly amendedBy?: Digest;
  /** Final seals of this plan in ledger order; several mean that some were abandoned. */
  readonly finals: readonly { readonly digest: Digest; readonly seq: number }[];
  /** Reservation that holds or exposed the units; null before it and after a release. */
  readonly reservation: Recorded<EntryOf<'reserve'>['body']> | null;
  /** Reservations made and released again. */
  readonly releasedSeqs: readonly number[];
  readonly exposure: Exposure | null;
  readonly outcome: Recorded<EntryOf<'outcome'>['body']> | null;
  readonly abort: Recorded<EntryOf<'abort'>['body']> | null;
  readonly voided: Recorded<EntryOf<'void'>['body']> | null;
}

/** A claim on a set of units, keyed by the number of its `reserve`, `develop`, `leak` or `retire` entry. */
export interface Claim {
  readonly seq: number;
  readonly kind: 'reserve' | 'develop' | 'leak' | 'retire' | 'import';
  /** Who claimed; for a leak its source, for a retirement the family. */
  readonly experimentId: string;
  readonly plan: Digest | null;
  readonly population: string;
  readonly family: string | null;
  readonly unitCount: number;
  readonly alphaNano: number;
  /** Slot of the family's error; 0 in one-shot families. */
  readonly slot: number;
  readonly status:
    | 'held'
    | 'released'
    | 'exposed'
    | 'development'
    | 'leaked'
    | 'retired'
    | 'contested';
  /** Number of a leak recorded while the units were held: they are released, never exposed. */
  readonly leakedSeq: number | null;
  /** Number of the import that found another branch to have claimed its units too; absent while none has. */
  readonly contestedSeq?: number;
  readonly exposeSeq: number | null;
  /** An exposed claim whose outcome or abort is recorded. */
  readonly settled: boolean;
  /** What was shown of the measurement: as sealed from its exposure on, as recorded from its outcome on; null before. */
  readonly disclosure: Disclosure | null;
  /** Candidates of the exposure; 0 before. */
  readonly candidates: number;
  /** Its units are never measured again: they let a candidate ship under alpha-slots, or nobody recorded what was shown. */
  readonly retired: boolean;
}

/** A known unit: first spelling of its id and the numbers of the claims on it. */
export interface KnownUnit {
  readonly id: string;
  readonly claims: readonly number[];
}

/** One unit that showed a fingerprint under a claim. */
export interface FingerprintOwner {
  readonly claim: number;
  readonly population: string;
  readonly skeleton: string;
  readonly id: string;
}

/** An answered request, known by its kind and its id: the entry that answered it, and the body it had. */
export interface AnsweredRequest {
  readonly seq: number;
  readonly entryId: Digest;
  readonly body: LedgerEntry['body'];
}

/** Reuse policy of one family. */
export type Policy = EntryOf<'policy'>['body'];

/** A key of the ledger and what became of it. */
export interface LedgerKey {
  /** Fingerprint as `ssh-keygen -l` prints it. */
  readonly keyId: string;
  readonly name: string;
  readonly key: PublicKey;
  readonly scopes: readonly KeyScope[];
  readonly addedSeq: number;
  /** Who signed for it: itself when it was the first, or when nobody else could. */
  readonly signer: string;
  /** How it ended; null while it is valid. */
  readonly ended: {
    readonly seq: number;
    /** `rotated`: another took its place; `revoked`: it may be in other hands. */
    readonly how: 'rotated' | 'revoked';
    readonly signer: string;
  } | null;
}

/** The state after `chain.size` entries. Never changed in place. */
export interface LedgerState {
  readonly chain: ChainHead;
  readonly experiments: LayeredMap<Digest, ExperimentState>;
  readonly claims: LayeredMap<number, Claim>;
  readonly exposures: LayeredMap<number, Digest>;
  readonly outcomes: LayeredMap<number, Digest>;
  readonly units: LayeredMap<string, KnownUnit>;
  readonly fingerprints: LayeredMap<Digest, readonly FingerprintOwner[]>;
  /** Skeletons of units whose id looks like another spelling than its own, by population and likeness. */
  readonly lookalikes: LayeredMap<string, string>;
  readonly requests: LayeredMap<string, AnsweredRequest>;
  readonly policies: LayeredMap<string, Policy>;
  /** Families without further measurement, with the number of the entry that says so. */
  readonly retiredFamilies: LayeredMap<string, number>;
  /** Signing keys by fingerprint. */
  readonly keys: LayeredMap<string, LedgerKey>;
  /** Entries of other branches by identity, and the number the next one gets. */
  readonly imported: LayeredMap<Digest, ImportedEntry>;
  readonly nextImported: number;
  /** All own entries up to here; null before the first. */
  readonly past: Past | null;
  /** How many entries the longest anchor covers whose proof is about this ledger; whom to believe is for readers. */
  readonly anchored: number;
}

/** The state of a ledger without entries. */
export const emptyState: LedgerState = {
  chain: emptyChain,
  experiments: LayeredMap.empty(),
  claims: LayeredMap.empty(),
  exposures: LayeredMap.empty(),
  outcomes: LayeredMap.empty(),
  units: LayeredMap.empty(),
  fingerprints: LayeredMap.empty(),
  lookalikes: LayeredMap.empty(),
  requests: LayeredMap.empty(),
  policies: LayeredMap.empty(),
  retiredFamilies: LayeredMap.empty(),
  keys: LayeredMap.empty(),
  imported: LayeredMap.empty(),
  nextImported: importedFrom,
  past: null,
  anchored: 0,
};

/** An experiment whose units are spent. */
export type Exposed = ExperimentState & {
  readonly exposure: NonNullable<ExperimentState['exposure']>;
  readonly reservation: NonNullable<ExperimentState['reservation']>;
};

/** Narrows an experiment to an exposed one. */
export function isExposed(experiment: ExperimentState | undefined): experiment is Exposed {
  return (
    experiment !== undefined && experiment.exposure !== null && experiment.reservation !== null
  );
}

/** The state with one experiment replaced. */
export function withExperiment(state: LedgerState, next: ExperimentState): LedgerState {
  return { ...state, experiments: state.experiments.with([[next.plan, next]]) };
}

/** The state with members of a known claim replaced. */
export function withClaim(state: LedgerState, seq: number, change: Partial<Claim>): LedgerState {
  const claim = state.claims.get(seq);
  return claim === undefined
    ? state
    : { ...state, claims: state.claims.with([[seq, { ...claim, ...change }]]) };
}

/** Resolves the digest of a stored object to its bytes, whose digest was checked; null when the object is not there. */
export type ObjectResolver = (object: Digest) => Uint8Array | null;

/** Key of a unit: population and skeleton. */
export function unitKey(population: string, skeleton: string): string {
  return `${population}\n${skeleton}`;
}

/** Key of idempotency. */
export function requestKey(kind: string, requestId: string): string {
  return `${kind}\n${requestId}`;
}

/** The recorded answer of a request and whether it had the same body; undefined for a new request. */
export function answerTo(
  state: LedgerState,
  { kind, requestId, body }: Pick<LedgerEntry, 'kind' | 'requestId' | 'body'>,
): (AnsweredRequest & { readonly isSame: boolean }) | undefined {
  const answered = state.requests.get(requestKey(kind, requestId));
  if (answered === undefined) return undefined;
  return { ...answered, isSame: canonicalText(answered.body) === canonicalText(body) };
}

/** Phase of the experiment with this plan. */
export function phaseOf(state: LedgerState, plan: Digest): Phase {
  return state.experiments.get(plan)?.phase ?? 'none';
}

/** Reservations of a family that were not released. */
export function familyClaims(state: LedgerState, family: string): Claim[] {
  return state.claims
    .values()
    .filter(
      (claim) => claim.kind === 'reserve' && claim.family === family && claim.status !== 'released',
    );
}

/** Error and units of one family, in units of 1e-9 and in units; `looks` counts exposures. */
export interface FamilyBudget {
  readonly family: string;
  readonly heldNano: number;
  readonly spentNano: number;
  readonly looks: number;
  readonly unitsHeld: number;
  readonly unitsExposed: number;
}

/** What every family holds and has spent, sorted by family (code units). Nothing ever decreases `spentNano` or `looks`. */
export function familyBudgets(state: LedgerState): FamilyBudget[] {
  const budgets = new Map<string, FamilyBudget>();
  for (const claim of state.claims.values()) {
    if (claim.kind !== 'reserve' || claim.family === null || claim.status === 'released') continue;
    const before = budgets.get(claim.family) ?? {
      family: claim.family,
      heldNano: 0,
      spentNano: 0,
      looks: 0,
      unitsHeld: 0,
      unitsExposed: 0,
    };
    const exposed = claim.status === 'exposed';
    budgets.set(claim.family, {
      family: claim.family,
      heldNano: before.heldNano + (exposed ? 0 : claim.alphaNano),
      spentNano: before.spentNano + (exposed ? claim.alphaNano : 0),
      looks: before.looks + (exposed ? 1 : 0),
      unitsHeld: before.unitsHeld + (exposed ? 0 : claim.unitCount),
      unitsExposed: before.unitsExposed + (exposed ? claim.unitCount : 0),
    });
  }
  return [...budgets.values()].sort((first, second) =>
    compareCodeUnits(first.family, second.family),
  );
}
