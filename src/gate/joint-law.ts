/**
 * Which joint law the tests of several candidates, or of several objectives, have over the same units, for `multiplicity: max-t`.
 *
 * The statistics of paired differences are means over units, so they are jointly normal with the correlation of the units' values. What a
 * null candidate has to clear falsely is one of its gates, nobody knows which: of each two candidates the smallest correlation of any
 * two of their gates counts. Where there is no such law, or too few units to read it off, the error is divided by the number as Holm
 * does, and the reason is kept.
 */
import type { Sample } from '../analysis/unit-value.ts';
import * as z from '../base/shape.ts';
import type { MethodName } from '../spec/inference.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { jointDivisor } from '../stats/joint-normal.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { moments } from '../stats/summary.ts';

/** Fewer units with a value, or fewer that differ, carry no normal law: the floors of t and bootstrap-t (DESIGN 6). */
export const jointFloors = { units: 20, nonZero: 10 } as const;

/** One test of a family: the gate it belongs to and what it reads. */
export interface JointTest {
  readonly name: string;
  readonly method: MethodName;
  readonly sample: Sample;
}

/** What divides the error of a family. */
export interface JointLaw {
  /** By what the error is divided for these members alone; never more for fewer of them. */
  readonly divisor: (members: readonly number[]) => number;
  /** Why the members' number divides it for all of them; null where the joint law does. */
  readonly fallback: string | null;
  /** Smallest correlation of two members' tests; null without a law or with a single member. */
  readonly smallest: number | null;
}

/** What divided the error of several candidates, recorded with the decision about each. */
export const correctionSchema = z.strictObject({
  applied: z
    .enum(['max-t', 'holm'])
    .describe('holm: without a joint law, the number of candidates divides the error.'),
  reason: z.string(),
  smallestCorrelation: z.number().nullable(),
});
/** One correction. */
export type Correction = z.infer<typeof correctionSchema>;

/** The law as a record. */
export function correctionOf({ fallback, smallest }: JointLaw): Correction {
  const smallestCorrelation = smallest === null ? null : roundSignificant(smallest);
  return fallback === null
    ? {
        applied: 'max-t',
        reason: 'the required gates are differences over the same units',
        smallestCorrelation,
      }
    : { applied: 'holm', reason: fallback, smallestCorrelation };
}

/** A family without a law: the error is divided by how many there are. */
export function noJointLaw(fallback: string): JointLaw {
  return { divisor: (members) => members.length, fallback, smallest: null };
}

/** Why a method's statistic is no mean over independent units; null where it is one. */
export function unjoinedMethod(method: MethodName): string | null {
  switch (method) {
    case 'tango-score':
    case 'exact-unconditional':
    case 'betting-fixed-n':
    case 't':
    case 't-bootstrap-t':
      return null;
    case 'cr2':
    case 'tango-effective-n':
      return 'is pooled over cases';
    case 'roster-t':
      return 'has its noise within units';
    case 'betting-sequence':
      return 'holds at every number of units';
  }
}

/** That a gate's method joins nothing, and why. */
export function methodText(name: string, method: MethodName): string {
  return `the method ${method} of ${name} ${unjoinedMethod(method) ?? 'joins it'}`;
}

interface Centred {
  readonly byUnit: ReadonlyMap<string, number>;
  readonly size: number;
}

/** Values about their mean with their length as a vector, or why they carry no law. */
function centred({ name, method, sample }: JointTest): Centred | string {
  if (unjoinedMethod(method) !== null) return methodText(name, method);
  const values = sample.units.map((each) => each.improvement);
  if (values.length < jointFloors.units)
    return `${name} has ${values.length} units, a joint law needs ${jointFloors.units}`;
  const nonZero = values.filter((value) => value !== 0).length;
  if (nonZero < jointFloors.nonZero)
    return `${name} differs in ${nonZero} units, a joint law needs ${jointFloors.nonZero}`;
  const { mean, variance } = moments(values);
  if (!(variance > 0)) return `the differences of ${name} are all equal`;
  return {
    byUnit: new Map(sample.units.map((each) => [each.unit, each.improvement - mean])),
    size: Math.sqrt(variance * (values.length - 1)),
  };
}

/** Correlation of two means: products over shared units, so that units only one of them has count as unrelated. */
function correlationOf(first: Centred, second: Centred): number {
  let products = 0;
  for (const [unit, value] of first.byUnit) products += value * (second.byUnit.get(unit) ?? 0);
  const found = roundSignificant(products / (first.size * second.size), 1);
  return Math.min(1, Math.max(-1, found));
}

/** Why no family of a design has a joint law; null where one may. */
export function unjoinedDesign({ spec }: SealedExperiment, hasLooks: boolean): string | null {
  if (hasLooks) return 'the joint law is that of one look, and this design has several';
  return spec.inference.guarantee === 'finite-sample'
    ? 'the sealed guarantee is finite-sample, and a joint law is asymptotic'
    : null;
}

/**
 * The joint law of a family of which each member has one or more tests, all of which it has to clear.
 *
 * @param family  the required tests of each member; at least one member
 * @param error   one-sided, of the whole family
 */
export function jointLaw(family: readonly (readonly JointTest[])[], error: number): JointLaw {
  if (family.length < 2) return { divisor: () => 1, fallback: null, smallest: null };
  const read = family.map((tests) => tests.map(centred));
  const reason = read.flat().find((each) => typeof each === 'string');
  if (typeof reason === 'string') return noJointLaw(reason);
  const known = read.map((tests) => tests.filter((each) => typeof each !== 'string'));
  if (known.some((tests) => tests.length === 0))
    return noJointLaw('a candidate has no required gate on a difference');
  const least = (at: number, other: number): number =>
    at === other
      ? 1
      : (known[at] ?? [])
          .flatMap((first) => (known[other] ?? []).map((second) => correlationOf(first, second)))
          .reduce((found, each) => Math.min(found, each), 1);
  const table = known.map((_, at) =>
    known.map((_each, other) => (at < other ? least(at, other) : 1)),
  );
  const between = (at: number, other: number): number =>
    table[Math.min(at, other)]?.[Math.max(at, other)] ?? 1;
  const all = known.flatMap((_, at) =>
    known.flatMap((_each, other) => (at < other ? [between(at, other)] : [])),
  );
  const smallest = all.reduce((found, each) => Math.min(found, each), 1);
  if (smallest < 0) {
    return {
      ...noJointLaw(`two of them are negatively correlated (${roundSignificant(smallest)})`),
      smallest,
    };
  }
  return {
    divisor: (members) => {
      const sorted = [...members].sort((one, other) => one - other);
      const rows = sorted.map((at) =>
        sorted.map((other) => (at === other ? 1 : between(at, other))),
      );
      return rows.length === 0 ? 1 : jointDivisor(rows, error);
    },
    fallback: null,
    smallest,
  };
}
