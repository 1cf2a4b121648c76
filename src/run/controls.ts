/**
 * Controls: known-pass, known-fail and deliberate-fault cells, run before any final unit is exposed.
 *
 * They prove that host and scorer classify correctly: an always-passing scorer fails the floor, an always-failing one the ceiling, a
 * host that swallows errors the fault controls. Only development cases or a control's own case are used, never a final case.
 */
import type { Json } from '../base/canonical.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import { type SealedExperiment, sealDigest } from '../spec/seal.ts';
import { seedHex } from '../spec/seeds.ts';
import type { Control, ExperimentSpec } from '../spec/spec.ts';
import type { Case } from '../spec/units.ts';
import { randomStream } from '../stats/random.ts';
import { type AttemptContext, type AttemptTask, runAttempt } from './attempt.ts';
import { judgeFault, judgeSurface } from './control-verdict.ts';
import { waitBefore } from './execute.ts';
import type { Clock, Host } from './host.ts';
import { inLanes } from './lanes.ts';
import type { ControlResult, Receipt, ReceiptLine, SurfaceWire } from './receipt.ts';
import { closesCell, receiptLineOf } from './resume.ts';
import { measureApplies } from './scores.ts';

type SurfaceControl = Extract<Control, { readonly surface: unknown }>;
type FaultControl = Extract<Control, { readonly fault: unknown }>;

