/** Paired differences by unit, and the evidence behind the units that got worse: both arms' scores and artifact digests. */
import type { CandidateAnalysis, MeasureAnalysis } from '../analysis/analyze.ts';
import { cellValue, type Pair } from '../analysis/pair.ts';
import type { SettledCell } from '../analysis/settle.ts';
import { improvementOf } from '../analysis/unit-value.ts';
import { compareCodeUnits } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import type { Rows } from '../base/rows.ts';
import type { Measure } from '../spec/measure.ts';

/** One cell as evidence: what it gave, how it ended, and the digest of what it produced. */
export interface CellEvidence {
  /** Value the measure took, null when the cell gives none. */
  readonly value: number | null;
  /** Whether the value is the sealed failure value and not a score. */
  readonly failed: boolean;
  /** Outcome class, or why the cell is missing. */
  readonly outcome: string;
  readonly attempts: number;
  readonly scores: Readonly<Record<string, number | null>>;
  /** Ids of critical findings; null when nobody looked. */
  readonly critical: readonly string[] | null;
  readonly artifact: Digest | null;
}

/** One case and repeat of a unit from both arms; `improvement` is null unless both gave a value. */
export interface PairEvidence {
  readonly case: string;
  readonly repeat: number;
  readonly improvement: number | null;
  readonly baseline: CellEvidence;
  readonly candidate: CellEvidence;
}

/** A unit with pairs that the candidate made worse; its worst pairs, and how many are not listed. */
export interface Regression {
  readonly unit: string;
  readonly improvement: number;
  readonly pairs: readonly PairEvidence[];
  readonly pairsLeftOut: number;
}

/** Improvement of one unit; above 0 the candidate is better. */
export interface UnitDifference {
  readonly unit: string;
  readonly improvement: number;
  readonly pairs: number;
}

/** One measure of one candidate by unit, worst first, ties by code units of the unit. */
export interface DifferencesView {
  readonly measure: string;
  readonly role: Measure['role'];
  readonly worse: number;
  readonly equal: number;
  readonly better: number;
  /** Units with a planned pair and no complete one, by code units. */
  readonly lostUnits: readonly string[];
  readonly units: readonly UnitDifference[];
  readonly regressions: readonly Regression[];
  readonly regressionsLeftOut: number;
  /** Units that did not get worse although pairs of theirs did, lowest improvement first. */
  readonly coveredLosses: readonly Regression[];
  readonly coveredLossesLeftOut: number;
}

/** At most so many units with evidence per candidate and measure, regressed ones first, and so many pairs of each. */
export interface EvidenceCaps {
  readonly units: number;
  readonly pairs: number;
}

/** Where the evidence of one candidate is. */
export interface DifferenceRequest {
  readonly candidate: CandidateAnalysis;
  readonly baselineCells: Rows<SettledCell>;
  readonly caps: EvidenceCaps;
}

function cellKey(caseId: string, repeat: number): string {
  return `${repeat}\n${caseId}`;
}

function cellsByKey(cells: Rows<SettledCell>): Map<string, SettledCell> {
  return new Map(cells.map((each) => [cellKey(each.cell.case, each.cell.repeat), each]));
}

function cellEvidence(
  settled: SettledCell | undefined,
  { id, measure }: MeasureAnalysis,
): CellEvidence {
  if (settled === undefined || settled.settlement.status === 'missing') {
    const outcome =
      settled?.settlement.status === 'missing' ? settled.settlement.reason : 'not-run';
    const attempts = settled?.attempts ?? 0;
    return {
      value: null,
      failed: false,
      outcome,
      attempts,
      scores: {},
      critical: null,
      artifact: null,
    };
  }
  const { receipt } = settled.settlement;
  const found = cellValue(settled, id, measure);
  return {
    value: found.status === 'valued' ? found.value : null,
    failed: found.status === 'valued' && found.failed,
    outcome: receipt.outcome,
    attempts: settled.attempts,
    scores: receipt.scores,
    critical: receipt.critical?.map((finding) => finding.id) ?? null,
    artifact: receipt.artifact?.digest ?? null,
  };
}

