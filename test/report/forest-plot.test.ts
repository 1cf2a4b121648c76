import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { axisPlace, axisSpan, axisTicks, forestPlot } from '../../src/report/forest-plot.ts';
import { binPlot, drawnValues, unitPlot } from '../../src/report/unit-plot.ts';
import { binaryCases } from '../support/evidence.ts';
import { exampleTests } from '../support/examples.ts';
import { hostileTable, mixedTable, viewOf } from '../support/report.ts';

exampleTests('src/report/forest-plot.ts', {
  names: ['axisSpan', 'axisPlace', 'axisTicks'],
  scope: { axisSpan, axisPlace, axisTicks },
});
exampleTests('src/report/unit-plot.ts', { names: ['drawnValues'], scope: { drawnValues } });

describe('axisSpan', () => {
  test('holds every value and zero, and has width where there is nothing to hold', () => {
    expect(axisSpan([])).toEqual({ lower: -1, upper: 1 });
    expect(axisSpan([3])).toEqual({ lower: -0.18, upper: 3.18 });
  });
});

describe('axisTicks', () => {
  test('are round, rising, inside the axis, and few', () => {
    const size = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(size, size, (below, above) => {
        const span = axisSpan([-below, above]);
        const ticks = axisTicks(span);
        expect(ticks.length).toBeGreaterThanOrEqual(1);
        expect(ticks.length).toBeLessThanOrEqual(6);
        expect([...ticks].sort((first, second) => first - second)).toEqual(ticks);
        for (const tick of ticks) {
          expect(tick).toBeGreaterThanOrEqual(span.lower);
          expect(tick).toBeLessThanOrEqual(span.upper);
        }
      }),
      { seed: 3 },
    );
  });
});

describe('forestPlot', () => {
  const [right, quality, harm] = viewOf(mixedTable(90)).measures.map(
    (each) => forestPlot(each).text,
  );

  test('draws a row per candidate with interval, estimate and the words that say the same', () => {
    expect(right?.match(/<svg class="forest" role="img"/g)).toHaveLength(2);
    expect(right).toMatch(
      /aria-label="better, right: \+0\.3333 \(\+0\.\d+ \.\. \+0\.\d+\) at level/,
    );
    expect(right).toContain('class="point cleared"');
    expect(right).toContain('class="point breached"');
  });

  test('draws and names threshold, margin and minimum effect with their values', () => {
    expect(right).toContain('threshold 0 (lift:right)');
    expect(right).toContain('minimum effect +0.1 (lift:right)');
    expect(quality).toContain('largest tolerated loss -0.2 (no-regression:quality)');
    expect(quality?.match(/<line class="mark margin"/g)).toHaveLength(3);
    expect(harm).toContain('No gate compares its interval with a value.');
    expect(harm).toContain('class="point open"');
  });

  test('says why a row has no interval', () => {
    const measure = viewOf({ cases: binaryCases({ gains: 1 }) }).measures[0];
    if (measure === undefined) throw new Error('the table has a measure');
    const text = forestPlot(measure).text;
    expect(text).toContain('no interval: one unit carries no inference about new units');
    expect(text).not.toContain('class="interval"');
  });
});

describe('unitPlot', () => {
  test('draws runs of equal units as one bar each and counts them in words', () => {
    const [primary] = viewOf(hostileTable).candidates[0]?.differences ?? [];
    if (primary === undefined) throw new Error('the table has a primary measure');
    const text = unitPlot(primary).text;
    expect(text.match(/<rect/g)).toHaveLength(2);
    expect(text).toContain('right by unit from -1 to +1: 8 worse, 0 equal, 20 better');
  });
});

describe('drawnValues', () => {
  test('keeps the outermost of many values and never adds one', () => {
    const values = Array.from({ length: 5000 }, (_, at) => at);
    const drawn = drawnValues(values);
    expect([drawn.length, drawn[0], drawn.at(-1)]).toEqual([500, 0, 4999]);
    expect(new Set(drawn).size).toBe(500);
  });
});

describe('binPlot', () => {
  test('draws filled bins alone', () => {
    expect(binPlot([0, 4, 2], 'times').text.match(/<rect class="bin" x="\d"/g)).toEqual([
      '<rect class="bin" x="1"',
      '<rect class="bin" x="2"',
    ]);
  });
});
