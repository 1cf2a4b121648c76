/** `liftgate verify` and `liftgate ledger verify` on what a run left, changed from outside. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { documentOf, type Ended, liftgate } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { SmallExperiment } from '../support/workspace.ts';

const folder = temporaryFolders();

let workspace: string;
let files: readonly string[];

beforeAll(async () => {
  const experiment = new SmallExperiment(await folder());
  workspace = experiment.workspace;
  expect((await experiment.run()).exitCode).toBe(0);
  files = readdirSync(join(workspace, 'small/run')).sort();
});

/** Path of the one object of a ledger that holds a text. */
function objectWith(copy: string, text: string): string {
  const objects = join(copy, 'ledger/objects');
  const paths = readdirSync(objects).map((name) => join(objects, name));
  const found = paths.filter((path) => readFileSync(path, 'utf8').includes(text));
  expect(found).toHaveLength(1);
  return found[0] ?? '';
}

/** Name of the outcome's file: the last entry of the run. */
function outcomeFile(copy: string): string {
  return readdirSync(join(copy, 'ledger/log')).sort().at(-1) ?? '';
}

/** A copy of run and ledger after a change, and how the binary verifies it. */
async function verifiedAfter(change: (copy: string) => void, ...words: string[]): Promise<Ended> {
  const copy = await folder();
  for (const part of ['small', 'ledger'])
    cpSync(join(workspace, part), join(copy, part), { recursive: true });
  change(copy);
  return liftgate(copy, 'verify', 'small/run', ...words);
}

