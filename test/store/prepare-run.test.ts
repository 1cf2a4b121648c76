import { beforeEach, describe, expect, test } from 'vitest';
import { openHost } from '../../src/host/open-host.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { reserveUnits, sealExperiment } from '../../src/serve/library.ts';
import type { LoadedExperiment } from '../../src/store/experiment-folder.ts';
import { armSurfaces, runEntries } from '../../src/store/prepare-run.ts';
import { runToDecision } from '../../src/store/run-experiment.ts';
import { canonicalLines, runFileNames } from '../../src/verify/record.ts';
import { refusalOf } from '../support/refusal.ts';
import {
  mailsExperiment,
  mailsIn,
  memoryFolder,
  runPorts,
  settledRun,
  watchedHost,
} from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let loaded: LoadedExperiment;
let ledger: Ledger;

beforeEach(async () => {
  loaded = await mailsIn(await makeFolder());
  ledger = memoryLedger();
});

describe('reserveExperiment', () => {
  test('claims final and development units once; repeating it changes nothing', async () => {
    await sealExperiment({ loaded, ledger });
    const first = await reserveUnits({ loaded, ledger });
    expect(first).toMatchObject({ phase: 'reserved', units: 12 });
    const { length } = await ledger.entries();
    expect(await reserveUnits({ loaded, ledger })).toEqual(first);
    expect((await ledger.entries()).length).toBe(length);
  });

  test('refuses units that another experiment holds, naming it, and asks for a seal first', async () => {
    const unsealed = await refusalOf(reserveUnits({ loaded, ledger }));
    expect([unsealed.code, unsealed.exitCode]).toEqual(['seal-missing', 41]);
    await sealExperiment({ loaded, ledger });
    await reserveUnits({ loaded, ledger });
    const second = await mailsIn(await makeFolder(), {
      'experiment.yaml': mailsExperiment.replace('name: mails', 'name: second'),
    });
    await sealExperiment({ loaded: second, ledger });
    const error = await refusalOf(reserveUnits({ loaded: second, ledger }));
    expect(error.exitCode).toBe(42);
    expect(error.message).toContain('"mails"');
  });
});

describe('passControls', () => {
  test('hands on what the host wrote to standard error when controls fail', async () => {
    const text = mailsExperiment.replace('rule: rules/all.txt', 'rule: rules/none.txt');
    const wrong = await mailsIn(await makeFolder(), { 'experiment.yaml': text });
    const host = Object.assign(await openHost(wrong), { stderrTail: () => 'Traceback\n' });
    const ports = runPorts(wrong, ledger, { openHost: async () => host });
    const { code, details } = await refusalOf(runToDecision(ports));
    expect([code, details]).toEqual([
      'controls-failed',
      { failed: ['ceiling'], stderr: 'Traceback\n' },
    ]);
  });

  test('refuses an experiment without controls before a final unit is exposed', async () => {
    const text = mailsExperiment
      .replace('use: comparison', 'use: development')
      .replace(/controls:\n(?: {2}- .*\n)+gates/, 'gates');
    const bare = await mailsIn(await makeFolder(), { 'experiment.yaml': text });
    const error = await refusalOf(runToDecision(runPorts(bare, ledger)));
    expect([error.code, error.exitCode, error.where?.path]).toEqual([
      'controls-failed',
      31,
      'controls',
    ]);
    expect(error.message).toContain('declares no control');
    expect((await ledger.entries()).map(({ entry }) => entry.kind)).not.toContain('expose');
  });

  test('shows the host no final case before the exposure', async () => {
    const early: string[] = [];
    const openWatched = async (): Promise<ReturnType<typeof watchedHost>> => {
      const host = await openHost(loaded);
      return {
        ...host,
        execute: async (request, call) => {
          const kinds = (await ledger.entries()).map(({ entry }) => entry.kind);
          if (!kinds.includes('expose')) early.push(request.caseId);
          return await host.execute(request, call);
        },
      };
    };
    await runToDecision(runPorts(loaded, ledger, { openHost: openWatched }));
    expect(early.length).toBe(7);
    expect(early.every((id) => Number(id.slice(1)) > 12)).toBe(true);
  });
});

