/**
 * JUnit XML of a report. Suite = experiment; one case per decision and per gate:
 *
 *   EXPERIMENT.decisions  CANDIDATE               ship passes, need_more_work that only faults caused is an error, all else fails
 *   EXPERIMENT.gates      [CANDIDATE ]CONTRIBUTION  fail -> failure; required not_evaluated -> error; optional not_evaluated -> skipped
 *   EXPERIMENT.units      [CANDIDATE ]UNIT          on request: a regressed unit is no failure, a unit without a pair is skipped
 *
 * Readers key a case by class name and name, so both together are unique; the text stands in the element's body, which is what
 * they show. Times are seconds of active execution.
 */
import { type Contribution, shownNumber } from '../gate/gate.ts';
import { sum } from '../stats/summary.ts';
import { improvementText, signedNumber, statisticText } from './verdict-lines.ts';
import type { CandidateView, ReportView } from './view.ts';
import { escapeMarkup } from './visible-text.ts';

/** What to write beside decisions and gates. */
export interface JUnitOptions {
  /** Whether units become cases too; default false. */
  readonly units?: boolean;
  /** Most bytes the unit cases may take, worst first; default 20 MB, below the 30 MB that readers take of one file. */
  readonly unitBytes?: number;
}

type Outcome = 'passed' | 'failure' | 'error' | 'skipped';

interface TestCase {
  readonly group: 'decisions' | 'gates' | 'units';
  readonly name: string;
  readonly outcome: Outcome;
  /** One line that says what happened; the body when the case passed too. */
  readonly text: string;
}

const defaultUnitBytes = 20_000_000;
const incompleteExitCode = 30;

function decisionOutcome({ decided, exitCode }: CandidateView): Outcome {
  if (decided.decision === 'ship') return 'passed';
  return exitCode === incompleteExitCode ? 'error' : 'failure';
}

function gateOutcome({ status, required }: Contribution): Outcome {
  switch (status) {
    case 'pass':
      return 'passed';
    case 'fail':
      return 'failure';
    case 'not_evaluated':
      return required ? 'error' : 'skipped';
  }
}