export interface ControlOptions {
  readonly seal: SealedExperiment;
  /** Development cases (train and selection), in any order. */
  readonly cases: readonly Case[];
  /** Surfaces by control id; every control with a surface is there. */
  readonly surfaces: ReadonlyMap<string, SurfaceWire>;
  /** The baseline's surface: what fault controls run. */
  readonly baseline: SurfaceWire;
  readonly host: Host;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface ControlRun {
  /** One result per control, in the spec's order. */
  readonly results: readonly ControlResult[];
  /** Every attempt; `cell.arm` is the control's id, ledger, expose and fence are null. */
  readonly lines: readonly ReceiptLine[];
}

/**
 * Runs every sealed control.
 *
 * A surface control runs its cells (new attempts on infrastructure faults as for any cell) and passes when all receipts are outcomes
 * and the mean of each expected measure lies in its bounds. A fault control makes one attempt, whose class must be the declared one;
 * after `host-exit` the host must answer an ordinary cell again.
 *
 * @throws {LiftgateError} host-unreachable when the host cannot be greeted; cases-invalid when a final case is passed
 */
export async function runControls(options: ControlOptions): Promise<ControlRun> {
  refuseFinalCases(options.cases);
  const hello = await options.host.hello();
  const { seal, host, clock, signal } = options;
  const session: ControlSession = {
    options,
    context: {
      seal,
      experimentDigest: sealDigest(seal),
      host,
      identity: hello.host,
      clock,
      signal,
    },
    cases: controlOrder(seal, options.cases),
    lines: [],
  };
  const results: ControlResult[] = [];
  for (const control of seal.spec.controls) {
    results.push(
      'fault' in control
        ? await runFaultControl(session, control)
        : await runSurfaceControl(session, control),
    );
  }
  return { results, lines: session.lines };
}

interface ControlSession {
  readonly options: ControlOptions;
  readonly context: AttemptContext;
  readonly cases: readonly Case[];
  readonly lines: ReceiptLine[];
}

function refuseFinalCases(cases: readonly Case[]): void {
  const final = cases.find((each) => each.split === 'final');
  if (final === undefined) return;
  throw new LiftgateError('cases-invalid', `The final case "${final.id}" cannot serve a control.`, {
    mend: 'Give development cases only; controls run before final units are exposed.',
  });
}

/**
 * Development cases in the order controls take them: by row, then shuffled by the stream `control-cases`.
 * @example controlOrder(seal, []) // => []
 */
export function controlOrder<Row extends { readonly row: number }>(
  seal: SealedExperiment,
  cases: readonly Row[],
): Row[] {
  const sorted = [...cases].sort((first, second) => first.row - second.row);
  const label = 'control-cases';
  return randomStream(seedHex(seal.digests.cases, label), label).shuffle(sorted);
}

/**
 * A control's own case, its fields split into input and expected like those of any case.
 * @returns null when the control declares none
 * @example ownCaseOf(seal.spec, { id: 'dead', fault: 'host-exit', expect: { class: 'infrastructureFault' } }) // => null
 */
export function ownCaseOf(spec: ExperimentSpec, control: Control): Case | null {
  if (control.case === undefined) return null;
  const fields: { readonly [field: string]: Json } = control.case;
  const hidden = new Set([
    spec.cases.id,
    spec.claim.unit,
    ...(spec.splits.by === 'field' ? [spec.splits.field] : []),
    ...spec.cases.expected,
  ]);
  const shown = spec.cases.input ?? Object.keys(fields).filter((name) => !hidden.has(name));
  const pick = (names: readonly string[]): { [field: string]: Json } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const id = `control/${control.id}`;
  return {
    id,
    unit: id,
    split: 'train',
    row: 1,
    fields,
    input: pick(shown),
    expected: pick(spec.cases.expected),
  };
}

function casesFor(session: ControlSession, control: Control, most: number): readonly Case[] {
  const own = ownCaseOf(session.options.seal.spec, control);
  return own === null ? session.cases.slice(0, most) : [own];
}

async function runSurfaceControl(
  session: ControlSession,
  control: SurfaceControl,
): Promise<ControlResult> {
  const { spec } = session.options.seal;
  const surface = session.options.surfaces.get(control.id);
  invariant(surface !== undefined, `the surface of control "${control.id}" is loaded`);
  const cases = casesFor(session, control, control.cells);
  const cells = await inLanes(cases, spec.host.concurrency, async (each) => ({
    case: each,
    receipts: await attemptsAt(session, { case: each, surface }),
  }));
  for (const cell of cells) keep(session, { control, surface, ...cell });
  const final = cells.flatMap((cell) =>
    cell.receipts.slice(-1).map((receipt) => ({ receipt, applies: appliesTo(spec, cell.case) })),
  );
  return judgeSurface(spec.measures, control, final);
}

function appliesTo(spec: ExperimentSpec, each: Case): (measure: string) => boolean {
  return (id) => {
    const measure = spec.measures[id];
    return measure !== undefined && measureApplies(measure, each.fields);
  };
}

async function attemptsAt(
  session: ControlSession,
  cell: Pick<AttemptTask, 'case' | 'surface'>,
): Promise<Receipt[]> {
  const { attempts } = session.options.seal.spec;
  const most = attempts.retry.length === 0 ? 1 : attempts.max;
  const receipts: Receipt[] = [];
  for (let attempt = 1; attempt <= most; attempt += 1) {
    const receipt = await runAttempt(session.context, { ...cell, repeat: 0, attempt });
    receipts.push(receipt);
    if (closesCell(receipt) || session.options.signal.aborted) break;
    if (attempt < most) {
      await session.options.clock.sleep(waitBefore(attempt, receipt), session.options.signal);
    }
  }
  return receipts;
}

async function runFaultControl(
  session: ControlSession,
  control: FaultControl,
): Promise<ControlResult> {
  const { baseline: surface } = session.options;
  const [only] = casesFor(session, control, 1);
  if (only === undefined) return judgeFault(control, { receipt: null, after: null });
  const task = { case: only, surface, repeat: 0, attempt: 1 };
  const receipt = await runAttempt(session.context, { ...task, fault: control.fault });
  keep(session, { control, surface, case: only, receipts: [receipt] });
  if (control.fault !== 'host-exit') return judgeFault(control, { receipt, after: null });
  const after = await runAttempt(session.context, { ...task, attempt: 2 });
  keep(session, { control, surface, case: only, receipts: [after] });
  return judgeFault(control, { receipt, after });
}

function keep(
  session: ControlSession,
  kept: {
    readonly control: Control;
    readonly surface: SurfaceWire;
    readonly case: Case;
    readonly receipts: readonly Receipt[];
  },
): void {
  const { seal, clock } = session.options;
  const { unit, id } = kept.case;
  for (const receipt of kept.receipts) {
    session.lines.push(
      receiptLineOf({
        seal,
        envelope: { ledger: null, expose: null, fence: null },
        cell: { unit, case: id, arm: kept.control.id, repeat: 0 },
        position: session.lines.length,
        armDigest: kept.surface.digest,
        receivedAt: clock.now(),
        receipt,
      }),
    );
  }
}
