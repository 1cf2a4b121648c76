/** Redraws of an A/A round against the law of the schedule, enumerated. */
import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../src/analysis/evidence.ts';
import { canonicalText } from '../../src/base/canonical.ts';
import { digestOf } from '../../src/base/digest.ts';
import { AaRedraws, AaTally, aaBlocks } from '../../src/gate/aa.ts';
import { aaNoise, aaOutputs } from '../../src/gate/aa-noise.ts';
import { type CaseTable, evidenceOf } from '../support/evidence.ts';

const seed = 'ab'.repeat(32);

/** Evidence of n units with one case each in which the calls of a block give these values, by place. */
function byPlace(units: number, valueAt: (place: number, unit: number) => number | null): Evidence {
  const cases = (cells: (unit: number) => CaseTable['cells']): CaseTable[] =>
    Array.from({ length: units }, (_, unit) => ({
      id: `c${unit}`,
      unit: `u${unit}`,
      cells: cells(unit),
    }));
  const plain = evidenceOf({ cases: cases(() => ({ baseline: 0, next: 0 })) });
  const places = new Map(
    aaBlocks(plain).map((block) => [
      block.case,
      new Map(block.cells.map(({ arm }, place) => [arm, place])),
    ]),
  );
  const value = (arm: string, unit: number): number | null =>
    valueAt(places.get(`c${unit}`)?.get(arm) ?? 0, unit);
  return evidenceOf({
    cases: cases((unit) => ({ baseline: value('baseline', unit), next: value('next', unit) })),
  });
}

/** Units in which the candidate's value is above the baseline's. */
function winsOf({ lines }: Evidence): number {
  const score = (arm: string, id: string) =>
    lines.find(({ cell }) => cell.arm === arm && cell.case === id)?.receipt.scores['right'] ?? 0;
  const ids = [...new Set(lines.map(({ cell }) => cell.case))];
  return ids.filter((id) => score('next', id) > score('baseline', id)).length;
}

describe('AaRedraws', () => {
  test('give the answers to the arms as often as the schedule would', () => {
    // The first call of each block is right, the second wrong. Of six blocks the first four are a whole group, with two orders each
    // way; the last two come from a shuffled group of four: both the same way in 1 of 6 cases each, one each way in 4 of 6.
    const redraws = new AaRedraws(
      byPlace(6, (place) => 1 - place),
      6,
    );
    const draws = 3000;
    const counts = new Map<number, number>();
    for (let number = 0; number < draws; number += 1) {
      const wins = winsOf(redraws.draw(seed, number));
      counts.set(wins, (counts.get(wins) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([2, 3, 4]);
    for (const [wins, share] of [
      [2, 1 / 6],
      [3, 4 / 6],
      [4, 1 / 6],
    ] as const) {
      const deviation = Math.sqrt(draws * share * (1 - share));
      expect(Math.abs((counts.get(wins) ?? 0) - draws * share)).toBeLessThan(4 * deviation);
    }
  });

  test('keep every answer once and every arm once in each block', () => {
    const round = byPlace(5, (place, unit) => (place + unit) % 2);
    const drawn = new AaRedraws(round, 5).draw(seed, 7);
    const receipts = ({ lines }: Evidence) =>
      lines.map(({ receipt }) => canonicalText(receipt)).sort();
    expect(receipts(drawn)).toEqual(receipts(round));
    for (const { id } of drawn.index.rows.filter((row) => 'id' in row)) {
      const arms = drawn.lines.filter(({ cell }) => cell.case === id).map(({ cell }) => cell.arm);
      expect(arms.sort()).toEqual(['baseline', 'next']);
    }
  });

  test('draw units with replacement where more are planned, each under a name of its own', () => {
    const drawn = new AaRedraws(
      byPlace(2, () => 1),
      9,
    ).draw(seed, 0);
    expect(new Set(drawn.lines.map(({ cell }) => cell.unit)).size).toBe(9);
    const tally = new AaTally();
    tally.add(drawn);
    expect(tally.gates.find(({ gate }) => gate === 'completeness')).toMatchObject({ cleared: 1 });
    expect(tally).toMatchObject({ decisions: 1, ships: 0 });
  });

  test('are fixed by seed and number', () => {
    const redraws = new AaRedraws(
      byPlace(8, (place) => place),
      8,
    );
    expect(redraws.draw(seed, 3)).toEqual(redraws.draw(seed, 3));
    const first = redraws.draw(seed, 3).lines.map(({ cell }) => cell.arm);
    expect(redraws.draw(seed, 4).lines.map(({ cell }) => cell.arm)).not.toEqual(first);
  });
});

describe('aaNoise', () => {
  test('sees a place effect that no ship rate shows', () => {
    const [right] = aaNoise([byPlace(8, (place, unit) => (unit < 6 ? 1 - place : 1))], seed);
    // Six of eight units lose 1 at the second call: t of (-1 x 6, 0 x 2), and 2 of 2^6 sign vectors.
    expect(right?.place).toMatchObject({
      units: 8,
      difference: -0.75,
      p: 2 / 64,
      adjusted: 2 / 64,
    });
    expect(right?.place?.interval?.lower).toBeCloseTo(
      -0.75 - 2.364624251 * Math.sqrt(0.1875 / 7),
      8,
    );
    expect(right).toMatchObject({ units: 8, blocks: 8, tied: 2, differing: { units: 6 } });
  });

  test('counts a unit with lost values as none, and has no numbers without units', () => {
    const some = byPlace(3, (place, unit) => (unit === 0 && place === 1 ? null : 1));
    expect(aaNoise([some], seed)[0]).toMatchObject({ units: 2, blocks: 2, tied: 2 });
    expect(aaNoise([byPlace(2, () => null)], seed)[0]).toEqual({
      measure: 'right',
      scale: 'own',
      units: 0,
      blocks: 0,
      tied: 0,
      differing: { units: 0, interval: null },
      cellDeviation: null,
      unitDeviation: null,
      place: null,
    });
  });

  test('counts blocks whose outputs are equal byte for byte', () => {
    const round = byPlace(4, () => 1);
    expect(aaOutputs([round])).toEqual({ blocks: 0, equal: 0 });
    const said = (text: (arm: string, id: string) => string): Evidence => ({
      ...round,
      lines: round.lines.map((line) => ({
        ...line,
        receipt: {
          ...line.receipt,
          artifact: {
            digest: digestOf(text(line.cell.arm, line.cell.case)),
            mediaType: 'text/plain',
            inline: '',
            bytes: 2,
          },
        },
      })),
    });
    expect(aaOutputs([said((_, id) => id)])).toEqual({ blocks: 4, equal: 4 });
    const other = said((arm, id) => (id === 'c0' ? arm : id));
    expect(aaOutputs([other, other])).toEqual({ blocks: 8, equal: 6 });
  });
});
