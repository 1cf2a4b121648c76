/** One record with everything that is ever recorded, for whoever attacks it: entries and objects of every kind, two branches, an amended and resumed sequential run, signed notes, anchors, a statement. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatEnvelope, statementType } from '../../src/base/dsse.ts';
import { commitId, type GitProof } from '../../src/base/git-proof.ts';
import { rootOfPeaks } from '../../src/base/merkle.ts';
import type { Signer } from '../../src/base/signature.ts';
import { type Authority, parseAuthorities } from '../../src/base/time-stamp.ts';
import type { TrustedKey } from '../../src/base/trust.ts';
import { hostModuleOf, moduleHost } from '../../src/host/module.ts';
import { anchoredText, formatGitProof } from '../../src/ledger/anchor.ts';
import type { LedgerPin } from '../../src/ledger/check-ledger.ts';
import {
  checkpointOf,
  formatSignedCheckpoint,
  proveEntry,
  signCheckpoint,
} from '../../src/ledger/checkpoint.ts';
import { type EntryOf, entryFileName, isKind, type StoredEntry } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Host } from '../../src/run/host.ts';
import { planSchedule } from '../../src/run/schedule.ts';
import { finalCases } from '../../src/spec/case-index.ts';
import { armIds } from '../../src/spec/spec.ts';
import { amendPlan } from '../../src/store/amend-experiment.ts';
import type { JournalOwner } from '../../src/store/recorded-journal.ts';
import { runToDecision } from '../../src/store/run-experiment.ts';
import { readRunFiles } from '../../src/store/run-folder.ts';
import { ensurePlanSeal } from '../../src/store/seal-experiment.ts';
import { type Bundle, gatherBundle } from '../../src/verify/bundle.ts';
import { ledgerView } from '../../src/verify/reading.ts';
import { formatStatement, statementOfRun } from '../../src/verify/statement.ts';
import { StillClock } from '../run/desk.ts';
import { importFrom, parted } from './branches.ts';
import { smallMails } from './bundles.ts';
import { indexOf, sealOf, wholeFiles } from './forgery.ts';
import {
  bytesOf,
  digestNamed,
  exposeExperiment,
  recordPlan,
  reserve,
  tellStory,
  unitsNamed,
} from './ledger-story.ts';
import { tellUpkeep } from './ledger-upkeep.ts';
import { decided, engine, mailsIn, runPorts, watchedHost } from './run.ts';
import { type SeededAuthority, seededAuthority } from './seeded-authority.ts';
import { seededSigner } from './signers.ts';

/** What there is to attack, and what its reader knows from elsewhere. */
export interface WholeRecord {
  readonly bundle: Bundle;
  readonly pin: LedgerPin | undefined;
  /** Everybody who signed the note and the statement; both are demanded. */
  readonly trust: readonly TrustedKey[];
  /** Id of the commit that an anchor names. */
  readonly commit: string;
  /** Who certifies the authority that stamped the ledger. */
  readonly authorities: readonly Authority[];
  readonly statement: Uint8Array;
  /** Proof of an entry under the signed note. */
  readonly proof: Uint8Array;
  /** The run when it was interrupted: what its folder held, and what the ledger knew of it. */
  readonly paused: PausedRun;
}

/** A run that waits to be continued. */
export interface PausedRun {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly owner: JournalOwner;
}

const sequential = smallMails['experiment.yaml'].replace(
  'gates:\n',
  'stopping: {rule: group-sequential, spending: pocock, looks: [4, 8, 10]}\ngates:\n',
);

const letters: EntryOf<'policy'>['body'] = {
  ...{ family: 'letters', mode: 'alpha-slots', alphaNano: 50_000_000 },
  ...{ weights: [500_000_000, 500_000_000], retireOnShip: true },
  ...{ requireSignature: false, requireAnchor: false },
};

