/** What an auditor asks of a verified run, in a few lines: which ledger, who saw it, what was claimed when, how often, at what price. */
import { digestHex } from '../base/digest.ts';
import { isKind, type LedgerEntry } from '../ledger/entry.ts';
import { inOrder } from '../ledger/key-trust.ts';
import type { ExperimentState, LedgerKey } from '../ledger/projection.ts';
import { type ReuseBudget, reuseBudgets } from '../ledger/reuse.ts';
import { causesOf } from '../spec/amendment.ts';
import { finalCases } from '../spec/case-index.ts';
import {
  type AcrossExperiments,
  acrossExperiments,
  acrossLines,
  type TextsAtHand,
} from './across.ts';
import { type RecordedAmendment, recordedAmendments } from './check-amendments.ts';
import { outcomeOf } from './check-entries.ts';
import type { Demands, Vouchers } from './check-trust.ts';
import type { LedgerView, Reading } from './reading.ts';

/** Facts for an auditor; `experiment` is null when the run could not be read. */
export interface Audit {
  readonly ledger: {
    readonly id: string | null;
    readonly origin: string | null;
    readonly genesis: string | null;
    readonly entries: number;
    readonly head: string | null;
    readonly root: string;
    readonly sound: boolean;
    readonly completeness: 'unknown' | 'pinned' | 'contradicted';
    readonly completenessDetail: string;
  };
  readonly checkpoints: readonly {
    readonly file: string;
    readonly size: number;
    /** Names of the trusted keys that signed it. */
    readonly signers: readonly string[];
    /** Why other signatures of trusted keys on it do not count. */
    readonly idle: readonly string[];
  }[];
  /** Signing keys of the ledger in the order of their entries. */
  readonly keys: readonly AuditedKey[];
  /** Number of the first entry that no trusted checkpoint covers. */
  readonly unsignedFrom: number;
  readonly experiment: ExperimentAudit | null;
}

/** A signing key of the ledger. */
export interface AuditedKey extends Pick<LedgerKey, 'keyId' | 'name' | 'scopes' | 'addedSeq'> {
  /** How it ended; null while it is valid. */
  readonly ended: { readonly seq: number; readonly how: 'rotated' | 'revoked' } | null;
  /** Whether it is a key of the reader's list, or one that such a key has introduced. */
  readonly trusted: boolean;
}

/** Facts about one run. */
export interface ExperimentAudit {
  readonly id: string;
  /** Numbers of the entries; null where there is none. */
  readonly entries: {
    readonly plan: number | null;
    readonly reserve: number;
    readonly expose: number;
    readonly outcome: number | null;
  };
  readonly attempts: number;
  readonly verdict: string | null;
  readonly population: string;
  readonly family: string;
  readonly units: number;
  readonly cases: number;
  readonly developmentUnits: number;
  readonly receipts: number | null;
  readonly plannedCells: number;
  readonly arms: readonly { readonly id: string; readonly tree: string }[];
  readonly evaluator: string;
  readonly engine: string;
  /** What the receipts give when everything is computed again, and whether that is what was recorded; null when it could not be. */
  readonly recomputed: {
    readonly decisions: readonly { readonly candidate: string; readonly decision: string }[];
    readonly asRecorded: boolean;
  } | null;
  readonly claim: ClaimHistory;
  /** Amendments of the plan before its exposure, oldest first. */
  readonly amendments: readonly RecordedAmendment[];
  /** Units of this run that resemble units of other experiments. */
  readonly across: AcrossExperiments;
}

/** What became of everything sealed under this name, and of this family of units; error in units of 1e-9. */
export interface ClaimHistory {
  readonly seals: number;
  /** Plans of this name that were never exposed, and not amended either. */
  readonly abandoned: number;
  /** Plans of this name that an amendment replaced. */
  readonly amended: number;
  /** Final seals of this plan, and of those it replaced, beside the exposed one. */
  readonly otherFinals: number;
  readonly voided: number;
  /** Reuse policy of the family; null when the ledger could not be followed. */
  readonly policy: ReuseBudget['mode'] | null;
  readonly looks: number;
  readonly spentNano: number;
  readonly heldNano: number;
  /** All the error of the family; null where every measurement has fresh units. */
  readonly totalNano: number | null;
}

