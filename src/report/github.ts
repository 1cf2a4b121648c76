/**
 * What a GitHub Actions step shows: the step summary, annotations, and outputs for later steps.
 *
 * Text that others wrote never starts a line that begins with `::`, and never holds `##[`: the runner reads both as commands.
 */
import { shownNumber } from '../gate/gate.ts';
import { escapeMarkdown } from './markdown.ts';
import { improvementText, signedNumber, statisticText } from './verdict-lines.ts';
import type { CandidateView, ReportView } from './view.ts';
import type { DifferencesView } from './view-differences.ts';
import { visibleLine } from './visible-text.ts';

/** Bytes a step summary may take: a summary above 1 MiB is dropped whole. */
export const summaryLimitBytes = 900_000;

/** Annotations of one kind that a step shows. */
const annotationsShown = 10;
const incompleteExitCode = 30;

/** A command's message; the runner reads %, carriage returns and line feeds as escapes. */
function messageText(text: string): string {
  const line = visibleLine(text).replaceAll('##[', '## [');
  return line.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/**
 * A value of a command's property, where colons and commas separate as well.
 * @example annotationProperty('a: b, 5%') // => 'a%3A b%2C 5%25'
 */
export function annotationProperty(text: string): string {
  return messageText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/**
 * A message of a command on one line.
 * @example annotationMessage('5%\nmore') // => '5%25 more'
 */
export function annotationMessage(text: string): string {
  return messageText(text);
}

interface Annotation {
  readonly kind: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
}

function annotationOf(view: ReportView, candidate: CandidateView): Annotation {
  const { decided, exitCode, sentence } = candidate;
  const title = `${view.experiment}: ${decided.candidate} ${decided.decision}`;
  const message = `${sentence} (${improvementText(decided)})`;
  switch (decided.decision) {
    case 'ship':
      return { kind: 'notice', title, message };
    case 'need_more_work':
      return exitCode === incompleteExitCode
        ? { kind: 'error', title: 'infrastructure', message }
        : { kind: 'warning', title, message };
    case 'hold':
    case 'model_ceiling':
    case 'arch_ceiling':
      return { kind: 'error', title, message };
  }
}

/** At most ten annotations of a kind: with more, the last one says how many there are. */
function capped(annotations: readonly Annotation[]): Annotation[] {
  const [first] = annotations;
  if (first === undefined || annotations.length <= annotationsShown) return [...annotations];
  const left = annotations.length - annotationsShown + 1;
  return [
    ...annotations.slice(0, annotationsShown - 1),
    { kind: first.kind, title: first.title, message: `${left} more candidates; see the summary` },
  ];
}

/**
 * Annotations, one per candidate: error for hold and the ceilings, error titled "infrastructure" where only faults stand between the
 * evidence and a decision, warning for need_more_work, notice for ship.
 *
 * @returns workflow commands, one a line, ending with a line feed; at most ten of each kind
 */
export function renderAnnotations(view: ReportView): string {
  const all = view.candidates.map((each) => annotationOf(view, each));
  return (['error', 'warning', 'notice'] as const)
    .flatMap((kind) => capped(all.filter((each) => each.kind === kind)))
    .map(
      ({ kind, title, message }) =>
        `::${kind} title=${annotationProperty(title)}::${annotationMessage(message)}\n`,
    )
    .join('');
}

/** What later steps may read. */
export interface OutputFacts {
  /** Digest of the run's manifest as the ledger's outcome entry names it, or null. */
  readonly runDigest: string | null;
  /** Fresh random word that no value can hold. */
  readonly delimiter: string;
}

/** Lines for the file that GITHUB_OUTPUT names: decision, exit code, seal and run digests, each under a delimiter nobody can foresee. */
export function renderOutputs(view: ReportView, facts: OutputFacts): string {
  const { runDigest, delimiter } = facts;
  const values: readonly (readonly [string, string])[] = [
    ['decision', view.decision],
    ['exit-code', String(view.exitCode)],
    ['seal-digest', view.run.sealDigest],
    ['run-digest', runDigest ?? ''],
  ];
  return values
    .map(([name, value]) => `${name}<<${delimiter}\n${visibleLine(value)}\n${delimiter}\n`)
    .join('');
}

function cell(text: string): string {
  return escapeMarkdown(text).replaceAll('::', ':&#58;');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

function head(names: readonly string[]): string {
  return row(names) + row(names.map(() => '---'));
}

function gateRows({ decided }: CandidateView): string {
  return decided.contributions
    .map((each) =>
      row([
        cell(each.required ? each.name : `${each.name} (optional)`),
        `${each.status}, ${each.finding}`,
        statisticText(each),
        each.threshold === null ? '' : shownNumber(each.threshold),
        each.errorLevel === null ? '' : shownNumber(each.errorLevel),
        each.n === null ? '' : `${each.n.units} units`,
        cell(each.reason),
      ]),
    )
    .join('');
}

function candidatePart(candidate: CandidateView): string {
  const { decided } = candidate;
  return `\n### ${cell(decided.candidate)}: ${cell(decided.decision)}\n\n${head(['gate', 'status', 'statistic', 'threshold', 'error', 'n', 'reason'])}${gateRows(candidate)}`;
}

function decisionPart(view: ReportView): string {
  const rows = view.candidates.map(({ decided }) =>
    row([
      cell(decided.candidate),
      `**${cell(decided.decision)}**`,
      cell(improvementText(decided)),
      cell(decided.reason),
    ]),
  );
  const { counts } = view;
  return `## ${cell(view.experiment)}: ${cell(view.headline)}\n\n${head(['candidate', 'decision', 'improvement', 'why'])}${rows.join('')}
Exit code ${view.exitCode}, evidence ${view.evidence}; ${counts.units} units, ${counts.cases} cases, ${counts.repeats} repeats, ${counts.settledCells} of ${counts.plannedCells} cells settled, ${counts.attempts} attempts. Seal \`${view.run.sealDigest}\`.\n`;
}

interface RegressionLine {
  readonly improvement: number;
  readonly text: string;
}

function regressionLines(candidate: string, differences: DifferencesView): RegressionLine[] {
  return differences.units
    .filter((each) => each.improvement < 0)
    .map(({ unit, improvement, pairs }) => ({
      improvement,
      text: row([
        cell(unit),
        cell(candidate),
        cell(differences.measure),
        signedNumber(improvement),
        String(pairs),
      ]),
    }));
}

/** Units that got worse on their candidate's primary measure, worst first over all candidates. */
function regressions(view: ReportView): RegressionLine[] {
  return view.candidates
    .flatMap(({ decided, differences }) => {
      const [primary] = differences;
      return primary === undefined ? [] : regressionLines(decided.candidate, primary);
    })
    .sort((first, second) => first.improvement - second.improvement);
}

/** Parts from the first on while they fit; the number of those that do not. */
function fitting(parts: readonly string[], bytes: number): { text: string; leftOut: number } {
  const encoder = new TextEncoder();
  let used = 0;
  const end = parts.findIndex((part) => {
    used += encoder.encode(part).length;
    return used > bytes;
  });
  const kept = end === -1 ? parts.length : end;
  return { text: parts.slice(0, kept).join(''), leftOut: parts.length - kept };
}

/** Room for the sentences that say what was left out. */
const sentenceBytes = 500;

/**
 * The step summary: decisions, gates, and the units that got worse, worst first.
 *
 * @param limit  most bytes; candidates' gates come before units, and what does not fit is counted
 * @returns      Markdown that ends with a line feed
 */
export function renderStepSummary(view: ReportView, limit: number = summaryLimitBytes): string {
  const bytes = (text: string): number => new TextEncoder().encode(text).length;
  const top = fitting([decisionPart(view)], limit - sentenceBytes).text;
  const gates = fitting(view.candidates.map(candidatePart), limit - sentenceBytes - bytes(top));
  const worst = regressions(view);
  const title = `\n### Units that got worse: ${worst.length}\n\n${head(['unit', 'candidate', 'measure', 'improvement', 'pairs'])}`;
  const room = limit - sentenceBytes - bytes(top) - bytes(gates.text) - bytes(title);
  const listed = fitting(
    worst.map((each) => each.text),
    room,
  );
  const parts = [
    top,
    gates.text,
    gates.leftOut === 0 ? '' : `\nThe gates of ${gates.leftOut} candidates are left out.\n`,
    worst.length === 0 ? '\nNo unit got worse.\n' : title + listed.text,
    listed.leftOut === 0 ? '' : `\n${listed.leftOut} more units that got worse are left out.\n`,
  ];
  return parts.join('');
}
