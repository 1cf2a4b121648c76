import { describe, expect, test } from 'vitest';
import { gateCoverage } from '../../src/gate/gate-coverage.ts';
import type { Assumptions } from '../../src/spec/assumptions.ts';
import { binaryCases, type EvidenceTable, evidenceOf } from '../support/evidence.ts';

function designOf(gate: unknown, table: Partial<EvidenceTable> = {}) {
  const gates = [{ gate: 'lift', measure: 'right' }, gate];
  const { seal, index } = evidenceOf({ cases: binaryCases({ both: 28 }), gates, ...table });
  return { seal, index };
}

describe('gateCoverage', () => {
  test('names a custom gate of which nothing is stated', () => {
    const gate = { gate: 'custom', name: 'floor', module: 'floor.mjs', measures: ['right'] };
    const find = (assumptions: Assumptions) =>
      gateCoverage({ ...designOf(gate), assumptions }).find((each) => each.gate === 'floor');
    expect(find({ gates: { other: { pass: 1 } } })).toEqual({
      gate: 'floor',
      simulated: false,
      why: 'its code is not run on simulated evidence, and no pass is stated of it under gates',
    });
    expect(find({ gates: { floor: { pass: 0.5 } } })).toMatchObject({ simulated: true, why: '' });
  });

  test('says what is assumed where nothing is stated, and which part is left out', () => {
    const gate = { gate: 'infrastructure-symmetry', margin: 0.1, maxWaitMs: 50 };
    const find = (assumptions: Assumptions) =>
      gateCoverage({ ...designOf(gate), assumptions }).filter((each) =>
        each.gate.startsWith('infrastructure'),
      );
    const waiting = { gate: 'infrastructure-symmetry (waiting)', simulated: false };
    expect(find({})).toMatchObject([
      { simulated: false, why: expect.stringMatching(/^neither faultRate nor lossRate is stated/) },
      { ...waiting, why: 'no waitMs is stated' },
    ]);
    expect(find({ lossRate: 0.01 })).toMatchObject([
      { simulated: true, why: 'no faultRate is stated, so faults meet lost cells alone' },
      waiting,
    ]);
    const faultRate = { baseline: 0.01, candidate: 0.01 };
    const waitMs = { baseline: 1, candidate: 1, deviation: 0 };
    expect(find({ faultRate, waitMs })).toEqual([
      { gate: 'infrastructure-symmetry', simulated: true, why: '' },
    ]);
  });

  test('tells the probe of a contamination gate apart from its texts', () => {
    const probe = { original: 'right', perturbed: 'right', margin: 0.2 };
    const design = designOf({ gate: 'contamination', canaries: ['zebra-quartz'], probe });
    const found = gateCoverage(design).filter(({ gate }) => gate.startsWith('contamination'));
    expect(found.map(({ gate, why }) => [gate, why])).toEqual([
      ['contamination', 'no leakRate is stated, so no output holds a canary text'],
      ['contamination (probe)', 'no follows of "right" is stated, so both measures gain alike'],
    ]);
  });

  test('names what looks do not simulate', () => {
    const design = designOf(
      { gate: 'interleaving' },
      {
        stopping: { rule: 'anytime', looks: { every: 14 } },
        inference: { guarantee: 'finite-sample' },
      },
    );
    const found = gateCoverage(design);
    expect(found.find((each) => each.gate === 'interleaving')).toMatchObject({
      simulated: false,
      why: 'looks are simulated on paired differences alone',
    });
    expect(found[0]).toMatchObject({ gate: 'lift:right', simulated: true });
  });
});
