/** Every kind of gate that can stay open for want of units names how many would do; the others say why they never can. */
import { describe, expect, test } from 'vitest';
import { jointUnits } from '../../src/gate/further-objectives.ts';
import { furtherUnitsSchema } from '../../src/gate/further-units.ts';
import { type GateDeclaration, gateSchema } from '../../src/spec/gates.ts';
import { clopperPearsonUpper } from '../../src/stats/proportion.ts';
import { auditOf } from '../support/audits.ts';
import {
  binaryCases,
  type CaseTable,
  type EvidenceTable,
  rightMeasure,
} from '../support/evidence.ts';
import { exampleTests } from '../support/examples.ts';
import { gateOf, judged, ownPlan } from '../support/judged.ts';
import { guardrail, upTo } from '../support/two-measures.ts';

exampleTests('src/gate/further-objectives.ts', { names: ['jointUnits'], scope: { jointUnits } });

const two = { right: rightMeasure, kind: guardrail };

/** So many units, each with one cell by arm. */
function unitsOf(count: number, cells: (at: number) => CaseTable['cells']): CaseTable[] {
  return upTo(count, (at) => ({ id: `u${at}`, unit: `u${at}`, cells: cells(at) }));
}

/** Units whose candidate wins or loses `right` now and then, and `kind` seldom. */
const balanced = unitsOf(40, (at) => {
  const right = at % 5 === 0 ? [0, 1] : at % 9 === 1 ? [1, 0] : [1, 1];
  const [baseline = 0, next = 0] = right;
  const kind = at % 13 === 2 ? 0 : 1;
  return {
    baseline: { scores: { right: baseline, kind } },
    next: { scores: { right: next, kind: at % 17 === 3 ? 0 : 1 } },
    placebo: { scores: { right: baseline, kind } },
  };
});

const timed = {
  right: rightMeasure,
  ms: { kind: 'duration', role: 'reported', direction: 'lower' },
};
const harmful = {
  right: rightMeasure,
  harm: { kind: 'binary', role: 'critical', direction: 'lower' },
};
const clean = { scores: { right: 1 }, critical: [] };
const faulty = [{ outcome: 'infrastructureFault' as const }, { scores: { right: 1 } }];
const audits = auditOf({ count: 1, of: 30 }, { count: 0, of: 200 });

/** A design whose gate of the kind stays open, or why none can for want of units. */
const openByKind: Readonly<Record<GateDeclaration['gate'], EvidenceTable | string>> = {
  lift: { gates: [{ gate: 'lift', measure: 'right' }], cases: balanced, measures: two },
  'no-regression': {
    gates: [{ gate: 'no-regression', measure: 'kind', margin: 0.05 }],
    measures: two,
    cases: balanced,
  },
  critical: {
    measures: harmful,
    gates: [{ gate: 'critical', measure: 'harm', maxRate: 0.05 }],
    cases: unitsOf(9, () => ({ baseline: clean, next: clean })),
  },
  rate: {
    gates: [{ gate: 'rate', measure: 'right', arm: 'candidate', min: 0.8 }],
    cases: binaryCases({ gains: 8, losses: 4, both: 28 }),
  },
  latency: {
    measures: timed,
    gates: [{ gate: 'latency', measure: 'ms', quantile: 0.95, max: 500 }],
    cases: unitsOf(30, (at) => {
      const cell = { scores: { right: 1, ms: 100 + at } };
      return { baseline: cell, next: cell };
    }),
  },
  'neutral-control': {
    placebo: true,
    measures: two,
    gates: [{ gate: 'neutral-control', measure: 'right' }],
    cases: balanced,
  },
  'reward-hacking': {
    measures: two,
    gates: [{ gate: 'reward-hacking', proxy: 'right', truth: 'kind', margin: 0.2 }],
    cases: balanced,
  },
  contamination: {
    measures: two,
    gates: [
      { gate: 'contamination', probe: { original: 'right', perturbed: 'kind', margin: 0.2 } },
    ],
    cases: balanced,
  },
  pareto: {
    measures: two,
    gates: [
      {
        gate: 'pareto',
        objectives: [
          { measure: 'right', margin: 0.1 },
          { measure: 'kind', margin: 0.1 },
        ],
      },
    ],
    cases: balanced,
  },
  evaluator: {
    audits,
    gates: [
      {
        gate: 'evaluator',
        measure: 'right',
        audit: 'audit.json',
        maxFalseAcceptance: 0.1,
        maxFalseRejection: 0.1,
      },
    ],
    cases: binaryCases({ both: 20 }),
  },
  'infrastructure-symmetry': {
    gates: [{ gate: 'infrastructure-symmetry', margin: 0.1 }],
    cases: unitsOf(40, (at) => ({
      baseline: at % 20 === 1 ? faulty : 1,
      next: at % 20 === 0 ? faulty : 1,
    })),
  },
  'matched-budget': 'compares totals without an interval',
  budget: 'compares what was spent with a cap',
  canary: 'counts single cells: one decides',
  interleaving: 'asks for the order of this run',
  custom: 'answers in words of its own',
  completeness: 'asks for what was lost',
  controls: 'asks for cells that are no units',
  provenance: 'asks what a host can prove',
  power: 'is simulated before anything is measured',
};

