import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { digestHex, keyedDigest } from '../../src/base/digest.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { splitUnits } from '../../src/spec/split-units.ts';
import { fingerprintKey, fingerprintOf } from '../../src/spec/units.ts';
import { loadExperiment } from '../../src/store/experiment-folder.ts';
import { reserveExperiment } from '../../src/store/prepare-run.ts';
import { ensurePlanSeal, type RecordedSeal } from '../../src/store/seal-experiment.ts';
import { checkRun } from '../../src/verify/verify.ts';
import { refusalOf } from '../support/refusal.ts';
import { engine, mailsExperiment, mailsFiles, mailsIn, settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const secret = 'sixteen bytes or more';
const other = 'another secret of this kind';
const variable = 'LIFTGATE_TEST_FINGERPRINTS';
const bytes = (text: string) => new TextEncoder().encode(text);
let ledger: Ledger;

beforeEach(() => {
  ledger = memoryLedger();
  vi.stubEnv(variable, secret);
});
afterEach(() => vi.unstubAllEnvs());

function specWith(place: string, changes: readonly [string, string][] = []): string {
  const keyed = `${mailsExperiment}fingerprint: {secret: ${place}}\n`;
  return changes.reduce((text, [from, to]) => text.replace(from, to), keyed);
}

const inVariable = specWith(`{env: ${variable}}`);

async function sealIn(folder: string, write = true): Promise<RecordedSeal> {
  const loaded = await loadExperiment(folder);
  return ensurePlanSeal({ loaded, ledger, engine: engine(), write });
}

async function sealOf(experiment: string): Promise<RecordedSeal> {
  const folder = await makeFolder();
  await mailsIn(folder, { 'experiment.yaml': experiment });
  return sealIn(folder);
}

describe('keyed fingerprints', () => {
  test('are HMAC-SHA-256 of what plain ones are the SHA-256 of, and the seal says so', async () => {
    const folder = await makeFolder();
    const loaded = await mailsIn(folder, { 'experiment.yaml': inVariable });
    const { seal } = await sealIn(folder);
    expect(seal.units).toMatchObject({
      fingerprintVersion: 'fingerprint-hmac/1',
      fingerprintKey: keyedDigest(bytes(secret), 'liftgate/fingerprint-hmac/1'),
    });
    const [first] = splitUnits(loaded).final;
    const input = loaded.cases.find((each) => each.unit === first?.id)?.input ?? {};
    expect(first?.fingerprints).toEqual([fingerprintOf(input, [], bytes(secret))]);
    expect(first?.fingerprints).not.toEqual([fingerprintOf(input)]);
    const stored = await ledger.object(seal.units.object);
    expect(Buffer.from(stored ?? []).toString()).not.toContain(digestHex(fingerprintOf(input)));
    expect(JSON.stringify(seal)).not.toContain(secret);
  });

  test('come from a file as from a variable, its line end aside', async () => {
    const folder = await makeFolder();
    const [experiment, keys] = [join(folder, 'experiment'), join(folder, 'keys')];
    await Promise.all([mkdir(experiment), mkdir(keys)]);
    await writeFile(join(keys, 'secret'), `${secret}\r\n`);
    await mailsIn(experiment, { 'experiment.yaml': specWith('{file: ../keys/secret}') });
    expect((await sealIn(experiment)).seal.units.fingerprintKey).toBe(
      fingerprintKey(bytes(secret)),
    );
  });

  test('leave seals without a secret as they were', async () => {
    const { seal } = await sealOf(mailsExperiment);
    expect(seal.units.fingerprintVersion).toBe('fingerprint/1');
    expect(Object.keys(seal.units)).not.toContain('fingerprintKey');
    expect(Object.keys(seal.spec.fingerprint)).toEqual(['ignore']);
  });

  test('recognise a renamed unit of another experiment under the same secret', async () => {
    const [first, second] = [await makeFolder(), await makeFolder()];
    const early = await mailsIn(first, { 'experiment.yaml': inVariable });
    await reserveExperiment(ledger, early, await sealIn(first));
    const renamed = (mailsFiles()['cases.jsonl'] ?? '')
      .replaceAll('"family":"f', '"family":"g')
      .replaceAll('"id":"m', '"id":"k');
    const late = await mailsIn(second, {
      'experiment.yaml': specWith(`{env: ${variable}}`, [['name: mails', 'name: late']]),
      'cases.jsonl': renamed,
    });
    const error = await refusalOf(reserveExperiment(ledger, late, await sealIn(second)));
    expect(error.details).toMatchObject({ reason: 'unit-renamed', owner: 'mails' });
    expect(error.message).toContain('"g1" (recorded as "f1")');
  });
});

describe('a secret', () => {
  test('that is not there stops the seal, not the check, and is named', async () => {
    vi.stubEnv(variable, undefined);
    const folder = await makeFolder();
    expect((await mailsIn(folder, { 'experiment.yaml': inVariable })).cases).toHaveLength(16);
    const error = await refusalOf(sealIn(folder));
    expect([error.code, error.exitCode]).toEqual(['secret-missing', 40]);
    expect(error.message).toBe(
      `The fingerprints of this experiment need the secret in the environment variable ${variable}, and it is not there.`,
    );
    await mailsIn(folder, { 'experiment.yaml': specWith('{file: ../no/secret}') });
    expect((await refusalOf(sealIn(folder))).message).toContain('in the file ../no/secret');
    expect(await ledger.entries()).toEqual([]);
  });

  test('of fewer than 16 bytes is refused, without being shown', async () => {
    vi.stubEnv(variable, 'fifteen bytes..');
    const folder = await makeFolder();
    const error = await refusalOf(mailsIn(folder, { 'experiment.yaml': inVariable }));
    expect(error.code).toBe('secret-missing');
    expect(error.message).toContain('has 15 bytes');
    expect(JSON.stringify([error.message, error.mend, error.details])).not.toContain('fifteen');
  });

  test('that is another one than sealed is refused for what it is, and nothing is sealed anew', async () => {
    const folder = await makeFolder();
    const loaded = await mailsIn(folder, { 'experiment.yaml': inVariable });
    const plan = await sealIn(folder);
    await reserveExperiment(ledger, loaded, plan);
    const before = (await ledger.entries()).length;
    vi.stubEnv(variable, other);
    for (const write of [true, false]) {
      const error = await refusalOf(sealIn(folder, write));
      expect([error.code, error.exitCode]).toEqual(['secret-wrong', 41]);
      expect(error.message).toBe(
        `Experiment "mails" made the fingerprints of population "mails" with the secret behind ${fingerprintKey(bytes(secret))}; this one makes them with the secret behind ${fingerprintKey(bytes(other))}. A unit under another id would not be recognised.`,
      );
    }
    expect(await ledger.entries()).toHaveLength(before);
    vi.stubEnv(variable, secret);
    expect((await sealIn(folder, false)).digest).toBe(plan.digest);
  });

  test.each([
    ['a secret after none', mailsExperiment, inVariable, 'without fingerprint.secret'],
    ['none after a secret', inVariable, mailsExperiment, 'with its secret'],
  ])('is one for a population: %s is refused', async (_, early, late, mend) => {
    const folder = await makeFolder();
    const loaded = await mailsIn(folder, { 'experiment.yaml': early });
    await reserveExperiment(ledger, loaded, await sealIn(folder));
    const named = late.replace('name: mails', 'name: late');
    const error = await refusalOf(sealOf(named));
    expect(error.code).toBe('secret-wrong');
    expect(error.mend).toContain(mend);
    const elsewhere = await sealOf(
      named.replace('population: {id: mails', 'population: {id: notes'),
    );
    expect(elsewhere.written).toBe(true);
  });

  test('is not needed to verify, which says what it cannot show without it', async () => {
    const run = await settledRun({
      folder: await makeFolder(),
      files: { 'experiment.yaml': inVariable },
    });
    vi.stubEnv(variable, undefined);
    const { exitCode, uncheckable } = checkRun(run.files, run.view);
    expect(exitCode).toBe(0);
    expect(uncheckable.filter((each) => each.includes('secret'))).toEqual([
      `without the secret behind ${fingerprintKey(bytes(secret))}: whether the fingerprints of the units are those of their contents, so whether copies under other ids would have been noticed`,
    ]);
    const shown = [...run.files.values()].map((each) => Buffer.from(each).toString()).join('');
    expect(shown).not.toContain(secret);
  });
});
