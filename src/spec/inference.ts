/** Inference as declared, and the `auto` table that turns a declared design into a named method. */
import * as z from '../base/shape.ts';
import { type Measure, valueRange } from './measure.ts';
import type { StoppingRule } from './stopping.ts';

/** Methods that can be sealed by name in this version. */
export const sealableMethods = [
  'tango-score',
  'exact-unconditional',
  'betting-fixed-n',
  't',
  't-bootstrap-t',
  'cr2',
  'tango-effective-n',
  'roster-t',
] as const;

export const inferenceSchema = z.strictObject({
  level: z
    .number()
    .gt(0.5)
    .lt(1)
    .default(0.95)
    .describe(
      'Level of two-sided intervals; lift and no-regression spend (1 - level)/2 on their side.',
    ),
  method: z
    .enum(['auto', ...sealableMethods])
    .default('auto')
    .describe('auto: the table of docs/statistics.md decides; a name is sealed where it fits.'),
  guarantee: z
    .enum(['asymptotic', 'finite-sample'])
    .default('asymptotic')
    .describe('finite-sample: only bounds whose error holds at every number of units.'),
  weights: z
    .enum(['unit', 'case'])
    .default('unit')
    .describe('What counts once in the mean: every unit, or every case with units as clusters.'),
  resamples: z
    .int()
    .min(1000)
    .max(1_000_000)
    .default(10_000)
    .describe('Resamples where a bootstrap has no exact law.'),
});
export type Inference = z.infer<typeof inferenceSchema>;

/** Methods that decide in this version; the last one serves anytime stopping and is never sealed by name. */
export const decidingMethods = [...sealableMethods, 'betting-sequence'] as const;
export type MethodName = (typeof decidingMethods)[number];

/** Methods that bound one arm alone; the design decides which, none is sealed by name. */
export type OneArmMethod = 'clopper-pearson' | 'betting-fixed-n' | 'order-statistic';

/** Version of the table below, recorded in every seal. */
export const autoTableVersion = 1;

/** Bets of the fixed-n betting bound are truncated at this share of 1/m (DESIGN 6). */
export const bettingTruncation = 0.95;

/** What the table may look at: the declared design, never data. */
export interface DeclaredDesign {
  readonly measure: Measure;
  readonly inference: Inference;
  readonly generalization: 'new-units' | 'fixed-roster';
  /** Planned units that the measure applies to. */
  readonly units: number;
  /** Largest number of planned pairs (cases times repeats) of one unit. */
  readonly pairsPerUnit: number;
  /** Lift threshold or minus the margin, in the measure's units; null for a measure that no gate reads. */
  readonly threshold: number | null;
  /** Default fixed. */
  readonly stopping?: StoppingRule;
}

export type Resolution<Method extends string = MethodName> =
  | {
      readonly status: 'resolved';
      readonly row: string;
      readonly method: Method;
      readonly guarantee: 'finite-sample' | 'asymptotic';
    }
  | { readonly status: 'refused'; readonly row: string; readonly reason: string };

const rows = {
  caseWeights: 'weights: case',
  fixedRoster: 'fixed-roster',
  binaryPositive: 'binary, one pair per unit, threshold > 0',
  binaryFinite: 'binary, guarantee: finite-sample',
  binary: 'binary, one pair per unit, threshold <= 0',
  bounded: 'unit means of binary, score, ordinal, bounded count',
  unbounded: 'unbounded (duration, cost, continuous, count)',
  rate: "one arm's rate, one cell per unit",
  rateMeans: "one arm's rate, unit means of several cells",
  quantile: "one arm's quantile",
  anytime: 'anytime, bounded difference of unit means',
  gap: 'difference between the improvements of two measures',
} as const;

/** Planned units above which the Tango interval replaces the exact bound at a positive threshold. */
const exactUnitsLimit = 5000;

function refused(row: string, reason: string): Extract<Resolution, { status: 'refused' }> {
  return { status: 'refused', row, reason };
}

/**
 * What a method promises about its error, whatever the data.
 * @example guaranteeOf('exact-unconditional') // => 'finite-sample'
 */
export function guaranteeOf(method: MethodName): 'finite-sample' | 'asymptotic' {
  switch (method) {
    case 'exact-unconditional':
    case 'betting-fixed-n':
    case 'betting-sequence':
      return 'finite-sample';
    case 'tango-score':
    case 't':
    case 't-bootstrap-t':
    case 'cr2':
    case 'tango-effective-n':
    case 'roster-t':
      return 'asymptotic';
  }
}

