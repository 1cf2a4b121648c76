import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { finalCases } from '../../src/spec/case-index.ts';
import { declaredDesign, methodRequests, resolvedMethods } from '../../src/spec/design.ts';
import type { SealedExperiment } from '../../src/spec/seal.ts';
import { mailsExperiment, mailsFiles } from '../support/run.ts';
import { type Sealed, sealedMails, sealsOf } from '../support/seal-input.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let sealed: Sealed;

beforeAll(async () => {
  sealed = await sealedMails(await makeFolder());
});

type Files = Record<string, string | null>;
type Digests = SealedExperiment['digests'];

async function digestsWith(files: Files): Promise<Digests> {
  return (await sealedMails(await makeFolder(), files)).plan.digests;
}

function edit(from: string, to: string): (files: Files) => Files {
  return (files) => {
    const text = files['experiment.yaml'] ?? mailsExperiment;
    const changed = text.replace(from, () => to);
    if (changed === text) throw new Error(`the experiment does not hold ${from}`);
    return { ...files, 'experiment.yaml': changed };
  };
}

function editCases(change: (lines: string[]) => string[]): (files: Files) => Files {
  return (files) => {
    const path = files['all.jsonl'] === undefined ? 'cases.jsonl' : 'all.jsonl';
    const lines = (files[path] ?? mailsFiles()[path] ?? '').trimEnd().split('\n');
    return { ...files, [path]: `${change(lines).join('\n')}\n` };
  };
}

type Row = Record<string, unknown>;

/** Replaces the row of one case, wherever it stands. */
function editCase(id: string, change: (row: Row) => Row[]): (files: Files) => Files {
  return editCases((lines) =>
    lines.flatMap((line) => {
      const row = JSON.parse(line) as Row;
      return row['id'] === id ? change(row).map((each) => JSON.stringify(each)) : [line];
    }),
  );
}

/** Edits that change who runs it, where, under which names, at which speed, for how much: the design stays what it is. */
const harmless: readonly (readonly [string, (files: Files) => Files])[] = [
  ['the name', edit('name: mails', 'name: letters')],
  ['the decision in words', edit('decision: Use the new rule', 'decision: Use any rule')],
  ['the population in words', edit('description: Mails of one week', 'description: Letters')],
  ['the sampling frame in words', edit('every mail of the week', 'all of them')],
  ['the rows of the cases in another order', editCases((lines) => lines.toReversed())],
  ['the members of a row in another order', editCases((lines) => lines.map(reordered))],
  ['the name of a candidate', edit('    new: {', '    zulu: {')],
  ['the bytes of a candidate', (files) => ({ ...files, 'rules/new.txt': '9' })],
  ['the concurrency', edit('concurrency: 1', 'concurrency: 4')],
  ['the budget', edit('budget: {usd: 5}', 'budget: {usd: 50, wallMinutes: 9}')],
  ['what is shown of the result', edit('budget:', 'disclosure: gate-bit\nbudget:')],
  ['a comment', edit('gates:', '# a comment\ngates:')],
  [
    'the path of a surface',
    (files) => ({
      ...edit('{rule: rules/old.txt}', '{rule: moved.txt}')(files),
      'moved.txt': '2',
    }),
  ],
  [
    'the path of the cases',
    (files) => ({
      ...edit('file: cases.jsonl', 'file: all.jsonl')(files),
      'all.jsonl': files['cases.jsonl'] ?? mailsFiles()['cases.jsonl'] ?? '',
    }),
  ],
  [
    'the path of the host',
    (files) => ({
      ...edit('module: host.mjs', 'module: other.mjs')(files),
      'other.mjs': mailsFiles()['host.mjs'] ?? '',
    }),
  ],
];

function reordered(line: string): string {
  const value = JSON.parse(line) as Record<string, unknown>;
  return JSON.stringify(Object.fromEntries(Object.entries(value).toReversed()));
}

