/** What a calculator answers: how the question was understood, estimates, intervals, tests and remarks, for people or as JSON. */
import type { Json } from '../../base/canonical.ts';
import {
  type Bounds,
  type Guarantee,
  type Indeterminate,
  type Interval,
  isIndeterminate,
} from '../../stats/interval.ts';
import { type Output, table } from '../print.ts';
import { methodSources, type ShownMethod } from './sources.ts';

/** A number with its name, or why there is none. */
export interface NamedNumber {
  readonly name: string;
  readonly value: number | Indeterminate;
  /** Author and year where the number has a method of its own, else ''. */
  readonly source: string;
}

/** One interval, or why this method has none; `deciding` marks the one a gate of Liftgate reads. */
export interface IntervalRow {
  readonly method: string;
  readonly bounds: Bounds | Indeterminate;
  /** Coverage wanted of both bounds together, in (0, 1). */
  readonly level: number;
  readonly guarantee: Guarantee;
  readonly source: string;
  readonly deciding: boolean;
}

/** One test or probability; small `pGreater` speaks for the candidate. */
export interface TestRow {
  readonly test: string;
  readonly probabilities: Readonly<Record<string, number>> | Indeterminate;
  readonly guarantee: Guarantee;
  readonly source: string;
}

/** Whether the deciding bound clears the threshold. */
export interface Verdict {
  readonly threshold: number;
  /** One-sided error of the deciding bound. */
  readonly errorLevel: number;
  readonly clears: boolean;
  readonly rule: string;
}

export interface Answer {
  readonly calculator: string;
  readonly question: string;
  readonly input: Readonly<Record<string, Json>>;
  readonly numbers: readonly NamedNumber[];
  readonly intervals: readonly IntervalRow[];
  readonly tests: readonly TestRow[];
  readonly verdict: Verdict | null;
  readonly remarks: readonly string[];
}

/** An interval of the kernel as a row, with what its method promises and where it comes from. */
export function intervalRow(
  method: ShownMethod,
  found: Bounds | Interval | Indeterminate,
  { level, deciding = false }: { readonly level: number; readonly deciding?: boolean },
): IntervalRow {
  const bounds = isIndeterminate(found) ? found : { lower: found.lower, upper: found.upper };
  const { guarantee, source } = methodSources[method];
  return {
    method,
    bounds,
    level,
    guarantee: 'guarantee' in found ? found.guarantee : guarantee,
    source,
    deciding,
  };
}

/** Six significant digits, the most that people compare by eye; `--json` has all of them. */
function shown(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function numberText(value: number | Indeterminate): string {
  return typeof value === 'number' ? shown(value) : `indeterminate (${value.reason})`;
}

function intervalCells(row: IntervalRow): string[] {
  const mark = row.deciding ? '*' : ' ';
  const { bounds } = row;
  const text = isIndeterminate(bounds)
    ? `indeterminate (${bounds.reason})`
    : `[${shown(bounds.lower)}, ${shown(bounds.upper)}]`;
  return [`${mark} ${row.method}`, text, row.guarantee, row.source];
}

function testCells(row: TestRow): string[] {
  const { probabilities } = row;
  const text = isIndeterminate(probabilities)
    ? `indeterminate (${probabilities.reason})`
    : Object.entries(probabilities)
        .map(([name, value]) => `${name} ${shown(value)}`)
        .join(', ');
  return [`  ${row.test}`, text, row.guarantee, row.source];
}

function verdictText({ threshold, errorLevel, clears, rule }: Verdict): string {
  return `${clears ? 'Clears' : 'Does not clear'} ${shown(threshold)} at one-sided error ${shown(errorLevel)}: ${rule}.`;
}

function intervalLines({ intervals }: Answer): string[] {
  const [first] = intervals;
  if (first === undefined) return [];
  const mark = intervals.some((row) => row.deciding) ? ' (* decides)' : '';
  const head = `Intervals at level ${shown(first.level)}${mark}:`;
  return ['', head, ...table(intervals.map(intervalCells))];
}

/** The answer in lines for people. */
export function answerLines(answer: Answer): string[] {
  const numbers = answer.numbers.map(({ name, value, source }) =>
    source === ''
      ? [`  ${name}`, numberText(value)]
      : [`  ${name}`, numberText(value), `(${source})`],
  );
  return [
    answer.question,
    ...table(numbers),
    ...intervalLines(answer),
    ...(answer.tests.length === 0 ? [] : ['', 'Tests:', ...table(answer.tests.map(testCells))]),
    ...(answer.verdict === null ? [] : ['', verdictText(answer.verdict)]),
    ...(answer.remarks.length === 0 ? [] : ['', ...answer.remarks.map((each) => `- ${each}`)]),
  ];
}

/** Prints the answer; `--json` prints the value itself. */
export function printAnswer(answer: Answer, output: Output): void {
  for (const line of answerLines(answer)) output.line(line);
  output.document(answer);
}
