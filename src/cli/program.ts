/** The tree of commands: words to command modules, failures to exit codes. Command modules are loaded only when called. */
import { Command, CommanderError, Option } from 'commander';
import { LiftgateError } from '../base/errors.ts';
import { engineVersion } from '../store/package.ts';
import type { AmendFlags } from './commands/amend.ts';
import type { BundleOptions } from './commands/bundle.ts';
import type { DecideOptions } from './commands/decide.ts';
import type { HostLanguage } from './commands/init.ts';
import type { PlanOptions } from './commands/plan.ts';
import type { StatementOptions } from './commands/statement.ts';
import type { CommandContext } from './context.ts';
import { type Frequent, frequent } from './frequent.ts';
import { addLedgerCommands } from './ledger-program.ts';
import { failureDocument, type Output, reportFailure } from './print.ts';
import { runProcess } from './process.ts';
import {
  type Act,
  checkpointsText,
  command,
  declared,
  ledgered,
  recording,
  type Shared,
} from './subcommand.ts';
import { addToolCommands } from './tool-program.ts';

const hostLanguages = ['javascript', 'python'] as const satisfies readonly HostLanguage[];

/** One width everywhere: the build writes the help down once. */
const helpColumns = 100;

const exitHelp = `
Start with: liftgate init my-experiment

Exit codes: 0 ship or done, 20 hold, 21 need_more_work, 30 incomplete because of faults, 31 controls failed or missing,
32 host unreachable, 40 spec or design refused, 41 seal or run does not verify, 42 ledger conflict or damage, 64 usage,
70 internal error, 130 interrupted (resumable).`;

/** Runs one command line as the process. */
export async function runCall(words: readonly string[]): Promise<void> {
  await runProcess(words, runWords);
}

/** Runs one command line and returns its exit code; whatever is thrown is shown and becomes one. */
export async function runWords(words: readonly string[], context: CommandContext): Promise<number> {
  let exitCode = 0;
  const act: Act = async (work) => {
    exitCode = await work(context);
  };
  const program = createProgram(context.output, act, words[0] ?? '');
  try {
    await program.parseAsync([...words], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return reportParsing(thrown, context.output);
    return reportFailure(thrown, context.output);
  }
}

/** Ends of the parser: help and version were asked for and shown; anything else is wrong usage, shown with what is wrong. */
function reportParsing(thrown: CommanderError, output: Output): number {
  if (thrown.exitCode === 0) {
    output.document({ version: engineVersion(), shown: thrown.code });
    return 0;
  }
  const message = thrown.code === 'commander.help' ? 'No command is named.' : thrown.message;
  const failure = new LiftgateError('usage', message.replace(/^error: /, ''), {
    mend: 'Add --help to see what the command takes.',
  });
  output.document(failureDocument(failure));
  return failure.exitCode;
}

/** @param word  the command that is called; only help and the like need all of them */
function createProgram(output: Output, act: Act, word: string): Command {
  const program = new Command('liftgate')
    .description(
      'Does this candidate beat the baseline by enough, on evidence nobody had seen, to be released?',
    )
    .version(engineVersion())
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => output.line(text.trimEnd()),
      writeErr: (text) => output.note(text.trimEnd()),
      getOutHelpWidth: () => helpColumns,
      getErrHelpWidth: () => helpColumns,
    })
    .addHelpText('after', exitHelp)
    .showHelpAfterError('(see --help)')
    .exitOverride();
  const alone = Object.entries(frequent).find(([name]) => name === word)?.[1];
  if (alone !== undefined) addFrequent(program, act, alone);
  else for (const add of everything) add(program, act);
  return program;
}

/** A call of a command that is started often declares no other. */
function addFrequent(program: Command, act: Act, each: Frequent): void {
  declared(program, each).action((places: string | string[], options: object) =>
    act((context) => each.run(context, options, [places].flat())),
  );
}

const everything = [addSpecCommands, addRunCommands, addLedgerCommands, addToolCommands];

function addSpecCommands(program: Command, act: Act): void {
  command(
    program,
    'init <name>',
    'write a runnable experiment into a new folder',
    'liftgate init my-experiment --host python',
  )
    .addOption(
      new Option('--host <language>', 'language of the host')
        .choices(hostLanguages)
        .default('javascript'),
    )
    .action((name: string, options: { host: HostLanguage }) =>
      act(async (context) => (await import('./commands/init.ts')).init(context, options, name)),
    );
  addFrequent(program, act, frequent.check);
  command(
    program,
    'plan <experiment>',
    'schedule, cost, methods and what the sealed rules can conclude',
    'liftgate plan experiments/refund-desk',
  )
    .option(
      '--simulations <number>',
      'simulated decisions per scenario, with --aa redraws; 0 for none',
      '500',
    )
    .option('--assume <file>', 'JSON file with what is assumed of measures, losses and costs')
    .option('--pilot <run>', 'run folder over other units whose receipts say what to assume')
    .option(
      '--aa',
      'run the baseline as its own candidate on development units, in place of the simulation',
    )
    .option('--rounds <number>', 'with --aa: times every unit is measured, default 1')
    .action((experiment: string, options: PlanOptions) =>
      act(async (context) =>
        (await import('./commands/plan.ts')).plan(context, options, experiment),
      ),
    );
  addSealCommands(program, act);
}

