/**
 * Laws of what gates on the making of a run will find, from a design and what is assumed of it: what of their evidence is chance is
 * drawn, what stands before anything is measured is decided here by the gate's own rule.
 */
import { measureOf } from '../analysis/evidence.ts';
import { armOrders } from '../run/schedule.ts';
import { type GateDeclaration, type GateOf, gateName } from '../spec/gates.ts';
import { seedHex } from '../spec/seeds.ts';
import { armIds, candidateIds } from '../spec/spec.ts';
import { randomStream } from '../stats/random.ts';
import { judgeEvaluator } from './evaluator.ts';
import { areSideBySide } from './interleaving.ts';
import { copiedCases } from './monitoring.ts';
import type { Layout, PlanDesign } from './plan-world.ts';
import { allGates } from './sealed-gates.ts';
import type { ConductLaw } from './simulated-conduct.ts';

function faultLaw(
  { assumptions = {} }: PlanDesign,
  layout: Layout,
  declared: GateOf<'infrastructure-symmetry'>,
): ConductLaw {
  const { faultRate = { baseline: 0, candidate: 0 }, waitMs } = assumptions;
  const { margin, maxWaitMs: most } = declared;
  const waits = waitMs === undefined || most === undefined ? null : { ...waitMs, most };
  const { sizes } = layout;
  return { kind: 'faults', gate: gateName(declared), margin, rates: faultRate, sizes, waits };
}

function canaryLaw(
  { seal, assumptions }: PlanDesign,
  layout: Layout,
  declared: GateOf<'canary'>,
): ConductLaw {
  const { measure } = declared;
  const stated = assumptions?.measures?.[measure]?.rate;
  const isHigher = measureOf(seal, measure).direction === 'higher';
  const rate = stated === undefined ? 0 : isHigher ? 1 - stated : stated;
  const { cells } = layout.of(measure);
  const placebo = seal.arms.some(({ role }) => role === 'placebo');
  return { kind: 'canary', gate: gateName(declared), rate, cells, placebo };
}

function contaminationLaws(
  { index, assumptions }: PlanDesign,
  { cells }: Layout,
  declared: GateOf<'contamination'>,
): ConductLaw[] {
  const gate = gateName(declared);
  const { canaries, similarity } = declared;
  const { leakRate: rate = 0 } = assumptions ?? {};
  const copied = similarity === undefined ? null : copiedCases(index, similarity);
  return [
    ...(canaries === undefined ? [] : [{ kind: 'texts', gate, rate, cells } as const]),
    ...(copied === null
      ? []
      : [{ kind: 'fixed', gate, clears: copied.finding === 'cleared' } as const]),
  ];
}

/** Whether the cells of every candidate, come back in the order of the sealed schedule, are near those of the baseline. */
function isScheduledSideBySide({ seal: { spec, digests } }: PlanDesign, blocks: number): boolean {
  const arms = armIds(spec);
  const stream = randomStream(seedHex(digests.cases, 'arm-order'), 'arm-order');
  const nextOrder = armOrders(stream, arms.length);
  const orders = Array.from({ length: blocks }, () => nextOrder());
  return candidateIds(spec).every((id) => {
    const own = arms.indexOf(id);
    const apart = orders.map((order) => Math.abs(order.indexOf(own) - order.indexOf(0)));
    return apart.length > 0 && areSideBySide(apart, spec);
  });
}

function lawsOf(design: PlanDesign, layout: Layout, declared: GateDeclaration): ConductLaw[] {
  const gate = gateName(declared);
  switch (declared.gate) {
    case 'evaluator': {
      const { finding } = judgeEvaluator(declared, design.seal);
      return [{ kind: 'fixed', gate, clears: finding === 'cleared' }];
    }
    case 'custom': {
      const rate = design.assumptions?.gates?.[gate]?.pass;
      return rate === undefined ? [] : [{ kind: 'rate', gate, rate }];
    }
    case 'infrastructure-symmetry':
      return [faultLaw(design, layout, declared)];
    case 'canary':
      return [canaryLaw(design, layout, declared)];
    case 'contamination':
      return contaminationLaws(design, layout, declared);
    case 'interleaving':
      return [{ kind: 'fixed', gate, clears: isScheduledSideBySide(design, layout.cells) }];
    case 'lift':
    case 'no-regression':
    case 'neutral-control':
    case 'pareto':
    case 'reward-hacking':
    case 'rate':
    case 'critical':
    case 'latency':
    case 'completeness':
    case 'controls':
    case 'provenance':
    case 'power':
    case 'budget':
    case 'matched-budget':
      return [];
  }
}

/** Laws of the required gates on the making of a run, in their sealed order; a gate may have several, and clears by all of them. */
export function conductLaws(design: PlanDesign, layout: Layout): readonly ConductLaw[] {
  return allGates(design.seal)
    .filter(({ required }) => required)
    .flatMap((declared) => lawsOf(design, layout, declared));
}
