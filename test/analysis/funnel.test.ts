import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyzeEvidence } from '../../src/analysis/analyze.ts';
import {
  type Funnel,
  type FunnelStage,
  funnelSchema,
  rowStages,
  stageOf,
} from '../../src/analysis/funnel.ts';
import { type CaseTable, type CellTable, evidenceOf, rightMeasure } from '../support/evidence.ts';

function allStages(funnel: Funnel): FunnelStage[] {
  return [
    ...funnel.rows,
    ...funnel.candidates.flatMap((each) => [
      ...each.cells,
      ...each.measures.flatMap((measure) => measure.stages),
    ]),
  ];
}

describe('stageOf', () => {
  test('counts what it drops by reason, in the order of the reasons', () => {
    expect(stageOf('s', 'rows', ['b', null, 'a', 'b'])).toEqual({
      stage: 's',
      of: 'rows',
      input: 4,
      kept: 1,
      excluded: [
        { reason: 'a', count: 1 },
        { reason: 'b', count: 2 },
      ],
    });
  });

  test('is all zero without input', () => {
    expect(stageOf('s', 'units', [])).toEqual({
      stage: 's',
      of: 'units',
      input: 0,
      kept: 0,
      excluded: [],
    });
  });
});

const measures = { right: rightMeasure, rare: { ...rightMeasure, role: 'reported' } };
const cell: CellTable = { scores: { right: 1, rare: 1 } };

describe('the funnel', () => {
  test('runs from rows to units with every exclusion named', () => {
    const evidence = evidenceOf({
      measures,
      excluded: ['labelled', 'distinct', 'distinct'],
      cases: [
        { id: 'a', unit: 'u', cells: { baseline: cell, next: cell } },
        {
          id: 'b',
          unit: 'u',
          applies: ['right'],
          cells: { baseline: cell, next: 'infrastructureFault' },
        },
        {
          id: 'c',
          unit: 'v',
          applies: ['right'],
          cells: { baseline: null, next: { scores: { right: null } } },
        },
        { id: 'd', unit: 'w', split: 'train', cells: {} },
      ],
    });
    const { funnel } = analyzeEvidence(evidence);
    const text = (stage: FunnelStage) =>
      `${stage.stage} ${stage.input}>${stage.kept} ${stage.excluded.map((each) => `${each.reason}=${each.count}`).join(';')}`.trim();
    expect(funnel.rows.map(text)).toEqual([
      'admission:labelled 7>6 labelled=1',
      'admission:distinct 6>4 distinct=2',
      'split:final 4>3 train=1',
    ]);
    const [next] = funnel.candidates;
    expect(next?.cells.map(text)).toEqual([
      'settled 6>4 baseline: not-run=1;candidate: infrastructureFault=1',
    ]);
    expect(next?.measures.map((each) => [each.measure, each.stages.map(text)])).toEqual([
      ['rare', ['where 3>1 not-applicable=2', 'complete 1>1', 'estimated 1>1']],
      [
        'right',
        [
          'where 3>3',
          'complete 3>1 baseline: not-run, candidate: not-scored=1;candidate: infrastructureFault=1',
          'estimated 2>1 no-complete-pair=1',
        ],
      ],
    ]);
    expect(funnelSchema.parse(funnel)).toEqual(funnel);
  });

  test('counts 3,003 rows, 3 unlabelled and 28 duplicates to 2,972 cases', () => {
    const evidence = evidenceOf({
      excluded: [
        ...Array.from({ length: 3 }, () => 'labelled'),
        ...Array.from({ length: 28 }, () => 'distinct'),
      ],
      cases: Array.from({ length: 2972 }, (_, at) => ({
        id: `c${at}`,
        unit: `c${at}`,
        split: at < 1989 ? ('final' as const) : ('train' as const),
        cells: {},
      })),
    });
    expect(rowStages(evidence.index).map(({ input, kept }) => [input, kept])).toEqual([
      [3003, 3000],
      [3000, 2972],
      [2972, 1989],
    ]);
  });

  test('sums at every stage, and each stage starts from what the one before kept', () => {
    const outcome = fc.constantFrom<CellTable>(
      cell,
      null,
      'infrastructureFault',
      'cancelled',
      { scores: { right: null } },
      { outcome: 'agentError' },
    );
    const row = fc.record({
      unit: fc.constantFrom('u', 'v', 'w'),
      split: fc.constantFrom('train' as const, 'final' as const),
      baseline: outcome,
      next: outcome,
    });
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 12 }),
        fc.array(fc.constantFrom('p', 'q')),
        (rows, excluded) => {
          const cases = rows.map(
            (each, at): CaseTable => ({
              id: `c${at}`,
              unit: each.unit,
              split: each.split,
              cells: { baseline: each.baseline, next: each.next },
            }),
          );
          const { funnel } = analyzeEvidence(evidenceOf({ measures, excluded, cases }));
          for (const stage of allStages(funnel)) {
            expect(stage.kept + stage.excluded.reduce((sum, each) => sum + each.count, 0)).toBe(
              stage.input,
            );
          }
          funnel.rows.slice(1).forEach((stage, at) => {
            expect(stage.input).toBe(funnel.rows[at]?.kept);
          });
          const finals = funnel.rows.at(-1)?.kept ?? 0;
          expect(funnel.candidates[0]?.cells[0]?.input).toBe(2 * finals);
          expect(funnel.candidates[0]?.measures.map((each) => each.stages[0]?.input)).toEqual([
            finals,
            finals,
          ]);
        },
      ),
      { seed: 20260801, numRuns: 60 },
    );
  });
});
