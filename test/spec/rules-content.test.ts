import { describe, expect, test } from 'vitest';
import { changed, problemTexts, type RefusedRow } from './small-experiment.ts';

describe('refused cases and splits', () => {
  const rows: readonly RefusedRow[] = [
    [
      'an admission rule that compares null by order',
      [['op: ne, value: null', 'op: ge, value: null']],
      [
        'e.yaml:14:56 admission[0].keep.value [condition-value]\n  The operator "ge" compares with a number.\n  Write a number.',
      ],
    ],
    [
      'two admission rules of one name',
      [['id: distinct', 'id: labelled']],
      [
        'e.yaml:15:10 admission[1].id [name-twice]\n  A second admission rule is called "labelled".\n  Give each its own name.',
      ],
    ],
    [
      'an expected field shown to execute',
      [['expected: [label]', 'expected: [label], input: [text, label]']],
      [
        'e.yaml:11:69 cases.input[1] [field-shown-and-hidden]\n  The field "label" is shown to execute and also expected of it.\n  Take it out of cases.input: what is expected goes to the grader only.',
      ],
    ],
    [
      'shares that do not sum to 1',
      [['{by: field, field: split}', '{by: hash, salt: s, final: 0.5, train: 0.4}']],
      [
        'e.yaml:12:9 splits [shares-sum]\n  The shares of final, selection and train must sum to 1, got 0.9.\n  Change one share, so that every unit falls into exactly one split.',
      ],
    ],
    [
      'a final share of 0',
      [['{by: field, field: split}', '{by: hash, salt: s, final: 0, train: 1}']],
      [
        'e.yaml:12:36 splits.final [no-final-units]\n  A final share of 0 leaves nothing to measure.\n  Give final a share above 0.',
      ],
    ],
  ];
  test.each(rows)('%s', async (_name, changes, expected) => {
    expect(await problemTexts(changed(...changes))).toEqual(expected);
  });
});

describe('accepted cases, splits and hosts', () => {
  test.each([
    ['shares of tenths', '{by: hash, salt: s, final: 0.7, selection: 0.2, train: 0.1}'],
    ['all units final', '{by: hash, salt: s, final: 1}'],
  ])('%s', async (_name, splits) => {
    expect(await problemTexts(changed(['{by: field, field: split}', splits]))).toEqual([]);
  });

  test('a trusted module host, or any module host in development', async () => {
    const module = ['worker: [node, host.mjs]', 'module: host.mjs'] as const;
    const trusted = [
      'worker: [node, host.mjs]',
      'module: host.mjs\n  trustInProcess: true',
    ] as const;
    expect(await problemTexts(changed(trusted))).toEqual([]);
    expect(await problemTexts(changed(module, ['use: certification', 'use: development']))).toEqual(
      [],
    );
  });
});
