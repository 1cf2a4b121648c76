import { describe, expect, test } from 'vitest';
import { changed, problemTexts, type RefusedRow } from './small-experiment.ts';

describe('refused arms', () => {
  const rows: readonly RefusedRow[] = [
    [
      'an experiment without candidates',
      [['    new: {surface: {prompt: new.txt}}', '    {}']],
      [
        'e.yaml:19:5 arms.candidates [no-candidate]\n  There is no candidate to compare with the baseline.\n  Declare at least one: candidates: {new: {surface: {...}}}.',
      ],
    ],
    [
      'a candidate called baseline',
      [['    new: {surface', '    baseline: {surface']],
      [
        'e.yaml:19:5 arms.candidates.baseline [candidate-id-reserved]\n  No candidate can be called "baseline".\n  Give the candidate another id.',
      ],
    ],
    [
      'a candidate surface without components',
      [['new: {surface: {prompt: new.txt}}', 'new: {surface: {}}']],
      [
        'e.yaml:19:20 arms.candidates.new.surface [surface-empty]\n  A surface without components changes nothing and cannot be told from another.\n  Name at least one file: surface: {skill: skills/new.yaml}.',
      ],
    ],
    [
      'a baseline surface without components',
      [['baseline: {surface: {prompt: old.txt}}', 'baseline: {surface: {}}']],
      [
        'e.yaml:17:23 arms.baseline.surface [surface-empty]\n  A surface without components changes nothing and cannot be told from another.\n  Name at least one file: surface: {skill: skills/new.yaml}.',
      ],
    ],
    [
      'several candidates without a correction',
      [
        [
          '    new: {surface: {prompt: new.txt}}',
          '    new: {surface: {prompt: new.txt}}\n    two: {surface: {prompt: two.txt}}\nmultiplicity: none',
        ],
      ],
      [
        'e.yaml:21:15 multiplicity [multiplicity-missing]\n  2 candidates are tested, but no multiplicity correction is declared.\n  Write multiplicity: holm, or test one candidate.',
      ],
    ],
    [
      'a sequence that leaves a candidate out',
      [
        [
          '    new: {surface: {prompt: new.txt}}',
          '    new: {surface: {prompt: new.txt}}\n    two: {surface: {prompt: two.txt}}\nmultiplicity: {sequence: [new]}',
        ],
      ],
      [
        'e.yaml:21:26 multiplicity.sequence [sequence-incomplete]\n  The sequence must list every candidate once: expected new, two, got new.\n  List each candidate exactly once, in the order to be tested.',
      ],
    ],
    [
      'a file outside the folder',
      [['prompt: old.txt', 'prompt: ../old.txt']],
      [
        'e.yaml:17:32 arms.baseline.surface.prompt [value-invalid]\n  The path must stay inside the experiment folder. Got the text "../old.txt".\n  Write a value of the expected form.',
      ],
    ],
    [
      'a second spelling of a path',
      [['prompt: old.txt', 'prompt: ./old.txt']],
      [
        'e.yaml:17:32 arms.baseline.surface.prompt [value-invalid]\n  Write the path without ./, doubled or closing slashes, so that one file has one name. Got the text "./old.txt".\n  Write a value of the expected form.',
      ],
    ],
    [
      'an absolute path',
      [['prompt: old.txt', 'prompt: /old.txt']],
      [
        'e.yaml:17:32 arms.baseline.surface.prompt [value-invalid]\n  Use a relative path with forward slashes. Got the text "/old.txt".\n  Write a value of the expected form.',
      ],
    ],
  ];
  test.each(rows)('%s', async (_name, changes, expected) => {
    expect(await problemTexts(changed(...changes))).toEqual(expected);
  });
});
