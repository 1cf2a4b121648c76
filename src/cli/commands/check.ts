/** `liftgate check`: validates an experiment; every problem is listed by the caller. */

import { nearCopies, nearCopyLines, nearCopyRule } from '../../analysis/near-copies.ts';
import { admittedCases } from '../../spec/case-index.ts';
import { candidateIds } from '../../spec/spec.ts';
import type { LoadedExperiment } from '../../store/experiment-folder.ts';
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
  const gates = await checkedGates(loaded, output);
  output.document({
    ok: true,
    experiment: loaded.spec.name,
    rows: loaded.index.rows.length,
    admitted: cases.length,
    splits: counts,
    candidates: candidateIds(loaded.spec),
    unbound: loaded.unbound,
    nearCopies: { rule: nearCopyRule, ...copies },
    ...(gates.length === 0 ? {} : { gates }),
  });
  return 0;
}

/** What a check says of the code of one custom gate; `changed` are its files whose bytes are not those of the seal in the folder. */
interface CheckedGate {
  readonly gate: string;
  readonly module: string;
  readonly changed: readonly string[];
}

/**
 * Loads the code of every custom gate in the process that would run it, and compares it with the seal in the folder where there is one.
 * @throws {LiftgateError} design-refused  for the first that is no gate
 */
async function checkedGates(
  loaded: LoadedExperiment,
  output: CommandContext['output'],
): Promise<CheckedGate[]> {
  const custom = loaded.spec.gates.filter((gate) => gate.gate === 'custom');
  if (custom.length === 0) return [];
  const { refuseBrokenGates, changedGateFiles } = await import('../../store/gate-desk.ts');
  const { gateRunner } = await import('../../host/gate-runner.ts');
  await refuseBrokenGates(loaded, gateRunner());
  const differing = changedGateFiles(loaded);
  for (const file of differing)
    output.note(`${file} changed since ${loaded.spec.name}.seal.json; amend before the run`);
  return custom.map(({ name, module, files = [] }) => {
    output.line(`  gate ${name}: ${module} loads`);
    return {
      gate: name,
      module,
      changed: [module, ...files].filter((each) => differing.includes(each)),
    };
  });
}
