/** Evidence of sequential designs: outcomes in the sealed order of the units, and stopping rules to try. */
import type { Evidence } from '../../src/analysis/evidence.ts';
import { orderedUnits } from '../../src/spec/seeds.ts';
import { type CaseTable, casesDigest, type EvidenceTable, evidenceOf } from './evidence.ts';

/** Outcome of a unit: the candidate gains, loses, or both are alike. */
export type Kind = 'gain' | 'loss' | 'tie';

/** Ids of so many units in the sealed order. */
export function unitIds(count: number): string[] {
  const ids = Array.from({ length: count }, (_, at) => `u${String(at).padStart(3, '0')}`);
  return orderedUnits(casesDigest, ids);
}

/** Cases whose outcomes come in the sealed order. */
export function inOrder(kinds: readonly Kind[]): CaseTable[] {
  const ids = unitIds(kinds.length);
  return kinds.map((kind, at) => {
    const id = ids[at] ?? '';
    const cells = { baseline: kind === 'loss' ? 1 : 0, next: kind === 'gain' ? 1 : 0 };
    return { id, unit: id, cells };
  });
}

export const group = (looks: readonly number[], spending = 'lan-demets-obrien-fleming') => ({
  rule: 'group-sequential',
  spending,
  looks,
});

export const anytime = (looks: readonly number[]) => ({ rule: 'anytime', looks });

/** Rules over 24 units. */
export const stoppings = [
  group([6, 12, 24]),
  group([6, 12, 24], 'pocock'),
  group([4, 8, 12, 16, 24], 'obrien-fleming'),
  anytime([3, 7, 12, 18, 24]),
  { ...anytime([6, 12, 24]), futility: { error: 0.2 } },
];

/** Evidence of a comparison whose outcomes come in the sealed order. */
export function evidenceAt(kinds: readonly Kind[], more: Partial<EvidenceTable>): Evidence {
  return evidenceOf({ cases: inOrder(kinds), claim: { use: 'comparison' }, ...more });
}

export const repeated = (count: number, kind: Kind): Kind[] => new Array<Kind>(count).fill(kind);