const open = Object.entries(openByKind).filter(
  (entry): entry is [string, EvidenceTable] => typeof entry[1] !== 'string',
);

describe('a gate that is open for want of units', () => {
  test('stands here by kind, or with the reason why there is none', () => {
    const kinds = gateSchema.options.map(({ shape }) => shape.gate.value);
    expect(Object.keys(openByKind).sort()).toEqual([...kinds].sort());
  });

  test.each(open)('%s names units that would settle it', (kind, table) => {
    const judgement = judged(table);
    expect(judgement.decision).toBe('need_more_work');
    const gate = judgement.contributions.find((each) => each.gate === kind);
    expect(gate?.finding).toMatch(/^(unresolved|insufficient)$/);
    const plans = judgement.furtherUnits.filter((each) => each.gate === gate?.name);
    expect(plans).toHaveLength(1);
    const [plan] = plans;
    expect(furtherUnitsSchema.parse(plan)).toEqual(plan);
    const { units, further } = plan?.atObserved ?? { units: null, further: null };
    const planned = plan?.atEffect?.units ?? units;
    expect(planned).toBeGreaterThan(kind === 'evaluator' ? 30 : judgement.contributions.length);
    if (units !== null) expect(further).toBeGreaterThan(0);
  });
});

describe('units of an audit', () => {
  const table = openByKind.evaluator as EvidenceTable;

  test('are exact, counted apart from those of the design, and have no price there', () => {
    const found = ownPlan(table);
    expect(found).toMatchObject({ of: 'audited-bad-units', method: 'exact' });
    expect(found.atObserved).not.toHaveProperty('cost');
    const units = found.atObserved.units ?? 0;
    const power = (size: number): number => {
      let [mass, total] = [(29 / 30) ** size, 0];
      for (let wrong = 0; wrong <= size; wrong += 1) {
        const upper = clopperPearsonUpper({ successes: wrong, units: size }, 0.025);
        if (typeof upper === 'number' && upper < 0.1) total += mass;
        mass *= (size - wrong) / (wrong + 1) / 29;
      }
      return total;
    };
    expect(power(units)).toBeGreaterThanOrEqual(0.8);
    expect(power(Math.floor(0.75 * units))).toBeLessThan(0.8);
  });

  test('are none where the share that was seen is at or above its maximum', () => {
    const many = auditOf({ count: 3, of: 30 }, { count: 0, of: 200 });
    const [plan] = judged({ ...table, audits: many }).furtherUnits;
    expect(plan?.atObserved.reason).toBe('no number of units would do');
  });
});

describe('units of infrastructure-symmetry', () => {
  test('are none where faults met one arm more often than the margin allows', () => {
    const gates = [{ gate: 'infrastructure-symmetry', margin: 0.1 }];
    const cases = unitsOf(40, (at) => ({ baseline: 1, next: at % 5 === 0 ? faulty : 1 }));
    const judgement = judged({ gates, cases });
    expect(gateOf(judgement, 'infrastructure-symmetry').finding).toBe('unresolved');
    expect(judgement.furtherUnits[0]?.atObserved).toMatchObject({
      effect: 0.2,
      units: null,
      reason: 'no number of units would do',
    });
  });

  test('hold both sides of the margin: 10.5 times the variance over its square, no difference seen', () => {
    const table = openByKind['infrastructure-symmetry'] as EvidenceTable;
    const units = judged(table).furtherUnits[0]?.atObserved.units ?? 0;
    // Each side may be missed in a tenth of the runs: (1.96 + 1.28)^2 = 10.5; variance 4/39.
    const exact = (10.507 * (4 / 39)) / 0.01;
    expect(units).toBeGreaterThanOrEqual(Math.floor(exact));
    expect(units).toBeLessThanOrEqual(1.02 * exact + 1);
  });
});
