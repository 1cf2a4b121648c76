/** Gates on rates, latency and spending, and places in the order of candidates: every format says the same of each. */
import { describe, expect, test } from 'vitest';
import { shownNumber } from '../../src/gate/gate.ts';
import { renderStepSummary } from '../../src/report/github.ts';
import { renderHtml } from '../../src/report/html.ts';
import { renderJUnit } from '../../src/report/junit.ts';
import { renderSummary } from '../../src/report/markdown.ts';
import {
  type CaseTable,
  type EvidenceTable,
  evidenceOf,
  rightMeasure,
} from '../support/evidence.ts';
import { reportOf } from '../support/report.ts';
import { readXml } from '../support/xml.ts';

const gates = [
  { gate: 'rate', measure: 'right', arm: 'candidate', min: 0.8 },
  { gate: 'latency', name: 'ratio', measure: 'ms', maxRatio: 1.2 },
  { gate: 'latency', name: 'quantile', measure: 'ms', quantile: 0.95, max: 500 },
  { gate: 'matched-budget', of: 'usd', tolerance: 0.1 },
  { gate: 'budget' },
];

function tableOf(slow: number, usd: number): EvidenceTable {
  return {
    measures: {
      right: rightMeasure,
      ms: { kind: 'duration', role: 'guardrail', direction: 'lower' },
    },
    gates,
    budgetUsd: 2,
    cases: Array.from({ length: 80 }, (_, at): CaseTable => {
      const next = { right: at % 20 === 0 ? 0 : 1, ms: (100 + (at % 7)) * slow };
      return {
        id: `u${at}`,
        unit: `u${at}`,
        cells: {
          baseline: { scores: { right: 0, ms: 100 + (at % 5) } },
          next: { scores: next, usage: { costUsd: usd } },
        },
      };
    }),
  };
}

const runs = [
  ['ship', tableOf(1, 0.01)],
  ['hold', tableOf(9, 0.05)],
] as const;

describe.each(runs)('a decision of %s', (decision, table) => {
  const { document, view } = reportOf(table);
  const [decided] = document.decisions;
  const contributions = decided?.contributions.filter((each) =>
    ['rate', 'latency', 'matched-budget', 'budget'].includes(each.gate),
  );
  const seal = evidenceOf(table).seal;
  const formats = {
    html: renderHtml(view),
    markdown: renderSummary(document, seal).replaceAll('\\', ''),
    github: renderStepSummary(view).replaceAll('\\', ''),
    junit: renderJUnit(view),
  };

  test('rests on five such gates, which all say so', () => {
    expect(decided?.decision).toBe(decision);
    const finding = decision === 'ship' ? 'cleared' : 'breached';
    expect(contributions?.map((each) => [each.name, each.finding])).toEqual([
      ['rate:candidate:right', 'cleared'],
      ['ratio', finding],
      ['quantile', finding],
      ['matched-budget:usd', finding],
      ['budget', finding],
    ]);
  });

  test.each(Object.entries(formats))(
    '%s shows name, finding, statistic, threshold and reason of each',
    (_format, text) => {
      for (const { name, finding, statistic, threshold, reason } of contributions ?? []) {
        for (const part of [
          name,
          finding,
          shownNumber(statistic ?? NaN),
          shownNumber(threshold ?? NaN),
          reason,
        ]) {
          expect(text).toContain(part);
        }
        // None of these is an improvement, so none carries its sign.
        expect(text).not.toContain(`+${shownNumber(statistic ?? NaN)} `);
      }
    },
  );

  test('JUnit fails the cases of the gates that were breached, and those alone', () => {
    const cases = [
      ...formats.junit.matchAll(
        /<testcase classname="tables\.gates" name="([^"]+)" time="0">(<failure)?/g,
      ),
    ];
    expect(() => readXml(formats.junit)).not.toThrow();
    const failed = cases.filter(([, , failure]) => failure !== undefined).map(([, name]) => name);
    const breached = contributions?.filter((each) => each.finding === 'breached') ?? [];
    expect(failed).toEqual(breached.map((each) => each.name));
  });
});

