import { describe, expect, test } from 'vitest';
import { gateSchema } from '../../src/spec/gates.ts';
import { changed, problemTexts, type RefusedRow } from './small-experiment.ts';

describe('refused claim', () => {
  const rows: readonly RefusedRow[] = [
    [
      'an empty list of gates',
      [
        [
          '  - {gate: lift, measure: right, threshold: 0}\n  - {gate: no-regression, measure: polite, margin: 0.5}\n  - {gate: power, atEffect: 0.2}\n',
          '  []\n',
        ],
        ['role: guardrail', 'role: reported'],
      ],
      [
        'e.yaml:34:3 gates [design-refused]\n  Without gates there is nothing to decide: no outcome could hold a candidate back.\n  Declare at least one gate: {gate: lift, measure: ..., threshold: 0}.',
      ],
    ],
    [
      'a certification without an inferential gate',
      [
        [
          '  - {gate: lift, measure: right, threshold: 0}\n  - {gate: no-regression, measure: polite, margin: 0.5}\n',
          '',
        ],
        ['role: guardrail', 'role: reported'],
      ],
      [
        'e.yaml:34:3 gates [design-refused]\n  A certification needs at least one required gate on the candidate: lift, no-regression or rate.\n  Add {gate: lift, measure: ..., threshold: 0}, or claim use: development.',
      ],
    ],
    [
      'a certification whose only inferential gate is optional',
      [
        ['threshold: 0}', 'threshold: 0, required: false}'],
        ['  - {gate: no-regression, measure: polite, margin: 0.5}\n', ''],
        ['role: guardrail', 'role: reported'],
      ],
      [
        'e.yaml:34:3 gates [design-refused]\n  A certification needs at least one required gate on the candidate: lift, no-regression or rate.\n  Add {gate: lift, measure: ..., threshold: 0}, or claim use: development.',
      ],
    ],
    [
      'a minimum effect without a primary measure',
      [
        ['role: primary', 'role: reported'],
        ['  - {gate: lift, measure: right, threshold: 0}\n', ''],
      ],
      [
        'e.yaml:10:18 claim.minimumEffect [minimum-effect-without-primary]\n  minimumEffect is an improvement of the primary measure, and no measure is primary.\n  Give one measure the role primary, or remove minimumEffect.',
      ],
    ],
    [
      'a minimum effect below the lift threshold',
      [['threshold: 0}', 'threshold: 0.15}']],
      [
        'e.yaml:10:18 claim.minimumEffect [minimum-effect-below-threshold]\n  minimumEffect 0.1 is below the lift threshold 0.15.\n  The smallest useful improvement cannot be less than what must be shown: raise it or lower the threshold.',
      ],
    ],
    [
      'a minimum effect beyond the range of the measure',
      [['minimumEffect: 0.1', 'minimumEffect: 10']],
      [
        'e.yaml:10:18 claim.minimumEffect [out-of-reach]\n  An improvement of 10 is larger than the whole range 1 of the primary measure.\n  Write minimumEffect in the units of the measure: 0.05 is five points of a rate.',
      ],
    ],
  ];
  test.each(rows)('%s', async (_name, changes, expected) => {
    expect(await problemTexts(changed(...changes))).toEqual(expected);
  });
});

const knownGates = gateSchema.options.map((each) => `"${each.shape.gate.value}"`).join(', ');