function addSealCommands(program: Command, act: Act): void {
  addFrequent(program, act, frequent.seal);
  recording(
    program,
    'amend <experiment>',
    'put the experiment as it is now in the place of its sealed plan, before any unit is exposed',
    'liftgate amend experiments/refund-desk --reason "threshold was meant to be 0.05"',
  )
    .requiredOption('--reason <text>', 'why, kept in the seal and in the ledger')
    .option('--seen <text...>', 'who had seen what, e.g. "alice: the selection scores of r2"')
    .action((experiment: string, options: AmendFlags) =>
      act(async (context) =>
        (await import('./commands/amend.ts')).amend(context, options, experiment),
      ),
    );
  recording(
    program,
    'reserve <experiment>',
    'reserve the final units before a search',
    'liftgate reserve experiments/refund-desk',
  ).action((experiment: string, options: Shared) =>
    act(async (context) =>
      (await import('./commands/reserve.ts')).reserve(context, options, experiment),
    ),
  );
}

function addRunCommands(program: Command, act: Act): void {
  recording(
    program,
    'run <experiment>',
    'run a sealed experiment to its decision: controls, cells, gates, report; resumable',
    'liftgate run experiments/refund-desk --seal',
  )
    .option('--seal', 'seal the experiment first when it is not sealed yet')
    .option(
      '--out <folder>',
      'run folder (default: runs/ in the experiment folder, named after the final seal)',
    )
    .option('--candidate <id>', 'exit by the decision of this candidate, not of the best one')
    .option('--report-only', 'exit 0 instead of 20 and 21')
    .action((experiment: string, options: Shared) =>
      act(async (context) => (await import('./commands/run.ts')).run(context, options, experiment)),
    );
  addDecide(program, act);
  addFrequent(program, act, frequent.report);
  ledgered(
    program,
    'bundle <run>',
    'put a run and its ledger into one portable file, once they verify',
    'liftgate bundle experiments/refund-desk/runs/* --out refund-desk.bundle.tar',
  )
    .option('--out <file>', 'name of the file (default: the experiment and the start of its seal)')
    .option('--checkpoints <folder>', checkpointsText)
    .action((run: string, options: BundleOptions) =>
      act(async (context) => (await import('./commands/bundle.ts')).bundle(context, options, run)),
    );
  addStatement(program, act);
  addFrequent(program, act, frequent.verify);
}

function addDecide(program: Command, act: Act): void {
  ledgered(
    program,
    'decide <path>',
    'decide from existing receipts, or decide a recorded run again under another rule',
    'liftgate decide experiments/refund-desk --receipts receipts.jsonl',
  )
    .option('--receipts <file>', "receipts of the experiment's cells, one JSON object per line")
    .option(
      '--what-if <file>',
      'a rule (gates, inference, loss, multiplicity) for the run folder; exploratory, never ships',
    )
    .option('--run-gates', 'with --what-if: run the recorded code of its custom gates')
    .option('--candidate <id>', 'exit by the decision of this candidate, not of the best one')
    .option('--report-only', 'exit 0 instead of 20 and 21')
    .action((path: string, options: Shared & DecideOptions) =>
      act(async (context) =>
        (await import('./commands/decide.ts')).decideFrom(context, options, path),
      ),
    );
}

function addStatement(program: Command, act: Act): void {
  ledgered(
    program,
    'statement <evidence>',
    'say what a run decided as an in-toto Statement, for policy engines; signed with --sign',
    'liftgate statement experiments/refund-desk/runs/95388ec107a1 --sign key.pem --name alice',
  )
    .option('--sign <key>', 'private key: writes a DSSE envelope instead of the bare statement')
    .option('--name <name>', 'name the signature carries (SSH keys: default their comment)')
    .option('--out <file>', 'file to write (default: EXPERIMENT-SEAL.statement.json or .dsse.json)')
    .action((run: string, options: StatementOptions) =>
      act(async (context) =>
        (await import('./commands/statement.ts')).statement(context, options, run),
      ),
    );
}
