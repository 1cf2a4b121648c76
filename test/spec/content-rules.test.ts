import { describe, expect, test } from 'vitest';
import { admitCases } from '../../src/analysis/admission.ts';
import { contentFindings, fieldFindings } from '../../src/spec/content-rules.ts';
import { type Finding, formatPath } from '../../src/spec/finding.ts';
import type { CaseRow } from '../../src/spec/units.ts';
import { changed, specOf } from './small-experiment.ts';

type Changes = readonly (readonly [from: string, to: string])[];

/** Final units with so many cases each, and one development case. */
function rowsOf(units: number, casesPerUnit = 1): CaseRow[] {
  const final = Array.from({ length: units * casesPerUnit }, (_, at) => ({
    id: `c${at}`,
    family: `u${at % units}`,
    split: 'final',
  }));
  return [...final, { id: 'd1', family: 'dev', split: 'train' }].map((fields, at) => ({
    row: at + 1,
    file: 'cases.jsonl',
    line: at + 1,
    fields: { ...fields, text: `text ${at}`, label: at % 2 },
  }));
}

function shown(list: readonly Finding[]): string[] {
  return list.map(
    ({ code, path, message, mend }) => `${formatPath(path)} [${code}] ${message} ${mend}`,
  );
}

async function findings(changes: Changes, rows: readonly CaseRow[]): Promise<string[]> {
  const spec = await specOf(changed(...changes));
  return shown(contentFindings(spec, admitCases(spec, rows).index));
}

const named = 'no other method takes its place in silence.';
const change = `Change the design so that another row serves it, or seal one of tango-score, exact-unconditional, betting-fixed-n, t, t-bootstrap-t, cr2, tango-effective-n, roster-t by name where it fits; ${named}`;
const even =
  'Add final units, even out their cases, write weights: unit, or claim use: comparison.';
const byCase = ['budget:', 'inference: {weights: case}\nbudget:'] as const;
const oneGate = [
  ['  - {gate: no-regression, measure: polite, margin: 0.5}\n', ''],
  ['max: 5, role: guardrail', 'max: 5, role: reported'],
] as const;
const comparison = ['use: certification', 'use: comparison'] as const;
const roster = ['generalization: new-units', 'generalization: fixed-roster'] as const;

/** Final units with these numbers of cases, and one development case. */
function sized(sizes: readonly number[]): CaseRow[] {
  const units = sizes.flatMap((size, unit) => Array.from({ length: size }, () => `u${unit}`));
  return rowsOf(units.length).map((row, at) => ({
    ...row,
    fields: { ...row.fields, family: units[at] ?? 'dev' },
  }));
}

const oneArm = 'Write weights: unit and generalization: new-units, or remove the gate.';
const rateOnly = [
  ...oneGate,
  [
    '{gate: lift, measure: right, threshold: 0}',
    '{gate: rate, measure: right, arm: candidate, min: 0.5}',
  ],
] as const;
const quantile = [
  ['kind: duration, role: reported', 'kind: duration, role: guardrail'],
  [
    '{gate: power',
    '{gate: latency, measure: duration_ms, quantile: 0.95, max: 20}\n  - {gate: power',
  ],
] as const;
const unbounded = ['kind: score, min: 0, max: 5', 'kind: continuous'] as const;

