/**
 * Reuse of final units: what a family's policy allows, the slot and the error level of its next measurement, what was disclosed.
 *
 * one-shot (also without a policy): a unit is measured once. alpha-slots: a unit may be measured again, each time in a slot of its own
 *
 *     level of slot k = floor(alphaNano * weights[k] / 1e9 / T)          in units of 1e-9
 *
 * where T is the number of different things that earlier exposures of any of these units can have told and after which the search went
 * on: a union over what was told, so that the sum holds whatever the searcher does (description length; Dwork et al. 2015, Blum and
 * Hardt 2015 bound the same thing with noise). A ship ends the use of its units; therefore "ship or not" tells one thing only.
 */
import { compareCodeUnits } from '../base/canonical.ts';
import type { UnitRecord } from '../spec/units.ts';
import type { EntryOf } from './entry.ts';
import type { Disclosure } from './entry-bodies.ts';
import {
  type Claim,
  type FamilyBudget,
  familyBudgets,
  familyClaims,
  type LedgerState,
  type Policy,
  unitKey,
  withClaim,
} from './projection.ts';
import { conflict, type Step } from './transitions.ts';

const whole = 1_000_000_000;

/** What holds for a family without a recorded policy. */
export function policyOf(state: LedgerState, family: string): Policy {
  return (
    state.policies.get(family) ?? {
      family,
      mode: 'one-shot',
      alphaNano: whole,
      weights: [],
      retireOnShip: false,
      requireSignature: false,
      requireAnchor: false,
    }
  );
}

/** Whether measured units of a family may be measured again. */
export function isReusable(state: LedgerState, family: string | null): boolean {
  return family !== null && policyOf(state, family).mode === 'alpha-slots';
}

function refusePolicy(reason: string, message: string, mend: string): never {
  throw conflict('I9', message, { mend, details: { reason } });
}

function checkPolicy(policy: Policy): void {
  const { family, mode, weights } = policy;
  if (mode === 'online-fdr') {
    refusePolicy(
      'policy-not-enforced',
      `The policy of family "${family}" asks for online-fdr, which this Liftgate does not enforce.`,
      'Record one-shot or alpha-slots; what is not enforced is not recorded.',
    );
  }
  const slots = mode === 'alpha-slots';
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (slots !== weights.length > 0 || total > whole || weights.includes(0)) {
    refusePolicy(
      'policy-weights',
      `The weights of family "${family}" are ${weights.length} and sum to ${total}.`,
      `Give alpha-slots one weight above 0 for each slot, in units of 1e-9, that sum to at most ${whole}; give one-shot none.`,
    );
  }
  if (slots && !policy.retireOnShip) {
    refusePolicy(
      'policy-keeps-shipped',
      `The policy of family "${family}" would measure units again after they let a candidate ship.`,
      'Set retireOnShip: true; the levels of later slots count on it.',
    );
  }
}

/** Whether a policy allows nothing that the one before did not. */
function tightens(before: Policy, next: Policy): boolean {
  const weights = next.weights.every((weight, slot) => weight <= (before.weights[slot] ?? 0));
  const mode = next.mode === before.mode || next.mode === 'one-shot';
  const signed = next.requireSignature || !before.requireSignature;
  const anchored = next.requireAnchor || !before.requireAnchor;
  return mode && weights && signed && anchored && next.alphaNano <= before.alphaNano;
}

/** Records the policy of a family; once units of it are held or exposed it may only become stricter. */
export function applyPolicy(state: LedgerState, { entry }: Step<EntryOf<'policy'>>): LedgerState {
  const { body } = entry;
  checkPolicy(body);
  const claimed = familyClaims(state, body.family).length > 0;
  if (claimed && !tightens(policyOf(state, body.family), body)) {
    refusePolicy(
      'policy-loosened',
      `Units of family "${body.family}" are held or exposed; its policy may only become stricter.`,
      'Keep mode and weights, or lower them; or take fresh units under another family.',
    );
  }
  return { ...state, policies: state.policies.with([[body.family, body]]) };
}

/** The first slot that no held or exposed claim of the family occupies; 0 in one-shot families. */
export function nextSlot(state: LedgerState, family: string): number {
  if (!isReusable(state, family)) return 0;
  const taken = new Set(familyClaims(state, family).map((claim) => claim.slot));
  let slot = 0;
  while (taken.has(slot)) slot += 1;
  return slot;
}

const ranks: Readonly<Record<Disclosure, number>> = {
  'gate-bit': 0,
  rounded: 1,
  aggregate: 2,
  'per-unit': 3,
};

