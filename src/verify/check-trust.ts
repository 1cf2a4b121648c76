/** Who vouches for the ledger and its outcome: checkpoints, signed statements, and what a reader demands of them. */
import { canonicalText } from '../base/canonical.ts';
import { fingerprintOf } from '../base/signature.ts';
import { describeKey, type TrustedKey } from '../base/trust.ts';
import { contradictionOf, signersOf } from '../ledger/checkpoint.ts';
import { recordedSeal, type StoredEntry } from '../ledger/entry.ts';
import { historiesOf, type KnownEntry, knownEntries } from '../ledger/histories.ts';
import { emptyState } from '../ledger/projection.ts';
import { sealDigest } from '../spec/seal.ts';
import { checkpointsIn, type NoteFiles } from './bundle.ts';
import { outcomeOf } from './check-entries.ts';
import type { Checklist, CheckName, Fault, Finding } from './checklist.ts';
import { findingOf } from './checklist.ts';
import type { LedgerView, Reading } from './reading.ts';
import { openStatement, type Statement, statementOf } from './statement.ts';

/** What a reader may demand of the evidence behind an outcome. */
export const requirements = ['signed', 'witnessed', 'anchored'] as const;
/**
 * `signed`: a trusted key signed a checkpoint that covers the outcome, or a statement about it; `witnessed`: two different trusted
 * signers did; `anchored`: a proof of time covers it.
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
}

/** Nothing demanded, nobody trusted. */
export const noDemands: Demands = { notes: new Map(), trust: [], require: [], statement: null };

/** A checkpoint that the ledger continues. */
export interface CoveringCheckpoint {
  readonly file: string;
  readonly size: number;
  readonly signers: readonly TrustedKey[];
}

/** Who was found to vouch for what. */
export interface Vouchers {
  readonly checkpoints: CoveringCheckpoint[];
  /** Trusted keys behind the outcome: signers of checkpoints that cover it and of a statement about it. */
  readonly signers: TrustedKey[];
}

/** Adds the checks of checkpoints, statement and demands; what there is none of is not listed. */
export function checkTrust(
  list: Checklist,
  ledger: LedgerView | null,
  { demands, read }: { readonly demands: Demands; readonly read: Reading },
): Vouchers {
  const vouchers: Vouchers = { checkpoints: [], signers: [] };
  const demanded = requirements.filter((each) => demands.require.includes(each));
  if (ledger === null || ledger.problems.length > 0 || read.entries === undefined) {
    const faults = ['without a sound ledger and a readable run there is nothing to vouch for'];
    for (const id of [...(demands.statement === null ? [] : ['statement' as const]), ...demanded])
      list.run(names[id], () => ({ faults }));
    return vouchers;
  }
  const outcome = outcomeOf(ledger, read.entries, read.manifest);
  if ([...demands.notes.keys()].some((name) => name.endsWith('.txt'))) {
    list.run(names.checkpoints, () => checkCheckpoints(ledger, { demands, outcome, vouchers }));
  }
  if (demands.statement !== null) {
    list.run(names.statement, () => checkStatement(ledger, { demands, outcome, vouchers, read }));
  }
  for (const requirement of demanded) {
    list.run(names[requirement], () => checkRequirement(requirement, demands, vouchers));
  }
  return vouchers;
}

const names = {
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
    title: 'a proof of time covers the outcome',
    code: 'signature-missing',
  },
} as const satisfies Readonly<Record<string, CheckName>>;

interface Vouching {
  readonly demands: Demands;
  readonly outcome: KnownEntry | null;
  readonly vouchers: Vouchers;
}

function checkCheckpoints(ledger: LedgerView, { demands, outcome, vouchers }: Vouching): Finding {
  const faults: Fault[] = [];
  const histories = historiesOf(ledger.state ?? emptyState);
  for (const { file, signed } of checkpointsIn(demands.notes)) {
    const message = contradictionOf(ledger.entries, signed);
    const shown = histories.find((entries) => contradictionOf(entries, signed) === null);
    if (shown === undefined) {
      const contradiction = `${file}: ${message ?? 'the ledger is another one'}`;
      faults.push({ code: 'checkpoint-contradicted', message: contradiction });
      continue;
    }
    const signers = demands.trust.filter((key) => signersOf(signed, [key], file).length > 0);
    vouchers.checkpoints.push({ file, size: signed.size, signers });
    if (outcome !== null && covers(shown, signed.size, outcome)) vouchers.signers.push(...signers);
  }
  const shown = vouchers.checkpoints.map(({ size, signers }) => {
    const by = signers.map(({ name }) => name).join(', ');
    return `${size} entries (${by === '' ? 'nobody trusted' : by})`;
  });
  return findingOf(faults, shown.join('; '));
}

/** Whether the first entries of a history hold an outcome, themselves or in a branch that one of them imported. */
function covers(history: readonly StoredEntry[], size: number, outcome: KnownEntry): boolean {
  const first = history.slice(0, size);
  return first.some(
    ({ entry, entryId }) =>
      entryId === outcome.stored.entryId ||
      (entry.kind === 'import' && entryId === outcome.heldById),
  );
}

function checkStatement(
  ledger: LedgerView,
  { demands, outcome, vouchers, read }: Vouching & { readonly read: Reading },
): Finding {
  const { statement: file, trust } = demands;
  if (file === null) return { detail: '' };
  const { statement, signers } = openStatement(file.bytes, { trust, file: file.file });
  const { stage } = statement.predicate;
  const expected = expectedStatement(stage, { ledger, outcome, read });
  if (expected === null) return { faults: ['what it is about could not be read'] };
  if (canonicalText(expected) !== canonicalText(statement)) {
    return { faults: [`${differingMembers(statement, expected)} differ from this run`] };
  }
  if (stage === 'outcome') vouchers.signers.push(...signers);
  return { detail: `stage ${stage}, signed by ${signers.map(describeKey).join(', ')}` };
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

function checkRequirement(
  requirement: Requirement,
  { notes }: Demands,
  { signers }: Vouchers,
): Finding {
  const shown = [...new Set(signers.map(describeKey))].join(', ');
  switch (requirement) {
    case 'signed':
      return signers.length > 0 ? { detail: shown } : { faults: [unsigned] };
    case 'witnessed': {
      // Two names for one key, or two keys of one person, are one signer.
      const people = new Set(signers.map(({ name }) => name)).size;
      const keys = new Set(signers.map(({ key }) => fingerprintOf(key))).size;
      if (people > 1 && keys > 1) return { detail: shown };
      return { faults: [signers.length === 0 ? unsigned : `only ${shown} vouches for it`] };
    }
    case 'anchored': {
      const proofs = [...notes.keys()].filter((name) => !name.endsWith('.txt'));
      const found = proofs.length === 0 ? 'there are none' : `found: ${proofs.sort().join(', ')}`;
      return {
        faults: [
          `this version lists proofs of time and checks none (${found}); check them with the tools of whoever gave them`,
        ],
      };
    }
  }
}

const unsigned =
  'no trusted key signed a checkpoint that covers the outcome, or a statement about it';
