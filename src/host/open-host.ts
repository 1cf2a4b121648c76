/** Starts the host that an experiment declares. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LiftgateError } from '../base/errors.ts';
import type { Host } from '../run/host.ts';
import type { LoadedExperiment } from '../store/experiment-folder.ts';
import { hostModuleOf, moduleHost } from './module.ts';
import { workerHost } from './worker.ts';

/**
 * The declared host of an experiment: its worker command or its module.
 * @throws {LiftgateError} host-unreachable when the module cannot be loaded or is no host
 */
export async function openHost(loaded: LoadedExperiment): Promise<Host> {
  const { host } = loaded.spec;
  if ('worker' in host) {
    return workerHost({
      command: host.worker,
      cwd: loaded.folder,
      concurrency: host.concurrency,
      limits: host.limits,
      env: host.env,
    });
  }
  try {
    const exported: Record<string, unknown> = await import(
      pathToFileURL(join(loaded.folder, host.module)).href
    );
    return moduleHost(hostModuleOf(exported), { limits: host.limits });
  } catch (cause) {
    if (cause instanceof LiftgateError) throw cause;
    throw new LiftgateError(
      'host-unreachable',
      `The host module cannot be loaded: ${String(cause)}`,
      {
        where: { file: loaded.file, path: 'host.module' },
        mend: 'Mend the module; nothing was measured.',
        cause,
      },
    );
  }
}
