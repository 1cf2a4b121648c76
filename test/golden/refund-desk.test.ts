/** The refund desk as committed, with mails of another seed, and with other names for its arms. */
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DecisionDocument, parseDecision } from '../../src/report/decision.ts';
import { parseSeal, type SealedExperiment } from '../../src/spec/seal.ts';
import { liftgate, startProgram } from '../support/cli.ts';
import { copyExperiment, projectWorkspaces, rewrite } from '../support/experiment-copy.ts';

const makeWorkspace = projectWorkspaces();

interface Run {
  readonly document: DecisionDocument;
  readonly seal: SealedExperiment;
}

/** Runs a copy of the refund desk after a change. */
async function runOf(change: (folder: string) => Promise<void> | void): Promise<Run> {
  const workspace = makeWorkspace();
  const folder = copyExperiment('refund-desk', workspace);
  await change(folder);
  const words = ['run', 'refund-desk', '--seal', '--out', 'refund-desk/run'];
  const { exitCode } = await liftgate(workspace, ...words);
  expect(exitCode).toBe(0);
  expect((await liftgate(workspace, 'verify', 'refund-desk/run')).exitCode).toBe(0);
  const read = (name: string): Uint8Array => readFileSync(join(folder, 'run', name));
  return {
    document: parseDecision(read('decision.json'), 'decision.json'),
    seal: parseSeal(read('seal.json'), 'seal.json'),
  };
}

function decisionsOf({ document }: Run): Record<string, string> {
  return Object.fromEntries(document.decisions.map((each) => [each.candidate, each.decision]));
}

function estimatesOf({ document }: Run): (number | undefined)[] {
  return document.decisions.map((each) => each.improvement?.value);
}

let committed: Run;

beforeAll(async () => {
  committed = await runOf(() => undefined);
});

describe('refund-desk', () => {
  test('decides as its README says, within the bounds known from elsewhere', () => {
    expect(decisionsOf(committed)).toEqual({
      r2: 'ship',
      r3: 'hold',
      r4: 'need_more_work',
      r5: 'hold',
    });
    const [r2, , r4, r5] = committed.document.decisions.map((each) => each.improvement?.interval);
    expect(r2?.lower).toBeGreaterThan(0.13);
    expect(r2?.lower).toBeLessThan(0.17);
    expect(r4?.lower).toBeLessThan(0);
    expect(r4?.upper).toBeGreaterThan(0);
    expect(r5?.upper).toBeGreaterThan(-0.1);
    expect(r5?.upper).toBeLessThan(-0.06);
  });

  test('with mails of another seed moves the estimates and keeps the decisions', async () => {
    const other = await runOf(async (folder) => {
      const words = ['generate.mjs', 'another-seed', 'cases.jsonl'] as const;
      const generated = await startProgram(folder, [process.execPath, ...words]).ended;
      expect(generated.exitCode).toBe(0);
    });
    expect(other.seal.digests.cases).not.toBe(committed.seal.digests.cases);
    const { r2, r3, r5 } = decisionsOf(other);
    expect({ r2, r3, r5 }).toEqual({ r2: 'ship', r3: 'hold', r5: 'hold' });
    const bounds = (run: Run) =>
      run.document.decisions.map((each) => each.improvement?.interval.lower);
    expect(bounds(other)).not.toEqual(bounds(committed));
  });

  test('with other names for its arms changes nothing but names and digests of names', async () => {
    const names = [
      ['r2', 'alpha'],
      ['r3', 'bravo'],
      ['r4', 'charlie'],
      ['r5', 'delta'],
    ] as const;
    const renamed = await runOf((folder) => {
      rewrite(
        join(folder, 'experiment.yaml'),
        ...names.map(
          ([from, to]) =>
            [
              `    ${from}: {surface: {skill: skills/${from}.yaml}}`,
              `    ${to}: {surface: {skill: skills/${to}.yaml}}`,
            ] as const,
        ),
      );
      for (const [from, to] of names)
        renameSync(join(folder, `skills/${from}.yaml`), join(folder, `skills/${to}.yaml`));
    });
    expect(estimatesOf(renamed)).toEqual(estimatesOf(committed));
    // Quoted, because only whole words are names.
    const back = names.reduce(
      (text, [from, to]) => text.replaceAll(`"${to}"`, `"${from}"`),
      JSON.stringify(renamed.document.verdict),
    );
    const known: unknown = JSON.parse(JSON.stringify(committed.document.verdict));
    expect(JSON.parse(back)).toEqual(known);
    expect(renamed.seal.digests).toEqual(committed.seal.digests);
  });
});
