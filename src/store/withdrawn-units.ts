/** Units by their ids alone: what the ledger and an experiment know of their contents is added, so that a renamed copy is found too. */

import { compareCodeUnits } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { formatUnits, type UnitsObject } from '../ledger/units-object.ts';
import { splitUnits } from '../spec/split-units.ts';
import { skeletonOf, unitIdProblem } from '../spec/units.ts';
import type { LoadedExperiment } from './experiment-folder.ts';

/** Ids of units, where they were listed, and the experiment that has their cases. */
export interface ListedUnits {
  readonly population: string;
  readonly ids: readonly string[];
  /** How messages call the list. */
  readonly file: string;
  readonly loaded: LoadedExperiment | null;
}

function refuse(file: string, line: number, message: string, mend: string): never {
  throw new LiftgateError('usage', message, { where: { file, line, column: 1 }, mend });
}

/** Ids by skeleton, in the order of the list. */
function checkedIds({ ids, file }: ListedUnits): Map<string, string> {
  const found = new Map<string, string>();
  for (const [index, id] of ids.entries()) {
    const line = index + 1;
    const problem = unitIdProblem(id);
    if (problem !== null)
      refuse(
        file,
        line,
        `This line names no unit (${problem}).`,
        'Write one id a line, as the cases spell it.',
      );
    const skeleton = skeletonOf(id);
    const before = found.get(skeleton);
    if (before !== undefined)
      refuse(file, line, `"${id}" is the unit "${before}" again.`, 'List every unit once.');
    found.set(skeleton, id);
  }
  if (found.size > 0) return found;
  throw new LiftgateError('usage', 'The list names no unit.', {
    where: { file },
    mend: 'Write one id a line.',
  });
}

/** Fingerprints that the ledger has recorded for units of a population, by skeleton. */
async function recordedPrints(
  ledger: Ledger,
  population: string,
  skeletons: ReadonlyMap<string, string>,
): Promise<Map<string, Set<Digest>>> {
  const prints = new Map<string, Set<Digest>>();
  for (const [print, owners] of (await ledger.state()).fingerprints.entries()) {
    for (const owner of owners) {
      if (owner.population !== population || !skeletons.has(owner.skeleton)) continue;
      const own = prints.get(owner.skeleton) ?? new Set();
      prints.set(owner.skeleton, own.add(print));
    }
  }
  return prints;
}

/** Fingerprints of the units of an experiment, by skeleton. */
function experimentPrints(loaded: LoadedExperiment): Map<string, readonly Digest[]> {
  const { final, development } = splitUnits(loaded);
  return new Map(
    [...final, ...development].map(({ skeleton, fingerprints }) => [skeleton, fingerprints]),
  );
}

/**
 * The list of units to store.
 * @returns `unknown` counts units of which nothing but the id is known
 * @throws {LiftgateError} usage  with the line of an id that names no unit, occurs twice, or is in no case of the experiment
 */
export async function withdrawnUnits(
  ledger: Ledger,
  listed: ListedUnits,
): Promise<{ readonly units: UnitsObject; readonly unknown: number }> {
  const ids = checkedIds(listed);
  const prints = await recordedPrints(ledger, listed.population, ids);
  const known = listed.loaded === null ? null : experimentPrints(listed.loaded);
  for (const [skeleton, id] of ids) {
    const shown = known?.get(skeleton);
    if (known !== null && shown === undefined)
      refuse(
        listed.file,
        listed.ids.indexOf(id) + 1,
        `The experiment has no case of the unit "${id}".`,
        'Name the experiment that has its cases, or leave --experiment out.',
      );
    const own = prints.get(skeleton) ?? new Set<Digest>();
    for (const print of shown ?? []) own.add(print);
    if (own.size > 0) prints.set(skeleton, own);
  }
  const records = [...ids].map(([skeleton, id]) => ({
    id,
    skeleton,
    fingerprints: [...(prints.get(skeleton) ?? [])].sort(compareCodeUnits),
  }));
  records.sort((first, second) => compareCodeUnits(first.id, second.id));
  return { units: formatUnits(records), unknown: ids.size - prints.size };
}
