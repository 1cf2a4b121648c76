import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/base/canonical.ts';
import { digestOf } from '../../src/base/digest.ts';
import { type Contribution, contributionOf, type Decision } from '../../src/gate/gate.ts';
import {
  type Decided,
  type DecisionDocument,
  decide,
  decisionDocumentSchema,
  exitCodeOf,
  formatDecision,
  parseDecision,
} from '../../src/report/decision.ts';
import type { EvidenceLine } from '../../src/run/measured-line.ts';
import { sealDigest } from '../../src/spec/seal.ts';
import {
  binaryCases,
  type CaseTable,
  type EvidenceTable,
  evidenceOf,
  rightMeasure,
} from '../support/evidence.ts';
import { exampleTests } from '../support/examples.ts';
import { refusedBy } from '../support/refused-by.ts';

const info = { expose: null, fence: null, startedAt: null, endedAt: null };

exampleTests('src/report/decision.ts', { names: ['exitCodeOf'], scope: { exitCodeOf } });

function decided(table: EvidenceTable): DecisionDocument {
  return decide(evidenceOf(table), info);
}

function only(table: EvidenceTable): DecisionDocument['decisions'][number] {
  const [first] = decided(table).decisions;
  if (first === undefined) throw new Error('the table has a candidate');
  return first;
}

