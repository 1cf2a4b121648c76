/** `liftgate report` in every format on the built binary, over one recorded run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  documentOf,
  type Ended,
  liftgate,
  linesOf,
  projectFolder,
  startProgram,
} from '../support/cli.ts';
import { type SettledRun, settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { readXml } from '../support/xml.ts';

const makeFolder = temporaryFolders();
let cwd: string;
let run: SettledRun;
let verdicts: readonly string[];

beforeAll(async () => {
  cwd = await makeFolder();
  run = await settledRun({ folder: await makeFolder() });
  verdicts = linesOf((await report('--verdicts')).stdout);
});

function report(...words: string[]): Promise<Ended> {
  return liftgate(cwd, 'report', run.folder, ...words);
}

/** The same with environment variables of a runner. */
function reportUnder(env: Readonly<Record<string, string>>, ...words: string[]): Promise<Ended> {
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const program = [process.execPath, `${projectFolder}bin/liftgate.js`, 'report', run.folder];
  return startProgram(cwd, ['env', ...pairs, ...program, ...words]).ended;
}

const reportSchema = z.object({
  type: z.literal('liftgate/report/v1'),
  exitCode: z.number(),
  candidates: z.array(
    z.object({
      exitCode: z.number(),
      decided: z.object({ candidate: z.string(), decision: z.string() }),
    }),
  ),
});

