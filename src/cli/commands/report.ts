/** `liftgate report`: a recorded run for people or machines; every format is written from one view model. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { prettyText } from '../../base/canonical.ts';
import { LiftgateError } from '../../base/errors.ts';
import { renderSummary } from '../../report/markdown.ts';
import { verdictLines } from '../../report/verdict-lines.ts';
import type { RunReport } from '../../serve/run-report.ts';
import { refuseOddFile } from '../../store/places.ts';
import { freshFence } from '../../store/randomness.ts';
import { readDecision } from '../../store/run-folder.ts';
import type { CommandContext } from '../context.ts';

/** Flags of the command; `format` has a default. */
export interface ReportOptions {
  readonly format: 'markdown' | 'html' | 'junit' | 'github' | 'json';
  readonly out?: string;
  readonly verdicts?: boolean;
  readonly units?: boolean;
}

/**
 * Shows recorded runs one after another; the exit code is 0 whatever was decided, since showing it is the job. A machine's format, a
 * file and a JSON document hold one run.
 */
export async function reports(
  context: CommandContext,
  options: ReportOptions,
  paths: readonly string[],
): Promise<number> {
  const single = context.output.json || options.out !== undefined || options.format !== 'markdown';
  if (paths.length > 1 && single && options.verdicts !== true) {
    throw new LiftgateError('usage', `One report holds one run, but ${paths.length} are named.`, {
      mend: 'Name one run, or leave --format, --out and --json away.',
    });
  }
  for (const path of paths) await report(context, options, path);
  await context.output.flush();
  return 0;
}

async function report(
  context: CommandContext,
  options: ReportOptions,
  path: string,
): Promise<void> {
  const { cwd } = context;
  const folder = resolve(cwd, path);
  if (options.verdicts === true || options.format === 'markdown') {
    showSummary(context, options, folder);
  } else if (options.format === 'github') {
    await showOnGitHub(context, options, await recorded(folder));
  } else {
    await show(context, options, await recorded(folder));
  }
}

/** The Markdown summary needs the decision and the seal alone. */
function showSummary(
  { output, cwd }: CommandContext,
  options: ReportOptions,
  folder: string,
): void {
  const { document, seal } = readDecision(folder);
  const summary = renderSummary(document, seal);
  if (options.out !== undefined) writeText(resolve(cwd, options.out), summary);
  else if (options.verdicts !== true) output.line(summary);
  for (const line of verdictLines(document)) output.line(line);
  output.document(document);
}

/** The whole run as a view; what builds and writes it is loaded here, since the summary needs none of it. */
async function recorded(folder: string): Promise<RunReport> {
  return (await import('../../serve/run-report.ts')).readReport(folder);
}

async function textOf({ view }: RunReport, { format, units }: ReportOptions): Promise<string> {
  if (format === 'html') return (await import('../../report/html.ts')).renderHtml(view);
  if (format !== 'junit') return prettyText(view);
  return (await import('../../report/junit.ts')).renderJUnit(view, { units: units === true });
}

/** A machine's format stands alone on stdout; verdict lines are printed beside it only when it went to a file. */
async function show(
  { output, cwd }: CommandContext,
  options: ReportOptions,
  read: RunReport,
): Promise<void> {
  const text = await textOf(read, options);
  if (options.out === undefined) {
    if (!output.json) output.line(text.trimEnd());
  } else {
    writeText(resolve(cwd, options.out), text);
    for (const line of verdictLines(read.document)) output.line(line);
  }
  output.document(read.document);
}

/** Annotations on stdout, the summary where the step shows it (or to --out), outputs for later steps. */
async function showOnGitHub(
  { output, cwd }: CommandContext,
  options: ReportOptions,
  { view, runDigest, document }: RunReport,
): Promise<void> {
  const { renderAnnotations, renderOutputs, renderStepSummary } = await import(
    '../../report/github.ts'
  );
  const summary = renderStepSummary(view);
  const stepFile = process.env['GITHUB_STEP_SUMMARY'];
  const outputFile = process.env['GITHUB_OUTPUT'];
  output.line(renderAnnotations(view).trimEnd());
  if (options.out !== undefined) writeText(resolve(cwd, options.out), summary);
  else if (stepFile !== undefined && stepFile !== '') appendText(stepFile, summary);
  else output.line(summary);
  if (outputFile !== undefined && outputFile !== '') {
    appendText(outputFile, renderOutputs(view, { runDigest, delimiter: freshFence() }));
  }
  output.document(document);
}

export function writeText(path: string, text: string): void {
  attempt(path, () => writeFileSync(path, text));
}

function appendText(path: string, text: string): void {
  attempt(path, () => appendFileSync(path, text));
}

function attempt(path: string, write: () => void): void {
  refuseOddFile(path);
  try {
    write();
  } catch (cause) {
    throw new LiftgateError('usage', `The report cannot be written: ${String(cause)}`, {
      where: { file: path },
      mend: 'Name a file in an existing folder that you may write to.',
      cause,
    });
  }
}