describe('refused gates', () => {
  const rows: readonly RefusedRow[] = [
    [
      'a misspelt measure, naming the nearest',
      [['measure: right', 'measure: rihgt']],
      [
        'e.yaml:34:27 gates[0].measure [unknown-measure]\n  The gate "lift" reads the measure "rihgt", which is not declared.\n  Did you mean "right"?',
      ],
    ],
    [
      'an unknown measure, listing those declared',
      [['measure: right', 'measure: somethingelse']],
      [
        'e.yaml:34:27 gates[0].measure [unknown-measure]\n  The gate "lift" reads the measure "somethingelse", which is not declared.\n  Declared measures: "right", "polite", "harm", "duration_ms".',
      ],
    ],
    [
      'a lift of a guardrail',
      [['measure: right', 'measure: polite']],
      [
        'e.yaml:34:27 gates[0].measure [gate-role]\n  A lift gate reads a measure with role primary; "polite" is guardrail.\n  A guardrail is gated with no-regression, rate or latency.',
      ],
    ],
    [
      'a gate on a reported measure',
      [
        ['measure: polite', 'measure: duration_ms'],
        ['role: guardrail', 'role: reported'],
      ],
      [
        'e.yaml:35:36 gates[1].measure [gate-role]\n  A no-regression gate reads a measure with role guardrail or primary; "duration_ms" is reported.\n  A reported measure never moves a decision; give it another role first.',
      ],
    ],
    [
      'a critical gate on the primary measure',
      [['  - {gate: power', '  - {gate: critical, measure: right}\n  - {gate: power']],
      [
        'e.yaml:36:31 gates[2].measure [gate-role]\n  A critical gate reads a measure with role critical; "right" is primary.\n  A primary measure is gated with lift, no-regression or rate.',
      ],
    ],
    [
      'an optional critical gate',
      [
        [
          '  - {gate: power',
          '  - {gate: critical, measure: harm, required: false}\n  - {gate: power',
        ],
      ],
      [
        'e.yaml:36:47 gates[2].required [gate-not-optional]\n  The critical gate of "harm" cannot be optional: no average buys a critical failure back.\n  Remove required: false, or make the measure reported.',
      ],
    ],
    [
      'a critical gate with a margin',
      [['  - {gate: power', '  - {gate: critical, measure: harm, margin: 0.1}\n  - {gate: power']],
      [
        'e.yaml:36:37 gates[2].margin [unknown-key]\n  The key "margin" is not known here.\n  A critical gate has no margin: one violation breaches it. Declare maxRate if a rate is tolerated.',
      ],
    ],
    [
      'two gates of one name',
      [['  - {gate: power', '  - {gate: lift, measure: right}\n  - {gate: power']],
      [
        'e.yaml:36:5 gates[2] [name-twice]\n  A second gate is called "lift:right".\n  Give each its own name.',
      ],
    ],
    [
      'a threshold that no difference exceeds',
      [['threshold: 0}', 'threshold: 1}']],
      [
        'e.yaml:10:18 claim.minimumEffect [minimum-effect-below-threshold]\n  minimumEffect 0.1 is below the lift threshold 1.\n  The smallest useful improvement cannot be less than what must be shown: raise it or lower the threshold.',
        'e.yaml:34:45 gates[0].threshold [out-of-reach]\n  Differences of "right" lie between -1 and 1, so the threshold 1 decides nothing.\n  Write the threshold in the units of the measure: 0.05 is five points of a rate.',
        'e.yaml:36:29 gates[2].atEffect [power-effect-too-small]\n  The power gate asks for power at 0.2, but the lift threshold is 1: no number of units would do.\n  Set atEffect above every lift threshold.',
      ],
    ],
    [
      'a lift that a loss would clear',
      [['threshold: 0}', 'threshold: -0.3}']],
      [
        'e.yaml:34:45 gates[0].threshold [lift-below-zero]\n  A lift above -0.3 can be a loss: a candidate worse than the baseline would ship as better.\n  Write a threshold of 0 or more, or tolerate a loss by name: {gate: no-regression, margin: 0.3}.',
      ],
    ],
    [
      'a margin that every difference meets',
      [['margin: 0.5', 'margin: 5']],
      [
        'e.yaml:35:52 gates[1].margin [out-of-reach]\n  Differences of "polite" lie between -5 and 5, so the margin 5 decides nothing.\n  Write the margin in the units of the measure: 0.05 is five points of a rate.',
      ],
    ],
    [
      'a guardrail without a gate',
      [['  - {gate: no-regression, measure: polite, margin: 0.5}\n', '']],
      [
        'e.yaml:25:47 measures.polite.role [guardrail-ungated]\n  The guardrail "polite" has no gate that guards it: no-regression, rate of the candidate, or latency.\n  Add {gate: no-regression, measure: polite, margin: ...}, or make the measure reported.',
      ],
    ],
    [
      'a guardrail with an optional gate only',
      [['margin: 0.5', 'margin: 0.5, required: false']],
      [
        'e.yaml:25:47 measures.polite.role [guardrail-ungated]\n  The guardrail "polite" has an optional gate only; guardrails are always required.\n  Remove required: false from its gate, or make the measure reported.',
      ],
    ],
    [
      'power at the lift threshold',
      [['atEffect: 0.2', 'atEffect: 0']],
      [
        'e.yaml:36:29 gates[2].atEffect [power-effect-too-small]\n  The power gate asks for power at 0, but the lift threshold is 0: no number of units would do.\n  Set atEffect above every lift threshold.',
      ],
    ],
    [
      'power at a minimum effect equal to the lift threshold',
      [
        ['threshold: 0}', 'threshold: 0.1}'],
        [', atEffect: 0.2', ''],
      ],
      [
        'e.yaml:36:5 gates[2] [power-effect-too-small]\n  The power gate asks for power at 0.1, but the lift threshold is 0.1: no number of units would do.\n  Set atEffect above every lift threshold.',
      ],
    ],
    [
      'power without an effect',
      [
        ['  minimumEffect: 0.1\n', ''],
        [', atEffect: 0.2', ''],
      ],
      [
        'e.yaml:35:5 gates[2] [power-effect-missing]\n  The power gate has no effect to reach its target at.\n  Add atEffect, or declare claim.minimumEffect.',
      ],
    ],
    [
      'a margin of more than half the range',
      [['margin: 0.5', 'margin: 2.51']],
      [
        'e.yaml:35:52 gates[1].margin [margin-too-wide]\n  A margin of 2.51 tolerates the loss of more than half of the range 5 of "polite": the gate guards nothing.\n  Write the largest loss that is really tolerable, 2.5 at most, or make the measure reported.',
      ],
    ],
    [
      'a level that decides like a coin',
      [['budget:', 'inference: {level: 0.79}\nbudget:']],
      [
        'e.yaml:28:20 inference.level [level-too-low]\n  At level 0.79 a candidate that is no better ships with probability up to 0.105: that decides little more than a coin.\n  Write a level of 0.8 or more (0.95 is usual), or claim use: development.',
      ],
    ],
    [
      'a gated accuracy without both error measures',
      [
        ['  right:', '  accuracy:'],
        ['measure: right', 'measure: accuracy'],
        ['{right: {min', '{accuracy: {min'],
        ['{right: {min', '{accuracy: {min'],
      ],
      [
        'e.yaml:34:27 gates[0].measure [accuracy-alone]\n  "accuracy" is gated, but false positives and false negatives are not measured apart: one can hide the other.\n  Declare two binary measures with complementary where conditions, such as {field: label, op: eq, value: 0} and {field: label, op: eq, value: 1}.',
      ],
    ],
    [
      'a misspelt gate',
      [['gate: power, atEffect: 0.2', 'gate: powr']],
      [
        `e.yaml:36:12 gates[2].gate [value-unknown]\n  Expected one of ${knownGates}, got the text "powr".\n  Did you mean "power"?`,
      ],
    ],
  ];
  test.each(rows)('%s', async (_name, changes, expected) => {
    expect(await problemTexts(changed(...changes))).toEqual(expected);
  });
});

