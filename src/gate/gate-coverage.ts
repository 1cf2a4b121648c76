/** Which gates of a design a plan simulates with what is assumed, and which it takes to pass and why. */
import {
  type GateDeclaration,
  type GateOf,
  gateName,
  latencyForm,
  pairedGate,
} from '../spec/gates.ts';
import type { PlanDesign } from './plan-world.ts';
import { allGates } from './sealed-gates.ts';

/** Whether a plan simulates a gate, or a part of one; if not it is taken to pass, and why. */
export interface GateCoverage {
  readonly gate: string;
  readonly simulated: boolean;
  /** Of a simulated gate: what is assumed of it because nothing is stated; else empty. */
  readonly why: string;
}

type Covered = Omit<GateCoverage, 'gate'>;

const simulated: Covered = { simulated: true, why: '' };
const assumed = (why: string): Covered => ({ simulated: true, why });
const passed = (why: string): Covered => ({ simulated: false, why });

/** Simulated once something is stated. */
function once<Value>(stated: Value | undefined, why: string): Covered {
  return stated === undefined ? passed(why) : simulated;
}

function rateNeeded(
  { assumptions }: PlanDesign,
  { measure }: { readonly measure: string },
): Covered {
  return once(assumptions?.measures?.[measure]?.rate, `no rate of "${measure}" is stated`);
}

function canaryNeeded({ assumptions }: PlanDesign, { measure }: GateOf<'canary'>): Covered {
  const stated = assumptions?.measures?.[measure]?.rate;
  const why = `no rate of "${measure}" is stated, so no arm fails a canary case that is not lost`;
  return stated === undefined ? assumed(why) : simulated;
}

function textsNeeded({ assumptions }: PlanDesign, { canaries }: GateOf<'contamination'>): Covered {
  const isStated = canaries === undefined || assumptions?.leakRate !== undefined;
  return isStated ? simulated : assumed('no leakRate is stated, so no output holds a canary text');
}

function gapNeeded({ assumptions }: PlanDesign, behind: string): Covered {
  const stated = assumptions?.measures?.[behind]?.follows;
  const why = `no follows of "${behind}" is stated, so both measures gain alike`;
  return stated === undefined ? assumed(why) : simulated;
}

function faultsNeeded({ assumptions = {} }: PlanDesign): Covered {
  const { faultRate, lossRate } = assumptions;
  if (faultRate !== undefined) return simulated;
  return lossRate === undefined
    ? passed('neither faultRate nor lossRate is stated; one row of power shows what losses do')
    : assumed('no faultRate is stated, so faults meet lost cells alone');
}

function coverageOf(design: PlanDesign, gate: GateDeclaration): Covered {
  const { assumptions = {}, seal } = design;
  if (seal.analysis.looks !== undefined && pairedGate(gate) === null) {
    return passed('looks are simulated on paired differences alone');
  }
  switch (gate.gate) {
    case 'lift':
    case 'no-regression':
    case 'neutral-control':
    case 'pareto':
      return simulated;
    case 'latency':
      return latencyForm(gate)?.form === 'quantile' ? rateNeeded(design, gate) : simulated;
    case 'rate':
    case 'critical':
      return rateNeeded(design, gate);
    case 'completeness':
      return once(
        assumptions.lossRate,
        'no lossRate is stated; one row of power shows what losses do',
      );
    case 'budget':
      return once(assumptions.usdPerCell, 'no usdPerCell is stated');
    case 'matched-budget':
      return gate.of === 'usd'
        ? once(assumptions.usdPerCell, 'no usdPerCell is stated')
        : once(assumptions.tokensPerCell, 'no tokensPerCell is stated');
    case 'infrastructure-symmetry':
      return faultsNeeded(design);
    case 'canary':
      return canaryNeeded(design, gate);
    case 'contamination':
      return textsNeeded(design, gate);
    case 'interleaving':
      return assumed('cells come back in the order in which the schedule sends them');
    case 'evaluator':
      return simulated;
    case 'custom':
      return once(
        assumptions.gates?.[gateName(gate)],
        'its code is not run on simulated evidence, and no pass is stated of it under gates',
      );
    case 'reward-hacking':
      return gapNeeded(design, gate.truth);
    case 'controls':
      return passed('whether the harness classifies correctly is no matter of chance');
    case 'provenance':
      return passed('whether what runs is what is sealed is no matter of chance');
    case 'power':
      return passed('it is about this simulation');
  }
}

/** Parts of a gate of which other things are stated than of the rest. */
function otherParts(design: PlanDesign, gate: GateDeclaration): GateCoverage[] {
  const { assumptions, seal } = design;
  if (seal.analysis.looks !== undefined) return [];
  if (gate.gate === 'contamination' && gate.probe !== undefined) {
    return [{ gate: `${gateName(gate)} (probe)`, ...gapNeeded(design, gate.probe.perturbed) }];
  }
  const isOpen =
    gate.gate === 'infrastructure-symmetry' &&
    gate.maxWaitMs !== undefined &&
    assumptions?.waitMs === undefined;
  return isOpen ? [{ gate: `${gateName(gate)} (waiting)`, ...passed('no waitMs is stated') }] : [];
}

/** Every gate of a design: simulated with what is assumed, or taken to pass and why, if only for one candidate. */
export function gateCoverage(design: PlanDesign): readonly GateCoverage[] {
  const { candidates = [design.assumptions ?? {}] } = design;
  const [first = [], ...others] = candidates.map((assumptions) =>
    allGates(design.seal).flatMap((gate) => [
      { gate: gateName(gate), ...coverageOf({ ...design, assumptions }, gate) },
      ...otherParts({ ...design, assumptions }, gate),
    ]),
  );
  return first.map((each, at) => {
    const all = [each, ...others.flatMap((other) => other[at] ?? [])];
    return all.find(({ simulated: drawn }) => !drawn) ?? each;
  });
}
