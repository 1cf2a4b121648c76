/** The simulations a design has to pass before it is sealed, and what of them the seal keeps. */
import { LiftgateError } from '../base/errors.ts';
import type { SealedExperiment, SealedPower } from '../spec/seal.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { effectGates } from './effect.ts';
import { refuseFalseShips, type SimulatedRate } from './null-scenarios.ts';
import type { PlanDesign } from './plan-world.ts';
import { defaultTarget, powerAt, unitsForPower } from './power-plan.ts';
import { simulatedInPlace } from './simulate.ts';

/** Simulated decisions of the design, fewer where each of them resamples ten thousand times; and of each step of a search for units. */
const replicatesOf = { plain: 2000, resampled: 200, search: 500 } as const;

/** Power that has to be reached, or null where none has to be. */
interface Demand {
  readonly target: number;
  readonly effect: number;
  readonly path: string;
}

/**
 * A required power gate demands its target; a certification without any power gate demands 80 % at claim.minimumEffect, where that is
 * above every lift threshold: at the threshold itself no design has power.
 */
function demandOf({ claim, decision }: SealedExperiment): Demand | null {
  const gates = decision.gates.filter((gate) => gate.gate === 'power');
  const required = gates.find((gate) => gate.required);
  const effect = required?.atEffect ?? claim.minimumEffect;
  if (effect === undefined) return null;
  if (required !== undefined) {
    return { target: required.target, effect, path: 'gates' };
  }
  const isAbove = decision.gates.every((gate) => gate.gate !== 'lift' || gate.threshold < effect);
  return claim.use === 'certification' && gates.length === 0 && isAbove
    ? { target: defaultTarget, effect, path: 'claim.minimumEffect' }
    : null;
}

/** Where a simulation before sealing draws from, and which file it is about. */
export interface SealingOptions {
  /** 64 hex digits. */
  readonly seed: string;
  readonly file: string;
}

/** A design with what its power gate states. */
function stated(plain: PlanDesign): PlanDesign {
  const gate = plain.seal.decision.gates.find((each) => each.gate === 'power');
  return { ...plain, assumptions: gate?.assume ?? {} };
}

/** Whether a target is missed by more than twice the Monte Carlo error. */
function isMissed(
  { rate, standardError }: Omit<SimulatedRate, 'meanUnits'>,
  target: number,
): boolean {
  return rate + 2 * standardError < target;
}

/** What a seal says of its power, and what the same simulation says now. */
export interface RecomputedPower {
  readonly sealed: SealedPower;
  /** Null where nothing can be simulated. */
  readonly now: { readonly rate: number; readonly assumption: string } | null;
  readonly verdict: 'equal' | 'within-error' | 'different';
}

/** Joint Monte Carlo errors that two honest simulations are apart at most. */
const mostErrorsApart = 4;

/**
 * Simulates the power of a seal again: the same seed, as many decisions, the same assumption.
 *
 * The build that sealed gives the same numbers. Another one may draw otherwise, so that numbers within four joint Monte Carlo errors
 * are told apart from equal ones and from different ones; the assumption, and whether the target was missed, have to follow.
 * @param seed  64 hex digits
 * @returns null for a seal without power
 */
export function recomputedPower(plain: PlanDesign, seed: string): RecomputedPower | null {
  const sealed = plain.seal.analysis.power;
  if (sealed === undefined) return null;
  const { atEffect, simulations: replicates } = sealed;
  const found = powerAt(stated(plain), atEffect, { replicates, seed });
  if (found === null) return { sealed, now: null, verdict: 'different' };
  const { assumption } = found;
  const rate = roundSignificant(found.ship.rate);
  const standardError = roundSignificant(found.ship.standardError);
  const missed = isMissed(sealed, sealed.target);
  const isAllowed = !missed || plain.seal.spec.power?.accept === 'underpowered';
  const follows = assumption === sealed.assumption && sealed.accepted === missed && isAllowed;
  const joint = Math.sqrt(
    standardError * standardError + sealed.standardError * sealed.standardError,
  );
  const isEqual = rate === sealed.rate && standardError === sealed.standardError;
  const isNear = Math.abs(rate - sealed.rate) <= mostErrorsApart * joint;
  const verdict = !follows
    ? 'different'
    : isEqual
      ? 'equal'
      : isNear
        ? 'within-error'
        : 'different';
  return { sealed, now: { rate, assumption }, verdict };
}

