import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openHost } from '../../src/host/open-host.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { formatDecision } from '../../src/report/decision.ts';
import { formatJournalLine, type JournalLine } from '../../src/run/journal.ts';
import { loadExperiment } from '../../src/store/experiment-folder.ts';
import { runToDecision } from '../../src/store/run-experiment.ts';
import { openRunFolder } from '../../src/store/run-folder.ts';
import { ledgerView } from '../../src/verify/reading.ts';
import { runFileNames } from '../../src/verify/record.ts';
import { checkRun } from '../../src/verify/verify.ts';
import { StillClock } from '../run/desk.ts';
import { journalOf } from '../support/forgery.ts';
import { refusalOf } from '../support/refusal.ts';
import {
  decided,
  mailsExperiment,
  mailsIn,
  memoryFolder,
  runPorts,
  type SettledRun,
  settledRun,
  watchedHost,
  writeFiles,
} from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const refusal = (work: () => Promise<unknown>) => refusalOf(work());
let run: SettledRun;

beforeAll(async () => {
  run = await settledRun({ folder: await makeFolder() });
});

function kinds({ view }: Pick<SettledRun, 'view'>): string[] {
  return view.entries.map(({ entry }) => entry.kind);
}

describe('runToDecision', () => {
  test('seals, reserves, exposes, decides and records in this order', () => {
    expect(kinds(run)).toEqual([
      'genesis',
      'seal',
      'seal',
      'develop',
      'reserve',
      'expose',
      ...Array<string>(6).fill('journal'),
      'outcome',
    ]);
    expect(run.result.exitCode).toBe(0);
    expect(run.result.document.decisions.map((each) => [each.candidate, each.decision])).toEqual([
      ['new', 'ship'],
      ['same', 'need_more_work'],
    ]);
    expect(existsSync(join(run.loaded.folder, 'mails.seal.json'))).toBe(true);
  });

  test('calling it again returns the recorded decision and asks no host', async () => {
    const again = await runToDecision(
      runPorts(run.loaded, run.ledger, {
        openHost: () => Promise.reject(new Error('no host may be opened')),
        folderPath: () => join(run.loaded.folder, 'never-made'),
      }),
    );
    expect(decided(again).recorded).toBe(true);
    expect(formatDecision(decided(again).document)).toBe(formatDecision(run.result.document));
    expect(decided(again).seal).toEqual(run.result.seal);
    expect(readdirSync(run.loaded.folder)).not.toContain('never-made');
  });

  test('a voided outcome is refused with exit code 42 and its reason, not shown as a decision', async () => {
    const voided = await settledRun({ folder: await makeFolder() });
    await voided.ledger.append({
      kind: 'void',
      requestId: 'void',
      body: {
        outcome: voided.view.entries.at(-1)?.entry.seq ?? -1,
        reason: 'scorer bug',
        evidence: '',
      },
    });
    const error = await refusal(() => runToDecision(runPorts(voided.loaded, voided.ledger)));
    expect(error.exitCode).toBe(42);
    expect(error.message).toBe(
      'The experiment "mails" decides nothing: its outcome was voided (scorer bug); its units stay spent.',
    );
  });

  test('an unsealed experiment is refused unless it may be sealed', async () => {
    const loaded = await mailsIn(await makeFolder());
    const error = await refusal(() =>
      runToDecision(runPorts(loaded, memoryLedger(), { write: false })),
    );
    expect([error.code, error.exitCode]).toEqual(['seal-missing', 41]);
  });

  test('another experiment over spent units is refused with 42 and names the owner', async () => {
    const loaded = await mailsIn(await makeFolder(), {
      'rules/new.txt': '11',
      'experiment.yaml': mailsExperiment.replace('name: mails', 'name: second'),
    });
    const error = await refusal(() => runToDecision(runPorts(loaded, run.ledger)));
    expect(error.exitCode).toBe(42);
    expect(error.message).toContain('"mails"');
    expect(existsSync(join(loaded.folder, 'run'))).toBe(false);
  });

  test('a file changed after the exposure is refused by name with 41', async () => {
    const folder = await makeFolder();
    const first = await settledRun({ folder });
    writeFiles(folder, { 'rules/new.txt': '11' });
    const error = await refusal(async () =>
      runToDecision(runPorts(await loadExperiment(folder), first.ledger, { write: false })),
    );
    expect(error.exitCode).toBe(41);
    expect(error.message).toContain('rules/new.txt: its bytes changed after sealing');
  });

  test('failing controls end with 31 and leave the units unexposed; a mended host may then run', async () => {
    const loaded = await mailsIn(await makeFolder(), { 'rules/all.txt': '1' });
    const ledger = memoryLedger();
    const error = await refusal(() => runToDecision(runPorts(loaded, ledger)));
    expect(error.exitCode).toBe(31);
    expect(error.message).toContain('ceiling: the mean of right is 0, expected at least 1');
    expect(kinds({ view: await ledgerView(ledger) })).not.toContain('expose');
  });

  test('an interruption before the exposure ends with 130 and nothing is exposed', async () => {
    const loaded = await mailsIn(await makeFolder());
    const ledger = memoryLedger();
    const stop = new AbortController();
    const openWatched = async (): Promise<ReturnType<typeof watchedHost>> =>
      watchedHost(await openHost(loaded), () => stop.abort());
    const ports = runPorts(loaded, ledger, { signal: stop.signal, openHost: openWatched });
    const error = await refusal(() => runToDecision(ports));
    expect([error.code, error.exitCode]).toEqual(['interrupted', 130]);
    expect(kinds({ view: await ledgerView(ledger) })).not.toContain('expose');
    expect(decided(await runToDecision(runPorts(loaded, ledger))).exitCode).toBe(0);
  });

  test('a run whose cap is used up says which budget that was, what is spent and how many cells it left', async () => {
    const loaded = await mailsIn(await makeFolder(), {
      'experiment.yaml': mailsExperiment.replace('{usd: 5}', '{usd: 0.43}'),
    });
    const notes: string[] = [];
    const dear = async (): Promise<ReturnType<typeof watchedHost>> => {
      const host = watchedHost(await openHost(loaded), () => undefined);
      const usage = { costUsd: 0.01, costKnown: true } as const;
      return {
        ...host,
        execute: async (request, call) => {
          const reply = await host.execute(request, call);
          return { ...reply, usage: { ...reply.usage, ...usage } };
        },
        grade: async (request, call) => ({
          ...(await host.grade(request, call)),
          gradeUsage: null,
        }),
      };
    };
    const onNote = (text: string): void => void notes.push(text);
    const ended = await runToDecision(runPorts(loaded, memoryLedger(), { openHost: dear, onNote }));
    expect(ended.status).toBe('decided');
    expect(notes).toEqual(['Running 4 controls.', expect.any(String)]);
    expect(notes[1]).toMatch(
      /^The sealed cap on cost \(budget\.usd: 0\.43\) is used up: 0\.43 USD are spent, and one more attempt may cost 0\.01\. [1-9]\d* cells? stays? without an outcome/,
    );
  });

  test('a run that ran out of wall time names the sealed key, not the cap on cost', async () => {
    const loaded = await mailsIn(await makeFolder(), {
      'experiment.yaml': mailsExperiment.replace('{usd: 5}', '{usd: 5, wallMinutes: 1}'),
    });
    const clock = new StillClock();
    let cells = 0;
    const slow = async (): Promise<ReturnType<typeof watchedHost>> =>
      watchedHost(await openHost(loaded), () => {
        cells += 1;
        if (cells === 20) clock.advance(60_000);
      });
    const ended = await runToDecision(runPorts(loaded, memoryLedger(), { clock, openHost: slow }));
    expect(ended).toMatchObject({
      status: 'incomplete',
      exitCode: 30,
      reason: 'the sealed wall time of one session is over (budget.wallMinutes: 1)',
    });
  });

  test('an interruption among the cells returns 130, and the next call settles without repeating a cell', async () => {
    const loaded = await mailsIn(await makeFolder());
    const ledger = memoryLedger();
    const stop = new AbortController();
    const seen: string[] = [];
    const watched = (limit: number) => async (): Promise<ReturnType<typeof watchedHost>> =>
      watchedHost(await openHost(loaded), (key) => {
        seen.push(key);
        if (seen.length === limit) stop.abort();
      });
    const first = await runToDecision(
      runPorts(loaded, ledger, { signal: stop.signal, openHost: watched(20) }),
    );
    if (first.status === 'decided') throw new Error('the run was not interrupted');
    expect([first.status, first.exitCode, first.planned]).toEqual(['interrupted', 130, 36]);
    const second = await runToDecision(
      runPorts(loaded, ledger, { openHost: watched(0), fence: () => 'a'.repeat(32) }),
    );
    expect(decided(second).document.verdict).toEqual(run.result.document.verdict);
    const finalKeys = seen.slice(8);
    expect(new Set(finalKeys).size).toBeGreaterThanOrEqual(finalKeys.length - 1);
    const verification = checkRun(
      openRunFolder(join(loaded.folder, 'run')).files(),
      await ledgerView(ledger),
    );
    expect(verification.exitCode).toBe(0);
    expect(verification.uncheckable.join()).not.toContain('only the run folder');
  });
});

