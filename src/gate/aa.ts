/**
 * A/A decisions: how often the sealed rules ship a copy of the baseline, read off calls that were really made.
 *
 * Nothing a host receives says which arm it serves, so what the calls of a block gave would have been given under any order of the
 * arms. A redraw gives these answers to the arms by another order of the same schedule: each is as likely as the one that was run,
 * and the share that ships is the ship rate given the answers, however few units there are. Only where fewer units were measured
 * than are planned, units are drawn with replacement, and the rate is that of as many units like these.
 */
import type { Evidence } from '../analysis/evidence.ts';
import { invariant } from '../base/errors.ts';
import { requireRow } from '../base/rows.ts';
import { type EvidenceLine, movedLine } from '../run/measured-line.ts';
import type { Cell } from '../run/receipt.ts';
import { armOrders, cellId, planSchedule } from '../run/schedule.ts';
import { finalCases, type IndexedCase } from '../spec/case-index.ts';
import { armIds } from '../spec/spec.ts';
import { type RandomStream, randomStream } from '../stats/random.ts';
import { composeDecision } from './compose.ts';
import type { Contribution, Decision } from './gate.ts';
import { judgeSealed } from './sequential.ts';

/** One case and repeat as it was dispatched: its cells by place, the first dispatched first. */
export interface AaBlock {
  readonly unit: string;
  readonly case: string;
  readonly repeat: number;
  readonly cells: readonly Cell[];
}

/** Blocks of an A/A round in the order of dispatch; every arm stands once in each. */
export function aaBlocks({ seal, index }: Pick<Evidence, 'seal' | 'index'>): AaBlock[] {
  const arms = armIds(seal.spec);
  const cells = planSchedule({
    cases: finalCases(index),
    arms,
    repeats: seal.cells.replicates,
    casesDigest: seal.digests.cases,
  });
  const blocks: AaBlock[] = [];
  for (let at = 0; at < cells.length; at += arms.length) {
    const own = arms.map((_, place) => requireRow(cells, at + place));
    const [first] = own;
    invariant(first !== undefined, 'a block holds a cell of every arm');
    const { unit, case: caseId, repeat } = first;
    blocks.push({ unit, case: caseId, repeat, cells: own });
  }
  return blocks;
}

/** What has a unit, by unit, in the order given. */
function byUnit<Owned extends { readonly unit: string }>(
  items: readonly Owned[],
): Map<string, Owned[]> {
  const found = new Map<string, Owned[]>();
  for (const item of items) found.set(item.unit, [...(found.get(item.unit) ?? []), item]);
  return found;
}

/** Draws orders of the arms for the answers of one measured round. */
export class AaRedraws {
  readonly #round: Evidence;
  readonly #units: number;
  readonly #arms: readonly string[];
  readonly #blocks: ReadonlyMap<string, readonly AaBlock[]>;
  readonly #lines = new Map<string, EvidenceLine[]>();

  /** @param planned  units of a redraw; more than were measured are drawn with replacement */
  constructor(round: Evidence, planned: number) {
    this.#round = round;
    this.#arms = armIds(round.seal.spec);
    this.#blocks = byUnit(aaBlocks(round));
    this.#units = Math.max(planned, this.#blocks.size);
    for (const line of round.lines) {
      const key = cellId(line.cell);
      this.#lines.set(key, [...(this.#lines.get(key) ?? []), line]);
    }
  }

  /**
   * The evidence of one redraw.
   * @param seed  64 hex digits; with the number it fixes the redraw
   */
  draw(seed: string, number: number): Evidence {
    const stream = randomStream(seed, `redraw/${number}`);
    const orders = armOrders(stream, this.#arms.length);
    const lines: EvidenceLine[] = [];
    const cases = byUnit(finalCases(this.#round.index));
    const rows: IndexedCase[] = [];
    let position = 0;
    for (const { unit, prefix } of this.#drawnUnits(stream)) {
      rows.push(...renamed(cases.get(unit) ?? [], prefix));
      for (const block of this.#blocks.get(unit) ?? []) {
        lines.push(...this.#relabelled(block, { order: orders(), prefix, position }));
        position += this.#arms.length;
      }
    }
    return { ...this.#round, index: { ...this.#round.index, rows }, lines };
  }

  #drawnUnits(stream: RandomStream): { unit: string; prefix: string }[] {
    const units = [...this.#blocks.keys()];
    if (this.#units === units.length) return units.map((unit) => ({ unit, prefix: '' }));
    return Array.from({ length: this.#units }, (_, slot) => ({
      unit: units[stream.below(units.length)] ?? '',
      prefix: `${slot}/`,
    }));
  }

  #relabelled(
    { cells }: AaBlock,
    as: {
      readonly order: readonly number[];
      readonly prefix: string;
      readonly position: number;
    },
  ): EvidenceLine[] {
    return cells.flatMap((cell, place) => {
      const arm = this.#arms[as.order[place] ?? 0];
      invariant(arm !== undefined, 'an order names existing arms');
      const named = {
        ...cell,
        arm,
        unit: `${as.prefix}${cell.unit}`,
        case: `${as.prefix}${cell.case}`,
      };
      const own = this.#lines.get(cellId(cell)) ?? [];
      return own.map((line) => movedLine(line, { cell: named, position: as.position + place }));
    });
  }
}

function renamed(cases: readonly IndexedCase[], prefix: string): IndexedCase[] {
  return cases.map((each) => ({
    ...each,
    id: `${prefix}${each.id}`,
    unit: `${prefix}${each.unit}`,
  }));
}

/** How often something was found among A/A decisions. */
export interface AaGateCount {
  readonly gate: string;
  readonly required: boolean;
  cleared: number;
  breached: number;
}

/** Counts A/A decisions: ships of any candidate, decisions of the first, and what each gate said of it. */
export class AaTally {
  decisions = 0;
  ships = 0;
  readonly of: Record<Decision, number> = {
    ship: 0,
    hold: 0,
    need_more_work: 0,
    model_ceiling: 0,
    arch_ceiling: 0,
  };
  readonly #gates = new Map<string, AaGateCount>();

  /** Judges evidence by the rules of its seal; power is a matter of the plan and no part of it. */
  add(evidence: Evidence): void {
    const judged = judgeSealed(evidence).candidates.map(({ contributions }) =>
      contributions.filter(({ gate }) => gate !== 'power'),
    );
    const decisions = judged.map((each) => composeDecision(each));
    this.decisions += 1;
    if (decisions.includes('ship')) this.ships += 1;
    const [decision] = decisions;
    if (decision !== undefined) this.of[decision] += 1;
    for (const each of judged[0] ?? []) this.#count(each);
  }

  #count({ name, required, finding }: Contribution): void {
    const count = this.#gates.get(name) ?? { gate: name, required, cleared: 0, breached: 0 };
    this.#gates.set(name, count);
    if (finding === 'cleared') count.cleared += 1;
    if (finding === 'breached') count.breached += 1;
  }

  get gates(): readonly AaGateCount[] {
    return [...this.#gates.values()];
  }
}
