/** The gates a seal has, written or not. */
import { measureOf } from '../analysis/evidence.ts';
import { compareCodeUnits } from '../base/canonical.ts';
import type { GateDeclaration } from '../spec/gates.ts';
import type { SealedExperiment } from '../spec/seal.ts';

/**
 * Gates of a seal with those that are always required, whether or not they were written: completeness, controls, provenance, and
 * one critical gate per critical measure; and the power gate of a seal that was refused had it missed its target.
 */
export function allGates(seal: SealedExperiment): GateDeclaration[] {
  const declared = [...seal.decision.gates];
  const critical = Object.keys(seal.spec.measures)
    .filter((id) => measureOf(seal, id).role === 'critical')
    .filter((id) => !declared.some((gate) => gate.gate === 'critical' && gate.measure === id))
    .sort(compareCodeUnits)
    .map((measure): GateDeclaration => ({ gate: 'critical', measure, required: true }));
  const always: GateDeclaration[] = [
    { gate: 'completeness', required: true },
    { gate: 'controls', required: true },
    { gate: 'provenance', allowUnverified: false, required: true },
  ];
  const { power } = seal.analysis;
  if (power !== undefined) always.push({ gate: 'power', target: power.target, required: true });
  const absent = always.filter((gate) => !declared.some((each) => each.gate === gate.gate));
  return [...declared, ...critical, ...absent];
}
