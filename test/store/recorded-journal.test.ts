/** What may have happened to journal and controls between the end of one session and the start of the next. */
import { beforeAll, describe, expect, test } from 'vitest';
import { openHost } from '../../src/host/open-host.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { receiptsRoot } from '../../src/report/run-facts.ts';
import { runToDecision } from '../../src/store/run-experiment.ts';
import type { RunFolder } from '../../src/store/run-folder.ts';
import { ledgerView } from '../../src/verify/reading.ts';
import { runFileNames } from '../../src/verify/record.ts';
import { checkRun } from '../../src/verify/verify.ts';
import { controlsOf, failures, ledgerTold } from '../support/forgery.ts';
import { refusalOf } from '../support/refusal.ts';
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
const refusal = (work: () => Promise<unknown>) => refusalOf(work());
let run: SettledRun;

beforeAll(async () => {
  run = await settledRun({ folder: await makeFolder() });
});

/** A run whose process died in the middle of its cells: its last words are in the journal and nowhere else. */
async function killed({ seen = 22, ledger = memoryLedger() } = {}) {
  const loaded = await mailsIn(await makeFolder());
  const folder = memoryFolder();
  const dead = new Error('killed');
  let calls = 0;
  const openLog: RunFolder['openLog'] = (name, keep) => {
    const log = folder.openLog(name, keep);
    return {
      ...log,
      append: (line) => (calls >= seen ? Promise.reject(dead) : log.append(line)),
    };
  };
  const first = runToDecision(
    runPorts(loaded, ledger, {
      openFolder: () => ({ ...folder, openLog }),
      openHost: async () =>
        watchedHost(await openHost(loaded), () => {
          calls += 1;
        }),
    }),
  );
  await expect(first).rejects.toBe(dead);
  const again = (found: RunFolder = folder) =>
    runToDecision(
      runPorts(loaded, ledger, { openFolder: () => found, fence: () => 'a'.repeat(32) }),
    );
  return { ledger, folder, again };
}

describe('a journal between two sessions', () => {
  const text = (folder: RunFolder): string =>
    new TextDecoder().decode(folder.read(runFileNames.journal) ?? new Uint8Array());
  const without = (journal: string, lines: (line: string, at: number) => boolean): string =>
    journal
      .split('\n')
      .filter((line, at) => line === '' || !lines(line, at))
      .map((line) => (line === '' ? '' : `${line}\n`))
      .join('');

  test.each<[string, (journal: string) => string, RegExp]>([
    ['emptied', () => '', /: it has 0 lines, and entry 9 of the ledger knows 25 lines of it\.$/],
    [
      'cut short at a whole line',
      (journal) => without(journal, (_, at) => at >= 12),
      /: it has 12 lines, and entry 9 of the ledger knows 25 lines of it\.$/,
    ],
    [
      'freed of one cell from its dispatch on',
      (journal) => {
        const [, cell] = /"cell":(\{[^}]*\})/.exec(journal) ?? [];
        return without(journal, (line) => line.includes(cell ?? 'nothing'));
      },
      /: its first 25 lines are not those that entry 9 of the ledger knows\.$/,
    ],
    [
      'given a better score',
      (journal) => journal.replace('"right":0', '"right":1'),
      /: its first 25 lines are not those that entry 9 of the ledger knows\.$/,
    ],
  ])('that was %s is refused, and no cell is run again', async (_, change, said) => {
    const { ledger, folder, again } = await killed();
    const changed = change(text(folder));
    expect(changed).not.toBe(text(folder));
    folder.write(runFileNames.journal, changed);
    const before = (await ledger.entries()).length;
    const error = await refusal(() => again());
    expect([error.code, error.exitCode]).toEqual(['run-invalid', 41]);
    expect(error.message).toMatch(said);
    expect(error.mend).toBe(
      'Restore the recorded journal. If it is lost, nobody can say which outcomes were seen: end the experiment with `liftgate ledger void mails --reason "..."`; its units stay spent.',
    );
    expect(text(folder)).toBe(changed);
    expect(await ledger.entries()).toHaveLength(before);
  });

  test('that is gone while its controls are there is refused', async () => {
    const { folder, again } = await killed();
    const read: RunFolder['read'] = (name) =>
      name === runFileNames.journal ? null : folder.read(name);
    expect((await refusal(() => again({ ...folder, read }))).message).toBe(
      'The journal of this exposed run was changed: there is none, and entry 9 of the ledger knows 25 lines of it.',
    );
  });

  test('goes on after a crash, and verify says from where to where only the folder knew it', async () => {
    const { ledger, folder, again } = await killed();
    const lines = text(folder).split('\n').length - 1;
    expect(lines).toBeGreaterThan(25);
    expect(decided(await again()).document.verdict).toEqual(run.result.document.verdict);
    const verification = checkRun(folder.files(), await ledgerView(ledger));
    expect(failures(verification)).toEqual([]);
    expect(verification.uncheckable).toContain(
      `what the journal held after line 25 when the process of attempt 1 ended: from entry 9 until entry 10 (attempt 2, ${lines} lines) only the run folder knew`,
    );
    expect(checkRun(run.files, run.view).uncheckable.join()).not.toContain('only the run folder');
  });

  test('that lost what the ledger did not know is seen in the entries: the gap is named', async () => {
    const { ledger, folder, again } = await killed();
    folder.write(
      runFileNames.journal,
      without(text(folder), (_, at) => at >= 25),
    );
    await again();
    const { uncheckable } = checkRun(folder.files(), await ledgerView(ledger));
    expect(uncheckable.at(-1)).toBe(
      'what the journal held after line 25 when the process of attempt 1 ended: from entry 9 until entry 10 (attempt 2, 25 lines) only the run folder knew',
    );
  });
});