/** Edits that change what is measured or how it is judged. */
const meaningful: readonly (readonly [string, (files: Files) => Files])[] = [
  ['the use', edit('use: comparison', 'use: certification')],
  ['the population', edit('{id: mails,', '{id: letters,')],
  ['the smallest useful effect', edit('minimumEffect: 0.1', 'minimumEffect: 0.2')],
  ['a threshold', edit('threshold: 0}', 'threshold: 0.05}')],
  ['the level', edit('budget:', 'inference: {level: 0.9}\nbudget:')],
  ['the guarantee', edit('budget:', 'inference: {guarantee: finite-sample}\nbudget:')],
  ['the repeats', edit('measures:', 'repeats: 2\nmeasures:')],
  ['the attempts', edit('budget:', 'attempts: {max: 2}\nbudget:')],
  ['the lost share', edit('budget:', 'loss: {maxLostShare: 0.1}\nbudget:')],
  ['a limit of the host', edit('wallMs: 5000', 'wallMs: 6000')],
  [
    'a measure',
    edit('budget:', '  extra: {kind: binary, role: reported, direction: lower}\nbudget:'),
  ],
  [
    'a gate',
    edit('threshold: 0}', 'threshold: 0}\n  - {gate: power, atEffect: 0.5, required: false}'),
  ],
  ['a control bound', edit('{right: {min: 1}}', '{right: {min: 0.5}}')],
  ['the cells of a control', edit('cells: 2', 'cells: 3')],
  ['the bytes of a control surface', (files) => ({ ...files, 'rules/all.txt': '98' })],
  [
    'the bytes of the host',
    (files) => {
      const path = files['other.mjs'] === undefined ? 'host.mjs' : 'other.mjs';
      return { ...files, [path]: `${mailsFiles()['host.mjs']}\n` };
    },
  ],
  ['the input of a case', editCase('m1', (row) => [{ ...row, n: 101 }])],
  ['the expectation of a case', editCase('m2', (row) => [{ ...row, label: 'no' }])],
  ['the unit of a case', editCase('m3', (row) => [{ ...row, family: 'f33' }])],
  ['the id of a case', editCase('m4', (row) => [{ ...row, id: 'm44' }])],
  ['the split of a case', editCase('m6', (row) => [{ ...row, split: 'selection' }])],
  ['a case more', editCase('m1', (row) => [row, { ...row, id: 'm99', family: 'f99', n: 99 }])],
  ['a case less', editCase('m1', () => [])],
];

describe('designDigests', () => {
  test.each(harmless)('stay the same when %s changes', async (_what, change) => {
    expect(await digestsWith(change({}))).toEqual(sealed.plan.digests);
  });

  test.each(meaningful)('both differ when %s changes', async (_what, change) => {
    const digests = await digestsWith(change({}));
    expect(digests.cases).not.toBe(sealed.plan.digests.cases);
    expect(digests.design).not.toBe(sealed.plan.digests.design);
  });

  const ofArms: readonly (readonly [string, (files: Files) => Files])[] = [
    ['the bytes of the baseline', (files) => ({ ...files, 'rules/old.txt': '1' })],
    ['a candidate less', edit('    same: {surface: {rule: rules/same.txt}}\n', '')],
    [
      'a candidate more',
      edit('    same: {', '    third: {surface: {rule: rules/all.txt}}\n    same: {'),
    ],
  ];
  test.each(ofArms)(
    'only the design differs, and no seed moves, with %s',
    async (_what, change) => {
      const digests = await digestsWith(change({}));
      expect(digests.design).not.toBe(sealed.plan.digests.design);
      expect(digests.cases).toBe(sealed.plan.digests.cases);
    },
  );

  function sequenced(first: string, second: string): Digests {
    const { input } = sealed;
    const { baseline, candidates } = input.spec.arms;
    const [one, two] = Object.values(candidates);
    if (one === undefined || two === undefined) throw new Error('there are two candidates');
    const spec = {
      ...input.spec,
      arms: { baseline, candidates: { [first]: one, [second]: two } },
      multiplicity: { sequence: [first, second] },
    };
    return sealsOf({ ...input, spec }).plan.digests;
  }

  test('a fixed sequence moves no seed, and renaming its candidates changes neither digest', () => {
    expect(sequenced('new', 'same').cases).toBe(sealed.plan.digests.cases);
    expect(sequenced('new', 'same').design).not.toBe(sealed.plan.digests.design);
    expect(sequenced('zulu', 'alpha')).toEqual(sequenced('new', 'same'));
  });

  test('any set of harmless edits leaves them alone, and one meaningful edit among them does not', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.subarray([...harmless.keys()], { minLength: 2 }),
        fc.nat(meaningful.length - 1),
        async (chosen, which) => {
          const harmlessOnly = chosen.reduce<Files>(
            (files, at) => harmless[at]?.[1](files) ?? files,
            {},
          );
          expect(await digestsWith(harmlessOnly)).toEqual(sealed.plan.digests);
          const change = meaningful[which];
          if (change === undefined) throw new Error('no such edit');
          const [what, apply] = change;
          const digests = await digestsWith(apply(harmlessOnly));
          expect(digests.cases, what).not.toBe(sealed.plan.digests.cases);
        },
      ),
      { seed: 20_260_801, numRuns: 12 },
    );
  });

  test('name no path, prose, name or engine of this machine: they are digests of content alone', () => {
    expect(Object.keys(sealed.plan.digests)).toEqual(['cases', 'design']);
    expect(sealed.plan.digests.cases).not.toBe(sealed.plan.digests.design);
    expect(sealed.final.digests).toEqual(sealed.plan.digests);
  });
});

