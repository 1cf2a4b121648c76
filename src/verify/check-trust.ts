/** Who vouches for the ledger and its outcome: checkpoints, signed statements, and what a reader demands of them. */
import { canonicalText } from '../base/canonical.ts';
import { fingerprintOf } from '../base/signature.ts';
import { describeKey, type TrustedKey } from '../base/trust.ts';
import type { AnchorTrust } from '../ledger/anchor.ts';
import { contradictionOf, type SignedCheckpoint, signersOf } from '../ledger/checkpoint.ts';
import { recordedSeal, type StoredEntry } from '../ledger/entry.ts';
import { historiesOf, type KnownEntry, knownEntries } from '../ledger/histories.ts';
import {
  type CountingKey,
  countingKeys,
  type Standing,
  standingOnCheckpoint,
  standingOnStatement,
} from '../ledger/key-trust.ts';
import { emptyState } from '../ledger/projection.ts';
import type { CaseIndex } from '../spec/case-index.ts';
import { type SealedExperiment, sealDigest } from '../spec/seal.ts';
import type { TextsAtHand } from './across.ts';
import { checkpointsIn, type NoteFiles } from './bundle.ts';
import { anchorsOf, checkAnchored } from './check-anchors.ts';
import { outcomeOf } from './check-entries.ts';
import type { Checklist, CheckName, Fault, Finding } from './checklist.ts';
import { findingOf } from './checklist.ts';
import type { Reruns } from './gate-record.ts';
import type { LedgerView, Reading } from './reading.ts';
import { openStatement, type Statement, statementOf } from './statement.ts';

/** What a reader may demand of the evidence behind an outcome. */
export const requirements = ['signed', 'witnessed', 'anchored'] as const;
/**
 * `signed`: a trusted key signed a checkpoint that covers the outcome, or a statement about it; `witnessed`: two different trusted
 * signers did; `anchored`: an anchor that the reader believes covers it.
 */
export type Requirement = (typeof requirements)[number];

/** What the reader brings along; none of it is taken from what is checked. */
export interface Demands {
  /** Signed notes and proofs of time that came with the ledger. */
  readonly notes: NoteFiles;
  /** Keys whose signatures count; none: no signature does. */
  readonly trust: readonly TrustedKey[];
  readonly require: readonly Requirement[];
  /** A signed statement about this run. */
  readonly statement: { readonly file: string; readonly bytes: Uint8Array } | null;
  /** Time-stamping authorities and commits that the reader believes; none when left out. */
  readonly anchors?: Pick<AnchorTrust, 'authorities' | 'commits'>;
  /** Simulates the sealed power again (`checkPower`); nothing does when left out. */
  readonly power?: (seal: SealedExperiment, index: CaseIndex) => Finding;
  /** What the recorded code of custom gates said when the reader had it run again; left out where nobody did. */
  readonly reruns?: Reruns;
  /** Texts of the experiments of this ledger; none when left out. */
  readonly texts?: TextsAtHand;
}

/** Nothing demanded, nobody trusted. */
export const noDemands: Demands = { notes: new Map(), trust: [], require: [], statement: null };

/** A checkpoint that the ledger continues. */
export interface CoveringCheckpoint {
  readonly file: string;
  readonly size: number;
  readonly signers: readonly TrustedKey[];
  /** Why signatures of trusted keys on it do not count. */
  readonly idle: readonly string[];
}

/** Who was found to vouch for what. */
export interface Vouchers {
  readonly checkpoints: CoveringCheckpoint[];
  /** Keys behind the outcome: signers of checkpoints that cover it and of a statement about it. */
  readonly signers: CountingKey[];
  /** The trusted keys and those they have introduced in the ledger. */
  readonly keys: readonly CountingKey[];
}

/** Adds the checks of checkpoints, statement and demands; what there is none of is not listed. */
export function checkTrust(
  list: Checklist,
  ledger: LedgerView | null,
  { demands, read }: { readonly demands: Demands; readonly read: Reading },
): Vouchers {
  const keys = countingKeys(ledger?.state ?? emptyState, demands.trust);
  const vouchers: Vouchers = { checkpoints: [], signers: [], keys };
  const demanded = requirements.filter((each) => demands.require.includes(each));
  if (ledger === null || ledger.problems.length > 0 || read.entries === undefined) {
    const faults = ['without a sound ledger and a readable run there is nothing to vouch for'];
    for (const id of [...(demands.statement === null ? [] : ['statement' as const]), ...demanded])
      list.run(trustNames[id], () => ({ faults }));
    return vouchers;
  }
  const outcome = outcomeOf(ledger, read.entries, read.manifest);
  const vouching = { demands, outcome, vouchers };
  if ([...demands.notes.keys()].some((name) => name.endsWith('.txt'))) {
    list.run(trustNames.checkpoints, () => checkCheckpoints(ledger, vouching));
  }
  if (demands.statement !== null) {
    list.run(trustNames.statement, () => checkStatement(ledger, { ...vouching, read }));
  }
  for (const requirement of demanded) {
    list.run(trustNames[requirement], () => checkRequirement(requirement, ledger, vouching));
  }
  return vouchers;
}