function resolved(row: string, method: MethodName): Resolution {
  return { status: 'resolved', row, method, guarantee: guaranteeOf(method) };
}

/**
 * Row of the table that a design falls into.
 * @example autoRow(design) // => 'binary, one pair per unit, threshold <= 0'
 */
export function autoRow(design: DeclaredDesign): string {
  const { measure, inference } = design;
  if (design.generalization === 'fixed-roster') return rows.fixedRoster;
  if (inference.weights === 'case') return rows.caseWeights;
  if (valueRange(measure) === null) return rows.unbounded;
  if (measure.kind !== 'binary' || design.pairsPerUnit > 1) return rows.bounded;
  if (inference.guarantee === 'finite-sample') return rows.binaryFinite;
  return design.threshold !== null && design.threshold > 0 ? rows.binaryPositive : rows.binary;
}

/**
 * Method that decides for a declared design. A row without a method in this version is refused, never replaced.
 * @see DESIGN 6, table version 1
 * @example resolveMethod(design).method // => 'tango-score'
 */
export function resolveMethod(design: DeclaredDesign): Resolution {
  const gated = design.threshold !== null;
  if (gated && design.stopping === 'anytime') return anytimeMethod(design);
  const found = fixedMethod(design);
  return gated && design.stopping === 'group-sequential' ? methodAtLooks(found) : found;
}

/** Method that decides at a number of units fixed in advance. */
function fixedMethod(design: DeclaredDesign): Resolution {
  const row = autoRow(design);
  if (row === rows.fixedRoster || row === rows.caseWeights) return ownRowMethod(row, design);
  const named = design.inference.method;
  if (named !== 'auto' && servesOwnRow(named)) {
    return refused(row, `${named} serves the row "${ownRowOf(named)}" only`);
  }
  if (named !== 'auto' && fits(named, design)) return namedMethod(row, named, design);
  switch (row) {
    case rows.binary:
      return resolved(row, 'tango-score');
    case rows.binaryPositive:
      return resolved(row, design.units > exactUnitsLimit ? 'tango-score' : 'exact-unconditional');
    case rows.binaryFinite:
      return resolved(row, 'exact-unconditional');
    case rows.bounded:
      return resolved(row, 'betting-fixed-n');
    default:
      return unboundedMethod(row, design);
  }
}

/** Only a sequence of bets on a bounded difference holds at every unit, whenever the run stops. */
function anytimeMethod(design: DeclaredDesign): Resolution {
  const { measure, inference } = design;
  const row = rows.anytime;
  if (design.generalization === 'fixed-roster') {
    return refused(
      row,
      'a fixed roster is about all its listed units, so none may stay unmeasured',
    );
  }
  if (inference.weights === 'case') return refused(row, 'it counts every unit once');
  if (valueRange(measure) === null)
    return refused(row, 'bets need a declared range of the measure');
  if (inference.method !== 'auto') {
    return refused(row, `${inference.method} bounds a number of units that is fixed in advance`);
  }
  return resolved(row, 'betting-sequence');
}

/** What may be looked at several times: scores whose looks are jointly normal, and bounds whose errors add up. */
function methodAtLooks(found: Resolution): Resolution {
  if (found.status === 'refused') return found;
  switch (found.method) {
    case 'tango-score':
    case 't':
    case 'exact-unconditional':
    case 'betting-fixed-n':
    case 'betting-sequence':
      return found;
    case 't-bootstrap-t':
      return refused(
        found.row,
        'no resampling reaches the small errors of early looks: seal t by name',
      );
    case 'roster-t':
      return refused(
        found.row,
        'a fixed roster is about all its listed units, so none may stay unmeasured',
      );
    case 'cr2':
    case 'tango-effective-n':
      return refused(
        found.row,
        'the looks of case weights have no known joint law: write weights: unit',
      );
  }
}

/** Methods of the rows that another estimand than the mean across sampled units leads to. */
type OwnRowMethod = 'cr2' | 'tango-effective-n' | 'roster-t';

function servesOwnRow(method: MethodName): method is OwnRowMethod {
  return method === 'cr2' || method === 'tango-effective-n' || method === 'roster-t';
}

function ownRowOf(method: OwnRowMethod): string {
  return method === 'roster-t' ? rows.fixedRoster : rows.caseWeights;
}

