import { fileURLToPath } from 'node:url';
import { hostModuleOf, moduleHost } from '../../src/host/module.ts';
import { workerHost } from '../../src/host/worker.ts';
import { StillClock } from '../run/desk.ts';
import { hostConformance } from '../support/host-conformance.ts';

const folder = new URL('../fixtures/hosts/', import.meta.url);
const limits = { wallMs: 10_000, silenceMs: 10_000 };

/** A clock on which every restart is more than a minute after the last: the restart limit has its own tests. */
class HastyClock extends StillClock {
  override elapsedMs(): number {
    this.advance(61_000);
    return super.elapsedMs();
  }
}

hostConformance('worker', () =>
  workerHost({
    command: [process.execPath, 'worker.mjs'],
    cwd: fileURLToPath(folder),
    concurrency: 1,
    limits,
    clock: new HastyClock(),
    timings: { cancelMs: 20, terminateMs: 500 },
  }),
);

hostConformance('module', async () => {
  const exported: Record<string, unknown> = await import(new URL('desk-host.mjs', folder).href);
  return moduleHost(hostModuleOf(exported), { limits, clock: new StillClock() });
});