describe('decide', () => {
  test('ships 6 gains of 6 units, and not 5 of 6', () => {
    expect(decided({ cases: binaryCases({ gains: 6 }) }).verdict).toMatchObject({
      experiment: 'tables',
      claimUse: 'certification',
      evidence: 'confirmatory',
      exitCode: 0,
      decisions: [
        {
          candidate: 'next',
          decision: 'ship',
          reason: 'right improves by 1 (0.2193 .. 1) over 6 units and every required gate passed',
          improvement: 1,
          interval: { lower: 0.219331424196, upper: 1, level: 0.95 },
          n: { units: 6, pairs: 6, cells: 12, discordant: 6 },
        },
      ],
    });
    expect(decided({ cases: binaryCases({ gains: 5, both: 1 }) }).verdict).toMatchObject({
      exitCode: 21,
      decisions: [
        {
          decision: 'need_more_work',
          reason:
            "lift:right: the lower bound 0.1177 is above 0, but McNemar's exact one-sided p 0.03125 is above 0.025",
        },
      ],
    });
  });

  test('names the gate that decided', () => {
    expect(only({ cases: binaryCases({ losses: 10 }) }).reason).toBe(
      'lift:right: the interval -1 .. -0.4449 lies wholly at or below 0',
    );
    expect(only({ cases: binaryCases({ gains: 10 }), controls: null }).reason).toBe(
      'controls: no result of the control "dead-host"',
    );
  });

  test('says that receipts from outside a sealed run confirm nothing, and what else stands in the way', () => {
    const table = { cases: binaryCases({ gains: 10 }), confirmatory: false };
    expect(only(table)).toMatchObject({
      decision: 'need_more_work',
      cap: 'not-confirmatory',
      reason: 'not-confirmatory: receipts from outside a sealed run decide nothing',
    });
    expect(decided(table).verdict).toMatchObject({ evidence: 'not-confirmatory', exitCode: 21 });
    expect(only({ ...table, cases: binaryCases({ losses: 10 }) }).reason).toBe(
      'not-confirmatory: receipts from outside a sealed run decide nothing; lift:right: the interval -1 .. -0.4449 lies wholly at or below 0',
    );
  });

  test('says that a development claim never ships, and lets its hold stand', () => {
    const claim = { use: 'development' };
    expect(only({ cases: binaryCases({ gains: 10 }), claim })).toMatchObject({
      cap: 'not-confirmatory',
      reason: 'not-confirmatory: a development claim never ships',
    });
    expect(only({ cases: binaryCases({ losses: 10 }), claim })).toMatchObject({
      decision: 'hold',
      cap: null,
    });
  });

  test('marks a candidate that is the baseline byte for byte', () => {
    const cases = binaryCases({ gains: 12, losses: 9, both: 31, neither: 35 });
    expect(only({ cases, surfaces: { baseline: 'same', next: 'same' } }).sameSurface).toBe(true);
    expect(only({ cases }).sameSurface).toBe(false);
  });

  test('lists missing cells by arm and reason, and regressed units by name', () => {
    const lost: CaseTable[] = [
      { id: 'x', unit: 'x', cells: { baseline: 1, next: 'infrastructureFault' } },
      { id: 'y', unit: 'y', cells: { baseline: null, next: null } },
    ];
    expect(only({ cases: [...binaryCases({ gains: 3, losses: 2 }), ...lost] })).toMatchObject({
      missing: [
        { arm: 'baseline', reason: 'not-run', count: 1, cells: [{ case: 'y', repeat: 0 }] },
        { arm: 'next', reason: 'infrastructureFault', count: 1, cells: [{ case: 'x', repeat: 0 }] },
        { arm: 'next', reason: 'not-run', count: 1, cells: [{ case: 'y', repeat: 0 }] },
      ],
      regressed: { count: 2, units: ['u004', 'u005'] },
    });
  });

  test('shows measures that no gate reads, without regard to the number of candidates', () => {
    const measures = { right: rightMeasure, note: { ...rightMeasure, role: 'reported' } };
    const cases = binaryCases({ gains: 8 }).map((each) => ({
      ...each,
      cells: {
        baseline: { scores: { right: 0, note: 0 } },
        next: { scores: { right: 1, note: 1 } },
        other: { scores: { right: 1, note: 0 } },
      },
    }));
    expect(only({ measures, cases }).shown).toMatchObject([
      { measure: 'note', value: 1, flags: ['rare-loss-exposed'] },
    ]);
    const both = decided({ measures, cases, candidates: ['next', 'other'] });
    expect(both.decisions.map((each) => each.shown[0])).toMatchObject([
      { value: 1, flags: ['rare-loss-exposed', 'unadjusted'] },
      { value: 0, interval: { level: 0.95 } },
    ]);
  });

  test('gives equal bytes for any order of the receipts', () => {
    const evidence = evidenceOf({ cases: binaryCases({ gains: 7, losses: 2, both: 3 }) });
    const turned = { ...evidence, lines: [...evidence.lines].reverse() };
    expect(formatDecision(decide(turned, info))).toBe(formatDecision(decide(evidence, info)));
  });

  test('has a verdict free of the clock', () => {
    const measures = {
      right: rightMeasure,
      wall: { kind: 'duration', role: 'guardrail', direction: 'lower' },
    };
    const gates = [
      { gate: 'no-regression', measure: 'wall', margin: 0.1 },
      { gate: 'lift', measure: 'right' },
    ];
    const timed = (slowdown: number): DecisionDocument =>
      decided({
        measures,
        gates,
        cases: Array.from({ length: 30 }, (_, at) => ({
          id: `u${at}`,
          unit: `u${at}`,
          cells: {
            baseline: { scores: { right: 0, wall: 100 + (at % 7) } },
            next: { scores: { right: 1, wall: (100 + (at % 5)) * slowdown } },
          },
        })),
      });
    expect(canonicalText(timed(0.9).verdict)).toBe(canonicalText(timed(0.8).verdict));
    expect(canonicalText(timed(2).verdict)).toBe(canonicalText(timed(3).verdict));
    expect(timed(2).verdict.decisions[0]).toMatchObject({
      decision: 'hold',
      reason: 'no-regression:wall: breached',
    });
    expect(timed(2).verdict.funnel.candidates[0]?.measures.map((each) => each.measure)).toEqual([
      'right',
    ]);
    expect(timed(2).decisions[0]?.contributions[0]?.reason).toMatch(
      /lies wholly at or below -0.09531$/,
    );
  });

  test('records digests, attempts, faults and cost of the run', () => {
    const cases: CaseTable[] = [
      ...binaryCases({ gains: 8 }),
      {
        id: 'x',
        unit: 'x',
        cells: {
          baseline: 0,
          next: [{ outcome: 'infrastructureFault' }, { scores: { right: 1 } }],
        },
      },
    ];
    const evidence = evidenceOf({ cases });
    const unknown = (line: EvidenceLine): EvidenceLine =>
      line.cell.case === 'u001'
        ? {
            ...line,
            receipt: {
              ...line.receipt,
              usage: { ...line.receipt.usage, costUsd: null, costKnown: false },
            },
          }
        : line;
    const expose = digestOf('expose');
    const { run } = decide(
      { ...evidence, lines: evidence.lines.map(unknown) },
      { ...info, expose, fence: 'f', startedAt: 'a', endedAt: 'b' },
    );
    expect(run).toMatchObject({
      sealDigest: sealDigest(evidence.seal),
      planDigest: evidence.seal.plan,
      designDigest: evidence.seal.digests.design,
      casesDigest: evidence.seal.digests.cases,
      expose,
      fence: 'f',
      startedAt: 'a',
      endedAt: 'b',
      receipts: 19,
      attempts: [
        { class: 'completed', count: 18 },
        { class: 'infrastructureFault', count: 1 },
      ],
      faults: [{ arm: 'next', class: 'infrastructureFault', code: null, count: 1 }],
      cost: { knownUsd: 0.17, unknownCells: 2 },
    });
  });
});

