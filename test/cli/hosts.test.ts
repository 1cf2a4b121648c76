/** Hosts that misbehave: a fault or a protocol violation, exit 30, and never a score. */
import { describe, expect, test } from 'vitest';
import { journalLineSchema } from '../../src/run/journal.ts';
import type { Receipt } from '../../src/run/receipt.ts';
import { linesOf } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import {
  allRight,
  type Behaviour,
  chosenControls,
  SmallExperiment,
  smallCases,
} from '../support/workspace.ts';

const folder = temporaryFolders();

/** Receipts of one cell in the journal of the run. */
function receiptsOf(experiment: SmallExperiment, caseId: string, arm: string): Receipt[] {
  return linesOf(experiment.text('run/journal.jsonl')).flatMap((text) => {
    const parsed = journalLineSchema.parse(JSON.parse(text));
    if (parsed.kind !== 'receipt') return [];
    const { cell, receipt } = parsed.line;
    return cell.case === caseId && cell.arm === arm ? [receipt] : [];
  });
}

const garbage = 'a line on standard output is no JSON object';

/** A behaviour in a candidate's cell and how its receipt is classified. */
interface Misbehaviour {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly outcome: 'infrastructureFault' | 'evaluatorFailure';
  readonly code: string;
  readonly detail: string;
}

const faults: readonly Omit<Misbehaviour, 'outcome'>[] = [
  { name: 'dies', behaviour: 'die', code: 'hostCrash', detail: 'it exited with code 3' },
  {
    name: 'hangs',
    behaviour: 'hang',
    code: 'hostUnresponsive',
    detail: 'nothing heard for 1500 ms',
  },
  { name: 'prints garbage', behaviour: 'garbage', code: 'protocolViolation', detail: garbage },
  {
    name: 'answers twice',
    behaviour: 'twice',
    code: 'protocolViolation',
    detail: 'an answer nobody asked for, or a second one',
  },
  {
    name: 'answers for another cell',
    behaviour: 'other-cell',
    code: 'protocolViolation',
    detail: 'an answer for another cell',
  },
];

const gradeFaults: readonly Omit<Misbehaviour, 'outcome'>[] = [
  { name: 'returns NaN', behaviour: 'nan', code: 'protocolViolation', detail: garbage },
  {
    name: 'returns an unknown measure',
    behaviour: 'unknown-measure',
    code: 'graderMalformed',
    detail: 'the grade scores the unknown measure "charm"',
  },
];

const rows: readonly Misbehaviour[] = [
  ...faults.map((each) => ({ ...each, outcome: 'infrastructureFault' as const })),
  ...gradeFaults.map((each) => ({ ...each, outcome: 'evaluatorFailure' as const })),
];

describe.concurrent('a host that', () => {
  test.each(rows)(
    '$name in a candidate cell makes the run incomplete: 30, and no score',
    async ({ behaviour, outcome, code, detail }) => {
      const experiment = new SmallExperiment(await folder(), {
        cases: smallCases(9),
        limits: behaviour === 'hang' ? { silenceMs: 1500 } : {},
        candidates: { new: { scores: { right: true }, behave: { c2: behaviour } } },
        spec: { attempts: { max: 1 }, controls: chosenControls('ceiling', 'floor') },
      });
      const { exitCode, stdout } = await experiment.run();
      expect(exitCode).toBe(30);
      expect(linesOf(stdout).at(-1)).toMatch(
        /^new: need_more_work \| right \+1 \(\+0\.\d+ \.\. \+1\) n=8 units \| completeness: 1 of 18 planned cells/,
      );
      const receipts = receiptsOf(experiment, 'c2', 'new');
      expect(receipts).toHaveLength(1);
      expect(receipts).toMatchObject([{ outcome, fault: { code }, scores: {} }]);
      expect(receipts[0]?.fault?.detail).toContain(detail);
      expect(receipts[0]?.scores).toEqual({});
      expect(receiptsOf(experiment, 'c2', 'baseline')).toMatchObject([
        { outcome: 'completed', scores: { right: 0 } },
      ]);
      const verified = await experiment.verify();
      expect(verified.exitCode).toBe(0);
      const reportOnly = await experiment.run('--report-only');
      expect(reportOnly.exitCode).toBe(30);
    },
  );

  test('dies in every attempt is tried again within the sealed budget, all attempts kept', async () => {
    const experiment = new SmallExperiment(await folder(), {
      candidates: { new: { scores: { right: true }, behave: { c2: 'die' } } },
      spec: { attempts: { max: 2 }, controls: chosenControls('ceiling', 'floor') },
    });
    const { exitCode } = await experiment.run();
    expect(exitCode).toBe(30);
    const receipts = receiptsOf(experiment, 'c2', 'new');
    expect(receipts.map((receipt) => receipt.attempt)).toEqual([1, 2]);
    expect(new Set(receipts.map((receipt) => receipt.cellKey)).size).toBe(2);
    expect(experiment.executions().filter(({ caseId }) => caseId === 'c2')).toHaveLength(3);
  });

  test('dies does not hide a breach that its lost cells could not undo: 20', async () => {
    const experiment = new SmallExperiment(await folder(), {
      cases: smallCases(20),
      baseline: allRight,
      candidates: { new: { behave: { c2: 'die' } } },
      spec: { attempts: { max: 1 }, controls: chosenControls('ceiling', 'floor') },
    });
    const { exitCode, stdout } = await experiment.run();
    expect(exitCode).toBe(20);
    expect(linesOf(stdout).at(-1)).toMatch(/^new: hold \| right -1 /);
  });

  test('dies again and again ends the session: 30, nothing decided, resumable', async () => {
    const cases = smallCases(9);
    const dying = cases.map((each) => [each.id, 'die' as const] as const);
    const experiment = new SmallExperiment(await folder(), {
      cases,
      candidates: { new: { behave: Object.fromEntries(dying) } },
      spec: { attempts: { max: 1 }, controls: chosenControls('ceiling', 'floor') },
    });
    const { exitCode, stdout } = await experiment.run('--report-only');
    expect(exitCode).toBe(30);
    expect(linesOf(stdout)).toEqual([
      expect.stringMatching(
        /^incomplete: \d+ of 18 cells are settled; the host could not be started any more\.$/,
      ),
      'Run the same command again to continue; settled cells are not repeated.',
    ]);
    expect(await experiment.ledgerKinds()).not.toContain('outcome');
  });

  test('cannot be started: 32 with what it wrote, units reserved and not exposed', async () => {
    const experiment = new SmallExperiment(await folder(), { mode: 'missing' });
    const { exitCode, stdout, stderr } = await experiment.run('--report-only');
    expect(exitCode).toBe(32);
    expect(stdout).toBe('');
    expect(stderr).toContain(
      'The host `node host.mjs missing` cannot be used: it exited with code 7 before its hello line.',
    );
    expect(stderr).toContain('  The host wrote to standard error:\n    no licence found\n');
    expect(await experiment.ledgerKinds()).toEqual([
      'genesis',
      'seal',
      'seal',
      'develop',
      'reserve',
    ]);
  });

  test('does not exist as a program: 32', async () => {
    const experiment = new SmallExperiment(await folder(), {
      spec: { host: { worker: ['no-such-program-of-ours', 'host.mjs'] } },
    });
    const { exitCode, stderr } = await experiment.run();
    expect(exitCode).toBe(32);
    expect(stderr).toContain('[host-unreachable]');
    expect(await experiment.ledgerKinds()).not.toContain('expose');
  });
});