describe('a planted journal', () => {
  function planted(lines: readonly JournalLine[]): ReturnType<typeof memoryFolder> {
    const folder = memoryFolder();
    folder.write(runFileNames.journal, lines.map(formatJournalLine).join(''));
    return folder;
  }

  test('before the exposure is refused, and no unit is exposed', async () => {
    const loaded = await mailsIn(await makeFolder());
    const ledger = memoryLedger();
    const folder = planted(journalOf(run.files));
    const error = await refusal(() =>
      runToDecision(runPorts(loaded, ledger, { openFolder: () => folder })),
    );
    expect(error.code).toBe('run-invalid');
    expect(error.message).toBe(
      'The journal in this run folder is not that of this exposure: its cells were dispatched before this ledger exposed any unit.',
    );
    expect(kinds({ view: await ledgerView(ledger) })).not.toContain('expose');
  });

  test('or planted controls during a resume are refused by the line that gives them away', async () => {
    const loaded = await mailsIn(await makeFolder());
    const ledger = memoryLedger({ random: () => '7'.repeat(32) });
    const folder = memoryFolder();
    const stop = new AbortController();
    let dispatches = 0;
    await runToDecision(
      runPorts(loaded, ledger, {
        signal: stop.signal,
        openFolder: () => folder,
        openHost: async () =>
          watchedHost(await openHost(loaded), () => {
            dispatches += 1;
            if (dispatches === 15) stop.abort();
          }),
      }),
    );
    const journal = folder.read(runFileNames.journal) ?? new Uint8Array();
    const controls = folder.read(runFileNames.controls) ?? new Uint8Array();
    const again = (fence: string) =>
      runToDecision(
        runPorts(loaded, ledger, { openFolder: () => folder, fence: () => fence.repeat(32) }),
      );

    folder.write(runFileNames.journal, journalOf(run.files).map(formatJournalLine).join(''));
    expect((await refusal(() => again('a'))).message).toMatch(
      /is not that of this exposure: case m\d+, arm \w+, repeat 0, attempt 1: another exposure/,
    );
    const stranger = new TextDecoder()
      .decode(journal)
      .replaceAll(/"fence":"0*1"/g, `"fence":"${'9'.repeat(32)}"`);
    folder.write(runFileNames.journal, stranger);
    expect((await refusal(() => again('a'))).message).toContain('a fence that no attempt holds');
    folder.write(runFileNames.journal, journal);

    folder.write(
      runFileNames.controls,
      new TextDecoder().decode(controls).replaceAll('"right":0', '"right":1'),
    );
    expect((await refusal(() => again('a'))).message).toBe(
      'The recorded controls do not hold: floor: the mean of right is 1, expected at most 0.',
    );
    folder.write(runFileNames.controls, controls);
    expect(decided(await again('a')).document.verdict).toEqual(run.result.document.verdict);
  });
});