describe('formatDecision and parseDecision', () => {
  const document = decided({
    cases: binaryCases({ gains: 12, losses: 9, both: 10 }),
    claim: { minimumEffect: 0.1 },
  });
  const bytes = new TextEncoder().encode(formatDecision(document));

  test('are inverse', () => {
    expect(parseDecision(bytes)).toEqual(document);
    expect(decisionDocumentSchema.parse(document)).toEqual(document);
  });

  test('refuse a member that is unknown or of another type', () => {
    const changed = new TextEncoder().encode(
      `${canonicalText({ ...document, type: 'liftgate/decision/v2' })}\n`,
    );
    expect(refusedBy(() => parseDecision(changed, 'decision.json'))).toMatch(
      /^run-invalid: The decision does not have the shape liftgate\/decision\/v1: .*Restore the file; decisions are written by `run` and `decide` and never edited\.$/,
    );
  });

  test('refuse bytes that are not canonical', () => {
    const spaced = new TextEncoder().encode(` ${formatDecision(document)}`);
    expect(refusedBy(() => parseDecision(spaced))).toMatch(/^run-invalid: /);
  });
});

function gate(
  finding: Contribution['finding'],
  flags: Contribution['flags'] = [],
  required = true,
): Contribution {
  return contributionOf({
    name: finding,
    gate: 'lift',
    required,
    finding,
    reason: 'because',
    flags,
  });
}

function decision(name: Decision, ...contributions: Contribution[]): Decided {
  return { decision: name, contributions };
}

const faulted = decision(
  'need_more_work',
  gate('cleared'),
  gate('insufficient', ['lost-by-fault']),
);
const open = decision('need_more_work', gate('unresolved'));

describe('exitCodeOf', () => {
  test.each<[string, readonly Decided[], number]>([
    ['any ship', [decision('hold', gate('breached')), decision('ship', gate('cleared'))], 0],
    ['a hold beside an open question', [open, decision('hold', gate('breached'))], 20],
    ['an open question', [open], 21],
    ['no candidate', [], 21],
    ['a model ceiling beside a hold', [decision('model_ceiling'), decision('hold')], 22],
    [
      'an architecture ceiling beside a model ceiling',
      [decision('model_ceiling'), decision('arch_ceiling')],
      23,
    ],
    ['faults alone', [faulted], 30],
    [
      'faults alone, an optional gate failing otherwise',
      [decision('need_more_work', ...faulted.contributions, gate('breached', [], false))],
      30,
    ],
    [
      'faults beside an open gate',
      [decision('need_more_work', ...faulted.contributions, gate('unresolved'))],
      21,
    ],
    [
      'faults beside evidence lost otherwise',
      [decision('need_more_work', ...faulted.contributions, gate('insufficient'))],
      21,
    ],
    ['faults of one candidate and an open question of another', [faulted, open], 21],
    ['faults beside a hold', [faulted, decision('hold', gate('breached'))], 20],
  ])('%s', (_, list, code) => {
    expect(exitCodeOf(list)).toBe(code);
    expect(exitCodeOf([...list].reverse())).toBe(code);
  });

  test('is 30 for a run whose candidate cells faults took, and 21 when nobody ran them', () => {
    const cases = (cell: 'infrastructureFault' | null): CaseTable[] =>
      ['a', 'b', 'c'].map((id) => ({ id, unit: id, cells: { baseline: 0, next: cell } }));
    const next = { arm: 'next', consistency: 'unverified', reasons: [] } as const;
    const provenance = [{ arm: 'baseline', consistency: 'consistent', reasons: [] } as const, next];
    expect(decided({ cases: cases('infrastructureFault'), provenance }).verdict.exitCode).toBe(30);
    expect(decided({ cases: cases(null), provenance }).verdict.exitCode).toBe(21);
  });
});
