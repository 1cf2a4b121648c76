/** Before the first cell: seals, reservation, controls, exposure. Everything here can be repeated after a crash. */
import { canonicalLine } from '../base/canonical.ts';
import { type Digest, digestHex } from '../base/digest.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import { decodeUtf8 } from '../base/strict-json.ts';
import { isOfExposure } from '../ledger/entry.ts';
import { type KnownEntry, knownEntries } from '../ledger/histories.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { importedFrom } from '../ledger/past.ts';
import { unanchoredEntry } from '../ledger/policy-demands.ts';
import type { ExperimentState, Exposure } from '../ledger/projection.ts';
import { developUnits, reserveUnits } from '../ledger/reserve.ts';
import { receiptsRoot } from '../report/run-facts.ts';
import { runControls } from '../run/controls.ts';
import type { Clock, Host } from '../run/host.ts';
import type { JournalPrefix } from '../run/journal.ts';
import type { ReceiptLine, SurfaceWire } from '../run/receipt.ts';
import { formatSeal, type SealedExperiment } from '../spec/seal.ts';
import { surfaceDigestOf } from '../spec/seal-plan.ts';
import { armIds, armOf } from '../spec/spec.ts';
import { splitUnits } from '../spec/split-units.ts';
import { runFileNames } from '../verify/record.ts';
import type { LoadedExperiment } from './experiment-folder.ts';
import type { RunFolder } from './run-folder.ts';
import type { RecordedSeal } from './seal-experiment.ts';

/** Current state of the experiment with this plan. */
export async function experimentState(ledger: Ledger, plan: Digest): Promise<ExperimentState> {
  const state = (await ledger.state()).experiments.get(plan);
  invariant(state !== undefined, 'a sealed experiment is in the ledger');
  return state;
}

/**
 * Records the development units as used and claims the final ones, unless that is done already. Development comes first: a crash
 * between the two leaves a phase from which both are tried again.
 * @throws {LiftgateError} ledger-conflict naming the owner and the units
 */
export async function reserveExperiment(
  ledger: Ledger,
  loaded: LoadedExperiment,
  plan: RecordedSeal,
): Promise<ExperimentState> {
  const state = await experimentState(ledger, plan.digest);
  if (state.phase !== 'sealed') return state;
  const { final, development } = splitUnits(loaded);
  const { claim } = loaded.spec;
  const common = { experimentId: loaded.spec.name, population: claim.population.id };
  if (development.length > 0) {
    await developUnits(ledger, {
      ...common,
      units: development,
      reason: 'train and selection splits of a sealed plan',
    });
  }
  await reserveUnits(ledger, {
    ...common,
    plan: plan.digest,
    family: plan.seal.units.family,
    units: final,
    alphaNano: plan.seal.analysis.alphaNano,
  });
  return experimentState(ledger, plan.digest);
}

/** A surface as it goes over the wire. */
function surfaceWire(
  loaded: LoadedExperiment,
  surface: Readonly<Record<string, string>>,
): SurfaceWire {
  const components: Record<string, { text: string }> = {};
  const materials: Record<string, { path: string; size: number; sha256: string }> = {};
  for (const [name, path] of Object.entries(surface)) {
    const file = loaded.materialsByPath.get(path);
    invariant(file !== undefined, `the surface file ${path} was read`);
    components[name] = {
      text: decodeUtf8(file.bytes, { file: path, errorCode: 'file-unreadable' }),
    };
    materials[name] = file.material;
  }
  return { kind: 'bundle', components, digest: surfaceDigestOf(materials) };
}

/** The baseline's surface, by which an A/A run measures every arm. */
export function baselineSurface(loaded: LoadedExperiment): SurfaceWire {
  return surfaceWire(loaded, loaded.spec.arms.baseline.surface);
}

/** Surfaces of all arms by id. */
export function armSurfaces(loaded: LoadedExperiment): Map<string, SurfaceWire> {
  return new Map(
    armIds(loaded.spec).map((id) => [
      id,
      surfaceWire(loaded, armOf(loaded.spec, id)?.surface ?? {}),
    ]),
  );
}

function controlSurfaces(loaded: LoadedExperiment): Map<string, SurfaceWire> {
  return new Map(
    loaded.spec.controls.flatMap((control) =>
      'surface' in control ? [[control.id, surfaceWire(loaded, control.surface)] as const] : [],
    ),
  );
}

