import { describe, expect, test } from 'vitest';
import {
  annotationMessage,
  annotationProperty,
  renderAnnotations,
  renderOutputs,
  renderStepSummary,
  summaryLimitBytes,
} from '../../src/report/github.ts';
import { binaryCases, type EvidenceTable } from '../support/evidence.ts';
import { exampleTests } from '../support/examples.ts';
import { hostileTable, hostileUnits, mixedTable, viewOf } from '../support/report.ts';

exampleTests('src/report/github.ts', {
  names: ['annotationProperty', 'annotationMessage'],
  scope: { annotationProperty, annotationMessage },
});

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

describe('renderAnnotations', () => {
  test.each<[string, EvidenceTable, RegExp]>([
    [
      'a notice for ship',
      { cases: binaryCases({ gains: 20 }) },
      /^::notice title=tables%3A next ship::next may ship: .*\n$/,
    ],
    [
      'an error for hold',
      { cases: binaryCases({ losses: 30 }) },
      /^::error title=tables%3A next hold::next is held: .*\n$/,
    ],
    [
      'a warning for need_more_work',
      { cases: binaryCases({ gains: 3, losses: 2 }) },
      /^::warning title=tables%3A next need_more_work::next needs more work: .*\n$/,
    ],
    [
      'an error titled infrastructure where only faults stand in the way',
      {
        cases: [
          ...binaryCases({ gains: 20 }),
          { id: 'x', unit: 'x', cells: { baseline: 0, next: 'infrastructureFault' } },
        ],
      },
      /^::error title=infrastructure::next needs more work: .*\n$/,
    ],
  ])('gives %s', (_, table, pattern) => {
    expect(renderAnnotations(viewOf(table))).toMatch(pattern);
  });

  test('gives at most ten of a kind, the last one counting the rest', () => {
    const candidates = Array.from({ length: 14 }, (_, at) => `c${at}`);
    const cases = binaryCases({ losses: 40 }).map((each) => ({
      ...each,
      cells: { baseline: 1, ...Object.fromEntries(candidates.map((id) => [id, 0])) },
    }));
    const lines = renderAnnotations(viewOf({ candidates, cases })).trimEnd().split('\n');
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toMatch(/^::error title=.*::5 more candidates; see the summary$/);
  });

  test('escapes what would end a command, a property or a line', () => {
    expect(annotationMessage('a%b\r\nc ##[error]')).toBe('a%25b c ## [error]');
    expect(annotationProperty('a,b:c')).toBe('a%2Cb%3Ac');
  });
});

describe('renderStepSummary', () => {
  test('shows decisions, gates and regressed units', () => {
    const text = renderStepSummary(viewOf(mixedTable(90)));
    expect(text).toMatch(/^## tables: better may ship\n/);
    expect(text).toContain('| better | **ship** | right +0.3333');
    expect(text).toContain('| lift:right | fail, breached |');
    expect(text).toMatch(/### Units that got worse: \d+\n/);
    expect(text).toMatch(/\| unit-15 \| worse \| right \| -1 \| 1 \|/);
  });

  test('keeps hostile text inside its cell: no command, no markup, no line of its own', () => {
    const text = renderStepSummary(viewOf(hostileTable));
    for (const line of text.split('\n')) expect(line).toMatch(/^($|## |### |\| |Exit code )/);
    expect(text).not.toContain('##[');
    expect(text).not.toMatch(/(^|[^\\])<script/);
    expect(text).toContain('| ::error title=x::owned |'.replaceAll('::', ':&#58;'));
    const rows = text.split('\n').filter((line) => line.endsWith('| next | right | -1 | 1 |'));
    expect(rows).toHaveLength(hostileUnits.length);
    for (const line of rows) expect(line.match(/(?<!\\)\|/g)).toHaveLength(6);
  });

  test('is cut below its limit, worst first, and says how many units are left out', () => {
    const view = viewOf({ cases: binaryCases({ losses: 400, gains: 10 }) });
    const cut = renderStepSummary(view, 4000);
    expect(bytesOf(cut)).toBeLessThanOrEqual(4000);
    const shown = cut.match(/^\| u\d{3} /gm) ?? [];
    expect(shown[0]).toBe('| u011 ');
    expect(cut).toContain(`\n${400 - shown.length} more units that got worse are left out.\n`);
    expect(renderStepSummary(view)).not.toContain('left out');
  });

  test('stays below 900 KB by itself', () => {
    const long = 'x'.repeat(3000);
    const cases = binaryCases({ losses: 400 }).map((each) => ({
      ...each,
      unit: `${each.unit}${long}`,
    }));
    const text = renderStepSummary(viewOf({ cases }));
    expect(bytesOf(text)).toBeLessThanOrEqual(summaryLimitBytes);
    expect(text).toMatch(/\n1\d\d more units that got worse are left out\.\n$/);
  });
});

describe('renderOutputs', () => {
  test('gives every value under the delimiter and none a line break', () => {
    const view = viewOf({ cases: binaryCases({ gains: 20 }) });
    expect(renderOutputs(view, { runDigest: 'sha256:x', delimiter: 'D' })).toBe(
      `decision<<D\nship\nD\nexit-code<<D\n0\nD\nseal-digest<<D\n${view.run.sealDigest}\nD\nrun-digest<<D\nsha256:x\nD\n`,
    );
  });
});
