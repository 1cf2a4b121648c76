import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { digestOf, digestOfValue } from '../../src/base/digest.ts';
import {
  type ExecuteReply,
  type ExecuteRequest,
  executeReplySchema,
  type GradeReply,
  type GradeRequest,
  gradeReplySchema,
  helloSchema,
} from '../../src/run/receipt.ts';
import { surfaceDigest } from '../../src/spec/seal.ts';
import {
  executeRequest,
  experimentPath,
  experimentText,
  gradeRequest,
  surfaceOf,
} from './experiment-folder.ts';

interface ModuleHost {
  readonly hello: unknown;
  readonly execute: (
    request: ExecuteRequest,
    options?: { signal: AbortSignal },
  ) => Promise<ExecuteReply>;
  readonly grade: (request: GradeRequest, options?: { signal: AbortSignal }) => Promise<GradeReply>;
}

/** One verb of the host as it is imported; its answers are checked against the protocol. */
const verbSchema = z.custom<(request: unknown, options?: unknown) => Promise<unknown>>(
  (value) => typeof value === 'function',
);
const rowSchema = z.strictObject({ text: z.string(), class: z.literal([0, 1]).nullable() });
type Sentence = { readonly id: string; readonly text: string; readonly label: 0 | 1 };

const require = createRequire(import.meta.url);
const programs = ['sentiment-5', 'vader', 'wink', 'sentiment-2'] as const;
type Program = (typeof programs)[number];

let host: ModuleHost;
beforeAll(async () => {
  const loaded: unknown = await import(pathToFileURL(experimentPath('sentiment', 'host.mjs')).href);
  const found = z
    .looseObject({ hello: z.unknown(), execute: verbSchema, grade: verbSchema })
    .parse(loaded);
  host = {
    hello: found.hello,
    execute: async (...call) => executeReplySchema.parse(await found.execute(...call)),
    grade: async (...call) => gradeReplySchema.parse(await found.grade(...call)),
  };
});

function rowsOf(source: string) {
  const file = require.resolve(`sentiment/test/fixtures/${source}.json`);
  const rows = z.array(rowSchema).parse(JSON.parse(readFileSync(file, 'utf8')));
  return rows.map((row, index) => ({ ...row, id: `${source}-${index + 1}` }));
}

/** What the admission rule `distinct` compares: letters and digits in one case, everything between them one space. */
function wordsOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function admit() {
  const rows = ['amazon', 'imdb', 'yelp'].flatMap(rowsOf);
  const labelled = rows.flatMap(({ id, text, class: label }) =>
    label === null ? [] : [{ id, text, label }],
  );
  const distinct = new Map<string, Sentence>();
  for (const sentence of labelled) {
    const words = wordsOf(sentence.text);
    if (!distinct.has(words)) distinct.set(words, sentence);
  }
  return { rows, labelled, units: [...distinct.values()] };
}

function surfaceFor(arm: string): ExecuteRequest['surface'] {
  return surfaceOf('program', experimentText('sentiment', `arms/${arm}.json`));
}

async function scoresOf(arm: string, { text, label }: Omit<Sentence, 'id'>) {
  const run = await host.execute(executeRequest({ input: { text }, surface: surfaceFor(arm) }));
  const inline = run.artifact?.inline ?? null;
  return (await host.grade(gradeRequest({ input: { text }, expected: { class: label }, inline })))
    .scores;
}

describe('the funnel of the installed sentences', () => {
  const { rows, labelled, units } = admit();

  it('leads from 3,003 rows over 3 unlabelled and 28 duplicates to 2,972 units', () => {
    expect([
      rows.length,
      rows.length - labelled.length,
      labelled.length - units.length,
      units.length,
    ]).toEqual([3003, 3, 28, 2972]);
  });

  it('splits them into 983 development and 1,989 final units, 992 of these negative', () => {
    const final = units.filter(({ id }) => !id.startsWith('amazon-'));
    expect([
      units.length - final.length,
      final.length,
      final.filter(({ label }) => label === 0).length,
    ]).toEqual([983, 1989, 992]);
  });
});