/**
 * In how many ways a measurement that did not ship can have come out, as far as it was shown; null when it is not bounded usefully.
 *
 * `rounded` and `aggregate` count the tables of one binary measure with one pair per unit, (n+1)(n+2)(n+3)/6 for each candidate.
 * @example revealedValues('aggregate', { unitCount: 200, candidates: 1 }) // => 1373701n
 */
export function revealedValues(
  disclosure: Disclosure,
  { unitCount, candidates }: { readonly unitCount: number; readonly candidates: number },
): bigint | null {
  switch (disclosure) {
    case 'gate-bit':
      return 1n;
    case 'rounded':
    case 'aggregate': {
      const n = BigInt(unitCount);
      return (((n + 1n) * (n + 2n) * (n + 3n)) / 6n) ** BigInt(candidates);
    }
    case 'per-unit':
      return null;
  }
}

/**
 * Keeps what a measurement showed; under alpha-slots its units are retired by a ship and by results seen one by one. An abort records
 * nothing of what was seen and counts as everything.
 * @param shown  null for an abort
 * @throws {LiftgateError} ledger-conflict  when less was recorded than the exposure declared (I9)
 */
export function closeLook(
  state: LedgerState,
  expose: number,
  shown: Pick<EntryOf<'outcome'>['body'], 'disclosure' | 'verdict'> | null,
): LedgerState {
  const plan = state.exposures.get(expose);
  const seq = plan === undefined ? undefined : state.experiments.get(plan)?.reservation?.seq;
  const claim = seq === undefined ? undefined : state.claims.get(seq);
  if (claim === undefined) return state;
  const { disclosure, verdict } = shown ?? { disclosure: 'per-unit' as const, verdict: null };
  if (claim.disclosure !== null && ranks[disclosure] < ranks[claim.disclosure]) {
    throw conflict(
      'I9',
      `The outcome discloses "${disclosure}", the exposure declared "${claim.disclosure}".`,
      {
        mend: 'Record at least what was declared; what was shown is never taken back.',
        details: { reason: 'disclosure-understated' },
      },
    );
  }
  const spent = verdict === 'ship' || disclosure === 'per-unit';
  const retired = spent && isReusable(state, claim.family);
  return withClaim(state, claim.seq, { disclosure, retired });
}

/** Earlier exposures of any of these units, each once. */
function exposuresOf(
  state: LedgerState,
  population: string,
  units: readonly UnitRecord[],
): readonly Claim[] {
  const seqs = new Set<number>();
  for (const { skeleton } of units) {
    for (const seq of state.units.get(unitKey(population, skeleton))?.claims ?? []) seqs.add(seq);
  }
  return [...seqs]
    .flatMap((seq) => state.claims.get(seq) ?? [])
    .filter((claim) => claim.status === 'exposed');
}

/** What earlier exposures can have told, or null when they told too much to count. */
function toldBy(exposures: readonly Claim[]): bigint | null {
  let told = 1n;
  for (const claim of exposures) {
    const values = claim.disclosure === null ? null : revealedValues(claim.disclosure, claim);
    if (values === null) return null;
    told *= values;
  }
  return told;
}

/** Error of one slot in units of 1e-9, rounded down. */
export function slotNano(policy: Policy, slot: number, told: bigint | null): number {
  const weight = policy.weights[slot] ?? 0;
  if (told === null || weight === 0) return 0;
  return Number((BigInt(policy.alphaNano) * BigInt(weight)) / BigInt(whole) / told);
}

/** `inference.level` that spends this error: exact, without trailing zeros. */
export function levelText(nano: number): string {
  return `0.${String(whole - nano).padStart(9, '0')}`.replace(/0+$/, '');
}

/** Refuses a reservation whose slot is not the next one, or whose error is more than the slot has (I9). */
export function checkSlot(
  state: LedgerState,
  { body }: EntryOf<'reserve'>,
  units: readonly UnitRecord[],
): void {
  const { family, slot, alphaNano } = body;
  const policy = policyOf(state, family);
  const next = nextSlot(state, family);
  if (slot !== next) {
    throw conflict('I9', `Slot ${slot} of family "${family}" was asked for; ${next} is next.`, {
      mend: 'Read the ledger again and take the next slot; one-shot families have slot 0 only.',
      details: { reason: 'slot-unknown', slot: next },
    });
  }
  const allowed =
    policy.mode === 'one-shot'
      ? policy.alphaNano
      : slotNano(policy, slot, toldBy(exposuresOf(state, body.population, units)));
  if (alphaNano <= allowed) return;
  const details = { reason: 'slot-level', slot, alphaNano: allowed };
  if (allowed === 0) {
    throw conflict('I9', `Family "${family}" has no error left for a measurement of these units.`, {
      mend: 'Take fresh units under another family; `liftgate ledger budget` shows what is spent.',
      details,
    });
  }
  throw conflict(
    'I9',
    `The design spends ${alphaNano} nano of error; slot ${slot} of family "${family}" has ${allowed}.`,
    {
      mend: `Declare inference.level: ${levelText(allowed)}, or higher, and seal again; \`liftgate ledger budget\` shows the next level.`,
      details,
    },
  );
}

