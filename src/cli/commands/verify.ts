/** `liftgate verify`: a checklist and an audit of a run folder or a bundle, with no host and no writes. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isDigest } from '../../base/digest.ts';
import { LiftgateError } from '../../base/errors.ts';
import { type Authority, parseAuthorities } from '../../base/time-stamp.ts';
import type { TrustedKey } from '../../base/trust.ts';
import type { LedgerPin } from '../../ledger/check-ledger.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { verdictLines } from '../../report/verdict-lines.ts';
import { readNotes } from '../../store/checkpoints.ts';
import { engineVersion } from '../../store/package.ts';
import { type Evidence, readEvidence } from '../../store/run-folder.ts';
import { auditLines } from '../../verify/audit.ts';
import { bundledLedger, type NoteFiles } from '../../verify/bundle.ts';
import { type Demands, type Requirement, requirements } from '../../verify/check-trust.ts';
import type { Check } from '../../verify/checklist.ts';
import type { Reruns } from '../../verify/gate-record.ts';
import { type LedgerView, ledgerView as viewOf } from '../../verify/reading.ts';
import { checkRun, type Verification } from '../../verify/verify.ts';
import type { CommandContext } from '../context.ts';
import { asLiftgateError, failureDocument, failureText } from '../print.ts';
import { checkpointFolder, existingLedger } from '../workspace.ts';

/** Flags that say what the reader knows, whom they trust, and what they demand. */
export interface DemandOptions {
  readonly ledger: string;
  readonly checkpoints?: string;
  readonly pin?: string;
  readonly trust?: string;
  readonly require?: string;
  readonly tsa?: string;
  readonly commit?: string;
}

/** Flags of the command. */
export interface VerifyOptions extends DemandOptions {
  readonly withoutLedger?: boolean;
  readonly statement?: string;
  /** Folders of experiments whose texts may be read. */
  readonly texts?: string;
  /** Whether the sealed power is simulated again. */
  readonly power?: boolean;
  readonly runGates?: boolean;
}

const marks: Readonly<Record<Check['status'], string>> = {
  passed: 'ok  ',
  failed: 'FAIL',
  'not-checked': 'skip',
};

/**
 * Verifies what is named, one after another: the exit code is the highest of all. Under --json one run gives its document, several
 * give one document with a list.
 */
export async function verify(
  context: CommandContext,
  options: VerifyOptions,
  paths: readonly string[],
): Promise<number> {
  const { output } = context;
  const [only = '', ...others] = paths;
  if (others.length === 0) {
    const document = await verifyOne(context, options, only);
    output.document(document);
    return document.exitCode;
  }
  if (options.statement !== undefined) {
    throw new LiftgateError('usage', `A statement is about one run; ${paths.length} are named.`, {
      mend: 'Name the run of the statement, or leave --statement away.',
    });
  }
  const runs: { readonly path: string; readonly exitCode: number }[] = [];
  for (const path of paths) {
    output.line(`${path}:`);
    runs.push({ path, ...(await verifyOrTell(context, options, path)) });
  }
  const exitCode = Math.max(...runs.map((run) => run.exitCode));
  output.document({ ok: exitCode === 0, exitCode, runs });
  return exitCode;
}

/** What cannot be read is told and does not keep the others from being verified. */
async function verifyOrTell(
  context: CommandContext,
  options: VerifyOptions,
  path: string,
): Promise<{ readonly exitCode: number }> {
  try {
    return await verifyOne(context, options, path);
  } catch (thrown) {
    const failure = asLiftgateError(thrown);
    context.output.note(failureText(failure));
    return { ok: false, exitCode: failure.exitCode, ...Object(failureDocument(failure)) };
  }
}

async function verifyOne(
  context: CommandContext,
  options: VerifyOptions,
  path: string,
): Promise<Pick<Verification, 'ok' | 'exitCode' | 'checks' | 'audit' | 'uncheckable'>> {
  const demands = await demandsOf(context, options);
  const evidence = readEvidence(resolve(context.cwd, path));
  const { ledger, notes, texts } = await recordOf(context, options, evidence);
  const reruns = options.runGates === true ? { reruns: await rerun(evidence) } : {};
  const beside = { notes, ...(texts && { texts }) };
  const result = checkRun(evidence.files, ledger, { ...demands, ...beside, ...reruns });
  show(context, result);
  const { ok, exitCode, checks, audit, uncheckable } = result;
  return { ok, exitCode, checks, audit, uncheckable };
}

/** Nobody's code runs unless it is asked for; what runs it is loaded then. */
async function rerun({ files }: Evidence): Promise<Reruns> {
  const { rerunGates } = await import('../../serve/run-report.ts');
  const { gateRunner } = await import('../../host/gate-runner.ts');
  return rerunGates(files, gateRunner());
}

