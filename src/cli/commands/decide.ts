/** `liftgate decide`: a decision from existing receipts; nothing is executed and nothing is recorded. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LiftgateError } from '../../base/errors.ts';
import { renderSummary } from '../../report/markdown.ts';
import { verdictLines } from '../../report/verdict-lines.ts';
import { decide } from '../../serve/library.ts';
import type { WhatIf } from '../../serve/what-if.ts';
import type { CommandContext } from '../context.ts';
import {
  commandLedger,
  type ExitOptions,
  exitCodeFor,
  openExperiment,
  refuseUnknownCandidate,
} from '../workspace.ts';

/** Flags of the command: exactly one of `receipts` and `whatIf` says what is decided. */
export interface DecideOptions extends ExitOptions {
  readonly ledger: string;
  readonly receipts?: string;
  readonly whatIf?: string;
  readonly runGates?: boolean;
}

/** Decides an experiment's receipts, or a recorded run under another rule. */
export function decideFrom(
  context: CommandContext,
  options: DecideOptions,
  path: string,
): Promise<number> {
  const { receipts, whatIf } = options;
  if (receipts !== undefined && whatIf === undefined)
    return decideReceipts(context, { ...options, receipts }, path);
  if (whatIf !== undefined && receipts === undefined)
    return decideWhatIf(context, { ...options, whatIf }, path);
  throw new LiftgateError('usage', 'Exactly one of --receipts and --what-if says what to decide.', {
    mend: 'Write `decide EXPERIMENT --receipts FILE` or `decide RUN --what-if FILE`.',
  });
}

async function decideReceipts(
  context: CommandContext,
  options: DecideOptions & { readonly receipts: string },
  path: string,
): Promise<number> {
  const { output, cwd } = context;
  const loaded = await openExperiment(path);
  refuseUnknownCandidate(loaded.spec, options);
  const ledger = commandLedger(context, options);
  const file = options.receipts;
  const receipts = readBytes(resolve(cwd, file), { file, what: 'The receipts' }).toString('utf8');
  const { document, seal } = await decide({ loaded, ledger, receipts, file });
  output.line(renderSummary(document, seal));
  for (const line of verdictLines(document)) output.line(line);
  output.document(document);
  return exitCodeFor(document, options);
}

async function decideWhatIf(
  { output, cwd }: CommandContext,
  options: DecideOptions & { readonly whatIf: string },
  path: string,
): Promise<number> {
  const file = options.whatIf;
  const bytes = readBytes(resolve(cwd, file), { file, what: 'The rule' });
  const { decideAgain } = await import('../../serve/what-if.ts');
  const { gateRunner } = await import('../../host/gate-runner.ts');
  const runner = options.runGates === true ? gateRunner() : null;
  const found = await decideAgain(resolve(cwd, path), { bytes, file }, runner);
  for (const line of whatIfLines(found)) output.line(line);
  output.document(found);
  return exitCodeFor(found.decision, options);
}

function whatIfLines({ experiment, run, changed, recorded, decision }: WhatIf): string[] {
  return [
    `EXPLORATORY: the receipts of ${experiment} (run ${run.slice(0, 19)}) decided again under another rule. Nothing was recorded; no release follows from it.`,
    ...(changed.length === 0 ? ['The rule is the sealed one.'] : []),
    ...changed.map(
      ({ path, sealed, tried }) => `  ${path}: ${sealed ?? 'nothing'} -> ${tried ?? 'nothing'}`,
    ),
    `Recorded under the sealed rule: ${recorded.map((each) => `${each.candidate} ${each.decision}`).join(', ')}.`,
    ...decision.decisions.flatMap((each) => [
      `${each.candidate}, under the other rule:`,
      ...each.contributions.map(
        ({ name, status, finding, reason }) => `  ${name}: ${status} (${finding}): ${reason}`,
      ),
    ]),
    ...verdictLines(decision),
  ];
}

function readBytes(
  path: string,
  { file, what }: { readonly file: string; readonly what: string },
): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new LiftgateError('file-unreadable', `${what} cannot be read.`, {
      where: { file },
      mend: 'Name a readable file.',
      cause,
    });
  }
}
