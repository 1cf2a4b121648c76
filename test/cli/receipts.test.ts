/** `liftgate decide`: hand-written receipts are analysed and never ship; those of a recorded run decide as the run did. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentOf, liftgate, linesOf } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { SmallExperiment } from '../support/workspace.ts';

const folder = temporaryFolders();

function handWritten(arms: Readonly<Record<string, number>>): string {
  return Array.from({ length: 8 }, (_, index) => `c${index + 1}`)
    .flatMap((id) =>
      Object.entries(arms).map(([arm, right]) =>
        JSON.stringify({ case: id, arm, scores: { right } }),
      ),
    )
    .map((line) => `${line}\n`)
    .join('');
}

async function given(text: string): Promise<{ experiment: SmallExperiment; file: string }> {
  const experiment = new SmallExperiment(await folder());
  const file = join(experiment.workspace, 'receipts.jsonl');
  writeFileSync(file, text);
  return { experiment, file };
}

describe.concurrent('hand-written receipts', () => {
  test('that would ship are analysed and capped at 21, not confirmatory', async () => {
    const { experiment, file } = await given(handWritten({ baseline: 0, new: 1 }));
    const { exitCode, stdout } = await experiment.call('decide', '--receipts', file);
    expect(exitCode).toBe(21);
    expect(linesOf(stdout).at(-1)).toMatch(
      /^new: need_more_work \| right \+1 \(\+0\.3512 \.\. \+1\) n=8 units \| .*not-confirmatory/,
    );
    expect(await experiment.ledgerKinds()).toEqual([]);
    expect(experiment.executions()).toEqual([]);
  });

  test('that show a loss decide nothing either: 21', async () => {
    const { experiment, file } = await given(handWritten({ baseline: 1, new: 0 }));
    const decided = await experiment.call('decide', '--receipts', file);
    expect(decided.exitCode).toBe(21);
    expect(linesOf(decided.stdout).at(-1)).toContain('right -1 (-1 .. -0.3512) n=8 units');
    const capped = await experiment.call('decide', '--receipts', file, '--report-only');
    expect(capped.exitCode).toBe(0);
  });

  test('that are damaged are refused line by line: 41', async () => {
    const { experiment, file } = await given(
      '{"case":"c1","arm":"new","scores":{"right":NaN}}\n{\n',
    );
    const { exitCode, stderr, stdout } = await experiment.call('decide', '--receipts', file);
    expect(exitCode).toBe(41);
    expect(stdout).toBe('');
    expect(stderr).toContain('receipts.jsonl:1');
    expect(stderr).toContain('receipts.jsonl:2');
    expect(stderr).toContain('2 problems found');
  });

  test('that cannot be read are refused: 40', async () => {
    const { experiment } = await given('');
    const { exitCode, stderr } = await experiment.call('decide', '--receipts', 'none.jsonl');
    expect(exitCode).toBe(40);
    expect(stderr).toContain('none.jsonl [file-unreadable]');
  });

  test('with an unknown candidate asked for are refused: 64', async () => {
    const { experiment, file } = await given(handWritten({ baseline: 0, new: 1 }));
    const words = ['--receipts', file, '--candidate', 'r9'];
    expect((await experiment.call('decide', ...words)).exitCode).toBe(64);
  });
});

describe.concurrent('receipts of a recorded run', () => {
  test('decide as the run did, and one changed score takes the right to ship away', async () => {
    const { experiment } = await given('');
    expect((await experiment.run()).exitCode).toBe(0);
    const lines = experiment.text('run/controls.jsonl') + experiment.text('run/journal.jsonl');
    const file = join(experiment.workspace, 'all.jsonl');
    writeFileSync(file, lines);
    const words = ['--receipts', file, '--json'];
    const same = await experiment.call('decide', ...words);
    expect(same.exitCode).toBe(0);
    const recorded: unknown = JSON.parse(experiment.text('run/decision.json'));
    expect(documentOf(same)).toEqual(recorded);

    // The last receipt with this score is that of a final cell; the member after it keeps the artifact out of it.
    const scored = '"scores":{"right":0},"surfaceLoadedDigest"';
    const at = lines.lastIndexOf(scored);
    expect(at).toBeGreaterThan(experiment.text('run/controls.jsonl').length);
    const forgedText = `${lines.slice(0, at)}${scored.replace('0', '1')}${lines.slice(at + scored.length)}`;
    writeFileSync(file, forgedText);
    const forged = await experiment.call('decide', ...words);
    expect(forged.exitCode).toBe(21);
    expect(documentOf(forged)).toMatchObject({ verdict: { evidence: 'not-confirmatory' } });
  });
});

describe('liftgate decide', () => {
  test.each([[[]], [['--receipts', 'a.jsonl', '--what-if', 'rule.yaml']]])(
    'with %j exits 64: one of receipts and rule says what to decide',
    async (words) => {
      const { exitCode, stderr } = await liftgate(await folder(), 'decide', 'small', ...words);
      expect(exitCode).toBe(64);
      expect(stderr).toContain('Exactly one of --receipts and --what-if says what to decide.');
    },
  );
});

describe('a recorded run under another rule', () => {
  test('says what the rule finds, ships nothing and leaves no entry: 21', async () => {
    const experiment = new SmallExperiment(await folder());
    expect((await experiment.run()).exitCode).toBe(0);
    const kinds = await experiment.ledgerKinds();
    experiment.writeText('rule.yaml', 'inference: {level: 0.9}\n');
    const words = ['decide', 'small/run', '--what-if', 'small/rule.yaml'] as const;
    const { exitCode, stdout } = await liftgate(experiment.workspace, ...words);
    expect(exitCode).toBe(21);
    expect(linesOf(stdout)[0]).toMatch(/^EXPLORATORY: /);
    expect(stdout).toContain('  inference.level: 0.95 -> 0.9\n');
    expect(stdout).toContain('Recorded under the sealed rule: new ship.\n');
    expect(stdout).toContain('  lift:right: pass (cleared)');
    expect(linesOf(stdout).at(-1)).toMatch(/^new: need_more_work \| .*exploratory/);
    const json = await liftgate(experiment.workspace, ...words, '--json');
    expect(documentOf(json)).toMatchObject({
      stamp: 'exploratory',
      decision: { verdict: { evidence: 'not-confirmatory', exitCode: 21 } },
    });
    expect(await experiment.ledgerKinds()).toEqual(kinds);
  });
});
