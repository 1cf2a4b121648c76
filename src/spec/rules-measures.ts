/** Rules about measures: declared ranges that exist, failure values that can be values, one primary measure. */
import type { Finding, SpecPath } from './finding.ts';
import { bestValue, largestValue, type Measure, valueProblem, valueRange } from './measure.ts';
import { conditionFindings } from './rules-content.ts';

type Measures = Readonly<Record<string, Measure>>;

/**
 * Findings about all measures.
 * @example measureFindings({})[0].code // => 'no-measure'
 */
export function measureFindings(measures: Measures): Finding[] {
  const entries = Object.entries(measures);
  const findings = entries.flatMap(([id, measure]) => oneMeasure(measure, ['measures', id]));
  if (entries.length === 0) {
    findings.push({
      code: 'no-measure',
      path: ['measures'],
      message: 'Nothing is measured.',
      mend: 'Declare a measure: right: {kind: binary, role: primary, direction: higher}.',
    });
  }
  const primary = entries.filter(([, measure]) => measure.role === 'primary').map(([id]) => id);
  for (const id of primary.slice(1)) {
    findings.push({
      code: 'several-primary',
      path: ['measures', id, 'role'],
      message: `The measure "${id}" is primary, but so is "${primary[0]}".`,
      mend: 'Keep one primary measure; make the others guardrails or reported.',
    });
  }
  return findings;
}

function oneMeasure(measure: Measure, path: SpecPath): Finding[] {
  const findings = [...rangeFindings(measure, path), ...extentFindings(measure, path)];
  if (measure.where !== undefined) {
    findings.push(...conditionFindings(measure.where, [...path, 'where']));
  }
  if (measure.role === 'critical' && measure.kind !== 'binary') {
    findings.push({
      code: 'critical-not-binary',
      path: [...path, 'kind'],
      message: `A critical measure is binary (violated or not), got ${measure.kind}.`,
      mend: 'Score the violation as 0 or 1, or make the measure a guardrail.',
    });
  }
  // A failure value is judged against the range only where the range itself makes sense.
  if (findings.length === 0 && typeof measure.onFailure === 'number') {
    findings.push(...failureFindings(measure, measure.onFailure, path));
  }
  return findings;
}

function failureFindings(measure: Measure, value: number, path: SpecPath): Finding[] {
  const problem = valueProblem(measure, value);
  if (problem === null && measure.role !== 'reported' && value === bestValue(measure)) {
    return [
      {
        code: 'failure-rewarded',
        path: [...path, 'onFailure'],
        message: `onFailure ${value} is the best value of a ${measure.role} measure: a candidate that only fails would ${measure.role === 'primary' ? 'win' : 'pass its gate'}.`,
        mend: 'Remove onFailure, write a value below the best, or "indeterminate".',
      },
    ];
  }
  return problem === null
    ? []
    : [
        {
          code: 'failure-value',
          path: [...path, 'onFailure'],
          message: `onFailure must be a value of the measure: ${problem}, got ${value}.`,
          mend: 'Write a value the measure can take, or "indeterminate".',
        },
      ];
}

function range(path: SpecPath, message: string, mend: string): Finding {
  return { code: 'measure-range', path, message, mend };
}

function rangeFindings(measure: Measure, path: SpecPath): Finding[] {
  switch (measure.kind) {
    case 'score':
      return measure.min < measure.max
        ? []
        : [
            range(
              [...path, 'max'],
              `A score needs min < max, got min ${measure.min} and max ${measure.max}.`,
              'Declare the smallest and the largest score that can be given.',
            ),
          ];
    case 'ordinal':
      return measure.levels.every(
        (level, index) => index === 0 || level > Number(measure.levels[index - 1]),
      )
        ? []
        : [
            range(
              [...path, 'levels'],
              'The levels must rise strictly, each once.',
              'Write the levels from the smallest to the largest.',
            ),
          ];
    case 'count':
      return countFindings(measure, path);
    case 'binary':
    case 'duration':
    case 'cost':
    case 'continuous':
      return [];
  }
}

/** A range whose width is no finite number would stop the analysis after the units are spent. */
function extentFindings(measure: Measure, path: SpecPath): Finding[] {
  const bounds = valueRange(measure);
  if (bounds === null) return [];
  const extreme = [bounds.lower, bounds.upper].find((bound) => Math.abs(bound) > largestValue);
  if (extreme === undefined) return [];
  return [
    range(
      path,
      `Declared values lie within +-${largestValue}, got ${extreme}.`,
      'Declare the range that scores can really have.',
    ),
  ];
}

function countFindings(measure: Measure & { kind: 'count' }, path: SpecPath): Finding[] {
  const { min, max, unbounded } = measure;
  if (max !== undefined && unbounded) {
    return [
      range(
        [...path, 'unbounded'],
        'A count cannot have a max and be unbounded.',
        'Keep one: max for a bounded count, unbounded: true for one without a bound.',
      ),
    ];
  }
  if (max === undefined && !unbounded) {
    return [
      range(
        path,
        'A count must say whether it is bounded.',
        'Add max, the largest count that can occur, or unbounded: true.',
      ),
    ];
  }
  const whole = Number.isInteger(min) && min >= 0 && (max === undefined || Number.isInteger(max));
  return whole && (max === undefined || max > min)
    ? []
    : [
        range(
          path,
          `A count needs whole numbers 0 <= min < max, got min ${min}${max === undefined ? '' : ` and max ${max}`}.`,
          'Correct min and max.',
        ),
      ];
}
