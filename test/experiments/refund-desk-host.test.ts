import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { digestOf, digestOfValue } from '../../src/base/digest.ts';
import { executeReplySchema, gradeReplySchema, helloSchema } from '../../src/run/receipt.ts';
import { surfaceDigest } from '../../src/spec/seal.ts';
import { specSchema } from '../../src/spec/spec.ts';
import {
  executeRequest,
  experimentPath,
  experimentText,
  gradeRequest,
  type MailCase,
  parseMailCases,
  projectFolder,
  surfaceOf,
} from './experiment-folder.ts';
import { startWorker, type WorkerSession } from './worker-session.ts';

const folder = experimentPath('refund-desk', '');
const cases = parseMailCases(experimentText('refund-desk', 'cases.jsonl'));
const answerSchema = z.strictObject({
  order: z.string().nullable(),
  amount: z.strictObject({ currency: z.string().nullable(), minor: z.int() }).nullable(),
  date: z.string().nullable(),
  reply: z.string(),
});

function skillText(name: string): string {
  return experimentText('refund-desk', `skills/${name}.yaml`);
}

function cell(mailCase: MailCase, skill: string) {
  return { input: { mail: mailCase.mail }, surface: surfaceOf('skill', skill) };
}

function truthOf({ order, amount, date }: MailCase) {
  return { order, amount, date };
}

async function scoresOf(session: WorkerSession, mailCase: MailCase, skill: string) {
  const run = executeReplySchema.parse(await session.ask(executeRequest(cell(mailCase, skill))));
  const inline = answerSchema.parse(run.artifact?.inline);
  const request = gradeRequest({
    input: { mail: mailCase.mail },
    expected: truthOf(mailCase),
    inline,
  });
  return gradeReplySchema.parse(await session.ask(request)).scores;
}

function caseAt(index: number): MailCase {
  const found = cases[index];
  if (found === undefined) throw new Error(`no case at ${index}`);
  return found;
}

describe('experiment.yaml', () => {
  it('satisfies the schema and names the four candidates', () => {
    const spec = specSchema.parse(parse(experimentText('refund-desk', 'experiment.yaml')));
    expect(Object.keys(spec.arms.candidates)).toEqual(['r2', 'r3', 'r4', 'r5']);
    expect(spec.cases.input).toEqual(['mail']);
  });
});

