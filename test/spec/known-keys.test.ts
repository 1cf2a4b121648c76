import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/canonical.ts';
import type { SpecPath } from '../../src/spec/finding.ts';
import { knownKeys } from '../../src/spec/known-keys.ts';
import { specSchema } from '../../src/spec/spec.ts';

describe('knownKeys', () => {
  test.each<[name: string, value: Json, path: SpecPath, expected: string[]]>([
    [
      'below a default',
      { inference: {} },
      ['inference'],
      ['level', 'method', 'guarantee', 'weights', 'resamples'],
    ],
    [
      'of the chosen gate only',
      { gates: [{ gate: 'lift' }] },
      ['gates', 0],
      ['gate', 'name', 'measure', 'threshold', 'required'],
    ],
    [
      'below a record',
      { arms: { candidates: { a: {} } } },
      ['arms', 'candidates', 'a'],
      ['surface', 'pins'],
    ],
    [
      'below an optional member',
      { arms: { baseline: { pins: {} } } },
      ['arms', 'baseline', 'pins'],
      ['packages', 'model'],
    ],
    ['of a record itself', { measures: {} }, ['measures'], []],
    ['where no mapping is expected', { name: 'a' }, ['name'], []],
    ['on a path that does not exist', {}, ['nothing', 0], []],
    ['of both forms of a union', { admission: [{}] }, ['admission', 0], ['id', 'keep', 'unique']],
  ])('%s', (_name, value, path, expected) => {
    expect(knownKeys(specSchema, value, path)).toEqual(expected);
  });

  test('of an unknown gate are those of all gates, each once', () => {
    const keys = knownKeys(specSchema, { gates: [{ gate: 'lfit' }] }, ['gates', 0]);
    expect(keys).toEqual([...new Set(keys)]);
    expect(keys).toEqual(expect.arrayContaining(['threshold', 'margin', 'maxRate', 'target']));
  });

  test('of the root are the members of the experiment file', () => {
    expect(knownKeys(specSchema, {}, []).slice(0, 4)).toEqual([
      'liftgate',
      'name',
      'claim',
      'cases',
    ]);
  });
});
