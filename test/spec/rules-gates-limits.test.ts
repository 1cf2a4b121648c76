/** Limits of the gates `rate`, `latency`, `budget` and `matched-budget`. */
import { describe, expect, test } from 'vitest';
import { changed, problemTexts, type RefusedRow } from './small-experiment.ts';

describe('refused limits', () => {
  const rows: readonly RefusedRow[] = [
    [
      'a rate of a score',
      [
        [
          '{gate: power',
          '{gate: rate, measure: polite, arm: candidate, min: 0.5}\n  - {gate: power',
        ],
      ],
      [
        'e.yaml:36:27 gates[2].measure [rate-not-binary]\n  A rate is the share of units that score 1, so its measure is binary; "polite" is a score.\n  Declare a binary measure that says which cells count.',
      ],
    ],
    [
      'a rate without a limit',
      [['{gate: power', '{gate: rate, measure: right, arm: candidate}\n  - {gate: power']],
      [
        'e.yaml:36:5 gates[2] [rate-limit]\n  A rate gate has exactly one limit, min or max; neither is written.\n  Add min, the share that must be exceeded, or max, the share to stay below.',
      ],
    ],
    [
      'a rate with two limits',
      [
        [
          '{gate: power',
          '{gate: rate, measure: right, arm: baseline, min: 0.2, max: 0.9}\n  - {gate: power',
        ],
      ],
      [
        'e.yaml:36:64 gates[2].max [rate-limit]\n  A rate gate has exactly one limit, min or max; both are written.\n  Write two gates with names of their own, one with min and one with max.',
      ],
    ],
    [
      'a rate of a critical measure',
      [['{gate: power', '{gate: rate, measure: harm, arm: candidate, max: 0.2}\n  - {gate: power']],
      [
        'e.yaml:36:27 gates[2].measure [gate-role]\n  A rate gate reads a measure with role primary or guardrail; "harm" is critical.\n  A critical measure is gated with critical.',
      ],
    ],
    [
      'a rate outside 0 to 1',
      [['{gate: power', '{gate: rate, measure: right, arm: candidate, min: 90}\n  - {gate: power']],
      [
        'e.yaml:36:55 gates[2].min [out-of-range]\n  Expected a number < 1, got the number 90.\n  Write a number < 1.',
      ],
    ],
    [
      'a rate of neither arm',
      [['{gate: power', '{gate: rate, measure: right, arm: next, min: 0.9}\n  - {gate: power']],
      [
        'e.yaml:36:39 gates[2].arm [value-unknown]\n  Expected one of "baseline", "candidate", got the text "next".\n  Write one of "baseline", "candidate".',
      ],
    ],
    [
      'a latency of a score',
      [['{gate: power', '{gate: latency, measure: polite, maxRatio: 1.2}\n  - {gate: power']],
      [
        'e.yaml:36:30 gates[2].measure [latency-not-duration]\n  A latency gate reads a duration of which less is better; "polite" is a score, higher is better.\n  Declare the measure as {kind: duration, direction: lower}, or gate it with no-regression.',
      ],
    ],
    [
      'a latency of a duration of which more is better',
      [
        [
          '{kind: duration, role: reported, direction: lower}',
          '{kind: duration, role: guardrail, direction: higher}',
        ],
        ['{gate: power', '{gate: latency, measure: duration_ms, maxRatio: 1.2}\n  - {gate: power'],
      ],
      [
        'e.yaml:36:30 gates[2].measure [latency-not-duration]\n  A latency gate reads a duration of which less is better; "duration_ms" is a duration, higher is better.\n  Declare the measure as {kind: duration, direction: lower}, or gate it with no-regression.',
      ],
    ],
    ...[
      '',
      ', quantile: 0.95',
      ', max: 100',
      ', maxRatio: 1.2, max: 100',
      ', maxRatio: 1.2, quantile: 0.95, max: 100',
    ].map(
      (form): RefusedRow => [
        `a latency with the parameters "${form}"`,
        [
          [
            '{kind: duration, role: reported, direction: lower}',
            '{kind: duration, role: guardrail, direction: lower}',
          ],
          ['{gate: power', `{gate: latency, measure: duration_ms${form}}\n  - {gate: power`],
        ],
        [
          'e.yaml:36:5 gates[2] [latency-limit]\n  A latency gate holds either the paired ratio against maxRatio, or a quantile against max.\n  Write maxRatio: 1.2 alone, or quantile: 0.95 together with max; two gates with names of their own for both.',
        ],
      ],
    ),
    [
      'a rate of an accuracy that hides its two kinds of error',
      [
        ['  right:', '  accuracy:'],
        [
          '{gate: lift, measure: right, threshold: 0}',
          '{gate: rate, measure: accuracy, arm: candidate, min: 0.5}',
        ],
        ['{right: {min: 1', '{accuracy: {min: 1'],
        ['{right: {min', '{accuracy: {min'],
      ],
      [
        'e.yaml:34:27 gates[0].measure [accuracy-alone]\n  "accuracy" is gated, but false positives and false negatives are not measured apart: one can hide the other.\n  Declare two binary measures with complementary where conditions, such as {field: label, op: eq, value: 0} and {field: label, op: eq, value: 1}.',
      ],
    ],
    [
      'a budget gate without a cap',
      [
        ['budget: {usd: 5}\n', ''],
        ['{gate: power', '{gate: budget}\n  - {gate: power'],
      ],
      [
        'e.yaml:35:5 gates[2] [budget-gate-without-cap]\n  The budget gate holds a run against caps on cost and time, and none is declared.\n  Add budget: {usd: ...} with host.limits.maxCostUsd, or {wallMinutes: ...}, or remove the gate.',
      ],
    ],
    [
      'a matched budget without a tolerance',
      [['{gate: power', '{gate: matched-budget, of: tokens}\n  - {gate: power']],
      [
        'e.yaml:36:5 gates[2].tolerance [missing-key]\n  The key "tolerance" is missing; expected a number.\n  Add "tolerance" here.',
      ],
    ],
  ];
  test.each(rows)('%s', async (_name, changes, expected) => {
    expect(await problemTexts(changed(...changes))).toEqual(expected);
  });
});

