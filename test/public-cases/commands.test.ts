/** Public cases about what a user meets: refusals, exit codes, last lines, executions counted and repeated. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { documentOf, linesOf, projectFolder, startProgram } from '../support/cli.ts';
import { publicCase } from '../support/public-cases.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import {
  allRight,
  chosenControls,
  liftGate,
  rightMeasure,
  SmallExperiment,
  smallCases,
} from '../support/workspace.ts';

const folder = temporaryFolders();
const controls = chosenControls('ceiling', 'floor');

function inputNumber(id: string, field: string): number {
  return z.number().parse(publicCase(id).input[field]);
}

function verdictOf(experiment: SmallExperiment): unknown {
  return z
    .looseObject({ verdict: z.unknown() })
    .parse(JSON.parse(experiment.text('run/decision.json'))).verdict;
}

describe.concurrent('public cases', () => {
  test('PB-08: a gate on a measure nobody declared is refused, with the near match', async () => {
    const experiment = new SmallExperiment(await folder(), {
      measures: { accuracy: rightMeasure, cost_usd: { ...rightMeasure, role: 'reported' } },
      spec: { controls: [], gates: [{ gate: 'lift', measure: 'acuracy' }] },
    });
    const { exitCode, stderr } = await experiment.call('check');
    expect(exitCode).toBe(40);
    expect(stderr).toContain(
      z.array(z.string()).parse(publicCase('PB-08').expected['error_names'])[0],
    );
    expect(stderr).toMatch(/[Dd]id you mean "?accuracy/);
  });

  test('PB-29: the decision does not depend on how many cells run at once', async () => {
    const { concurrency } = z
      .object({ concurrency: z.array(z.number()) })
      .parse(publicCase('PB-29').input);
    const verdicts = await Promise.all(
      concurrency.map(async (atOnce) => {
        const experiment = new SmallExperiment(await folder(), {
          cases: smallCases(20),
          candidates: { new: { scores: { right: ['c1', 'c4', 'c9', 'c13', 'c17'] } } },
          spec: { controls, host: { worker: ['node', 'host.mjs'], concurrency: atOnce } },
        });
        await experiment.run();
        return verdictOf(experiment);
      }),
    );
    expect(verdicts[0]).toBeDefined();
    expect(verdicts[1]).toEqual(verdicts[0]);
  });

  test('PB-55: without a unit held out nothing is measured', async () => {
    const cases = smallCases(1).map((row) => ({ ...row, split: 'train' as const }));
    const experiment = new SmallExperiment(await folder(), { cases, spec: { controls } });
    const { exitCode, stderr } = await experiment.run();
    expect(exitCode).toBe(40);
    expect(stderr).toMatch(/final/);
    expect(experiment.executions()).toEqual([]);
  });

  test('PB-56: a final cell is executed for itself, whatever was executed for development', async () => {
    const experiment = new SmallExperiment(await folder(), {
      cases: smallCases(8),
      spec: { controls },
    });
    await experiment.run();
    const final = experiment.executions().filter(({ caseId }) => caseId === 'c1');
    expect(final).toHaveLength(2);
    expect(new Set(final.map(({ cellKey }) => cellKey)).size).toBe(2);
  });

  test('PB-59: repeats are executed one by one, and a second start executes none', async () => {
    const repeats = inputNumber('PB-59', 'reps');
    const experiment = new SmallExperiment(await folder(), {
      cases: smallCases(inputNumber('PB-59', 'units')),
      spec: { controls, repeats },
    });
    const first = await experiment.run('--json');
    const executed = experiment.executions().filter(({ caseId }) => caseId === 'c1');
    expect(executed).toHaveLength(2 * repeats);
    expect(new Set(executed.map(({ cellKey }) => cellKey)).size).toBe(2 * repeats);
    const again = await experiment.run('--json');
    const firstDocument = z.looseObject({}).parse(documentOf(first));
    expect(documentOf(again)).toEqual({ ...firstDocument, recorded: true });
    expect(experiment.executions().filter(({ caseId }) => caseId === 'c1')).toHaveLength(
      2 * repeats,
    );
    const verdict = z.looseObject({ funnel: z.unknown() }).parse(verdictOf(experiment));
    expect(JSON.stringify(verdict.funnel)).toContain(
      '{"excluded":[],"input":1,"kept":1,"of":"units","stage":"estimated"}',
    );
  });

  test('PB-65, PB-67: text, JSON and exit code say the same of three units below their bar', async () => {
    const { n, 'at_or_above_0.8': above } = z
      .object({ n: z.number(), 'at_or_above_0.8': z.number() })
      .parse(publicCase('PB-65').input['scores']);
    const ids = smallCases(n)
      .filter((row) => row.split === 'final')
      .map((row) => row.id);
    const experiment = new SmallExperiment(await folder(), {
      cases: smallCases(n),
      measures: {
        right: rightMeasure,
        low: { kind: 'binary', role: 'critical', direction: 'lower' },
      },
      candidates: { new: { scores: { right: true, low: ids.slice(above) } } },
      spec: { gates: [liftGate, { gate: 'critical', measure: 'low' }] },
    });
    const text = await experiment.run();
    const json = await experiment.run('--json');
    expect([text.exitCode, json.exitCode]).toEqual([20, 20]);
    expect(linesOf(text.stdout).at(-1)).toMatch(
      /^new: hold .*critical:low: 3 candidate cells in 3 units violate it/,
    );
    expect(z.looseObject({ decision: z.unknown() }).parse(documentOf(json)).decision).toMatchObject(
      {
        decisions: [{ candidate: 'new', decision: publicCase('PB-65').expected['json_decision'] }],
      },
    );
  });

  test('PB-66: asking for a report changes no exit code', async () => {
    const experiment = new SmallExperiment(await folder(), {
      cases: smallCases(20),
      baseline: allRight,
      candidates: { new: {} },
      spec: { controls },
    });
    const [first] = [await experiment.run()];
    const html = `${experiment.name}/report.html`;
    const words = ['--format', 'html', '--out', html] as const;
    const bin = `${projectFolder}bin/liftgate.js`;
    const run = `${experiment.name}/run`;
    const reported = await startProgram(experiment.workspace, [
      ...([process.execPath, bin, 'report', run] as const),
      ...words,
    ]).ended;
    const again = await experiment.run();
    expect([first?.exitCode, reported.exitCode, again.exitCode]).toEqual([20, 0, 20]);
    expect(experiment.text('report.html')).toMatch(/hold/);
    expect(linesOf(reported.stdout).at(-1)).toMatch(/^new: hold /);
  });

  test.each(z.array(z.number()).parse(publicCase('PB-69').input['cells']))(
    'PB-69: with standard output in a file the last line of %i cells is the decision, and the exit code its code',
    async (cells) => {
      const units = cells / 2;
      const experiment = new SmallExperiment(await folder(), {
        cases: smallCases(units),
        candidates: { new: { scores: { right: ['c1', 'c2'] } } },
        spec: { controls },
      });
      const command = `"$0" "$1" run ${experiment.name} --seal --out ${experiment.name}/run > ${experiment.name}/out.txt`;
      const { exitCode } = await startProgram(experiment.workspace, [
        'bash',
        ...['-c', command, process.execPath, `${projectFolder}bin/liftgate.js`],
      ]).ended;
      expect(exitCode).toBe(21);
      expect(linesOf(experiment.text('out.txt')).at(-1)).toMatch(
        new RegExp(`^new: need_more_work .* n=${units} units `),
      );
    },
  );
});