/** What a family has, spends and holds; error in units of 1e-9, units counted once each. */
export interface ReuseBudget extends FamilyBudget {
  readonly mode: Policy['mode'];
  /** All its measurements together; null in one-shot families, where each measures fresh units at its own level. */
  readonly totalNano: number | null;
  readonly leftNano: number | null;
  readonly slots: number | null;
  /** Slot and error of the next look at fresh units, and at units measured before; null when there is none. */
  readonly nextSlot: number | null;
  readonly nextNano: number | null;
  readonly repeatNano: number | null;
  readonly unitsFree: number;
  readonly unitsRetired: number;
  /** Number of the entry that retired the whole family; null while it may be measured. */
  readonly retiredSeq: number | null;
}

type Standing = 'free' | 'held' | 'exposed' | 'retired';

function standingOf(claims: readonly Claim[]): Standing {
  if (claims.some(({ retired, status }) => retired || status === 'contested')) return 'retired';
  if (claims.some(({ status }) => status === 'held')) return 'held';
  return claims.some(({ status }) => status === 'exposed') ? 'exposed' : 'free';
}

function countUnits(state: LedgerState): Map<string, Record<Standing, number>> {
  const families = new Map<string, Record<Standing, number>>();
  for (const { claims: seqs } of state.units.values()) {
    const claims = seqs.flatMap((seq) => state.claims.get(seq) ?? []);
    const family = claims.find((claim) => claim.family !== null)?.family;
    if (family === null || family === undefined) continue;
    const counts = families.get(family) ?? { free: 0, held: 0, exposed: 0, retired: 0 };
    const retired = state.retiredFamilies.get(family) !== undefined;
    counts[retired ? 'retired' : standingOf(claims)] += 1;
    families.set(family, counts);
  }
  return families;
}

function nextLook(state: LedgerState, policy: Policy) {
  if (state.retiredFamilies.get(policy.family) !== undefined) {
    return { nextSlot: null, nextNano: null, repeatNano: null };
  }
  if (policy.mode === 'one-shot') {
    const level = state.policies.get(policy.family) === undefined ? null : policy.alphaNano;
    return { nextSlot: 0, nextNano: level, repeatNano: null };
  }
  const slot = nextSlot(state, policy.family);
  const exposed = familyClaims(state, policy.family).filter(({ status }) => status === 'exposed');
  const reusable = exposed.filter(({ retired }) => !retired);
  const fresh = slotNano(policy, slot, 1n);
  const again = reusable.length === 0 ? 0 : slotNano(policy, slot, toldBy(reusable));
  const some = (nano: number) => (nano === 0 ? null : nano);
  return { nextSlot: fresh === 0 ? null : slot, nextNano: some(fresh), repeatNano: some(again) };
}

/** What every family with a policy or a claim has, sorted by family (code units). */
export function reuseBudgets(state: LedgerState): ReuseBudget[] {
  const spent = new Map(familyBudgets(state).map((each) => [each.family, each]));
  const counts = countUnits(state);
  const families = new Set([
    ...spent.keys(),
    ...counts.keys(),
    ...state.policies.values().map((each) => each.family),
    ...state.retiredFamilies.entries().map(([family]) => family),
  ]);
  return [...families].sort(compareCodeUnits).map((family) => {
    const policy = policyOf(state, family);
    const slots = policy.mode === 'alpha-slots';
    const { heldNano = 0, spentNano = 0, looks = 0 } = spent.get(family) ?? {};
    const units = counts.get(family) ?? { free: 0, held: 0, exposed: 0, retired: 0 };
    return {
      ...{ family, mode: policy.mode, heldNano, spentNano, looks },
      totalNano: slots ? policy.alphaNano : null,
      leftNano: slots ? policy.alphaNano - heldNano - spentNano : null,
      slots: slots ? policy.weights.length : null,
      ...nextLook(state, policy),
      unitsFree: units.free,
      unitsHeld: units.held,
      unitsExposed: units.exposed,
      unitsRetired: units.retired,
      retiredSeq: state.retiredFamilies.get(family) ?? null,
    };
  });
}
