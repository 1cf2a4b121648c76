/** Which gates of a design a plan simulates with what is assumed, and which it takes to pass and why. */
import { type GateDeclaration, type GateOf, gateName, latencyForm } from '../spec/gates.ts';
import type { PlanDesign } from './plan-world.ts';
import { allGates } from './sealed-gates.ts';

/** Whether a plan simulates a gate; if not it is taken to pass, and why. */
export interface GateCoverage {
  readonly gate: string;
  readonly simulated: boolean;
  readonly why: string;
}

const notDrawn: Readonly<Record<string, string>> = {
  controls: 'whether the harness classifies correctly is no matter of chance',
  provenance: 'whether what runs is what is sealed is no matter of chance',
  power: 'it is about this simulation',
  custom: 'its code is not run on simulated evidence',
};

/** What has to be stated before a gate is simulated, or null where nothing has to be. */
function neededFor({ assumptions = {} }: PlanDesign, gate: GateDeclaration): string | null {
  if (gate.gate === 'completeness') {
    const shown = 'no lossRate is stated; one row of power shows what losses do';
    return assumptions.lossRate === undefined ? shown : null;
  }
  if (gate.gate === 'budget' || gate.gate === 'matched-budget') {
    const key = gate.gate === 'budget' || gate.of === 'usd' ? 'usdPerCell' : 'tokensPerCell';
    return assumptions[key] === undefined ? `no ${key} is stated` : null;
  }
  if (!isOfOneArm(gate)) return null;
  const stated = assumptions.measures?.[gate.measure]?.rate;
  return stated === undefined ? `no rate of "${gate.measure}" is stated` : null;
}

function isOfOneArm(
  gate: GateDeclaration,
): gate is GateOf<'rate'> | GateOf<'critical'> | GateOf<'latency'> {
  if (gate.gate === 'latency') return latencyForm(gate)?.form === 'quantile';
  return gate.gate === 'rate' || gate.gate === 'critical';
}

const drawnWhenStated: readonly string[] = [
  'lift',
  'no-regression',
  'latency',
  'neutral-control',
  'pareto',
  'completeness',
  'budget',
  'matched-budget',
  'rate',
  'critical',
];

function coverageOf(design: PlanDesign, gate: GateDeclaration): string | null {
  if (drawnWhenStated.includes(gate.gate)) return neededFor(design, gate);
  return notDrawn[gate.gate] ?? 'this version draws nothing for it';
}

/** Every gate of a design: simulated with what is assumed, or taken to pass and why. */
export function gateCoverage(design: PlanDesign): readonly GateCoverage[] {
  return allGates(design.seal).map((gate) => {
    const why = coverageOf(design, gate);
    return { gate: gateName(gate), simulated: why === null, why: why ?? '' };
  });
}
