import { describe, expect, test } from 'vitest';
import { createProgress, type ProgressState, progressText } from '../../src/cli/progress.ts';

function state(changes: Partial<ProgressState>): ProgressState {
  return { settled: 0, lost: 0, planned: 100, faults: 0, elapsedMs: 0, ...changes };
}

describe('progressText', () => {
  test.each([
    [{ settled: 50, elapsedMs: 5000, faults: 1 }, '50/100 cells, 10.0/s, 5s left, 1 fault'],
    [{}, '0/100 cells, 0.0/s, ? left'],
    [{ settled: 1, elapsedMs: 1000 }, '1/100 cells, 1.0/s, 1m39s left'],
    [{ settled: 1, elapsedMs: 60_000 }, '1/100 cells, 0.0/s, 1h39m left'],
    [
      { settled: 98, lost: 2, faults: 6, elapsedMs: 9 },
      '98/100 cells, 11111.1/s, 0s left, 2 lost, 6 faults',
    ],
    [{ planned: 0 }, '0/0 cells, 0.0/s, 0s left'],
  ])('shows %j as "%s"', (changes, text) => {
    expect(progressText(state(changes))).toBe(text);
  });

  test('never shows sixty seconds of a minute', () => {
    const left = progressText(state({ settled: 1, planned: 2, elapsedMs: 119_500 }));
    expect(left).toBe('1/2 cells, 0.0/s, 2m0s left');
  });

  test('takes the rate from this session alone', () => {
    const resumed = state({ settled: 60, elapsedMs: 1000 });
    expect(progressText(resumed, 50)).toBe('60/100 cells, 10.0/s, 4s left');
  });
});

function drawn(isTerminal: boolean, states: readonly ProgressState[], columns = 60): string[] {
  const texts: string[] = [];
  const progress = createProgress({ isTerminal, columns, write: (text) => texts.push(text) });
  for (const each of states) progress.show(each);
  progress.finish();
  return texts;
}

const steps = Array.from({ length: 101 }, (_, settled) => state({ settled, elapsedMs: settled }));

describe('createProgress', () => {
  test('writes a plain line per tenth where nobody watches, the last one included', () => {
    const lines = drawn(false, steps);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(
      [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((settled) => `${settled}/100`),
    );
    expect(lines.every((line) => line.endsWith('left\n'))).toBe(true);
  });

  test('writes one plain line for an empty schedule', () => {
    const empty = state({ planned: 0 });
    expect(drawn(false, [empty, empty])).toEqual(['0/0 cells, 0.0/s, 0s left\n']);
  });

  test('redraws one bar on a terminal, at most ten times a second, and ends its line', () => {
    const texts = drawn(true, steps);
    expect(texts.at(-1)).toBe('\n');
    const bars = texts.slice(0, -1);
    expect(bars).toHaveLength(2);
    expect(bars[0]).toBe(`\r\u001B[K[${'.'.repeat(30)}] 0/100 cells, 0.0/s, ? left`);
    expect(bars[1]).toBe(`\r\u001B[K[${'#'.repeat(24)}] 100/100 cells, 1000.0/s, 0s left`);
  });

  test('draws no bar, but its text, on a terminal that is too narrow', () => {
    const [first] = drawn(true, [state({})], 10);
    expect(first).toBe('\r\u001B[K[] 0/100 cells, 0.0/s, ? left');
  });

  test('ends no line when nothing was drawn', () => {
    expect(drawn(true, [])).toEqual([]);
    expect(drawn(false, [])).toEqual([]);
  });

  test('counts cells of an earlier session as done, not as speed', () => {
    const resumed = [state({ settled: 90 }), state({ settled: 100, elapsedMs: 1000 })];
    expect(drawn(false, resumed)).toEqual([
      '90/100 cells, 0.0/s, ? left\n',
      '100/100 cells, 10.0/s, 0s left\n',
    ]);
  });
});
