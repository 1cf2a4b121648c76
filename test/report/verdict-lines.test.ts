import { describe, expect, test } from 'vitest';
import { decide } from '../../src/report/decision.ts';
import {
  headlineOf,
  improvementText,
  signedNumber,
  verdictLine,
  verdictLines,
} from '../../src/report/verdict-lines.ts';
import { binaryCases, evidenceOf } from '../support/evidence.ts';

const noInfo = { expose: null, fence: null, startedAt: null, endedAt: null };

describe('signedNumber', () => {
  test.each([
    [0.5, '+0.5'],
    [-0.5, '-0.5'],
    [0, '0'],
    [1 / 3, '+0.3333'],
    [-1e-7, '-1e-7'],
  ])('writes %d as %s', (value, text) => {
    expect(signedNumber(value)).toBe(text);
  });
});

describe('verdictLines', () => {
  test('say decision, improvement with its sign, interval, n in units and the one reason', () => {
    const document = decide(evidenceOf({ cases: binaryCases({ gains: 12, both: 8 }) }), noInfo);
    expect(verdictLines(document)).toEqual([
      'next: ship | right +0.6 (+0.3422 .. +0.7812) n=20 units | right improves by 0.6 (0.3422 .. 0.7812) over 20 units and every required gate passed',
    ]);
  });

  test('never show a loss as a gain', () => {
    const document = decide(evidenceOf({ cases: binaryCases({ losses: 12, both: 8 }) }), noInfo);
    expect(verdictLines(document)[0]).toMatch(
      /^next: hold \| right -0\.6 \(-0\.\d+ \.\. -0\.\d+\) n=20/,
    );
  });

  test('are none for no candidate', () => {
    expect(verdictLines({ decisions: [] })).toEqual([]);
  });
});

describe('verdictLine', () => {
  test('says that there is no estimate', () => {
    const line = { candidate: 'r2', decision: 'hold', improvement: null, reason: 'why' } as const;
    expect(verdictLine(line)).toBe('r2: hold | no estimate | why');
    expect(improvementText(line)).toBe('no estimate');
  });
});

describe('headlineOf', () => {
  test('names who may ship, or says that nobody does', () => {
    const ship = { candidate: 'a', decision: 'ship' } as const;
    const hold = { candidate: 'b', decision: 'hold' } as const;
    expect(headlineOf([ship, hold, { ...ship, candidate: 'c' }])).toBe('a, c may ship');
    expect(headlineOf([hold])).toBe('nothing ships');
    expect(headlineOf([])).toBe('nothing ships');
  });
});
