/** `liftgate statement`: what a run decided, as an in-toto Statement for policy engines, bare or signed in a DSSE envelope. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { canonicalLine } from '../../base/canonical.ts';
import { digestHex, digestOf } from '../../base/digest.ts';
import { formatEnvelope, statementType } from '../../base/dsse.ts';
import { LiftgateError } from '../../base/errors.ts';
import { describeKey } from '../../base/trust.ts';
import { verdictLines } from '../../report/verdict-lines.ts';
import { refuseOddFile } from '../../store/places.ts';
import { readEvidence } from '../../store/run-folder.ts';
import { bundledLedger } from '../../verify/bundle.ts';
import { ledgerView } from '../../verify/reading.ts';
import { formatStatement, statementOfRun } from '../../verify/statement.ts';
import { checkRun } from '../../verify/verify.ts';
import type { CommandContext } from '../context.ts';
import { existingLedger, namedSigner, type SigningOptions } from '../workspace.ts';

/** Flags of the command. */
export interface StatementOptions extends SigningOptions {
  readonly ledger: string;
  readonly out?: string;
}

/** Verifies the run, then says what it decided; what does not verify is not stated. */
export async function statement(
  context: CommandContext,
  options: StatementOptions,
  path: string,
): Promise<number> {
  const { output, cwd } = context;
  const signer = await namedSigner(context, options);
  const { files, bundle } = readEvidence(resolve(cwd, path));
  const ledger = bundle === null ? await existingLedger(context, options) : bundledLedger(bundle);
  const view = await ledgerView(ledger);
  const { checks, document, exitCode } = checkRun(files, view);
  const problems = checks.flatMap((check) => check.problems);
  if (problems.length > 0 || document === null) {
    const shown = problems.map((each) => `[${each.code}] ${each.message}`).join('; ');
    throw new LiftgateError(
      exitCode === 42 ? 'ledger-damaged' : 'run-invalid',
      `The run does not verify, so nothing is stated: ${shown}.`,
      {
        where: { file: path },
        mend: 'See `liftgate verify`, and restore what was changed.',
        details: { problems },
      },
    );
  }
  const stated = statementOfRun(files, view);
  const { experimentId, seal } = stated.predicate;
  const text =
    signer === null
      ? canonicalLine(stated)
      : await formatEnvelope(statementType, Buffer.from(formatStatement(stated)), [signer]);
  const ending = signer === null ? 'statement.json' : 'dsse.json';
  const file = options.out ?? `${experimentId}-${digestHex(seal).slice(0, 12)}.${ending}`;
  await write(resolve(cwd, file), file, text);
  const by = signer === null ? 'signed by nobody' : `signed by ${describeKey(signer)}`;
  output.line(`${file}: ${by}; ${digestOf(text)}`);
  output.line(`check it anywhere: liftgate verify RUN --statement ${file} --trust KEYS`);
  for (const line of verdictLines(document)) output.line(line);
  output.document({ file, signed: signer !== null, statement: stated });
  return 0;
}

async function write(path: string, shown: string, text: string): Promise<void> {
  refuseOddFile(path, shown);
  try {
    await writeFile(path, text);
  } catch (cause) {
    throw new LiftgateError('usage', 'The statement cannot be written.', {
      where: { file: shown },
      mend: 'Name a file with --out in a folder that exists, where you may write.',
      cause,
    });
  }
}
