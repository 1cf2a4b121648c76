/** Relations of the insight report: how cells ended, whether raters agree, which inputs splits share, what moves together. */
import { compareCodeUnits } from '../base/canonical.ts';
import { digestHex, digestOf } from '../base/digest.ts';
import { agreementInterval, cohenKappa, spearman } from '../stats/agreement.ts';
import { isIndeterminate } from '../stats/interval.ts';
import { krippendorffAlpha } from '../stats/reliability.ts';
import {
  type Association,
  type FailureRow,
  type InsightRecord,
  type InsightSource,
  insightLevel,
  type RaterAgreement,
  type SharedInputs,
} from './insight-facts.ts';
import {
  cellName,
  improvementsOf,
  measuresOf,
  numberOrNull,
  uniqueSorted,
} from './insight-numbers.ts';

export function failuresOf({ records }: InsightSource, arms: readonly string[]): FailureRow[] {
  if (records.every(({ outcome }) => outcome === 'completed')) return [];
  return arms.map((arm) => {
    const cells = new Map(
      records
        .filter((record) => record.arm === arm)
        .map((record) => [cellName(record), record.outcome]),
    );
    const outcomes = [...cells.values()];
    return {
      arm,
      cells: cells.size,
      classes: uniqueSorted(outcomes).map((outcome) => ({
        outcome,
        count: outcomes.filter((each) => each === outcome).length,
      })),
    };
  });
}

/** Ratings per cell by rater, of the cells that at least two raters saw. */
function ratedCells(records: readonly InsightRecord[], measure: string): Map<string, number>[] {
  const cells = new Map<string, Map<string, number>>();
  for (const record of records) {
    const { rater, scores } = record;
    const value = scores[measure];
    if (rater === null || value === null || value === undefined) continue;
    const key = cellName(record);
    cells.set(key, (cells.get(key) ?? new Map()).set(rater, value));
  }
  return [...cells.values()].filter((ratings) => ratings.size > 1);
}

export function agreementOf({ records }: InsightSource): RaterAgreement[] {
  return measuresOf(records).flatMap((measure) => {
    const cells = ratedCells(records, measure);
    if (cells.length === 0) return [];
    const raters = uniqueSorted(cells.flatMap((ratings) => [...ratings.keys()]));
    const table = cells.map((ratings) => raters.map((rater) => ratings.get(rater) ?? null));
    const binary = table.flat().every((value) => value === null || value === 0 || value === 1);
    const metric = binary ? 'nominal' : 'interval';
    const alpha = krippendorffAlpha(table);
    const both = table.flatMap(([a, b]) => (a != null && b != null ? [[a, b] as const] : []));
    const kappa =
      raters.length === 2 && binary && both.length > 0
        ? cohenKappa({
            first: both.map(([a]) => a),
            second: both.map(([, b]) => b),
            categories: [0, 1],
          })
        : null;
    const known = kappa === null || isIndeterminate(kappa) ? null : kappa;
    return {
      measure,
      raters,
      cells: cells.length,
      metric,
      alpha: isIndeterminate(alpha) ? null : numberOrNull(alpha[metric]),
      observedAgreement: known?.observedAgreement ?? null,
      kappa: known === null ? null : numberOrNull(known.unweighted),
    } as const;
  });
}

/** So many shared inputs are listed. */
const shownInputs = 20;

export function sharedInputsOf({ records, inputs }: InsightSource): SharedInputs | null {
  const known = [...records, ...inputs].filter(
    ({ input, split }) => input !== null && split !== null,
  );
  if (new Set(known.map(({ split }) => split)).size < 2) return null;
  const places = new Map<string, { splits: Set<string>; cases: Set<string> }>();
  for (const { input, split, case: caseId } of known) {
    const place = places.get(input ?? '') ?? { splits: new Set(), cases: new Set() };
    place.splits.add(split ?? '');
    place.cases.add(caseId);
    places.set(input ?? '', place);
  }
  const shared = [...places.values()]
    .filter(({ splits }) => splits.size > 1)
    .map(({ splits, cases }) => ({ splits: uniqueSorted(splits), cases: uniqueSorted(cases) }))
    .sort((first, second) => compareCodeUnits(first.cases.join('\n'), second.cases.join('\n')));
  return {
    inputs: places.size,
    shared: shared.slice(0, shownInputs),
    leftOut: Math.max(0, shared.length - shownInputs),
  };
}

/** Units below which a correlation says nothing worth printing. */
const leastAssociated = 5;

/** Rank correlation of two lists of improvements over the units that both have; null where there is none to speak of. */
function associationOf(
  first: ReadonlyMap<string, number>,
  second: ReadonlyMap<string, number>,
): Pick<Association, 'units' | 'spearman' | 'lower' | 'upper'> | null {
  const both = [...first].flatMap(([unit, one]) => {
    const other = second.get(unit);
    return other === undefined ? [] : [[one, other] as const];
  });
  if (both.length < leastAssociated) return null;
  const pairs = { first: both.map(([one]) => one), second: both.map(([, other]) => other) };
  const value = spearman(pairs);
  if (isIndeterminate(value)) return null;
  const interval = agreementInterval(pairs, {
    measure: 'spearman',
    method: 'bootstrap-percentile',
    level: insightLevel,
    resamples: 1000,
    seed: digestHex(digestOf('insight association')),
  });
  const { lower, upper } = isIndeterminate(interval) ? { lower: null, upper: null } : interval;
  return { units: both.length, spearman: value, lower, upper };
}

/** How the improvement of every other measure goes with that of the one called quality. */
export function associationsOf(source: InsightSource, arms: readonly string[]): Association[] {
  const { quality: first, records, baseline } = source;
  if (first === null) return [];
  return arms
    .filter((arm) => arm !== baseline)
    .flatMap((arm) => {
      const improvements = (measure: string): ReadonlyMap<string, number> => {
        const { units, values } = improvementsOf(source, { arm, measure });
        return new Map(units.map((unit, at) => [unit, values[at] ?? 0]));
      };
      const own = improvements(first);
      return measuresOf(records)
        .filter((measure) => measure !== first)
        .flatMap((second): Association[] => {
          const found = associationOf(own, improvements(second));
          return found === null ? [] : [{ arm, first, second, ...found }];
        });
    });
}
