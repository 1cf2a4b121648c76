import { describe, expect, test } from 'vitest';
import { changed, problemTexts } from './small-experiment.ts';

const power = '  - {gate: power, atEffect: 0.2}\n';
const withGate = (members: string): string =>
  changed([power, `${power}  - {gate: custom, name: own, ${members}}\n`]);

describe('a custom gate', () => {
  test('without a problem', async () => {
    const members =
      'module: gates/own.mjs, files: [gates/a.js], measures: [right, harm], intervals: [{measure: right, level: 0.9}, {measure: right, level: 0.8}], options: {floor: 0.5, words: [a]}';
    expect(await problemTexts(withGate(members))).toEqual([]);
  });

  test.each([
    [
      'in TypeScript',
      'module: gates/own.ts, measures: [right]',
      [
        'e.yaml:37:39 gates[3].module [gate-module-invalid]\n  The code of a gate runs as it is sealed, and Node 20 runs no TypeScript: gates/own.ts.\n  Compile it beforehand (tsc --module nodenext --target es2022) and name the .js or .mjs file: that one is sealed.',
      ],
    ],
    [
      'of another kind of module, in a file it imports',
      'module: gates/own.mjs, files: [gates/a.cjs], measures: [right]',
      [
        'e.yaml:37:62 gates[3].files[0] [gate-module-invalid]\n  The code of a gate is an ES module, and gates/a.cjs does not end in .js or .mjs.\n  Name a .js or .mjs file.',
      ],
    ],
    [
      'that reads a measure nobody declared',
      'module: own.mjs, measures: [rihgt]',
      [
        'e.yaml:37:59 gates[3].measures[0] [unknown-measure]\n  The gate "custom" reads the measure "rihgt", which is not declared.\n  Did you mean "right"?',
      ],
    ],
    [
      'that reads one measure twice',
      'module: own.mjs, measures: [right, right]',
      [
        'e.yaml:37:66 gates[3].measures[1] [name-twice]\n  A second measure of this gate is called "right".\n  Give each its own name.',
      ],
    ],
    [
      'that reads a reported measure',
      'module: own.mjs, measures: [duration_ms]',
      [
        'e.yaml:37:59 gates[3].measures[0] [gate-role]\n  A custom gate reads measures that decide; "duration_ms" is reported.\n  A reported measure never moves a decision; give it another role first.',
      ],
    ],
    [
      'that asks for the interval of a measure it does not read',
      'module: own.mjs, measures: [right], intervals: [{measure: harm, level: 0.9}]',
      [
        'e.yaml:37:89 gates[3].intervals[0].measure [gate-interval-invalid]\n  An interval of "harm" is asked for, which the gate does not read.\n  Name it under measures of the gate too.',
      ],
    ],
    [
      'that asks for one interval twice',
      'module: own.mjs, measures: [right], intervals: [{measure: right, level: 0.9}, {measure: right, level: 0.9}]',
      [
        'e.yaml:37:109 gates[3].intervals[1] [gate-interval-invalid]\n  The interval of "right" at 0.9 is asked for twice.\n  Ask for it once, or at another level.',
      ],
    ],
  ])('%s is refused', async (_name, members, texts) => {
    expect(await problemTexts(withGate(members))).toEqual(texts);
  });

  test('is no inferential gate: a certification still needs one', async () => {
    const text = withGate('module: own.mjs, measures: [right]')
      .replace('  - {gate: lift, measure: right, threshold: 0}\n', '')
      .replace('  - {gate: no-regression, measure: polite, margin: 0.5}\n', '')
      .replace('role: guardrail', 'role: reported');
    expect((await problemTexts(text)).join('\n')).toContain(
      'A certification needs at least one required gate on the candidate: lift, no-regression or rate.',
    );
  });

  test('guards no guardrail', async () => {
    const text = withGate('module: own.mjs, measures: [polite]').replace(
      '  - {gate: no-regression, measure: polite, margin: 0.5}\n',
      '',
    );
    expect((await problemTexts(text)).join('\n')).toContain('guardrail-ungated');
  });
});