describe('the programs on the final sentences', () => {
  const final = admit().units.filter(({ id }) => !id.startsWith('amazon-'));
  const scored = new Map<Program, Record<string, number | null>[]>();
  beforeAll(async () => {
    for (const program of programs) {
      const rows = [];
      for (const sentence of final) rows.push(await scoresOf(program, sentence));
      scored.set(program, rows);
    }
  });

  function values(program: Program, measure: string): (number | null)[] {
    return (scored.get(program) ?? []).map((scores) => scores[measure] ?? null);
  }

  function total(program: Program, measure: string): number {
    return values(program, measure).filter((value) => value === 1).length;
  }

  test.each([
    ['sentiment-5', { right: 1260, false_positive: 181, false_negative: 51, abstains: 497 }],
    ['vader', { right: 1329, false_positive: 196, false_negative: 53, abstains: 411 }],
    ['wink', { right: 1288, false_positive: 175, false_negative: 44, abstains: 482 }],
    ['sentiment-2', { right: 1225, false_positive: 206, false_negative: 56, abstains: 502 }],
  ] as const)('%s scores as recorded', (program, expected) => {
    const found = Object.keys(expected).map((measure) => [measure, total(program, measure)]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  test.each([
    ['vader', 164, 95, 3.47],
    ['wink', 50, 22, 1.41],
    ['sentiment-2', 14, 49, -1.76],
  ] as const)('%s gains %i, loses %i and differs by %f points', (program, gained, lost, points) => {
    const baseline = values('sentiment-5', 'right');
    const differences = values(program, 'right').map(
      (value, index) => Number(value) - Number(baseline[index]),
    );
    expect(differences.filter((difference) => difference === 1)).toHaveLength(gained);
    expect(differences.filter((difference) => difference === -1)).toHaveLength(lost);
    expect((100 * (gained - lost)) / final.length).toBeCloseTo(points, 2);
  });

  it('are scored for false positives on the 992 negatives only, and for false negatives on the 997 positives', () => {
    for (const program of programs) {
      expect(values(program, 'false_positive').filter((value) => value !== null)).toHaveLength(992);
      expect(values(program, 'false_negative').filter((value) => value !== null)).toHaveLength(997);
    }
  });
});

describe('the sentiment host', () => {
  const text = 'An excellent, wonderful product. I love it.';
  const request = (fault?: 'agent-throw' | 'host-exit') =>
    executeRequest({ input: { text }, surface: surfaceFor('vader'), ...(fault && { fault }) });

  it('says hello', () => {
    expect(helloSchema.parse(host.hello)).toMatchObject({
      protocols: ['cell/1'],
      host: { name: 'sentiment' },
    });
  });

  it('answers with the digests of what it loaded', async () => {
    const reply = await host.execute(request());
    expect(reply).toMatchObject({
      outcome: 'completed',
      artifact: { inline: { says: 'positive' } },
    });
    expect(reply.inputDigest).toBe(digestOfValue({ text }));
    const arm = experimentText('sentiment', 'arms/vader.json');
    expect(reply.surfaceLoadedDigest).toBe(surfaceDigest({ program: digestOf(arm) }));
  });

  it('abstains on a score of zero, which is wrong but no false verdict', async () => {
    expect(await scoresOf('vader', { text: 'The parcel has a lid.', label: 1 })).toEqual({
      right: 0,
      false_positive: null,
      false_negative: 0,
      abstains: 1,
    });
  });

  it('refuses to run a version other than the one its arm names', async () => {
    const arm = experimentText('sentiment', 'arms/vader.json').replace('1.1.3', '1.0.0');
    const reply = await host.execute(
      executeRequest({ input: { text }, surface: surfaceOf('program', arm) }),
    );
    expect(reply).toMatchObject({
      outcome: 'infrastructureFault',
      artifact: null,
      fault: { phase: 'setup' },
    });
    expect(reply.fault?.detail).toBe(
      'vader-sentiment: the arm names version 1.0.0, installed is 1.1.3; install the named version',
    );
  });

  it('classifies the faults it is asked for', async () => {
    expect(await host.execute(request('agent-throw'))).toMatchObject({
      outcome: 'agentError',
      artifact: null,
    });
    await expect(host.execute(request('host-exit'))).rejects.toThrow('the host was told to exit');
    const graded = {
      input: { text },
      expected: { class: 1 },
      inline: { says: 'positive', score: 1 },
    };
    expect(await host.grade(gradeRequest({ ...graded, fault: 'scorer-throw' }))).toMatchObject({
      outcome: 'evaluatorFailure',
      fault: { code: 'graderCrash' },
      scores: {},
    });
  });

  it('never scores an artifact without a verdict or a sentence without a label', async () => {
    for (const cell of [
      { expected: { class: 1 }, inline: {} },
      { expected: { class: null }, inline: { says: 'positive' } },
    ]) {
      const reply = await host.grade(gradeRequest({ input: { text }, ...cell }));
      expect(reply).toMatchObject({ outcome: 'evaluatorFailure', scores: {} });
    }
  });

  it('stops before work when the call was cancelled', async () => {
    const reply = await host.execute(request(), { signal: AbortSignal.abort() });
    expect(reply).toMatchObject({ outcome: 'cancelled', artifact: null });
  });
});

describe('the controls of sentiment', () => {
  test.each([
    ['sentiment-5', 'An excellent, wonderful product. I love it.', 1, 1],
    ['sentiment-5', 'A terrible, awful waste. I hate it.', 0, 1],
    ['always-positive', 'A terrible, awful waste. I hate it.', 0, 0],
  ] as const)('%s on "%s" with label %i scores %i', async (arm, text, label, right) => {
    expect(await scoresOf(arm, { text, label })).toMatchObject({ right, abstains: 0 });
  });

  it('find always-positive right on about half of the first 200 development sentences', async () => {
    const first = admit()
      .units.filter(({ id }) => id.startsWith('amazon-'))
      .slice(0, 200);
    const scores = await Promise.all(
      first.map((sentence) => scoresOf('always-positive', sentence)),
    );
    expect(scores.filter(({ right }) => right === 1)).toHaveLength(102);
  });
});

describe('the repository', () => {
  it('holds no sentence of the data set', () => {
    const files = ['experiment.yaml', 'README.md', 'host.mjs', 'programs.mjs', 'grade.mjs'];
    const kept = files.map((file) => experimentText('sentiment', file)).join('\n');
    const copied = admit().units.filter(
      ({ text }) => text.trim().length > 12 && kept.includes(text.trim()),
    );
    expect(copied).toEqual([]);
  });

  it('keeps the two copies of the receipt writer equal', () => {
    expect(experimentText('sentiment', 'receipt.mjs')).toBe(
      experimentText('refund-desk', 'receipt.mjs'),
    );
  });
});
