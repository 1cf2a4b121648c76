import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { failedReply, type GateRunner } from '../../src/run/gate-reply.ts';
import { runToDecision } from '../../src/store/run-experiment.ts';
import { ledgerView } from '../../src/verify/reading.ts';
import { checkRun } from '../../src/verify/verify.ts';
import {
  answering,
  checkOf,
  gate,
  ofNew,
  runWith as runIn,
  said,
  saying,
  single,
  withGate,
} from '../support/custom-gates.ts';
import { failures } from '../support/forgery.ts';
import {
  decided,
  mailsIn,
  memoryFolder,
  runPorts,
  type SettledRun,
  settledRun,
  watchedHost,
} from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const runWith = async (
  ...[files, ports]: [Record<string, string>, Parameters<typeof runIn>[2]?]
): Promise<SettledRun> => runIn(await makeFolder(), files, ports);

describe('a run with a custom gate', () => {
  test.each([
    ['ship', 'cleared', 0],
    ['need_more_work', 'unresolved', 21],
    ['hold', 'breached', 20],
    ['model_ceiling', 'breached', 22],
    ['arch_ceiling', 'breached', 23],
  ] as const)('may end with %s, and verifies', async (decision, finding, exitCode) => {
    const run = await runWith(withGate(saying(decision)));
    expect(run.result.exitCode).toBe(exitCode);
    const found = ofNew(run);
    expect(found.decision).toBe(decision);
    expect(found.own).toMatchObject({
      name: 'own',
      finding,
      statistic: 0.25,
      n: { units: 12 },
      answer: { decision, reason: 'because', bound: null },
    });
    if (decision !== 'ship') expect(found.reason).toBe('own: because');
    const verification = checkRun(run.files, run.view);
    expect(failures(verification)).toEqual([]);
    expect(checkOf(verification, 'gates')?.detail).toBe('1 reply; their code was not run');
    expect(verification.uncheckable.join('\n')).toContain('verify --run-gates');
    expect(new TextDecoder().decode(run.files.get('summary.md'))).toContain('verify --run-gates');
  });

  test('an optional gate is shown and moves nothing', async () => {
    const run = await runWith(
      withGate(saying('arch_ceiling'), 'measures: [right], required: false'),
    );
    expect(ofNew(run)).toMatchObject({ decision: 'ship', own: { finding: 'breached' } });
  });

  test('whose code throws is incomplete by fault: it exits 30 and never ships', async () => {
    const run = await runWith(withGate(gate("() => { throw new Error('no floor'); }")));
    expect(run.result.exitCode).toBe(30);
    expect(ofNew(run)).toMatchObject({
      decision: 'need_more_work',
      reason: 'own: its code threw: no floor',
      own: { finding: 'insufficient', flags: ['lost-by-fault'] },
    });
    const verification = checkRun(run.files, run.view);
    expect(verification.ok).toBe(true);
    expect(checkOf(verification, 'gates')?.detail).toContain(', 1 of them faults');
  });

  test('without an answer in time is an infrastructure fault after all attempts', async () => {
    const body = withGate(gate('() => { for (;;); }'), 'measures: [right], timeLimitMs: 400');
    const run = await runWith(body);
    expect(run.result.exitCode).toBe(30);
    expect(ofNew(run).reason).toBe(
      'own: its code gave no answer after 3 attempts: no answer within 400 ms',
    );
  });

  test('is given paired unit values in the sealed order, counts and options, and nothing else', async () => {
    const runner = answering(() => said('ship'));
    const options = 'measures: [right], options: {floor: 0.5, words: [a, b]}';
    await runWith(withGate(saying('ship'), options), { gateRunner: runner });
    const input = JSON.parse(runner.asked[0] ?? '') as Record<string, unknown>;
    expect(Object.keys(input)).toEqual([
      ...['candidate', 'cells', 'gate', 'level', 'look', 'measures', 'options'],
      ...['plannedUnits', 'type'],
    ]);
    expect(input).toMatchObject({
      gate: 'own',
      candidate: 'new',
      level: 0.95,
      look: null,
      plannedUnits: 12,
      options: { floor: 0.5, words: ['a', 'b'] },
      cells: { baseline: { completed: 12 }, candidate: { completed: 12 } },
      measures: {
        right: {
          kind: 'binary',
          direction: 'higher',
          range: { lower: 0, upper: 1 },
          plannedPairs: 12,
          lost: { baseline: 0, candidate: 0 },
        },
      },
    });
    const { units } = (input['measures'] as { right: { units: { unit: string }[] } }).right;
    expect(units).toContainEqual({
      unit: 'f1',
      baseline: 1,
      candidate: 1,
      improvement: 0,
      pairs: 1,
    });
    expect(units).toContainEqual({
      unit: 'f9',
      baseline: 0,
      candidate: 1,
      improvement: 1,
      pairs: 1,
    });
    expect(units.length).toBe(12);
  });

  test('is asked again with its losses counted against the candidate', async () => {
    const experiment = single.replace(
      'budget: {usd: 5}',
      'budget: {usd: 5}\nattempts: {max: 1}\nloss: {maxLostShare: 0.2}',
    );
    const runner = answering(() => said('ship'));
    const files = withGate(saying('ship'), 'measures: [right]', experiment);
    const run = await runWith(files, { gateRunner: runner });
    const lost = runner.asked.map((text) => {
      const { candidate, measures } = JSON.parse(text) as {
        candidate: string;
        measures: { right: { lost: unknown; units: unknown[] } };
      };
      return [candidate, measures.right.units.length];
    });
    expect(lost).toEqual([
      ['new', 11],
      ['new', 12],
    ]);
    expect(failures(checkRun(run.files, run.view))).toEqual([]);
    const strict = {
      ...runner,
      ask: (_c: unknown, question: { units: number }) =>
        Promise.resolve(said(question.units === 12 ? 'hold' : 'ship')),
    };
    const held = await runWith(files, { gateRunner: strict });
    const { contributions } = held.result.document.decisions[0] ?? { contributions: [] };
    expect(contributions.find(({ name }) => name === 'completeness')?.reason).toContain(
      'counting every loss against its candidate turns need_more_work into hold',
    );
  });

  test('repeats byte for byte, and running it again asks nobody', async () => {
    const files = withGate(saying('ship'));
    // Faults of controls bear the time they were seen, and the exposure binds them.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 7, 1) });
    const [first, second] = [await runWith(files), await runWith(files)];
    vi.useRealTimers();
    expect(second.files.get('gates.json')).toEqual(first.files.get('gates.json'));
    expect(second.files.get('decision.json')).toEqual(first.files.get('decision.json'));
    const silent = answering(() => failedReply('threw', 'asked'));
    const again = await runToDecision(runPorts(first.loaded, first.ledger, { gateRunner: silent }));
    expect(decided(again).recorded).toBe(true);
    expect(silent.asked).toEqual([]);
  });

  test('goes on after a crash with the replies it has: a fault at a look stays one', async () => {
    const experiment = single.replace(
      'gates:',
      'stopping: {rule: group-sequential, spending: pocock, looks: [6, 9, 12]}\ngates:',
    );
    const loaded = await mailsIn(
      await makeFolder(),
      withGate(saying('ship'), 'measures: [right]', experiment),
    );
    const ledger = memoryLedger();
    const folder = memoryFolder();
    const ports = runPorts(loaded, ledger, { openFolder: () => folder });
    const asked: number[] = [];
    const dying: GateRunner = {
      load: () => Promise.resolve(null),
      ask: (_code, { units }) => {
        asked.push(units);
        if (units === 6) return Promise.resolve(failedReply('no-answer', 'late', 3));
        throw new Error('killed');
      },
    };
    const first = runToDecision({ ...ports, gateRunner: dying });
    await expect(first).rejects.toThrow('killed');
    const runner = answering(() => said('hold'));
    const result = decided(await runToDecision({ ...ports, gateRunner: runner }));
    expect(asked).toEqual([6, 9]);
    expect(runner.asked.map((text) => (JSON.parse(text) as { look: unknown }).look)).toEqual([
      { number: 2, of: 3 },
    ]);
    expect(result.document.decisions[0]?.decision).toBe('hold');
    expect(failures(checkRun(folder.files(), await ledgerView(ledger)))).toEqual([]);
  });

  test('asks at every look of a sequential design, and verifies them', async () => {
    const experiment = single.replace(
      'gates:',
      'stopping: {rule: group-sequential, spending: pocock, looks: [6, 9, 12]}\ngates:',
    );
    const body = gate(
      "({ look, measures }) => ({ decision: look.number < 3 ? 'need_more_work' : 'hold', reason: 'look ' + look.number, n: measures.right.units.length })",
    );
    const run = await runWith(withGate(body, 'measures: [right]', experiment));
    expect(ofNew(run)).toMatchObject({ decision: 'hold', own: { n: { units: 12 } } });
    const verification = checkRun(run.files, run.view);
    expect(failures(verification)).toEqual([]);
    expect(checkOf(verification, 'gates')?.detail).toContain('3 replies');
  });
});

