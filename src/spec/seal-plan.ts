/** Builds the two stages of a seal from plain values: files are read elsewhere, objects are stored elsewhere. */
import { canonicalLine, canonicalText, compareCodeUnits } from '../base/canonical.ts';
import { type Digest, digestOf, isDigest } from '../base/digest.ts';
import { invariant } from '../base/errors.ts';
import { merkleRoot } from '../base/merkle.ts';
import { admittedCases, type CaseIndex, finalCases } from './case-index.ts';
import { designDigests, resolvedMethods, sealedLooks } from './design.ts';
import { autoTableVersion, bettingTruncation } from './inference.ts';
import {
  type EngineIdentity,
  type Material,
  type SealedArm,
  type SealedExperiment,
  sealType,
  surfaceDigest,
  treeDigest,
} from './seal.ts';
import { seedLabels, seedRule } from './seeds.ts';
import { armIds, armOf, baselineArm, type ExperimentSpec, placeboArm } from './spec.ts';
import { fingerprintIdentity, type SplitInput, splitUnits } from './split-units.ts';
import { skeletonVersion, type UnitRecord } from './units.ts';

/** Files behind one surface: component name to material; installed packages it is pinned to. */
export interface ArmFiles {
  readonly surface: Readonly<Record<string, Material>>;
  readonly packages: readonly { readonly name: string; readonly tree: Digest }[];
}

/** An audit file with what it says. */
export type SealedAudit = NonNullable<SealedExperiment['evaluator']['audits']>[number];

export interface SealInput extends SplitInput {
  readonly specSource: Material;
  readonly index: CaseIndex;
  readonly arms: Readonly<Record<string, ArmFiles>>;
  /** Surfaces of controls by control id; fault controls are absent. */
  readonly controls: Readonly<Record<string, Readonly<Record<string, Material>>>>;
  readonly evaluator: readonly Material[];
  /** Audits that evaluator gates name. */
  readonly audits: readonly SealedAudit[];
  /** Files that the code of custom gates lies in. */
  readonly gateFiles: readonly Material[];
  /** Digests of the host's packages and words of its command that name no file: what the seal cannot pin by bytes. */
  readonly hostPrograms: readonly string[];
  readonly dataset: readonly Material[];
  readonly engine: EngineIdentity;
}

/** A seal and the objects it names, each as stored bytes. */
export interface SealDraft {
  readonly seal: SealedExperiment;
  readonly objects: readonly string[];
}

/** Stored bytes of a unit list: one canonical array of unit records. */
export function formatUnits(units: readonly UnitRecord[]): string {
  return canonicalLine(units);
}

/** @param text  the list as it is stored */
function unitSet(
  units: readonly UnitRecord[],
  text: string,
): { count: number; root: Digest; object: Digest } {
  return {
    count: units.length,
    root: merkleRoot(units.map((unit) => canonicalText(unit))),
    object: digestOf(text),
  };
}

/** Digest of a surface from its files, as the host will report it. */
export function surfaceDigestOf(surface: Readonly<Record<string, Material>>): Digest {
  const parts: Record<string, Digest> = {};
  for (const [name, material] of Object.entries(surface)) {
    const digest = `sha256:${material.sha256}`;
    invariant(isDigest(digest), 'a material holds 64 hex digits');
    parts[name] = digest;
  }
  return surfaceDigest(parts);
}

function sealArm(
  spec: ExperimentSpec,
  id: string,
  files: ArmFiles | undefined,
  stage: 'plan' | 'final',
): SealedArm {
  const role = roleOf(spec, id);
  const declared = armOf(spec, id);
  const bound = files !== undefined && (role !== 'candidate' || stage === 'final');
  const materials = bound ? sortedMaterials(Object.values(files.surface)) : [];
  return {
    id,
    role,
    materials,
    tree: treeDigest(materials),
    surfaceDigest: bound ? surfaceDigestOf(files.surface) : null,
    pins: { model: declared?.pins?.model ?? null, packages: bound ? [...files.packages] : [] },
    boundAt: role === 'candidate' ? 'final' : 'plan',
  };
}

