/** A run of 20,000 receipts from the command line: what it takes to verify, bundle and report it, and what it tells of a changed byte. */
import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { documentOf, type Ended, projectFolder, startProgram } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let folder: string;

/** Most memory a command may hold, in megabytes; the journal alone has 49, and whole files took 600 and more. */
const most = 240;

beforeAll(async () => {
  folder = await makeFolder();
  const script = `${projectFolder}test/support/large-run.mjs`;
  const made = await startProgram(folder, [process.execPath, script, folder, '2000', '5']).ended;
  expect(made.stderr).toBe('');
  expect(documentOf(made)).toMatchObject({ receipts: 20_000 });
}, 120_000);

/** Runs the program and tells how much memory it held at most, in megabytes. */
async function measured(...words: string[]): Promise<Ended & { readonly mostMb: number }> {
  const preload = ['--import', `${projectFolder}test/support/peak-memory.mjs`] as const;
  const program = `${projectFolder}bin/liftgate.js`;
  const ended = await startProgram(folder, [process.execPath, ...preload, program, ...words]).ended;
  const [, kilobytes = 'NaN'] = /^peak-kb ([0-9]+)$/m.exec(ended.stderr) ?? [];
  return { ...ended, mostMb: Number(kilobytes) / 1024 };
}

/** Turns one bit in the line of a file and gives back how to turn it again. */
function flipInLine(path: string, line: number): () => void {
  const file = openSync(path, 'r+');
  const chunk = Buffer.alloc(1 << 20);
  let [left, base] = [line - 1, 0];
  for (let at = 0; left > 0; ) {
    const got = readSync(file, chunk, 0, chunk.length, base);
    for (at = 0; at < got && left > 0; at += 1) if (chunk[at] === 0x0a) left -= 1;
    base += left > 0 ? got : at;
  }
  const turn = (): void => {
    readSync(file, chunk, 0, 1, base + 2);
    writeSync(file, Buffer.of((chunk[0] ?? 0) ^ 1), 0, 1, base + 2);
  };
  turn();
  return () => {
    turn();
    closeSync(file);
  };
}

describe('a run of 20,000 receipts', () => {
  test('is verified in little memory, and its bundle with the same result', async () => {
    const run = await measured('verify', 'run', '--ledger', 'ledger', '--json');
    expect(run.exitCode).toBe(0);
    expect(run.mostMb).toBeLessThan(most);
    const made = await measured('bundle', 'run', '--ledger', 'ledger', '--out', 'b.tar', '--json');
    expect(made.exitCode).toBe(0);
    expect(made.mostMb).toBeLessThan(most);
    const bundle = await measured('verify', 'b.tar', '--json');
    expect(bundle.exitCode).toBe(0);
    expect(bundle.mostMb).toBeLessThan(most);
    expect(documentOf(bundle)).toEqual(documentOf(run));
  }, 120_000);

  test('names the line of a byte that was changed deep in its journal', async () => {
    const restore = flipInLine(join(folder, 'run/journal.jsonl'), 31_234);
    const changed = await measured('verify', 'run', '--ledger', 'ledger');
    restore();
    expect(changed.exitCode).toBe(41);
    expect(changed.mostMb).toBeLessThan(most);
    expect(changed.stdout).toContain('[files-differ] journal.jsonl has other bytes than recorded');
    expect(changed.stdout).toMatch(/\[run-invalid\] journal\.jsonl:31234: /);
    expect(changed.stdout).toContain('RESULT does not verify');
  }, 60_000);

  test('is reported in little memory too', async () => {
    const report = await measured('report', 'run', '--format', 'json', '--out', 'report.json');
    expect(report.exitCode).toBe(0);
    expect(report.mostMb).toBeLessThan(most);
  }, 60_000);

  test('does not verify with a second file beside its journal, however long', async () => {
    writeFileSync(join(folder, 'run/stray.bin'), Buffer.alloc(3 << 20));
    const found = await measured('verify', 'run', '--without-ledger');
    expect(found.exitCode).toBe(41);
    expect(found.stdout).toContain('[files-differ] stray.bin was not recorded');
  }, 60_000);
});
