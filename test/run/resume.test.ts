import { describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { executeCells } from '../../src/run/execute.ts';
import type { JournalLine } from '../../src/run/journal.ts';
import { interruptedAttempts } from '../../src/run/receipt.ts';
import { unknownHost } from '../../src/run/replies.ts';
import {
  closesCell,
  danglingReceipt,
  freshState,
  receiptLineOf,
  resumeFrom,
} from '../../src/run/resume.ts';
import { exampleTests } from '../support/examples.ts';
import {
  casesOf,
  type Desk,
  deskOf,
  faulted,
  MemoryJournal,
  quiet,
  ScriptedHost,
  StillClock,
} from './desk.ts';

/** A host whose first attempt at every second cell faults, and whose grader fails for one case. */
function unsteadyHost(): ScriptedHost {
  const host = new ScriptedHost();
  host.onExecute = ({ attempt, caseId }) =>
    attempt === 1 && caseId.endsWith('2') ? faulted() : {};
  host.onGrade = ({ caseId }) =>
    caseId.endsWith('3') ? { outcome: 'evaluatorFailure', scores: {}, critical: null } : {};
  return host;
}

async function run(desk: Desk, lines: readonly JournalLine[], host: ScriptedHost) {
  const journal = new MemoryJournal();
  journal.lines.push(...lines);
  const result = await executeCells({
    ...desk,
    host,
    journal,
    resumed: resumeFrom(desk.schedule, lines),
    clock: new StillClock(),
    signal: quiet,
  });
  return { journal: journal.lines, result };
}

function refusal(desk: Desk, lines: readonly JournalLine[]): LiftgateError {
  try {
    resumeFrom(desk.schedule, lines);
  } catch (error) {
    if (error instanceof LiftgateError) return error;
    throw error;
  }
  throw new Error('the journal was accepted');
}

describe('resumeFrom', () => {
  test('continues a run killed at any boundary without repeating a settled cell', async () => {
    const desk = deskOf({ cases: casesOf(4), candidates: ['next'] });
    const whole = await run(desk, [], unsteadyHost());
    expect(whole.journal).toHaveLength(20);
    for (let kept = 0; kept <= whole.journal.length; kept += 1) {
      const before = whole.journal.slice(0, kept);
      const closedKeys = new Set(
        before.flatMap((line) =>
          line.kind === 'receipt' && line.line.receipt.outcome !== 'infrastructureFault'
            ? [`${line.line.cell.case} ${line.line.cell.arm}`]
            : [],
        ),
      );
      const host = unsteadyHost();
      const again = await run(desk, before, host);
      const armOf = new Map([...desk.surfaces].map(([arm, { digest }]) => [digest, arm]));
      for (const { caseId, surface } of host.executions) {
        expect(closedKeys).not.toContain(`${caseId} ${armOf.get(surface.digest)}`);
      }
      const attempts = again.result.lines.map((line) => line.receipt.attempt);
      expect(Math.max(...attempts)).toBeLessThanOrEqual(3);
      expect(again.result.missing.map((cell) => cell.case)).toEqual(['c03', 'c03']);
      expect(resumeFrom(desk.schedule, again.journal).lines).toHaveLength(
        again.result.lines.length,
      );
    }
  });

  test('survives a second kill at any boundary of the second session', async () => {
    const desk = deskOf({ cases: casesOf(2) });
    const whole = await run(desk, [], unsteadyHost());
    const second = await run(desk, whole.journal.slice(0, 3), unsteadyHost());
    for (let kept = 3; kept <= second.journal.length; kept += 1) {
      const third = await run(desk, second.journal.slice(0, kept), unsteadyHost());
      expect(third.result.missing).toEqual([]);
      expect(third.result.stoppedBy).toBeNull();
    }
  });

  test('dispatches nothing when everything is settled (PB-61)', async () => {
    const desk = deskOf();
    const whole = await run(desk, [], new ScriptedHost());
    const host = new ScriptedHost();
    const again = await run(desk, whole.journal, host);
    expect(host.executions).toEqual([]);
    expect(again.journal).toEqual(whole.journal);
    expect(again.result.lines).toEqual(whole.result.lines);
  });

  test('does not take a run of one repeat for a run of two (PB-61)', async () => {
    const smoke = deskOf({ repeats: 1 });
    const whole = await run(smoke, [], new ScriptedHost());
    expect(refusal(deskOf({ repeats: 2 }), whole.journal).code).toBe('receipt-invalid');
  });

  test('records an attempt that never came back as a crash of its session', async () => {
    const desk = deskOf({ cases: casesOf(1) });
    const whole = await run(desk, [], new ScriptedHost());
    const resumed = resumeFrom(desk.schedule, whole.journal.slice(0, 1));
    expect([...resumed.cells.values()].map((cell) => cell.attempts)).toEqual([1, 0]);
    const again = await run(
      { ...desk, envelope: { ...desk.envelope, fence: 'fence-2' } },
      whole.journal.slice(0, 1),
      new ScriptedHost(),
    );
    const [first, second] = again.result.lines;
    expect(first?.fence).toBe('fence-1');
    expect(first?.receipt).toMatchObject({
      attempt: 1,
      outcome: 'infrastructureFault',
      fault: { code: 'hostCrash' },
      host: unknownHost,
      usage: { costKnown: false, costUsd: null },
    });
    expect(second?.fence).toBe('fence-2');
    expect(second?.receipt).toMatchObject({ attempt: 2, outcome: 'completed' });
  });

  test('gives up a cell whose attempts a crashing run used up', async () => {
    const desk = deskOf({ cases: casesOf(1), attempts: 1 });
    const whole = await run(desk, [], new ScriptedHost());
    const host = new ScriptedHost();
    const again = await run(desk, whole.journal.slice(0, 1), host);
    expect(host.executions).toHaveLength(1);
    expect(again.result.missing).toEqual([desk.schedule[0]]);
    expect(again.result.stoppedBy).toBeNull();
  });

  test('holds the first outcome of a cell final', async () => {
    const desk = deskOf({ cases: casesOf(1) });
    const { journal } = await run(desk, [], new ScriptedHost());
    const [dispatch, receipt] = journal;
    if (dispatch?.kind !== 'dispatch' || receipt?.kind !== 'receipt') throw new Error('no attempt');
    const cellKey = 'b'.repeat(64);
    const { line } = receipt;
    const again: JournalLine[] = [
      { ...dispatch, attempt: 2, cellKey },
      { kind: 'receipt', line: { ...line, receipt: { ...line.receipt, attempt: 2, cellKey } } },
    ];
    const [first] = resumeFrom(desk.schedule, [...journal, ...again]).cells.values();
    expect(first).toMatchObject({
      attempts: 2,
      closed: true,
      settled: { receipt: { attempt: 1 } },
    });
  });

  test('ignores an equal second receipt', async () => {
    const desk = deskOf({ cases: casesOf(1) });
    const { journal, result } = await run(desk, [], new ScriptedHost());
    const [, receipt] = journal;
    if (receipt === undefined) throw new Error('no receipt');
    const state = resumeFrom(desk.schedule, [...journal, receipt]);
    expect(state.lines).toEqual(result.lines);
  });

  test('refuses a second, different receipt for one attempt', async () => {
    const desk = deskOf({ cases: casesOf(1) });
    const { journal } = await run(desk, [], new ScriptedHost());
    const [, receipt] = journal;
    if (receipt?.kind !== 'receipt') throw new Error('no receipt');
    const { line } = receipt;
    const forged = { ...line, receipt: { ...line.receipt, scores: { right: null } } };
    const error = refusal(desk, [...journal, { kind: 'receipt', line: forged }]);
    expect(error.code).toBe('receipt-invalid');
    expect(error.message).toMatch(
      /^Two different receipts name attempt 1 \(cell key [0-9a-f]{64}\)\.$/,
    );
  });

  test('refuses a receipt without dispatch', async () => {
    const desk = deskOf({ cases: casesOf(1) });
    const { journal } = await run(desk, [], new ScriptedHost());
    expect(refusal(desk, journal.slice(1)).message).toContain('which was never dispatched');
  });

  test('refuses a dispatch out of turn', async () => {
    const desk = deskOf({ cases: casesOf(1) });
    const { journal } = await run(desk, [], new ScriptedHost());
    const [dispatch] = journal;
    if (dispatch?.kind !== 'dispatch') throw new Error('no dispatch');
    const later = { ...dispatch, attempt: 3, cellKey: 'b'.repeat(64) };
    expect(refusal(desk, [dispatch, later]).message).toBe(
      'The journal dispatches attempt 3 after 1 attempts.',
    );
    expect(refusal(desk, [dispatch, dispatch]).code).toBe('receipt-invalid');
  });

  test('refuses a cell at another place than the schedule gives it', async () => {
    const desk = deskOf({ cases: casesOf(1) });
    const { journal } = await run(desk, [], new ScriptedHost());
    const [dispatch] = journal;
    if (dispatch?.kind !== 'dispatch') throw new Error('no dispatch');
    expect(refusal(desk, [{ ...dispatch, position: 1 }]).message).toContain(
      'puts the cell at place 1',
    );
  });

  test('keeps the accounts of earlier sessions', async () => {
    const desk = deskOf({ cases: casesOf(1), limits: { maxCostUsd: 0.01 } });
    const { journal } = await run(desk, [], new ScriptedHost());
    const { accounts } = resumeFrom(desk.schedule, journal.slice(0, 3));
    expect(accounts).toMatchObject({
      reservedNanos: 0,
      settledNanos: 1_000_000 + 10_000_000,
      unknownCells: 1,
    });
  });
});

describe('freshState', () => {
  test('holds every planned cell, none tried', () => {
    const { schedule } = deskOf();
    const state = freshState(schedule);
    expect([...state.cells.values()].map((each) => each.cell)).toEqual(schedule);
    expect(state.lines).toEqual([]);
  });
});

describe('attempts that came back cancelled', () => {
  test('an attempt that its interrupt took uses up none of the sealed ones, once per session', async () => {
    const desk = deskOf({ attempts: 1, retry: [] });
    const sessions: JournalLine[] = [];
    const session = async (fence: string, interrupt: boolean) => {
      const stop = new AbortController();
      const host = new ScriptedHost();
      host.onExecute = () => {
        if (interrupt) stop.abort();
        return interrupt ? { outcome: 'cancelled', artifact: null } : {};
      };
      const journal = new MemoryJournal();
      const result = await executeCells({
        ...desk,
        host,
        journal,
        clock: new StillClock(),
        signal: stop.signal,
        envelope: { ...desk.envelope, fence },
        resumed: resumeFrom(desk.schedule, sessions),
      });
      sessions.push(...journal.lines);
      return { result, host };
    };
    await session('a', true);
    await session('b', true);
    const last = await session('c', false);
    expect(last.result.missing).toEqual([]);
    expect(last.host.executions[0]?.attempt).toBe(3);
    const { lines } = resumeFrom(desk.schedule, sessions);
    const first = lines.filter((line) => line.position === lines[0]?.position);
    expect(first.map((line) => line.receipt.outcome)).toEqual([
      'cancelled',
      'cancelled',
      'completed',
    ]);
    expect(interruptedAttempts(first, 'c')).toBe(2);
  });

  test('a host that cancels without an interrupt spends its attempts', async () => {
    const host = new ScriptedHost();
    host.onExecute = () => ({ outcome: 'cancelled', artifact: null });
    const desk = deskOf({ attempts: 2 });
    const { result } = await run(desk, [], host);
    expect(result.missing).toHaveLength(desk.schedule.length);
    expect(host.executions).toHaveLength(2 * desk.schedule.length);
  });
});

exampleTests('src/run/resume.ts', {
  names: ['resumeFrom', 'freshState', 'closesCell', 'receiptLineOf', 'danglingReceipt'],
  scope: { resumeFrom, freshState, closesCell, receiptLineOf, danglingReceipt },
});