describe('contentFindings', () => {
  test('has nothing to say about the small experiment', async () => {
    expect(await findings([], rowsOf(20))).toEqual([]);
  });

  test.each<[name: string, changes: Changes, rows: CaseRow[], expected: string[]]>([
    [
      'no final case',
      [],
      rowsOf(0),
      [
        'splits [no-final-units] None of 1 admitted cases is in the split "final", so nothing can be measured. Put units into the split "final", or correct the admission rules.',
      ],
    ],
    [
      'controls without development cases',
      [],
      rowsOf(20).slice(0, 20),
      [
        'controls[0] [control-without-cases] The control "ceiling" needs development cases, and every case is final. Give the control its own case: {...}, or put units into the split "train". Controls never run on final cases.',
        'controls[1] [control-without-cases] The control "dead" needs development cases, and every case is final. Give the control its own case: {...}, or put units into the split "train". Controls never run on final cases.',
        'controls[2] [control-without-cases] The control "half" needs development cases, and every case is final. Give the control its own case: {...}, or put units into the split "train". Controls never run on final cases.',
      ],
    ],
    [
      'a threshold above 0, which the exact bound serves',
      [['threshold: 0}', 'threshold: 0.01}']],
      rowsOf(20),
      [],
    ],
    [
      'a guarantee that no bound can give',
      [unbounded, ['budget:', 'inference: {guarantee: finite-sample}\nbudget:']],
      rowsOf(20, 2),
      [
        `gates[1] [method-unavailable] The gate "no-regression:polite" falls into the row "unbounded (duration, cost, continuous, count)" of the method table: no finite-sample bound exists for an unbounded measure. ${change}`,
      ],
    ],
    [
      'a fixed roster without a second repeat, gate by gate',
      [['generalization: new-units', 'generalization: fixed-roster']],
      rowsOf(20),
      [
        'gates[0] [too-few-repeats] The gate "lift:right" is about a fixed roster, whose uncertainty is the noise of repeats, and 1 repeat is planned. Write repeats: 2 or more, or claim generalization: new-units.',
        'gates[1] [too-few-repeats] The gate "no-regression:polite" is about a fixed roster, whose uncertainty is the noise of repeats, and 1 repeat is planned. Write repeats: 2 or more, or claim generalization: new-units.',
      ],
    ],
    [
      'a fixed roster with two repeats, of few units and an unbounded measure',
      [roster, ['budget:', 'repeats: 2\nbudget:'], unbounded],
      rowsOf(2),
      [],
    ],
    [
      'a fixed roster with a guarantee that no bound can give',
      [roster, ['budget:', 'repeats: 2\ninference: {guarantee: finite-sample}\nbudget:']],
      rowsOf(20),
      [
        `gates[0] [method-unavailable] The gate "lift:right" falls into the row "fixed-roster" of the method table: no finite-sample bound exists for this row. ${change}`,
        `gates[1] [method-unavailable] The gate "no-regression:polite" falls into the row "fixed-roster" of the method table: no finite-sample bound exists for this row. ${change}`,
      ],
    ],
    [
      'case weights with a guarantee that no bound can give',
      [['budget:', 'inference: {weights: case, guarantee: finite-sample}\nbudget:'], ...oneGate],
      rowsOf(20, 2),
      [
        `gates[0] [method-unavailable] The gate "lift:right" falls into the row "weights: case" of the method table: no finite-sample bound exists for this row. ${change}`,
      ],
    ],
    ['case weights on five equal units', [byCase, ...oneGate], rowsOf(5, 4), []],
    [
      'case weights of a comparison on four units',
      [byCase, ...oneGate, comparison],
      rowsOf(4, 4),
      [],
    ],
    [
      'a certification by cases on four units',
      [byCase, ...oneGate],
      rowsOf(4, 4),
      [
        `gates[0] [too-few-units] The gate "lift:right" weighs cases, and its plan has fewer than 5 units: 4 units with 16 cases, 4 in the largest. ${even}`,
      ],
    ],
    [
      'a certification by cases with one large unit',
      [byCase, ...oneGate],
      sized([5, 2, 2, 2, 2, 1]),
      [
        `gates[0] [one-unit-dominates] The gate "lift:right" weighs cases, and its plan has one unit with more than a third of the cases: 6 units with 14 cases, 5 in the largest. ${even}`,
      ],
    ],
    [
      'a certification by cases with two large units',
      [byCase, ...oneGate],
      sized([4, 4, 2, 1, 1]),
      [
        `gates[0] [few-degrees-of-freedom] The gate "lift:right" weighs cases, and its plan has fewer than 4 degrees of freedom, as the units differ much in size: 5 units with 12 cases, 4 in the largest. ${even}`,
      ],
    ],
    [
      'a gated measure that applies nowhere',
      [['right: {kind: binary', 'right: {kind: binary, where: {field: label, op: eq, value: 7}']],
      rowsOf(20),
      [
        'gates[0].measure [measure-applies-nowhere] No final case meets the where condition of "right". Correct the condition, or put cases that meet it into the split "final".',
      ],
    ],
    [
      'a certification of an unbounded measure on nine units',
      [unbounded],
      rowsOf(9),
      [
        'gates[1] [too-few-units] The gate "no-regression:polite" reads an unbounded measure, which needs at least 10 units; 9 are planned. Add final units, declare bounds, or claim use: comparison.',
      ],
    ],
    [
      'a rate that weighs cases',
      [byCase, ...rateOnly],
      sized([2, 2, 2, 2, 2, 2]),
      [
        `gates[0] [method-unavailable] The gate "rate:candidate:right" falls into the row "weights: case" of the method table: it has no bound for one arm's units. ${oneArm}`,
      ],
    ],
    [
      'a quantile of a fixed roster',
      [roster, ...quantile, ['budget:', 'repeats: 2\nbudget:']],
      rowsOf(80),
      [
        `gates[2] [method-unavailable] The gate "latency:duration_ms" falls into the row "fixed-roster" of the method table: it has no bound for one arm's units. ${oneArm}`,
      ],
    ],
    [
      'a certification of a quantile that no planned unit bounds',
      quantile,
      rowsOf(71),
      [
        'gates[2].quantile [too-few-units] An upper bound of the 0.95 quantile needs at least 72 units; 71 are planned. Add final units, gate a smaller quantile or maxRatio, or claim use: comparison.',
      ],
    ],
    [
      'a latency ratio under a finite-sample guarantee',
      [
        ['kind: duration, role: reported', 'kind: duration, role: guardrail'],
        ['{gate: power', '{gate: latency, measure: duration_ms, maxRatio: 1.2}\n  - {gate: power'],
        ['budget:', 'inference: {guarantee: finite-sample}\nbudget:'],
      ],
      rowsOf(80),
      [
        `gates[2] [method-unavailable] The gate "latency:duration_ms" falls into the row "unbounded (duration, cost, continuous, count)" of the method table: no finite-sample bound exists for an unbounded measure. ${change}`,
      ],
    ],
  ])('%s', async (_name, changes, rows, expected) => {
    expect(await findings(changes, rows)).toEqual(expected);
  });

  test('lets a quantile stand from 72 units on, and a rate on any, also under a finite-sample guarantee', async () => {
    const finite = ['budget:', 'inference: {guarantee: finite-sample}\nbudget:'] as const;
    expect(await findings([...quantile, finite], rowsOf(72))).toEqual([]);
    expect(await findings([...rateOnly, finite], rowsOf(1))).toEqual([]);
    expect(await findings([...quantile, comparison], rowsOf(71))).toEqual([]);
  });

  test('counts units, not cases, toward the floor', async () => {
    expect((await findings([unbounded], rowsOf(9, 5)))[0]).toContain('9 are planned');
    expect(await findings([unbounded], rowsOf(10))).toEqual([]);
  });

  test('leaves a comparison below the floor to its evidence', async () => {
    expect(await findings([unbounded, comparison], rowsOf(9))).toEqual([]);
  });

  test('takes Tango by name where the table has no method yet', async () => {
    const changes: Changes = [
      ['threshold: 0}', 'threshold: 0.01}'],
      ['budget:', 'inference: {method: tango-score}\nbudget:'],
    ];
    expect(await findings(changes, rowsOf(20))).toEqual([]);
  });

  test('a control with its own case needs no development cases', async () => {
    const changes: Changes = [
      ['expect: {right: {min: 1}}', 'case: {text: hi, label: 1}, expect: {right: {min: 1}}'],
      ['fault: host-exit', 'fault: host-exit, case: {text: hi}'],
      ['{prompt: half.txt}', '{prompt: half.txt}, case: {text: hi, label: 1}'],
    ];
    expect(await findings(changes, rowsOf(20).slice(0, 20))).toEqual([]);
  });
});