describe('accepted gates', () => {
  test('a gated accuracy stands beside its two kinds of error', async () => {
    const errors = ['false_positive', 'false_negative'].map(
      (id, value) =>
        `  ${id}: {kind: binary, role: reported, direction: lower, where: {field: label, op: eq, value: ${value}}}\n`,
    );
    const text = changed(
      ['  right:', `${errors.join('')}  accuracy:`],
      ['measure: right', 'measure: accuracy'],
      ['{right: {min', '{accuracy: {min'],
      ['{right: {min', '{accuracy: {min'],
    );
    expect(await problemTexts(text)).toEqual([]);
  });

  test.each([
    ['eq', 'ne', true],
    ['lt', 'ge', true],
    ['gt', 'le', true],
    ['lt', 'le', false],
    ['eq', 'eq', false],
  ])('where conditions %s and %s on one value are halves: %s', async (first, second, halves) => {
    const errors = [first, second].map(
      (op, index) =>
        `  error_${index}: {kind: binary, role: reported, direction: lower, where: {field: n, op: ${op}, value: 3}}\n`,
    );
    const text = changed(
      ['  right:', `${errors.join('')}  accuracy:`],
      ['measure: right', 'measure: accuracy'],
      ['{right: {min', '{accuracy: {min'],
      ['{right: {min', '{accuracy: {min'],
    );
    expect((await problemTexts(text)).length).toBe(halves ? 0 : 1);
  });

  test('a development claim may have no inferential gate', async () => {
    const text = changed(
      ['use: certification', 'use: development'],
      ['  - {gate: lift, measure: right, threshold: 0}\n', ''],
    );
    expect(await problemTexts(text)).toEqual([]);
  });

  test('a critical gate may tolerate a rate', async () => {
    const gate = '  - {gate: critical, measure: harm, maxRate: 0.01}\n  - {gate: power';
    expect(await problemTexts(changed(['  - {gate: power', gate]))).toEqual([]);
  });
});
