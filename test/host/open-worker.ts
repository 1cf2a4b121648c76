/** Worker hosts of tests: children of test/fixtures/hosts/worker.mjs with short waits, closed after each test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, vi } from 'vitest';
import { type WorkerHost, type WorkerOptions, workerHost } from '../../src/host/worker.ts';
import type { ExecuteReply } from '../../src/run/receipt.ts';
import { StillClock } from '../run/desk.ts';
import { executeRequest } from '../support/host-conformance.ts';

const folder = fileURLToPath(new URL('../fixtures/hosts/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'liftgate-host-'));
const opened: WorkerHost[] = [];
let files = 0;

/** A signal that never aborts. */
export const call: { readonly signal: AbortSignal } = { signal: new AbortController().signal };

/** A path nobody used yet. */
export function freshFile(): string {
  files += 1;
  return join(scratch, `file-${files}`);
}

/** A worker that starts as told; a clock stands still unless the test moves it. */
export function open(
  start = 'well',
  changes: Partial<WorkerOptions> = {},
  file = freshFile(),
): WorkerHost {
  const host = workerHost({
    command: [process.execPath, 'worker.mjs', start, file],
    cwd: folder,
    concurrency: 1,
    limits: { wallMs: 10_000, silenceMs: 10_000 },
    clock: new StillClock(),
    ...changes,
    timings: { cancelMs: 20, terminateMs: 500, ...changes.timings },
  });
  opened.push(host);
  return host;
}

export async function execute(
  host: WorkerHost,
  behave: string,
  changes: object = {},
): Promise<ExecuteReply> {
  return await host.execute(executeRequest(behave, changes), call);
}

/** Closes what a test opened and removes its files; call once per test file. */
export function closeAfterwards(): void {
  // Starting a child takes a second on a busy machine.
  vi.setConfig({ testTimeout: 30_000 });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((host) => host.close()));
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
}
