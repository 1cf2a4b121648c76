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
