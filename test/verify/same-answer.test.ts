import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { canonicalText } from '../../src/base/canonical.ts';
import { openHost } from '../../src/host/open-host.ts';
import type { ExecuteReply } from '../../src/run/receipt.ts';
import { runFileNames } from '../../src/verify/record.ts';
import { checkRun } from '../../src/verify/verify.ts';
import {
  mailsExperiment,
  mailsFiles,
  mailsIn,
  type SettledRun,
  settledRun,
} from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const command = fileURLToPath(new URL('../../bin/liftgate.js', import.meta.url));
let first: SettledRun;

// Faults bear the time they were seen, and the exposure binds those of the controls.
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 7, 1) });
  first = await settledRun({ folder: await makeFolder() });
});
afterAll(() => {
  vi.useRealTimers();
});

function verdictOf(run: SettledRun): string {
  return canonicalText(run.result.document.verdict);
}

function rows(): string[] {
  return (mailsFiles()['cases.jsonl'] ?? '').trimEnd().split('\n');
}

/** Rows moved by a fixed rule that keeps neither order nor neighbours. */
function moved(lines: readonly string[]): string[] {
  return lines.map((_, at) => lines[(at * 7 + 3) % lines.length] ?? '');
}

describe('the same bytes give the same answer', () => {
  test('twice in a row: every file is equal', async () => {
    const again = await settledRun({ folder: await makeFolder() });
    for (const [name, bytes] of first.files) {
      expect(Buffer.compare(again.files.get(name) ?? new Uint8Array(), bytes), name).toBe(0);
    }
    expect([...again.files.keys()]).toEqual([...first.files.keys()]);
  });

  test.each([
    ['reversed', (lines: readonly string[]) => lines.toReversed()],
    ['shuffled', moved],
  ])('with the rows of the case file %s', async (_what, order) => {
    const cases = `${order(rows()).join('\n')}\n`;
    expect(new Set(order(rows())).size).toBe(16);
    const other = await settledRun({ folder: await makeFolder(), files: { 'cases.jsonl': cases } });
    expect(verdictOf(other)).toBe(verdictOf(first));
    expect(other.result.seal.digests).toEqual(first.result.seal.digests);
    expect(checkRun(other.files, other.view).exitCode).toBe(0);
  });

  test('with candidates and measures declared in another order', async () => {
    const [, one = '', two = ''] = /( {4}new: .*\n)( {4}same: .*\n)/.exec(mailsExperiment) ?? [];
    const text = mailsExperiment
      .replace(`${one}${two}`, `${two}${one}`)
      .replace(/( {2}right: .*\n)( {2}harm: .*\n)/, '$2$1');
    expect(text).not.toBe(mailsExperiment);
    const files = { 'experiment.yaml': text };
    const other = await settledRun({ folder: await makeFolder(), files });
    expect(verdictOf(other)).toBe(verdictOf(first));
  });

  test('with four cells in flight whose answers come back in another order', async () => {
    const folder = await makeFolder();
    const files = {
      'experiment.yaml': mailsExperiment.replace('concurrency: 1', 'concurrency: 4'),
    };
    const loaded = await mailsIn(folder, files);
    const host = await openHost(loaded);
    const held: (() => void)[] = [];
    const releaseLast = (): void => {
      held.pop()?.();
      if (held.length > 0) setImmediate(releaseLast);
    };
    const lastFirst = {
      ...host,
      execute: async (...call: Parameters<typeof host.execute>): Promise<ExecuteReply> => {
        const reply = await host.execute(...call);
        await new Promise<void>((resolve) => {
          held.push(resolve);
          if (held.length === 1) setImmediate(releaseLast);
        });
        return reply;
      },
    };
    const other = await settledRun({
      folder,
      files,
      ports: { openHost: () => Promise.resolve(lastFirst) },
    });
    expect(verdictOf(other)).toBe(verdictOf(first));
    const journals = [first, other].map((run) => run.files.get(runFileNames.journal));
    expect(
      Buffer.compare(journals[0] ?? new Uint8Array(), journals[1] ?? new Uint8Array()),
    ).not.toBe(0);
    expect(checkRun(other.files, other.view).exitCode).toBe(0);
  });

  test.each([
    { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' },
    { LANG: 'C', LC_ALL: 'C', TZ: 'America/St_Johns' },
    { LANG: 'sv_SE.UTF-8', LC_ALL: 'sv_SE.UTF-8', TZ: 'UTC' },
  ])('under another locale and time zone ($LANG, $TZ)', async (env) => {
    const { folder } = await mailsIn(await makeFolder());
    const words = ['run', folder, '--seal', '--json', '--ledger', join(folder, 'ledger')];
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [command, ...words, '--out', join(folder, 'run')],
      { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: folder, ...env } },
    );
    expect(`${status} ${status === 0 ? '' : stderr}`).toBe('0 ');
    const { decision } = JSON.parse(stdout) as { decision: { verdict: never } };
    expect(canonicalText(decision.verdict)).toBe(verdictOf(first));
    const sealed = JSON.parse(readFileSync(join(folder, 'run', 'seal.json'), 'utf8')) as {
      readonly digests: unknown;
    };
    expect(sealed.digests).toEqual(first.result.seal.digests);
  });
});