describe('declaredDesign', () => {
  test('counts planned units and the most pairs of a unit, and knows no data', () => {
    const { spec, index } = sealed.loaded;
    expect(declaredDesign(spec, index, 'right', 0)).toMatchObject({
      units: 12,
      pairsPerUnit: 1,
      threshold: 0,
      generalization: 'new-units',
    });
    expect(declaredDesign({ ...spec, repeats: 3 }, index, 'right', 0)?.pairsPerUnit).toBe(3);
    expect(declaredDesign(spec, { ...index, rows: [] }, 'right', 0)).toMatchObject({
      units: 0,
      pairsPerUnit: 0,
    });
    expect(declaredDesign(spec, index, 'nothing', 0)).toBe(null);
  });

  test('two cases of one unit are one unit with two pairs', () => {
    const { spec, index } = sealed.loaded;
    const [first] = finalCases(index);
    const rows = index.rows.map((row) =>
      row.excluded === null && row.split === 'final' && first !== undefined
        ? { ...row, unit: Number(row.id.slice(1)) <= 2 ? first.unit : row.unit }
        : row,
    );
    expect(declaredDesign(spec, { ...index, rows }, 'right', 0)).toMatchObject({
      units: 11,
      pairsPerUnit: 2,
    });
  });
});

describe('methodRequests', () => {
  test('asks one method per interval gate with its threshold, and one for each measure no such gate reads', () => {
    const spec = {
      ...sealed.loaded.spec,
      gates: [
        { gate: 'lift', measure: 'right', threshold: 0.05, required: true },
        { gate: 'no-regression', measure: 'right', margin: 0.1, required: true },
        { gate: 'budget', required: true },
      ] satisfies typeof sealed.loaded.spec.gates,
    };
    expect(methodRequests(spec)).toMatchObject([
      { measure: 'right', gate: 'lift', threshold: 0.05 },
      { measure: 'right', gate: 'no-regression', threshold: -0.1 },
      { measure: 'harm', gate: null, threshold: null },
    ]);
  });

  test("asks a method for one arm's rate and quantile, beside that of the difference which no gate reads", () => {
    const { spec: whole, index } = sealed.loaded;
    const spec = {
      ...whole,
      gates: [
        { gate: 'rate', measure: 'right', arm: 'candidate', min: 0.9, required: true },
        { gate: 'latency', measure: 'harm', quantile: 0.95, max: 20, required: true },
        { gate: 'latency', name: 'ratio', measure: 'harm', maxRatio: 1.2, required: true },
      ] satisfies typeof sealed.loaded.spec.gates,
    };
    const parts = resolvedMethods(spec, index).map(({ measure, gate, method, threshold }) => [
      measure,
      gate,
      method,
      threshold,
    ]);
    expect(parts).toEqual([
      ['right', 'rate', 'clopper-pearson', 0.9],
      ['harm', 'latency', 'order-statistic', 20],
      ['harm', 'latency', 'exact-unconditional', 1.2],
      ['right', null, 'tango-score', null],
    ]);
  });
});

describe('resolvedMethods', () => {
  test('stand in the seal as the declared design resolves them', () => {
    const { spec, index } = sealed.loaded;
    expect(sealed.plan.analysis.methods).toEqual(resolvedMethods(spec, index));
    expect(
      sealed.plan.analysis.methods.map(({ measure, gate, method }) => [measure, gate, method]),
    ).toEqual([
      ['right', 'lift', 'tango-score'],
      ['harm', null, 'tango-score'],
    ]);
  });
});
