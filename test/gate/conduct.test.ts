import { describe, expect, test } from 'vitest';
import { judgeEvidence } from '../../src/gate/judge.ts';
import type { ControlResult, ReceiptLine } from '../../src/run/receipt.ts';
import {
  binaryCases,
  type CaseTable,
  type EvidenceTable,
  evidenceOf,
  passedControl,
} from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { refusedBy } from '../support/refused-by.ts';

const sound: EvidenceTable = { cases: binaryCases({ gains: 10 }) };
const failed: ControlResult = {
  ...passedControl('dead-host'),
  passed: false,
  reason: 'expected infrastructureFault, got completed',
};

describe('controls', () => {
  test('clear when every declared control was classified as declared', () => {
    expect(gateOf(judged(sound), 'controls')).toMatchObject({
      finding: 'cleared',
      reason: '1 of 1 controls were classified as declared',
    });
  });

  test.each<[string, Partial<EvidenceTable>, string]>([
    ['no result at all', { controls: null }, 'no result of the control "dead-host"'],
    [
      'no result of one',
      { declaredControls: ['a', 'dead-host'], controls: [passedControl('a')] },
      'no result of the control "dead-host"',
    ],
    [
      'none declared',
      { declaredControls: [] },
      'no control is declared, so nothing shows that the harness classifies correctly',
    ],
  ])('hold as missing with %s', (_, table, reason) => {
    const found = judged({ ...sound, ...table });
    expect(gateOf(found, 'controls')).toMatchObject({
      status: 'not_evaluated',
      finding: 'missing',
      reason,
    });
    expect(found.decision).toBe('hold');
  });

  test('hold when one failed', () => {
    const found = judged({ ...sound, controls: [failed] });
    expect(gateOf(found, 'controls')).toMatchObject({
      finding: 'breached',
      statistic: 1,
      reason: 'the control "dead-host" failed: expected infrastructureFault, got completed',
    });
    expect(found.decision).toBe('hold');
  });

  test.each([
    ['a control that is not sealed', [passedControl('dead-host'), passedControl('other')], 'other'],
    ['a control twice', [passedControl('dead-host'), failed], 'dead-host'],
  ])('refuse results of %s', (_, controls, id) => {
    expect(refusedBy(() => judgeEvidence(evidenceOf({ ...sound, controls })))).toBe(
      `run-invalid: The control results name "${id}", which is not one of the sealed controls or is given twice. Restore the control results of the run.`,
    );
  });

  test('are judged although no written gate names them', () => {
    const evidence = evidenceOf({ ...sound, controls: null });
    const decision = {
      ...evidence.seal.decision,
      gates: evidence.seal.decision.gates.filter((gate) => gate.gate === 'lift'),
    };
    const [found] = judgeEvidence({ ...evidence, seal: { ...evidence.seal, decision } }).candidates;
    expect(found?.contributions.map((each) => each.name)).toEqual([
      'lift:right',
      'completeness',
      'controls',
      'provenance',
    ]);
    expect(found?.decision).toBe('hold');
  });
});

const consistent = { arm: 'baseline', consistency: 'consistent', reasons: [] } as const;

