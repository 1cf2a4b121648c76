/** `liftgate run`: the whole job, resumable; ends with one verdict line per candidate. */
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { verdictLines } from '../../report/verdict-lines.ts';
import { runExperiment } from '../../serve/library.ts';
import type { RunResult } from '../../store/run-experiment.ts';
import type { CommandContext } from '../context.ts';
import { createProgress } from '../progress.ts';
import {
  commandLedger,
  type ExitOptions,
  exitCodeFor,
  openExperiment,
  type RecordingOptions,
  refuseUnknownCandidate,
} from '../workspace.ts';

interface RunFlags extends ExitOptions, RecordingOptions {
  readonly seal?: boolean;
  readonly out?: string;
}

export async function run(
  context: CommandContext,
  options: RunFlags,
  path: string,
): Promise<number> {
  const { output, signal } = context;
  const loaded = await openExperiment(path);
  refuseUnknownCandidate(loaded.spec, options);
  const progress = createProgress({
    isTerminal: process.stderr.isTTY === true && process.env['CI'] === undefined,
    columns: process.stderr.columns ?? 80,
    write: (text) => process.stderr.write(text),
  });
  const result = await runExperiment({
    loaded,
    ledger: commandLedger(context, options),
    signal,
    seal: options.seal === true,
    ...(options.out === undefined ? {} : { folder: resolve(context.cwd, options.out) }),
    onNote: (text) => output.note(text),
    onProgress: (state) => progress.show(state),
  }).finally(() => progress.finish());
  return report(context, options, result);
}

function report({ output, cwd }: CommandContext, options: RunFlags, result: RunResult): number {
  const folder = relative(cwd, result.folder);
  if (result.status !== 'decided') {
    output.line(
      `${result.status}: ${result.planned - result.missing} of ${result.planned} cells are settled; ${result.reason}.`,
    );
    output.line('Run the same command again to continue; settled cells are not repeated.');
    output.document({
      status: result.status,
      missing: result.missing,
      planned: result.planned,
      reason: result.reason,
      folder,
    });
    return result.exitCode;
  }
  if (result.recorded) output.line('Recorded decision; nothing was dispatched.');
  const kept = existsSync(result.folder);
  if (kept) {
    output.line(`Run folder: ${folder}`);
    output.line(`Summary: ${folder}/summary.md`);
  }
  for (const line of verdictLines(result.document)) output.line(line);
  output.document({
    status: result.status,
    recorded: result.recorded,
    folder: kept ? folder : null,
    decision: result.document,
  });
  return exitCodeFor(result.document, options);
}
