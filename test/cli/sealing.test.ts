/** What is sealed is what runs: changes after the seal, and units that somebody else holds. */
import { describe, expect, test } from 'vitest';
import { linesOf } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { allRight, SmallExperiment, type SmallOptions, smallCases } from '../support/workspace.ts';

const folder = temporaryFolders();

async function sealed(options: SmallOptions = {}): Promise<SmallExperiment> {
  const experiment = new SmallExperiment(await folder(), options);
  const { exitCode } = await experiment.call('seal', '--candidates');
  expect(exitCode).toBe(0);
  return experiment;
}

describe.concurrent('a sealed experiment', () => {
  test('is not run with a candidate edited after sealing: 41, naming the file', async () => {
    const experiment = await sealed();
    experiment.writeText('new.json', '{"scores": {"right": ["c1"]}}\n');
    const { exitCode, stderr } = await experiment.call('run');
    expect(exitCode).toBe(41);
    expect(stderr).toContain('[seal-drift]');
    expect(stderr).toContain('new.json');
    expect(await experiment.ledgerKinds()).toEqual(['genesis', 'seal', 'seal']);
  });

  test.each(['baseline.json', 'host.mjs', 'cases.jsonl', 'truth.json'])(
    'is not run with %s edited after sealing: 41, naming the file',
    async (file) => {
      const experiment = await sealed();
      experiment.writeText(file, `${experiment.text(file)}\n`);
      const { exitCode, stderr } = await experiment.call('run');
      expect(exitCode).toBe(41);
      expect(stderr).toContain('[seal-drift]');
      expect(stderr).toContain(file);
    },
  );

  test('is not run with a rule changed after sealing: 41, naming the field', async () => {
    const experiment = await sealed();
    experiment.write({ spec: { gates: [{ gate: 'lift', measure: 'right', threshold: 0.05 }] } });
    const { exitCode, stderr } = await experiment.call('run');
    expect(exitCode).toBe(41);
    expect(stderr).toContain('gates[0].threshold');
  });

  test('is not decided from receipts with an edited surface either', async () => {
    const experiment = await sealed();
    experiment.writeText('new.json', '{"scores": {"right": ["c1"]}}\n');
    experiment.writeText('hand.jsonl', '');
    const receipts = `${experiment.folder}/hand.jsonl`;
    const { exitCode, stderr } = await experiment.call('decide', '--receipts', receipts);
    expect(exitCode).toBe(41);
    expect(stderr).toContain('new.json');
  });

  test('binds candidates after the plan: the plan seal knows none of their bytes', async () => {
    const experiment = new SmallExperiment(await folder());
    expect((await experiment.call('seal')).exitCode).toBe(0);
    experiment.writeText('new.json', '{"scores": {"right": ["c1"]}}\n');
    const { exitCode, stdout } = await experiment.call('seal', '--candidates');
    expect(exitCode).toBe(0);
    expect(linesOf(stdout)[0]).toMatch(
      /^plan seal sha256:[0-9a-f]{64} \(recorded before, unchanged\)$/,
    );
    expect(linesOf(stdout)[1]).toMatch(/^final seal sha256:[0-9a-f]{64}$/);
  });
});

describe.concurrent('an experiment without a seal', () => {
  test('is not run without --seal: 41, and nothing is written', async () => {
    const experiment = new SmallExperiment(await folder());
    const { exitCode, stderr } = await experiment.call('run');
    expect(exitCode).toBe(41);
    expect(stderr).toContain('[seal-missing]');
    expect(stderr).toContain('Seal it with `liftgate seal`, or run with --seal.');
    expect(await experiment.ledgerKinds()).toEqual([]);
  });
});

describe.concurrent('final units that are spent', () => {
  test('are refused to another experiment: 42, naming owner and units', async () => {
    const owner = new SmallExperiment(await folder(), { name: 'owner' });
    expect((await owner.run()).exitCode).toBe(0);
    const other = new SmallExperiment(owner.workspace, {
      name: 'other',
      cases: [...smallCases(7, 'x'), ...smallCases(1).filter((each) => each.split === 'final')],
    });
    const { exitCode, stderr, stdout } = await other.run();
    expect(exitCode).toBe(42);
    expect(stdout).toBe('');
    expect(stderr).toContain('[ledger-conflict]');
    expect(stderr).toContain('owner');
    expect(stderr).toContain('family-c1');
    expect(other.executions()).toEqual([]);
  });

  test('are refused to another seal of the same experiment, and the old decision stays', async () => {
    const experiment = new SmallExperiment(await folder());
    const first = await experiment.run();
    experiment.write({ spec: { gates: [{ gate: 'lift', measure: 'right', threshold: 0.05 }] } });
    const again = await experiment.call('run', '--seal', '--out', 'small/second');
    expect(again.exitCode).toBe(42);
    expect(again.stderr).toContain('[ledger-conflict]');
    expect(again.stderr).toContain('small');
    expect(again.stderr).toContain('family-c1');
    experiment.write({});
    const recorded = await experiment.run();
    expect(recorded.exitCode).toBe(first.exitCode);
    expect(linesOf(recorded.stdout).at(-1)).toBe(linesOf(first.stdout).at(-1));
  });

  test('are recognised under another name by their content', async () => {
    const owner = new SmallExperiment(await folder(), { name: 'owner' });
    expect((await owner.run()).exitCode).toBe(0);
    const renamed = smallCases(8).map((each) => ({
      ...each,
      id: `new-${each.id}`,
      family: `new-${each.family}`,
    }));
    const other = new SmallExperiment(owner.workspace, { name: 'other', cases: renamed });
    const { exitCode, stderr } = await other.run();
    expect(exitCode).toBe(42);
    expect(stderr).toContain('owner');
  });
});

describe.concurrent('development units', () => {
  test('overlapping final units inside a spec are refused: 40, naming the unit', async () => {
    const [first, ...rest] = smallCases(8);
    const overlap = first === undefined ? [] : [{ ...first, family: 'family-c1' }, ...rest];
    const experiment = new SmallExperiment(await folder(), { cases: overlap });
    const { exitCode, stderr } = await experiment.run();
    expect(exitCode).toBe(40);
    expect(stderr).toContain('family-c1');
    expect(await experiment.ledgerKinds()).toEqual([]);
  });

  test('in the record of the ledger are refused as final units: 42, naming the owner', async () => {
    const first = new SmallExperiment(await folder(), { name: 'first' });
    expect((await first.run()).exitCode).toBe(0);
    const [developed] = smallCases(1);
    const cases = [
      ...smallCases(7, 'x'),
      ...(developed === undefined ? [] : [{ ...developed, split: 'final' as const }]),
    ];
    const second = new SmallExperiment(first.workspace, { name: 'second', cases });
    const { exitCode, stderr } = await second.run();
    expect(exitCode).toBe(42);
    expect(stderr).toContain('first');
    expect(stderr).toContain('family-c-d1');
    expect(second.executions()).toEqual([]);
  });

  test('may be shared by experiments', async () => {
    const first = new SmallExperiment(await folder(), { name: 'first' });
    expect((await first.run()).exitCode).toBe(0);
    const cases = [
      ...smallCases(0),
      ...smallCases(8, 'x').filter((each) => each.split === 'final'),
    ];
    const second = new SmallExperiment(first.workspace, {
      name: 'second',
      cases,
      candidates: { new: allRight },
    });
    expect((await second.run()).exitCode).toBe(0);
  });
});
