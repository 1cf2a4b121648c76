import { describe, expect, test } from 'vitest';
import { renderHtml } from '../../src/report/html.ts';
import { binaryCases } from '../support/evidence.ts';
import { hostileTable, mixedTable, viewOf } from '../support/report.ts';

const hostile = renderHtml(viewOf(hostileTable));
const mixed = renderHtml(viewOf(mixedTable(90)));

describe('renderHtml', () => {
  test('shows decision and reason of every candidate, and the exit code', () => {
    expect(mixed).toContain('<h1>tables: better may ship</h1>');
    expect(mixed).toContain('better may ship: right improves by 0.3333');
    expect(mixed).toContain('worse is held: lift:right: the interval');
    expect(mixed).toContain('Exit code 0; evidence confirmatory.');
  });

  test.each([
    'decision',
    'effects',
    'candidate-better',
    'candidate-worse',
    'counts',
    'latency',
    'cost',
    'faults',
    'amendments',
    'provenance',
    'unchecked',
  ])('has the section %s, and the contents lead to it', (id) => {
    expect(mixed).toContain(`<h2 id="${id}">`);
    expect(mixed).toContain(`<a href="#${id}">`);
  });

  test('lists contributions with statistic, threshold, error level and n', () => {
    expect(mixed).toMatch(
      /lift:right<\/div><\/th><td[^>]*><div><span class="badge pass">pass<\/span> cleared<\/div><\/td><td[^>]*><div>\+0\.\d+<\/div><\/td><td[^>]*><div>0<\/div><\/td><td[^>]*><div>0\.0125<\/div><\/td><td[^>]*><div>90 units, 90 pairs, 180 cells, 30 discordant/,
    );
  });

  test('shows p95 as the maximum below twenty times and as a time from twenty on', () => {
    const few = renderHtml(viewOf({ cases: binaryCases({ gains: 19 }) }));
    expect(few).toContain('data-label="p95"><div>max 1 ms');
    const enough = renderHtml(viewOf({ cases: binaryCases({ gains: 20 }) }));
    expect(enough).toContain('data-label="p95"><div>1 ms');
    expect(enough).toContain('data-label="p99"><div>max 1 ms');
  });

  test('names faults by class and arm, and cells without an outcome', () => {
    expect(mixed).toContain(
      'infrastructureFault</div></th><td role="cell" data-label="arm"><div>worse',
    );
    expect(mixed).toContain('Cells that ended without an outcome are in no row: 1 of worse.');
  });

  test('says of provenance what was sealed, and what nobody can check', () => {
    expect(mixed).toMatch(/<dt>final seal<\/dt><dd><code class="digest">sha256:[0-9a-f]{64}/);
    expect(mixed).toContain('whether the host told the truth in its receipts');
  });

  test('escapes hostile units, claims and reasons', () => {
    expect(hostile).not.toMatch(/<script|<img|<iframe|<[^>]*\son\w+=/i);
    expect(hostile).toContain('&lt;script&gt;document.title=&quot;owned&quot;&lt;/script&gt;');
    expect(hostile).toContain('safe⟨U+202E⟩txt.exe');
    expect(hostile).toContain('zero⟨U+200B⟩width⟨U+0007⟩bell');
    expect(hostile).not.toMatch(/[\u200B\u202A-\u202E\u2066-\u2069]/);
  });

  test('shows what amendments changed, when, why, and who had seen what; nothing of the kind without one', () => {
    const cells = mixed.match(/<time>.*?<\/tr>/gs) ?? [];
    expect(cells).toHaveLength(2);
    expect(cells[0]).toContain('<time>2026-07-30T08:00:00.000Z</time>');
    expect(cells[0]).toContain('a tie must not ship');
    expect(cells[0]).toContain('<li><code>/spec/gates/0/threshold</code></li>');
    expect(cells[0]).toContain('and 2 members that follow from it');
    expect(cells[0]).toMatch(/1 exposure of the family, 0 final seals of the plan<details>/);
    expect(cells[0]).toContain('alice: the selection scores of better');
    expect(hostile).toContain('/spec/~1&lt;script&gt;alert(3)&lt;/script&gt;|x');
    const plain = renderHtml(viewOf({ cases: binaryCases({ gains: 19 }) }));
    expect(plain).not.toContain('mendment');
  });

  test('loads and runs nothing: no script, no link out, and a policy that forbids both', () => {
    for (const text of [mixed, hostile]) {
      expect(text).not.toMatch(/<(script|link|iframe|object|embed|base|form)\b/i);
      expect(text).not.toMatch(/<[^>]*\s(src|srcset|action|data)=/i);
      expect(text).not.toMatch(/url\(|@import/i);
      for (const [, target] of text.matchAll(/\shref="([^"]*)"/g)) expect(target).toMatch(/^#/);
      expect(text).toContain('content="default-src &#39;none&#39;; style-src');
    }
  });

  test('closes every element it opens', () => {
    const empty = new Set(['meta', 'br', 'line', 'rect', 'circle']);
    const open: string[] = [];
    for (const [, close, name = ''] of mixed.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (empty.has(name)) continue;
      if (close === '') open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });

  test('is the same text for the same view', () => {
    expect(renderHtml(viewOf(mixedTable(90)))).toBe(mixed);
  });

  test('shows a loss that the gains of its unit cover, and nothing of the kind without one', () => {
    const cases = [0, 1, 1].map((next, at) => ({
      id: `c${at}`,
      unit: 'gains',
      cells: { baseline: 1 - next, next },
    }));
    const text = renderHtml(viewOf({ cases: [...cases, ...binaryCases({ gains: 3 })] }));
    expect(text).toContain('1 of 1 units that did not get worse although pairs of theirs did');
    expect(text).toContain('Evidence of unit gains');
    expect(mixed).not.toContain('did not get worse although');
  });

  test('stays below 2 MB for 5,000 units and says how many regressions it leaves out', () => {
    const text = renderHtml(viewOf(mixedTable(5000)));
    expect(new TextEncoder().encode(text).length).toBeLessThan(2_000_000);
    expect(text).toMatch(/25 of 8\d\d units that got worse, worst first/);
    expect(text).toMatch(/; 5\d\d more are left out here and stand in the JSON report/);
  });
});
