/** Everything a decision is made from: a final seal, the case index and all receipts. Rules come from the seal alone. */
import { compareCodeUnits } from '../base/canonical.ts';
import { LiftgateError } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import type { GateReplies } from '../run/gate-reply.ts';
import type { EvidenceLine } from '../run/measured-line.ts';
import type { ArmProvenance } from '../run/provenance.ts';
import type { ControlResult, ReceiptLine } from '../run/receipt.ts';
import type { CaseIndex } from '../spec/case-index.ts';
import { gateMeasures } from '../spec/gates.ts';
import type { Measure } from '../spec/measure.ts';
import type { SealedArm, SealedExperiment } from '../spec/seal.ts';

/** One sealed look. */
export interface Look {
  /** From 1. */
  readonly number: number;
  readonly of: number;
  /** The first units in the sealed order. */
  readonly units: ReadonlySet<string>;
  /** Of each measure, the units it applies to up to each look of the design, the last one with all. */
  readonly applicable: ReadonlyMap<string, readonly number[]>;
}

/** All that `decide` is given: a final seal and what was recorded under it. */
export interface Evidence {
  /** A seal of stage `final`. */
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
  /** Every attempt of every cell, in any order. */
  readonly lines: Rows<EvidenceLine>;
  /** Null when no control was run with this evidence. */
  readonly controls: readonly ControlResult[] | null;
  /** Every attempt of the controls, whose cost counts too; null where nobody knows them. */
  readonly controlLines: readonly ReceiptLine[] | null;
  /** False for hand-written and imported receipts: such evidence is analysed and never ships. */
  readonly confirmatory: boolean;
  /** True when the rules are not the sealed ones: whatever they find, nothing ships. */
  readonly exploratory?: boolean;
  /** Per arm, as `checkProvenance` found it. */
  readonly provenance: readonly ArmProvenance[];
  /** What some of the lines say of controls and provenance; without it a look takes them as they are. */
  readonly conduct?: (lines: Rows<EvidenceLine>) => Pick<Evidence, 'controls' | 'provenance'>;
  /** What the code of custom gates said of this evidence. */
  readonly replies?: GateReplies;
  /** Set where no more than the units of a look are planned. */
  readonly look?: Look;
}

/** Candidate arms of a seal in the order that decides ties: code units of their ids. */
export function candidateArms(seal: SealedExperiment): SealedArm[] {
  return seal.arms
    .filter((arm) => arm.role === 'candidate')
    .sort((first, second) => compareCodeUnits(first.id, second.id));
}

/**
 * The baseline arm of a seal.
 * @throws {LiftgateError} seal-invalid  unless exactly one arm has the role
 */
export function baselineOf(seal: SealedExperiment): SealedArm {
  const [baseline, ...others] = seal.arms.filter((arm) => arm.role === 'baseline');
  if (baseline === undefined || others.length > 0) {
    throw new LiftgateError('seal-invalid', 'The seal does not name exactly one baseline arm.', {
      where: { path: 'arms' },
      mend: 'Restore the sealed file; arms of a seal are never edited.',
    });
  }
  return baseline;
}

/** The placebo arm of a seal, or null without one. */
export function placeboOf(seal: SealedExperiment): SealedArm | null {
  return seal.arms.find((arm) => arm.role === 'placebo') ?? null;
}

/**
 * The declaration of a sealed measure.
 * @throws {LiftgateError} seal-invalid  if the seal names a measure that its spec does not declare
 */
export function measureOf(seal: SealedExperiment, id: string): Measure {
  const measure = Object.hasOwn(seal.spec.measures, id) ? seal.spec.measures[id] : undefined;
  if (measure === undefined) {
    throw new LiftgateError(
      'seal-invalid',
      `The seal names the measure "${id}", which its spec does not declare.`,
      {
        where: { path: `spec.measures.${id}` },
        mend: 'Restore the sealed file, or seal the experiment again.',
      },
    );
  }
  return measure;
}

/** Measure ids of a seal by code units. */
export function measureIds(seal: SealedExperiment): string[] {
  return Object.keys(seal.spec.measures).sort(compareCodeUnits);
}

/** Ids of measures that a gate of the seal reads; only their values can move a decision. */
export function gatedMeasures(seal: SealedExperiment): string[] {
  const read = new Set(seal.decision.gates.flatMap(gateMeasures));
  for (const [id, measure] of Object.entries(seal.spec.measures)) {
    if (measure.role === 'critical') read.add(id);
  }
  return [...read].sort(compareCodeUnits);
}

/** The primary measure of a seal, the first by code units, or null without one. */
export function primaryMeasure(seal: SealedExperiment): string | null {
  return measureIds(seal).find((id) => seal.spec.measures[id]?.role === 'primary') ?? null;
}