function pairImprovement(pair: Pair, measure: Measure): number | null {
  const { candidate, baseline } = pair;
  if (candidate.status === 'lost' || baseline.status === 'lost') return null;
  return improvementOf(measure, { candidate: candidate.value, baseline: baseline.value });
}

/** Worst pair first; pairs without a value last. */
function byWorst(
  first: { readonly improvement: number | null },
  second: { readonly improvement: number | null },
): number {
  const last = Number.MAX_VALUE;
  return (first.improvement ?? last) - (second.improvement ?? last);
}

interface Lookup {
  readonly candidate: ReadonlyMap<string, SettledCell>;
  readonly baseline: ReadonlyMap<string, SettledCell>;
  readonly pairs: ReadonlyMap<string, Rows<Pair>>;
  readonly measured: MeasureAnalysis;
}

function regressionOf(unit: UnitDifference, lookup: Lookup, most: number): Regression {
  const { measured } = lookup;
  const ordered = (lookup.pairs.get(unit.unit) ?? [])
    .map((pair) => ({ pair, improvement: pairImprovement(pair, measured.measure) }))
    .sort(byWorst);
  return {
    unit: unit.unit,
    improvement: unit.improvement,
    pairs: ordered.slice(0, most).map(({ pair, improvement }) => {
      const key = cellKey(pair.case, pair.repeat);
      return {
        case: pair.case,
        repeat: pair.repeat,
        improvement,
        baseline: cellEvidence(lookup.baseline.get(key), measured),
        candidate: cellEvidence(lookup.candidate.get(key), measured),
      };
    }),
    pairsLeftOut: Math.max(0, ordered.length - most),
  };
}

function pairsByUnit(pairs: Rows<Pair>): Map<string, Pair[]> {
  const byUnit = new Map<string, Pair[]>();
  for (const pair of pairs) {
    const own = byUnit.get(pair.unit);
    if (own === undefined) byUnit.set(pair.unit, [pair]);
    else own.push(pair);
  }
  return byUnit;
}

/** Units whose other pairs make up for those that got worse, in any order. */
function coveredUnits({ sample }: MeasureAnalysis): ReadonlySet<string> {
  const covered = sample.units.filter(
    ({ improvement, values }) => improvement >= 0 && values.some((pair) => pair.improvement < 0),
  );
  return new Set(covered.map(({ unit }) => unit));
}

/** Differences of one measure by unit with the evidence of its worst regressions. */
export function differencesOf(
  measured: MeasureAnalysis,
  { candidate, baselineCells, caps }: DifferenceRequest,
): DifferencesView {
  const units = measured.sample.units
    .map(({ unit, improvement, pairs }) => ({ unit, improvement, pairs }))
    .sort(
      (first, second) =>
        first.improvement - second.improvement || compareCodeUnits(first.unit, second.unit),
    );
  const worse = units.filter((each) => each.improvement < 0);
  const better = units.filter((each) => each.improvement > 0).length;
  const planned = pairsByUnit(measured.pairs);
  const compared = new Set(units.map((each) => each.unit));
  const lookup: Lookup = {
    candidate: cellsByKey(candidate.cells),
    baseline: cellsByKey(baselineCells),
    pairs: planned,
    measured,
  };
  const evidenceOf = (each: UnitDifference): Regression => regressionOf(each, lookup, caps.pairs);
  const coveredIds = coveredUnits(measured);
  const covered = units.filter(({ unit }) => coveredIds.has(unit));
  const room = Math.max(0, caps.units - worse.length);
  return {
    measure: measured.id,
    role: measured.measure.role,
    worse: worse.length,
    equal: units.length - worse.length - better,
    better,
    lostUnits: [...planned.keys()].filter((unit) => !compared.has(unit)).sort(compareCodeUnits),
    units,
    regressions: worse.slice(0, caps.units).map(evidenceOf),
    regressionsLeftOut: Math.max(0, worse.length - caps.units),
    coveredLosses: covered.slice(0, room).map(evidenceOf),
    coveredLossesLeftOut: Math.max(0, covered.length - room),
  };
}