/** What a change of a sealed file takes while the units are only reserved: the old seal holds them. */
function sealAnew({ spec }: LoadedExperiment): string {
  return `give the units back with \`liftgate ledger release ${spec.name} --reason "..."\` and run again with --seal`;
}

export interface ControlStage {
  readonly loaded: LoadedExperiment;
  readonly seal: SealedExperiment;
  readonly host: Host;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly folder: Pick<RunFolder, 'write'>;
  /** How to start over; by default what takes back the units of a run. */
  readonly restart?: string;
}

/**
 * Runs the controls and keeps their receipts; final units are still unexposed.
 * @throws {LiftgateError} controls-failed (exit 31) naming every control that was classified wrong, or that there is none
 */
export async function passControls(stage: ControlStage): Promise<readonly ReceiptLine[]> {
  const { loaded, seal, host, clock, signal, folder } = stage;
  const { restart = sealAnew(loaded) } = stage;
  if (seal.spec.controls.length === 0) {
    throw new LiftgateError(
      'controls-failed',
      'The experiment declares no control, so nothing shows that its harness classifies correctly.',
      {
        where: { file: loaded.file, path: 'controls' },
        mend: `The final units are still unexposed. Declare at least a known-pass, a known-fail and a fault control, ${restart}.`,
      },
    );
  }
  const { results, lines } = await runControls({
    seal,
    cases: loaded.cases.filter((each) => each.split !== 'final'),
    surfaces: controlSurfaces(loaded),
    baseline: baselineSurface(loaded),
    host,
    clock,
    signal,
  });
  refuseInterrupt(signal);
  folder.write(runFileNames.controls, lines.map((line) => canonicalLine(line)).join(''));
  const failed = results.filter((result) => !result.passed);
  if (failed.length === 0) return lines;
  const named = failed.map((result) => `${result.id}: ${result.reason}`);
  throw new LiftgateError(
    'controls-failed',
    `${failed.length} of ${results.length} controls were classified wrong:\n    ${named.join('\n    ')}`,
    {
      where: { file: loaded.file, path: 'controls' },
      mend: `The final units are still unexposed. Mend the host or the scorer, ${restart}.`,
      details: {
        failed: failed.map((result) => result.id),
        stderr: host.stderrTail?.().slice(-2048) ?? '',
      },
    },
  );
}

/** @throws {LiftgateError} interrupted (exit 130) */
export function refuseInterrupt(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new LiftgateError('interrupted', 'Interrupted before any final unit was exposed.', {
    mend: 'Run the same command again.',
  });
}

/** The right to dispatch that this process holds. */
export interface Dispatcher {
  readonly ledger: string;
  readonly expose: Digest;
  readonly fence: string;
}

/**
 * Records the exposure: irreversible, before the first dispatch. A second dispatcher that lost the race is refused.
 * @throws {LiftgateError} ledger-conflict
 */
export async function exposeUnits(
  ledger: Ledger,
  parts: {
    readonly final: RecordedSeal;
    readonly reserveSeq: number;
    readonly fence: string;
    /** Receipts of the controls that passed: whoever resumes must find these again. */
    readonly controlLines: readonly ReceiptLine[];
  },
): Promise<Dispatcher> {
  const { seal, digest } = parts.final;
  const { entry, entryId } = await ledger.append({
    kind: 'expose',
    requestId: `expose:${digestHex(digest)}`,
    body: {
      reserve: parts.reserveSeq,
      seal: digest,
      arms: seal.arms.map((arm) => {
        invariant(arm.surfaceDigest !== null, 'a final seal binds every arm');
        return { id: arm.id, digest: arm.surfaceDigest };
      }),
      evaluatorTree: seal.evaluator.tree,
      cellsObject: seal.cells.planObject,
      disclosure: seal.disclosure,
      attempt: 1,
      fence: parts.fence,
      controlsRoot: receiptsRoot(parts.controlLines),
    },
  });
  return { ledger: entry.ledger, expose: entryId, fence: parts.fence };
}

/**
 * Stops where the policy of the units wants their reservation or exposure anchored before the run goes on.
 * @throws {LiftgateError} ledger-conflict  I16
 */
