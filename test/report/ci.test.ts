/** The CI recipes, run as far as a machine without their services can: every shell line of the action and of the GitLab snippet. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { type Ended, projectFolder, startProgram } from '../support/cli.ts';
import { mailsFiles, writeFiles } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const command = `${process.execPath} ${projectFolder}bin/liftgate.js`;

const actionSchema = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string().optional() })),
  outputs: z.record(z.string(), z.object({ value: z.string() })),
  runs: z.object({
    using: z.literal('composite'),
    steps: z.array(
      z.object({
        id: z.string().optional(),
        shell: z.literal('bash'),
        env: z.record(z.string(), z.string()),
        run: z.string(),
      }),
    ),
  }),
});
const action = actionSchema.parse(parse(readFileSync(`${projectFolder}action.yml`, 'utf8')));

const makeFolder = temporaryFolders();

/** A folder with the mails experiment. */
async function workspace(): Promise<string> {
  const folder = await makeFolder();
  writeFiles(join(folder, 'mails'), mailsFiles());
  return folder;
}

function bash(cwd: string, script: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const words = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return startProgram(cwd, ['env', ...words, 'bash', '-eo', 'pipefail', '-c', script]).ended;
}

/** Values of a step's output file: `name=value` and `name<<word` blocks. */
function outputsOf(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  const pattern = /^([\w-]+)(?:=(.*)|<<(\S+)\n([\s\S]*?)\n\3)$/gm;
  for (const [, name = '', plain, , block] of text.matchAll(pattern)) {
    found[name] = plain ?? block ?? '';
  }
  return found;
}

interface ActionRun {
  readonly ends: readonly Ended[];
  readonly outputs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly summary: string;
}

/** Runs the steps as the runner would: expressions replaced in `env` alone, each step's outputs kept under its id. */
async function runAction(cwd: string, given: Readonly<Record<string, string>>): Promise<ActionRun> {
  const outputs: Record<string, Record<string, string>> = {};
  const ends: Ended[] = [];
  const summaryFile = join(cwd, 'summary.md');
  writeFileSync(summaryFile, '');
  const value = (expression: string): string =>
    expression.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, path: string) => {
      const [kind, id = '', , name = ''] = path.split('.');
      if (kind === 'inputs') return given[id] ?? action.inputs[id]?.default ?? '';
      return outputs[id]?.[name] ?? '';
    });
  for (const [at, step] of action.runs.steps.entries()) {
    const outputFile = join(cwd, `outputs-${at}`);
    writeFileSync(outputFile, '');
    const env = Object.fromEntries(
      Object.entries(step.env).map(([name, expression]) => [name, value(expression)]),
    );
    const github = { GITHUB_OUTPUT: outputFile, GITHUB_STEP_SUMMARY: summaryFile };
    ends.push(await bash(cwd, step.run, { ...env, ...github }));
    outputs[step.id ?? `step-${at}`] = outputsOf(readFileSync(outputFile, 'utf8'));
  }
  return { ends, outputs, summary: readFileSync(summaryFile, 'utf8') };
}

describe('the composite action', () => {
  let cwd: string;
  let shipped: ActionRun;
  beforeAll(async () => {
    cwd = await workspace();
    shipped = await runAction(cwd, { command, experiment: 'mails', seal: 'true' });
  });

  test('passes inputs through the environment alone, never into a script', () => {
    for (const step of action.runs.steps) expect(step.run).not.toContain('${{');
  });

  test('names outputs that its report step writes', () => {
    const named = Object.entries(action.outputs).map(([name, { value }]) => [name, value]);
    expect(named).toEqual(named.map(([name]) => [name, `\${{ steps.report.outputs.${name} }}`]));
    expect(Object.keys(shipped.outputs['report'] ?? {}).sort()).toEqual(
      Object.keys(action.outputs).sort(),
    );
  });

  test('ends with 0 when a candidate ships, with summary, annotation and both reports', () => {
    expect(shipped.ends.map((end) => end.exitCode)).toEqual([0, 0, 0]);
    expect(shipped.outputs['report']).toMatchObject({
      decision: 'ship',
      'exit-code': '0',
      html: 'liftgate-run.html',
      junit: 'liftgate-run.junit.xml',
    });
    expect(shipped.outputs['report']?.['run-digest']).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(shipped.summary).toMatch(/^## mails: new may ship\n/);
    expect(shipped.ends[1]?.stdout).toMatch(/^::notice title=mails%3A new ship::new may ship: /m);
    expect(readFileSync(join(cwd, 'liftgate-run.html'), 'utf8')).toContain('mails: new may ship');
    expect(readFileSync(join(cwd, 'liftgate-run.junit.xml'), 'utf8')).toContain('mails.gates');
  });

  test('stops runner commands while the run prints, under a word of its own', () => {
    const lines = (shipped.ends[0]?.stdout ?? '').trimEnd().split('\n');
    const word = /^::stop-commands::([0-9a-f]{32})$/.exec(lines[0] ?? '')?.[1];
    expect(lines.at(-1)).toBe(`::${word}::`);
  });

  test('ends with the decision of the named candidate, and with 0 for it under report-only', async () => {
    const again = { command, experiment: 'mails', candidate: 'same' };
    const held = await runAction(cwd, again);
    expect(held.ends.map((end) => end.exitCode)).toEqual([0, 0, 21]);
    const watched = await runAction(cwd, { ...again, 'report-only': 'true' });
    expect(watched.ends.map((end) => end.exitCode)).toEqual([0, 0, 0]);
  });

  test('says that nothing was decided and keeps the exit code of a refusal', async () => {
    const refused = await runAction(await workspace(), { command, experiment: 'mails' });
    expect(refused.ends[1]?.stdout).toBe(
      '::error title=Liftgate::No decision was recorded; the step before says why.\n',
    );
    expect(refused.ends.map((end) => end.exitCode)).toEqual([0, 0, 41]);
  });
});

const snippetSchema = z.object({
  'release-gate': z.object({
    variables: z.record(z.string(), z.string()),
    script: z.array(z.string()),
    after_script: z.array(z.string()),
    allow_failure: z.object({ exit_codes: z.array(z.number()) }),
    artifacts: z.object({ paths: z.array(z.string()), reports: z.object({ junit: z.string() }) }),
  }),
});

describe('the GitLab snippet', () => {
  const docs = readFileSync(`${projectFolder}docs/ci.md`, 'utf8');
  const block = /```yaml\n(release-gate:[\s\S]*?)```/.exec(docs)?.[1] ?? '';
  const job = snippetSchema.parse(parse(block))['release-gate'];

  test('runs, reports and leaves every artifact it names; only need_more_work is allowed to fail', async () => {
    const cwd = await workspace();
    const env = { ...job.variables, EXPERIMENT: 'mails', LIFTGATE: command };
    const sealed = await bash(cwd, `${command} seal mails --candidates`, {});
    expect(sealed.exitCode).toBe(0);
    const ran = await bash(cwd, job.script.join('\n'), env);
    expect(ran.exitCode).toBe(0);
    const reported = await bash(cwd, job.after_script.join('\n'), env);
    expect(reported.exitCode).toBe(0);
    for (const path of [...job.artifacts.paths, job.artifacts.reports.junit]) {
      expect(existsSync(join(cwd, path)), path).toBe(true);
    }
    expect(job.allow_failure.exit_codes).toEqual([21]);
  });
});
