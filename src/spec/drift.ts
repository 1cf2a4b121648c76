/** Compares a recorded seal with one made from the files as they are now: every difference by field or by file. */
import { compareCodeUnits, type Json } from '../base/canonical.ts';
import { LiftgateError } from '../base/errors.ts';
import type { Material, SealedExperiment } from './seal.ts';

/** One difference; `file` is set when a sealed file changed, appeared or vanished. */
export interface Drift {
  readonly path: string;
  readonly file: string | null;
  readonly what: string;
}

/** Members that follow from others, so that a difference in them beside another one says nothing new. */
const derived = new Set([
  'plan',
  'tree',
  'root',
  'object',
  'surfaceDigest',
  'planObject',
  'digests',
  'count',
  'plannedCount',
]);

/** Members of `engine` that may differ: a different build with equal statistics versions is a notice. */
const tolerated = new Set(['engine.version', 'engine.build', 'engine.nodeMajor', 'engine.unicode']);

/** A statistics version that the recorded seal does not name belongs to a method that did not exist then. */
function isTolerated(recorded: SealedExperiment, path: string): boolean {
  if (tolerated.has(path)) return true;
  const [, method] = /^engine\.statistics\.(.+)$/.exec(path) ?? [];
  return method !== undefined && !Object.hasOwn(recorded.engine.statistics, method);
}

/** Names in the spec are the user's own: a measure may be called "count". */
function isDerived(path: string): boolean {
  return !path.startsWith('spec.') && path.split('.').some((part) => derived.has(part));
}

export interface SealComparison {
  readonly drift: readonly Drift[];
  readonly notices: readonly string[];
}

/**
 * Differences between a recorded seal and a fresh one of the same stage.
 * A changed file is named once, with the digests that came of it left out; the chain of amendments, which no file holds, is not compared.
 */
export function compareSeals(recorded: SealedExperiment, fresh: SealedExperiment): SealComparison {
  const { previous, amendments } = recorded;
  // Simulated once, when the plan was sealed; what it was simulated from is compared.
  const { power } = recorded.analysis;
  const analysis = power === undefined ? fresh.analysis : { ...fresh.analysis, power };
  const all = differences(recorded, { ...fresh, analysis, previous, amendments }, '');
  const notices = all
    .filter((each) => isTolerated(recorded, each.path))
    .map((each) => `${each.path}: ${each.what}`);
  const direct = all.filter((each) => !isTolerated(recorded, each.path));
  const named = direct.filter((each) => each.file !== null || !isDerived(each.path));
  return { drift: dropRepeats(named.length > 0 ? named : direct), notices };
}

