import { describe, expect, test } from 'vitest';
import { judgeEvidence } from '../../src/gate/judge.ts';
import type { ControlResult } from '../../src/run/receipt.ts';
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
      reason: 'simulation of the sealed decision is not part of this version',
      flags: ['simulation-unavailable'],
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
