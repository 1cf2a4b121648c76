import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { digestHex, digestOf } from '../../src/base/digest.ts';
import { executeReplySchema, gradeReplySchema } from '../../src/run/receipt.ts';
import { bettingTruncation } from '../../src/spec/inference.ts';
import { bettingBounds } from '../../src/stats/betting.ts';
import { randomStream } from '../../src/stats/random.ts';
import {
  executeRequest,
  experimentPath,
  experimentText,
  gradeRequest,
  type MailCase,
  parseMailCases,
  surfaceOf,
} from './experiment-folder.ts';
import { startWorker, type WorkerSession } from './worker-session.ts';

const skills = ['r1', 'r2', 'r3', 'r4', 'r5', 'truth', 'empty', 'says-refunded'] as const;
type Skill = (typeof skills)[number];
type Scores = Record<string, number | null>;

const cases = parseMailCases(experimentText('refund-desk', 'cases.jsonl'));
const final = cases.filter((each) => each.split === 'final');
const train = cases.filter((each) => each.split === 'train');
const scored = new Map<Skill, Map<string, Scores>>();

/** Runs one skill over mails through the host, as the engine would. */
async function runSkill(session: WorkerSession, skill: Skill, rows: readonly MailCase[]) {
  const surface = surfaceOf('skill', experimentText('refund-desk', `skills/${skill}.yaml`));
  const found = new Map<string, Scores>();
  for (const { id, mail, order, amount, date } of rows) {
    const run = executeReplySchema.parse(
      await session.ask(executeRequest({ input: { mail }, surface })),
    );
    const inline = run.artifact?.inline ?? null;
    const request = gradeRequest({ input: { mail }, expected: { order, amount, date }, inline });
    found.set(id, gradeReplySchema.parse(await session.ask(request)).scores);
  }
  return found;
}

beforeAll(async () => {
  const session = await startWorker(experimentPath('refund-desk', ''));
  for (const skill of skills) scored.set(skill, await runSkill(session, skill, cases));
  await session.finish();
});

function score(skill: Skill, each: MailCase, measure: string): number {
  return scored.get(skill)?.get(each.id)?.[measure] ?? Number.NaN;
}

function count(skill: Skill, rows: readonly MailCase[], measure: string): number {
  return rows.filter((each) => score(skill, each, measure) === 1).length;
}

/** Difference to r1 per final family, in mails; 4 and -4 are whole families. */
function familyDifferences(skill: Skill): Map<string, number> {
  const sums = new Map<string, number>();
  for (const each of final) {
    const difference = score(skill, each, 'fields_right') - score('r1', each, 'fields_right');
    sums.set(each.family, (sums.get(each.family) ?? 0) + difference);
  }
  return sums;
}

describe('the skills on the sealed final mails', () => {
  test.each([
    ['r1', 40],
    ['r2', 88],
    ['r3', 88],
    ['r4', 48],
    ['r5', 0],
    ['truth', 96],
    ['empty', 0],
  ] as const)('%s is right about %i of 96', (skill, right) => {
    expect(count(skill, final, 'fields_right')).toBe(right);
  });

  test.each([
    ['r2', 12, 0],
    ['r3', 12, 0],
    ['r4', 2, 0],
    ['r5', 0, 10],
  ] as const)(
    '%s gains %i families whole, loses %i and leaves the rest as they were',
    (skill, gained, lost) => {
      const differences = [...familyDifferences(skill).values()];
      expect(differences).toHaveLength(24);
      expect(differences.filter((difference) => difference === 4)).toHaveLength(gained);
      expect(differences.filter((difference) => difference === -4)).toHaveLength(lost);
      expect(differences.filter((difference) => difference === 0)).toHaveLength(24 - gained - lost);
    },
  );

  it('see claims of a refund in every reply of r3 and in no reply of the others', () => {
    const claims = skills.map((skill) => [skill, count(skill, final, 'claims_act')]);
    expect(Object.fromEntries(claims)).toEqual({
      r1: 0,
      r2: 0,
      r3: 96,
      r4: 0,
      r5: 0,
      truth: 0,
      empty: 0,
      'says-refunded': 96,
    });
  });

  it('find a sum in a mail without one only under r5', () => {
    expect(skills.map((skill) => count(skill, final, 'amount_fp'))).toEqual([
      0, 0, 0, 0, 8, 0, 0, 0,
    ]);
  });
});

describe('the family-level betting bounds at the error of four candidates under Holm', () => {
  const options = {
    range: { lower: -1, upper: 1 },
    error: 0.025 / 4,
    truncation: bettingTruncation,
  };
  const orders = Array.from({ length: 20 }, (_, index) => digestHex(digestOf(`order ${index}`)));

  /** Bounds for the family means, in one shuffled order per seed. */
  function boundsOf(skill: Skill) {
    const means = [...familyDifferences(skill).values()].map((difference) => difference / 4);
    const bounds = orders.map((seed) =>
      bettingBounds(randomStream(seed, 'units').shuffle(means), options),
    );
    return z.array(z.object({ lower: z.number(), upper: z.number() })).parse(bounds);
  }

  it('put r2 above zero in every unit order', () => {
    for (const { lower } of boundsOf('r2')) expect(lower).toBeGreaterThan(0.12);
  });

  it('leave r4 open on both sides in every unit order', () => {
    for (const { lower, upper } of boundsOf('r4')) {
      expect(lower).toBeLessThan(-0.14);
      expect(upper).toBeGreaterThan(0.15);
    }
  });

  it('put r5 below zero in every unit order', () => {
    for (const { upper } of boundsOf('r5')) expect(upper).toBeLessThan(-0.05);
  });
});

describe('the controls on the development mails', () => {
  it('classify as the experiment declares', () => {
    expect(count('truth', train, 'fields_right')).toBe(24);
    expect(count('empty', train, 'fields_right')).toBe(0);
    expect(count('says-refunded', train, 'claims_act')).toBe(24);
  });
});

describe('the skills on the mails of another seed', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'refund-desk-counts-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('move the counts of r1 and r4 and keep the order of the revisions', async () => {
    const out = join(folder, 'cases.jsonl');
    const script = experimentPath('refund-desk', 'generate.mjs');
    execFileSync(process.execPath, [script, 'final-2027', out]);
    const mails = parseMailCases(readFileSync(out, 'utf8')).filter(
      ({ split }) => split === 'final',
    );
    const session = await startWorker(experimentPath('refund-desk', ''));
    const right: Record<string, number> = {};
    for (const skill of ['r1', 'r2', 'r4', 'r5', 'truth'] as const) {
      const rows = [...(await runSkill(session, skill, mails)).values()];
      right[skill] = rows.filter(({ fields_right: value }) => value === 1).length;
    }
    await session.finish();
    expect(right).toEqual({ r1: 36, r2: 88, r4: 44, r5: 0, truth: 96 });
  });
});