/** The kinds of entries that the other stories leave out. */
async function settleOthers(ledger: Ledger): Promise<void> {
  const plan = await recordPlan(ledger, 'given-up');
  const held = await reserve(ledger, 'given-up', plan, unitsNamed(['g-1']));
  const body = { reserve: held.entry.seq, reason: 'search ended' };
  await ledger.append({ kind: 'release', requestId: 'release:g', body });
  const { expose } = await exposeExperiment(ledger, 'ended', unitsNamed(['h-1']));
  const ended = { expose, reason: 'host gone', receiptsRoot: digestNamed('none') };
  await ledger.append({ kind: 'abort', requestId: 'abort:ended', body: ended });
  const outcome = (await ledger.entries()).findLast(({ entry }) => isKind(entry, 'outcome'));
  const voided = { outcome: outcome?.entry.seq ?? 0, reason: 'wrong grader', evidence: '' };
  await ledger.append({ kind: 'void', requestId: 'void:other', body: voided });
}

/** A run, and then another branch that claimed one of the units spent beside it. */
async function joined(makeFolder: () => Promise<string>) {
  const { ours, theirs } = await parted((ledger) =>
    ledger.append({ kind: 'policy', requestId: 'policy:letters', body: letters }),
  );
  const run = await amendedRun(ours, await makeFolder());
  await tellUpkeep(ours);
  await tellStory(theirs);
  await exposeExperiment(theirs, 'twin', unitsNamed(['o-1']));
  await importFrom(ours, theirs);
  await settleOthers(ours);
  return { ledger: ours, ...run };
}

interface AmendedRun {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly paused: PausedRun;
}

/** The host of the experiment, whose times are always the same. */
async function stillHost(path: string): Promise<Host> {
  const exported: Record<string, unknown> = await import(pathToFileURL(path).href);
  return moduleHost(hostModuleOf(exported), { clock: new StillClock() });
}

/** Seals, amends, is interrupted among the cells and goes on. */
async function amendedRun(ledger: Ledger, folder: string): Promise<AmendedRun> {
  const before = await mailsIn(folder, { ...smallMails, 'experiment.yaml': sequential });
  const stamped = { ledger, engine: engine(), write: true };
  await ensurePlanSeal({ loaded: before, ...stamped });
  const changed = sequential.replace('threshold: 0}', 'threshold: 0.01}');
  const loaded = await mailsIn(folder, { ...smallMails, 'experiment.yaml': changed });
  const reason = 'a tie must not ship';
  const now = (): string => '2026-01-02T00:00:00.000Z';
  await amendPlan({ loaded, ...stamped, reason, declared: ['alice: the train mails'], now });
  const host = () => stillHost(join(loaded.folder, 'host.mjs'));
  const stop = new AbortController();
  let asked = 0;
  const interrupted = await runToDecision(
    runPorts(loaded, ledger, {
      signal: stop.signal,
      openHost: async () =>
        watchedHost(await host(), () => {
          asked += 1;
          if (asked === 20) stop.abort();
        }),
    }),
  );
  if (interrupted.status !== 'interrupted') throw new Error(`it was ${interrupted.status}`);
  const path = join(loaded.folder, 'run');
  const paused = await pausedRun(ledger, wholeFiles(readRunFiles(path)));
  const again = runPorts(loaded, ledger, { fence: () => 'a'.repeat(32), openHost: host });
  decided(await runToDecision(again));
  return { files: wholeFiles(readRunFiles(path)), paused };
}

