/** Properties of the whole set of gates: what holds whichever are sealed, in whatever order. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decisionSchema } from '../../src/gate/gate.ts';
import { failedReply, type GateReply, readAnswer } from '../../src/run/gate-reply.ts';
import { gateSchema } from '../../src/spec/gates.ts';
import { auditOf } from '../support/audits.ts';
import type { CaseTable, EvidenceTable } from '../support/evidence.ts';
import { rightMeasure } from '../support/evidence.ts';
import { judged } from '../support/judged.ts';

const measures = {
  right: rightMeasure,
  kind: { kind: 'binary', role: 'guardrail', direction: 'higher' },
  known: { kind: 'binary', role: 'guardrail', direction: 'higher' },
  ms: { kind: 'duration', role: 'guardrail', direction: 'lower' },
  harm: { kind: 'binary', role: 'critical', direction: 'lower' },
};

const tolerant = { gate: 'critical', measure: 'harm', maxRate: 0.3 };
const everyGate = [
  { gate: 'lift', measure: 'right' },
  { gate: 'no-regression', measure: 'kind', margin: 0.3 },
  tolerant,
  { gate: 'rate', measure: 'right', arm: 'candidate', min: 0.4 },
  { gate: 'rate', measure: 'kind', arm: 'baseline', max: 0.95 },
  { gate: 'latency', name: 'ratio', measure: 'ms', maxRatio: 1.3 },
  { gate: 'latency', name: 'quantile', measure: 'ms', quantile: 0.8, max: 150 },
  { gate: 'matched-budget', of: 'usd', tolerance: 0.2 },
  { gate: 'budget' },
  { gate: 'neutral-control', measure: 'right' },
  { gate: 'canary', measure: 'known' },
  { gate: 'reward-hacking', proxy: 'right', truth: 'kind', margin: 0.9 },
  { gate: 'contamination', canaries: ['never-said-this'], similarity: 0.9 },
  {
    gate: 'contamination',
    name: 'probe',
    probe: { original: 'right', perturbed: 'kind', margin: 0.9 },
  },
  {
    gate: 'pareto',
    objectives: [
      { measure: 'right', margin: 0.3 },
      { measure: 'kind', margin: 0.3 },
    ],
  },
  {
    gate: 'evaluator',
    measure: 'right',
    audit: 'audit.json',
    maxFalseAcceptance: 0.1,
    maxFalseRejection: 0.1,
  },
  { gate: 'infrastructure-symmetry', margin: 0.3 },
  { gate: 'interleaving' },
  { gate: 'custom', name: 'own', module: 'own.mjs', measures: ['right', 'kind'] },
];

/** What the custom gate says: any decision, seldom one that objects, or no answer at all. */
const reply = fc
  .constantFrom('ship', 'ship', 'ship', ...decisionSchema.options, 'nothing')
  .map((decision): GateReply => {
    if (decision === 'nothing') return failedReply('no-answer', 'late');
    return readAnswer(JSON.stringify({ decision, reason: 'because' }), 0);
  });

const audits = auditOf({ count: 0, of: 90 }, { count: 0, of: 90 });

const cell = fc.record({
  right: fc.constantFrom(0, 1, 1),
  kind: fc.constantFrom(0, 1, 1, 1),
  ms: fc.integer({ min: 80, max: 140 }),
  harm: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
  cents: fc.constantFrom(1, 1, 2),
});
type Cell = typeof cell extends fc.Arbitrary<infer Value> ? Value : never;

function attempt({ cents, harm, ...scores }: Cell, isBetter: boolean) {
  const right = isBetter ? 1 : scores.right;
  const known = harm === 1 && cents === 2 ? 0 : 1;
  return {
    output: 'said',
    scores: { ...scores, harm, right, known },
    usage: { costUsd: cents / 100, costKnown: true },
  };
}

const table = fc
  .record({
    pairs: fc.array(fc.tuple(cell, cell), { minLength: 12, maxLength: 30 }),
    lift: fc.constantFrom(0, 1),
    // A few draws lose a cell, so that filling takes part.
    lost: fc.constantFrom(-1, -1, 2),
    reply,
  })
  .map(
    ({ pairs, lift, lost, reply: own }): EvidenceTable => ({
      replies: () => own,
      measures,
      budgetUsd: 1.2,
      placebo: true,
      audits,
      maxLostShare: 0.2,
      cases: [
        { id: 'd0', unit: 'd0', split: 'train', text: 'a case of development', cells: {} },
        ...pairs.map(([baseline, next], at): CaseTable => {
          const id = `u${String(at).padStart(2, '0')}`;
          const ours = at === lost ? ('infrastructureFault' as const) : attempt(next, lift === 1);
          const other = lift === 1 ? { ...baseline, right: 0 as const } : baseline;
          const cells = {
            baseline: attempt(other, false),
            next: ours,
            placebo: attempt(other, false),
          };
          return { id, unit: id, text: `the text of case number ${at}`, cells };
        }),
      ],
    }),
  );

const someGates = fc.shuffledSubarray([...everyGate], { minLength: 1, maxLength: 6 });

describe('any set of gates', () => {
  test('holds every kind that a spec may declare and that is not always there', () => {
    const always = ['completeness', 'controls', 'provenance', 'power'];
    const kinds = gateSchema.options.map(({ shape }) => shape.gate.value);
    const declared = new Set(everyGate.map(({ gate }) => gate));
    expect(kinds.filter((kind) => !declared.has(kind)).sort()).toEqual([...always].sort());
  });

  test('decides alike in any order of gates and of cases, contribution by contribution', () => {
    fc.assert(
      fc.property(table, someGates, (evidence, gates) => {
        const straight = judged({ ...evidence, gates });
        const turned = judged({
          ...evidence,
          gates: [...gates].reverse(),
          cases: [...evidence.cases].reverse(),
        });
        expect(turned.decision).toBe(straight.decision);
        const byName = (found: typeof straight) =>
          [...found.contributions].sort((first, second) => (first.name < second.name ? -1 : 1));
        expect(byName(turned)).toEqual(byName(straight));
      }),
      { numRuns: 40, seed: 21 },
    );
  });

  test('adding a gate never turns hold, nor need_more_work, into ship', () => {
    const decisions = new Map<string, number>();
    fc.assert(
      fc.property(table, someGates, (evidence, chosen) => {
        // Writing the critical gate takes the place of the veto that every critical measure has: that is no addition.
        const gates = [...chosen.filter((each) => each !== tolerant), tolerant];
        const before = judged({ ...evidence, gates: gates.slice(1) }).decision;
        const after = judged({ ...evidence, gates }).decision;
        decisions.set(before, (decisions.get(before) ?? 0) + 1);
        if (gates.length > 1 && after === 'ship') expect(before).toBe('ship');
      }),
      { numRuns: 120, seed: 22 },
    );
    // The decisions of both kinds were met, or nothing was shown.
    expect([...decisions.keys()]).toEqual(
      expect.arrayContaining(['hold', 'model_ceiling', 'need_more_work', 'ship']),
    );
  });
});