/** Collects the facts from what verification has read. */
export function auditOf(
  read: Reading,
  ledger: LedgerView,
  { checkpoints, keys, texts }: Pick<Vouchers, 'checkpoints' | 'keys'> & Pick<Demands, 'texts'>,
): Audit {
  const { report, entries } = ledger;
  const first = entries[0];
  const signed = checkpoints.filter(({ signers }) => signers.length > 0);
  return {
    ledger: {
      id: report.ledger,
      origin: first === undefined ? null : originOf(first.entry),
      genesis: first?.entryId ?? null,
      entries: report.entries,
      head: report.head,
      root: report.root,
      sound: report.ok,
      completeness: report.completeness,
      completenessDetail: report.completenessDetail,
    },
    checkpoints: checkpoints.map(({ file, size, signers, idle }) => ({
      file,
      size,
      signers: signers.map(({ name }) => name),
      idle,
    })),
    keys: auditedKeys(ledger, keys),
    unsignedFrom: Math.max(0, ...signed.map(({ size }) => size)),
    experiment: experimentAudit(read, ledger, texts ?? null),
  };
}

function auditedKeys({ state }: LedgerView, trusted: Vouchers['keys']): AuditedKey[] {
  const known = new Set(trusted.map(({ keyId }) => keyId));
  return (state === null ? [] : inOrder(state)).map(({ keyId, name, scopes, addedSeq, ended }) => ({
    ...{ keyId, name, scopes, addedSeq, trusted: known.has(keyId) },
    ended: ended === null ? null : { seq: ended.seq, how: ended.how },
  }));
}

function originOf(entry: LedgerEntry): string | null {
  return isKind(entry, 'genesis') ? entry.body.origin : null;
}

function experimentAudit(
  read: Reading,
  ledger: LedgerView,
  texts: TextsAtHand | null,
): ExperimentAudit | null {
  const { seal, index, entries, lines } = read;
  if (seal === undefined || index === undefined || entries === undefined) return null;
  const { reserve, expose } = entries;
  const outcome = outcomeOf(ledger, entries, read.manifest)?.entry;
  const { population, family } = reserve.entry.body;
  const experiments = [...(ledger.state?.experiments.values() ?? [])];
  const own = experiments.find(({ plan }) => plan === seal.plan);
  return {
    id: seal.experimentId,
    entries: {
      plan: own?.sealedSeq ?? null,
      reserve: reserve.entry.seq,
      expose: expose.entry.seq,
      outcome: outcome?.seq ?? null,
    },
    attempts: entries.rights.length,
    verdict: outcome !== undefined && isKind(outcome, 'outcome') ? outcome.body.verdict : null,
    population,
    family,
    units: seal.units.count,
    cases: finalCases(index).length,
    developmentUnits: seal.development?.count ?? 0,
    receipts: lines?.length ?? null,
    plannedCells: seal.cells.plannedCount,
    arms: seal.arms.map(({ id, tree }) => ({ id, tree })),
    evaluator: seal.evaluator.tree,
    engine: `${seal.engine.name} ${seal.engine.version}`,
    recomputed: recomputedOf(read),
    claim: claimHistory(
      experiments.filter(({ experimentId }) => experimentId === seal.experimentId),
      own,
      ledger.state === null
        ? undefined
        : reuseBudgets(ledger.state).find((each) => each.family === family),
    ),
    amendments: recordedAmendments(seal, ledger.state),
    across: acrossExperiments(seal, ledger.state, texts),
  };
}

function recomputedOf({ document, asRecorded = false }: Reading): ExperimentAudit['recomputed'] {
  if (document === undefined) return null;
  const decisions = document.decisions.map(({ candidate, decision }) => ({ candidate, decision }));
  return { decisions, asRecorded };
}

function claimHistory(
  named: readonly ExperimentState[],
  own: ExperimentState | undefined,
  budget: ReuseBudget | undefined,
): ClaimHistory {
  return {
    seals: named.length,
    abandoned: named.filter(({ exposure, phase }) => exposure === null && phase !== 'amended')
      .length,
    amended: named.filter(({ phase }) => phase === 'amended').length,
    otherFinals: Math.max(0, finalsOf(own, named) - 1),
    voided: named.filter(({ voided }) => voided !== null).length,
    policy: budget?.mode ?? null,
    looks: budget?.looks ?? 0,
    spentNano: budget?.spentNano ?? 0,
    heldNano: budget?.heldNano ?? 0,
    totalNano: budget?.totalNano ?? null,
  };
}

/** Final seals bound to a plan and to those it replaced; 1 when the plan is unknown. */
function finalsOf(own: ExperimentState | undefined, named: readonly ExperimentState[]): number {
  if (own === undefined) return 1;
  const before = named.find(({ plan }) => plan === own.amendsPlan);
  return own.finals.length + (before === undefined ? 0 : finalsOf(before, named));
}