async function pausedRun(
  ledger: Ledger,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<PausedRun> {
  const seal = sealOf(files);
  const { chain, experiments } = await ledger.state();
  const schedule = planSchedule({
    cases: finalCases(indexOf(files)),
    arms: armIds(seal.spec),
    repeats: seal.spec.repeats,
    casesDigest: seal.digests.cases,
  });
  const exposure = experiments.get(seal.plan ?? 'sha256:')?.exposure ?? null;
  return { files, owner: { seal, schedule, ledger: chain.ledger, exposure } };
}

const gitId = (type: string, content: Uint8Array): string =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');

/** A commit with one entry in its log. */
function commitOf(seq: number, content: Uint8Array): GitProof {
  const holds = (line: string, id: string): Uint8Array =>
    Buffer.concat([bytesOf(`${line}\0`), Buffer.from(id, 'hex')]);
  const log = holds(`100644 ${entryFileName(seq)}`, gitId('blob', content));
  const top = holds('40000 log', gitId('tree', log));
  const commit = bytesOf(`tree ${gitId('tree', top)}\nauthor t <t@example.org> 0 +0000\n\nx\n`);
  return { path: `log/${entryFileName(seq)}`, commit, trees: [top, log] };
}

async function noteOf(ledger: Ledger, signers: readonly Signer[]): Promise<Uint8Array> {
  const checkpoint = checkpointOf(await ledger.entries());
  const lines = await Promise.all(signers.map((signer) => signCheckpoint(checkpoint, signer)));
  return bytesOf(formatSignedCheckpoint(checkpoint, lines));
}

/** What a reader believes of anchors beside its keys. */
type Believed = Pick<WholeRecord, 'commit' | 'authorities'>;

/** Who vouches for the record outside of it. */
interface Vouching {
  readonly signers: readonly [Signer, Signer];
  readonly authority: SeededAuthority;
}

/** Everybody's keys follow from a number. */
function vouchingOf(seed: number): Vouching {
  const signers = [seededSigner('alice', 100 * seed), seededSigner('ci', 100 * seed + 1)] as const;
  return { signers, authority: seededAuthority(seed) };
}

/** Anchors of every type. */
async function anchorAll(ledger: Ledger, { signers, authority }: Vouching): Promise<Believed> {
  const record = async (type: EntryOf<'anchor'>['body']['type'], bytes: Uint8Array) => {
    const { chain, past } = await ledger.state();
    const body = {
      ...{
        size: chain.size,
        head: chain.head ?? 'sha256:',
        root: rootOfPeaks(past?.peaks ?? null),
      },
      ...{ type, object: await ledger.putObject(bytes) },
    };
    await ledger.append({ kind: 'anchor', requestId: `anchor:${type}`, body });
  };
  await record('witness', await noteOf(ledger, signers.slice(0, 1)));
  const entries = await ledger.entries();
  const proof = commitOf(entries.length - 1, entries.at(-1)?.bytes ?? new Uint8Array());
  await record('git-commit', formatGitProof(proof));
  await record('ots', bytesOf('opaque\n'));
  await record('rfc3161', stampOf(await ledger.entries(), authority));
  return { commit: commitId(proof), authorities: parseAuthorities(authority.ca, 'ca.pem') };
}

/** A time stamp of the ledger as it is. */
function stampOf(entries: readonly StoredEntry[], authority: SeededAuthority): Uint8Array {
  return authority.stamp(bytesOf(anchoredText(entries, entries.length)));
}

/**
 * Makes the record; the same seed gives the same bytes.
 * @param makeFolder  gives an empty folder
 * @param seed        from which all keys follow, a whole number >= 0
 */
export async function wholeRecord(
  makeFolder: () => Promise<string>,
  seed = 1,
): Promise<WholeRecord> {
  const { ledger, files, paused } = await joined(makeFolder);
  const vouching = vouchingOf(seed);
  const { signers, authority } = vouching;
  const believed = await anchorAll(ledger, vouching);
  const entries = await ledger.entries();
  const note = await noteOf(ledger, signers);
  const size = String(entries.length).padStart(8, '0');
  const notes = new Map([
    [`${size}.txt`, note],
    [`${size}.tsr`, stampOf(entries, authority)],
  ]);
  const bundle = await gatherBundle(files, ledger, notes);
  const statement = statementOfRun(files, await ledgerView(ledger));
  const body = bytesOf(formatStatement(statement));
  const outcome = entries.findLastIndex(({ entry }) => isKind(entry, 'outcome'));
  const proof = proveEntry(entries, outcome, Buffer.from(note).toString('utf8'));
  return {
    bundle,
    pin: { size: entries.length, head: entries.at(-1)?.entryId ?? 'sha256:' },
    trust: signers,
    ...believed,
    statement: bytesOf(await formatEnvelope(statementType, body, signers)),
    proof: bytesOf(`${JSON.stringify(proof)}\n`),
    paused,
  };
}
