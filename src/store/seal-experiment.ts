/** Seals an experiment in a ledger: the plan before a search, the candidates after it; a recorded seal is checked, never replaced. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Digest, digestHex, digestOfValue } from '../base/digest.ts';
import { formatEnvelope, statementType } from '../base/dsse.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import type { Signer } from '../base/signature.ts';
import { simulatedSeal } from '../gate/power-seal.ts';
import { recordedSeal } from '../ledger/entry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ExperimentState } from '../ledger/projection.ts';
import { compareSeals, refuseDrift, type SealProgress } from '../spec/drift.ts';
import { auditPaths, readAudit } from '../spec/evaluator-audit.ts';
import { gateFiles } from '../spec/gates.ts';
import {
  type EngineIdentity,
  formatSeal,
  type Material,
  parseSeal,
  type SealedArm,
  type SealedExperiment,
  sealDigest,
} from '../spec/seal.ts';
import {
  type ArmFiles,
  bindSeal,
  planSeal,
  type SealDraft,
  type SealedAudit,
  type SealInput,
} from '../spec/seal-plan.ts';
import { seedHex } from '../spec/seeds.ts';
import { armIds, armOf } from '../spec/spec.ts';
import { formatStatement, statementOf } from '../verify/statement.ts';
import type { LoadedExperiment } from './experiment-folder.ts';
import { refuseOtherSecret } from './fingerprint-secret.ts';

const encoder = new TextEncoder();

function material(loaded: LoadedExperiment, path: string): Material {
  const file = loaded.materialsByPath.get(path);
  invariant(file !== undefined, `the named file ${path} was read`);
  return file.material;
}

function surfaceFiles(
  loaded: LoadedExperiment,
  surface: Readonly<Record<string, string>>,
): Record<string, Material> {
  return Object.fromEntries(
    Object.entries(surface).map(([component, path]) => [component, material(loaded, path)]),
  );
}

function armFiles(loaded: LoadedExperiment, id: string): ArmFiles {
  const arm = armOf(loaded.spec, id);
  invariant(arm !== undefined, `the spec has an arm ${id}`);
  const packages = (arm.pins?.packages ?? []).map((pin) => ({
    name: pin,
    tree: packageTree(loaded, pin),
  }));
  return { surface: surfaceFiles(loaded, arm.surface), packages };
}

function packageTree(loaded: LoadedExperiment, pin: string): Digest {
  const installed = loaded.packages.get(pin);
  invariant(installed !== undefined, `the pinned package ${pin} was read`);
  return installed.tree;
}

/** A package as one material: its size in all and its tree digest. */
function packageMaterial(loaded: LoadedExperiment, pin: string): Material {
  const materials = loaded.packages.get(pin)?.materials ?? [];
  const size = materials.reduce((total, each) => total + each.size, 0);
  return { path: `package:${pin}`, size, sha256: digestHex(packageTree(loaded, pin)) };
}

function sealedAudit(loaded: LoadedExperiment, path: string): SealedAudit {
  const reading = readAudit(loaded.materialsByPath.get(path)?.bytes ?? '');
  invariant(reading.status === 'read', `the audit ${path} was read`);
  return { ...material(loaded, path), audit: reading.audit };
}

/** Everything a seal is made of, from the files as they are now. */
export function sealInput(loaded: LoadedExperiment, engine: EngineIdentity): SealInput {
  const { spec } = loaded;
  const bound = armIds(spec).filter((id) => !loaded.unbound.includes(id));
  const controls = spec.controls.flatMap((control) =>
    'surface' in control ? [[control.id, surfaceFiles(loaded, control.surface)] as const] : [],
  );
  return {
    spec,
    specSource: loaded.specSource,
    index: loaded.index,
    cases: loaded.cases,
    secret: loaded.secret,
    arms: Object.fromEntries(bound.map((id) => [id, armFiles(loaded, id)])),
    controls: Object.fromEntries(controls),
    evaluator: [
      ...loaded.hostFiles.map((path) => material(loaded, path)),
      ...spec.host.packages.map((pin) => packageMaterial(loaded, pin)),
    ],
    audits: auditPaths(spec.gates).map((path) => sealedAudit(loaded, path)),
    gateFiles: gateFiles(spec.gates).map((path) => material(loaded, path)),
    hostPrograms: loaded.hostPrograms,
    dataset: loaded.caseFiles.map((path) => material(loaded, path)),
    engine,
  };
}

