import { describe, expect, test } from 'vitest';
import { decide } from '../../src/report/decision.ts';
import { binaryCases, evidenceOf } from '../support/evidence.ts';

const info = { expose: null, fence: null, startedAt: null, endedAt: null };

describe('decide', () => {
  test('ships 6 gains of 6 units and not 5 of 6', () => {
    const six = decide(evidenceOf({ cases: binaryCases({ gains: 6 }) }), info);
    const five = decide(evidenceOf({ cases: binaryCases({ gains: 5, both: 1 }) }), info);
    expect(six.verdict.decisions[0]?.decision).toBe('ship');
    expect(five.verdict.decisions[0]?.decision).toBe('need_more_work');
  });
});