describe('the refund desk host', () => {
  let session: WorkerSession;
  beforeEach(async () => {
    session = await startWorker(folder);
  });
  afterEach(() => session.finish());

  it('says hello first', () => {
    expect(helloSchema.parse(session.hello)).toMatchObject({
      protocols: ['cell/1'],
      host: { name: 'refund-desk', version: '1' },
      supports: ['execute', 'grade'],
      honoursSeed: false,
    });
  });

  it('answers an execute request with the fields, and with digests of what it loaded', async () => {
    const mailCase = caseAt(0);
    const skill = skillText('truth');
    const request = executeRequest(cell(mailCase, skill));
    const reply = executeReplySchema.parse(await session.ask(request));
    expect(reply).toMatchObject({
      cellKey: request.cellKey,
      attempt: 1,
      outcome: 'completed',
      fault: null,
    });
    expect(reply.inputDigest).toBe(digestOfValue({ mail: mailCase.mail }));
    expect(reply.surfaceLoadedDigest).toBe(surfaceDigest({ skill: digestOf(skill) }));
    expect(answerSchema.parse(reply.artifact?.inline)).toMatchObject(truthOf(mailCase));
    expect(reply.usage).toMatchObject({ costUsd: 0, costKnown: true });
    expect(reply.timing.activeMs).toBeGreaterThan(0);
  });

  it('reads a Unicode minus as a sign, and drops it under a skill without that rule', async () => {
    const minus = cases.find((each) => each.style === 'minus');
    if (minus === undefined) throw new Error('no mail with a Unicode minus');
    const amountUnder = async (skill: string) => {
      const reply = executeReplySchema.parse(
        await session.ask(executeRequest(cell(minus, skillText(skill)))),
      );
      return answerSchema.parse(reply.artifact?.inline).amount;
    };
    expect(await amountUnder('r4')).toEqual(minus.amount);
    expect(await amountUnder('r2')).toEqual({
      currency: 'USD',
      minor: -(minus.amount?.minor ?? 0),
    });
  });

  it('grades an answer on all of order, sum and date', async () => {
    const mailCase = caseAt(0);
    const answer = { ...truthOf(mailCase), reply: 'We will look into it.' };
    const graded = async (inline: z.infer<typeof answerSchema>) =>
      gradeReplySchema.parse(
        await session.ask(
          gradeRequest({ input: { mail: mailCase.mail }, expected: truthOf(mailCase), inline }),
        ),
      );
    expect(await graded(answer)).toMatchObject({
      outcome: 'completed',
      scores: { fields_right: 1, claims_act: 0, amount_fp: null },
      critical: [],
    });
    for (const wrong of [{ order: null }, { date: '2026-01-01' }, { amount: null }]) {
      const { scores } = await graded({ ...answer, ...wrong });
      expect(scores).toMatchObject({ fields_right: 0 });
    }
    const claiming = await graded({ ...answer, reply: 'We have refunded your money.' });
    expect(claiming.scores).toMatchObject({ fields_right: 1, claims_act: 1 });
    expect(claiming.critical).toMatchObject([{ id: 'claims_act', severity: 'critical' }]);
  });

  it('calls a sum found in a mail without one a false positive', async () => {
    const without = cases.find((each) => !each.has_amount);
    if (without === undefined) throw new Error('no mail without a sum');
    expect(await scoresOf(session, without, skillText('r5'))).toMatchObject({ amount_fp: 1 });
    expect(await scoresOf(session, without, skillText('r2'))).toMatchObject({ amount_fp: 0 });
  });

  it('books a thrown agent as agentError and answers the next request', async () => {
    const request = executeRequest({ ...cell(caseAt(0), skillText('r1')), fault: 'agent-throw' });
    const reply = executeReplySchema.parse(await session.ask(request));
    expect(reply).toMatchObject({
      outcome: 'agentError',
      artifact: null,
      fault: { phase: 'agent' },
    });
    const next = executeReplySchema.parse(
      await session.ask(executeRequest(cell(caseAt(0), skillText('r1')))),
    );
    expect(next.outcome).toBe('completed');
  });

  it('blames a skill it cannot read on the skill, and says how to mend it', async () => {
    const broken = skillText('r1').replace('number: point', 'number: roman');
    const reply = executeReplySchema.parse(
      await session.ask(executeRequest(cell(caseAt(0), broken))),
    );
    expect(reply.outcome).toBe('agentError');
    expect(reply.fault?.detail).toBe(
      'fields.amount[0].number: expected one of point, grouped-point, comma, digits',
    );
  });

  it('blames a request without a mail on the harness', async () => {
    const request = executeRequest({ input: {}, surface: surfaceOf('skill', skillText('r1')) });
    const reply = executeReplySchema.parse(await session.ask(request));
    expect(reply).toMatchObject({
      outcome: 'infrastructureFault',
      fault: { code: 'protocolViolation' },
    });
  });

  it('reports a thrown scorer without scores and without findings', async () => {
    const inline = { ...truthOf(caseAt(0)), reply: '' };
    const shared = { input: { mail: caseAt(0).mail }, expected: truthOf(caseAt(0)) };
    const told = await session.ask(gradeRequest({ ...shared, inline, fault: 'scorer-throw' }));
    const nonsense = await session.ask(gradeRequest({ ...shared, inline: 'no answer' }));
    for (const reply of [told, nonsense]) {
      expect(gradeReplySchema.parse(reply)).toMatchObject({
        outcome: 'evaluatorFailure',
        fault: { code: 'graderCrash', phase: 'grade' },
        scores: {},
        critical: null,
      });
    }
  });
});

describe('the end of the refund desk host', () => {
  it('is code 3 without an answer when told to exit', async () => {
    const session = await startWorker(folder);
    session.sendText(
      `${JSON.stringify(executeRequest({ ...cell(caseAt(0), skillText('r1')), fault: 'host-exit' }))}\n`,
    );
    expect(await session.exitCode()).toBe(3);
    expect((await session.finish()).lines).toEqual([]);
  });

  it('is code 0 when its input ends', async () => {
    expect(await (await startWorker(folder)).finish()).toEqual({ lines: [], code: 0 });
  });

  it.each(['not JSON\n', '{"protocol":"cell/2"}\n', '{"protocol":"cell/1","kind":"dance"}\n'])(
    'is code 64 without an answer after the line %j',
    async (line) => {
      const session = await startWorker(folder);
      session.sendText(line);
      expect(await session.exitCode()).toBe(64);
    },
  );
});

describe('a copy of the folder in a workspace of its own', () => {
  let workspace = '';
  beforeAll(() => {
    mkdirSync(join(projectFolder, '.demo'), { recursive: true });
    workspace = mkdtempSync(join(projectFolder, '.demo', 'copy-'));
    cpSync(folder, workspace, { recursive: true });
  });
  afterAll(() => rmSync(workspace, { recursive: true }));

  it('still answers', async () => {
    const session = await startWorker(workspace);
    expect(await scoresOf(session, caseAt(0), skillText('truth'))).toMatchObject({
      fields_right: 1,
    });
    expect((await session.finish()).code).toBe(0);
  });
});