export async function refuseUnanchored(ledger: Ledger, experiment: ExperimentState): Promise<void> {
  const seq = unanchoredEntry(await ledger.state(), experiment);
  if (seq === null) return;
  const { experimentId, exposure } = experiment;
  const [what, next] = exposure === null ? ['reserved', 'exposed'] : ['exposed', 'measured'];
  throw new LiftgateError(
    'ledger-conflict',
    `The units of "${experimentId}" are ${what} and not yet ${next}: their policy wants entry ${seq} anchored first.`,
    {
      mend: 'Record an outside proof with `liftgate ledger anchor` (--commit, --time-stamp or --note), then run the same command again.',
      details: { invariant: 'I16', reason: 'not-anchored', ownerSeq: seq },
    },
  );
}

/**
 * Takes over an exposed experiment after a crash or an interruption, under a new fence.
 * @throws {LiftgateError} ledger-conflict when another process took over first
 */
export async function resumeExposure(
  ledger: Ledger,
  parts: {
    readonly exposure: Exposure;
    readonly missingCells: number;
    readonly fence: string;
    readonly reason: string;
    /** The journal as it was found. */
    readonly journal: JournalPrefix;
  },
): Promise<Dispatcher> {
  const { exposure, missingCells, fence, reason } = parts;
  const attempt = exposure.attempt + 1;
  const { entry } = await ledger.append({
    kind: 'attempt',
    requestId: `attempt:${digestHex(exposure.entryId)}:${attempt}`,
    body: {
      expose: exposure.seq,
      attempt,
      reason,
      missingCells,
      missingObject: null,
      fence,
      journal: parts.journal,
    },
  });
  return { ledger: entry.ledger, expose: exposure.entryId, fence };
}

/**
 * Tells the ledger what the journal of an exposure holds; `stopped` at the end of a session that leaves cells open.
 * @throws {LiftgateError} ledger-conflict when another process has taken the run over
 */
export async function keepJournal(
  ledger: Ledger,
  exposure: Pick<Exposure, 'seq' | 'entryId' | 'attempt'>,
  kept: { readonly journal: JournalPrefix; readonly stopped: boolean },
): Promise<void> {
  const { seq, entryId, attempt } = exposure;
  const place = kept.stopped ? 'stopped' : String(kept.journal.lines);
  await ledger.append({
    kind: 'journal',
    requestId: `journal:${digestHex(entryId)}:${attempt}:${place}`,
    body: { expose: seq, attempt, ...kept },
  });
}

/** Ledger entries of one run as stored: reservation, exposure, every later right to dispatch and what was known of the journal. */
export async function runEntries(ledger: Ledger, state: ExperimentState): Promise<string> {
  const claims = new Set([state.reservation?.seq, state.exposure?.seq]);
  const own = [...knownEntries(await ledger.state()).values()]
    .filter(({ entry, number }) => claims.has(number) || isOfExposure(entry, state.exposure?.seq))
    .sort((first, second) => orderOf(first, state) - orderOf(second, state));
  return own.map(({ stored }) => new TextDecoder().decode(stored.bytes)).join('');
}

/** Reservation, exposure, and then what another branch did with it before what followed its import. */
function orderOf({ number }: KnownEntry, state: ExperimentState): number {
  if (number === state.reservation?.seq) return -2;
  if (number === state.exposure?.seq) return -1;
  return number >= importedFrom ? number - importedFrom : number + importedFrom;
}

/** @throws {LiftgateError} run-invalid when the folder holds the run of another seal, or files that are of no run */
export function refuseForeignFolder(folder: RunFolder, seal: SealedExperiment): void {
  const bytes = folder.read(runFileNames.seal);
  const own = new Set<string>(Object.values(runFileNames));
  const stray = [...folder.files().keys()].find((name) => !own.has(name));
  if (stray !== undefined) {
    throw new LiftgateError(
      'run-invalid',
      `The run folder holds "${stray}", which is no file of a run.`,
      {
        where: { file: folder.path },
        mend: 'Name a new folder with --out; with other files in it a run does not verify.',
      },
    );
  }
  if (bytes === null || new TextDecoder().decode(bytes) === formatSeal(seal)) return;
  throw new LiftgateError('run-invalid', 'The run folder holds a run of another seal.', {
    where: { file: folder.path },
    mend: 'Name another folder with --out; recorded runs are never overwritten.',
  });
}
