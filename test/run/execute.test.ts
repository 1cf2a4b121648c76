import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/base/canonical.ts';
import { usdOf } from '../../src/run/budget.ts';
import {
  type ExecuteOptions,
  executeCells,
  type RunProgress,
  waitBefore,
} from '../../src/run/execute.ts';
import { receiptLineSchema } from '../../src/run/receipt.ts';
import { freshState } from '../../src/run/resume.ts';
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

function optionsOf(desk: Desk, host: ScriptedHost) {
  return {
    ...desk,
    host,
    journal: new MemoryJournal(),
    resumed: freshState(desk.schedule),
    clock: new StillClock(),
    signal: quiet,
  } satisfies ExecuteOptions;
}

async function run(desk: Desk, host: ScriptedHost, changes: Partial<ExecuteOptions> = {}) {
  const options = optionsOf(desk, host);
  const result = await executeCells({ ...options, ...changes });
  return { ...options, result };
}

/** Lets other lanes go on. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}

describe('executeCells', () => {
  test('dispatches in schedule order and journals each attempt before and after', async () => {
    const desk = deskOf({ candidates: ['next', 'other'] });
    const { journal, result } = await run(desk, new ScriptedHost());
    expect(journal.lines.map((line) => line.kind)).toEqual(
      desk.schedule.flatMap(() => ['dispatch', 'receipt']),
    );
    expect(result.lines.map((line) => line.cell)).toEqual(desk.schedule);
    expect(result).toMatchObject({ interrupted: false, missing: [], stoppedBy: null });
  });

  test('writes the dispatch before the host is asked', async () => {
    const desk = deskOf({ cases: casesOf(1) });
    const host = new ScriptedHost();
    const journal = new MemoryJournal();
    host.onExecute = ({ cellKey }) => {
      expect(journal.lines.at(-1)).toMatchObject({ kind: 'dispatch', cellKey });
      return {};
    };
    await run(desk, host, { journal });
    expect(host.executions).toHaveLength(2);
  });

  test('envelops receipts with the ledger, the expose entry and the fence', async () => {
    const desk = deskOf({ cases: casesOf(1) });
    const { result } = await run(desk, new ScriptedHost());
    for (const [position, line] of result.lines.entries()) {
      expect(receiptLineSchema.parse(line)).toEqual(line);
      expect(line).toMatchObject({
        ...desk.envelope,
        position,
        armDigest: desk.surfaces.get(line.cell.arm)?.digest,
        evaluatorTree: desk.seal.evaluator.tree,
      });
    }
  });

  test('tells the host nothing that differs between arms but the surface and the cell key', async () => {
    const host = new ScriptedHost();
    host.onExecute = () => ({ artifact: { mediaType: 'text/plain', inline: 'same' } });
    await run(deskOf({ candidates: ['next', 'other'], repeats: 2 }), host);
    const blinded = (requests: readonly object[]) =>
      requests.map((request) => canonicalText({ ...request, cellKey: null, surface: null }));
    for (let block = 0; block < 8; block += 1) {
      const executions = host.executions.slice(3 * block, 3 * block + 3);
      expect(new Set(blinded(executions)).size).toBe(1);
      expect(new Set(executions.map((each) => each.cellKey)).size).toBe(3);
      const gradings = host.gradings.slice(3 * block, 3 * block + 3);
      expect(new Set(gradings.map((each) => canonicalText(each))).size).toBe(1);
    }
  });

  test('keeps the declared number in flight, and never more', async () => {
    const host = new ScriptedHost();
    host.onExecute = async () => {
      await turns(20);
      return {};
    };
    const { result } = await run(deskOf({ cases: casesOf(6), concurrency: 4 }), host);
    expect(host.mostInFlight).toBe(4);
    expect(result.missing).toEqual([]);
  });

  test('gives the same receipts for any number in flight', async () => {
    const lines = await Promise.all(
      [1, 3, 8].map(async (concurrency) => {
        const desk = deskOf({ cases: casesOf(5), concurrency });
        const { result } = await run(
          { ...desk, experimentDigest: deskOf().experimentDigest },
          new ScriptedHost(),
        );
        return canonicalText(result.lines);
      }),
    );
    expect(new Set(lines).size).toBe(1);
  });

  test('makes a new attempt after an infrastructure fault only, and keeps every attempt', async () => {
    const host = new ScriptedHost();
    host.onExecute = ({ attempt }) => (attempt === 1 ? faulted() : {});
    const { result, clock } = await run(deskOf({ cases: casesOf(1) }), host);
    expect(result.lines.map((line) => [line.position, line.receipt.attempt])).toEqual([
      [0, 1],
      [0, 2],
      [1, 1],
      [1, 2],
    ]);
    expect(result.missing).toEqual([]);
    expect(clock.sleeps).toEqual([250, 250]);
  });

  test.each(['completed', 'safeRefusal', 'agentError', 'limitExceeded'])(
    'never runs %s again, however bad it is',
    async (outcome) => {
      const host = new ScriptedHost();
      host.onExecute = () => ({ outcome });
      host.onGrade = () => ({ scores: { right: 0 } });
      const { result } = await run(deskOf({ cases: casesOf(3) }), host);
      expect(host.executions).toHaveLength(6);
      expect(result.missing).toEqual([]);
    },
  );

  test('leaves a cell missing when its attempts are used up, and goes on', async () => {
    const host = new ScriptedHost();
    host.onExecute = ({ caseId }) => (caseId === 'c02' ? faulted() : {});
    const desk = deskOf({ cases: casesOf(3) });
    const { result } = await run(desk, host);
    expect(result.missing).toEqual(desk.schedule.filter((cell) => cell.case === 'c02'));
    expect(result.stoppedBy).toBeNull();
    expect(result.lines).toHaveLength(4 + 6);
  });

  test('makes one attempt only when the spec retries nothing', async () => {
    const host = new ScriptedHost();
    host.onExecute = () => faulted();
    const { result } = await run(deskOf({ cases: casesOf(2), retry: [] }), host);
    expect(result.lines).toHaveLength(4);
  });

  test('leaves a cell whose grade failed missing and does not execute it again', async () => {
    const host = new ScriptedHost();
    host.onGrade = () => ({ outcome: 'evaluatorFailure', scores: {}, critical: null });
    const desk = deskOf({ cases: casesOf(1) });
    const { result } = await run(desk, host);
    expect(host.executions).toHaveLength(2);
    expect(result.missing).toEqual(desk.schedule);
  });

  test('waits at least as long as the host asked', async () => {
    const host = new ScriptedHost();
    host.onExecute = ({ attempt }) => (attempt === 1 ? faulted('rateLimited', 2000) : {});
    const { clock } = await run(deskOf({ cases: casesOf(1) }), host);
    expect(clock.sleeps).toEqual([2000, 2000]);
  });

  test('stops on a signal, records cells in flight as cancelled and resumes', async () => {
    const stop = new AbortController();
    const host = new ScriptedHost();
    host.onExecute = () => {
      if (host.executions.length < 3) return {};
      stop.abort();
      return { outcome: 'cancelled', artifact: null };
    };
    const desk = deskOf();
    const first = await run(desk, host, { signal: stop.signal });
    expect(first.result).toMatchObject({ interrupted: true, stoppedBy: 'signal' });
    expect(first.result.missing).toHaveLength(6);
    expect(first.result.lines.at(-1)?.receipt.outcome).toBe('cancelled');
    expect(host.executions).toHaveLength(3);
  });

  test('dispatches nothing after a signal that came before it', async () => {
    const host = new ScriptedHost();
    const { result, journal } = await run(deskOf(), host, { signal: AbortSignal.abort() });
    expect(result.stoppedBy).toBe('signal');
    expect(journal.lines).toEqual([]);
    expect(host.executions).toEqual([]);
  });

  test('dispatches nothing that was waiting for budget when the signal came', async () => {
    const stop = new AbortController();
    const host = new ScriptedHost();
    host.onExecute = async () => {
      await turns(20);
      stop.abort();
      return {};
    };
    const desk = deskOf({ concurrency: 2, budget: { usd: 0.01 }, limits: { maxCostUsd: 0.006 } });
    const { result } = await run(desk, host, { signal: stop.signal });
    expect(result).toMatchObject({ stoppedBy: 'signal', budget: { reservedNanos: 0 } });
    expect(host.executions).toHaveLength(1);
  });

  test('stops at the wall time, with what is in flight recorded', async () => {
    const desk = deskOf({ cases: casesOf(4), budget: { wallMinutes: 1 } });
    const host = new ScriptedHost();
    const clock = new StillClock();
    host.onExecute = () => {
      clock.advance(20_000);
      return {};
    };
    const { result } = await run(desk, host, { clock });
    expect(result.stoppedBy).toBe('wall');
    expect(result.lines).toHaveLength(3);
    expect(result.missing).toHaveLength(5);
  });

  test('stops dispatching when the host cannot be started any more', async () => {
    const host = new ScriptedHost();
    host.onExecute = () => (host.executions.length > 2 ? faulted('hostUnreachable') : {});
    const { result } = await run(deskOf({ cases: casesOf(4) }), host);
    expect(result.stoppedBy).toBe('host');
    expect(result.lines).toHaveLength(3);
    expect(result.missing).toHaveLength(6);
  });

  test('stops the run when the journal cannot be written', async () => {
    const journal = new MemoryJournal();
    const append = journal.append.bind(journal);
    journal.append = (line) =>
      journal.lines.length === 3 ? Promise.reject(new Error('disk full')) : append(line);
    const host = new ScriptedHost();
    await expect(run(deskOf(), host, { journal })).rejects.toThrow('disk full');
    expect(host.executions).toHaveLength(2);
  });

  test('never spends above the cap with many cells in flight', async () => {
    const desk = deskOf({
      cases: casesOf(20),
      concurrency: 16,
      budget: { usd: 0.1 },
      limits: { maxCostUsd: 0.01 },
    });
    const host = new ScriptedHost();
    let worst = 0;
    let spent = 0;
    host.onExecute = async () => {
      worst = Math.max(worst, spent + host.inFlight * 0.01);
      await turns(host.executions.length % 7);
      spent += 0.004;
      return { usage: { costUsd: 0.004, costKnown: true } };
    };
    const { result } = await run(desk, host);
    expect(result.stoppedBy).toBe('budget');
    expect(worst).toBeLessThanOrEqual(0.1 + 1e-9);
    expect(usdOf(result.budget.settledNanos)).toBeLessThanOrEqual(0.1);
    expect(result.budget.reservedNanos).toBe(0);
    expect(result.lines).toHaveLength(23);
  });

  test('settles unknown cost at its reservation', async () => {
    const host = new ScriptedHost();
    host.onExecute = () => ({ usage: { costUsd: null, costKnown: false } });
    const desk = deskOf({ budget: { usd: 0.03 }, limits: { maxCostUsd: 0.01 } });
    const { result } = await run(desk, host);
    expect(result).toMatchObject({ stoppedBy: 'budget', budget: { unknownCells: 3 } });
    expect(result.lines).toHaveLength(3);
  });

  test('counts the cost of controls toward the cap', async () => {
    const desk = deskOf({ budget: { usd: 0.03 }, limits: { maxCostUsd: 0.01 } });
    const dear = new ScriptedHost();
    dear.onExecute = () => ({ usage: { costUsd: 0.005, costKnown: true } });
    const spent = await run(desk, dear, {});
    const controlLines = spent.result.lines.slice(0, 3);
    const { result } = await run(desk, dear, { controlLines });
    expect(result.lines).toHaveLength(spent.result.lines.length - 3);
    const unknown = controlLines.map((line) => ({
      ...line,
      receipt: { ...line.receipt, usage: { ...line.receipt.usage, costKnown: false } },
    }));
    const none = await run(desk, dear, { controlLines: unknown });
    expect(none.result).toMatchObject({ stoppedBy: 'budget', lines: [] });
  });

  test('reports progress up to the end', async () => {
    const seen: RunProgress[] = [];
    const host = new ScriptedHost();
    host.onExecute = ({ caseId, attempt }) => (caseId === 'c01' || attempt === 1 ? faulted() : {});
    await run(deskOf({ cases: casesOf(2) }), host, { onProgress: (each) => seen.push(each) });
    expect(seen.at(-1)).toEqual({
      settled: 2,
      lost: 2,
      planned: 4,
      attempts: 10,
      faults: 8,
      elapsedMs: 2000,
    });
  });
});

describe('waitBefore', () => {
  test('doubles from a quarter second to a minute', () => {
    const waits = [1, 2, 3, 8, 9, 20].map((attempt) => waitBefore(attempt, { fault: null }));
    expect(waits).toEqual([250, 500, 1000, 32_000, 60_000, 60_000]);
  });

  test('never waits longer than half an hour for a host', () => {
    const fault = { code: 'rateLimited', phase: 'agent', retryAfterMs: 1e12, detail: '' } as const;
    expect(waitBefore(1, { fault })).toBe(1_800_000);
  });
});

exampleTests('src/run/execute.ts', { names: ['waitBefore'], scope: { waitBefore } });
