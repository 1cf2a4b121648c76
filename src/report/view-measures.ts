/** What the forest plot shows: every measure of every candidate with its interval, and the values gates hold it against. */
import type { Estimate } from '../analysis/estimate.ts';
import { measureIds, measureOf } from '../analysis/evidence.ts';
import { effectGates } from '../gate/effect.ts';
import type { Contribution, Finding } from '../gate/gate.ts';
import { isLogScale, type Measure } from '../spec/measure.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import type { CandidateDecision } from './decision.ts';

/** A value on the improvement scale that a gate or the claim names. */
export interface Mark {
  readonly kind: 'threshold' | 'margin' | 'minimum-effect';
  readonly gate: string;
  readonly value: number;
}

/** One candidate on one measure; without an estimate there is a reason. */
export interface MeasureRow {
  readonly candidate: string;
  readonly estimate: Estimate | null;
  readonly reason: string | null;
  /** The gate that reads this estimate, or the one that found none; null when the estimate is only shown. */
  readonly gate: string | null;
  readonly finding: Finding | null;
}

/** One measure with its marks and a row per candidate in the document's order. */
export interface MeasureView {
  readonly measure: string;
  readonly role: Measure['role'];
  readonly kind: Measure['kind'];
  readonly direction: Measure['direction'];
  readonly scale: 'difference' | 'log-ratio';
  readonly marks: readonly Mark[];
  readonly rows: readonly MeasureRow[];
}

const roleOrder = ['primary', 'guardrail', 'critical', 'reported'] as const;

/**
 * Views of all measures: primary first, then guardrails, critical and reported ones, each by code units.
 *
 * Marks of gates on a difference come from the seal, on the scale of the estimates; any other gate with an estimate and a
 * threshold adds its own.
 */
export function measureViews(
  seal: SealedExperiment,
  decisions: readonly CandidateDecision[],
): MeasureView[] {
  const sealedMarks = marksOf(seal);
  return roleOrder
    .flatMap((role) => measureIds(seal).filter((id) => measureOf(seal, id).role === role))
    .map((id): MeasureView => {
      const { role, kind, direction } = measureOf(seal, id);
      const own = [...(sealedMarks.get(id) ?? []), ...otherMarks(seal, id, decisions)];
      return {
        measure: id,
        role,
        kind,
        direction,
        scale: isLogScale(measureOf(seal, id)) ? 'log-ratio' : 'difference',
        marks: distinct(own),
        rows: decisions.map((decided) => measureRow(id, decided)),
      };
    });
}

function marksOf(seal: SealedExperiment): Map<string, Mark[]> {
  const marks = new Map<string, Mark[]>();
  for (const gate of effectGates(seal)) {
    if (gate.gate === 'neutral-control') continue;
    const own = marks.get(gate.measureId) ?? [];
    const kind = gate.gate === 'no-regression' ? 'margin' : 'threshold';
    own.push({ kind, gate: gate.name, value: gate.threshold });
    if (gate.minimumEffect !== null) {
      own.push({ kind: 'minimum-effect', gate: gate.name, value: gate.minimumEffect });
    }
    marks.set(gate.measureId, own);
  }
  return marks;
}

function otherMarks(
  seal: SealedExperiment,
  id: string,
  decisions: readonly CandidateDecision[],
): Mark[] {
  const sealed = new Set(effectGates(seal).map((gate) => gate.name));
  return decisions
    .flatMap((decided) => decided.contributions)
    .filter((each) => each.measure === id && each.estimate !== null && !sealed.has(each.name))
    .flatMap(({ name, threshold }) =>
      threshold === null ? [] : [{ kind: 'threshold' as const, gate: name, value: threshold }],
    );
}

function distinct(marks: readonly Mark[]): Mark[] {
  const seen = new Map(marks.map((mark) => [`${mark.kind}\n${mark.value}`, mark]));
  return [...seen.values()];
}

function measureRow(id: string, decided: CandidateDecision): MeasureRow {
  // What is said against the placebo has no place on the axis of differences from the baseline.
  const own = decided.contributions.filter(
    (each) => each.measure === id && each.gate !== 'neutral-control',
  );
  const gated = own.find((each) => each.estimate !== null);
  const shown = decided.shown.find((each) => each.measure === id) ?? null;
  const estimate = gated?.estimate ?? shown;
  const gate: Contribution | undefined = gated ?? (estimate === null ? own[0] : undefined);
  return {
    candidate: decided.candidate,
    estimate,
    reason: estimate === null ? (gate?.reason ?? 'its units carry no interval') : null,
    gate: gate?.name ?? null,
    finding: gate?.finding ?? null,
  };
}