/** A seal as recorded: its digest, and what to tell people about the engine. */
export interface RecordedSeal {
  readonly seal: SealedExperiment;
  readonly digest: Digest;
  /** Whether this call wrote it. */
  readonly written: boolean;
  readonly notices: readonly string[];
}

/**
 * Stored bytes of a seal that the ledger names.
 * @throws {LiftgateError} ledger-damaged when the object is gone
 */
export async function readSeal(ledger: Ledger, digest: Digest): Promise<SealedExperiment> {
  const bytes = await ledger.object(digest);
  if (bytes === null) {
    throw new LiftgateError(
      'ledger-damaged',
      `The ledger names the seal ${digest}, but its object is missing.`,
      {
        mend: 'Restore ledger/objects from version control or a copy.',
      },
    );
  }
  return parseSeal(bytes, `objects/${digestHex(digest)}`);
}

/** Plans of one id that no amendment replaced, in the order of their seals; the last one is the current one. */
async function experimentsNamed(ledger: Ledger, experimentId: string): Promise<ExperimentState[]> {
  const { experiments } = await ledger.state();
  return [...experiments.values()]
    .filter((each) => each.experimentId === experimentId && each.phase !== 'amended')
    .sort((first, second) => first.sealedSeq - second.sealedSeq);
}

/** The plan of this id that was sealed or amended last; undefined when there is none. */
export async function currentExperiment(
  ledger: Ledger,
  experimentId: string,
): Promise<ExperimentState | undefined> {
  return (await experimentsNamed(ledger, experimentId)).at(-1);
}

function progressOf({ experimentId, exposure, reservation }: ExperimentState): SealProgress {
  const exposedUnits = exposure === null ? 0 : (reservation?.body.unitCount ?? 0);
  return { experimentId, exposedUnits, reserved: reservation !== null };
}

async function recordSeal(ledger: Ledger, draft: SealDraft): Promise<Digest> {
  const { seal } = draft;
  for (const object of draft.objects) await ledger.putObject(encoder.encode(object));
  const bytes = encoder.encode(formatSeal(seal));
  const digest = await ledger.putObject(bytes);
  await ledger.append({
    kind: 'seal',
    requestId: `seal:${digestHex(digest)}`,
    body: {
      experimentId: seal.experimentId,
      sealDigest: digest,
      size: bytes.length,
      stage: seal.stage,
      plan: seal.plan,
    },
  });
  return digest;
}

export interface SealOptions {
  readonly loaded: LoadedExperiment;
  readonly ledger: Ledger;
  readonly engine: EngineIdentity;
  /** Whether a missing seal may be written. */
  readonly write: boolean;
}

/** Builds the refusal of an experiment that is not sealed in the ledger. */
export function missingSeal(options: Pick<SealOptions, 'loaded'>, what: string): LiftgateError {
  return new LiftgateError(
    'seal-missing',
    `The experiment "${options.loaded.spec.name}" has no ${what} seal in this ledger.`,
    {
      where: { file: options.loaded.file },
      mend: 'Seal it with `liftgate seal`, or run with --seal.',
    },
  );
}

/**
 * The plan seal of an experiment: the recorded one if it still describes the files, a new one if there is none and writing is
 * allowed, or if the recorded one never reserved anything.
 *
 * @throws {LiftgateError} seal-missing, seal-drift (naming the file or field), secret-missing, secret-wrong, design-refused for rules
 *   that ship too often by chance or find too little
 */
export async function ensurePlanSeal(options: SealOptions): Promise<RecordedSeal> {
  const { loaded, ledger, engine } = options;
  const draft = planSeal(sealInput(loaded, engine));
  const matches: { state: ExperimentState; recorded: RecordedSeal }[] = [];
  const named = await experimentsNamed(ledger, loaded.spec.name);
  for (const state of named) {
    const seal = await readSeal(ledger, state.plan);
    const { drift, notices } = compareSeals(seal, draft.seal);
    if (drift.length === 0)
      matches.push({ state, recorded: { seal, digest: state.plan, written: false, notices } });
  }
  const match = matches.at(-1);
  if (match !== undefined) return match.recorded;
  const last = named.at(-1);
  await refuseOtherSecret({ ledger, seal: draft.seal, file: loaded.file, readSeal });
  const seed = seedHex(draft.seal.digests.cases, 'plan');
  const design = { seal: draft.seal, index: loaded.index };
  const seal = options.write
    ? await simulatedSeal(design, { seed, file: loaded.file })
    : draft.seal;
  // Files put back as they were before an amendment: that plan is recorded and replaced.
  const replaced = (await ledger.state()).experiments.get(sealDigest(seal)) !== undefined;
  if (!options.write || replaced) {
    if (last === undefined) throw missingSeal(options, 'plan');
    const comparison = compareSeals(await readSeal(ledger, last.plan), draft.seal);
    refuseDrift(comparison, 'plan', progressOf(last));
  }
  const digest = await recordSeal(ledger, { ...draft, seal });
  return { seal, digest, written: true, notices: [] };
}

