/**
 * The schedule: which cell is dispatched when.
 *
 * Units stand in the sealed order; the m + 1 cells of one case and repeat (a block) are adjacent, so that baseline and candidates
 * meet the same hour, load and provider state. Arm order inside blocks is balanced by permuted blocks. The schedule is derived
 * from the cases' digest and never sealed itself: renaming an arm changes names in it and nothing else.
 */
import { compareCodeUnits } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import { invariant } from '../base/errors.ts';
import type { IndexedCase } from '../spec/case-index.ts';
import { orderedUnits, seedHex } from '../spec/seeds.ts';
import { type RandomStream, randomStream } from '../stats/random.ts';
import type { Cell } from './receipt.ts';

/** What a schedule is derived from. */
export interface SchedulePlan {
  /** Cases of the final split, in any order. */
  readonly cases: readonly IndexedCase[];
  /** Arm ids: baseline first, then candidates by code units; at least one, distinct. */
  readonly arms: readonly string[];
  /** Repeats of every case, a whole number >= 1. */
  readonly repeats: number;
  readonly casesDigest: Digest;
}

/**
 * Every planned cell in dispatch order.
 *
 * Groups of 2(m + 1) blocks use each rotation of one randomly permuted arm order twice, in shuffled order: over a full group
 * every arm stands equally often at every place. For two arms these are permuted blocks of four (two AB, two BA). The last group
 * may be cut short. No cases give no cells.
 *
 * @returns cells; the index of a cell is its `position` in journal and receipts
 * @example planSchedule({ cases: [], arms: ['baseline', 'r2'], repeats: 1, casesDigest }) // => []
 */
export function planSchedule(plan: SchedulePlan): Cell[] {
  invariant(plan.arms.length > 0, 'a schedule needs at least one arm');
  invariant(new Set(plan.arms).size === plan.arms.length, 'arm ids must be distinct');
  const stream = randomStream(seedHex(plan.casesDigest, 'arm-order'), 'arm-order');
  const orders = armOrders(stream, plan.arms.length);
  return blocksOf(plan).flatMap((block) =>
    orders().map((place): Cell => ({ ...block, arm: armAt(plan.arms, place) })),
  );
}

/**
 * One string per cell, equal for equal cells: the key of every map over cells.
 * @example cellId({ unit: 'u', case: 'c', arm: 'baseline', repeat: 0 }) // => 'c\nbaseline\n0'
 */
export function cellId(cell: Cell): string {
  return `${cell.case}\n${cell.arm}\n${cell.repeat}`;
}

function blocksOf(plan: SchedulePlan): Omit<Cell, 'arm'>[] {
  const byUnit = new Map<string, string[]>();
  for (const each of plan.cases) {
    byUnit.set(each.unit, [...(byUnit.get(each.unit) ?? []), each.id]);
  }
  const repeats = Array.from({ length: plan.repeats }, (_, repeat) => repeat);
  return orderedUnits(plan.casesDigest, [...byUnit.keys()]).flatMap((unit) =>
    (byUnit.get(unit) ?? [])
      .sort(compareCodeUnits)
      .flatMap((id) => repeats.map((repeat) => ({ unit, case: id, repeat }))),
  );
}

/**
 * A source of arm orders, one per call: at each place of a block, the number of the arm that stands there.
 * @param arms  how many, from 1
 * @example armOrders(randomStream('00'.repeat(32), 'arm-order'), 1)() // => [0]
 */
export function armOrders(stream: RandomStream, arms: number): () => readonly number[] {
  let group: readonly (readonly number[])[] = [];
  let used = 0;
  return () => {
    if (used === group.length) {
      group = orderGroup(stream, arms);
      used = 0;
    }
    const order = group[used];
    invariant(order !== undefined, 'a group holds an order for every block');
    used += 1;
    return order;
  };
}

function orderGroup(stream: RandomStream, arms: number): number[][] {
  const first = stream.shuffle(Array.from({ length: arms }, (_, place) => place));
  const rotations = first.map((_, shift) => [...first.slice(shift), ...first.slice(0, shift)]);
  return stream.shuffle([...rotations, ...rotations]);
}

function armAt(arms: readonly string[], place: number): string {
  const arm = arms[place];
  invariant(arm !== undefined, 'an arm order names existing places');
  return arm;
}
