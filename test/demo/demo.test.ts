/** The demo as a newcomer runs it, in workspaces of its own. */
import { copyFileSync, cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linesOf, projectFolder, startProgram } from '../support/cli.ts';
import { projectWorkspaces } from '../support/experiment-copy.ts';

const makeWorkspace = projectWorkspaces();

describe('experiments/demo.mjs', () => {
  test('decides the four candidates as expected, verifies, and ends with verdicts and summary', async () => {
    const workspace = makeWorkspace();
    const demo = join(projectFolder, 'experiments/demo.mjs');
    const { exitCode, stdout, stderr } = await startProgram(projectFolder, [
      process.execPath,
      demo,
      workspace,
    ]).ended;
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain('demo:');
    expect(stdout).toContain('\nRESULT confirmed\n');
    const last = linesOf(stdout).slice(-5);
    expect(last[0]).toMatch(/^r2: ship \| fields_right \+0\.5 \(\+0\.1\d+ \.\. /);
    expect(last[1]).toMatch(
      /^r3: hold \| .* \| critical:claims_act: 96 candidate cells in 24 units/,
    );
    expect(last[2]).toMatch(
      /^r4: need_more_work \| .* n=24 units \| lift:fields_right: the interval/,
    );
    expect(last[3]).toMatch(/^r5: hold \| fields_right -0\.\d+ .* lies wholly at or below 0$/);
    const summary = `${basename(workspace)}/refund-desk/run/summary.md`;
    expect(last[4]).toBe(`Summary: ${summary}`);
    expect(existsSync(join(projectFolder, summary))).toBe(true);
    expect(existsSync(join(workspace, 'ledger/log/00000000.json'))).toBe(true);
  });

  test('fails when one decision is not the expected one', async () => {
    // A project of its own, in which r5 is as good as r2: the run still exits 0, the demo must not.
    const project = makeWorkspace();
    cpSync(join(projectFolder, 'experiments'), join(project, 'experiments'), {
      recursive: true,
      filter: (path) => !/[\\/](?:runs|sentiment)(?:[\\/]|$)|\.seal\.json$/.test(path),
    });
    const skills = join(project, 'experiments/refund-desk/skills');
    copyFileSync(join(skills, 'r2.yaml'), join(skills, 'r5.yaml'));
    cpSync(join(projectFolder, 'bin'), join(project, 'bin'), { recursive: true });
    copyFileSync(join(projectFolder, 'package.json'), join(project, 'package.json'));
    symlinkSync(join(projectFolder, 'dist'), join(project, 'dist'));
    writeFileSync(join(project, 'README'), 'a copy made by a test\n');
    const demo = join(project, 'experiments/demo.mjs');
    const workspace = join(project, 'workspace');
    const { exitCode, stderr } = await startProgram(project, [process.execPath, demo, workspace])
      .ended;
    expect(exitCode).toBe(1);
    expect(linesOf(stderr).at(-1)).toBe('demo: r5: expected hold, found ship');
  });
});
