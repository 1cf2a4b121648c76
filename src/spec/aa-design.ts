/**
 * The A/A design of a plan: every arm is the baseline, and development units stand where the final ones would.
 *
 * Rules, methods and error levels stay those of the plan. Each round has seeds of its own, so that a host that honours them answers
 * anew; nothing of it is a seal anybody could spend units under.
 */
import { digestOfValue } from '../base/digest.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import { admittedCases, type CaseIndex, type IndexedCase } from './case-index.ts';
import { type SealedExperiment, sealDigest } from './seal.ts';
import { orderedUnits } from './seeds.ts';

/** What an A/A run measures. */
export interface AaDesign {
  /** Development cases of the chosen units, as if they were final ones; nothing of any other row. */
  readonly index: CaseIndex;
  /** Units that are measured: no more than the plan has final ones. */
  readonly measured: number;
  /** Development units there are. */
  readonly development: number;
  /** Final units of the plan. */
  readonly planned: number;
}

/**
 * Chooses the units of an A/A run: the development units in the order of the plan's seed, as many as the plan has final ones at most.
 *
 * @param plan  at stage `plan` or `final`
 * @throws {LiftgateError} design-refused without a development unit
 */
export function aaDesign(plan: SealedExperiment, index: CaseIndex): AaDesign {
  const cases = admittedCases(index);
  const development = cases.filter(({ split }) => split !== 'final');
  const units = [...new Set(development.map(({ unit }) => unit))];
  const planned = plan.units.count;
  if (units.length === 0) {
    throw new LiftgateError(
      'design-refused',
      'An A/A run measures development units, and this experiment has none.',
      {
        where: { path: 'splits' },
        mend: 'Give some units to train or selection; final units are never used for this.',
      },
    );
  }
  const chosen = new Set(orderedUnits(plan.digests.cases, units).slice(0, planned));
  const rows = development
    .filter(({ unit }) => chosen.has(unit))
    .map((each): IndexedCase => ({ ...each, split: 'final' }));
  return {
    index: { ...index, rows },
    measured: chosen.size,
    development: units.length,
    planned,
  };
}

/**
 * The rules of a plan over arms that are all the baseline.
 *
 * @param round  from 0; each has its own seeds
 * @returns      of stage `final`, so that it can be judged; its digest is in no ledger
 */
export function aaSeal(plan: SealedExperiment, round: number): SealedExperiment {
  const baseline = plan.arms.find(({ role }) => role === 'baseline');
  invariant(baseline !== undefined, 'a plan has a baseline');
  const { cases, design } = plan.digests;
  return {
    ...plan,
    stage: 'final',
    plan: sealDigest(plan),
    arms: plan.arms.map(({ id, role }) => ({ ...baseline, id, role })),
    digests: {
      cases: digestOfValue({ cases, aa: round }),
      design: digestOfValue({ design, aa: round }),
    },
  };
}
