import { describe, expect, test } from 'vitest';
import { canonicalLine } from '../../src/base/canonical.ts';
import { gateRunner } from '../../src/host/gate-runner.ts';
import { failedReply } from '../../src/run/gate-reply.ts';
import { rerunGates } from '../../src/serve/run-report.ts';
import { decideAgain } from '../../src/serve/what-if.ts';
import { noDemands } from '../../src/verify/check-trust.ts';
import { gateRecordSchema } from '../../src/verify/gate-record.ts';
import { checkRun } from '../../src/verify/verify.ts';
import {
  answering,
  checkOf,
  gate,
  ofNew,
  runWith as runIn,
  said,
  saying,
  withGate,
} from '../support/custom-gates.ts';
import { failures, remanifested } from '../support/forgery.ts';
import { mailsExperiment, type SettledRun, settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const runWith = async (
  ...[files, ports]: [Record<string, string>, Parameters<typeof runIn>[2]?]
): Promise<SettledRun> => runIn(await makeFolder(), files, ports);

describe('verification of a custom gate', () => {
  function holding(): Promise<SettledRun> {
    return runWith(withGate(saying('hold'), 'measures: [right]', mailsExperiment));
  }
  const textOf = (run: SettledRun): string => new TextDecoder().decode(run.files.get('gates.json'));

  test('finds other code, other replies, and replies that nobody gave', async () => {
    const run = await holding();
    const text = textOf(run);
    const record = JSON.parse(text) as { replies: { input: string }[] };
    const withReplies = (replies: unknown[]): string => canonicalLine({ ...record, replies });
    const attacks: [string, string][] = [
      [text.replace("'hold'", "'ship'"), 'The recorded code of the gates is not the sealed one.'],
      [text.replaceAll('"decision":"hold"', '"decision":"ship"'), 'recomputed: new ship'],
      [
        text.replace(/"input":"sha256:../, '"input":"sha256:00'),
        'nothing is recorded of what "own" said',
      ],
      [withReplies(record.replies.slice(1)), 'nothing is recorded of what "own" said'],
      [withReplies([...record.replies, ...record.replies]), 'do not stand in the order'],
      [text.replace('"candidate":"same"', '"candidate":"new"'), 'names another gate or candidate'],
      [withReplies(record.replies.toReversed()), 'do not stand in the order of their inputs'],
      ['{}\n', 'The record of the gates is none'],
    ];
    for (const [forged, why] of attacks) {
      expect(forged).not.toBe(text);
      const verification = checkRun(remanifested(run.files, { 'gates.json': forged }), run.view);
      expect(verification.exitCode).toBe(41);
      expect(failures(verification).join('\n')).toContain(why);
    }
    const without = new Map(run.files);
    without.delete('gates.json');
    expect(failures(checkRun(without, run.view)).join('\n')).toContain('gates.json');
  });

  test('computes the intervals again that a gate was given, and finds others beside its reply', async () => {
    const spec = 'measures: [right], intervals: [{measure: right, level: 0.9}]';
    const floored = gate(
      `({ measures }) => { const [found] = measures.right.intervals; return found.status === 'estimated'
        ? { decision: found.lower > -0.5 ? 'ship' : 'hold', reason: 'by its interval', value: found.value, bound: found.lower }
        : { decision: 'need_more_work', reason: found.reason }; }`,
    );
    const run = await runWith(withGate(floored, spec));
    const text = textOf(run);
    const record = gateRecordSchema.parse(JSON.parse(text));
    const [given] = record.replies[0]?.intervals ?? [];
    if (given?.status !== 'estimated') throw new Error('the gate was given an interval');
    expect(given).toMatchObject({ measure: 'right', level: 0.9 });
    expect(ofNew(run).own).toMatchObject({ answer: { value: given.value, bound: given.lower } });
    expect(failures(checkRun(run.files, run.view))).toEqual([]);
    const why = 'are not those of the evidence';
    for (const forged of [
      text.replace('"level":0.9,', '"level":0.8,'),
      text.replace(/"intervals":\[\{[^\]]*\],/, ''),
    ]) {
      expect(forged).not.toBe(text);
      const verification = checkRun(remanifested(run.files, { 'gates.json': forged }), run.view);
      expect(failures(verification).join('\n')).toContain(why);
    }
  });

  test('refuses a record where the seal has no custom gate', async () => {
    const run = await settledRun({ folder: await makeFolder() });
    const forged = remanifested(run.files, { 'gates.json': '{}\n' });
    expect(failures(checkRun(forged, run.view)).join('\n')).toContain(
      'gates.json is there, and the seal has no custom gate',
    );
  });

  test('runs no code by itself, and tells recorded replies from other ones when it is asked to', async () => {
    const run = await holding();
    const reruns = await rerunGates(run.files, gateRunner());
    const same = checkRun(run.files, run.view, { ...noDemands, reruns });
    expect(failures(same)).toEqual([]);
    expect(checkOf(same, 'gates')?.detail).toBe('2 replies; their code run again says the same');
    expect(same.uncheckable.join('\n')).not.toContain('--run-gates');
    const other = await rerunGates(
      run.files,
      answering(() => said('ship')),
    );
    expect(
      failures(checkRun(run.files, run.view, { ...noDemands, reruns: other })).join('\n'),
    ).toContain('"own" about new: recorded hold (because); run again it answers ship (because)');
    const broken = await rerunGates(
      run.files,
      answering(() => failedReply('threw', 'why')),
    );
    expect(
      failures(checkRun(run.files, run.view, { ...noDemands, reruns: broken })).join('\n'),
    ).toContain('run again it fails (threw: why)');
  });

  test('a forged run, sealed gates and all, is told by running the code again', async () => {
    // Whoever owns the ledger can record what no code said; only the code shows it.
    const lying = answering(() => said('ship'));
    const run = await runWith(withGate(saying('hold')), { gateRunner: lying });
    expect(ofNew(run).decision).toBe('ship');
    expect(failures(checkRun(run.files, run.view))).toEqual([]);
    const reruns = await rerunGates(run.files, gateRunner());
    expect(checkRun(run.files, run.view, { ...noDemands, reruns }).exitCode).toBe(41);
  });
});

describe('what-if', () => {
  const rule = (text: string) => ({ bytes: new TextEncoder().encode(text), file: 'rule.yaml' });

  test('takes recorded replies to the same input, and runs code only with a runner', async () => {
    const run = await runWith(withGate(saying('hold')));
    const same = await decideAgain(run.folder, rule('claim: {minimumEffect: 0.2}\n'));
    const own = (found: typeof same) =>
      found.decision.decisions[0]?.contributions.find(({ gate: kind }) => kind === 'custom');
    expect(own(same)).toMatchObject({ finding: 'breached', reason: 'because' });
    const level = rule('inference: {level: 0.9}\n');
    expect(own(await decideAgain(run.folder, level))).toMatchObject({
      finding: 'insufficient',
      reason: 'its code was not run on this evidence',
    });
    expect(own(await decideAgain(run.folder, level, gateRunner()))).toMatchObject({
      finding: 'breached',
      reason: 'because',
    });
  });

  test('a gate whose code was never sealed is no gate', async () => {
    const run = await settledRun({ folder: await makeFolder() });
    const text =
      'gates: [{gate: lift, measure: right}, {gate: custom, name: own, module: own.mjs, measures: [right]}]\n';
    const { decision } = await decideAgain(run.folder, rule(text), gateRunner());
    expect(decision.decisions[0]?.contributions.find(({ name }) => name === 'own')).toMatchObject({
      finding: 'insufficient',
      reason: 'its code answered in another form: there is no own.mjs',
    });
  });
});
