/**
 * The schedule: which cell is dispatched when.
 *
 * Units stand in the sealed order; the m + 1 cells of one case and repeat (a block) are adjacent, so that baseline and candidates
 * meet the same hour, load and provider state. Arm order inside blocks is balanced by permuted blocks. The schedule is derived
 * from the cases' digest and never sealed itself: renaming an arm changes names in it and nothing else.
 */
import { compareCodeUnits } from '../base/canonical.ts';
import { WholeColumn } from '../base/columns.ts';
import type { Digest } from '../base/digest.ts';
import { invariant } from '../base/errors.ts';
import { RowList, requireRow } from '../base/rows.ts';
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
 * Every planned cell in dispatch order. A cell is made when it is asked for: a million of them take a byte or two each.
 *
 * Groups of 2(m + 1) blocks use each rotation of one randomly permuted arm order twice, in shuffled order: over a full group
 * every arm stands equally often at every place. For two arms these are permuted blocks of four (two AB, two BA). The last group
 * may be cut short. No cases give no cells.
 *
 * @returns cells; the index of a cell is its `position` in journal and receipts
 * @example planSchedule({ cases: [], arms: ['baseline', 'r2'], repeats: 1, casesDigest }).length // => 0
 */
export function planSchedule(plan: SchedulePlan): Schedule {
  const { arms, repeats } = plan;
  invariant(arms.length > 0, 'a schedule needs at least one arm');
  invariant(new Set(arms).size === arms.length, 'arm ids must be distinct');
  const stream = randomStream(seedHex(plan.casesDigest, 'arm-order'), 'arm-order');
  const orders = armOrders(stream, arms.length);
  const cases = orderedCases(plan);
  const places = new WholeColumn(cases.length * repeats * arms.length);
  for (let block = 0; block < cases.length * repeats; block += 1)
    orders().forEach((place, at) => {
      places.set(block * arms.length + at, place);
    });
  return new Schedule({ cases, arms, repeats, places });
}

/** The planned cells of a design. */
export class Schedule extends RowList<Cell> {
  readonly length: number;
  private readonly cases: readonly IndexedCase[];
  private readonly arms: readonly string[];
  private readonly repeats: number;
  private readonly places: WholeColumn;

  /** @param parts.places  number of the arm that stands at each position */
  constructor(parts: {
    readonly cases: readonly IndexedCase[];
    readonly arms: readonly string[];
    readonly repeats: number;
    readonly places: WholeColumn;
  }) {
    super();
    this.cases = parts.cases;
    this.arms = parts.arms;
    this.repeats = parts.repeats;
    this.places = parts.places;
    this.length = parts.cases.length * parts.repeats * parts.arms.length;
  }

  /** The case of the cell at a position below the length. */
  caseAt(position: number): IndexedCase {
    return requireRow(this.cases, Math.floor(position / (this.arms.length * this.repeats)));
  }

  protected row(position: number): Cell {
    const { unit, id } = this.caseAt(position);
    const repeat = Math.floor(position / this.arms.length) % this.repeats;
    return { unit, case: id, repeat, arm: armAt(this.arms, this.places.get(position)) };
  }
}

/**
 * One string per cell, equal for equal cells: the key of every map over cells.
 * @example cellId({ unit: 'u', case: 'c', arm: 'baseline', repeat: 0 }) // => 'c\nbaseline\n0'
 */
export function cellId(cell: Cell): string {
  return `${cell.case}\n${cell.arm}\n${cell.repeat}`;
}

/** Units in the sealed order, the cases of each by code units of their ids. */
function orderedCases({ cases, casesDigest }: SchedulePlan): IndexedCase[] {
  const byUnit = new Map<string, IndexedCase[]>();
  for (const each of cases) {
    const own = byUnit.get(each.unit);
    if (own === undefined) byUnit.set(each.unit, [each]);
    else own.push(each);
  }
  return orderedUnits(casesDigest, [...byUnit.keys()]).flatMap((unit) =>
    (byUnit.get(unit) ?? []).sort((first, second) => compareCodeUnits(first.id, second.id)),
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