/** The file with the bit 1 of one byte in its middle flipped. */
function flipByte(path: string): void {
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

describe.concurrent('liftgate verify', () => {
  test('simulates the sealed power again under --power alone', async () => {
    const ended = await verifiedAfter(() => undefined, '--power');
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toMatch(/^ok {3}power {7}the power that was sealed is found/m);
    expect(ended.stdout).toContain('the seal holds no power: no gate or claim demanded any');
    expect((await verifiedAfter(() => undefined)).stdout).not.toContain('power  ');
  });

  test('knows every file of a run folder', () => {
    expect(files).toEqual([
      'cases.json',
      'controls.jsonl',
      'decision.json',
      'entries.jsonl',
      'journal.jsonl',
      'manifest.json',
      'plan.json',
      'seal.json',
      'summary.md',
    ]);
  });

  test.each([['decision.json'], ['journal.jsonl'], ['manifest.json'], ['summary.md']])(
    'fails on one changed byte of %s: 41',
    async (name) => {
      const { exitCode, stdout } = await verifiedAfter((copy) =>
        flipByte(join(copy, 'small/run', name)),
      );
      expect(exitCode).toBe(41);
      expect(stdout).toMatch(/^FAIL /m);
      expect(stdout).toContain('\nRESULT does not verify\n');
      expect(stdout).toContain(name);
    },
  );

  test('fails on a missing file: 41, naming it', async () => {
    const { exitCode, stdout } = await verifiedAfter((copy) =>
      rmSync(join(copy, 'small/run/controls.jsonl')),
    );
    expect(exitCode).toBe(41);
    expect(stdout).toContain('controls.jsonl');
  });

  test('fails on an extra file: 41, naming it', async () => {
    const { exitCode, stdout } = await verifiedAfter((copy) =>
      writeFileSync(join(copy, 'small/run/notes.txt'), 'looks fine to me\n'),
    );
    expect(exitCode).toBe(41);
    expect(stdout).toContain('notes.txt');
  });

  test('refuses a folder that is no run: 41', async () => {
    const { exitCode, stderr } = await liftgate(workspace, 'verify', 'small/nothing');
    expect(exitCode).toBe(41);
    expect(stderr).toContain('[run-invalid]');
    expect(stderr).toContain('Name a folder that `liftgate run` wrote.');
  });

  test('without its ledger says that there is none, and checks the folder alone when told to', async () => {
    const missing = await verifiedAfter((copy) =>
      rmSync(join(copy, 'ledger'), { recursive: true }),
    );
    expect(missing.exitCode).toBe(42);
    expect(missing.stderr).toBe(
      'ledger [ledger-damaged]\n  There is no ledger here.\n  Name the ledger with --ledger, or check the folder alone with --without-ledger.\n',
    );
    const alone = await verifiedAfter(
      (copy) => rmSync(join(copy, 'ledger'), { recursive: true }),
      '--without-ledger',
    );
    expect(alone.exitCode).toBe(0);
    expect(alone.stdout).toContain('\nRESULT consistent, not confirmed by a ledger\n');
  });

  test('fails when the ledger lost the outcome', async () => {
    const { exitCode, stdout } = await verifiedAfter((copy) =>
      rmSync(join(copy, 'ledger/log', outcomeFile(copy))),
    );
    expect(exitCode).toBe(41);
    expect(stdout).toMatch(/^FAIL outcome/m);
  });

  test('fails on a run whose outcome was voided, and the run decides nothing any more', async () => {
    const copy = await folder();
    for (const part of ['small', 'ledger'])
      cpSync(join(workspace, part), join(copy, part), { recursive: true });
    const voided = await liftgate(copy, 'ledger', 'void', 'small', '--reason', 'scorer bug');
    expect(voided.exitCode).toBe(0);
    const outcome = Number.parseInt(outcomeFile(workspace), 10);
    expect(voided.stdout).toBe(
      `small: outcome ${outcome} voided in entry ${outcome + 1}; its units stay spent\n`,
    );
    const verified = await liftgate(copy, 'verify', 'small/run');
    expect(verified.exitCode).toBe(41);
    expect(verified.stdout).toContain('voided');
    const again = await liftgate(copy, 'run', 'small', '--seal', '--out', 'small/run');
    expect(again.exitCode).toBe(42);
    expect(again.stderr).toContain('scorer bug');
  });
});

describe.concurrent('liftgate run on a settled experiment', () => {
  test('prints no recorded decision whose bytes were changed: 42', async () => {
    const copy = await folder();
    for (const part of ['small', 'ledger'])
      cpSync(join(workspace, part), join(copy, part), { recursive: true });
    flipByte(objectWith(copy, '"contributions"'));
    const { exitCode, stdout, stderr } = await liftgate(copy, 'run', 'small', '--seal');
    expect(exitCode).toBe(42);
    expect(stdout).toBe('');
    expect(stderr).toContain('[ledger-damaged]');
  });
});

describe.concurrent('liftgate ledger verify', () => {
  test('calls the ledger of the run sound', async () => {
    const { exitCode, stdout } = await liftgate(workspace, 'ledger', 'verify');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('\nRESULT sound\n');
    expect(stdout).not.toContain('FAIL');
  });

  test.each([
    ['a changed entry', (copy: string) => flipByte(join(copy, 'ledger/log/00000003.json'))],
    ['a missing entry', (copy: string) => rmSync(join(copy, 'ledger/log/00000003.json'))],
    ['a changed object', (copy: string) => flipByte(objectWith(copy, 'liftgate/cells/v1'))],
  ])('finds %s: 42', async (_, change) => {
    const copy = await folder();
    cpSync(join(workspace, 'ledger'), join(copy, 'ledger'), { recursive: true });
    change(copy);
    const { exitCode, stdout } = await liftgate(copy, 'ledger', 'verify');
    expect(exitCode).toBe(42);
    expect(stdout).toMatch(/^FAIL /m);
    expect(stdout).toContain('\nRESULT damaged\n');
  });
});

describe('liftgate verify --texts', () => {
  test('compares the units with those of the experiments it is shown, in a bundle too, and refuses a folder without one', async () => {
    const alone = await liftgate(workspace, 'verify', 'small/run', '--texts', 'small');
    expect(alone.exitCode).toBe(0);
    expect(alone.stdout).toContain('near copies no other experiment is in this ledger');
    expect((await liftgate(workspace, 'bundle', 'small/run', '--out', 'b.tar')).exitCode).toBe(0);
    const words = ['verify', 'b.tar', '--texts', 'small', '--json'];
    expect(documentOf(await liftgate(workspace, ...words))).toMatchObject({
      audit: { experiment: { across: { looked: true, compared: [], missing: [], pairs: [] } } },
    });
    const none = await liftgate(workspace, 'verify', 'small/run', '--texts', 'ledger');
    expect(none.exitCode).toBe(40);
    expect(none.stderr).toContain('There is no experiment file here.');
  });
});
