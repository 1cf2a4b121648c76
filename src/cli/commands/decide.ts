/** `liftgate decide`: a decision from existing receipts; nothing is executed and nothing is recorded. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LiftgateError } from '../../base/errors.ts';
import { renderSummary } from '../../report/markdown.ts';
import { verdictLines } from '../../report/verdict-lines.ts';
import { decide } from '../../serve/library.ts';
import type { CommandContext } from '../context.ts';
import {
  commandLedger,
  type ExitOptions,
  exitCodeFor,
  openExperiment,
  refuseUnknownCandidate,
} from '../workspace.ts';

export async function decideReceipts(
  context: CommandContext,
  options: ExitOptions & { readonly ledger: string; readonly receipts: string },
  path: string,
): Promise<number> {
  const { output, cwd } = context;
  const loaded = await openExperiment(path);
  refuseUnknownCandidate(loaded.spec, options);
  const ledger = commandLedger(context, options);
  const file = options.receipts;
  const receipts = readText(resolve(cwd, file), file);
  const { document, seal } = await decide({ loaded, ledger, receipts, file });
  output.line(renderSummary(document, seal));
  for (const line of verdictLines(document)) output.line(line);
  output.document(document);
  return exitCodeFor(document, options);
}

function readText(path: string, shown: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new LiftgateError('file-unreadable', 'The receipts cannot be read.', {
      where: { file: shown },
      mend: 'Name a readable file of receipts, one JSON object per line.',
      cause,
    });
  }
}