describe('fieldFindings', () => {
  test.each<[from: string, to: string, expected: string]>([
    [
      'id: id,',
      'id: Id,',
      'cases.id [field-unknown] No row has the field "Id". Did you mean "id"?',
    ],
    [
      'unit: family',
      'unit: famly',
      'claim.unit [field-unknown] No row has the field "famly". Did you mean "family"?',
    ],
    [
      'field: split}',
      'field: part}',
      'splits.field [field-unknown] No row has the field "part". Fields of the rows: id, family, split, text, label.',
    ],
    [
      'expected: [label]',
      'expected: [lable]',
      'cases.expected[0] [field-unknown] No row has the field "lable". Did you mean "label"?',
    ],
    [
      'expected: [label]',
      'expected: [label], input: [text, txet]',
      'cases.input[1] [field-unknown] No row has the field "txet". Did you mean "text"?',
    ],
    [
      'unique: {field: text',
      'unique: {field: texts',
      'admission[1].unique.field [field-unknown] No row has the field "texts". Did you mean "text"?',
    ],
    [
      'keep: {field: label',
      'keep: {field: labels',
      'admission[0].keep.field [field-unknown] No row has the field "labels". Did you mean "label"?',
    ],
    [
      'right: {kind: binary',
      'right: {kind: binary, where: {field: labl, op: eq, value: 1}',
      'measures.right.where.field [field-unknown] No row has the field "labl". Did you mean "label"?',
    ],
    [
      'budget:',
      'fingerprint: {ignore: [dates]}\nbudget:',
      'fingerprint.ignore[0] [field-unknown] No row has the field "dates". Fields of the rows: id, family, split, text, label.',
    ],
  ])('%s -> %s', async (from, to, expected) => {
    expect(shown(fieldFindings(await specOf(changed([from, to])), rowsOf(3)))).toEqual([expected]);
  });

  test('a unit that is its own case is named once', async () => {
    const spec = await specOf(changed(['unit: family', 'unit: Id'], ['id: id,', 'id: Id,']));
    expect(fieldFindings(spec, rowsOf(3)).map(({ path }) => formatPath(path))).toEqual([
      'cases.id',
    ]);
  });
});