/** The checks by what is demanded. */
export const trustNames = {
  checkpoints: {
    id: 'checkpoints',
    title: 'every checkpoint is the beginning of this ledger, and no trusted signature is broken',
    code: 'checkpoint-contradicted',
  },
  statement: {
    id: 'statement',
    title: 'the signed statement says what this run and its ledger say',
    code: 'statement-differs',
  },
  signed: {
    id: 'signed',
    title: 'a trusted signer vouches for the outcome',
    code: 'signature-missing',
  },
  witnessed: {
    id: 'witnessed',
    title: 'two different trusted signers vouch for the outcome',
    code: 'signature-missing',
  },
  anchored: {
    id: 'anchored',
    title: 'an outside proof that the reader believes covers the outcome',
    code: 'anchor-missing',
  },
} as const satisfies Readonly<Record<string, CheckName>>;

/** What is demanded, for which outcome, and who was found so far. */
export interface Vouching {
  readonly demands: Demands;
  readonly outcome: KnownEntry | null;
  readonly vouchers: Vouchers;
}

/** A checkpoint, the history it is the beginning of, and the trusted keys that signed it. */
interface ShownCheckpoint {
  readonly file: string;
  readonly signed: SignedCheckpoint;
  readonly history: readonly StoredEntry[];
  readonly signers: readonly CountingKey[];
}

/** Signatures of trusted keys by their standing; one that its key had no right to give is a fault. */
function standings(
  file: string,
  signers: readonly CountingKey[],
  standing: (key: CountingKey) => Standing,
): { readonly counting: CountingKey[]; readonly faults: Fault[]; readonly idle: string[] } {
  const found = { counting: [] as CountingKey[], faults: [] as Fault[], idle: [] as string[] };
  for (const key of signers) {
    const result = standing(key);
    if (result.counts) found.counting.push(key);
    else if (result.misused)
      found.faults.push({ code: 'key-misused', message: `${file}: ${result.reason}` });
    else found.idle.push(result.reason);
  }
  return found;
}

/** Counts the signatures on checkpoints that this ledger continues. */
function weigh(
  ledger: LedgerView,
  shown: readonly ShownCheckpoint[],
  { outcome, vouchers }: Vouching,
): Fault[] {
  const known = knownEntries(ledger.state ?? emptyState).values();
  const byNumber = new Map([...known].map((each) => [each.number, each]));
  const coverageOf = ({ history, signed }: ShownCheckpoint) => {
    const covered = coveredBy(history, signed.size);
    return (seq: number) => {
      const entry = byNumber.get(seq);
      return entry !== undefined && covered(entry);
    };
  };
  const valid = shown
    .filter(({ signers }) => signers.some(({ ended }) => ended === null))
    .map(coverageOf);
  const vouched = (seq: number) => valid.some((covers) => covers(seq));
  return shown.flatMap((each) => {
    const { file, history, signers } = each;
    const { size } = each.signed;
    const covers = coverageOf(each);
    const found = standings(file, signers, (key) => standingOnCheckpoint(key, { covers, vouched }));
    vouchers.checkpoints.push({ file, size, signers: found.counting, idle: found.idle });
    if (outcome !== null && coveredBy(history, size)(outcome))
      vouchers.signers.push(...found.counting);
    return found.faults;
  });
}

/** Every checkpoint is the beginning of this ledger; counts its trusted signatures among the vouchers. */
export function checkCheckpoints(ledger: LedgerView, vouching: Vouching): Finding {
  const { demands, vouchers } = vouching;
  const faults: Fault[] = [];
  const found: ShownCheckpoint[] = [];
  const histories = historiesOf(ledger.state ?? emptyState);
  for (const { file, signed } of checkpointsIn(demands.notes)) {
    const message = contradictionOf(ledger.entries, signed);
    const history = histories.find((entries) => contradictionOf(entries, signed) === null);
    if (history === undefined) {
      const contradiction = `${file}: ${message ?? 'the ledger is another one'}`;
      faults.push({ code: 'checkpoint-contradicted', message: contradiction });
      continue;
    }
    const signers = vouchers.keys.filter((key) => signersOf(signed, [key], file).length > 0);
    found.push({ file, signed, history, signers });
  }
  faults.push(...weigh(ledger, found, vouching));
  const shown = vouchers.checkpoints.map(({ size, signers }) => {
    const by = signers.map(({ name }) => name).join(', ');
    return `${size} entries (${by === '' ? 'nobody trusted' : by})`;
  });
  return findingOf(faults, shown.join('; '));
}

