import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { parse } from 'yaml';
import { formatPlace } from '../../src/base/errors.ts';
import { readSpec, type SpecReading } from '../../src/spec/parse.ts';
import type { ExperimentSpec } from '../../src/spec/spec.ts';
import { designExample } from './design-example.ts';
import { changed, problemTexts, smallExperiment, specOf } from './small-experiment.ts';

const encoder = new TextEncoder();

function read(text: string, file = 'e.yaml'): Promise<SpecReading> {
  return readSpec(encoder.encode(text), file);
}

describe('readSpec', () => {
  test('fills every default in, so that a later default cannot change the meaning', async () => {
    const spec = await specOf(smallExperiment);
    expectTypeOf(spec).toEqualTypeOf<ExperimentSpec>();
    expect(spec).toMatchObject({
      repeats: 1,
      multiplicity: 'none',
      inference: { level: 0.95, method: 'auto', guarantee: 'asymptotic', weights: 'unit' },
      loss: { maxLostShare: 0 },
      attempts: { max: 3, retry: ['infrastructureFault'] },
      fingerprint: { ignore: [] },
      host: { concurrency: 1, files: [], limits: { wallMs: 60_000, silenceMs: 30_000 } },
      controls: [{ cells: 8 }, { fault: 'host-exit' }, { cells: 8 }],
    });
  });

  test('writes the short form of cases out', async () => {
    const { cases } = await specOf(smallExperiment);
    expect(cases).toEqual({ files: [{ path: 'cases.jsonl' }], id: 'id', expected: ['label'] });
  });

  test('defaults multiplicity to Holm for several candidates and to none for one', async () => {
    const one = '    new: {surface: {prompt: new.txt}}';
    const two = `${one}\n    two: {surface: {prompt: two.txt}}`;
    expect((await specOf(changed([one, two]))).multiplicity).toBe('holm');
    expect((await specOf(smallExperiment)).multiplicity).toBe('none');
  });

  test('adds the gates that are always required after those declared', async () => {
    const { gates } = await specOf(smallExperiment);
    expect(gates.slice(3)).toEqual([
      { gate: 'completeness', required: true },
      { gate: 'controls', required: true },
      { gate: 'provenance', allowUnverified: false, required: true },
      { gate: 'critical', measure: 'harm', required: true },
    ]);
  });

  test('keeps declared gates of those kinds as they are', async () => {
    const declared =
      '  - {gate: provenance, allowUnverified: true}\n  - {gate: critical, measure: harm, maxRate: 0.1}\n  - {gate: power';
    const { gates } = await specOf(changed(['  - {gate: power', declared]));
    expect(gates.map((gate) => gate.gate)).toEqual([
      'lift',
      'no-regression',
      'provenance',
      'critical',
      'power',
      'completeness',
      'controls',
    ]);
    expect(gates[2]).toMatchObject({ allowUnverified: true });
  });

  test('reads the same experiment from JSON', async () => {
    const json = JSON.stringify(parse(smallExperiment), null, 2);
    const reading = await read(json, 'e.json');
    expect(reading.problems).toEqual([]);
    expect(reading.spec).toEqual(await specOf(smallExperiment));
  });

  test('places JSON problems as it places YAML problems', async () => {
    const json = JSON.stringify(parse(smallExperiment), null, 2).replace('"unit"', '"unti"');
    expect(await problemTexts(json, 'e.json')).toEqual([
      'e.json:4:3 claim.unit [missing-key]\n  The key "unit" is missing; expected text.\n  Add "unit" here.',
      'e.json:12:5 claim.unti [unknown-key]\n  The key "unti" is not known here.\n  Did you mean "unit"?',
    ]);
  });

  test('refuses what JSON.parse repairs', async () => {
    expect(await problemTexts('{"liftgate": 1, "liftgate": 1}', 'e.json')).toEqual([
      'e.json:1:17 [json-invalid]\n  The member "liftgate" appears twice (E_DUPLICATE_KEY).\n  Keep one of the two members.',
    ]);
    expect(await problemTexts('{"claim": {"__proto__": 1}}', 'e.json')).toEqual([
      'e.json:1:12 claim.__proto__ [json-invalid]\n  The key __proto__ has a meaning of its own.\n  Use another key.',
    ]);
  });

  test('tells all problems of the shape at once, in file order', async () => {
    const text = changed(
      ['kind: binary, role: primary', 'kind: binari, role: primary'],
      ['{file: cases.jsonl, id: id', '{file: 7, id: id'],
      ['id: ceiling', 'id: 7'],
      ['new: {surf', '3r: {surf'],
      ['liftgate: 1', 'liftgate: 1\nrepeats: 0\nmultiplicity: hulm'],
      ['worker: [node, host.mjs]', 'concurrency: 2.5'],
      ['expect: {right: {min: 1}}', 'expect: {right: {}}'],
      ['threshold: 0}', 'treshold: 0}'],
    );
    expect((await problemTexts(text)).map((each) => each.split('\n').slice(0, 2).join(''))).toEqual(
      [
        'e.yaml:2:10 repeats [out-of-range]  Expected a number >= 1, got the number 0.',
        'e.yaml:3:15 multiplicity [value-unknown]  Expected one of "holm", "none", "max-t" or a mapping, got the text "hulm".',
        'e.yaml:13:15 cases.file [wrong-type]  Expected text, got the number 7.',
        'e.yaml:21:5 arms.candidates["3r"] [key-invalid]  The name "3r" cannot be used: an id starts with a letter and has at most 64 letters, digits, _ . -.',
        'e.yaml:22:1 host.worker [missing-key]  The key "worker" is missing; expected a list.',
        'e.yaml:23:16 host.concurrency [wrong-type]  Expected a whole number, got the number 2.5.',
        'e.yaml:26:17 measures.right.kind [value-unknown]  Expected one of "binary", "score", "ordinal", "count", "duration", "cost", "continuous", got the text "binari".',
        'e.yaml:32:10 controls[0].id [wrong-type]  Expected text, got the number 7.',
        'e.yaml:32:59 controls[0].expect.right [value-invalid]  Give min, max or both. Got a mapping.',
        'e.yaml:36:34 gates[0].treshold [unknown-key]  The key "treshold" is not known here.',
      ],
    );
  });

  test('tells the problems of rules beside unknown keys', async () => {
    const text = changed(
      ['budget: {usd: 5}', 'budget: {usd: 5, eur: 4}'],
      ['min: 0, max: 5', 'min: 5, max: 0'],
    );
    expect(await problemTexts(text)).toEqual([
      'e.yaml:25:38 measures.polite.max [measure-range]\n  A score needs min < max, got min 5 and max 0.\n  Declare the smallest and the largest score that can be given.',
      'e.yaml:28:18 budget.eur [unknown-key]\n  The key "eur" is not known here.\n  Known keys here: usd, wallMinutes.',
    ]);
  });

  test('tells that the root must be a mapping', async () => {
    expect(await problemTexts('hello')).toEqual([
      'e.yaml:1:1 [wrong-type]\n  Expected a mapping, got the text "hello".\n  Write a mapping.',
    ]);
  });

  test('hints at what belongs to another gate', async () => {
    expect(await problemTexts(changed(['threshold: 0}', 'margin: 0}']))).toEqual([
      'e.yaml:34:34 gates[0].margin [unknown-key]\n  The key "margin" is not known here.\n  A lift gate has a threshold; a margin belongs to a no-regression gate.',
    ]);
    expect(await problemTexts(changed(['margin: 0.5}', 'margin: 0.5, threshold: 1}']))).toEqual([
      'e.yaml:35:57 gates[1].threshold [unknown-key]\n  The key "threshold" is not known here.\n  A no-regression gate has a margin: the largest loss tolerated, positive.',
    ]);
  });

  test('counts columns behind CRLF line ends as editors do', async () => {
    const text = changed(['min: 0, max: 5', 'min: 5, max: 0']).replaceAll('\n', '\r\n');
    expect((await problemTexts(text))[0]).toMatch(/^e\.yaml:25:38 measures\.polite\.max/);
  });

  test('places paths that only defaults made at what encloses them', async () => {
    const { placeOf } = await read(smallExperiment);
    expect(formatPlace(placeOf('gates[5].required'))).toBe('e.yaml:33:1 gates[5].required');
    expect(formatPlace(placeOf('cases.files[0].path'))).toBe('e.yaml:11:15 cases.file');
    expect(formatPlace(placeOf('claim.unit', 'key'))).toBe('e.yaml:8:3 claim.unit');
    expect(formatPlace(placeOf('loss.maxLostShare'))).toBe('e.yaml:1:1 loss.maxLostShare');
  });

  test('gives no spec and still a place where the text cannot be read', async () => {
    const reading = await read('a: [', 'e.yaml');
    expect(reading.spec).toBeUndefined();
    expect(reading.placeOf('claim')).toEqual({ file: 'e.yaml', path: 'claim' });
  });

  test('never throws, whatever is left of a file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(smallExperiment.length),
        fc.nat(12),
        fc.constantFrom('', '&', '!', '*a', '- ', '\t', '{', ': ', '\uD800', '0'),
        async (from, length, put) => {
          const text = smallExperiment.slice(0, from) + put + smallExperiment.slice(from + length);
          const { spec, problems } = await read(text);
          expect(spec !== undefined || problems.length > 0).toBe(true);
        },
      ),
      { seed: 20260802, numRuns: 120 },
    );
  });

  test.each(['refund-desk', 'sentiment'])(
    'reads the experiment %s without a problem',
    async (id) => {
      const file = `experiments/${id}/experiment.yaml`;
      const reading = await readSpec(new Uint8Array(readFileSync(file)), file);
      expect(reading.problems).toEqual([]);
      expect(reading.spec?.name).toBe(id);
    },
  );

  test('reads the experiment file of the contract', async () => {
    const spec = await specOf(designExample);
    expect(Object.keys(spec.arms.candidates)).toEqual(['r2', 'r3']);
    expect(spec.gates.map((gate) => gate.gate)).toEqual([
      'lift',
      'critical',
      'power',
      'completeness',
      'controls',
      'provenance',
    ]);
  });

  test('keeps the worked example of its comment', async () => {
    const { problems } = await readSpec(encoder.encode('hello'), 'a.yaml');
    expect(problems[0]?.code).toBe('wrong-type');
  });
});
