import { describe, expect, test } from 'vitest';
import { renderJUnit } from '../../src/report/junit.ts';
import { binaryCases } from '../support/evidence.ts';
import { hostileTable, mixedTable, viewOf } from '../support/report.ts';
import { readXml, type XmlNode } from '../support/xml.ts';

function suiteOf(xml: string): XmlNode {
  const suite = readXml(xml).children[0]?.children[0];
  if (suite === undefined) throw new Error('no suite');
  return suite;
}

function casesOf(xml: string): XmlNode[] {
  return suiteOf(xml).children.filter((each) => each.name === 'testcase');
}

/** Class, name and what happened, by case. */
function outcomesOf(xml: string): string[] {
  return casesOf(xml).map(({ attributes, children }) => {
    const kind = children.map((each) => each.name).filter((name) => name !== 'system-out');
    return `${attributes['classname']} ${attributes['name']}: ${kind.join('') || 'passed'}`;
  });
}

describe('renderJUnit', () => {
  test('has a case per decision and gate of several candidates, and the same totals', () => {
    const xml = renderJUnit(viewOf(mixedTable(90)));
    expect(outcomesOf(xml)).toEqual([
      'tables.decisions better: passed',
      'tables.gates better lift:right: passed',
      'tables.gates better no-regression:quality: passed',
      'tables.gates better completeness: passed',
      'tables.gates better controls: passed',
      'tables.gates better provenance: passed',
      'tables.gates better critical:harm: passed',
      'tables.decisions worse: failure',
      'tables.gates worse lift:right: failure',
      'tables.gates worse no-regression:quality: passed',
      'tables.gates worse completeness: error',
      'tables.gates worse controls: passed',
      'tables.gates worse provenance: passed',
      'tables.gates worse critical:harm: error',
    ]);
    expect(suiteOf(xml).attributes).toMatchObject({
      name: 'tables',
      tests: '14',
      failures: '2',
      errors: '2',
      skipped: '0',
      timestamp: '2026-08-01T00:00:00.000Z',
    });
  });

  test('skips an optional gate that was not evaluated and never reads it as a success', () => {
    const table = {
      cases: binaryCases({ gains: 20, both: 5 }).map((each) => ({ ...each, applies: ['right'] })),
      gates: [
        { gate: 'lift', measure: 'right' },
        { gate: 'no-regression', measure: 'other', margin: 0.1, required: false },
      ],
      measures: {
        right: { kind: 'binary', role: 'primary', direction: 'higher' },
        other: { kind: 'binary', role: 'reported', direction: 'higher' },
      },
    };
    const view = viewOf(table);
    expect(view.exitCode).toBe(0);
    expect(outcomesOf(renderJUnit(view))).toContain('tables.gates no-regression:other: skipped');
  });

  test('makes an outage an error, a hold a failure, and a capped decision no success', () => {
    const cases = binaryCases({ gains: 20 });
    const first = cases[0];
    if (first === undefined) throw new Error('a case');
    const outage = viewOf({
      cases: [{ ...first, cells: { baseline: 0, next: 'infrastructureFault' } }, ...cases.slice(1)],
    });
    expect(outage.exitCode).toBe(30);
    expect(outcomesOf(renderJUnit(outage))[0]).toBe('tables.decisions next: error');
    const held = viewOf({ cases: binaryCases({ losses: 30 }) });
    expect(outcomesOf(renderJUnit(held))[0]).toBe('tables.decisions next: failure');
    const capped = viewOf({ cases, claim: { use: 'development' } });
    expect(capped.exitCode).toBe(21);
    expect(outcomesOf(renderJUnit(capped))[0]).toBe('tables.decisions next: failure');
  });

  test('puts the text in the body, since readers ignore the message', () => {
    const held = renderJUnit(viewOf({ cases: binaryCases({ losses: 30 }) }));
    const lift = casesOf(held).find((each) => each.attributes['name'] === 'lift:right');
    expect(lift?.children[0]?.text).toMatch(
      /^fail, breached: the interval .* lies wholly at or below 0 \(statistic -.*, threshold 0, error level 0\.025, n 30 units\)$/,
    );
    expect(lift?.children[0]?.attributes['message']).toBe(lift?.children[0]?.text);
  });

  test('lists units on request: a regression is no failure, a unit without a pair is skipped', () => {
    const xml = renderJUnit(
      viewOf({
        cases: [
          ...binaryCases({ gains: 2, losses: 1 }),
          { id: 'lost', unit: 'lost', cells: { baseline: 1, next: 'infrastructureFault' } },
        ],
      }),
      { units: true },
    );
    expect(outcomesOf(xml).filter((each) => each.startsWith('tables.units'))).toEqual([
      'tables.units u003: passed',
      'tables.units u001: passed',
      'tables.units u002: passed',
      'tables.units lost: skipped',
    ]);
    expect(xml).toContain('<system-out>right -1 over 1 pairs: got worse</system-out>');
  });

  test('caps units worst first and says how many are left out', () => {
    const xml = renderJUnit(viewOf({ cases: binaryCases({ gains: 90, losses: 10 }) }), {
      units: true,
      unitBytes: 1000,
    });
    const units = casesOf(xml).filter((each) => each.attributes['classname'] === 'tables.units');
    expect(units.map((each) => each.attributes['name'])).toEqual([
      'u091',
      'u092',
      'u093',
      'u094',
      'u095',
      'u096',
      'u097',
      'u098',
    ]);
    expect(xml).toContain(
      `${100 - units.length} units are left out; the JSON report holds all of them.`,
    );
    expect(suiteOf(xml).attributes['tests']).toBe(String(casesOf(xml).length));
  });

  test('stays XML with hostile units, whose names stay distinct', () => {
    const xml = renderJUnit(viewOf(hostileTable), { units: true });
    const names = casesOf(xml).map(
      (each) => `${each.attributes['classname']} ${each.attributes['name']}`,
    );
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('tables.units <script>document.title="owned"</script>');
    expect(names).toContain('tables.units &lt;b&gt; &amp; ]]>');
    expect(names).toContain('tables.units zero⟨U+200B⟩width⟨U+0007⟩bell');
  });
});
