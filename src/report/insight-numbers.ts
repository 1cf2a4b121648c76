/** Numbers of the insight report: distributions, differences by measure and stratum, and the arms between cost and quality. */
import { compareCodeUnits } from '../base/canonical.ts';
import { type Indeterminate, isIndeterminate } from '../stats/interval.ts';
import { meanDifferenceInterval } from '../stats/mean-difference.ts';
import { pairedRiskDifferenceInterval } from '../stats/paired-binary.ts';
import { describeValues, descriptiveQuantile } from '../stats/summary.ts';
import {
  type Difference,
  type Distribution,
  type FrontierPoint,
  type InsightRecord,
  type InsightSource,
  insightLevel,
} from './insight-facts.ts';

export function uniqueSorted(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort(compareCodeUnits);
}

export function numberOrNull(value: number | Indeterminate): number | null {
  return isIndeterminate(value) ? null : value;
}

/** Added from the least to the greatest, so that the order of the records changes no digit. */
export function meanOf(values: readonly number[]): number {
  const ordered = [...values].sort((a, b) => a - b);
  return ordered.reduce((total, value) => total + value, 0) / values.length;
}

/** The cell of a record, whoever rated it. */
export function cellName({ arm, repeat, case: caseId }: InsightRecord): string {
  return `${arm}\n${repeat}\n${caseId}`;
}

/** Mean score per unit of one arm and measure, over its cases, repeats and raters. */
export function unitMeans(
  records: readonly InsightRecord[],
  { arm, measure }: { readonly arm: string; readonly measure: string },
): Map<string, number> {
  const values = new Map<string, number[]>();
  for (const record of records) {
    const value = record.arm === arm ? record.scores[measure] : null;
    if (value === null || value === undefined) continue;
    const known = values.get(record.unit);
    if (known === undefined) values.set(record.unit, [value]);
    else known.push(value);
  }
  return new Map([...values].map(([unit, list]) => [unit, meanOf(list)]));
}

export function distributionsOf(
  { records }: InsightSource,
  arms: readonly string[],
): Distribution[] {
  return measuresOf(records).flatMap((measure) => {
    const byArm = arms.map((arm) => ({
      arm,
      values: [...unitMeans(records, { arm, measure }).values()].sort((a, b) => a - b),
    }));
    const all = byArm.flatMap(({ values }) => values);
    const least = all.reduce((found, value) => Math.min(found, value), Number.POSITIVE_INFINITY);
    const most = all.reduce((found, value) => Math.max(found, value), Number.NEGATIVE_INFINITY);
    const binOf = (value: number): number =>
      most === least ? 0 : Math.min(9, Math.floor((10 * (value - least)) / (most - least)));
    return byArm.flatMap(({ arm, values }) => {
      const found = describeValues(values);
      if (isIndeterminate(found)) return [];
      const at = (p: number): number =>
        numberOrNull(descriptiveQuantile(values, p)) ?? found.median;
      const bins = new Array<number>(10).fill(0);
      for (const value of values) bins[binOf(value)] = (bins[binOf(value)] ?? 0) + 1;
      return {
        measure,
        arm,
        units: found.count,
        mean: found.mean,
        standardDeviation: numberOrNull(found.standardDeviation),
        quantiles: [found.minimum, at(0.25), found.median, at(0.75), found.maximum] as const,
        bins,
      };
    });
  });
}

export function measuresOf(records: readonly InsightRecord[]): string[] {
  return uniqueSorted(records.flatMap((record) => Object.keys(record.scores)));
}

/** Improvements by unit of an arm over the baseline, units by code units. */
export function improvementsOf(
  { records, baseline, lower }: InsightSource,
  { arm, measure }: { readonly arm: string; readonly measure: string },
): {
  readonly units: string[];
  readonly pairs: (readonly [number, number])[];
  readonly values: number[];
} {
  const own = unitMeans(records, { arm, measure });
  const base = unitMeans(records, { arm: baseline, measure });
  const units = uniqueSorted(own.keys()).filter((unit) => base.has(unit));
  const pairs = units.map((unit) => [base.get(unit) ?? 0, own.get(unit) ?? 0] as const);
  const sign = lower.has(measure) ? -1 : 1;
  return { units, pairs, values: pairs.map(([before, after]) => sign * (after - before)) };
}

function differenceOf(
  source: InsightSource,
  place: { readonly arm: string; readonly measure: string; readonly stratum: string | null },
): Difference | null {
  const { arm, measure, stratum } = place;
  const { pairs, values } = improvementsOf(source, place);
  if (values.length === 0) return null;
  const binary = pairs.every((pair) => pair.every((value) => value === 0 || value === 1));
  const count = (difference: number): number => values.filter((each) => each === difference).length;
  const both = pairs.filter(([before, after]) => before === 1 && after === 1).length;
  const found = binary
    ? pairedRiskDifferenceInterval(
        {
          both,
          onlyCandidate: count(1),
          onlyBaseline: count(-1),
          neither: values.length - both - count(1) - count(-1),
        },
        insightLevel,
      )
    : meanDifferenceInterval(values, insightLevel);
  const interval = isIndeterminate(found) ? null : found;
  return {
    measure,
    arm,
    stratum,
    units: values.length,
    improvement: meanOf(values),
    lower: interval?.lower ?? null,
    upper: interval?.upper ?? null,
    method: binary ? 'Tango' : 't',
    without: isIndeterminate(found) ? found.reason : null,
  };
}

export function differencesOf(source: InsightSource, arms: readonly string[]): Difference[] {
  return measuresOf(source.records).flatMap((measure) =>
    arms
      .filter((arm) => arm !== source.baseline)
      .flatMap((arm) => differenceOf(source, { arm, measure, stratum: null }) ?? []),
  );
}

/** Differences within every value of every stratum that at least two units have. */
export function strataOf(source: InsightSource, arms: readonly string[]): Difference[] {
  const keys = uniqueSorted(source.records.flatMap((record) => Object.keys(record.strata)));
  return keys.flatMap((key) =>
    uniqueSorted(source.records.flatMap((record) => record.strata[key] ?? [])).flatMap((value) => {
      const records = source.records.filter((record) => record.strata[key] === value);
      const within = { ...source, records };
      return differencesOf(within, arms)
        .filter(({ units }) => units > 1)
        .map((each) => ({ ...each, stratum: `${key}=${value}` }));
    }),
  );
}

/** Cost of each cell once, however many raters saw it; unknown ones are left out. */
function cellCosts(records: readonly InsightRecord[], arm: string): number[] {
  const costs = new Map<string, number>();
  for (const record of records) {
    if (record.arm === arm && record.usd !== null) costs.set(cellName(record), record.usd);
  }
  return [...costs.values()];
}

/** The arms by mean cost and by the mean of the measure that is called quality. */
export function frontierOf(source: InsightSource, arms: readonly string[]): FrontierPoint[] {
  const { quality: measure, records, lower } = source;
  if (measure === null) return [];
  const sign = lower.has(measure) ? -1 : 1;
  const points = arms.flatMap((arm) => {
    const costs = cellCosts(records, arm);
    const values = [...unitMeans(records, { arm, measure }).values()];
    if (costs.length === 0 || values.length === 0) return [];
    return [
      { arm, measure, worth: sign * meanOf(values), usd: meanOf(costs), cells: costs.length },
    ];
  });
  if (points.length < 2) return [];
  return points.map(({ worth, ...point }) => ({
    ...point,
    quality: sign * worth,
    efficient: !points.some(
      (other) =>
        other.worth >= worth &&
        other.usd <= point.usd &&
        (other.worth > worth || other.usd < point.usd),
    ),
  }));
}
