/** docs/writing-a-spec.md is run as written: its files, both of its hosts, its commands. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { executeReplySchema, gradeReplySchema } from '../../src/run/receipt.ts';
import { type Ended, liftgate, projectFolder } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const page = readFileSync(join(projectFolder, 'docs/writing-a-spec.md'), 'utf8');
const makeFolder = temporaryFolders();
const files = [...page.matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm)].map(
  ([, path = '', text = '']) => ({ path, text }),
);
const commands = (/^```sh run\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '').trim().split('\n');

/** Writes the files of the page below an empty folder and makes the cases. */
async function writePage(worker: string): Promise<string> {
  const folder = await makeFolder();
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text.replace('[node, host.mjs]', worker));
  }
  const made = spawnSync(process.execPath, ['make-cases.mjs'], { cwd: join(folder, 'prices') });
  if (made.status !== 0) throw new Error(`make-cases.mjs failed: ${made.stderr.toString('utf8')}`);
  return folder;
}

async function follow(folder: string): Promise<Ended[]> {
  const ended: Ended[] = [];
  for (const command of commands) {
    const [program, ...words] = command.split(' ');
    if (program !== 'liftgate') throw new Error(`the page runs ${command}`);
    ended.push(await liftgate(folder, ...words));
  }
  return ended;
}

describe('docs/writing-a-spec.md', () => {
  test('has four files, three commands and, before the table of fields, at most 270 lines', () => {
    expect(files.map(({ path }) => path)).toEqual([
      'prices/experiment.yaml',
      'prices/make-cases.mjs',
      'prices/host.mjs',
      'prices/host.py',
    ]);
    expect(commands.map((command) => command.split(' ')[1])).toEqual(['check', 'plan', 'run']);
    const tour = page.slice(0, page.indexOf('\n## Every field\n'));
    expect(tour.split('\n').length).toBeLessThanOrEqual(270);
    expect(tour).toContain('## From spec to decision');
  });

  test.each([
    ['JavaScript', '[node, host.mjs]'],
    ['Python', '[python3, host.py]'],
  ])('ships the better reader with the host in %s, and the run verifies', async (_, worker) => {
    const folder = await writePage(worker);
    const [checked, planned, ran] = await follow(folder);
    expect([checked?.exitCode, planned?.exitCode]).toEqual([0, 0]);
    expect(checked?.stdout).toContain('final: 24 units, 48 cases');
    expect(planned?.stdout).toContain('The most favourable receipts would ship');
    expect(ran?.stderr).not.toContain('controls-failed');
    expect(ran?.stdout).toMatch(/^comma: ship \| right \+0\.5 .* n=24 units/m);
    expect(ran?.exitCode).toBe(0);
    const [run = ''] = readdirSync(join(folder, 'prices/runs'));
    const verified = await liftgate(folder, 'verify', `prices/runs/${run}`);
    expect(verified.stdout).toContain('\nRESULT confirmed\n');
  });

  test('explains every field of a receipt that a host writes', () => {
    const start = page.indexOf('## What each receipt field means');
    const tables = page.slice(start, page.indexOf('\n## ', start + 1));
    const named = [...tables.matchAll(/^\| (`.*?) \| /gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, field = '']) => field),
    );
    const written = [executeReplySchema, gradeReplySchema].flatMap(({ shape }) =>
      Object.keys(shape),
    );
    expect([...named].sort()).toEqual([...new Set(written)].sort());
  });
});
