import { beforeEach, describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { openHost } from '../../src/host/open-host.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { formatDecision } from '../../src/report/decision.ts';
import type { Host } from '../../src/run/host.ts';
import type { LoadedExperiment } from '../../src/store/experiment-folder.ts';
import { experimentState } from '../../src/store/prepare-run.ts';
import { runToDecision } from '../../src/store/run-experiment.ts';
import { recordedDecision } from '../../src/store/settle-run.ts';
import { manifestDigest, parseManifest, runFileNames } from '../../src/verify/record.ts';
import { refusalOf } from '../support/refusal.ts';
import { mailsIn, memoryFolder, runPorts, settledRun, watchedHost } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let loaded: LoadedExperiment;
let ledger: Ledger;

beforeEach(async () => {
  loaded = await mailsIn(await makeFolder());
  ledger = memoryLedger();
});

/** Runs until the given dispatch and stops there. */
async function interruptedAt(dispatch: number, folder = memoryFolder()): Promise<typeof folder> {
  const stop = new AbortController();
  let seen = 0;
  const openWatched = async (): Promise<Host> =>
    watchedHost(await openHost(loaded), () => {
      seen += 1;
      if (seen === dispatch) stop.abort();
    });
  await runToDecision(
    runPorts(loaded, ledger, {
      signal: stop.signal,
      openFolder: () => folder,
      openHost: openWatched,
    }),
  );
  return folder;
}

describe('settleRun', () => {
  test('records an outcome that names manifest, decision, receipts and exit code', async () => {
    const run = await settledRun({ folder: await makeFolder(), ledger });
    const { entry } = run.view.entries.at(-1) ?? {};
    if (entry?.kind !== 'outcome') throw new Error('the last entry is the outcome');
    const document = run.result.document;
    expect(entry.body).toMatchObject({
      attempt: 1,
      verdict: 'ship',
      exitCode: 0,
      missing: 0,
      plannedCells: 36,
      receiptsCount: document.run.receipts,
      receiptsRoot: document.run.receiptsRoot,
      manifestDigest: manifestDigest(parseManifest(run.files)),
      resultDigest: digestOf(formatDecision(document)),
    });
  });

  test.each([
    [1, 'The journal is of attempt 2; experiment "mails" is at attempt 3.'],
    [27, 'Another process took this run over; its fence is newer.'],
  ])(
    'records nothing when another process took the run over at its call %i',
    async (call, said) => {
      const folder = await interruptedAt(20);
      const [plan] = [...(await ledger.state()).experiments.values()].map((each) => each.plan);
      if (plan === undefined) throw new Error('the experiment is sealed');
      let calls = 0;
      const openTaken = async (): Promise<Host> => {
        const host = await openHost(loaded);
        return {
          ...host,
          execute: async (...request) => {
            calls += 1;
            if (calls === call) {
              const { exposure } = await experimentState(ledger, plan);
              if (exposure === null) throw new Error('the units are exposed');
              const { lines, digest } = exposure.journal;
              await ledger.append({
                kind: 'attempt',
                requestId: 'another-process',
                body: {
                  expose: exposure.seq,
                  attempt: exposure.attempt + 1,
                  reason: 'taken over',
                  missingCells: 1,
                  missingObject: null,
                  fence: 'b'.repeat(32),
                  journal: { lines, digest },
                },
              });
            }
            return await host.execute(...request);
          },
        };
      };
      const ports = runPorts(loaded, ledger, {
        openFolder: () => folder,
        openHost: openTaken,
        fence: () => 'a'.repeat(32),
      });
      const error = await refusalOf(runToDecision(ports));
      expect([error.code, error.message]).toEqual(['ledger-conflict', said]);
      const kinds = (await ledger.entries()).map(({ entry }) => entry.kind);
      expect(kinds).not.toContain('outcome');
      expect(folder.read(runFileNames.decision)).toBe(null);
    },
  );
});

describe('controls on another host than the cells', () => {
  test('prove nothing: a resumed run under another host version does not ship', async () => {
    const folder = await interruptedAt(8);
    const renamed = async (): Promise<Host> => {
      const host = await openHost(loaded);
      return {
        ...host,
        hello: async () => {
          const hello = await host.hello();
          return { ...hello, host: { ...hello.host, version: '2' } };
        },
      };
    };
    const result = await runToDecision(
      runPorts(loaded, ledger, {
        openFolder: () => folder,
        openHost: renamed,
        fence: () => 'a'.repeat(32),
      }),
    );
    if (result.status !== 'decided') throw new Error('the run was not decided');
    const [first] = result.document.decisions;
    expect(first?.decision).not.toBe('ship');
    expect(JSON.stringify(first?.contributions)).toContain('it ran on another host than the cells');
  });
});

describe('recordedDecision', () => {
  test('is null before the outcome and refused for an aborted experiment', async () => {
    await interruptedAt(20);
    const [experiment] = [...(await ledger.state()).experiments.values()];
    if (experiment === undefined) throw new Error('the experiment is sealed');
    expect(await recordedDecision(ledger, experiment)).toBe(null);
    await ledger.append({
      kind: 'abort',
      requestId: 'abort',
      body: {
        expose: experiment.exposure?.seq ?? -1,
        reason: 'the machine is gone',
        receiptsRoot: digestOf('receipts'),
      },
    });
    const error = await refusalOf(runToDecision(runPorts(loaded, ledger)));
    expect(error.message).toBe(
      'The experiment "mails" decides nothing: it was aborted (the machine is gone); its units stay spent.',
    );
  });

  test('says that the ledger is damaged when the decision is gone', async () => {
    const run = await settledRun({ folder: await makeFolder(), ledger });
    const [experiment] = [...(await run.ledger.state()).experiments.values()];
    if (experiment === undefined) throw new Error('the experiment is settled');
    const error = await refusalOf(recordedDecision(memoryLedger(), experiment));
    expect([error.code, error.exitCode]).toEqual(['ledger-damaged', 42]);
  });
});