describe('provenance', () => {
  test('clears when both arms ran what was sealed', () => {
    expect(gateOf(judged(sound), 'provenance').finding).toBe('cleared');
  });

  test('holds when an arm is inconsistent', () => {
    const next = {
      arm: 'next',
      consistency: 'inconsistent',
      reasons: ['ran another surface than the sealed one'],
    } as const;
    const found = judged({ ...sound, provenance: [consistent, next] });
    expect(gateOf(found, 'provenance')).toMatchObject({
      finding: 'breached',
      reason: 'arm "next" is inconsistent: ran another surface than the sealed one',
    });
    expect(found.decision).toBe('hold');
  });

  test('is insufficient when nothing shows what an arm ran', () => {
    const next = { arm: 'next', consistency: 'unverified', reasons: [] } as const;
    const found = judged({ ...sound, provenance: [consistent, next] });
    expect(gateOf(found, 'provenance')).toMatchObject({
      finding: 'insufficient',
      reason: 'nothing shows what ran in "next"',
      flags: [],
    });
    expect(found.decision).toBe('need_more_work');
    expect(gateOf(judged({ ...sound, provenance: [] }), 'provenance').finding).toBe('insufficient');
  });

  test('passes an unverified arm only where the spec allows it', () => {
    const next = { arm: 'next', consistency: 'unverified', reasons: [] } as const;
    const evidence = evidenceOf({ ...sound, provenance: [consistent, next] });
    const gates = evidence.seal.decision.gates.map((gate) =>
      gate.gate === 'provenance' ? { ...gate, allowUnverified: true } : gate,
    );
    const seal = { ...evidence.seal, decision: { ...evidence.seal.decision, gates } };
    const [found] = judgeEvidence({ ...evidence, seal }).candidates;
    expect(found?.contributions.at(-1)).toMatchObject({
      finding: 'cleared',
      reason: 'nothing shows what ran in "next", which the spec allows',
    });
  });

  test('looks at the baseline and the judged candidate only', () => {
    const cases = binaryCases({ gains: 10 }).map((each) => ({
      ...each,
      cells: { ...each.cells, other: 1 },
    }));
    const other = { arm: 'other', consistency: 'inconsistent', reasons: [] } as const;
    const table = {
      cases,
      candidates: ['next', 'other'],
      provenance: [consistent, { ...consistent, arm: 'next' }, other],
    };
    expect(gateOf(judged(table), 'provenance').finding).toBe('cleared');
    expect(gateOf(judged(table, 'other'), 'provenance').finding).toBe('breached');
  });

  test('blames faults for an arm that faults silenced', () => {
    const cases = ['a', 'b'].map(
      (id): CaseTable => ({ id, unit: id, cells: { baseline: 1, next: 'infrastructureFault' } }),
    );
    const next = { arm: 'next', consistency: 'unverified', reasons: [] } as const;
    expect(gateOf(judged({ cases, provenance: [consistent, next] }), 'provenance').flags).toEqual([
      'lost-by-fault',
    ]);
  });
});

describe('hand-written receipts', () => {
  test('prove no conduct', () => {
    const found = judged({ ...sound, confirmatory: false, controls: null });
    for (const name of ['controls', 'provenance']) {
      expect(gateOf(found, name)).toMatchObject({
        status: 'not_evaluated',
        finding: 'insufficient',
        flags: ['not-confirmatory'],
      });
    }
  });
});

