/**
 * Looks: the evidence of a run as it stood when the cells of its first units had settled.
 *
 * Units are measured in the sealed order, and nothing of a later unit is dispatched before a look is over. What a look saw can
 * therefore be read back from all receipts of the run, whoever asks and however often the run was interrupted.
 */
import { compareCodeUnits } from '../base/canonical.ts';
import { type CaseIndex, finalCases } from '../spec/case-index.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { orderedUnits } from '../spec/seeds.ts';
import type { Evidence, Look } from './evidence.ts';

/** What the looks of a design are made from. */
interface LookDesign {
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
}

/** Every final unit of a design in the sealed order. */
export function unitOrder({ seal, index }: LookDesign): string[] {
  const units = new Set(finalCases(index).map((each) => each.unit));
  return orderedUnits(seal.digests.cases, [...units]);
}

/**
 * The sealed looks of a design in their order.
 * @returns none for a fixed design
 * @example looksOf({ seal, index }) // => []
 */
export function looksOf({ seal, index }: LookDesign): readonly Look[] {
  const sizes = seal.analysis.looks;
  if (sizes === undefined) return [];
  const order = unitOrder({ seal, index });
  const applicable = applicableUnits({ seal, index }, order, sizes);
  return sizes.map((size, at) => ({
    number: at + 1,
    of: sizes.length,
    units: new Set(order.slice(0, size)),
    applicable,
  }));
}

function applicableUnits(
  { seal, index }: LookDesign,
  order: readonly string[],
  sizes: readonly number[],
): Map<string, number[]> {
  const measures = Object.keys(seal.spec.measures).sort(compareCodeUnits);
  const known = new Map(measures.map((id) => [id, new Set<string>()]));
  for (const { unit, applies } of finalCases(index)) {
    for (const id of applies) known.get(id)?.add(unit);
  }
  return new Map(
    [...known].map(([id, units]) => [
      id,
      sizes.map((size) => order.slice(0, size).filter((unit) => units.has(unit)).length),
    ]),
  );
}

/** The evidence at a look: the receipts of its units, and a plan that goes no further. */
export function atLook(evidence: Evidence, look: Look): Evidence {
  const lines = evidence.lines.filter((line) => look.units.has(line.cell.unit));
  return { ...evidence, ...evidence.conduct?.(lines), lines, look };
}

/**
 * Whether every cell of a look was tried: a run whose budget ended before has not reached it. Cells that faults took are lost and
 * count as tried.
 */
export function isReached({ seal, index, lines }: Evidence, look: Look): boolean {
  const tried = new Set(lines.map(({ cell }) => `${cell.arm}\n${cell.repeat}\n${cell.case}`));
  const repeats = Array.from({ length: seal.cells.replicates }, (_, repeat) => repeat);
  return finalCases(index)
    .filter((each) => look.units.has(each.unit))
    .every(({ id }) =>
      seal.arms.every((arm) => repeats.every((repeat) => tried.has(`${arm.id}\n${repeat}\n${id}`))),
    );
}
