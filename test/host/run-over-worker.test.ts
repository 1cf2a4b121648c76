import { describe, expect, test } from 'vitest';
import { runControls } from '../../src/run/controls.ts';
import { executeCells } from '../../src/run/execute.ts';
import { checkProvenance } from '../../src/run/provenance.ts';
import { freshState, resumeFrom } from '../../src/run/resume.ts';
import {
  caseOf,
  type DeskOptions,
  deskOf,
  MemoryJournal,
  quiet,
  StillClock,
  surfaceOf,
} from '../run/desk.ts';
import { closeAfterwards, open } from './open-worker.ts';

closeAfterwards();

/** A clock on which every restart is more than a minute after the last. */
class HastyClock extends StillClock {
  override elapsedMs(): number {
    this.advance(61_000);
    return super.elapsedMs();
  }
}

async function run(behaviours: readonly string[], options: DeskOptions = {}) {
  const desk = deskOf({
    cases: behaviours.map((behave) => caseOf(behave, behave)),
    limits: { wallMs: 1000, silenceMs: 1000 },
    ...options,
  });
  const journal = new MemoryJournal();
  const host = open('well', {
    clock: new HastyClock(),
    concurrency: desk.seal.spec.host.concurrency,
    limits: desk.seal.spec.host.limits,
  });
  const parts = { ...desk, host, journal, clock: new StillClock(), signal: quiet };
  const result = await executeCells({ ...parts, resumed: freshState(desk.schedule) });
  return { desk, journal, result };
}

describe('a run over a worker', () => {
  const broken = [
    'die',
    'garbage',
    'almost-json',
    'twice',
    'wrong-cell',
    'huge-line',
    'hang',
    'fault-with-scores',
    'no-artifact',
  ];
  const ungraded = [
    'grade-nan',
    'grade-half',
    'grade-unknown-measure',
    'grade-die',
    'grade-twice',
    'grade-throw',
    'grade-hang',
  ];

  test('makes faults of every misbehaviour, scores of none, and measures the rest', async () => {
    const { result } = await run([...broken, ...ungraded, 'well', 'also-well'], {
      attempts: 2,
      concurrency: 4,
    });
    expect(result.stoppedBy).toBeNull();
    const classes = new Map<string, Set<string>>();
    for (const { cell, receipt } of result.lines) {
      classes.set(cell.case, (classes.get(cell.case) ?? new Set()).add(receipt.outcome));
      if (receipt.outcome !== 'completed') expect(receipt.scores).toEqual({});
    }
    for (const behave of broken)
      expect([...(classes.get(behave) ?? [])]).toEqual(['infrastructureFault']);
    for (const behave of ungraded)
      expect([...(classes.get(behave) ?? [])]).toEqual(['evaluatorFailure']);
    const settled = result.lines.filter((line) => line.receipt.outcome === 'completed');
    expect(
      settled
        .map((line) => `${line.cell.case} ${line.cell.arm} ${line.receipt.scores['right']}`)
        .sort(),
    ).toEqual(['also-well baseline 0', 'also-well next 1', 'well baseline 0', 'well next 1']);
    expect(new Set(result.missing.map((cell) => cell.case))).toEqual(
      new Set([...broken, ...ungraded]),
    );
  });

  test('finds out that a host loaded another surface', async () => {
    const { desk, result } = await run(['well', 'wrong-surface']);
    expect(checkProvenance({ ...desk, lines: result.lines })[0]).toEqual({
      arm: 'baseline',
      consistency: 'inconsistent',
      reasons: ['ran another surface than the sealed one (1 of 2 receipts)'],
    });
  });

  test('leaves a journal from which another process continues', async () => {
    const { desk, journal, result } = await run(['well', 'agent-error']);
    const before = journal.lines.slice(0, 5);
    const host = open();
    const again = await executeCells({
      ...desk,
      host,
      journal: new MemoryJournal(),
      resumed: resumeFrom(desk.schedule, before),
      clock: new StillClock(),
      signal: quiet,
    });
    expect(again.missing).toEqual([]);
    expect(again.lines.slice(0, 2)).toEqual(result.lines.slice(0, 2));
    expect(again.lines[2]?.receipt.fault?.code).toBe('hostCrash');
  });

  test('controls see a real child die and come back', async () => {
    const desk = deskOf({
      cases: [caseOf('d1', 'well', 'train')],
      controls: [
        { id: 'ceiling', surface: { skill: 'a' }, expect: { right: { min: 1 } } },
        { id: 'dead-host', fault: 'host-exit', expect: { class: 'infrastructureFault' } },
        { id: 'bad-agent', fault: 'agent-throw', expect: { class: 'agentError' } },
        { id: 'bad-scorer', fault: 'scorer-throw', expect: { class: 'evaluatorFailure' } },
      ],
    });
    const { results } = await runControls({
      seal: desk.seal,
      cases: desk.development,
      surfaces: new Map([['ceiling', surfaceOf('yes')]]),
      baseline: surfaceOf('no'),
      host: open(),
      clock: new StillClock(),
      signal: quiet,
    });
    expect(results.map((each) => [each.id, each.passed, each.reason])).toEqual([
      ['ceiling', true, 'every mean lies in its bounds'],
      ['dead-host', true, 'classified as infrastructureFault'],
      ['bad-agent', true, 'classified as agentError'],
      ['bad-scorer', true, 'classified as evaluatorFailure'],
    ]);
  });
});