function dropRepeats(drift: readonly Drift[]): Drift[] {
  const seen = new Set<string>();
  return drift.filter((each) => {
    const key = each.file ?? each.path;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMaterial(value: unknown): value is Material {
  return isObject(value) && 'sha256' in value && 'path' in value;
}

type PackagePin = SealedExperiment['arms'][number]['pins']['packages'][number];

function isPackage(value: unknown): value is PackagePin {
  return isObject(value) && Object.keys(value).sort().join() === 'name,tree';
}

function packageDrift(recorded: PackagePin, fresh: PackagePin, path: string): Drift[] {
  const file = `package:${fresh.name}`;
  if (recorded.name !== fresh.name)
    return [{ path, file, what: `sealed as package:${recorded.name}` }];
  if (recorded.tree === fresh.tree) return [];
  return [{ path, file, what: 'its installed files changed after sealing' }];
}

function differences(recorded: unknown, fresh: unknown, path: string): Drift[] {
  if (Object.is(recorded, fresh)) return [];
  if (isMaterial(recorded) && isMaterial(fresh)) return materialDrift(recorded, fresh, path);
  if (isPackage(recorded) && isPackage(fresh)) return packageDrift(recorded, fresh, path);
  if (path.endsWith('materials') && Array.isArray(recorded) && Array.isArray(fresh)) {
    return materialsDrift(recorded.filter(isMaterial), fresh.filter(isMaterial), path);
  }
  if (Array.isArray(recorded) && Array.isArray(fresh)) return arrayDrift(recorded, fresh, path);
  if (isObject(recorded) && isObject(fresh)) return objectDrift(recorded, fresh, path);
  return [{ path, file: null, what: `sealed ${show(recorded)}, now ${show(fresh)}` }];
}

function arrayDrift(
  recorded: readonly unknown[],
  fresh: readonly unknown[],
  path: string,
): Drift[] {
  const length = Math.max(recorded.length, fresh.length);
  return Array.from({ length }, (_, index) =>
    differences(recorded[index], fresh[index], `${path}[${index}]`),
  ).flat();
}

function objectDrift(
  recorded: Readonly<Record<string, unknown>>,
  fresh: Readonly<Record<string, unknown>>,
  path: string,
): Drift[] {
  const keys = [...new Set([...Object.keys(recorded), ...Object.keys(fresh)])].sort(
    compareCodeUnits,
  );
  return keys.flatMap((key) =>
    differences(recorded[key], fresh[key], path === '' ? key : `${path}.${key}`),
  );
}

function materialDrift(recorded: Material, fresh: Material, path: string): Drift[] {
  if (recorded.path !== fresh.path)
    return [{ path, file: fresh.path, what: `sealed as ${recorded.path}` }];
  if (recorded.sha256 === fresh.sha256) return [];
  return [{ path, file: recorded.path, what: 'its bytes changed after sealing' }];
}

function materialsDrift(
  recorded: readonly Material[],
  fresh: readonly Material[],
  path: string,
): Drift[] {
  const now = new Map(fresh.map((material) => [material.path, material]));
  const then = new Set(recorded.map((material) => material.path));
  const changed = recorded.flatMap((material) => {
    const found = now.get(material.path);
    if (found === undefined)
      return [{ path, file: material.path, what: 'it was sealed and is missing now' }];
    return materialDrift(material, found, path);
  });
  const added = fresh
    .filter((material) => !then.has(material.path))
    .map((material) => ({ path, file: material.path, what: 'it was not sealed' }));
  return [...changed, ...added];
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'object' ? describe(value as Json) : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function describe(value: Json): string {
  return Array.isArray(value) ? `a list of ${value.length}` : 'a group of members';
}

/** How far a sealed experiment has come: what a new seal would cost depends on it. */
export interface SealProgress {
  readonly experimentId: string;
  /** Number of units that were shown to the candidates; 0 before the exposure. */
  readonly exposedUnits: number;
  /** Whether units are reserved under this seal. */
  readonly reserved: boolean;
}

function driftMend({ experimentId, exposedUnits, reserved }: SealProgress): string {
  if (exposedUnits > 0) {
    const [are, them] = exposedUnits === 1 ? ['unit is', 'it'] : ['units are', 'them'];
    return `Restore the sealed bytes and run again: settled cells are kept. A new seal cannot take this one's place: its ${exposedUnits} ${are} exposed and the error of this measurement is spent. Giving up the sealed bytes loses ${them} and every receipt so far; the changed experiment needs units nobody has measured, or a slot that is left under a reuse policy (\`liftgate ledger budget\`).`;
  }
  if (reserved) {
    return `Restore the sealed bytes; or keep the units and record the change with \`liftgate amend\`; or give the units back with \`liftgate ledger release ${experimentId} --reason "..."\` and seal the changed experiment with \`liftgate seal\`. No unit is exposed, so none is lost; the old seal stays in the ledger and is counted.`;
  }
  return 'Restore the sealed bytes, record the change with `liftgate amend`, or seal the changed experiment as a new one with `liftgate seal`. No unit is reserved or exposed, so none is lost; the old seal stays in the ledger and is counted.';
}

/**
 * Stops when a recorded seal no longer describes the files.
 * @throws {LiftgateError} seal-drift  naming every changed file or field (exit 41), and what a new seal would lose
 */
export function refuseDrift(
  comparison: SealComparison,
  stage: 'plan' | 'final',
  progress: SealProgress,
): void {
  const [first] = comparison.drift;
  if (first === undefined) return;
  const named = comparison.drift.map((each) => `${each.file ?? each.path}: ${each.what}`);
  throw new LiftgateError(
    'seal-drift',
    `The experiment no longer matches its ${stage} seal:\n    ${named.join('\n    ')}`,
    {
      where: { file: first.file ?? undefined, path: first.path },
      mend: driftMend(progress),
      details: { drift: comparison.drift },
    },
  );
}
