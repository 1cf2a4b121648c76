/** The sentiment experiment with one rule more, in a ledger of its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDecision } from '../../src/report/decision.ts';
import { liftgate } from '../support/cli.ts';
import { copyExperiment, projectWorkspaces, rewrite } from '../support/experiment-copy.ts';

const makeWorkspace = projectWorkspaces();

describe('sentiment with false positives gated at a margin of 0.01', () => {
  test('vader gains as much as before and no longer ships', async () => {
    const workspace = makeWorkspace();
    const folder = copyExperiment('sentiment', workspace);
    rewrite(
      join(folder, 'experiment.yaml'),
      [
        'false_positive: {kind: binary, role: reported',
        'false_positive: {kind: binary, role: guardrail',
      ],
      [
        'class: 0}\n    expect: {right: {min: 1}, abstains: {max: 0}}',
        'class: 0}\n    expect: {right: {min: 1}, abstains: {max: 0}, false_positive: {max: 0}}',
      ],
      [
        '  - {gate: lift, measure: right, threshold: 0.01}',
        '  - {gate: lift, measure: right, threshold: 0.01}\n  - {gate: no-regression, measure: false_positive, margin: 0.01}',
      ],
    );
    const words = ['run', 'sentiment', '--seal', '--out', 'sentiment/run'];
    const { exitCode } = await liftgate(workspace, ...words);
    expect(exitCode).toBe(20);
    const bytes = readFileSync(join(folder, 'run/decision.json'));
    const { decisions } = parseDecision(bytes, 'decision.json');
    const shown = decisions.map(({ candidate, decision, improvement }) => ({
      candidate,
      decision,
      value: improvement?.value.toFixed(4),
      units: improvement?.n.units,
    }));
    expect(shown).toEqual([
      { candidate: 'sentiment2', decision: 'hold', value: '-0.0176', units: 1989 },
      { candidate: 'vader', decision: 'need_more_work', value: '0.0347', units: 1989 },
      { candidate: 'wink', decision: 'need_more_work', value: '0.0141', units: 1989 },
    ]);
    const vader = decisions.find((each) => each.candidate === 'vader');
    expect(vader?.reason).toMatch(
      /^no-regression:false_positive: the interval .* includes -0\.01$/,
    );
  });
});
