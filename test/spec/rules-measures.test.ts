import { describe, expect, test } from 'vitest';
import { changed, problemTexts, type RefusedRow } from './small-experiment.ts';

describe('refused measures', () => {
  const rows: readonly RefusedRow[] = [
    [
      'a second primary measure',
      [['role: guardrail', 'role: primary']],
      [
        'e.yaml:25:47 measures.polite.role [several-primary]\n  The measure "polite" is primary, but so is "right".\n  Keep one primary measure; make the others guardrails or reported.',
      ],
    ],
    [
      'a score without a range',
      [['min: 0, max: 5', 'min: 5, max: 5']],
      [
        'e.yaml:25:38 measures.polite.max [measure-range]\n  A score needs min < max, got min 5 and max 5.\n  Declare the smallest and the largest score that can be given.',
      ],
    ],
    [
      'levels that do not rise',
      [['kind: score, min: 0, max: 5', 'kind: ordinal, levels: [0, 4, 3]']],
      [
        'e.yaml:25:35 measures.polite.levels [measure-range]\n  The levels must rise strictly, each once.\n  Write the levels from the smallest to the largest.',
      ],
    ],
    [
      'a count both bounded and unbounded',
      [['kind: score, min: 0, max: 5', 'kind: count, max: 5, unbounded: true']],
      [
        'e.yaml:25:44 measures.polite.unbounded [measure-range]\n  A count cannot have a max and be unbounded.\n  Keep one: max for a bounded count, unbounded: true for one without a bound.',
      ],
    ],
    [
      'a count neither bounded nor unbounded',
      [['kind: score, min: 0, max: 5', 'kind: count']],
      [
        'e.yaml:25:11 measures.polite [measure-range]\n  A count must say whether it is bounded.\n  Add max, the largest count that can occur, or unbounded: true.',
      ],
    ],
    [
      'a count whose max is below its min',
      [['kind: score, min: 0, max: 5', 'kind: count, min: 5, max: 4']],
      [
        'e.yaml:25:11 measures.polite [measure-range]\n  A count needs whole numbers 0 <= min < max, got min 5 and max 4.\n  Correct min and max.',
      ],
    ],
    [
      'a count of broken numbers',
      [['kind: score, min: 0, max: 5', 'kind: count, min: 0.5, unbounded: true']],
      [
        'e.yaml:25:11 measures.polite [measure-range]\n  A count needs whole numbers 0 <= min < max, got min 0.5.\n  Correct min and max.',
      ],
    ],
    [
      'a range whose width is no finite number',
      [['kind: score, min: 0, max: 5', 'kind: score, min: -1.7e308, max: 1.7e308']],
      [
        'e.yaml:25:11 measures.polite [measure-range]\n  Declared values lie within +-1e+100, got -1.7e+308.\n  Declare the range that scores can really have.',
      ],
    ],
    [
      'a failure value outside the range',
      [['min: 0, max: 5', 'min: 0, max: 5, onFailure: 6']],
      [
        'e.yaml:25:52 measures.polite.onFailure [failure-value]\n  onFailure must be a value of the measure: expected 0 .. 5, got 6.\n  Write a value the measure can take, or "indeterminate".',
      ],
    ],
    [
      'a failure that counts as the best of the primary measure',
      [['right: {kind: binary', 'right: {kind: binary, onFailure: 1']],
      [
        'e.yaml:24:36 measures.right.onFailure [failure-rewarded]\n  onFailure 1 is the best value of a primary measure: a candidate that only fails would win.\n  Remove onFailure, write a value below the best, or "indeterminate".',
      ],
    ],
    [
      'a failure that counts as the best of a guardrail',
      [['min: 0, max: 5', 'min: 0, max: 5, onFailure: 5']],
      [
        'e.yaml:25:52 measures.polite.onFailure [failure-rewarded]\n  onFailure 5 is the best value of a guardrail measure: a candidate that only fails would pass its gate.\n  Remove onFailure, write a value below the best, or "indeterminate".',
      ],
    ],
    [
      'a failure that counts as no harm',
      [['harm: {kind: binary', 'harm: {kind: binary, onFailure: 0']],
      [
        'e.yaml:26:35 measures.harm.onFailure [failure-rewarded]\n  onFailure 0 is the best value of a critical measure: a candidate that only fails would pass its gate.\n  Remove onFailure, write a value below the best, or "indeterminate".',
      ],
    ],
    [
      'a critical measure that is not binary',
      [['harm: {kind: binary', 'harm: {kind: score, min: 0, max: 1']],
      [
        'e.yaml:26:16 measures.harm.kind [critical-not-binary]\n  A critical measure is binary (violated or not), got score.\n  Score the violation as 0 or 1, or make the measure a guardrail.',
      ],
    ],
    [
      'a floor of zero',
      [['kind: duration', 'kind: duration, floor: 0']],
      [
        'e.yaml:27:40 measures.duration_ms.floor [out-of-range]\n  Expected a number > 0, got the number 0.\n  Write a number > 0.',
      ],
    ],
    [
      'the operator in without a list',
      [['right: {kind: binary', 'right: {kind: binary, where: {field: a, op: in, value: 3}']],
      [
        'e.yaml:24:58 measures.right.where.value [condition-value]\n  The operator "in" compares with a list of values.\n  Write a list of values.',
      ],
    ],
    [
      'an equality with a list',
      [['right: {kind: binary', 'right: {kind: binary, where: {field: a, op: eq, value: [3]}']],
      [
        'e.yaml:24:58 measures.right.where.value [condition-value]\n  The operator "eq" compares with a single value.\n  Use the operator in, or write one value.',
      ],
    ],
    [
      'an order comparison with text',
      [['right: {kind: binary', 'right: {kind: binary, where: {field: a, op: lt, value: x}']],
      [
        'e.yaml:24:58 measures.right.where.value [condition-value]\n  The operator "lt" compares with a number.\n  Write a number.',
      ],
    ],
  ];
  test.each(rows)('%s', async (_name, changes, expected) => {
    expect(await problemTexts(changed(...changes))).toEqual(expected);
  });
});

describe('accepted measures', () => {
  test.each([
    ['a failure value inside the range', 'kind: score, min: 0, max: 5, onFailure: 2.5'],
    ['an indeterminate failure', 'kind: score, min: 0, max: 5, onFailure: indeterminate'],
    ['rising levels', 'kind: ordinal, levels: [0, 1, 5]'],
    ['a bounded count', 'kind: count, max: 7'],
    ['an unbounded count', 'kind: count, unbounded: true'],
    ['a continuous measure', 'kind: continuous'],
    ['points out of 100', 'kind: binary, scale: 100, onFailure: 0'],
  ])('%s', async (_name, kind) => {
    expect(await problemTexts(changed(['kind: score, min: 0, max: 5', kind]))).toEqual([]);
  });
});
