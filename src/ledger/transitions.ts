/** How each kind of entry moves one experiment from phase to phase; anything out of order is a conflict. */
import { type Digest, digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { InvariantId } from './chain.ts';
import { refuseContested, refuseSpoiled } from './claim.ts';
import { type EntryOf, entryFileName } from './entry.ts';
import type { JournalMark } from './entry-bodies.ts';
import {
  type ExperimentState,
  type Exposed,
  isExposed,
  type LedgerState,
  withClaim,
  withExperiment,
} from './projection.ts';

/** An entry of one kind with its identity, as transitions receive it. */
export interface Step<Entry> {
  readonly entry: Entry;
  readonly entryId: Digest;
}

/** Builds the refusal of an entry that does not fit the recorded history. */
export function conflict(
  invariant: InvariantId,
  message: string,
  more: { readonly mend: string; readonly details?: Readonly<Record<string, unknown>> },
): LiftgateError {
  return new LiftgateError('ledger-conflict', message, {
    mend: more.mend,
    details: { invariant, ...more.details },
  });
}

/** A refused transition in recorded history is damage: somebody wrote what no Liftgate writes. */
export function asDamage(error: unknown, seq: number): unknown {
  if (!(error instanceof LiftgateError) || error.code !== 'ledger-conflict') return error;
  return new LiftgateError(
    'ledger-damaged',
    `Entry ${seq} contradicts the entries before it: ${error.message}`,
    {
      where: { file: entryFileName(seq) },
      mend: 'Restore the ledger folder from version control or a copy.',
      cause: error,
      details: error.details,
    },
  );
}

/** Builds the refusal of an entry that comes too early or too late. */
export function outOfOrder(
  experiment: ExperimentState,
  verb: string,
  needs: string,
): LiftgateError {
  return conflict(
    'I6',
    `Experiment "${experiment.experimentId}" is ${experiment.phase}; to ${verb} it must be ${needs}.`,
    {
      mend: 'Follow seal, reserve, expose, outcome; for a new question seal a new plan on units nobody has measured.',
      details: { reason: 'out-of-order', owner: experiment.experimentId, phase: experiment.phase },
    },
  );
}

function unknownNumber(what: string, seq: number): LiftgateError {
  return conflict('I6', `Entry ${seq} is not ${what}.`, {
    mend: 'Name the number of the entry as `liftgate ledger list` shows it.',
    details: { reason: 'unknown-entry', ownerSeq: seq },
  });
}

/** The experiment of a plan, which must be recorded and carry the same id. */
export function plannedExperiment(
  state: LedgerState,
  plan: Digest | null,
  experimentId: string,
): ExperimentState {
  const experiment = plan === null ? undefined : state.experiments.get(plan);
  if (experiment === undefined) {
    throw conflict('I6', `No plan seal ${plan ?? ''} of "${experimentId}" is recorded.`, {
      mend: 'Seal the plan first: liftgate seal.',
      details: { reason: 'plan-unknown' },
    });
  }
  if (experiment.experimentId !== experimentId) {
    throw conflict(
      'I6',
      `The plan belongs to experiment "${experiment.experimentId}", not to "${experimentId}".`,
      {
        mend: 'Name the experiment as its plan does.',
        details: { reason: 'other-experiment', owner: experiment.experimentId },
      },
    );
  }
  return experiment;
}

/** Moves an experiment from sealed to reserved; the claim on its units is added by the caller. */
export function applyReserve(state: LedgerState, step: Step<EntryOf<'reserve'>>): LedgerState {
  const { entry, entryId } = step;
  const experiment = plannedExperiment(state, entry.body.plan, entry.body.experimentId);
  if (experiment.phase !== 'sealed') throw outOfOrder(experiment, 'reserve units', 'sealed');
  const reservation = { seq: entry.seq, entryId, body: entry.body };
  return withExperiment(state, { ...experiment, phase: 'reserved', reservation });
}

function reservedExperiment(state: LedgerState, seq: number): ExperimentState {
  const claim = state.claims.get(seq);
  const plan = claim?.kind === 'reserve' ? claim.plan : null;
  const experiment = plan === null ? undefined : state.experiments.get(plan);
  if (claim === undefined || experiment === undefined) throw unknownNumber('a reservation', seq);
  if (claim.status === 'released') {
    throw conflict(
      'I6',
      `The reservation of entry ${seq} by experiment "${claim.experimentId}" was released.`,
      {
        mend: 'Reserve the units again.',
        details: { reason: 'released', owner: claim.experimentId, ownerSeq: seq },
      },
    );
  }
  return experiment;
}

/** Frees units that were never exposed. */
export function applyRelease(state: LedgerState, { entry }: Step<EntryOf<'release'>>): LedgerState {
  const { reserve } = entry.body;
  const experiment = reservedExperiment(state, reserve);
  if (experiment.phase !== 'reserved') throw outOfOrder(experiment, 'release units', 'reserved');
  const releasedSeqs = [...experiment.releasedSeqs, reserve];
  return withClaim(
    withExperiment(state, { ...experiment, phase: 'sealed', reservation: null, releasedSeqs }),
    reserve,
    { status: 'released' },
  );
}

/** Spends the reserved units: irreversible. */
export function applyExpose(state: LedgerState, step: Step<EntryOf<'expose'>>): LedgerState {
  const { body } = step.entry;
  const experiment = reservedExperiment(state, body.reserve);
  if (experiment.phase !== 'reserved') throw outOfOrder(experiment, 'expose units', 'reserved');
  refuseSpoiled(state.claims.get(body.reserve));
  if (!experiment.finals.some((final) => final.digest === body.seal)) {
    throw conflict(
      'I6',
      `The final seal ${body.seal} of experiment "${experiment.experimentId}" is not recorded.`,
      {
        mend: 'Record the final seal, with the candidates bound, before exposing.',
        details: { reason: 'final-unknown' },
      },
    );
  }
  if (new Set(body.arms.map((arm) => arm.id)).size !== body.arms.length) {
    throw conflict('I6', 'An arm id appears twice in the exposure.', {
      mend: 'Name every arm once.',
      details: { reason: 'arm-twice' },
    });
  }
  return exposedBy(state, step, experiment);
}

/** The state once an experiment is exposed; its claim is exposed by this entry. */
export function exposedBy(
  state: LedgerState,
  step: Step<EntryOf<'expose'>>,
  experiment: ExperimentState,
): LedgerState {
  const { body, seq } = step.entry;
  const right = { attempt: 1, seq, entryId: step.entryId, fence: body.fence, lines: 0 };
  const { lines, ...held } = right;
  const journal = { lines, digest: digestOf(''), seq, stopped: false };
  const exposure = { ...held, body, rights: [right], journal };
  const next = withExperiment(state, { ...experiment, phase: 'exposed', exposure });
  const exposed = withClaim(next, body.reserve, {
    ...{ status: 'exposed', exposeSeq: seq },
    ...{ disclosure: body.disclosure, candidates: body.arms.length - 1 },
  });
  return { ...exposed, exposures: exposed.exposures.with([[seq, experiment.plan]]) };
}

function exposedExperiment(state: LedgerState, seq: number, verb: string): Exposed {
  const plan = state.exposures.get(seq);
  const experiment = plan === undefined ? undefined : state.experiments.get(plan);
  if (!isExposed(experiment)) throw unknownNumber('an exposure', seq);
  if (experiment.phase !== 'exposed') throw outOfOrder(experiment, verb, 'exposed');
  return experiment;
}

/** Gives the right to dispatch to a new runner; receipts under the old fence are refused from here on. */
export function applyAttempt(state: LedgerState, step: Step<EntryOf<'attempt'>>): LedgerState {
  const { body, seq } = step.entry;
  const experiment = exposedExperiment(state, body.expose, 'resume');
  refuseContested(state.claims.get(experiment.reservation.seq));
  const { exposure } = experiment;
  if (body.attempt !== exposure.attempt + 1) {
    throw conflict(
      'I7',
      `Attempt ${body.attempt} was asked for; the next attempt of experiment "${experiment.experimentId}" is ${exposure.attempt + 1}.`,
      {
        mend: 'Read the ledger again: another runner may have resumed it.',
        details: { reason: 'attempt-order', owner: experiment.experimentId },
      },
    );
  }
  if (exposure.rights.some((earlier) => earlier.fence === body.fence)) {
    throw conflict('I7', 'The fence was used before.', {
      mend: 'Draw a new fence of 128 random bits for every attempt.',
      details: { reason: 'fence-reused' },
    });
  }
  checkJournal(experiment, body.journal);
  const { attempt, fence } = body;
  const right = { attempt, seq, entryId: step.entryId, fence, lines: body.journal.lines };
  const next = { attempt, fence, rights: [...exposure.rights, right] };
  const journal = { ...body.journal, seq, stopped: false };
  return withExperiment(state, { ...experiment, exposure: { ...exposure, ...next, journal } });
}

/** A journal only grows, and not at all after its runner has stopped. */
function checkJournal({ exposure, experimentId }: Exposed, found: JournalMark): void {
  const { journal: known } = exposure;
  const grows = known.stopped ? found.lines === known.lines : found.lines >= known.lines;
  if (grows && (found.lines > known.lines || found.digest === known.digest)) return;
  throw conflict(
    'I7',
    `The journal of experiment "${experimentId}" has ${found.lines} lines under ${found.digest}; entry ${known.seq} knows ${known.lines} under ${known.digest}.`,
    {
      mend: `Restore the journal that was recorded; if it is lost, end the experiment with \`liftgate ledger void ${experimentId} --reason "..."\`.`,
      details: { reason: 'journal-differs', owner: experimentId, ownerSeq: known.seq },
    },
  );
}

/** Keeps what the journal of the current runner holds; a runner that was replaced learns it here. */
export function applyJournal(state: LedgerState, step: Step<EntryOf<'journal'>>): LedgerState {
  const { body, seq } = step.entry;
  const experiment = exposedExperiment(state, body.expose, 'keep its journal');
  const { exposure } = experiment;
  checkCurrent(experiment, body.attempt, 'journal');
  if (exposure.journal.stopped) throw outOfOrder(experiment, 'keep its journal', 'resumed');
  checkJournal(experiment, body.journal);
  const journal = { ...body.journal, seq, stopped: body.stopped };
  return withExperiment(state, { ...experiment, exposure: { ...exposure, journal } });
}

function checkCurrent({ exposure, experimentId }: Exposed, attempt: number, what: string): void {
  if (attempt === exposure.attempt) return;
  throw conflict(
    'I7',
    `The ${what} is of attempt ${attempt}; experiment "${experimentId}" is at attempt ${exposure.attempt}.`,
    {
      mend: 'Another runner has resumed this experiment; its outcome counts.',
      details: { reason: 'fenced-off', owner: experimentId },
    },
  );
}

function checkOutcome(experiment: Exposed, body: EntryOf<'outcome'>['body']): void {
  const { reservation } = experiment;
  checkCurrent(experiment, body.attempt, 'outcome');
  if (body.missing > body.plannedCells || body.receiptsCount < body.plannedCells - body.missing) {
    throw conflict(
      'I8',
      `${body.receiptsCount} receipts and ${body.missing} missing cells cannot cover ${body.plannedCells} planned cells.`,
      {
        mend: 'Count every planned cell as settled by a receipt or as missing.',
        details: { reason: 'cells-uncovered' },
      },
    );
  }
  if (body.alphaNano !== reservation.body.alphaNano) {
    throw conflict(
      'I9',
      `The outcome spends ${body.alphaNano} nano of error; the reservation held ${reservation.body.alphaNano}.`,
      {
        mend: 'Spend exactly what was reserved under the sealed plan.',
        details: { reason: 'alpha-differs' },
      },
    );
  }
}

/** Settles an exposure with its recorded decision. */
export function applyOutcome(state: LedgerState, step: Step<EntryOf<'outcome'>>): LedgerState {
  const { body, seq } = step.entry;
  const experiment = exposedExperiment(state, body.expose, 'record an outcome');
  if (body.verdict === 'ship') refuseContested(state.claims.get(experiment.reservation.seq));
  checkOutcome(experiment, body);
  const outcome = { seq, entryId: step.entryId, body };
  const next = withExperiment(state, { ...experiment, phase: 'settled', outcome });
  const settled = withClaim(next, experiment.reservation.seq, { settled: true });
  return { ...settled, outcomes: settled.outcomes.with([[seq, experiment.plan]]) };
}

/** Settles an exposure without a result. */
export function applyAbort(state: LedgerState, step: Step<EntryOf<'abort'>>): LedgerState {
  const { body, seq } = step.entry;
  const experiment = exposedExperiment(state, body.expose, 'abort');
  const abort = { seq, entryId: step.entryId, body };
  const next = withExperiment(state, { ...experiment, phase: 'aborted', abort });
  return withClaim(next, experiment.reservation.seq, { settled: true });
}

/** Marks a recorded result as not to be used; units and error stay spent. */
export function applyVoid(state: LedgerState, step: Step<EntryOf<'void'>>): LedgerState {
  const { body, seq } = step.entry;
  const plan = state.outcomes.get(body.outcome);
  const experiment = plan === undefined ? undefined : state.experiments.get(plan);
  if (experiment === undefined) throw unknownNumber('an outcome', body.outcome);
  if (experiment.phase !== 'settled') throw outOfOrder(experiment, 'void an outcome', 'settled');
  const voided = { seq, entryId: step.entryId, body };
  return withExperiment(state, { ...experiment, phase: 'voided', voided });
}