function roleOf(spec: ExperimentSpec, id: string): SealedArm['role'] {
  if (id === baselineArm) return 'baseline';
  return id === placeboArm && spec.arms.placebo !== undefined ? 'placebo' : 'candidate';
}

function sortedMaterials(materials: readonly Material[]): Material[] {
  const byPath = new Map(materials.map((material) => [material.path, material]));
  return [...byPath.values()].sort((first, second) => compareCodeUnits(first.path, second.path));
}

/** Case index as stored. */
export function formatCaseIndex(index: CaseIndex): string {
  return canonicalLine(index);
}

/** Planned cells as stored: final cases by code units, repeats and number of arms. */
export function formatCellPlan(spec: ExperimentSpec, index: CaseIndex): string {
  const cases = finalCases(index).map((each) => each.id);
  return canonicalLine({
    type: 'liftgate/cells/v1',
    cases: cases.sort(compareCodeUnits),
    repeats: spec.repeats,
    arms: armIds(spec).length,
  });
}

/** Seal of stage `plan`: everything but the candidates' bytes. */
export function planSeal(input: SealInput): SealDraft {
  const { spec, index } = input;
  const { final, development } = splitUnits(input);
  const arms = armIds(spec).map((id) => sealArm(spec, id, input.arms[id], 'plan'));
  const [baseline] = arms;
  invariant(baseline !== undefined, 'an experiment has a baseline');
  const controls = spec.controls.map((control) =>
    sealControl(control.id, input.controls[control.id]),
  );
  const digests = designDigests({
    spec,
    index,
    baseline,
    placebo: arms.find((arm) => arm.role === 'placebo'),
    evaluator: input.evaluator.map((material) => material.sha256),
    gateFiles: input.gateFiles.map((material) => material.sha256),
    controls: Object.fromEntries(controls.map((control) => [control.id, control.surfaceDigest])),
  });
  const texts = {
    final: formatUnits(final),
    development: formatUnits(development),
    index: formatCaseIndex(index),
    cellPlan: formatCellPlan(spec, index),
  };
  const seal: SealedExperiment = {
    type: sealType,
    experimentId: spec.name,
    stage: 'plan',
    plan: null,
    previous: null,
    amendments: [],
    spec,
    specSource: input.specSource,
    claim: { ...spec.claim, direction: primaryDirection(spec) },
    units: {
      ...unitSet(final, texts.final),
      family: spec.claim.population.id,
      skeletonVersion,
      ...fingerprintIdentity(input),
    },
    development: development.length === 0 ? null : unitSet(development, texts.development),
    arms,
    controls,
    digests: { cases: digests.cases, design: digests.design },
    ...sealedContent(input, texts),
    ...sealedRules(spec, index, sortedMaterials(input.gateFiles)),
    engine: input.engine,
    unpinned: unpinned(input),
  };
  return {
    seal,
    objects: unique(Object.values(texts)),
  };
}

function unique(objects: readonly string[]): string[] {
  return [...new Set(objects)];
}

function sealControl(
  id: string,
  surface: Readonly<Record<string, Material>> | undefined,
): SealedExperiment['controls'][number] {
  const materials = surface === undefined ? [] : sortedMaterials(Object.values(surface));
  return {
    id,
    materials,
    tree: treeDigest(materials),
    surfaceDigest: surface === undefined ? null : surfaceDigestOf(surface),
  };
}

function primaryDirection(spec: ExperimentSpec): 'higher' | 'lower' | null {
  return (
    Object.values(spec.measures).find((measure) => measure.role === 'primary')?.direction ?? null
  );
}

type ContentMembers = Pick<SealedExperiment, 'evaluator' | 'dataset' | 'cells' | 'host'>;