/**
 * Power of a design that has to have some, simulated in the thread that calls; what the seal keeps of it.
 *
 * @returns null where no power is demanded
 * @throws {LiftgateError} design-refused  where the target is missed by more than twice the Monte Carlo error and the spec does not accept that
 */
async function sealedPower(
  plain: PlanDesign,
  { seed, file }: SealingOptions,
): Promise<SealedPower | null> {
  const { seal } = plain;
  const demand = demandOf(seal);
  if (demand === null) return null;
  const resamples = effectGates(seal).some(({ method }) => method === 't-bootstrap-t');
  const simulations = resamples ? replicatesOf.resampled : replicatesOf.plain;
  const options = { replicates: simulations, seed, pool: simulatedInPlace };
  const design = stated(plain);
  const found = powerAt(design, demand.effect, options);
  if (found === null) {
    // Nobody asked for power that cannot be simulated unless a power gate did.
    if (demand.path === 'claim.minimumEffect') return null;
    throw notSimulated(demand, file);
  }
  const { rate, standardError } = found.ship;
  const missed = isMissed(found.ship, demand.target);
  if (missed && seal.spec.power?.accept !== 'underpowered') {
    const search = { ...options, replicates: resamples ? 100 : replicatesOf.search };
    const units = await unitsForPower(design, demand, search);
    throw underpowered(
      {
        demand,
        rate,
        assumption: found.assumption,
        units,
        looks: seal.analysis.looks !== undefined,
      },
      file,
    );
  }
  return {
    target: demand.target,
    atEffect: demand.effect,
    rate: roundSignificant(rate),
    standardError: roundSignificant(standardError),
    simulations,
    assumption: found.assumption,
    accepted: missed,
  };
}

function notSimulated({ path, effect }: Demand, file: string): LiftgateError {
  return new LiftgateError(
    'design-refused',
    `Power at an improvement of ${effect} cannot be simulated: no required gate reads a difference, there are fewer than 2 units, or the range has no room for it.`,
    {
      where: { file, path },
      mend: 'Add a required lift or no-regression gate, or write `required: false` in the power gate.',
    },
  );
}

interface Missed {
  readonly demand: Demand;
  readonly rate: number;
  readonly assumption: string;
  readonly units: number | 'more' | null;
  /** Whether the design has looks. */
  readonly looks: boolean;
}

function underpowered(
  { demand, rate, assumption, units, looks }: Missed,
  file: string,
): LiftgateError {
  const percent = (share: number) => `${Number((100 * share).toPrecision(3))} %`;
  const plan =
    typeof units === 'number'
      ? `Plan ${units} units${looks ? ', with looks at the same shares of them' : ''}`
      : units === 'more'
        ? 'Look for a larger effect, for no number of units that was tried would do'
        : 'Plan more units';
  return new LiftgateError(
    'design-refused',
    `These rules would ship ${percent(rate)} of candidates that are better by ${demand.effect}, when ${assumption}; the target is ${percent(demand.target)}.`,
    {
      where: { file, path: demand.path },
      mend: `${plan}, or seal it as it is with \`power: {accept: underpowered}\`; \`liftgate plan\` shows the power.`,
    },
  );
}

/**
 * Simulates a design before it is sealed: refused where asymptotic rules ship too often by chance or where power that is demanded is
 * missing; the seal then holds the power that was found.
 *
 * @throws {LiftgateError} design-refused  naming gate, rate and limit, or power, target and the units that would do
 */
export async function simulatedSeal(
  design: PlanDesign,
  options: SealingOptions,
): Promise<SealedExperiment> {
  const { seal } = design;
  await refuseFalseShips(design, options);
  const power = await sealedPower(design, options);
  return power === null ? seal : { ...seal, analysis: { ...seal.analysis, power } };
}
