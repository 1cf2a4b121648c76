/** How seals become experiments: a plan opens one, final seals bind its candidates before the exposure. */
import type { EntryOf } from './entry.ts';
import { type LedgerState, withExperiment } from './projection.ts';
import { conflict, outOfOrder, plannedExperiment, type Step } from './transitions.ts';

/** Adds a plan, or a final seal to its plan before exposure. */
export function applySeal(state: LedgerState, { entry }: Step<EntryOf<'seal'>>): LedgerState {
  const { body, seq } = entry;
  return body.stage === 'plan' ? sealPlan(state, body, seq) : sealFinal(state, body, seq);
}

function sealPlan(state: LedgerState, body: EntryOf<'seal'>['body'], seq: number): LedgerState {
  if (body.plan !== null) {
    throw conflict('I6', 'A plan seal names no plan.', {
      mend: 'Record the plan with plan: null.',
    });
  }
  const before = state.experiments.get(body.sealDigest);
  if (before !== undefined) {
    throw conflict(
      'I10',
      `The plan of experiment "${before.experimentId}" is already recorded in entry ${before.sealedSeq}.`,
      {
        mend: 'Use the recorded seal; it need not be recorded twice.',
        details: { reason: 'already-sealed', ownerSeq: before.sealedSeq },
      },
    );
  }
  return withExperiment(state, {
    plan: body.sealDigest,
    experimentId: body.experimentId,
    phase: 'sealed',
    sealedSeq: seq,
    finals: [],
    reservation: null,
    releasedSeqs: [],
    exposure: null,
    outcome: null,
    abort: null,
    voided: null,
  });
}

function sealFinal(state: LedgerState, body: EntryOf<'seal'>['body'], seq: number): LedgerState {
  const experiment = plannedExperiment(state, body.plan, body.experimentId);
  if (experiment.phase !== 'sealed' && experiment.phase !== 'reserved') {
    throw outOfOrder(experiment, 'bind candidates', 'sealed or reserved');
  }
  if (experiment.finals.some((final) => final.digest === body.sealDigest)) {
    throw conflict(
      'I10',
      `This final seal of experiment "${experiment.experimentId}" is already recorded.`,
      {
        mend: 'Use the recorded seal; it need not be recorded twice.',
        details: { reason: 'already-sealed' },
      },
    );
  }
  const finals = [...experiment.finals, { digest: body.sealDigest, seq }];
  return withExperiment(state, { ...experiment, finals });
}