/** Error in units of 1e-9 as a decimal fraction, exact. */
function shownError(nano: number): string {
  const digits = String(nano).padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

const short = (digest: string): string => digestHex(digest as `sha256:${string}`).slice(0, 12);

/**
 * The audit as lines of text.
 * @param program  this engine as seals name it, for comparison; e.g. `liftgate 0.1.0`
 */
export function auditLines(audit: Audit, program: string): string[] {
  const { ledger, checkpoints, unsignedFrom, keys, experiment } = audit;
  const seen = checkpoints.flatMap(({ file, size, signers, idle }) => [
    `           checkpoint ${file}: ${size} entries, ${signers.length === 0 ? 'no trusted signer' : `signed by ${signers.join(', ')}`}`,
    ...idle.map((reason) => `             not counted: ${reason}`),
  ]);
  const tail =
    unsignedFrom >= ledger.entries
      ? 'every entry is signed for'
      : `entries ${unsignedFrom}..${ledger.entries - 1} are signed for by nobody trusted`;
  return [
    `ledger     ${ledger.id ?? 'none'}  origin ${ledger.origin ?? 'unknown'}  genesis ${ledger.genesis ?? 'unknown'}`,
    `history    ${ledger.entries} entries, ${ledger.sound ? 'sound' : 'DAMAGED'}, head ${ledger.head ?? 'none'}, root ${ledger.root}`,
    `pinned     ${ledger.completenessDetail}`,
    ...seen,
    `           ${tail}`,
    ...keys.map((key, at) => `${at === 0 ? 'keys      ' : '          '} ${keyText(key)}`),
    ...(experiment === null ? [] : experimentLines(experiment, program)),
  ];
}

function keyText({ name, keyId, scopes, addedSeq, ended, trusted }: AuditedKey): string {
  const until = ended === null ? '' : `, ${ended.how} in #${ended.seq}`;
  return `${name} ${keyId} may sign ${scopes.join(', ')} since #${addedSeq}${until}${trusted ? '' : '; nobody you trust stands behind it'}`;
}

function amendmentText({ entry, reason, changed, seen }: RecordedAmendment): string {
  const declared = seen.declared.map((each) => `; declared: ${each}`).join('');
  return `amended ${place(entry)}: ${reason}; changed ${causesOf(changed).join(', ')}; seen by then: ${seen.exposures.length} exposures of the family, ${seen.finals.length} final seals${declared}`;
}

function experimentLines(facts: ExperimentAudit, program: string): string[] {
  const { entries, claim } = facts;
  const arms = facts.arms.map(({ id, tree }) => `${id} ${short(tree)}`).join(', ');
  const counted = (count: number, what: string): string =>
    `${count} ${what}${count === 1 ? '' : 's'}`;
  return [
    `experiment ${facts.id}: plan seal ${place(entries.plan)}, reserved ${place(entries.reserve)}, exposed ${place(entries.expose)}, ${counted(facts.attempts, 'attempt')}, outcome ${place(entries.outcome)}: ${facts.verdict ?? 'none'}`,
    `           ${counted(facts.units, 'unit')} of ${facts.population} (family ${facts.family}), ${counted(facts.cases, 'final case')}; ${counted(facts.developmentUnits, 'development unit')}`,
    `           ${facts.receipts ?? 'unreadable'} receipts for ${facts.plannedCells} planned cells; arms ${arms}; evaluator ${short(facts.evaluator)}; sealed by ${facts.engine}, checked by ${program}`,
    `           recomputed: ${recomputedText(facts.recomputed)}`,
    ...facts.amendments.map((each) => `           ${amendmentText(each)}`),
    `           ${counted(claim.seals, 'plan seal')} of this name (${claim.abandoned} never measured${claim.amended === 0 ? '' : `, ${claim.amended} amended`}), ${claim.otherFinals} other final seals of this plan, ${counted(claim.voided, 'voided outcome')}`,
    `           family ${facts.family} (${claim.policy ?? 'policy unknown'}): ${counted(claim.looks, 'final measurement')}, error spent ${shownError(claim.spentNano)}, held ${shownError(claim.heldNano)}${claim.totalNano === null ? '' : ` of ${shownError(claim.totalNano)}`}`,
    ...acrossLines(facts.across).map(
      (line, at) => `${at === 0 ? 'near copies' : '           '} ${line}`,
    ),
  ];
}

function recomputedText(recomputed: ExperimentAudit['recomputed']): string {
  if (recomputed === null) return 'nothing could be';
  const shown = recomputed.decisions.map(({ candidate, decision }) => `${candidate} ${decision}`);
  return `${shown.join(', ')}${recomputed.asRecorded ? ' = recorded' : ', which is NOT what was recorded'}`;
}

function place(seq: number | null): string {
  return seq === null ? 'unknown' : `#${seq}`;
}
