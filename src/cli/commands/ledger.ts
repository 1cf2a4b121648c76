/** `liftgate ledger ...`: reads and checks the ledger, gives units back, voids an outcome. */
import { resolve } from 'node:path';
import { canonicalText } from '../../base/canonical.ts';
import type { Digest } from '../../base/digest.ts';
import { LiftgateError } from '../../base/errors.ts';
import type { LedgerReport } from '../../ledger/check-ledger.ts';
import type { StoredEntry } from '../../ledger/entry.ts';
import { knownEntries } from '../../ledger/histories.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ExperimentState, LedgerState } from '../../ledger/projection.ts';
import { receiptsRoot } from '../../report/run-facts.ts';
import { tidyLedger } from '../../store/ledger-files.ts';
import { isPostgresUrl } from '../../store/postgres-place.ts';
import { checkLedgerTrust, type LedgerTrust } from '../../verify/check-ledger-trust.ts';
import type { Fault } from '../../verify/checklist.ts';
import { ledgerView } from '../../verify/reading.ts';
import type { CommandContext } from '../context.ts';
import { table } from '../print.ts';
import { commandLedger, existingLedger, type RecordingOptions } from '../workspace.ts';
import { checkLines, type DemandOptions, demandsOf, notesBeside, pinOf } from './verify.ts';

interface LedgerFlags {
  readonly ledger: string;
}

/** What an entry is about: an experiment, a family, a key or a population. */
function subjectOf(state: LedgerState, { body }: StoredEntry['entry']): string {
  const { experiments, exposures, outcomes, claims, keys } = state;
  const nameOfPlan = (plan: Digest | undefined): string =>
    plan === undefined ? '' : (experiments.get(plan)?.experimentId ?? '');
  if ('experimentId' in body) return body.experimentId;
  if ('expose' in body) return nameOfPlan(exposures.get(body.expose));
  if ('outcome' in body) return nameOfPlan(outcomes.get(body.outcome));
  if ('reserve' in body) return claims.get(body.reserve)?.experimentId ?? '';
  if ('family' in body) return body.family;
  if ('signer' in body) return keys.get(body.keyId)?.name ?? '';
  return 'source' in body ? body.population : '';
}

/** Every entry, a line each; entries of imported branches stand at the end, under the numbers they have here. */
export async function list(context: CommandContext, options: LedgerFlags): Promise<number> {
  const { output } = context;
  const ledger = await existingLedger(context, options);
  const entries = await ledger.entries();
  const state = await ledger.state();
  const brought = state.imported.values().map(({ entry, stored }) => ({ ...stored, entry }));
  const rows = [...entries, ...brought].map(({ entry, entryId }) => [
    String(entry.seq),
    entry.kind,
    subjectOf(state, entry),
    entry.at,
    entryId.slice(0, 19),
  ]);
  for (const line of table([['entry', 'kind', 'of', 'at (claimed)', 'id'], ...rows]))
    output.line(line);
  output.document(entries.map(({ entry, entryId }) => ({ entryId, entry })));
  return 0;
}

/**
 * One entry, a member a line.
 * @throws {LiftgateError} usage when there is no entry of that number
 */
export async function showEntry(
  context: CommandContext,
  options: LedgerFlags,
  word: string,
): Promise<number> {
  const ledger = await existingLedger(context, options);
  const entries = await ledger.entries();
  const known = [...knownEntries(await ledger.state()).values()];
  const found = known.find(({ number }) => /^\d+$/.test(word) && number === Number(word));
  if (found === undefined) {
    throw new LiftgateError('usage', `The ledger has no entry "${word}".`, {
      mend: `Name a number from 0 to ${entries.length - 1}; \`liftgate ledger list\` shows them.`,
    });
  }
  const { entry } = found;
  const { entryId } = found.stored;
  const { body, ...head } = entry;
  const lines = [
    ['id', entryId],
    ...Object.entries(head).map(([key, value]) => [key, String(value)]),
  ];
  const members = Object.entries(body).map(([key, value]) => [
    `body.${key}`,
    typeof value === 'string' ? value : canonicalText(value),
  ]);
  for (const line of table([...lines, ...members])) context.output.line(line);
  context.output.document({ entryId, entry });
  return 0;
}