describe('what is refused before anything is spent', () => {
  test('code that is no gate', async () => {
    const loaded = await mailsIn(await makeFolder(), withGate('export default 1;'));
    const ledger = memoryLedger();
    const seen: string[] = [];
    const ports = runPorts(loaded, ledger);
    const watched = {
      openHost: async () => watchedHost(await ports.openHost(), (key) => seen.push(key)),
    };
    await expect(runToDecision({ ...ports, ...watched })).rejects.toMatchObject({
      code: 'design-refused',
      message:
        'The code of the gate "own" cannot be used: the default export of gates/own.mjs is no defineGate(...).',
      where: { path: 'gates[1].module' },
    });
    expect(seen).toEqual([]);
    expect((await ledger.entries()).some(({ entry }) => entry.kind === 'reserve')).toBe(false);
  });

  test('a byte of the code that changed after sealing', async () => {
    const folder = await makeFolder();
    const files = withGate(saying('ship'), 'measures: [right], files: [gates/floor.mjs]');
    const ledger = memoryLedger();
    await settledRun({ folder, files: { ...files, 'gates/floor.mjs': 'export {};\n' }, ledger });
    const loaded = await mailsIn(folder, { ...files, 'gates/floor.mjs': 'export { };\n' });
    await expect(runToDecision(runPorts(loaded, ledger, { write: false }))).rejects.toMatchObject({
      code: 'seal-drift',
      message: expect.stringContaining('gates/floor.mjs: its bytes changed after sealing'),
    });
  });
});

test('the code is recorded as it is sealed', async () => {
  const run = await runWith(withGate(saying('ship')));
  const path = join(run.loaded.folder, 'gates/own.mjs');
  const { files } = JSON.parse(new TextDecoder().decode(run.files.get('gates.json'))) as {
    files: { path: string; text: string }[];
  };
  expect(files).toEqual([{ path: 'gates/own.mjs', text: readFileSync(path, 'utf8') }]);
  writeFileSync(path, 'changed later');
  expect(failures(checkRun(run.files, run.view))).toEqual([]);
});