/** Method of the rows `weights: case` and `fixed-roster`; what would silently change the estimand or the guarantee is refused. */
function ownRowMethod(row: string, { measure, inference, threshold }: DeclaredDesign): Resolution {
  const named = inference.method;
  if (row === rows.fixedRoster && inference.weights === 'case') {
    return refused(row, 'it counts every listed unit once, so weights: case has no method here');
  }
  if (named !== 'auto' && !(servesOwnRow(named) && ownRowOf(named) === row)) {
    return refused(row, `${named} estimates the mean across sampled units, each counting once`);
  }
  if (inference.guarantee === 'finite-sample' && threshold !== null) {
    return refused(row, 'no finite-sample bound exists for this row');
  }
  if (row === rows.fixedRoster) return resolved(row, 'roster-t');
  return resolved(row, measure.kind === 'binary' && named !== 'cr2' ? 'tango-effective-n' : 'cr2');
}

function unboundedMethod(row: string, design: DeclaredDesign): Resolution {
  return design.inference.guarantee === 'finite-sample' && design.threshold !== null
    ? refused(row, 'no finite-sample bound exists for an unbounded measure')
    : resolved(row, 't-bootstrap-t');
}

function namedMethod(row: string, method: MethodName, design: DeclaredDesign): Resolution {
  const resolution = resolved(row, method);
  const weaker = resolution.status === 'resolved' && resolution.guarantee === 'asymptotic';
  return weaker && design.inference.guarantee === 'finite-sample'
    ? refused(row, `${method} has no finite-sample guarantee`)
    : resolution;
}

/** Whether a method sealed by name can serve a measure; a measure it cannot serve takes its own row. */
function fits(
  method: Exclude<MethodName, OwnRowMethod | 'betting-sequence'>,
  design: DeclaredDesign,
): boolean {
  switch (method) {
    case 'tango-score':
    case 'exact-unconditional':
      return design.measure.kind === 'binary' && design.pairsPerUnit === 1;
    case 'betting-fixed-n':
      return valueRange(design.measure) !== null;
    case 't':
    case 't-bootstrap-t':
      return true;
  }
}

/** What a bound of one arm looks at: units count once each, as a sample of new ones. */
type OneArmDesign = Pick<
  DeclaredDesign,
  'inference' | 'generalization' | 'pairsPerUnit' | 'stopping'
>;

function oneArmMethod(
  { inference, generalization, stopping }: OneArmDesign,
  { row, method }: { readonly row: string; readonly method: OneArmMethod },
): Resolution<OneArmMethod> {
  const other =
    generalization === 'fixed-roster'
      ? rows.fixedRoster
      : inference.weights === 'case'
        ? rows.caseWeights
        : null;
  if (other !== null) return refused(other, "it has no bound for one arm's units");
  if (stopping === 'anytime')
    return refused(row, 'its bound is for a number of units fixed in advance');
  return { status: 'resolved', row, method, guarantee: 'finite-sample' };
}

/**
 * Method that bounds one arm's rate: exact for one cell per unit, the betting bound on [0, 1] for unit means of several.
 * @example resolveRateMethod(design).method // => 'clopper-pearson'
 */
export function resolveRateMethod(design: OneArmDesign): Resolution<OneArmMethod> {
  const single = design.pairsPerUnit <= 1;
  return oneArmMethod(design, {
    row: single ? rows.rate : rows.rateMeans,
    method: single ? 'clopper-pearson' : 'betting-fixed-n',
  });
}

/**
 * Method that bounds a quantile of one arm's units, whatever their distribution.
 * @example resolveQuantileMethod(design).method // => 'order-statistic'
 */
export function resolveQuantileMethod(design: OneArmDesign): Resolution<OneArmMethod> {
  return oneArmMethod(design, { row: rows.quantile, method: 'order-statistic' });
}

/**
 * Method that bounds how much more one measure gains than another on the same units: both need a declared range.
 * @example resolveGapMethod(design).method // => 'betting-fixed-n'
 */
export function resolveGapMethod(
  design: OneArmDesign & Pick<DeclaredDesign, 'measure'>,
): Resolution<OneArmMethod> {
  if (valueRange(design.measure) === null) {
    return refused(rows.gap, 'it compares shares of declared ranges, and the measure has none');
  }
  return oneArmMethod(design, { row: rows.gap, method: 'betting-fixed-n' });
}