/** Makes a folder readable again that holds files of nobody; entries and objects stay as they are. */
function tidy({ cwd, output }: CommandContext, { ledger }: LedgerFlags): void {
  if (isPostgresUrl(ledger)) {
    throw new LiftgateError('usage', '--fix tidies a folder; this ledger is a database.', {
      mend: 'Leave --fix out: a database holds no stray files.',
    });
  }
  const { moved, removed } = tidyLedger(resolve(cwd, ledger), Date.now());
  for (const { from, to } of moved) output.line(`moved ${from} to ${to}`);
  for (const file of removed) output.line(`removed ${file}, left by a writer that ended`);
}

/** Flags of `ledger verify`. */
export interface VerifyLedgerFlags extends DemandOptions {
  readonly fix?: boolean;
}

/**
 * Chain, states and objects; exit 42 when something is damaged. `fix` first moves away what is neither entry nor object. With a trust
 * list, demands, or proofs that the reader believes: checkpoints and whoever vouches for the outcomes too, exit 41 when they do not.
 */
export async function verifyLedger(
  context: CommandContext,
  options: VerifyLedgerFlags,
): Promise<number> {
  const { output } = context;
  const { report, held } = await heldLedger(context, options);
  show(context, report);
  if (held !== null) showTrust(context, held, report.entries);
  const vouched = held?.ok ?? true;
  const sound = vouched ? 'sound' : 'sound, and not vouched for as demanded';
  output.line(`RESULT ${report.ok ? sound : 'damaged'}`);
  output.document(held === null ? report : { ...report, ok: report.ok && vouched, trust: held });
  if (report.ok && vouched) return 0;
  const other = held?.checks.some(({ problems }) => problems.some(isContradiction)) ?? false;
  return report.ok && !other ? 41 : 42;
}

const isContradiction = ({ code }: Fault): boolean => code === 'checkpoint-contradicted';

/** The ledger as it was found, and what the reader's demands make of it; null without any. */
async function heldLedger(
  context: CommandContext,
  options: VerifyLedgerFlags,
): Promise<{ readonly report: LedgerReport; readonly held: LedgerTrust | null }> {
  const { trust, require, tsa, commit } = options;
  const asked = [trust, require, tsa, commit].some((each) => each !== undefined);
  const demands = asked ? await demandsOf(context, options) : null;
  const pin = options.pin === undefined ? undefined : pinOf(options.pin);
  if (options.fix === true) tidy(context, options);
  const ledger = await existingLedger(context, options);
  if (demands === null) return { report: await ledger.verify(pin), held: null };
  const view = await ledgerView(ledger, pin);
  const notes = await notesBeside(context, options);
  return { report: view.report, held: checkLedgerTrust(view, { ...demands, notes }) };
}

function showTrust({ output }: CommandContext, held: LedgerTrust, entries: number): void {
  for (const line of held.checks.flatMap(checkLines)) output.line(line);
  const from = held.unsignedFrom;
  if (from < entries)
    output.line(`entries ${from}..${entries - 1} are signed for by nobody trusted`);
}

function show({ output }: CommandContext, report: LedgerReport): void {
  output.line(
    `ledger ${report.ledger ?? 'none'}: ${report.entries} entries, head ${report.head ?? 'none'}`,
  );
  for (const check of report.checks)
    output.line(`${check.passed ? 'ok  ' : 'FAIL'} ${check.id.padEnd(3)} ${check.detail}`);
  for (const problem of report.problems)
    output.line(`  ${problem.where.file ?? ''} [${problem.code}] ${problem.message}`);
  output.line(
    `root ${report.root}; completeness ${report.completeness}: ${report.completenessDetail}`,
  );
}