/** Tells whether the first entries of a history hold an entry, themselves or in a branch that one of them imported. */
function coveredBy(history: readonly StoredEntry[], size: number): (entry: KnownEntry) => boolean {
  const first = history.slice(0, size);
  const own = new Set(first.map(({ entryId }) => entryId));
  const imports = new Set(
    first.filter(({ entry }) => entry.kind === 'import').map(({ entryId }) => entryId),
  );
  return ({ stored, heldById }) => own.has(stored.entryId) || imports.has(heldById);
}

function checkStatement(
  ledger: LedgerView,
  { demands, outcome, vouchers, read }: Vouching & { readonly read: Reading },
): Finding {
  const { statement: file } = demands;
  if (file === null) return { detail: '' };
  const { statement, signers } = openStatement(file.bytes, {
    trust: vouchers.keys,
    file: file.file,
  });
  const { stage, entry } = statement.predicate;
  const expected = expectedStatement(stage, { ledger, outcome, read });
  if (expected === null) return { faults: ['what it is about could not be read'] };
  if (canonicalText(expected) !== canonicalText(statement)) {
    return { faults: [`${differingMembers(statement, expected)} differ from this run`] };
  }
  const about = knownEntries(ledger.state ?? emptyState).get(entry.id)?.number ?? entry.seq;
  const signed = vouchers.keys.filter((key) => signers.includes(key));
  const { counting, faults, idle } = standings(file.file, signed, (key) =>
    standingOnStatement(key, about),
  );
  if (signers.length === 0)
    return { detail: `stage ${stage}, signed by nobody: it vouches for nothing` };
  if (counting.length === 0) {
    const unused = idle.map((message): Fault => ({ code: 'signature-missing', message }));
    return { faults: [...faults, ...unused] };
  }
  if (stage === 'outcome') vouchers.signers.push(...counting);
  return findingOf(faults, `stage ${stage}, signed by ${counting.map(describeKey).join(', ')}`);
}

/** The statement that this run and ledger would make at a stage. */
function expectedStatement(
  stage: Statement['predicate']['stage'],
  found: {
    readonly ledger: LedgerView;
    readonly outcome: KnownEntry | null;
    readonly read: Reading;
  },
): Statement | null {
  const { ledger, outcome, read } = found;
  const { plan, seal, manifest, document } = read;
  if (plan === undefined || seal === undefined) return null;
  if (stage === 'outcome') {
    if (outcome === null || manifest === undefined || document === undefined) return null;
    return statementOf({ seal, entry: outcome.stored, result: { manifest, document } });
  }
  const sealed = stage === 'plan' ? plan : seal;
  const digest = sealDigest(sealed);
  const known = [...knownEntries(ledger.state ?? emptyState).values()];
  const entry = known.find((each) => recordedSeal(each.entry)?.digest === digest)?.stored;
  return entry === undefined ? null : statementOf({ seal: sealed, entry, result: null });
}

/** Members of a statement that are not as they should be, in words. */
function differingMembers(found: Statement, expected: Statement): string {
  const members = Object.entries(expected.predicate)
    .filter(
      ([name, value]) => canonicalText(value) !== canonicalText(Reflect.get(found.predicate, name)),
    )
    .map(([name]) => `predicate.${name}`);
  const subject = canonicalText(found.subject) === canonicalText(expected.subject);
  return [...(subject ? [] : ['subject']), ...members].join(', ');
}

/** Whether those who were found to vouch for an outcome are as many as a demand wants. */
export function checkRequirement(
  requirement: Requirement,
  ledger: LedgerView,
  { demands, outcome, vouchers }: Vouching,
): Finding {
  const { notes, anchors = { authorities: [], commits: [] } } = demands;
  const { signers } = vouchers;
  const shown = [...new Set(signers.map(describeKey))].join(', ');
  switch (requirement) {
    case 'signed':
      return signers.length > 0 ? { detail: shown } : { faults: [unsigned] };
    case 'witnessed': {
      // Two names for one key, two keys of one person, and a key that the other has introduced are one signer.
      const people = new Set(signers.map(({ root }) => root.name)).size;
      const keys = new Set(signers.map(({ root }) => fingerprintOf(root.key))).size;
      if (people > 1 && keys > 1) return { detail: shown };
      return { faults: [signers.length === 0 ? unsigned : `only ${shown} vouches for it`] };
    }
    case 'anchored': {
      // A key that the ledger has ended may be in other hands, and a note can be written for any day.
      const lasting = vouchers.keys.filter(
        ({ ended, keyId, root }) => ended === null && keyId === fingerprintOf(root.key),
      );
      return checkAnchored(anchorsOf(ledger, notes, { keys: lasting, ...anchors }), outcome);
    }
  }
}

const unsigned =
  'no trusted key signed a checkpoint that covers the outcome, or a statement about it';
