import { describe, expect, test } from 'vitest';
import { groupSequentialBounds, type ShapedDesign } from '../../src/stats/group-sequential.ts';
import { expectRefusal } from '../support/statistics.ts';

const two: ShapedDesign = { design: 'pocock', looks: 2, significanceLevel: 0.05, sides: 2 };

describe('looks where the information is as declared', () => {
  test.each(['pocock', 'obrien-fleming'] as const)(
    '%s: equal steps may be written out',
    (design) => {
      const plain = groupSequentialBounds({ ...two, design, looks: 4 });
      const written = groupSequentialBounds({
        ...two,
        design,
        looks: 4,
        information: [0.25, 0.5, 0.75, 1],
      });
      expect(written.constant).toBeCloseTo(plain.constant ?? 0, 9);
      plain.criticalZ.forEach((z, look) => {
        expect(written.criticalZ[look]).toBeCloseTo(z, 9);
        expect(written.stageError[look]).toBeCloseTo(plain.stageError[look] ?? 0, 9);
      });
    },
  );

  test('O’Brien-Fleming bounds fall with the root of the information, Pocock’s stay, and both spend the error', () => {
    const information = [0.2, 0.7, 1];
    const falling = groupSequentialBounds({
      ...two,
      design: 'obrien-fleming',
      looks: 3,
      information,
    });
    information.forEach((share, look) => {
      expect(falling.criticalZ[look]).toBeCloseTo((falling.constant ?? 0) / Math.sqrt(share), 12);
    });
    const flat = groupSequentialBounds({ ...two, looks: 3, information });
    expect(flat.criticalZ).toEqual([flat.constant, flat.constant, flat.constant]);
    for (const found of [falling, flat]) {
      expect(found.cumulativeError[2]).toBeCloseTo(0.05, 9);
      found.criticalZ.forEach((_, look) => {
        const spent = found.stageError.slice(0, look + 1).reduce((sum, error) => sum + error, 0);
        expect(found.cumulativeError[look]).toBeCloseTo(spent, 15);
      });
    }
    // A first look is an ordinary test: its error is that of its own critical value.
    expect(flat.stageError[0]).toBeCloseTo(flat.nominalP[0] ?? 0, 12);
  });

  test('one look is the ordinary test, one-sided and two-sided', () => {
    const both = groupSequentialBounds({ ...two, looks: 1 });
    expect(both.constant).toBeCloseTo(1.959963984540054, 12);
    expect(both.nominalP[0]).toBeCloseTo(0.05, 12);
    const one = groupSequentialBounds({ ...two, looks: 1, sides: 1 });
    expect(one.constant).toBeCloseTo(1.6448536269514722, 12);
    expect(one.cumulativeError[0]).toBeCloseTo(0.05, 12);
  });

  test('published constants: Pocock 2.178 and 2.289, O’Brien-Fleming 1.977 and 2.004 at two and three looks', () => {
    const constantOf = (design: ShapedDesign['design'], looks: number): number =>
      groupSequentialBounds({ ...two, design, looks }).constant ?? 0;
    expect(constantOf('pocock', 2)).toBeCloseTo(2.178, 3);
    expect(constantOf('pocock', 3)).toBeCloseTo(2.289, 3);
    expect(constantOf('obrien-fleming', 2)).toBeCloseTo(1.977, 3);
    expect(constantOf('obrien-fleming', 3)).toBeCloseTo(2.004, 3);
  });

  test('spending designs have no constant', () => {
    const spent = groupSequentialBounds({
      design: 'spending-pocock',
      information: [0.5, 1],
      significanceLevel: 0.025,
    });
    expect('constant' in spent).toBe(false);
    // 0.025 ln(1 + (e − 1)/2) at half of the information.
    expect(spent.stageError[0]).toBeCloseTo(0.025 * Math.log(1 + (Math.E - 1) / 2), 10);
    expect(spent.cumulativeError[1]).toBeCloseTo(0.025, 9);
  });

  test('refuses what cannot be, by name', () => {
    expectRefusal(
      () => groupSequentialBounds({ ...two, significanceLevel: 1 }),
      'significanceLevel must be a probability strictly between 0 and 1, got 1',
    );
    expectRefusal(
      () => groupSequentialBounds({ ...two, looks: 0 }),
      'looks must be a whole number of at least 1, got 0',
    );
    expectRefusal(
      () => groupSequentialBounds({ ...two, looks: 31 }),
      '30 - looks must be a whole number of at least 0, got -1',
    );
    for (const information of [[0.2, 0.5, 1], [1]]) {
      expectRefusal(
        () => groupSequentialBounds({ ...two, information }),
        'information - looks must be a whole number of at least 0, got -1',
      );
    }
    for (const information of [[0, 1], [0.5, 0.5], [0.7, 0.3], [0.5, 0.9], [0.5, 1.1], []]) {
      expectRefusal(
        () => groupSequentialBounds({ ...two, information }),
        `information must rise from above 0 and end at 1, got ${information.join(', ')}`,
      );
      expectRefusal(
        () =>
          groupSequentialBounds({
            design: 'spending-obrien-fleming',
            information,
            significanceLevel: 0.025,
          }),
        `information must rise from above 0 and end at 1, got ${information.join(', ')}`,
      );
    }
  });
});