describe('accepted limits', () => {
  test.each([
    ['of the candidate', '{gate: rate, measure: right, arm: candidate, min: 0.9}', 0],
    [
      'of the baseline, which says nothing of the candidate',
      '{gate: rate, measure: right, arm: baseline, min: 0.5}',
      1,
    ],
  ])('a required rate %s serves a certification or not: %s', async (_name, gate, problems) => {
    const text = changed(
      ['  - {gate: lift, measure: right, threshold: 0}\n', `  - ${gate}\n`],
      ['  - {gate: no-regression, measure: polite, margin: 0.5}\n', ''],
      ['role: guardrail', 'role: reported'],
    );
    expect(await problemTexts(text)).toHaveLength(problems);
  });

  test.each([
    [
      'latency',
      '{kind: duration, role: guardrail, direction: lower}',
      '{gate: latency, measure: slow, maxRatio: 1.1}',
    ],
    [
      'rate',
      '{kind: binary, role: guardrail, direction: higher}',
      '{gate: rate, measure: slow, arm: candidate, max: 0.1}',
    ],
  ])('a guardrail may be guarded by a %s alone', async (_gate, measure, gate) => {
    const text = changed(
      ['  duration_ms:', `  slow: ${measure}\n  duration_ms:`],
      ['  - {gate: power', `  - ${gate}\n  - {gate: power`],
    );
    expect((await problemTexts(text)).join()).not.toContain('guardrail-ungated');
    const ungated = text.replace(gate, '{gate: budget}');
    expect((await problemTexts(ungated)).join()).toContain('guardrail-ungated');
  });

  test('budget and matched-budget stand beside a cap', async () => {
    const gates =
      '  - {gate: budget}\n  - {gate: matched-budget, of: usd, tolerance: 0}\n  - {gate: power';
    expect(await problemTexts(changed(['  - {gate: power', gates]))).toEqual([]);
  });
});