/** What the reader brings along; wrong words are refused before anything is read. */
export async function demandsOf(
  context: CommandContext,
  options: DemandOptions & Pick<VerifyOptions, 'statement' | 'power'>,
): Promise<Omit<Demands, 'notes'>> {
  const { require, trust, statement } = options;
  const demanded = require === undefined ? [] : require.split(',').map(requirementOf);
  if (trust === undefined && demanded.some((each) => each !== 'anchored')) {
    throw new LiftgateError('usage', 'Nobody is trusted, so no signature can count.', {
      mend: 'Name the keys that count with --trust KEYS.',
    });
  }
  const file = statement === undefined ? null : resolve(context.cwd, statement);
  return {
    trust: trust === undefined ? [] : await trustIn(resolve(context.cwd, trust)),
    require: demanded,
    statement: file === null ? null : { file, bytes: await bytesOf(file) },
    anchors: {
      authorities: options.tsa === undefined ? [] : await authoritiesIn(context, options.tsa),
      commits: (options.commit ?? '').split(',').filter((id) => id !== ''),
    },
    ...(options.power === true
      ? { power: (await import('../../verify/check-power.ts')).checkPower }
      : {}),
  };
}

async function trustIn(file: string): Promise<readonly TrustedKey[]> {
  return (await import('../../store/signing.ts')).readTrust(file);
}

async function authoritiesIn({ cwd }: CommandContext, file: string): Promise<readonly Authority[]> {
  const path = resolve(cwd, file);
  try {
    return parseAuthorities(await readFile(path, 'utf8'), file);
  } catch (cause) {
    if (cause instanceof LiftgateError) throw cause;
    throw new LiftgateError('usage', 'The certificates cannot be read.', {
      where: { file },
      mend: 'Name an existing PEM file with --tsa.',
      cause,
    });
  }
}

async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new LiftgateError('usage', 'The statement cannot be read.', {
      where: { file },
      mend: 'Name an existing file, as `liftgate seal --sign` writes it.',
      cause,
    });
  }
}

function requirementOf(word: string): Requirement {
  const known = requirements.find((each) => each === word);
  if (known !== undefined) return known;
  throw new LiftgateError('usage', `"${word}" is nothing that --require knows.`, {
    mend: `Write one or more of ${requirements.join(', ')}, separated by commas.`,
  });
}

/** Signed notes and proofs of time beside a ledger. */
export function notesBeside(context: CommandContext, options: DemandOptions): Promise<NoteFiles> {
  const folder = checkpointFolder(context, options);
  return folder === null ? Promise.resolve(new Map()) : readNotes(folder);
}

/** What a run is held to beside what the reader brings along. */
interface Beside extends Pick<Demands, 'notes' | 'texts'> {
  readonly ledger: LedgerView | null;
}

/** The ledger to hold the run to: the bundle's own, or the one beside a run folder with what this machine has seen of it. */
async function recordOf(
  context: CommandContext,
  options: VerifyOptions,
  { bundle }: Evidence,
): Promise<Beside> {
  if (bundle === null && options.withoutLedger === true) return { ledger: null, notes: new Map() };
  const pin = options.pin === undefined ? undefined : pinOf(options.pin);
  const mend = 'Name the ledger with --ledger, or check the folder alone with --without-ledger.';
  const held =
    bundle === null ? await existingLedger(context, options, mend) : bundledLedger(bundle);
  const ledger = await viewOf(held, pin);
  const notes = bundle === null ? await notesBeside(context, options) : bundle.notes;
  const texts = await textsOf(context, options, ledger.state === null ? null : held);
  return { ledger, notes, ...(texts && { texts }) };
}

async function textsOf(
  { cwd }: CommandContext,
  { texts }: VerifyOptions,
  ledger: Ledger | null,
): Promise<Demands['texts'] | null> {
  if (texts === undefined || ledger === null) return null;
  const folders = texts.split(',').map((folder) => resolve(cwd, folder));
  return (await import('../../store/sealed-texts.ts')).textsAtHand(ledger, folders);
}

/** Size and head that a word names. */
export function pinOf(word: string): LedgerPin {
  const [, size = '0', head] = /^([1-9][0-9]{0,7}):(.*)$/.exec(word) ?? [];
  if (isDigest(head)) return { size: Number(size), head };
  throw new LiftgateError('usage', `"${word}" is no pin.`, {
    mend: 'Write the number of entries and the head as `liftgate ledger verify` prints them: 13:sha256:...',
  });
}

/** In one piece: a stream takes as long for a line as for all of them. */
function show({ output }: CommandContext, result: Verification): void {
  const { checks, audit, uncheckable, document } = result;
  const lines = [
    ...checks.flatMap(checkLines),
    ...(audit === null ? [] : auditLines(audit, `liftgate ${engineVersion()}`)),
    ...(uncheckable.length > 0 ? ['Cannot be checked offline:'] : []),
    ...uncheckable.map((each) => `  - ${each}`),
    `RESULT ${resultWord(result)}`,
    ...(document === null ? [] : verdictLines(document)),
  ];
  output.line(lines.join('\n'));
}

/** A check and below it what it found, a line per problem with its reason. */
export function checkLines({ id, status, title, detail, problems }: Check): string[] {
  const told = problems.map(({ code, message }) => `[${code}] ${message}`);
  const below = status === 'failed' ? told : [detail].filter((text) => text !== '');
  return [
    `${marks[status]} ${id.padEnd(11)} ${title}`,
    ...below.map((text) => `     ${' '.repeat(11)} ${text}`),
  ];
}

function resultWord({ ok, checks }: Pick<Verification, 'ok' | 'checks'>): string {
  if (!ok) return 'does not verify';
  return checks.some((check) => check.status === 'not-checked')
    ? 'consistent, not confirmed by a ledger'
    : 'confirmed';
}
