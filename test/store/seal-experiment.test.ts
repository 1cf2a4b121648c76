import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { formatSeal } from '../../src/spec/seal.ts';
import { loadExperiment } from '../../src/store/experiment-folder.ts';
import {
  ensureFinalSeal,
  ensurePlanSeal,
  type RecordedSeal,
  readSeal,
  writeSealCopy,
} from '../../src/store/seal-experiment.ts';
import { refusalOf } from '../support/refusal.ts';
import { engine, mailsExperiment, mailsIn, settledRun, writeFiles } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let ledger: Ledger;
let folder: string;

beforeEach(async () => {
  ledger = memoryLedger();
  folder = await makeFolder();
});

async function planSealed(write = true): Promise<RecordedSeal> {
  const loaded = await loadExperiment(folder);
  return ensurePlanSeal({ loaded, ledger, engine: engine(), write });
}

async function finalSealed(write = true): Promise<RecordedSeal> {
  const loaded = await loadExperiment(folder);
  const options = { loaded, ledger, engine: engine(), write };
  return ensureFinalSeal(options, await ensurePlanSeal(options));
}

async function kinds(): Promise<string[]> {
  return (await ledger.entries()).map(({ entry }) => entry.kind);
}

describe('ensurePlanSeal', () => {
  test('records once, and afterwards finds what it recorded', async () => {
    await mailsIn(folder);
    const first = await planSealed();
    const second = await planSealed(false);
    expect([first.written, second.written]).toEqual([true, false]);
    expect(second.digest).toBe(first.digest);
    expect(await kinds()).toEqual(['genesis', 'seal']);
    expect(await readSeal(ledger, first.digest)).toEqual(first.seal);
  });

  test('stores every object the seal names', async () => {
    await mailsIn(folder);
    const { seal } = await planSealed();
    for (const object of [
      seal.units.object,
      seal.development?.object ?? digestOf(''),
      seal.dataset.cases.object,
      seal.cells.planObject,
    ]) {
      expect(await ledger.object(object)).not.toBe(null);
    }
    expect((await ledger.verify()).ok).toBe(true);
  });

  test('refuses an unsealed experiment and a changed one unless it may write', async () => {
    await mailsIn(folder);
    const missing = await refusalOf(planSealed(false));
    expect([missing.code, missing.message]).toEqual([
      'seal-missing',
      'The experiment "mails" has no plan seal in this ledger.',
    ]);
    await planSealed();
    writeFiles(folder, { 'rules/old.txt': '1' });
    const drift = await refusalOf(planSealed(false));
    expect([drift.code, drift.message]).toEqual([
      'seal-drift',
      'The experiment no longer matches its plan seal:\n    rules/old.txt: its bytes changed after sealing',
    ]);
    expect((await planSealed()).written).toBe(true);
    expect(await kinds()).toEqual(['genesis', 'seal', 'seal']);
  });

  test('finds an earlier plan again when the files are as they were', async () => {
    await mailsIn(folder);
    const first = await planSealed();
    writeFiles(folder, { 'rules/old.txt': '1' });
    await planSealed();
    writeFiles(folder, { 'rules/old.txt': '2' });
    expect((await planSealed(false)).digest).toBe(first.digest);
  });

  test('tells of another engine build and keeps the recorded seal', async () => {
    const loaded = await mailsIn(folder);
    const first = await planSealed();
    const newer = { ...engine(), build: digestOf('newer') };
    const again = await ensurePlanSeal({ loaded, ledger, engine: newer, write: false });
    expect(again.seal).toEqual(first.seal);
    expect(again.notices.map((text) => text.split(':')[0])).toEqual(['engine.build']);
  });

  test('candidates may change before they are bound', async () => {
    await mailsIn(folder);
    const first = await planSealed();
    writeFiles(folder, { 'rules/new.txt': '11' });
    expect((await planSealed(false)).digest).toBe(first.digest);
  });
});

describe('ensureFinalSeal', () => {
  test('binds the candidates once; other bytes before the exposure are another final seal', async () => {
    await mailsIn(folder);
    const first = await finalSealed();
    expect(first.seal.stage).toBe('final');
    expect((await finalSealed(false)).digest).toBe(first.digest);
    writeFiles(folder, { 'rules/new.txt': '11' });
    const drift = await refusalOf(finalSealed(false));
    expect(drift.message).toBe(
      'The experiment no longer matches its final seal:\n    rules/new.txt: its bytes changed after sealing',
    );
    const second = await finalSealed();
    expect(second.digest).not.toBe(first.digest);
    expect(second.seal.plan).toBe(first.seal.plan);
    expect(await kinds()).toEqual(['genesis', 'seal', 'seal', 'seal']);
  });

  test('after the exposure no other candidate can be bound, not even by writing', async () => {
    const run = await settledRun({ folder, ledger });
    const before = await kinds();
    writeFiles(folder, { 'rules/new.txt': '11' });
    const drift = await refusalOf(finalSealed(true));
    expect(drift.message).toContain('rules/new.txt: its bytes changed after sealing');
    expect(await kinds()).toEqual(before);
    expect(run.result.exitCode).toBe(0);
  });

  test('refuses a candidate with the bytes of the baseline', async () => {
    await mailsIn(folder, { 'rules/new.txt': '2' });
    const error = await refusalOf(finalSealed());
    expect([error.code, error.exitCode, error.where?.path]).toEqual([
      'design-refused',
      40,
      'arms.candidates.new',
    ]);
    expect(error.message).toBe('The candidate "new" has the same bytes as the baseline.');
  });

  test('accepts the same bytes under another pinned model: that is a change', async () => {
    const text = mailsExperiment.replace(
      '{rule: rules/new.txt}}',
      '{rule: rules/new.txt}, pins: {model: m-2}}',
    );
    await mailsIn(folder, { 'rules/new.txt': '2', 'experiment.yaml': text });
    expect((await finalSealed()).seal.arms[1]?.pins.model).toBe('m-2');
  });
});

describe('readSeal', () => {
  test('says that the ledger is damaged when the object is gone', async () => {
    const error = await refusalOf(readSeal(ledger, digestOf('none')));
    expect([error.code, error.exitCode]).toEqual(['ledger-damaged', 42]);
    expect(error.message).toContain('but its object is missing');
  });
});

describe('writeSealCopy', () => {
  test('writes the exact bytes beside the experiment file', async () => {
    const loaded = await mailsIn(folder);
    const { seal } = await planSealed();
    expect(writeSealCopy(loaded, seal)).toBe('mails.seal.json');
    expect(readFileSync(join(folder, 'mails.seal.json'), 'utf8')).toBe(formatSeal(seal));
  });
});