function numbersText(contribution: Contribution): string {
  const { statistic, threshold, errorLevel, n } = contribution;
  const shown = [
    statistic === null ? [] : [`statistic ${statisticText(contribution)}`],
    threshold === null ? [] : [`threshold ${shownNumber(threshold)}`],
    errorLevel === null ? [] : [`error level ${shownNumber(errorLevel)}`],
    n === null ? [] : [`n ${n.units} units`],
  ].flat();
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`;
}

/** Names carry the candidate only where there are several. */
function nameOf(view: ReportView, candidate: CandidateView, name: string): string {
  return view.candidates.length === 1 ? name : `${candidate.decided.candidate} ${name}`;
}

function candidateCases(view: ReportView, candidate: CandidateView): TestCase[] {
  const { decided } = candidate;
  return [
    {
      group: 'decisions',
      name: decided.candidate,
      outcome: decisionOutcome(candidate),
      text: `${decided.decision}: ${improvementText(decided)}. ${candidate.sentence}`,
    },
    ...decided.contributions.map((each): TestCase => {
      const optional = each.required ? '' : ', optional';
      return {
        group: 'gates',
        name: nameOf(view, candidate, each.name),
        outcome: gateOutcome(each),
        text: `${each.status}, ${each.finding}${optional}: ${each.reason}${numbersText(each)}`,
      };
    }),
  ];
}

/** Units of the primary measure, worst first, those without a complete pair last. */
function unitCases(view: ReportView, candidate: CandidateView): TestCase[] {
  const [primary] = candidate.differences;
  if (primary === undefined) return [];
  const compared = primary.units.map(
    (each): TestCase => ({
      group: 'units',
      name: nameOf(view, candidate, each.unit),
      outcome: 'passed',
      text: `${primary.measure} ${signedNumber(each.improvement)} over ${each.pairs} pairs${each.improvement < 0 ? ': got worse' : ''}`,
    }),
  );
  const lost = primary.lostUnits.map(
    (unit): TestCase => ({
      group: 'units',
      name: nameOf(view, candidate, unit),
      outcome: 'skipped',
      text: 'no complete pair: nothing could be compared',
    }),
  );
  return [...compared, ...lost];
}

function body({ outcome, text }: TestCase): string {
  const shown = escapeMarkup(text);
  switch (outcome) {
    case 'passed':
      return `<system-out>${shown}</system-out>`;
    case 'failure':
    case 'error':
      return `<${outcome} message="${attribute(text)}">${shown}</${outcome}>`;
    case 'skipped':
      return `<skipped message="${attribute(text)}"/><system-out>${shown}</system-out>`;
  }
}

function attribute(text: string): string {
  return escapeMarkup(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}

/** Names made unique within their group by a number, since readers drop the second case of a name. */
function uniqueNames(cases: readonly TestCase[]): TestCase[] {
  const used = new Map<string, number>();
  return cases.map((each) => {
    const key = `${each.group}\n${each.name}`;
    const times = (used.get(key) ?? 0) + 1;
    used.set(key, times);
    return times === 1 ? each : { ...each, name: `${each.name} (${times})` };
  });
}

function caseLine(experiment: string, each: TestCase): string {
  return `<testcase classname="${attribute(`${experiment}.${each.group}`)}" name="${attribute(each.name)}" time="0">${body(each)}</testcase>\n`;
}

interface Written {
  readonly lines: readonly string[];
  readonly leftOut: number;
}

/** Lines within so many bytes from the first on; the rest is counted. */
function within(lines: readonly string[], bytes: number): Written {
  const encoder = new TextEncoder();
  let used = 0;
  const kept = lines.findIndex((line) => {
    used += encoder.encode(line).length;
    return used > bytes;
  });
  if (kept === -1) return { lines, leftOut: 0 };
  return { lines: lines.slice(0, kept), leftOut: lines.length - kept };
}

function secondsOf(view: ReportView): string {
  const times = view.latency.populations.map((each) => each.totalMs);
  return String(Number((sum(times) / 1000).toFixed(3)));
}

function count(cases: readonly TestCase[], outcome: Outcome): number {
  return cases.filter((each) => each.outcome === outcome).length;
}

/**
 * The report as JUnit XML.
 *
 * @param view     from `reportView`; decisions, gates and their outcomes are those of every other format
 * @param options  units on request, capped worst first with the number left out
 * @returns        XML 1.0 that ends with a line feed; what the standard forbids is written as its code point
 */
export function renderJUnit(view: ReportView, options: JUnitOptions = {}): string {
  const { units = false, unitBytes = defaultUnitBytes } = options;
  const decided = uniqueNames(view.candidates.flatMap((each) => candidateCases(view, each)));
  const found = units ? uniqueNames(view.candidates.flatMap((each) => unitCases(view, each))) : [];
  const unitLines = within(
    found.map((each) => caseLine(view.experiment, each)),
    unitBytes,
  );
  const cases = [...decided, ...found.slice(0, unitLines.lines.length)];
  const left =
    unitLines.leftOut === 0
      ? ''
      : `<system-out>${unitLines.leftOut} units are left out; the JSON report holds all of them.</system-out>\n`;
  const totals = `tests="${cases.length}" failures="${count(cases, 'failure')}" errors="${count(cases, 'error')}" skipped="${count(cases, 'skipped')}" time="${secondsOf(view)}"`;
  const name = attribute(view.experiment);
  const started =
    view.run.startedAt === null ? '' : ` timestamp="${attribute(view.run.startedAt)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<testsuites name="${name}" ${totals}>\n`,
    `<testsuite name="${name}" ${totals}${started}>\n`,
    ...decided.map((each) => caseLine(view.experiment, each)),
    ...unitLines.lines,
    left,
    '</testsuite>\n</testsuites>\n',
  ].join('');
}
