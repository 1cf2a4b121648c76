/** Rules about controls: what they expect must be declared, possible and right for the fault they ask for. */
import { type Finding, nearestWord, quoted, type SpecPath } from './finding.ts';
import { gateMeasures } from './gates.ts';
import { type Measure, valueRange } from './measure.ts';
import { twice } from './rules-content.ts';
import type { Control, ExperimentSpec, Fault, OutcomeClass } from './spec.ts';

/** The class each fault must be recognised as; any other shows a harness that cannot tell faults from outcomes. */
const classOfFault: Record<Fault, OutcomeClass> = {
  'host-exit': 'infrastructureFault',
  'agent-throw': 'agentError',
  'scorer-throw': 'evaluatorFailure',
};

/**
 * Findings about all controls.
 * @example controlFindings({ controls: [], measures: {}, claim: {}, gates: [] }) // => []
 */
export function controlFindings(spec: ExperimentSpec): Finding[] {
  const ids = spec.controls.map((control) => control.id);
  const each = spec.controls.flatMap((control, index) => {
    const path = ['controls', index];
    const doubled =
      ids.indexOf(control.id) === index ? [] : [twice('control', control.id, [...path, 'id'])];
    return [...doubled, ...oneControl(control, path, spec.measures)];
  });
  return [...each, ...unprovenFindings(spec)];
}

/**
 * Gated measures whose scorer no control puts to the test. Of a measure that decides, one control must refuse a scorer that always
 * gives the best value and one a scorer that always gives the worst; of a critical measure the first is enough, the second can only
 * hold a candidate back. Development decides nothing and may do without.
 */
function unprovenFindings(spec: ExperimentSpec): Finding[] {
  if (spec.claim.use === 'development') return [];
  return Object.entries(spec.measures).flatMap(([id, measure]) => {
    const gated = spec.gates.some((gate) => gateMeasures(gate).includes(id));
    const range = valueRange(measure);
    // A broken range is a finding of its own, and without a range no value is the best one.
    if (!gated || range === null || range.lower >= range.upper) return [];
    const bounds = spec.controls.flatMap((control) =>
      'fault' in control ? [] : (control.expect[id] ?? []),
    );
    const low = bounds.some(({ max }) => max !== undefined && max < range.upper);
    const high = bounds.some(({ min }) => min !== undefined && min > range.lower);
    const [best, worst] = measure.direction === 'higher' ? [low, high] : [high, low];
    return [
      ...(best ? [] : [unproven(id, measure, 'best')]),
      ...(worst || measure.role === 'critical' ? [] : [unproven(id, measure, 'worst')]),
    ];
  });
}

function unproven(id: string, measure: Measure, always: 'best' | 'worst'): Finding {
  const range = valueRange(measure);
  const failing = always === 'best';
  const bound =
    (measure.direction === 'higher') === failing
      ? `max: ... below ${range?.upper}`
      : `min: ... above ${range?.lower}`;
  const harm = measure.role === 'critical' ? 'known-harm' : 'known-fail';
  return {
    code: 'control-missing',
    path: ['measures', id],
    at: 'key',
    message: `No control refuses a scorer that gives "${id}" its ${always} value whatever happened, and a gate reads it.`,
    mend: `Add a ${failing ? harm : 'known-pass'} control: {id: ..., surface: {...}, expect: {${id}: {${bound}}}}.`,
  };
}

function oneControl(
  control: Control,
  path: SpecPath,
  measures: Readonly<Record<string, Measure>>,
): Finding[] {
  if ('fault' in control) return faultFindings(control.fault, control.expect.class, path);
  const expected = Object.entries(control.expect);
  if (expected.length === 0) {
    return [
      {
        code: 'control-expects-nothing',
        path: [...path, 'expect'],
        message: 'A control that expects nothing proves nothing.',
        mend: 'Name a measure with min, max or both.',
      },
    ];
  }
  return expected.flatMap(([id, bounds]) =>
    boundsFindings(bounds, [...path, 'expect', id], { id, measures }),
  );
}

function faultFindings(fault: Fault, expected: OutcomeClass, path: SpecPath): Finding[] {
  const right = classOfFault[fault];
  if (expected === right) return [];
  return [
    {
      code: 'control-class',
      path: [...path, 'expect', 'class'],
      message: `The fault "${fault}" must be recognised as ${right}, got ${expected}.`,
      mend: `Expect ${right}: a harness that sees anything else cannot tell faults from outcomes.`,
    },
  ];
}

interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

function boundsFindings(
  bounds: Bounds,
  path: SpecPath,
  { id, measures }: { readonly id: string; readonly measures: Readonly<Record<string, Measure>> },
): Finding[] {
  const measure = Object.hasOwn(measures, id) ? measures[id] : undefined;
  if (measure === undefined)
    return [unknownMeasure(`This control expects`, id, { path, measures, at: 'key' })];
  const declared = valueRange(measure);
  // A broken range is a finding of its own; bounds cannot be judged against it.
  const range = declared !== null && declared.lower < declared.upper ? declared : null;
  const lower = Math.max(
    bounds.min ?? Number.NEGATIVE_INFINITY,
    range?.lower ?? Number.NEGATIVE_INFINITY,
  );
  const upper = Math.min(
    bounds.max ?? Number.POSITIVE_INFINITY,
    range?.upper ?? Number.POSITIVE_INFINITY,
  );
  if (range !== null && lower <= range.lower && upper >= range.upper) {
    return [
      {
        code: 'control-proves-nothing',
        path,
        message: `Every mean of values from ${range.lower} to ${range.upper} meets these bounds, so a broken harness would pass.`,
        mend: 'Write a min that a failing, or a max that a passing control would miss.',
      },
    ];
  }
  if (lower <= upper) return [];
  const wanted = [
    ...(bounds.min === undefined ? [] : [`min ${bounds.min}`]),
    ...(bounds.max === undefined ? [] : [`max ${bounds.max}`]),
  ];
  const span = range === null ? '' : ` of values from ${range.lower} to ${range.upper}`;
  return [
    {
      code: 'control-bounds',
      path,
      message: `No mean${span} can meet ${wanted.join(' and ')}.`,
      mend: 'Correct min and max.',
    },
  ];
}

/**
 * A measure that nobody declared, with the nearest one that exists.
 * @example unknownMeasure('It reads', 'rihgt', { path: [], measures: { right: {} } }).mend // => 'Did you mean "right"?'
 */
export function unknownMeasure(
  who: string,
  id: string,
  options: {
    readonly path: SpecPath;
    readonly measures: Readonly<Record<string, Measure>>;
    readonly at?: 'key' | 'value';
  },
): Finding {
  const known = Object.keys(options.measures);
  const near = nearestWord(id, known);
  const others =
    known.length === 0 ? 'Declare it under measures.' : `Declared measures: ${quoted(known)}.`;
  return {
    code: 'unknown-measure',
    path: options.path,
    at: options.at,
    message: `${who} the measure "${id}", which is not declared.`,
    mend: near === null ? others : `Did you mean "${near}"?`,
  };
}
