/** Report views of evidence tables, and text nobody should trust. */
import { digestOf } from '../../src/base/digest.ts';
import { type DecisionDocument, decide } from '../../src/report/decision.ts';
import { type ReportView, reportView } from '../../src/report/view.ts';
import type { Amendment } from '../../src/spec/amendment.ts';
import { binaryCases, type CaseTable, type EvidenceTable, evidenceOf } from './evidence.ts';

const info = { expose: null, fence: null, startedAt: '2026-08-01T00:00:00.000Z', endedAt: null };

/** Decision and view of a table. */
export function reportOf(table: EvidenceTable): {
  readonly document: DecisionDocument;
  readonly view: ReportView;
} {
  const evidence = evidenceOf(table);
  const document = decide(evidence, info);
  return { document, view: reportView({ document, evidence }) };
}

/** View of a table. */
export function viewOf(table: EvidenceTable): ReportView {
  return reportOf(table).view;
}

/** Unit ids that attack markup, attributes, commands of a runner, tables, and the order of characters. */
export const hostileUnits = [
  '<script>document.title="owned"</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '&lt;b&gt; &amp; ]]>',
  'safe\u202Etxt.exe',
  'zero\u200Bwidth\u0007bell',
  '::error title=x::owned',
  '##[error]owned | **bold** [link](http://example.invalid)',
] as const;

/** Twenty gains and a loss for every hostile unit. */
export function hostileCases(): CaseTable[] {
  const losses = hostileUnits.map(
    (unit): CaseTable => ({ id: `${unit} case`, unit, cells: { baseline: 1, next: 0 } }),
  );
  return [...binaryCases({ gains: 20 }), ...losses];
}

/** An amendment of a threshold, and what followed from it. */
export function amendmentOf(change: Partial<Amendment> = {}): Amendment {
  const digest = digestOf('something');
  const pointers = ['/analysis/methods/0', '/decision/gates/0', '/spec/gates/0/threshold'];
  return {
    ...{ at: '2026-07-30T08:00:00.000Z', parent: digest, reason: 'a tie must not ship' },
    changed: pointers.map((pointer) => ({ pointer, from: digest, to: null })),
    seen: { exposures: [digest], finals: [], declared: ['alice: the selection scores of better'] },
    ...change,
  };
}

/** Hostile units under hostile claims. */
export const hostileTable: EvidenceTable = {
  cases: hostileCases(),
  amendments: [
    amendmentOf({
      reason: '<img src=x onerror=alert(2)> | a\u202Eb',
      changed: [{ pointer: '/spec/~1<script>alert(3)</script>|x', from: null, to: null }],
      seen: {
        exposures: [],
        finals: [],
        declared: ['</td><script>alert(4)</script>', '| **b** |'],
      },
    }),
  ],
  claim: {
    decision: '<script>alert("decision")</script>',
    population: { id: 'tables', description: '</p><iframe src="http://example.invalid"></iframe>' },
    samplingFrame: 'as\u202Ewritten',
  },
};

/** Two candidates that differ on two gated measures, with a critical measure, faults, retries and repeats. */
export function mixedTable(units: number): EvidenceTable {
  const cell = (right: number, at: number) => ({
    scores: { right, quality: (at % 11) / 10, harm: 0 },
  });
  return {
    candidates: ['better', 'worse'],
    amendments: [amendmentOf(), amendmentOf({ at: '2026-07-31T09:30:00.000Z', reason: 'typo' })],
    measures: {
      right: { kind: 'binary', role: 'primary', direction: 'higher' },
      quality: { kind: 'score', min: 0, max: 1, role: 'guardrail', direction: 'higher' },
      harm: { kind: 'binary', role: 'critical', direction: 'lower' },
      spent_ms: { kind: 'duration', role: 'reported', direction: 'lower' },
    },
    claim: { minimumEffect: 0.1 },
    gates: [
      { gate: 'lift', measure: 'right', threshold: 0 },
      { gate: 'no-regression', measure: 'quality', margin: 0.2 },
    ],
    cases: Array.from({ length: units }, (_, at) => ({
      id: `case-${at}`,
      unit: `unit-${at}`,
      cells: {
        baseline: cell(at % 3 === 0 ? 1 : 0, at),
        better: cell(at % 3 === 1 ? 0 : 1, at + 1),
        worse: at === 1 ? 'infrastructureFault' : cell(at % 6 === 0 ? 1 : 0, at + 5),
      },
    })),
  };
}
