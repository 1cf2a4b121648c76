/** Holds the looks that a journal records against its receipts, and their places against what was dispatched when. */
import { canonicalText } from '../base/canonical.ts';
import { digestOfValue } from '../base/digest.ts';
import type { TakenLook } from '../gate/sequential.ts';
import type { LookLine } from '../run/journal.ts';
import type { Cell } from '../run/receipt.ts';

/** A line of a journal as far as its order tells of looks. */
export type JournalStep = LookLine | { readonly kind: 'dispatch' | 'receipt'; readonly cell: Cell };

/** What a journal records of a look that was taken, beside who took it when. */
export type LookRecord = Omit<LookLine, 'fence' | 'at'>;

/** The record of a look. */
export function lookRecord({ look, findings, decides }: TakenLook): LookRecord {
  return {
    kind: 'look',
    look: look.number,
    of: look.of,
    units: look.units.size,
    findings: findings.map(({ candidate, decision, contributions, wealth }) => ({
      candidate,
      decision,
      contributions: digestOfValue(contributions),
      wealth,
    })),
    decides,
  };
}

/**
 * What is wrong with the looks of a journal, a text each: another number of looks than its receipts lead to, a look that says something
 * else than its receipts, a cell of a look that was dispatched after it or one behind it before.
 * @param taken  recomputed from all receipts
 */
export function lookFaults(journal: readonly JournalStep[], taken: readonly TakenLook[]): string[] {
  const recorded = journal.flatMap((line) => (line.kind === 'look' ? [line] : []));
  const faults: string[] = [];
  if (recorded.length !== taken.length) {
    faults.push(
      `the journal records ${recorded.length} looks, its receipts lead to ${taken.length}`,
    );
  }
  recorded.forEach(({ fence: _fence, at: _at, ...own }, index) => {
    const look = taken[index];
    if (look === undefined || canonicalText(own) !== canonicalText(lookRecord(look)))
      faults.push(`look ${own.look} says something else than its receipts`);
  });
  return [...faults, ...orderFaults(journal, taken)];
}

/** Cells on the wrong side of a look. */
function orderFaults(journal: readonly JournalStep[], taken: readonly TakenLook[]): string[] {
  const faults: string[] = [];
  let passed = 0;
  journal.forEach((line, at) => {
    if (line.kind === 'look') {
      passed += 1;
      return;
    }
    const { cell } = line;
    const before = taken[passed - 1];
    const next = taken[passed];
    const place = `line ${at + 1} (${line.kind} of case ${cell.case}, arm ${cell.arm})`;
    if (before?.decides === true) faults.push(`${place} stands after the look that decided`);
    else if (before?.look.units.has(cell.unit) === true) {
      faults.push(`${place} stands after look ${passed}, which it belongs to`);
    } else if (next !== undefined && !next.look.units.has(cell.unit)) {
      faults.push(`${place} stands before look ${passed + 1}, which comes first`);
    }
  });
  return faults;
}
