import { describe, expect, test } from 'vitest';
import { changed, problemTexts, type RefusedRow } from './small-experiment.ts';

describe('refused host and controls', () => {
  const rows: readonly RefusedRow[] = [
    [
      'a module host that nobody trusts',
      [['worker: [node, host.mjs]', 'module: host.mjs']],
      [
        "e.yaml:21:11 host.module [module-host-untrusted]\n  A certification runs this host inside the engine's own process, where it could change what is recorded.\n  Use a worker host, or declare trustInProcess: true so that the report says so.",
      ],
    ],
    [
      'two controls of one name',
      [['id: dead', 'id: ceiling']],
      [
        'e.yaml:31:10 controls[1].id [name-twice]\n  A second control is called "ceiling".\n  Give each its own name.',
      ],
    ],
    [
      'a control of an unknown measure',
      [['expect: {right', 'expect: {rigth']],
      [
        'e.yaml:30:58 controls[0].expect.rigth [unknown-measure]\n  This control expects the measure "rigth", which is not declared.\n  Did you mean "right"?',
      ],
    ],
    [
      'a control that expects nothing',
      [['expect: {right: {min: 1}}', 'expect: {}']],
      [
        'e.yaml:30:57 controls[0].expect [control-expects-nothing]\n  A control that expects nothing proves nothing.\n  Name a measure with min, max or both.',
      ],
    ],
    [
      'bounds that exclude each other',
      [['{min: 1}', '{min: 1, max: 0.5}']],
      [
        'e.yaml:30:65 controls[0].expect.right [control-bounds]\n  No mean of values from 0 to 1 can meet min 1 and max 0.5.\n  Correct min and max.',
      ],
    ],
    [
      'bounds beyond the range of the measure',
      [['{min: 1}', '{min: 2}']],
      [
        'e.yaml:30:65 controls[0].expect.right [control-bounds]\n  No mean of values from 0 to 1 can meet min 2.\n  Correct min and max.',
      ],
    ],
    [
      'bounds that every mean meets',
      [['{min: 1}', '{min: 0}']],
      [
        'e.yaml:30:65 controls[0].expect.right [control-proves-nothing]\n  Every mean of values from 0 to 1 meets these bounds, so a broken harness would pass.\n  Write a min that a failing, or a max that a passing control would miss.',
      ],
    ],
    [
      'bounds of an unbounded measure that exclude each other',
      [['{right: {min: 1}}', '{duration_ms: {min: 2, max: 1}}']],
      [
        'e.yaml:30:71 controls[0].expect.duration_ms [control-bounds]\n  No mean can meet min 2 and max 1.\n  Correct min and max.',
      ],
    ],
    [
      'a fault expected as an outcome',
      [['class: infrastructureFault', 'class: completed']],
      [
        'e.yaml:31:50 controls[1].expect.class [control-class]\n  The fault "host-exit" must be recognised as infrastructureFault, got completed.\n  Expect infrastructureFault: a harness that sees anything else cannot tell faults from outcomes.',
      ],
    ],
  ];
  test.each(rows)('%s', async (_name, changes, expected) => {
    expect(await problemTexts(changed(...changes))).toEqual(expected);
  });
});

describe('what a gate reads has controls that refuse a broken scorer', () => {
  const half = 'expect: {right: {min: 0.1, max: 0.5}, polite: {min: 1, max: 2}, harm: {min: 1}}';
  const missing = (
    at: string,
    [id, value]: readonly [string, string],
    [kind, bound]: readonly [string, string],
  ) =>
    `e.yaml:${at} measures.${id} [control-missing]\n  No control refuses a scorer that gives "${id}" its ${value} value whatever happened, and a gate reads it.\n  Add a ${kind} control: {id: ..., surface: {...}, expect: {${id}: {${bound}}}}.`;
  const rows: readonly RefusedRow[] = [
    [
      'one that always passes',
      [[half, 'expect: {right: {min: 0.1}, polite: {min: 1, max: 2}, harm: {min: 1}}']],
      [missing('24:3', ['right', 'best'], ['known-fail', 'max: ... below 1'])],
    ],
    [
      'one that always fails',
      [
        [half, 'expect: {right: {max: 0.5}, polite: {max: 2}, harm: {min: 1}}'],
        ['expect: {right: {min: 1}}', 'expect: {right: {max: 0.5}}'],
      ],
      [
        missing('24:3', ['right', 'worst'], ['known-pass', 'min: ... above 0']),
        missing('25:3', ['polite', 'worst'], ['known-pass', 'min: ... above 0']),
      ],
    ],
    [
      'one that never sees harm',
      [[half, 'expect: {right: {min: 0.1, max: 0.5}, polite: {min: 1, max: 2}, harm: {max: 0}}']],
      [missing('26:3', ['harm', 'best'], ['known-harm', 'min: ... above 0'])],
    ],
    [
      'where less is better',
      [
        ['role: guardrail, direction: higher', 'role: guardrail, direction: lower'],
        [half, 'expect: {right: {min: 0.1, max: 0.5}, polite: {max: 2}, harm: {min: 1}}'],
      ],
      [missing('25:3', ['polite', 'best'], ['known-fail', 'min: ... above 0'])],
    ],
    [
      'in a comparison too',
      [
        ['use: certification', 'use: comparison'],
        [half, 'expect: {right: {min: 0.1}, polite: {min: 1, max: 2}, harm: {min: 1}}'],
      ],
      [missing('24:3', ['right', 'best'], ['known-fail', 'max: ... below 1'])],
    ],
  ];
  test.each(rows)('%s', async (_name, changes, expected) => {
    expect(await problemTexts(changed(...changes))).toEqual(expected);
  });

  test('development decides nothing and may do without', async () => {
    const text = changed(
      ['use: certification', 'use: development'],
      [half, 'expect: {right: {min: 0.1}}'],
    );
    expect(await problemTexts(text)).toEqual([]);
  });
});
