/** `liftgate check`: validates an experiment; every problem is listed by the caller. */
import { nearCopies, nearCopyLines, nearCopyRule } from '../../analysis/near-copies.ts';
import { admittedCases } from '../../spec/case-index.ts';
import { candidateIds } from '../../spec/spec.ts';
import type { CommandContext } from '../context.ts';
import { openExperiment } from '../workspace.ts';

export async function check({ output }: CommandContext, path: string): Promise<number> {
  const loaded = await openExperiment(path, { candidates: 'open' });
  const cases = admittedCases(loaded.index);
  const splits = ['train', 'selection', 'final'] as const;
  const counts = splits.map((split) => {
    const own = cases.filter((each) => each.split === split);
    return { split, cases: own.length, units: new Set(own.map((each) => each.unit)).size };
  });
  output.line(`${loaded.file}: ok`);
  output.line(
    `  rows ${loaded.index.rows.length}, admitted ${cases.length}, candidates ${candidateIds(loaded.spec).join(', ')}`,
  );
  for (const each of counts)
    output.line(`  ${each.split}: ${each.units} units, ${each.cases} cases`);
  const copies = nearCopies(loaded.cases, loaded.spec.fingerprint.ignore);
  for (const line of nearCopyLines(copies)) output.line(`  ${line}`);
  for (const id of loaded.unbound)
    output.note(`candidate ${id} has no bytes yet; bind it before the run`);
  output.document({
    ok: true,
    experiment: loaded.spec.name,
    rows: loaded.index.rows.length,
    admitted: cases.length,
    splits: counts,
    candidates: candidateIds(loaded.spec),
    unbound: loaded.unbound,
    nearCopies: { rule: nearCopyRule, ...copies },
  });
  return 0;
}