describe.concurrent('liftgate report', () => {
  test('prints the recorded Markdown summary unless told otherwise', async () => {
    const { stdout, exitCode } = await report();
    expect(exitCode).toBe(0);
    const summary = readFileSync(join(run.folder, 'summary.md'), 'utf8');
    expect(stdout).toBe(`${summary}\n${verdicts.join('\n')}\n`);
  });

  test('prints a machine format alone on stdout', async () => {
    const html = await report('--format', 'html');
    expect(html.stdout).toMatch(/^<!doctype html>\n[\s\S]*<\/html>\n$/);
    const junit = await report('--format', 'junit');
    expect(readXml(junit.stdout).children[0]?.attributes['name']).toBe('mails');
    const json = reportSchema.parse(documentOf(await report('--format', 'json')));
    expect(json.exitCode).toBe(0);
  });

  test('decides alike in text, JSON, JUnit, HTML and annotations', async () => {
    const [json, junit, html, github] = await Promise.all(
      ['json', 'junit', 'html', 'github'].map((format) => report('--format', format)),
    );
    const { candidates } = reportSchema.parse(JSON.parse(json?.stdout ?? ''));
    const suite = readXml(junit?.stdout ?? '').children[0]?.children[0];
    const kinds = { ship: 'notice', hold: 'error', need_more_work: 'warning' } as const;
    for (const { decided, exitCode } of candidates) {
      const { candidate, decision } = decided;
      expect(verdicts.some((line) => line.startsWith(`${candidate}: ${decision} |`))).toBe(true);
      const found = suite?.children.find(
        (each) =>
          each.attributes['classname'] === 'mails.decisions' &&
          each.attributes['name'] === candidate,
      );
      expect(found?.children[0]?.name === 'system-out').toBe(exitCode === 0);
      expect(html?.stdout).toContain(
        `<h2 id="candidate-${candidate}">${candidate} <span class="badge ${decision}">`,
      );
      const kind = z.enum(['ship', 'hold', 'need_more_work']).parse(decision);
      expect(github?.stdout).toContain(
        `::${kinds[kind]} title=mails%3A ${candidate} ${decision}::`,
      );
    }
  });

  test('writes to a file and prints the verdict lines', async () => {
    const { stdout } = await report('--format', 'html', '--out', 'report.html');
    expect(linesOf(stdout)).toEqual(verdicts);
    expect(readFileSync(join(cwd, 'report.html'), 'utf8')).toMatch(/<\/html>\n$/);
  });

  test('lists units in JUnit on request', async () => {
    const { stdout } = await report('--format', 'junit', '--units');
    const suite = readXml(stdout).children[0]?.children[0];
    const units = suite?.children.filter((each) => each.attributes['classname'] === 'mails.units');
    expect(units?.map((each) => each.attributes['name']).sort()).toEqual(
      Array.from({ length: 12 }, (_, at) => [`new f${at + 1}`, `same f${at + 1}`])
        .flat()
        .sort(),
    );
  });

  test('appends summary and outputs where a GitHub step reads them', async () => {
    const summary = join(cwd, 'step.md');
    const outputs = join(cwd, 'outputs');
    writeFileSync(summary, 'before\n');
    const env = { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: outputs };
    const { stdout } = await reportUnder(env, '--format', 'github');
    for (const line of linesOf(stdout)) expect(line).toMatch(/^::(notice|warning|error) title=/);
    expect(readFileSync(summary, 'utf8')).toMatch(/^before\n## mails: new may ship\n/);
    expect(readFileSync(outputs, 'utf8')).toMatch(
      /^decision<<([0-9a-f]{32})\nship\n\1\nexit-code<<\1\n0\n\1\nseal-digest<<\1\nsha256:[0-9a-f]{64}\n\1\nrun-digest<<\1\nsha256:[0-9a-f]{64}\n\1\n$/,
    );
  });

  test('gives the decision as the one document under --json whatever the format', async () => {
    const ended = await report('--format', 'html', '--json');
    expect(documentOf(ended)).toMatchObject({ type: 'liftgate/decision/v1' });
    expect(ended.stderr).toBe('');
  });

  test('refuses a format it does not have and a file it cannot write', async () => {
    const unknown = await report('--format', 'pdf');
    expect(unknown.exitCode).toBe(64);
    expect(unknown.stderr).toContain('Allowed choices are markdown, html, junit, github, json.');
    const nowhere = await report('--format', 'html', '--out', 'missing/report.html');
    expect(nowhere.exitCode).toBe(64);
    expect(nowhere.stderr).toContain('Name a file in an existing folder that you may write to.');
  });

  test('shows several runs one after another, and refuses to put them into one file', async () => {
    const both = await liftgate(cwd, 'report', run.folder, run.folder, '--verdicts');
    expect(linesOf(both.stdout)).toEqual([...verdicts, ...verdicts]);
    const one = await liftgate(cwd, 'report', run.folder, run.folder, '--format', 'html');
    expect(one.exitCode).toBe(64);
    expect(one.stderr).toContain('One report holds one run, but 2 are named.');
  });
});

describe.concurrent('liftgate report --insight', () => {
  const records = [0, 1, 1, 1, 1].flatMap((right, at) => [
    { case: `c${at}`, arm: 'old', scores: { right: 0, words: 90 + at } },
    { case: `c${at}`, arm: 'new', scores: { right, words: 95 - at } },
  ]);

  function written(name: string, lines: readonly unknown[]): string {
    writeFileSync(join(cwd, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return name;
  }

  test('shows records from a file and repeats what a run decided', async () => {
    const file = written('records.jsonl', records);
    const words = ['--baseline', 'old', '--lower', 'words'] as const;
    const { exitCode, stdout } = await liftgate(cwd, 'report', file, '--insight', ...words);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^# Insight report\n\n10 records of 5 units in 2 arms; compared with old\./,
    );
    expect(stdout).toContain('| right | new | +0.8 | ');
    expect(stdout).toContain('| words | new | -1 | ');
    const { stdout: of } = await report('--insight');
    expect(of).toContain('- new may ship: that was decided in ');
    expect(of).toContain('| new | ship | ');
  });

  test('writes HTML and JSON', async () => {
    const file = written('more.jsonl', records);
    await liftgate(cwd, 'report', file, '--insight', '--format', 'html', '--out', 'insight.html');
    expect(readFileSync(join(cwd, 'insight.html'), 'utf8')).toContain('<h1>Insight report</h1>');
    const json = await liftgate(cwd, 'report', file, '--insight', '--json');
    expect(documentOf(json)).toMatchObject({ type: 'liftgate/insight/v1', records: 10 });
  });

  test.each<{
    name: string;
    lines: readonly unknown[];
    words?: string[];
    code: number;
    text: string;
  }>([
    { name: 'bad.jsonl', lines: [{ case: 'c1' }, 3], code: 41, text: 'bad.jsonl:2' },
    {
      name: 'typo.jsonl',
      lines: [{ case: 'c1', arm: 'a', score: 1 }],
      code: 41,
      text: 'Unrecognized key',
    },
    { name: 'empty.jsonl', lines: [], code: 64, text: 'There is no record.' },
    {
      name: 'none.jsonl',
      lines: records,
      words: ['--baseline', 'who'],
      code: 64,
      text: 'No record is of the arm "who".',
    },
    {
      name: 'junit.jsonl',
      lines: records,
      words: ['--format', 'junit'],
      code: 64,
      text: 'An insight report has no junit form.',
    },
  ])('refuses $name', async ({ name, lines, words = [], code, text }) => {
    const file = written(name, lines);
    const { exitCode, stderr } = await liftgate(cwd, 'report', file, '--insight', ...words);
    expect(exitCode).toBe(code);
    expect(stderr).toContain(text);
  });

  test('refuses what does not exist', async () => {
    const { exitCode, stderr } = await liftgate(cwd, 'report', 'nowhere', '--insight');
    expect(exitCode).toBe(40);
    expect(stderr).toContain('There are no records.');
  });
});