describe('controls between two sessions', () => {
  const text = (folder: RunFolder): string =>
    new TextDecoder().decode(folder.read(runFileNames.controls) ?? new Uint8Array());
  /** Every control still passes, each in its place: only when it was received is another. */
  const edited = (folder: RunFolder): string =>
    text(folder).replaceAll(/"receivedAt":"[^"]*"/g, '"receivedAt":"2031-01-01T00:00:00.000Z"');

  test('that were changed and still pass are refused, and nothing is done', async () => {
    const { ledger, folder, again } = await killed();
    const recorded = text(folder);
    const changed = edited(folder);
    expect(changed).not.toBe(recorded);
    folder.write(runFileNames.controls, changed);
    const before = [await ledger.entries(), folder.files()];
    const error = await refusal(() => again());
    expect([error.code, error.exitCode]).toEqual(['run-invalid', 41]);
    expect(error.message).toBe(
      'The recorded controls do not hold: the receipts are not those that entry 5 (expose) knows.',
    );
    expect(error.where).toEqual({ file: 'memory/controls.jsonl' });
    expect(error.mend).toBe(
      'Restore the recorded file; the units are exposed, so controls cannot be run anew. If it is lost, end the experiment with `liftgate ledger void mails --reason "..."`; its units stay spent.',
    );
    expect([await ledger.entries(), folder.files()]).toEqual(before);
    folder.write(runFileNames.controls, recorded);
    expect(decided(await again()).document.verdict).toEqual(run.result.document.verdict);
  });

  test('are bound by the exposure and by the outcome with one root', () => {
    const root = receiptsRoot(controlsOf(run.files));
    const bound = run.view.entries.flatMap(({ entry: { kind, body } }) =>
      'controlsRoot' in body ? [[kind, body.controlsRoot]] : [],
    );
    expect(bound).toEqual([
      ['expose', root],
      ['outcome', root],
    ]);
  });

  test('are taken as they are after an exposure of the earlier form, whose run still verifies', async () => {
    const { ledger, folder, again } = await killed({ ledger: ledgerTold('expose') });
    expect(decided(await again()).document.verdict).toEqual(run.result.document.verdict);
    const view = await ledgerView(ledger);
    const expose = view.entries.find(({ entry }) => entry.kind === 'expose');
    expect(Object.keys(expose?.entry.body ?? {})).not.toContain('controlsRoot');
    expect(failures(checkRun(folder.files(), view))).toEqual([]);
  });
});
