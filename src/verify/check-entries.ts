/** Holds the ledger entries of a run against its seal, and the run against the ledger that recorded it. */
import { canonicalLine, canonicalText } from '../base/canonical.ts';
import { type Digest, digestOf } from '../base/digest.ts';
import { LiftgateError, type Problem } from '../base/errors.ts';
import {
  type EntryOf,
  entryId,
  isKind,
  isOfExposure,
  type LedgerEntry,
  parseEntry,
  type StoredEntry,
} from '../ledger/entry.ts';
import { type KnownEntry, knownEntries } from '../ledger/histories.ts';
import { importedFrom } from '../ledger/past.ts';
import { emptyState } from '../ledger/projection.ts';
import { formatDecision } from '../report/decision.ts';
import { receiptsRoot } from '../report/run-facts.ts';
import { type SealedExperiment, sealDigest } from '../spec/seal.ts';
import { plansOf } from './check-amendments.ts';
import { type Fault, type Finding, faultsOf, findingOf, type ReasonCode } from './checklist.ts';
import { overallDecision } from './evidence.ts';
import type { LedgerView, Reading, RunEntries, RunMark, RunRight } from './reading.ts';
import {
  canonicalLines,
  manifestDigest,
  type RunFiles,
  type RunManifest,
  runFile,
  runFileNames,
} from './record.ts';

/** Reservation, exposure and attempts. */
export function checkEntries(files: RunFiles, seal: SealedExperiment, read: Reading): Finding {
  const entries = parseEntries(runFile(files, runFileNames.entries));
  const { reserve, expose } = entries;
  const arms = seal.arms.map((arm) => ({ id: arm.id, digest: arm.surfaceDigest }));
  const { body } = expose.entry;
  const tests: [boolean, string][] = [
    [plansOf(seal).includes(reserve.entry.body.plan), 'the reservation names another plan'],
    [reserve.entry.body.unitsObject === seal.units.object, 'the reservation names other units'],
    [
      body.reserve === reserve.entry.seq || body.reserve >= importedFrom,
      'the exposure names another reservation',
    ],
    [body.seal === sealDigest(seal), 'the exposure names another final seal'],
    [canonicalText(body.arms) === canonicalText(arms), 'the exposure names other arms'],
    [body.evaluatorTree === seal.evaluator.tree, 'the exposure names another evaluator'],
    [body.cellsObject === seal.cells.planObject, 'the exposure names other cells'],
  ];
  read.entries = entries;
  const { seq } = expose.entry;
  return findingOf(
    faultsOf(tests),
    `reserved in entry ${reserve.entry.seq}, exposed in entry ${seq}, ${entries.rights.length} attempt(s)`,
  );
}

/** One reservation, then one exposure, then its attempts and what was known of its journal, in the order of their numbers. */
function parseEntries(bytes: Uint8Array): RunEntries {
  const stored = canonicalLines(bytes, runFileNames.entries).map(({ value }): StoredEntry => {
    const line = new TextEncoder().encode(canonicalLine(value));
    return { entry: parseEntry(line, runFileNames.entries), entryId: entryId(line), bytes: line };
  });
  const [reserve, expose, ...later] = stored;
  if (reserve === undefined || !isKind(reserve.entry, 'reserve')) throw strayEntry(reserve);
  if (expose === undefined || !isKind(expose.entry, 'expose')) throw strayEntry(expose);
  const { rights, marks } = executionOf(expose.entry, later);
  const seqs = stored.map(({ entry }) => entry.seq);
  const back = stored.find(
    ({ entry }, at) => at > 0 && (seqs[at] ?? 0) <= (seqs[at - 1] ?? 0) && !refersToImported(entry),
  );
  if (back !== undefined) throw strayEntry(back);
  return {
    reserve: { entry: reserve.entry, id: reserve.entryId },
    expose: { entry: expose.entry, id: expose.entryId },
    stored,
    rights,
    marks,
  };
}

/** Whether an entry goes on with what another branch began, whose entries have other numbers of their own. */
function refersToImported({ body }: LedgerEntry): boolean {
  const number = 'reserve' in body ? body.reserve : 'expose' in body ? body.expose : 0;
  return number >= importedFrom;
}

