import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EvidenceLine } from '../../src/run/measured-line.ts';
import { instantMs, wallMinutesOf } from '../../src/run/wall-time.ts';
import { binaryCases, evidenceOf } from '../support/evidence.ts';

describe('instantMs', () => {
  test('is what the calendar of the engine says, for every day and zone', () => {
    const last = Date.UTC(2400, 0, 1);
    const time = fc.tuple(
      fc.integer({ min: Date.UTC(1600, 0, 1), max: last }),
      fc.integer({ min: -14 * 60, max: 14 * 60 }),
    );
    fc.assert(
      fc.property(time, ([ms, zone]) => {
        const sign = zone < 0 ? '-' : '+';
        const two = (value: number): string => String(Math.abs(value)).padStart(2, '0');
        const written = new Date(ms + zone * 60_000).toISOString().replace('Z', '');
        const text = `${written}${sign}${two(Math.trunc(zone / 60))}:${two(zone % 60)}`;
        expect(instantMs(text)).toBeCloseTo(ms, 3);
        expect(instantMs(new Date(ms).toISOString())).toBeCloseTo(ms, 3);
      }),
      { seed: 20261130, numRuns: 2000 },
    );
  });

  test.each([
    ['1970-01-01T00:00:00Z', 0],
    ['2024-02-29T12:00:00.5Z', 1_709_208_000_500],
    ['2000-03-01T00:00:00+02:00', 951_861_600_000],
    ['1969-12-31T23:59:59Z', -1000],
  ])('%s', (text, ms) => {
    expect(instantMs(text)).toBe(ms);
  });

  test.each([
    '',
    'now',
    '2026-01-01',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T00:00:00',
  ])('does not guess what "%s" means', (text) => {
    expect(instantMs(text)).toBeNull();
  });
});

/** A receipt whose attempt ran from one minute of a day to another. */
function line(from: number, to: number, fence = 'a'): EvidenceLine {
  const [some] = evidenceOf({ cases: binaryCases({ gains: 1 }) }).lines;
  if (some === undefined) throw new Error('no line');
  const at = (minute: number): string => new Date(minute * 60_000).toISOString();
  const timing = { ...some.receipt.timing, startedAt: at(from), endedAt: at(to) };
  return { ...some, fence, receivedAt: at(to), receipt: { ...some.receipt, timing } };
}

describe('wallMinutesOf', () => {
  test('counts a session from its first start to its last receipt, waiting included', () => {
    expect(wallMinutesOf([line(10, 11), line(15, 17.5)], [])).toBe(7.5);
    expect(wallMinutesOf([line(15, 17.5), line(10, 11)], [])).toBe(7.5);
  });

  test('leaves out what lies between two sessions', () => {
    expect(wallMinutesOf([line(0, 2, 'a'), line(500, 503, 'b')], [])).toBe(5);
  });

  test('counts an attempt whose fence was taken over once', () => {
    expect(wallMinutesOf([line(0, 10, 'a'), line(5, 12, 'b')], [])).toBe(12);
  });

  test('counts controls while they ran, several at a time once', () => {
    expect(wallMinutesOf([line(10, 12)], [line(0, 3), line(1, 2), line(2, 4), line(8, 9)])).toBe(7);
  });

  test('does not know it from times that cannot be read or run backwards', () => {
    const unread: EvidenceLine = { ...line(0, 1), receivedAt: '' };
    expect(wallMinutesOf([unread], [])).toBeNull();
    expect(wallMinutesOf([line(0, 1)], [unread])).toBeNull();
    expect(wallMinutesOf([line(2, 1)], [])).toBeNull();
    expect(wallMinutesOf([], [])).toBe(0);
  });
});