describe('a resumed run', () => {
  async function interrupted(folder: ReturnType<typeof memoryFolder>): Promise<void> {
    const stop = new AbortController();
    let seen = 0;
    const openWatched = async (): Promise<ReturnType<typeof watchedHost>> =>
      watchedHost(await openHost(loaded), () => {
        seen += 1;
        if (seen === 12) stop.abort();
      });
    await runToDecision(
      runPorts(loaded, ledger, {
        signal: stop.signal,
        openFolder: () => folder,
        openHost: openWatched,
      }),
    );
  }

  test('needs the folder of its exposure: an empty one is refused', async () => {
    await interrupted(memoryFolder());
    const error = await refusalOf(
      runToDecision(
        runPorts(loaded, ledger, { openFolder: () => memoryFolder(), fence: () => 'a'.repeat(32) }),
      ),
    );
    expect([error.code, error.message]).toEqual([
      'run-invalid',
      'The run folder of this exposed experiment is missing or incomplete.',
    ]);
  });

  test('is refused in the folder of another seal, which is never overwritten', async () => {
    const other = await settledRun({
      folder: await makeFolder(),
      files: { 'rules/new.txt': '11' },
    });
    const folder = memoryFolder();
    for (const [name, bytes] of other.files) folder.write(name, bytes);
    const error = await refusalOf(
      runToDecision(runPorts(loaded, ledger, { openFolder: () => folder })),
    );
    expect(error.message).toBe('The run folder holds a run of another seal.');
    expect(folder.files()).toEqual(other.files);
  });

  test('is refused in a folder with other files, before anything is exposed', async () => {
    const folder = memoryFolder();
    folder.write('precious.txt', 'kept');
    const error = await refusalOf(
      runToDecision(runPorts(loaded, ledger, { openFolder: () => folder })),
    );
    expect(error.message).toBe('The run folder holds "precious.txt", which is no file of a run.');
    expect([...folder.files().keys()]).toEqual(['precious.txt']);
    const kinds = (await ledger.entries()).map(({ entry }) => entry.kind);
    expect(kinds).not.toContain('expose');
  });

  test('keeps reservation, exposure, every attempt and what was known of its journal in its entries', async () => {
    const folder = memoryFolder();
    await interrupted(folder);
    await runToDecision(
      runPorts(loaded, ledger, { openFolder: () => folder, fence: () => 'a'.repeat(32) }),
    );
    const bytes = folder.read(runFileNames.entries) ?? new Uint8Array();
    const kinds = canonicalLines(bytes, runFileNames.entries).map(
      ({ value }) => (value as { kind: string }).kind,
    );
    expect(kinds.filter((kind) => kind !== 'journal')).toEqual(['reserve', 'expose', 'attempt']);
    expect(kinds.slice(kinds.indexOf('attempt') - 1)).toEqual([
      'journal',
      'attempt',
      'journal',
      'journal',
      'journal',
      'journal',
    ]);
    const [state] = [...(await ledger.state()).experiments.values()];
    if (state === undefined) throw new Error('the experiment is sealed');
    expect(await runEntries(ledger, state)).toBe(new TextDecoder().decode(bytes));
  });
});

describe('armSurfaces', () => {
  test('holds every arm by id with the text and the digest the host will be asked about', () => {
    const surfaces = armSurfaces(loaded);
    expect([...surfaces.keys()]).toEqual(['baseline', 'new', 'same']);
    expect(surfaces.get('new')?.components).toEqual({ rule: { text: '12' } });
    expect(new Set([...surfaces.values()].map((each) => each.digest)).size).toBe(3);
  });
});
