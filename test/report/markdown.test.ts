import { describe, expect, test } from 'vitest';
import { type DecisionDocument, decide } from '../../src/report/decision.ts';
import { escapeMarkdown, renderSummary, uncheckable } from '../../src/report/markdown.ts';
import { binaryCases, type EvidenceTable, evidenceOf } from '../support/evidence.ts';
import { amendmentOf } from '../support/report.ts';

const noInfo = { expose: null, fence: null, startedAt: null, endedAt: null };

function decidedOf(table: EvidenceTable): { document: DecisionDocument; text: string } {
  const evidence = evidenceOf(table);
  const document = decide(evidence, noInfo);
  return { document, text: renderSummary(document, evidence.seal) };
}

/** Cells of every table row of a Markdown text. */
function tableRows(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.slice(2, -2).split(/(?<!\\) \| /));
}

describe('escapeMarkdown', () => {
  test.each([
    ['a|b', 'a\\|b'],
    ['<img src=x onerror=alert(1)>', '\\<img src=x onerror=alert(1)\\>'],
    ['[x](http://y)', '\\[x\\](http://y)'],
    ['# head\n\n* list `code`', '\\# head \\* list \\`code\\`'],
    ['a\\b', 'a\\\\b'],
    ['  spaces \t ', 'spaces'],
    ['', ''],
  ])('makes %j harmless', (text, safe) => {
    expect(escapeMarkdown(text)).toBe(safe);
  });
});

describe('renderSummary', () => {
  test('shows decision, numbers, gates, funnel, run and what stays unchecked', () => {
    const { text } = decidedOf({ cases: binaryCases({ gains: 12, losses: 1, both: 7 }) });
    const headings = text.split('\n').filter((line) => line.startsWith('#'));
    expect(headings).toEqual([
      '# tables: next may ship',
      '## next: ship',
      '## From rows to cases',
      '## Run',
      '## What cannot be checked',
    ]);
    expect(text.endsWith('\n')).toBe(true);
    expect(text).toContain('Units that got worse: 1 (u013).');
    expect(text).toContain('- attempts: 40 completed; cost 0.4 USD known');
    expect(tableRows(text)[2]?.slice(0, 2)).toEqual(['next', '**ship**']);
  });

  test('shows amendments: what changed, when, why, and who had seen what', () => {
    const many = Array.from({ length: 15 }, (_, at) => `/spec/measures/m|${at}`);
    const changed = many.map((pointer) => ({ pointer, from: null, to: null }));
    const { text } = decidedOf({
      cases: binaryCases({ gains: 12 }),
      amendments: [amendmentOf(), amendmentOf({ changed, reason: 'more\n## measures' })],
    });
    expect(text).toContain('\n## Amendments of the plan\n');
    const [first, second] = tableRows(text).filter(([when]) => when?.startsWith('2026-07-30'));
    expect(first).toEqual([
      '2026-07-30T08:00:00.000Z',
      '/spec/gates/0/threshold, and 2 members that follow from it',
      'a tie must not ship',
      '1 exposure of the family, 0 final seals of the plan',
      'alice: the selection scores of better',
    ]);
    expect(second?.[1]).toMatch(/^\/spec\/measures\/m\\\|0, .*m\\\|11, 3 more$/);
    expect(second?.[2]).toBe('more \\#\\# measures');
  });

  test('has as many cells in every row as in the head of its table', () => {
    const { text } = decidedOf({
      cases: binaryCases({ gains: 3, losses: 2, both: 7 }),
      candidates: ['next', 'odd-one'],
      measures: {
        right: { kind: 'binary', role: 'primary', direction: 'higher' },
        polite: { kind: 'binary', role: 'reported', direction: 'higher' },
      },
    });
    let width = 0;
    let before = '';
    const ragged = text.split('\n').filter((line) => {
      const cells = line.startsWith('|') ? line.split(/(?<!\\)\|/).length : 0;
      if (!before.startsWith('|')) width = cells;
      before = line;
      return cells !== 0 && cells !== width;
    });
    expect(ragged).toEqual([]);
  });

  test('says where in the order of several candidates an interval comes from', () => {
    const cases = binaryCases({ gains: 14, both: 6 }).map((each) => ({
      ...each,
      cells: { ...each.cells, other: 1 },
    }));
    const { text } = decidedOf({ cases, candidates: ['next', 'other'] });
    expect(text).toContain(
      'Holm step 1 of 2: the interval is that of its step (error divided by 2).',
    );
  });

  test('says what would settle an open question', () => {
    const { text, document } = decidedOf({
      cases: binaryCases({ gains: 4, losses: 1, both: 10 }),
      claim: { minimumEffect: 0.1 },
    });
    expect(document.decisions[0]?.decision).toBe('need_more_work');
    expect(text).toContain('What would settle it');
    expect(text).toMatch(/\| lift:right \| 0\.8 \| .*units \(\d+ more\)/);
  });

  test('lets no text of the experiment break out of its place', () => {
    const { text } = decidedOf({
      cases: binaryCases({ gains: 12, both: 8 }),
      claim: {
        decision: 'Replace | it\n\n## next: hold <script>',
        population: { id: 'tables', description: '[click](http://x) `x`' },
      },
    });
    expect(text.split('\n').filter((line) => line.startsWith('## next'))).toEqual([
      '## next: ship',
    ]);
    expect(text).toContain('Replace \\| it \\#\\# next: hold \\<script\\>');
    expect(text).toContain('\\[click\\](http://x) \\`x\\`');
  });

  test('shows faults and unknown cost as such', () => {
    const [first, ...others] = binaryCases({ gains: 10, both: 5 });
    if (first === undefined) throw new Error('there are cases');
    const lost = { ...first, cells: { ...first.cells, next: 'infrastructureFault' as const } };
    const { text } = decidedOf({ cases: [lost, ...others] });
    expect(text).toContain('1 infrastructureFault');
    expect(text).toContain('- faults: 1 infrastructureFault (no code) in next');
  });

  test('is equal for equal documents', () => {
    const table = { cases: binaryCases({ gains: 5, both: 5 }) };
    expect(decidedOf(table).text).toBe(decidedOf(table).text);
  });
});

describe('uncheckable', () => {
  test('lists the limits of every verification, then what the seal could not pin', () => {
    const { seal } = evidenceOf({ cases: binaryCases({ gains: 1 }) });
    const list = uncheckable({ ...seal, unpinned: ['model x as served to the host'] });
    expect(list.length).toBe(6);
    expect(list.at(-1)).toBe('not pinned by the seal: model x as served to the host');
  });
});