/** Rights and marks that follow an exposure; attempts count up, marks are of the current one. */
function executionOf(
  { seq: expose, body }: EntryOf<'expose'>,
  later: readonly StoredEntry[],
): Pick<RunEntries, 'rights' | 'marks'> {
  const rights: RunRight[] = [{ seq: expose, attempt: 1, fence: body.fence, lines: 0 }];
  const marks: RunMark[] = [];
  for (const stored of later) {
    const { entry } = stored;
    const own = 'expose' in entry.body && refersToImported(entry) ? entry.body.expose : expose;
    if (!isOfExposure(entry, own)) throw strayEntry(stored);
    const { kind, seq } = entry;
    const { attempt, journal } = entry.body;
    if (attempt !== rights.length + (kind === 'attempt' ? 1 : 0)) throw strayEntry(stored);
    if (isKind(entry, 'attempt')) {
      rights.push({ seq, attempt, fence: entry.body.fence, lines: journal.lines });
    }
    const stopped = isKind(entry, 'journal') && entry.body.stopped;
    marks.push({ ...journal, seq, kind, attempt, stopped });
  }
  return { rights, marks };
}

/** The first entry whose lines the journal does not hold; those after it say the same. */
export function journalFaults(
  prefixes: ReadonlyMap<number, Digest>,
  { marks }: RunEntries,
): string[] {
  const broken = marks.find((mark) => prefixes.get(mark.lines) !== mark.digest);
  if (broken === undefined) return [];
  const { lines, seq } = broken;
  return [`the first ${lines} lines of the journal are not those that entry ${seq} knows`];
}

/**
 * Where somebody else than the runner could have had a hand in the journal without leaving a trace: after its last known line of a
 * session that ended without a word, until the next runner read it.
 */
export function journalGaps({ marks }: RunEntries, expose: number): string[] {
  return marks.flatMap((mark, at) => {
    if (mark.kind !== 'attempt') return [];
    const before = marks[at - 1];
    if (before?.stopped === true) return [];
    const since = before === undefined ? `entry ${expose}` : `entry ${before.seq}`;
    const known = before?.lines ?? 0;
    return [
      `what the journal held after line ${known} when the process of attempt ${mark.attempt - 1} ended: from ${since} until entry ${mark.seq} (attempt ${mark.attempt}, ${mark.lines} lines) only the run folder knew`,
    ];
  });
}

function strayEntry(stray: StoredEntry | undefined): LiftgateError {
  const found = stray === undefined ? 'one is missing' : `${stray.entry.kind} ${stray.entry.seq}`;
  return new LiftgateError(
    'run-invalid',
    `The run's entries are not a reservation, an exposure and its attempts (${found}).`,
    {
      where: { file: runFileNames.entries },
      mend: 'Restore the recorded file.',
    },
  );
}

/** The ledger is sound and holds the run's entries. */
export function checkLedgerEntries(ledger: LedgerView, entries: RunEntries): Finding {
  if (ledger.problems.length > 0) {
    return {
      faults: ledger.problems.map(({ code, message }) => ({ code: ledgerReason(code), message })),
    };
  }
  const known = knownEntries(ledger.state ?? emptyState);
  const [reserve, expose] = [known.get(entries.reserve.id), known.get(entries.expose.id)];
  const own = new Set(entries.stored.map(({ entryId: id }) => id));
  const left = [...known.values()].filter(
    ({ entry, stored }) => isOfExposure(entry, expose?.number) && !own.has(stored.entryId),
  );
  const strange = entries.stored.filter(
    ({ entryId: id }) => !isOfRun(known.get(id), { reserve, expose }),
  );
  const faults = [
    ...strange.map(({ entry }) => `entry ${entry.seq} of the run is not the ledger's`),
    ...left.map(({ number, entry }) => `the run leaves out entry ${number} (${entry.kind})`),
  ];
  const brought =
    expose === undefined || expose.number === expose.heldBy
      ? ''
      : ` Exposed in another branch, which entry ${expose.heldBy} imported.`;
  return findingOf(
    faults,
    `${ledger.entries.length} entries, head ${ledger.report.head}.${brought} ${ledger.report.completenessDetail}`,
  );
}

/** Whether the ledger knows an entry as part of this run, in its own numbers. */
function isOfRun(
  found: KnownEntry | undefined,
  run: { readonly reserve: KnownEntry | undefined; readonly expose: KnownEntry | undefined },
): boolean {
  if (found === undefined) return false;
  if (found === run.reserve) return true;
  if (found !== run.expose) return isOfExposure(found.entry, run.expose?.number);
  return isKind(found.entry, 'expose') && found.entry.body.reserve === run.reserve?.number;
}

