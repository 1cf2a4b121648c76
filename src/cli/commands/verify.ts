/** `liftgate verify`: a checklist over a run folder, with no host and no writes. */
import { resolve } from 'node:path';
import { verdictLines } from '../../report/verdict-lines.ts';
import { readRunFiles } from '../../store/run-folder.ts';
import type { Check } from '../../verify/checklist.ts';
import { checkRun } from '../../verify/verify.ts';
import type { CommandContext } from '../context.ts';
import { ledgerView } from '../workspace.ts';

const marks: Readonly<Record<Check['status'], string>> = {
  passed: 'ok  ',
  failed: 'FAIL',
  'not-checked': 'skip',
};

export async function verify(
  context: CommandContext,
  options: { readonly ledger: string; readonly withoutLedger?: boolean },
  path: string,
): Promise<number> {
  const { output } = context;
  const files = readRunFiles(resolve(context.cwd, path));
  const ledger = options.withoutLedger === true ? null : await ledgerView(context, options);
  const result = checkRun(files, ledger);
  for (const { id, status, title, detail } of result.checks) {
    output.line(`${marks[status]} ${id.padEnd(9)} ${title}`);
    if (status !== 'passed' || detail !== '') output.line(`     ${' '.repeat(9)} ${detail}`);
  }
  if (result.uncheckable.length > 0) output.line('Cannot be checked offline:');
  for (const each of result.uncheckable) output.line(`  - ${each}`);
  output.line(`RESULT ${resultWord(result)}`);
  if (result.document !== null) for (const line of verdictLines(result.document)) output.line(line);
  output.document({
    ok: result.ok,
    exitCode: result.exitCode,
    checks: result.checks,
    uncheckable: result.uncheckable,
  });
  return result.exitCode;
}

function resultWord({
  ok,
  checks,
}: {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}): string {
  if (!ok) return 'does not verify';
  return checks.some((check) => check.status === 'not-checked')
    ? 'consistent, not confirmed by a ledger'
    : 'confirmed';
}