/** Seals of one experiment name, the latest first: a name sealed again has several, and only one of them may hold the units. */
async function named(ledger: Ledger, experimentId: string): Promise<ExperimentState[]> {
  const { experiments } = await ledger.state();
  const own = [...experiments.values()].filter((each) => each.experimentId === experimentId);
  if (own.length > 0) return own.sort((first, second) => second.sealedSeq - first.sealedSeq);
  throw new LiftgateError('usage', `The ledger knows no experiment "${experimentId}".`, {
    mend: 'Use a name that `liftgate ledger list` shows.',
  });
}

/**
 * Gives reserved units back.
 * @throws {LiftgateError} ledger-conflict when nothing is reserved
 */
export async function release(
  context: CommandContext,
  options: RecordingOptions & { readonly reason: string },
  experimentId: string,
): Promise<number> {
  const ledger = commandLedger(context, options);
  const held = (await named(ledger, experimentId)).find((each) => each.phase === 'reserved');
  if (held === undefined || held.reservation === null) {
    throw new LiftgateError(
      'ledger-conflict',
      `The experiment "${experimentId}" holds no reservation that could be released.`,
      {
        mend: 'Nothing needs to be released; exposed units stay spent.',
      },
    );
  }
  const { reservation, plan } = held;
  const { entry } = await ledger.append({
    kind: 'release',
    requestId: `release:${reservation.seq}`,
    body: { reserve: reservation.seq, reason: options.reason },
  });
  context.output.line(
    `${experimentId}: reservation ${reservation.seq} released in entry ${entry.seq}`,
  );
  context.output.document({
    experiment: experimentId,
    plan,
    released: reservation.seq,
    entry: entry.seq,
  });
  return 0;
}

/** Ends an exposed experiment that will have no outcome; its units stay spent. */
async function abortExposure(
  context: CommandContext,
  ledger: Ledger,
  ended: { readonly exposed: ExperimentState; readonly reason: string },
): Promise<number> {
  const { plan, experimentId, exposure } = ended.exposed;
  const expose = exposure?.seq ?? 0;
  const { entry } = await ledger.append({
    kind: 'abort',
    requestId: `abort:${expose}`,
    body: { expose, reason: ended.reason, receiptsRoot: receiptsRoot([]) },
  });
  context.output.line(
    `${experimentId}: exposure ${expose} ended without an outcome in entry ${entry.seq}; its units stay spent`,
  );
  context.output.document({ experiment: experimentId, plan, aborted: expose, entry: entry.seq });
  return 0;
}

/**
 * Declares the recorded outcome of an experiment unusable, or ends an exposed one that has none.
 * @throws {LiftgateError} ledger-conflict when there is neither
 */
export async function voidOutcome(
  context: CommandContext,
  options: RecordingOptions & { readonly reason: string },
  experimentId: string,
): Promise<number> {
  const ledger = commandLedger(context, options);
  const own = await named(ledger, experimentId);
  const exposed = own.find((each) => each.phase === 'exposed');
  if (exposed !== undefined) {
    return abortExposure(context, ledger, { exposed, reason: options.reason });
  }
  const settled = own.find((each) => each.phase === 'settled');
  if (settled === undefined || settled.outcome === null) {
    throw new LiftgateError(
      'ledger-conflict',
      `The experiment "${experimentId}" has no recorded outcome that could be voided.`,
      {
        mend: 'Nothing needs to be voided.',
      },
    );
  }
  const { outcome, plan } = settled;
  const { entry } = await ledger.append({
    kind: 'void',
    requestId: `void:${outcome.seq}`,
    body: { outcome: outcome.seq, reason: options.reason, evidence: '' },
  });
  context.output.line(
    `${experimentId}: outcome ${outcome.seq} voided in entry ${entry.seq}; its units stay spent`,
  );
  context.output.document({
    experiment: experimentId,
    plan,
    voided: outcome.seq,
    entry: entry.seq,
  });
  return 0;
}
