import { describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { judgeFault, judgeSurface } from '../../src/run/control-verdict.ts';
import { controlOrder, ownCaseOf, runControls } from '../../src/run/controls.ts';
import { type ControlResult, receiptLineSchema } from '../../src/run/receipt.ts';
import { sealDigest } from '../../src/spec/seal.ts';
import { exampleTests } from '../support/examples.ts';
import {
  casesOf,
  type DeskOptions,
  deskOf,
  faulted,
  quiet,
  ScriptedHost,
  StillClock,
  surfaceOf,
} from './desk.ts';

const skill = { skill: 'skill.yaml' };
const ceiling = { id: 'ceiling', surface: skill, cells: 3, expect: { right: { min: 1 } } };
const floor = { id: 'floor', surface: skill, cells: 3, expect: { right: { max: 0.05 } } };
const deadHost = { id: 'dead-host', fault: 'host-exit', expect: { class: 'infrastructureFault' } };
const badAgent = { id: 'bad-agent', fault: 'agent-throw', expect: { class: 'agentError' } };
const badScorer = {
  id: 'bad-scorer',
  fault: 'scorer-throw',
  expect: { class: 'evaluatorFailure' },
};
const all = [ceiling, floor, deadHost, badAgent, badScorer];

/** A host that does what deliberate faults ask for. */
function soundHost(): ScriptedHost {
  const host = new ScriptedHost();
  host.onExecute = ({ fault }) => {
    if (fault === 'host-exit') return faulted('hostCrash');
    return fault === 'agent-throw' ? { outcome: 'agentError', artifact: null } : {};
  };
  host.onGrade = ({ fault }) =>
    fault === 'scorer-throw' ? { outcome: 'evaluatorFailure', scores: {}, critical: null } : {};
  return host;
}

async function control(host: ScriptedHost, options: DeskOptions = {}) {
  const desk = deskOf({
    cases: [
      ...casesOf(2),
      ...casesOf(6, 'well', 'train').map((each) => ({
        ...each,
        id: `d${each.id}`,
        unit: `d${each.unit}`,
      })),
    ],
    controls: all,
    ...options,
  });
  const clock = new StillClock();
  const run = await runControls({
    seal: desk.seal,
    cases: desk.development,
    surfaces: new Map([
      ['ceiling', surfaceOf('yes')],
      ['floor', surfaceOf('no')],
      ['own', surfaceOf('yes')],
    ]),
    baseline: surfaceOf('no'),
    host,
    clock,
    signal: quiet,
  });
  return { ...run, desk, clock };
}

function verdicts(results: readonly ControlResult[]): Record<string, boolean> {
  return Object.fromEntries(results.map((each) => [each.id, each.passed]));
}

function reasonOf(results: readonly ControlResult[], id: string): string | undefined {
  return results.find((each) => each.id === id)?.reason;
}

const sound = {
  ceiling: true,
  floor: true,
  'dead-host': true,
  'bad-agent': true,
  'bad-scorer': true,
};

describe('runControls', () => {
  test('passes a sound host and scorer, and says what it saw', async () => {
    const { results } = await control(soundHost());
    expect(verdicts(results)).toEqual(sound);
    expect(results[0]).toEqual({
      id: 'ceiling',
      passed: true,
      reason: 'every mean lies in its bounds',
      cells: 3,
      classes: { completed: 3 },
      means: { right: 1 },
    });
    expect(results[2]).toEqual({
      id: 'dead-host',
      passed: true,
      reason: 'classified as infrastructureFault',
      cells: 2,
      classes: { infrastructureFault: 1, completed: 1 },
      means: {},
    });
  });

  test('keeps every attempt as a line outside the ledger', async () => {
    const { lines, desk } = await control(soundHost());
    expect(lines).toHaveLength(3 + 3 + 2 + 1 + 1);
    lines.forEach((line, position) => {
      expect(receiptLineSchema.parse(line)).toEqual(line);
      expect(line).toMatchObject({ ledger: null, expose: null, fence: null, position });
      expect(line.receipt.experimentDigest).toBe(sealDigest(desk.seal));
    });
  });

  test('runs development cases only, in an order the design fixes', async () => {
    const host = soundHost();
    const { desk } = await control(host);
    const order = controlOrder(desk.seal, desk.development).map((each) => each.id);
    expect(host.executions.slice(0, 6).map((each) => each.caseId)).toEqual([
      ...order.slice(0, 3),
      ...order.slice(0, 3),
    ]);
    expect(controlOrder(desk.seal, [...desk.development].reverse()).map((each) => each.id)).toEqual(
      order,
    );
  });

  test('refuses final cases', async () => {
    const desk = deskOf({ controls: all });
    const run = runControls({
      seal: desk.seal,
      cases: [...desk.cases.values()],
      surfaces: new Map(),
      baseline: surfaceOf('no'),
      host: soundHost(),
      clock: new StillClock(),
      signal: quiet,
    });
    await expect(run).rejects.toThrow('The final case "c01" cannot serve a control.');
    await expect(run).rejects.toBeInstanceOf(LiftgateError);
  });

  test('catches a scorer that always passes', async () => {
    const host = soundHost();
    const sane = host.onGrade;
    host.onGrade = async (request) => ({ scores: { right: 1 }, ...(await sane(request)) });
    const { results } = await control(host);
    expect(verdicts(results)).toEqual({ ...sound, floor: false });
    expect(reasonOf(results, 'floor')).toBe('the mean of right is 1, expected at most 0.05');
  });

  test('catches a scorer that always fails', async () => {
    const host = soundHost();
    const sane = host.onGrade;
    host.onGrade = async (request) => ({ scores: { right: 0 }, ...(await sane(request)) });
    const { results } = await control(host);
    expect(verdicts(results)).toEqual({ ...sound, ceiling: false });
    expect(reasonOf(results, 'ceiling')).toBe('the mean of right is 0, expected at least 1');
  });

  test('catches a host that throws for everything', async () => {
    const host = soundHost();
    host.onExecute = () => faulted('hostCrash');
    const { results } = await control(host);
    expect(verdicts(results)).toEqual({
      ceiling: false,
      floor: false,
      'dead-host': false,
      'bad-agent': false,
      'bad-scorer': false,
    });
    expect(reasonOf(results, 'ceiling')).toBe(
      '3 of 3 cells ended without an outcome (infrastructureFault, hostCrash); right applies to no settled cell',
    );
    expect(reasonOf(results, 'dead-host')).toBe(
      'after host-exit an ordinary cell ended as infrastructureFault (hostCrash): the host did not come back',
    );
  });

  test('catches a scorer that throws for everything', async () => {
    const host = soundHost();
    host.onGrade = () => ({ outcome: 'evaluatorFailure', scores: {}, critical: null });
    const { results } = await control(host);
    expect(verdicts(results)).toEqual({
      ...sound,
      ceiling: false,
      floor: false,
      'dead-host': false,
    });
  });

  test('catches a host that swallows its errors', async () => {
    const host = new ScriptedHost();
    const { results } = await control(host);
    expect(verdicts(results)).toEqual({
      ...sound,
      'dead-host': false,
      'bad-agent': false,
      'bad-scorer': false,
    });
    expect(reasonOf(results, 'bad-agent')).toBe(
      'the fault agent-throw was classified as completed, expected agentError',
    );
  });

  test('tries a surface control again after an outage, a dead host in a fault control never', async () => {
    const host = soundHost();
    const sane = host.onExecute;
    host.onExecute = (request) =>
      request.attempt === 1 && request.fault === undefined ? faulted() : sane(request);
    const { results, lines } = await control(host, { controls: [ceiling, deadHost] });
    expect(verdicts(results)).toEqual({ ceiling: true, 'dead-host': true });
    expect(lines.filter((line) => line.cell.arm === 'ceiling')).toHaveLength(6);
    const faulty = host.executions.filter((request) => request.fault !== undefined);
    expect(faulty).toHaveLength(1);
  });

  test('fails a surface control without any case to run on', async () => {
    const { results } = await control(soundHost(), {
      cases: casesOf(1),
      controls: [ceiling, badAgent],
    });
    expect(verdicts(results)).toEqual({ ceiling: false, 'bad-agent': false });
    for (const { reason } of results) {
      expect(reason).toContain(
        'no development case to run on; add some, or give the control its own case',
      );
    }
  });

  test('runs a control on its own case instead', async () => {
    const own = {
      id: 'own',
      surface: skill,
      case: { text: 'hello', says: 'yes' },
      expect: { right: { min: 1 } },
    };
    const host = soundHost();
    const { results } = await control(host, { cases: casesOf(1), controls: [own] });
    expect(results).toMatchObject([{ id: 'own', passed: true, cells: 1 }]);
    expect(host.executions[0]?.input).toEqual({ text: 'hello' });
    expect(host.gradings[0]?.expected).toEqual({ says: 'yes' });
  });

  test('takes a failed cell at the value failures are sealed to', async () => {
    const host = soundHost();
    host.onExecute = () => ({ outcome: 'agentError', artifact: null });
    const { results } = await control(host, { controls: [ceiling, floor] });
    expect(results).toMatchObject([
      { id: 'ceiling', passed: false, means: { right: 0 } },
      { id: 'floor', passed: true, means: { right: 0 } },
    ]);
  });

  test('fails a control whose measure was not scored', async () => {
    const host = soundHost();
    host.onGrade = () => ({ scores: { right: null } });
    const { results } = await control(host, { controls: [ceiling] });
    expect(reasonOf(results, 'ceiling')).toBe('right has no value in 3 of 3 cells');
  });
});

describe('ownCaseOf', () => {
  test('splits fields like those of any case', () => {
    const { spec } = deskOf({
      controls: [
        {
          ...ceiling,
          case: { id: 'x', unit: 'u', split: 'train', text: 'hello', says: 'yes' },
        },
      ],
    }).seal;
    const [declared] = spec.controls;
    if (declared === undefined) throw new Error('no control');
    expect(ownCaseOf(spec, declared)).toMatchObject({
      id: 'control/ceiling',
      unit: 'control/ceiling',
      split: 'train',
      input: { text: 'hello' },
      expected: { says: 'yes' },
    });
  });

  test('shows the declared input fields only', () => {
    const { spec } = deskOf({
      caseRules: { input: ['text'] },
      controls: [{ ...ceiling, case: { text: 'hello', label: 1, says: 'yes' } }],
    }).seal;
    const [declared] = spec.controls;
    if (declared === undefined) throw new Error('no control');
    expect(ownCaseOf(spec, declared)?.input).toEqual({ text: 'hello' });
  });

  test('is null for a control on development cases', () => {
    const { spec } = deskOf({ controls: [ceiling] }).seal;
    const [declared] = spec.controls;
    if (declared === undefined) throw new Error('no control');
    expect(ownCaseOf(spec, declared)).toBeNull();
  });
});

exampleTests('src/run/controls.ts', {
  names: ['controlOrder', 'ownCaseOf'],
  scope: { controlOrder, ownCaseOf, ...deskOf() },
});

exampleTests('src/run/control-verdict.ts', {
  names: ['judgeSurface', 'judgeFault'],
  scope: { judgeSurface, judgeFault },
});
