/** Holds the ledger entries of a run against its seal, and the run against the ledger that recorded it. */
import { canonicalLine, canonicalText } from '../base/canonical.ts';
import { digestOf } from '../base/digest.ts';
import { LiftgateError, type Problem } from '../base/errors.ts';
import {
  type EntryOf,
  entryId,
  isKind,
  isOfExposure,
  parseEntry,
  type StoredEntry,
} from '../ledger/entry.ts';
import { formatDecision } from '../report/decision.ts';
import { receiptsRoot } from '../report/run-facts.ts';
import { journalPrefix } from '../run/journal.ts';
import { type SealedExperiment, sealDigest } from '../spec/seal.ts';
import { type Finding, faultsOf, findingOf, type ReasonCode } from './checklist.ts';
import { overallDecision } from './evidence.ts';
import type { LedgerView, Reading, RunEntries, RunMark, RunRight } from './reading.ts';
import { canonicalLines, manifestDigest, type RunFiles, runFile, runFileNames } from './record.ts';

/** Reservation, exposure and attempts. */
export function checkEntries(files: RunFiles, seal: SealedExperiment, read: Reading): Finding {
  const entries = parseEntries(runFile(files, runFileNames.entries));
  const { reserve, expose } = entries;
  const arms = seal.arms.map((arm) => ({ id: arm.id, digest: arm.surfaceDigest }));
  const { body } = expose.entry;
  const tests: [boolean, string][] = [
    [reserve.entry.body.plan === seal.plan, 'the reservation names another plan'],
    [reserve.entry.body.unitsObject === seal.units.object, 'the reservation names other units'],
    [body.reserve === reserve.entry.seq, 'the exposure names another reservation'],
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
  const back = stored.find((_, at) => at > 0 && (seqs[at] ?? 0) <= (seqs[at - 1] ?? 0));
  if (back !== undefined) throw strayEntry(back);
  return {
    reserve: { entry: reserve.entry, id: reserve.entryId },
    expose: { entry: expose.entry, id: expose.entryId },
    stored,
    rights,
    marks,
  };
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
    if (!isOfExposure(entry, expose)) throw strayEntry(stored);
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
export function journalFaults(bytes: Uint8Array, { marks }: RunEntries): string[] {
  const broken = marks.find((mark) => journalPrefix(bytes, mark.lines)?.digest !== mark.digest);
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
  const differing = entries.stored.filter(
    (stored) => ledger.entries[stored.entry.seq]?.entryId !== stored.entryId,
  );
  const own = new Set(entries.stored.map(({ entry }) => entry.seq));
  const { seq: expose } = entries.expose.entry;
  const left = ledger.entries.filter(
    ({ entry }) => isOfExposure(entry, expose) && !own.has(entry.seq),
  );
  const faults = [
    ...differing.map(({ entry }) => `entry ${entry.seq} of the run is not the ledger's`),
    ...left.map(({ entry }) => `the run leaves out entry ${entry.seq} (${entry.kind})`),
  ];
  return findingOf(
    faults,
    `${ledger.entries.length} entries, head ${ledger.report.head}. ${ledger.report.completenessDetail}`,
  );
}

/** Problems of a ledger name the invariant that does not hold. */
function ledgerReason(code: Problem['code']): ReasonCode {
  return /^I[0-9]+$/.test(code) ? (code as `I${number}`) : 'ledger-damaged';
}

/** The recorded outcome of an exposure; null while there is none. */
export function outcomeOf(
  { entries }: Pick<LedgerView, 'entries'>,
  expose: number,
): StoredEntry | null {
  return (
    entries.find(({ entry }) => isKind(entry, 'outcome') && entry.body.expose === expose) ?? null
  );
}

/** The recorded outcome is this one, and was not voided. */
export function checkOutcome(ledger: LedgerView, entries: RunEntries, read: Reading): Finding {
  const { manifest, document, lines, controls = [] } = read;
  const outcome = outcomeOf(ledger, entries.expose.entry.seq)?.entry;
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
  const voided = ledger.entries.some(
    ({ entry }) => isKind(entry, 'void') && entry.body.outcome === outcome.seq,
  );
  const message = `outcome ${outcome.seq} was voided and must not be used`;
  return findingOf(
    [...faultsOf(tests), ...(voided ? [{ code: 'outcome-voided' as const, message }] : [])],
    `entry ${outcome.seq}: ${body.verdict}`,
  );
}
