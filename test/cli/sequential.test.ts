/** Sequential designs on the built binary: looks that stop a run, look lines of the journal, resumed and refused runs. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type JournalLine, journalLineSchema } from '../../src/run/journal.ts';
import { isAlive, linesOf, startLiftgate, until } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import {
  allRight,
  type CaseRow,
  SmallExperiment,
  type SmallOptions,
  smallCases,
} from '../support/workspace.ts';

const folder = temporaryFolders();
const started: SmallExperiment[] = [];

/** Hosts of a test that failed half way must not outlive it. */
afterAll(() => {
  for (const pid of started.flatMap((experiment) => experiment.hostPids()))
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

const threeLooks = {
  rule: 'group-sequential',
  spending: 'obrien-fleming',
  looks: [10, 20, 30],
} as const;
const anytime = { rule: 'anytime', looks: { every: 5 } } as const;

async function experimentOf(options: SmallOptions): Promise<SmallExperiment> {
  const experiment = new SmallExperiment(await folder(), { cases: smallCases(30), ...options });
  started.push(experiment);
  return experiment;
}

function journalOf(experiment: SmallExperiment): JournalLine[] {
  return linesOf(experiment.text('run/journal.jsonl')).map((line) =>
    journalLineSchema.parse(JSON.parse(line)),
  );
}

/** Looks of a journal as `look/of: units decision`. */
function looksIn(experiment: SmallExperiment): string[] {
  return journalOf(experiment).flatMap((line) =>
    line.kind === 'look'
      ? [`${line.look}/${line.of}: ${line.units} ${line.findings.map((each) => each.decision)}`]
      : [],
  );
}

/** Final case ids in the order the host saw them first; development cases of controls are left out. */
function measuredCases(experiment: SmallExperiment): string[] {
  const seen = experiment.executions().map(({ caseId }) => caseId);
  return [...new Set(seen)].filter((id) => /^c\d/.test(id));
}

describe.concurrent('a group-sequential run', () => {
  test('ships at the look that clears, measures no further unit, and verifies', async () => {
    const experiment = await experimentOf({ spec: { stopping: threeLooks } });
    const { exitCode, stdout, stderr } = await experiment.run();
    expect(exitCode).toBe(0);
    expect(linesOf(stdout).at(-1)).toBe(
      'new: ship | right +1 (+0.537 .. +1) n=20 units | right improves by 1 (0.537 .. 1) over 20 units and every required gate passed; look 2 of 3 (20 of 30 units)',
    );
    expect(stderr).toContain('Look 1 of 3, 10 units: new need_more_work; going on.');
    expect(stderr).toContain('Look 2 of 3, 20 units: new ship.');
    expect(looksIn(experiment)).toEqual(['1/3: 10 need_more_work', '2/3: 20 ship']);
    expect(measuredCases(experiment)).toHaveLength(20);
    expect(experiment.text('run/summary.md')).toContain(
      'Decided at look 2 of 3 (20 of 30 units), rule group-sequential: spent 0.00716 of the error 0.025; 10 units were not measured.',
    );
    const verified = await experiment.verify();
    expect(verified.stdout).toContain('RESULT confirmed');
    expect(verified.exitCode).toBe(0);
    const again = await experiment.run();
    expect(again.stdout).toContain('Recorded decision; nothing was dispatched.');
  });

  test('stops for harm, which no average of later units could mend', async () => {
    const experiment = await experimentOf({
      baseline: allRight,
      candidates: { new: {} },
      spec: { stopping: { ...threeLooks, spending: 'pocock' } },
    });
    const { exitCode, stdout } = await experiment.run();
    expect(exitCode).toBe(20);
    expect(looksIn(experiment)).toEqual(['1/3: 10 hold']);
    expect(linesOf(stdout).at(-1)).toMatch(/^new: hold .*; look 1 of 3 \(10 of 30 units\)$/);
    expect(measuredCases(experiment)).toHaveLength(10);
    expect((await experiment.verify()).exitCode).toBe(0);
  });

  test('without a difference goes through all looks and asks for more work', async () => {
    const experiment = await experimentOf({
      candidates: { new: { scores: { right: ['c1', 'c2'] } } },
      spec: { stopping: threeLooks },
    });
    expect((await experiment.run()).exitCode).toBe(21);
    expect(looksIn(experiment).map((each) => each.slice(-14))).toEqual(
      Array.from({ length: 3 }, () => 'need_more_work'),
    );
    expect(measuredCases(experiment)).toHaveLength(30);
    expect((await experiment.verify()).exitCode).toBe(0);
  });
});

describe.concurrent('an anytime run', () => {
  test('ships at the first look whose bound clears and shows the wealth of its bets', async () => {
    const experiment = await experimentOf({ spec: { stopping: anytime } });
    expect((await experiment.run()).exitCode).toBe(0);
    expect(looksIn(experiment)).toEqual(['1/6: 5 need_more_work', '2/6: 10 ship']);
    expect(experiment.text('run/summary.md')).toContain('log wealth 4.055; 20 units');
    expect((await experiment.verify()).exitCode).toBe(0);
  });
});

describe.concurrent('a sequential run that is killed', () => {
  test.each([
    ['group-sequential', threeLooks, 14],
    ['anytime', anytime, 7],
  ])(
    '%s: reproduces looks, wealth and decision of the uninterrupted run',
    async (_, stopping, place) => {
      const options: SmallOptions = { spec: { stopping } };
      const whole = await experimentOf(options);
      expect((await whole.run()).exitCode).toBe(0);
      const waits = measuredCases(whole)[place] ?? '';
      const killed = await experimentOf({
        ...options,
        candidates: { new: { ...allRight, behave: { [waits]: 'wait' } } },
      });
      const process = startLiftgate(
        killed.workspace,
        'run',
        'small',
        '--seal',
        '--out',
        'small/run',
      );
      await until('the host to reach the waiting cell', () =>
        existsSync(join(killed.folder, 'reached')),
      );
      process.signal('SIGKILL');
      await process.ended;
      await until('the hosts to end', () => !killed.hostPids().some(isAlive));
      expect(looksIn(killed)).toHaveLength(1);
      writeFileSync(join(killed.folder, 'go'), '');
      expect((await killed.run()).exitCode).toBe(0);
      const said = (experiment: SmallExperiment): unknown[] =>
        journalOf(experiment).flatMap((line) =>
          line.kind === 'look'
            ? [
                [
                  line.look,
                  line.units,
                  line.decides,
                  line.findings.map(({ decision, wealth }) => [decision, wealth]),
                ],
              ]
            : [],
        );
      expect(said(killed)).toEqual(said(whole));
      expect((await killed.verify()).exitCode).toBe(0);
    },
  );
});

test('a look that was taken stands: neither cut out of the journal nor told otherwise is it resumed from', async () => {
  const options: SmallOptions = { spec: { stopping: threeLooks } };
  const whole = await experimentOf(options);
  await whole.run();
  const waits = measuredCases(whole)[14] ?? '';
  const killed = await experimentOf({
    ...options,
    candidates: { new: { ...allRight, behave: { [waits]: 'wait' } } },
  });
  const process = startLiftgate(killed.workspace, 'run', 'small', '--seal', '--out', 'small/run');
  await until('the host to reach the waiting cell', () =>
    existsSync(join(killed.folder, 'reached')),
  );
  process.signal('SIGKILL');
  await process.ended;
  await until('the hosts to end', () => !killed.hostPids().some(isAlive));
  writeFileSync(join(killed.folder, 'go'), '');
  const executed = killed.executions().length;
  const journal = killed.text('run/journal.jsonl');
  const cut = linesOf(journal).findIndex((line) => line.includes('"kind":"look"'));
  const changed = [
    journal.replace('"decision":"need_more_work"', '"decision":"ship"'),
    `${linesOf(journal).slice(0, cut).join('\n')}\n`,
  ];
  for (const text of changed) {
    expect(text).not.toBe(journal);
    killed.writeText('run/journal.jsonl', text);
    const again = await killed.run();
    expect(again.exitCode).toBe(41);
    expect(again.stderr).toContain('The journal of this exposed run was changed: it');
  }
  expect(killed.executions()).toHaveLength(executed);
  killed.writeText('run/journal.jsonl', journal);
  expect((await killed.run()).exitCode).toBe(0);
});

describe.concurrent('looks that cannot be taken', () => {
  const few = (): readonly CaseRow[] => smallCases(8);
  test.each([
    [{ ...threeLooks, looks: [8] }, 'A sequential design has at least two looks'],
    [
      { ...threeLooks, looks: [4, 6] },
      'The last look is at 6 units, and 8 final units are planned.',
    ],
    [
      { ...threeLooks, looks: [6, 4, 8] },
      'Looks must rise from one to the next; they are at 6, 4, 8',
    ],
    [{ ...threeLooks, looks: { every: 8 } }, 'A sequential design has at least two looks'],
    [{ ...anytime, looks: { every: 1 } }, 'the first at 2 units or more'],
    [
      { ...threeLooks, looks: [4, 8], futility: { error: 0.1 } },
      '[futility-without-effect]\n  The futility rule gives a lift up when claim.minimumEffect is ruled out',
    ],
  ])('%o: 40', async (stopping, text) => {
    const experiment = await experimentOf({ cases: few(), spec: { stopping } });
    const { exitCode, stderr } = await experiment.call('check');
    expect(stderr).toContain(text);
    expect(exitCode).toBe(40);
  });

  test('more looks than the law of a group-sequential design is computed for: 40', async () => {
    const looks = { every: 2 };
    const experiment = await experimentOf({
      cases: smallCases(64),
      spec: { stopping: { ...threeLooks, looks } },
    });
    const { exitCode, stderr } = await experiment.call('check');
    expect(stderr).toContain(
      '[looks-invalid]\n  A group-sequential design has at most 30 looks; it has 32.',
    );
    expect(exitCode).toBe(40);
  });

  test('a disclosure that the length of the run would break: 40', async () => {
    const experiment = await experimentOf({
      spec: { stopping: threeLooks, disclosure: 'gate-bit' },
    });
    const { exitCode, stderr } = await experiment.call('check');
    expect(stderr).toContain('[stopping-discloses]');
    expect(exitCode).toBe(40);
  });
});