function sealedContent(
  input: SealInput,
  texts: { readonly index: string; readonly cellPlan: string },
): ContentMembers {
  const { spec, index } = input;
  const evaluator = sortedMaterials(input.evaluator);
  const dataset = sortedMaterials(input.dataset);
  const rows = admittedCases(index);
  return {
    evaluator: {
      materials: evaluator,
      tree: treeDigest(evaluator),
      judges: [],
      scoreScale: 'declared per measure',
      ...(input.audits.length === 0 ? {} : { audits: [...input.audits] }),
    },
    dataset: {
      materials: dataset,
      tree: treeDigest(dataset),
      cases: {
        count: rows.length,
        root: merkleRoot(rows.map((row) => canonicalText(row))),
        object: digestOf(texts.index),
      },
    },
    cells: {
      replicates: spec.repeats,
      plannedCount: finalCases(index).length * spec.repeats * armIds(spec).length,
      planObject: digestOf(texts.cellPlan),
      orderSeedRule: 'units by stream unit-order, arms within blocks by stream arm-order',
    },
    host: { adapter: 'worker' in spec.host ? 'worker' : 'module', version: null, receiptKeys: [] },
  };
}

type RuleMembers = Pick<
  SealedExperiment,
  'analysis' | 'decision' | 'limits' | 'disclosure' | 'seeds'
>;

/** What the intervals are about; a fixed roster is its units, other units are a sample. */
function estimandOf({ claim, inference }: ExperimentSpec): string {
  const over =
    claim.generalization === 'fixed-roster'
      ? 'of the listed units'
      : inference.weights === 'case'
        ? 'across cases, units as clusters'
        : 'across units';
  return `mean improvement ${over}, weights: ${inference.weights}`;
}

/**
 * The members of a seal that say how it is decided.
 * @param materials  files that the code of custom gates lies in, by path
 */
export function sealedRules(
  spec: ExperimentSpec,
  index: CaseIndex,
  materials: readonly Material[],
): RuleMembers {
  const { level } = spec.inference;
  const looks = sealedLooks(spec, index);
  return {
    analysis: {
      estimand: estimandOf(spec),
      level,
      errorLevels: { lift: rounded((1 - level) / 2), rate: rounded(1 - level) },
      alphaNano: Math.round((1 - level) * 1e9),
      autoTable: autoTableVersion,
      ...(looks === null ? {} : { looks }),
      methods: resolvedMethods(spec, index),
      bettingTruncation,
      resamples: spec.inference.resamples,
      missingData: 'pairs leave on both arms; worst-case filling must not change the decision',
    },
    decision: {
      gates: spec.gates,
      ...(materials.length === 0 ? {} : { materials: [...materials] }),
      multiplicity: spec.multiplicity,
      ties: 'by code units of candidate ids',
    },
    limits: {
      maxAttempts: spec.attempts.max,
      budget: { usd: spec.budget.usd ?? null, wallMinutes: spec.budget.wallMinutes ?? null },
      deadline: null,
    },
    disclosure: spec.disclosure ?? 'per-unit',
    seeds: { rule: seedRule, labels: [...seedLabels] },
  };
}

/** Error levels as decimals people wrote: (1 - 0.95) / 2 is 0.025, not 0.025000000000000022. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

function unpinned(input: SealInput): string[] {
  const models = armIds(input.spec).flatMap((id) => {
    const model = armOf(input.spec, id)?.pins?.model;
    return model === undefined ? [] : [`model ${model} as served to the host`];
  });
  const programs = input.hostPrograms.map((program) => `program ${program}`);
  return [
    ...new Set([
      ...models,
      ...programs,
      'packages the host imports beyond those named in the spec',
    ]),
  ].sort(compareCodeUnits);
}

/** Seal of stage `final`: the plan with the candidates' bytes bound. */
export function bindSeal(
  plan: SealedExperiment,
  planDigest: Digest,
  files: Readonly<Record<string, ArmFiles>>,
): SealedExperiment {
  invariant(plan.stage === 'plan', 'only a plan is bound');
  const arms = plan.arms.map((arm) =>
    arm.role !== 'candidate' ? arm : sealArm(plan.spec, arm.id, files[arm.id], 'final'),
  );
  return { ...plan, stage: 'final', plan: planDigest, arms };
}