/** Problems of a ledger name the invariant that does not hold. */
function ledgerReason(code: Problem['code']): ReasonCode {
  return /^I[0-9]+$/.test(code) ? (code as `I${number}`) : 'ledger-damaged';
}

/** The recorded outcome of a run's exposure; null while there is none. Of several the one that names this manifest. */
export function outcomeOf(
  { state }: Pick<LedgerView, 'state'>,
  { expose }: RunEntries,
  manifest?: RunManifest,
): KnownEntry | null {
  const known = knownEntries(state ?? emptyState);
  const number = known.get(expose.id)?.number;
  const outcomes = [...known.values()].filter(
    ({ entry }) => isKind(entry, 'outcome') && entry.body.expose === number,
  );
  const digest = manifest === undefined ? null : manifestDigest(manifest);
  const own = outcomes.find(
    ({ entry }) => isKind(entry, 'outcome') && entry.body.manifestDigest === digest,
  );
  return own ?? outcomes[0] ?? null;
}

/** Why a measurement is contested: another branch claimed its units too; null when none did. */
function contestOf({ state }: LedgerView, entries: RunEntries): string | null {
  const known = knownEntries(state ?? emptyState);
  const [reserve, expose] = [entries.reserve, entries.expose].map(
    ({ id }) => known.get(id)?.number,
  );
  const claims = (state ?? emptyState).claims.values();
  const contested = claims.find(
    ({ seq, exposeSeq, contestedSeq }) =>
      contestedSeq !== undefined && (seq === reserve || exposeSeq === expose),
  );
  return contested === undefined
    ? null
    : `entry ${contested.contestedSeq} found that another branch claimed units of this measurement too`;
}

/** The outcome binds the controls that the exposure knew; one of an earlier form, which knew none, leaves them to the outcome. */
function controlsApart(outcome: EntryOf<'outcome'>, { expose }: RunEntries): Fault[] {
  const { seq, body } = expose.entry;
  if (body.controlsRoot === undefined || body.controlsRoot === outcome.body.controlsRoot) return [];
  const message = `the outcome names other controls than the exposure in entry ${seq}`;
  return [{ code: 'controls-differ', message }];
}

/** The recorded outcome is this one, and was not voided. */
export function checkOutcome(ledger: LedgerView, entries: RunEntries, read: Reading): Finding {
  const { manifest, document, lines, controls = [] } = read;
  const found = outcomeOf(ledger, entries, manifest);
  const outcome = found?.entry;
  if (outcome === undefined || !isKind(outcome, 'outcome')) {
    const message = 'the ledger records no outcome of this exposure';
    return { faults: [{ code: 'outcome-missing', message }] };
  }
  if (manifest === undefined || document === undefined || lines === undefined)
    return { faults: ['the run could not be recomputed'] };
  const { body } = outcome;
  const tests: [boolean, string][] = [
    [
      body.manifestDigest === manifestDigest(manifest),
      'the manifest has another digest than recorded',
    ],
    [
      body.resultDigest === digestOf(formatDecision(document)),
      'the decision has another digest than recorded',
    ],
    [
      body.receiptsRoot === receiptsRoot(lines) && body.receiptsCount === lines.length,
      'the receipts are not those recorded',
    ],
    [
      body.controlsRoot === undefined || body.controlsRoot === receiptsRoot(controls),
      'the receipts of the controls are not those recorded',
    ],
    [
      body.exitCode === document.verdict.exitCode && body.verdict === overallDecision(document),
      'the verdict or exit code differs from the recorded one',
    ],
  ];
  const { seq } = outcome;
  const known = [...knownEntries(ledger.state ?? emptyState).values()];
  const voided = known.some(({ entry }) => isKind(entry, 'void') && entry.body.outcome === seq);
  const contested = contestOf(ledger, entries);
  const unusable = [
    ...(voided ? [{ code: 'outcome-voided' as const, message: `outcome ${seq} was voided` }] : []),
    ...(contested !== null && body.verdict === 'ship'
      ? [{ code: 'outcome-contested' as const, message: contested }]
      : []),
  ].map(({ code, message }) => ({ code, message: `${message} and must not be used` }));
  const shown = contested === null ? '' : `; ${contested}, so it could not have let anybody ship`;
  const apart = controlsApart(outcome, entries);
  return findingOf(
    [...faultsOf(tests), ...apart, ...unusable],
    `entry ${seq}: ${body.verdict}${shown}`,
  );
}