describe('gates that ask whether the evidence can be trusted', () => {
  const guardrail = { kind: 'binary', role: 'guardrail', direction: 'higher' };
  const margin = { margin: 0.3 };
  const table: EvidenceTable = {
    measures: { right: rightMeasure, truth: guardrail, known: guardrail },
    placebo: true,
    gates: [
      { gate: 'neutral-control', measure: 'right' },
      { gate: 'canary', measure: 'known' },
      { gate: 'reward-hacking', proxy: 'right', truth: 'truth', margin: 0.3 },
      { gate: 'contamination', canaries: ['never <said> & "seen"'] },
      {
        gate: 'pareto',
        objectives: [
          { measure: 'right', ...margin },
          { measure: 'truth', ...margin },
        ],
      },
      {
        gate: 'evaluator',
        measure: 'right',
        audit: 'audit.json',
        maxFalseAcceptance: 0.1,
        maxFalseRejection: 0.1,
      },
      { gate: 'infrastructure-symmetry', ...margin },
      { gate: 'interleaving' },
    ],
    cases: Array.from({ length: 60 }, (_, at): CaseTable => {
      const cell = (right: number, known: number) => ({
        output: 'said',
        scores: { right, truth: 1, known },
      });
      const cells = { baseline: cell(0, 1), placebo: cell(0, 1), next: cell(1, at === 7 ? 0 : 1) };
      return { id: `u${at}`, unit: `u${at}`, cells };
    }),
  };
  const { document, view } = reportOf(table);
  const [decided] = document.decisions;
  const plain = (text: string): string =>
    text
      .replaceAll('\\', '')
      .replaceAll('&quot;', '"')
      .replaceAll('&#34;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&amp;', '&');

  test.each([
    ['html', renderHtml(view)],
    ['markdown', renderSummary(document, evidenceOf(table).seal)],
    ['github', renderStepSummary(view)],
    ['junit', renderJUnit(view)],
  ])('%s says of each what was decided and why', (_format, text) => {
    expect(decided?.decision).toBe('hold');
    const findings = decided?.contributions.slice(0, 8).map(({ gate, finding }) => [gate, finding]);
    expect(findings).toEqual([
      ['neutral-control', 'cleared'],
      ['canary', 'breached'],
      ['reward-hacking', 'breached'],
      ['contamination', 'cleared'],
      ['pareto', 'cleared'],
      ['evaluator', 'missing'],
      ['infrastructure-symmetry', 'cleared'],
      ['interleaving', 'cleared'],
    ]);
    for (const { name, finding, reason } of decided?.contributions ?? []) {
      for (const part of [name, finding, reason]) expect(plain(text)).toContain(part);
    }
  });
});

test('a ratio stands in the forest plot as the threshold it is, on the scale of the estimate', () => {
  const { view } = reportOf(runs[0][1]);
  const measure = view.measures.find((each) => each.measure === 'ms');
  expect(measure).toMatchObject({
    scale: 'log-ratio',
    marks: [{ kind: 'threshold', gate: 'ratio', value: -0.182321556794 }],
    rows: [{ gate: 'ratio', finding: 'cleared' }],
  });
});

test('a rate alone leaves the paired difference shown, read by no gate', () => {
  const { document } = reportOf(runs[0][1]);
  expect(document.decisions[0]?.improvement).toMatchObject({ measure: 'right', value: 0.95 });
  expect(document.decisions[0]?.shown.map((each) => each.measure)).toEqual(['right']);
});

describe('the place of a candidate', () => {
  const cases = Array.from(
    { length: 20 },
    (_, at): CaseTable => ({
      id: `u${at}`,
      unit: `u${at}`,
      cells: { baseline: 0, a: at < 3 ? 1 : 0, b: 1 },
    }),
  );
  const candidates = ['a', 'b'];

  test.each<[string, unknown, readonly string[]]>([
    [
      'a fixed sequence',
      { sequence: ['b', 'a'] },
      [
        'Place 1 of 2 in the fixed sequence, at the full error: it and all before it cleared.',
        'Place 2 of 2 in the fixed sequence, at the full error: it or one before it did not clear.',
      ],
    ],
    [
      "Holm's order",
      'holm',
      [
        'Holm step 1 of 2: the interval is that of its step (error divided by 2).',
        "Not rejected in Holm's order: the interval is at error divided by 2.",
      ],
    ],
  ])('in %s is told alike in HTML and Markdown', (_name, multiplicity, places) => {
    const table = { cases, candidates, multiplicity };
    const { document, view } = reportOf(table);
    const html = renderHtml(view).replaceAll('&#39;', "'");
    const markdown = renderSummary(document, evidenceOf(table).seal).replaceAll('\\', '');
    for (const place of places) {
      expect(html).toContain(place);
      expect(markdown).toContain(place);
    }
    if (multiplicity !== 'holm') expect(html).not.toContain('error divided by');
  });
});