/**
 * The final seal of a plan: the recorded one if the candidates still have its bytes, a new one before exposure.
 *
 * @throws {LiftgateError} seal-missing, seal-drift (naming the changed file), design-refused when a candidate equals the baseline
 */
export async function ensureFinalSeal(
  options: SealOptions,
  plan: RecordedSeal,
): Promise<RecordedSeal> {
  const { loaded, ledger, engine } = options;
  const seal = bindSeal(plan.seal, plan.digest, sealInput(loaded, engine).arms);
  refuseNoChange(seal, loaded.file);
  const state = (await ledger.state()).experiments.get(plan.digest);
  const exposed = state?.exposure?.body.seal;
  const digest = sealDigest(seal);
  if (state !== undefined && exposed !== undefined) {
    const comparison = compareSeals(await readSeal(ledger, exposed), seal);
    refuseDrift(comparison, 'final', progressOf(state));
    return { seal, digest, written: false, notices: [] };
  }
  if (state?.finals.some((each) => each.digest === digest))
    return { seal, digest, written: false, notices: [] };
  const last = state?.finals.at(-1);
  if (!options.write) {
    if (state === undefined || last === undefined) throw missingSeal(options, 'final');
    const comparison = compareSeals(await readSeal(ledger, last.digest), seal);
    refuseDrift(comparison, 'final', progressOf(state));
  }
  await recordSeal(ledger, { seal, objects: [] });
  return { seal, digest, written: true, notices: [] };
}

function refuseNoChange(seal: SealedExperiment, file: string): void {
  const references = seal.arms.filter((arm) => arm.role !== 'candidate');
  for (const arm of seal.arms) {
    const same = references.find((each) => each !== arm && isSameArm(each, arm));
    if (arm.role === 'baseline' || same === undefined) continue;
    const what = arm.role === 'placebo' ? 'placebo' : `candidate "${arm.id}"`;
    throw new LiftgateError(
      'design-refused',
      `The ${what} has the same bytes as the ${same.role}.`,
      {
        where: {
          file,
          path: arm.role === 'placebo' ? 'arms.placebo' : `arms.candidates.${arm.id}`,
        },
        mend: `Name a ${arm.role} that differs; nothing would be compared.`,
      },
    );
  }
}

function isSameArm(first: SealedArm, second: SealedArm): boolean {
  const bytes = first.surfaceDigest === second.surfaceDigest;
  return bytes && digestOfValue(first.pins) === digestOfValue(second.pins);
}

/** Writes the copy of a seal that lies beside the experiment file. */
export function writeSealCopy(loaded: LoadedExperiment, seal: SealedExperiment): string {
  const name = `${loaded.spec.name}.seal.json`;
  writeFileSync(join(loaded.folder, name), formatSeal(seal));
  return name;
}

/** What a statement about a seal is made of, and who signs it. */
export interface SealStatementRequest {
  readonly loaded: LoadedExperiment;
  readonly ledger: Ledger;
  readonly signer: Signer;
  readonly recorded: RecordedSeal;
}

/** Writes the signed statement about a recorded seal beside the experiment file: an in-toto Statement in a DSSE envelope. */
export async function writeSealStatement(request: SealStatementRequest): Promise<string> {
  const { loaded, ledger, signer, recorded } = request;
  const entry = (await ledger.entries()).find(
    (each) => recordedSeal(each.entry)?.digest === recorded.digest,
  );
  invariant(entry !== undefined, 'a recorded seal has its entry');
  const statement = statementOf({ seal: recorded.seal, entry, result: null });
  const body = encoder.encode(formatStatement(statement));
  const name = `${loaded.spec.name}.seal.dsse.json`;
  writeFileSync(join(loaded.folder, name), await formatEnvelope(statementType, body, [signer]));
  return name;
}
