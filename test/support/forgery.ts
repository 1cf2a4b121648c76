/** What an attacker with the whole run folder can do: change files, recompute what follows from them, rewrite the manifest. */
import { canonicalLine } from '../../src/base/canonical.ts';
import { wholeBytes } from '../../src/base/content.ts';
import type { Digest } from '../../src/base/digest.ts';
import { entryId, isKind, parseEntry } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { decide, formatDecision } from '../../src/report/decision.ts';
import { renderSummary } from '../../src/report/markdown.ts';
import { type JournalLine, parseJournal } from '../../src/run/journal.ts';
import type { ReceiptLine } from '../../src/run/receipt.ts';
import { type CaseIndex, caseIndexSchema } from '../../src/spec/case-index.ts';
import { parseSeal, type SealedExperiment } from '../../src/spec/seal.ts';
import { runEvidence, runInfo } from '../../src/verify/evidence.ts';
import {
  buildManifest,
  canonicalLines,
  formatManifest,
  parseManifest,
  parseReceiptLines,
  type RunFiles,
  runFile,
  runFileNames,
} from '../../src/verify/record.ts';
import type { Verification } from '../../src/verify/verify.ts';

const encoder = new TextEncoder();

/** The files in memory. */
export function wholeFiles(files: RunFiles): Map<string, Uint8Array> {
  return new Map([...files].map(([name, content]) => [name, wholeBytes(content)]));
}

/** The files with some replaced, added or, with null, removed. */
export function withFiles(
  files: RunFiles,
  changes: Readonly<Record<string, Uint8Array | string | null>>,
): Map<string, Uint8Array> {
  const changed = wholeFiles(files);
  for (const [name, bytes] of Object.entries(changes)) {
    if (bytes === null) changed.delete(name);
    else changed.set(name, typeof bytes === 'string' ? encoder.encode(bytes) : bytes);
  }
  return changed;
}

/** The same, with the manifest rewritten to fit. */
export function remanifested(
  files: RunFiles,
  changes: Readonly<Record<string, Uint8Array | string | null>>,
): Map<string, Uint8Array> {
  const changed = withFiles(files, changes);
  const { experimentId, seal } = parseManifest(files);
  const manifest = buildManifest(experimentId, seal, changed);
  return withFiles(changed, { [runFileNames.manifest]: formatManifest(manifest) });
}

export function journalOf(files: RunFiles): readonly JournalLine[] {
  return parseJournal(runFile(files, runFileNames.journal), runFileNames.journal).lines;
}

export function controlsOf(files: RunFiles): ReceiptLine[] {
  return parseReceiptLines(runFile(files, runFileNames.controls), runFileNames.controls);
}

export function sealOf(files: RunFiles): SealedExperiment {
  return parseSeal(runFile(files, runFileNames.seal), runFileNames.seal);
}

export function indexOf(files: RunFiles): CaseIndex {
  const [only] = canonicalLines(runFile(files, runFileNames.cases), runFileNames.cases);
  return caseIndexSchema.parse(only?.value);
}

export function formatLines(lines: readonly unknown[]): string {
  return lines.map(canonicalLine).join('');
}

/** Decision, summary and manifest made anew from a changed journal: every number in the folder agrees again. */
export function redecided(
  files: RunFiles,
  journal: readonly JournalLine[],
): Map<string, Uint8Array> {
  const changed = withFiles(files, { [runFileNames.journal]: formatLines(journal) });
  const seal = sealOf(files);
  const lines = journal.flatMap((line) => (line.kind === 'receipt' ? [line.line] : []));
  const entries = canonicalLines(runFile(files, runFileNames.entries), runFileNames.entries).map(
    ({ value }) => parseEntry(encoder.encode(canonicalLine(value))),
  );
  const expose = entries.find((entry) => isKind(entry, 'expose'));
  const fences = entries.flatMap((entry) =>
    isKind(entry, 'expose') || isKind(entry, 'attempt') ? [entry.body.fence] : [],
  );
  if (expose === undefined) throw new Error('the run was never exposed');
  const run = {
    seal,
    index: indexOf(files),
    lines,
    controlLines: controlsOf(files),
    expose: entryId(encoder.encode(canonicalLine(expose))),
    fence: fences.at(-1) ?? '',
  };
  const document = decide(runEvidence(run), runInfo(run));
  return remanifested(changed, {
    [runFileNames.decision]: formatDecision(document),
    [runFileNames.summary]: renderSummary(document, seal),
  });
}

/** The journal with one receipt line changed. */
export function withReceipt(
  journal: readonly JournalLine[],
  which: (line: ReceiptLine) => boolean,
  change: (line: ReceiptLine) => ReceiptLine,
): JournalLine[] {
  const at = journal.findIndex((line) => line.kind === 'receipt' && which(line.line));
  if (at < 0) throw new Error('no such receipt');
  return journal.map((line, index) =>
    index === at && line.kind === 'receipt' ? { kind: 'receipt', line: change(line.line) } : line,
  );
}

/** Failed checks as `id: detail`. */
export function failures(verification: Verification): string[] {
  return verification.checks
    .filter((check) => check.status === 'failed')
    .map((check) => `${check.id}: ${check.detail}`);
}

/**
 * A ledger that is told another root over the controls by one kind of entry than whoever runs has; without a root the entry is of the
 * form before there was one.
 */
export function ledgerTold(kind: 'expose' | 'outcome', controlsRoot?: Digest): Ledger {
  const ledger = memoryLedger();
  const append = ledger.append.bind(ledger);
  return Object.assign(ledger, {
    append: (request: Parameters<Ledger['append']>[0]) => {
      if (request.kind !== kind) return append(request);
      const rest = Object.entries(request.body).filter(([name]) => name !== 'controlsRoot');
      const body = Object.fromEntries(
        controlsRoot === undefined ? rest : [...rest, ['controlsRoot', controlsRoot]],
      );
      return append({ ...request, body } as typeof request);
    },
  });
}