describe('budget', () => {
  const gates = [{ gate: 'lift', measure: 'right' }, { gate: 'budget' }];
  const spending: EvidenceTable = { ...sound, gates, budgetUsd: 0.5 };

  function controlLine(changes: Partial<ReceiptLine['receipt']>, arm = 'dead-host'): ReceiptLine {
    const [line] = evidenceOf(sound).lines;
    if (line === undefined) throw new Error('the table has no line');
    return { ...line, cell: { ...line.cell, arm }, receipt: { ...line.receipt, ...changes } };
  }

  const unknown = {
    costUsd: null,
    costKnown: false,
    costSource: null,
    tokens: null,
    tokensKnown: false,
  };
  const died = controlLine({ outcome: 'infrastructureFault', usage: unknown });

  test('clears when every attempt, controls included, is known and within the cap', () => {
    const controlLines = [controlLine({})];
    expect(gateOf(judged({ ...spending, controlLines }), 'budget')).toMatchObject({
      status: 'pass',
      finding: 'cleared',
      statistic: 0.21,
      threshold: 0.5,
      errorLevel: null,
      reason: '21 attempts, controls included, cost 0.21 USD: within the cap of 0.5 USD',
    });
    expect(judged({ ...spending, controlLines }).decision).toBe('ship');
  });

  test('clears at the cap to the cent and is breached by the next one, whoever spent it', () => {
    const at = { ...spending, budgetUsd: 0.21 };
    const cent = controlLine({});
    expect(gateOf(judged({ ...at, controlLines: [cent] }), 'budget').finding).toBe('cleared');
    const found = judged({ ...at, controlLines: [cent, cent] });
    expect(gateOf(found, 'budget')).toMatchObject({
      finding: 'breached',
      statistic: 0.22,
      reason: '22 attempts, controls included, cost 0.22 USD, above the cap of 0.21 USD',
    });
    expect(found.decision).toBe('hold');
  });

  test('counts grading, and every attempt of a cell', () => {
    const cases = binaryCases({ gains: 10 }).map((each, at) =>
      at > 0
        ? each
        : {
            ...each,
            cells: {
              baseline: [
                { outcome: 'infrastructureFault' as const },
                { scores: { right: 0 }, gradeUsage: { costUsd: 0.1, costKnown: true } },
              ],
              next: 1,
            },
          },
    );
    expect(gateOf(judged({ ...spending, cases }), 'budget').statistic).toBe(0.31);
  });

  test('is insufficient while a cost is unknown, and breached if the known part is above the cap', () => {
    const cases = binaryCases({ gains: 10 }).map((each, at) =>
      at > 0
        ? each
        : { ...each, cells: { baseline: 0, next: { scores: { right: 1 }, usage: unknown } } },
    );
    const found = judged({ ...spending, cases });
    expect(gateOf(found, 'budget')).toMatchObject({
      status: 'not_evaluated',
      finding: 'insufficient',
      reason: 'the cost of 1 of 20 attempts is not known, the others cost 0.19 USD',
      flags: [],
    });
    expect(found.decision).toBe('need_more_work');
    expect(gateOf(judged({ ...spending, cases, budgetUsd: 0.18 }), 'budget').finding).toBe(
      'breached',
    );
  });

  test('blames faults where they alone left a cost unknown', () => {
    const other = controlLine({ outcome: 'infrastructureFault', usage: unknown }, 'ceiling');
    expect(gateOf(judged({ ...spending, controlLines: [other] }), 'budget')).toMatchObject({
      finding: 'insufficient',
      flags: ['lost-by-fault'],
    });
  });

  test('counts an attempt that a host-exit control ended at the limit of one attempt', () => {
    expect(gateOf(judged({ ...spending, controlLines: [died] }), 'budget')).toMatchObject({
      finding: 'cleared',
      statistic: 0.25,
      reason:
        '21 attempts, controls included, cost 0.2 USD, and 1 that a control ended 0.05 at most each: within the cap of 0.5 USD',
    });
    expect(
      gateOf(judged({ ...spending, controlLines: [died], budgetUsd: 0.24 }), 'budget'),
    ).toMatchObject({
      finding: 'insufficient',
      reason: expect.stringContaining('together this may be above the cap of 0.24 USD'),
    });
  });

  test('does not know what controls cost whose receipts nobody gave', () => {
    expect(gateOf(judged({ ...spending, controlLines: null }), 'budget')).toMatchObject({
      finding: 'insufficient',
      reason: 'what the controls cost is not known',
    });
  });

  test('holds without a cap, and proves nothing by hand-written receipts', () => {
    expect(gateOf(judged({ ...sound, gates }), 'budget')).toMatchObject({
      finding: 'missing',
      reason: 'no cap on cost is sealed',
    });
    expect(gateOf(judged({ ...spending, confirmatory: false }), 'budget').flags).toEqual([
      'not-confirmatory',
    ]);
  });
});

describe('power', () => {
  test('is listed, says that nothing was simulated, and moves nothing', () => {
    const gates = [
      { gate: 'lift', measure: 'right' },
      { gate: 'power', target: 0.9 },
    ];
    const found = judged({ ...sound, gates });
    expect(gateOf(found, 'power')).toMatchObject({
      status: 'not_evaluated',
      finding: 'unconfigured',
      required: false,
      threshold: 0.9,
      reason: 'a matter of the plan: `liftgate plan` simulates it before anything is sealed',
      flags: ['simulated-by-plan'],
    });
    expect(found.decision).toBe('ship');
  });

  test('holds when it is required', () => {
    const gates = [
      { gate: 'lift', measure: 'right' },
      { gate: 'power', required: true },
    ];
    expect(judged({ ...sound, gates }).decision).toBe('hold');
  });
});
