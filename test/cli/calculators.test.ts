/** `liftgate stats` and `liftgate power` on the built binary: numbers of the reference files. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { documentOf, liftgate } from '../support/cli.ts';
import { readReference } from '../support/reference.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();

interface Shown {
  readonly input: Readonly<Record<string, unknown>>;
  readonly numbers: readonly { readonly name: string; readonly value: unknown }[];
  readonly intervals: readonly {
    readonly method: string;
    readonly deciding: boolean;
    readonly guarantee: string;
    readonly source: string;
    readonly bounds: unknown;
  }[];
  readonly tests: readonly { readonly test: string; readonly probabilities: unknown }[];
  readonly verdict: { readonly clears: boolean; readonly errorLevel: number } | null;
  readonly remarks: readonly string[];
}

let place: string;

beforeAll(async () => {
  place = await folder();
});

/** The answer to a question asked with `--json`. */
async function ask(...words: string[]): Promise<Shown> {
  const ended = await liftgate(place, ...words, '--json');
  expect(ended.exitCode, ended.stderr).toBe(0);
  return documentOf(ended) as Shown;
}

/** Input and expectation of one reference case. */
// biome-ignore lint/suspicious/noExplicitAny: the shape depends on the case, and a wrong read fails the comparison
function reference(file: string, name: string): { input: any; expected: any } {
  const found = readReference(file).cases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${file} has no case ${name}`);
  return found;
}

function interval(answer: Shown, method: string): unknown {
  return answer.intervals.find((row) => row.method === method)?.bounds;
}

function number(answer: Shown, name: string): unknown {
  return answer.numbers.find((row) => row.name === name)?.value;
}

function probabilities(answer: Shown, name: string): unknown {
  return answer.tests.find((row) => row.test === name)?.probabilities;
}

/** Bounds equal to ten digits. */
function bounds(lower: number, upper: number): unknown {
  return { lower: expect.closeTo(lower, 10), upper: expect.closeTo(upper, 10) };
}

function jsonLines(name: string, values: readonly unknown[]): string {
  writeFileSync(join(place, name), values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  return name;
}

describe.concurrent('stats, held to the reference files', () => {
  test('paired-binary: every interval and McNemar', async () => {
    const names = {
      'tango-score': 'tango',
      'newcombe-8': 'newcombe8',
      'newcombe-9-continuity': 'newcombe9Cc',
      'newcombe-10': 'newcombe10',
      'bonett-price': 'bonettPrice',
      'agresti-min': 'agrestiMin',
    };
    const found = readReference('paired-binary.json').cases.find(
      ({ method, input }) =>
        method === 'pairedDifferenceIntervals' && input.b > 5 && input.c > 0 && input.d > 0,
    );
    if (found === undefined) throw new Error('no case with gains, losses and ties');
    const { a, b, c, d, confidence } = found.input;
    const counts = [`${b}`, `${c}`, '--n', `${a + b + c + d}`, '--both', `${a}`];
    const answer = await ask('stats', 'paired-binary', ...counts, '--level', `${confidence}`);
    for (const [method, key] of Object.entries(names)) {
      const { lower, upper } = found.expected[key] as { lower: number; upper: number };
      expect(interval(answer, method), method).toEqual(bounds(lower, upper));
    }
    const deciding = answer.intervals.filter((row) => row.deciding).map((row) => row.method);
    expect(deciding).toEqual(['tango-score']);
  });

  test('paired-binary: McNemar exact and mid-p', async () => {
    const mcnemar = readReference('paired-binary.json').cases.find(
      (each) => each.method === 'mcnemar' && each.input.b > 0 && each.input.c > 0,
    );
    if (mcnemar === undefined) throw new Error('no McNemar case with discordant pairs');
    const { input, expected } = mcnemar;
    const units = `${input.b + input.c + 10}`;
    const answer = await ask('stats', 'paired-binary', `${input.b}`, `${input.c}`, '--n', units);
    expect(probabilities(answer, 'mcnemar-exact')).toEqual({
      pTwoSided: expect.closeTo(expected['pExact'] as number, 10),
      pGreater: expect.closeTo(expected['pExactGreater'] as number, 10),
      pLess: expect.closeTo(expected['pExactLess'] as number, 10),
    });
    expect(probabilities(answer, 'mcnemar-mid-p')).toMatchObject({
      pTwoSided: expect.closeTo(expected['pMid'] as number, 10),
    });
  });

  test('paired-binary: noninferiority at a margin', async () => {
    const { expected } = reference('paired-binary.json', 'noninferiority-43-0-1-0-m0.1-a0.05');
    const words = ['0', '1', '--n', '44', '--level', '0.9', '--threshold', '-0.1'];
    const answer = await ask('stats', 'paired-binary', ...words);
    expect(probabilities(answer, 'tango-noninferiority at -0.1')).toEqual({
      pGreater: expect.closeTo(expected.pValue, 10),
    });
    expect(answer.verdict).toMatchObject({ clears: expected.noninferior, errorLevel: 0.05 });
  });

  test('proportion: the one-sided bound of a rate gate', async () => {
    const { expected } = reference('single-proportion.json', 'cp-one-sided-upper-0-of-20-c0.95');
    const answer = await ask('stats', 'proportion', '0', '20', '--max', '0.14');
    const upper = number(answer, 'one-sided upper bound at level 0.95');
    expect(upper).toBeCloseTo(expected.bound, 10);
    expect(answer.verdict).toMatchObject({ clears: true, errorLevel: 0.05 });
  });

  test('two-proportions: four methods, the first decides', async () => {
    const { expected } = reference('two-proportion.json', '2p-56-70-48-80-c0.95');
    const answer = await ask('stats', 'two-proportions', '56', '70', '48', '80');
    for (const [method, key] of [
      ['miettinen-nurminen', 'miettinenNurminen'],
      ['mee', 'mee'],
      ['newcombe', 'newcombe'],
    ] as const) {
      const { lower, upper } = expected[key];
      expect(interval(answer, method), method).toEqual(bounds(lower, upper));
    }
    expect(answer.intervals[0]).toMatchObject({ method: 'miettinen-nurminen', deciding: true });
  });

  test('mean: t of the sleep data from --values', async () => {
    const { input, expected } = reference('t-and-effects.json', 'paired-t-sleep-mu0-c0.95');
    const differences = input.candidate.map((value: number, index: number) =>
      (value - input.baseline[index]).toFixed(1),
    );
    const answer = await ask('stats', 'mean', '--values', differences.join(','));
    expect(number(answer, 'mean')).toBeCloseTo(expected.estimate, 10);
    expect(interval(answer, 't')).toEqual(bounds(expected.ci.lower, expected.ci.upper));
  });

  test('mean: sign-flip and Hodges-Lehmann from --file', async () => {
    const flip = reference('permutation-rank.json', 'sign-flip-n7');
    const center = reference('permutation-rank.json', 'hodges-lehmann-n7').expected;
    const sign = reference('permutation-rank.json', 'sign-test-n7').expected;
    writeFileSync(join(place, 'seven.txt'), flip.input.differences.join('\n'));
    const answer = await ask('stats', 'mean', '--file', 'seven.txt');
    expect(probabilities(answer, 'sign-flip')).toEqual({
      pTwoSided: flip.expected.pTwoSided,
      pGreater: flip.expected.pGreater,
      pLess: flip.expected.pLess,
    });
    expect(probabilities(answer, 'sign')).toMatchObject({
      pTwoSided: expect.closeTo(sign.pTwoSided, 12),
    });
    expect(number(answer, 'pseudomedian')).toBeCloseTo(center.estimate, 10);
    expect(interval(answer, 'hodges-lehmann')).toEqual(bounds(center.lower, center.upper));
  });

  test('bounded: the betting bound at the truncation of the file', async () => {
    const { input, expected } = reference('sequential.json', 'betting-fixed-binary30-a0.05');
    const words = ['--values', input.x.join(','), '--min', '0', '--max', '1'];
    const answer = await ask(
      'stats',
      'bounded',
      ...words,
      '--truncation',
      '0.75',
      '--level',
      '0.9',
    );
    expect(interval(answer, 'betting-fixed-n')).toEqual({
      lower: expect.closeTo(expected.lower, 6),
      upper: expect.closeTo(expected.upper, 6),
    });
    expect(answer.intervals[0]).toMatchObject({ guarantee: 'finite-sample', deciding: true });
  });

  test('clustered: Tango on the effective cases, sign-flip and Obuchowski', async () => {
    const tango = reference('clustered.json', 'tango-effective-t-thyroid-pet-spect');
    const flip = reference('clustered.json', 'cluster-sign-flip-thyroid-pet-spect').expected;
    const mcnemar = reference('clustered.json', 'clustered-mcnemar-thyroid-pet-spect').expected;
    const lines = tango.input.clusters.flatMap((cases: number[], index: number) =>
      cases.map((difference) => ({ unit: `u${index}`, difference })),
    );
    const file = jsonLines('thyroid.jsonl', lines);
    const answer = await ask('stats', 'clustered', '--file', file, '--kind', 'binary');
    expect(answer.input).toMatchObject({ units: 21, cases: 51 });
    const { lower, upper } = tango.expected;
    expect(interval(answer, 'tango-effective-n')).toEqual(bounds(lower, upper));
    expect(probabilities(answer, 'cluster sign-flip')).toMatchObject(flip);
    expect(probabilities(answer, 'clustered mcnemar')).toEqual({
      pTwoSided: expect.closeTo(mcnemar.obuchowski.p, 10),
    });
  });

  test('percentile: a percentile that is only the largest value is said to be one', async () => {
    const { input, expected } = reference('percentiles.json', 'percentile-n1-p50');
    const words = ['--values', input.data.join(','), '--percent', '50'];
    const answer = await ask('stats', 'percentile', ...words);
    expect(number(answer, 'p50 nearest rank')).toBe(expected.nearestRank);
    expect(number(answer, 'p50 interpolated')).toBe(expected.type7);
    expect(answer.remarks).toEqual(['p50 is not resolved: it is only the largest value.']);
  });

  test('agreement: numbers', async () => {
    const { input, expected } = reference('agreement.json', 'pair-linear-offset');
    const pairs = input.x.map((first: number, at: number) => ({ first, second: input.y[at] }));
    const answer = await ask('stats', 'agreement', '--file', jsonLines('pairs.jsonl', pairs));
    expect(number(answer, 'pearson')).toBeCloseTo(expected.pearson, 8);
    expect(number(answer, 'lin')).toBeCloseTo(expected.ccc, 8);
    expect(number(answer, 'mean-absolute-error')).toBeCloseTo(expected.mae, 8);
  });

  test('agreement: categories', async () => {
    const { input, expected } = reference('agreement.json', 'kappa-three-cat');
    const pairs = input.a.map((first: number, at: number) => ({ first, second: input.b[at] }));
    const words = ['--file', jsonLines('kappa.jsonl', pairs), '--kind', 'category'];
    const answer = await ask('stats', 'agreement', ...words);
    expect(number(answer, 'kappa')).toBeCloseTo(expected.unweighted, 10);
    expect(number(answer, 'observed agreement')).toBeCloseTo(expected.observedAgreement, 10);
  });

  test('agreement of four raters: intraclass correlations with their bounds', async () => {
    const { input, expected } = reference('agreement.json', 'icc-shrout-fleiss');
    const lines = input.ratings.map((ratings: number[]) => ({ ratings }));
    const answer = await ask('stats', 'agreement', '--file', jsonLines('icc.jsonl', lines));
    for (const [name, key] of [
      ['ICC(1,1)', 'icc1'],
      ['ICC(2,1)', 'icc2'],
      ['ICC(3,1)', 'icc3'],
    ] as const) {
      expect(number(answer, name)).toBeCloseTo(expected[key].value, 9);
      const { lower, upper } = expected[key];
      expect(interval(answer, name)).toEqual({
        lower: expect.closeTo(lower, 7),
        upper: expect.closeTo(upper, 7),
      });
    }
    expect(number(answer, 'ICC(2,4)')).toBeCloseTo(0.62, 2);
  });

  test('agreement of four raters with gaps: Krippendorff and Gwet have a number, Fleiss and ICC say why not', async () => {
    const { input, expected } = reference('agreement.json', 'krippendorff-canonical-12x4');
    const gwet = reference('agreement.json', 'ac1-canonical-12x4').expected;
    const lines = input.units.map((ratings: (number | null)[]) => ({ ratings }));
    const file = ['--file', jsonLines('gaps.jsonl', lines)];
    const numbers = await ask('stats', 'agreement', ...file);
    expect(number(numbers, 'alpha, interval')).toBeCloseTo(expected.interval, 9);
    expect(number(numbers, 'alpha, ordinal')).toBeCloseTo(expected.ordinal, 9);
    const missing = { status: 'indeterminate', reason: 'missing-ratings' };
    expect(number(numbers, 'ICC')).toEqual(missing);
    const categories = await ask('stats', 'agreement', ...file, '--kind', 'category');
    expect(number(categories, 'alpha, nominal')).toBeCloseTo(expected.nominal, 9);
    expect(number(categories, 'AC1')).toBeCloseTo(gwet.ac1, 9);
    expect(number(categories, 'kappa')).toEqual(missing);
  });

  test('agreement of three raters in categories: Fleiss', async () => {
    const { input, expected } = reference('agreement.json', 'fleiss-two-cat');
    const lines = input.counts.map(([yes, no]: number[]) => ({
      ratings: [...new Array(yes).fill('yes'), ...new Array(no).fill('no')],
    }));
    const words = ['--file', jsonLines('fleiss.jsonl', lines), '--kind', 'category'];
    const answer = await ask('stats', 'agreement', ...words);
    expect(number(answer, 'kappa')).toBeCloseTo(expected.kappa, 9);
    expect(number(answer, 'observed agreement')).toBeCloseTo(expected.observedAgreement, 9);
  });
});

describe.concurrent('power, held to the reference files', () => {
  test.each([
    [
      'paired-t --effect 0.5 --n 34 --sides 2',
      'power',
      'paired-t-power-dz0.5-n34-a0.05-s2',
      'power',
    ],
    ['paired-t --effect 0.5 --sides 2', 'units', 'paired-t-n-dz0.5-p0.8-a0.05-s2', 'n'],
    [
      'detectable --n 20 --sides 2',
      'effect in standard deviations',
      'paired-mde-n20-p0.8-s2',
      'dz',
    ],
    [
      'paired-binary --gain 0.2 --loss 0.1',
      'units, mcnemar exact',
      'mcnemar-n-0.2-0.1-p0.8-a0.05',
      'exactFirstN',
    ],
    [
      'noninferiority --margin 0.1 --gain 0.05 --loss 0.05 --n 60 --level 0.9',
      'power, tango at -0.1',
      'ni-tango-n60-0.05-0.05-m0.1-a0.05',
      'power',
    ],
    [
      'two-proportions --candidate 0.75 --baseline 0.5 --power 0.9',
      'units per arm',
      'two-prop-n-0.5-0.75-p0.9-s2',
      'pooled',
    ],
    [
      'clustered --cases 120 --mean-size 10 --icc 0.05',
      'units',
      'cluster-deff-m10-icc0.05-cvNone',
      'clusters',
    ],
  ] as const)('%s', async (words, name, reference_, field) => {
    const { expected } = reference('power.json', reference_);
    const answer = await ask('power', ...words.split(' '));
    expect(number(answer, name)).toBeCloseTo(expected[field], 6);
  });

  test('units: an effect at the threshold needs no number of units, it needs another threshold', async () => {
    const words = ['--standard-deviation', '0.25', '--effect', '0.1', '--threshold', '0.1'];
    const answer = await ask('power', 'units', ...words);
    expect(number(answer, 'units')).toEqual({
      status: 'indeterminate',
      reason: 'effect-not-above-threshold',
    });
  });

  test('paired-binary above 0: the power of the exact unconditional bound, which decides, stands first', async () => {
    const rates = ['--gain', '0.45', '--loss', '0.05', '--threshold', '0.1'];
    const found = await ask('power', 'paired-binary', ...rates);
    const names = found.numbers.map(({ name }) => name);
    expect(names).toEqual(['units, exact-unconditional at 0.1', 'units, tango at 0.1']);
    const units = number(found, 'units, exact-unconditional at 0.1');
    expect(units).toBeGreaterThanOrEqual(number(found, 'units, tango at 0.1') as number);
    const at = async (count: number): Promise<unknown> =>
      (await ask('power', 'paired-binary', ...rates, '--n', `${count}`)).numbers[0]?.value;
    expect(await at(units as number)).toBeGreaterThanOrEqual(0.8);
    expect(await at((units as number) - 1)).toBeLessThan(0.8);
  });
});
