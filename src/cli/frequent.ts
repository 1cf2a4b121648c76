/** The commands that are started most often: declared as data, so that a call with nothing wrong in it needs no parser. */
import type { InsightOptions } from './commands/insight.ts';
import type { ReportOptions } from './commands/report.ts';
import type { SealOptions } from './commands/seal.ts';
import type { VerifyOptions } from './commands/verify.ts';
import type { CommandContext } from './context.ts';
import { jsonOption, ledgerOption, readerOptions } from './subcommand.ts';
import type { Declaration } from './words.ts';

/** A command with what it does; its options are what its declaration says. */
export interface Frequent extends Declaration {
  run(context: CommandContext, options: object, places: readonly string[]): Promise<number>;
}

const check: Frequent = {
  words: 'check <experiment>',
  does: 'validate an experiment, list every problem with its place',
  example: 'liftgate check experiments/refund-desk',
  options: [jsonOption],
  run: async (context, _options, [experiment = '']) =>
    (await import('./commands/check.ts')).check(context, experiment),
};

const seal: Frequent = {
  words: 'seal <experiment>',
  does: 'seal the plan; with --candidates bind the candidates too',
  example: 'liftgate seal experiments/refund-desk',
  options: [
    jsonOption,
    ledgerOption,
    { flags: '--candidates', text: 'bind the candidates: write the final seal' },
    {
      flags: '--sign <key>',
      text: 'write a signed statement about the seal: ed25519 in PEM, or an SSH key',
    },
    {
      flags: '--name <name>',
      text: 'name the signature carries (SSH keys: default their comment)',
    },
  ],
  run: async (context, options: SealOptions, [experiment = '']) =>
    (await import('./commands/seal.ts')).seal(context, options, experiment),
};

const report: Frequent = {
  words: 'report <run...>',
  does: 'show recorded runs as HTML, Markdown, JUnit, JSON or a GitHub step summary',
  example: 'liftgate report experiments/refund-desk/runs/* --format html --out report.html',
  options: [
    jsonOption,
    {
      flags: '--format <name>',
      text: 'what to write',
      choices: ['markdown', 'html', 'junit', 'github', 'json'],
      preset: 'markdown',
    },
    { flags: '--out <file>', text: 'write it to a file and print the verdict lines' },
    { flags: '--verdicts', text: 'only the verdict lines' },
    { flags: '--units', text: 'with --format junit: a test case per unit too' },
    {
      flags: '--insight',
      text: 'what run folders and files of records show together; decides nothing',
    },
    {
      flags: '--baseline <arm>',
      text: 'with --insight: the arm that others are compared with',
    },
    {
      flags: '--lower <measures>',
      text: 'with --insight: measures of which less is better, by commas',
    },
  ],
  run: async (context, options: ReportOptions & InsightOptions, runs) =>
    options.insight === true
      ? (await import('./commands/insight.ts')).insight(context, options, runs)
      : (await import('./commands/report.ts')).reports(context, options, runs),
};

const verify: Frequent = {
  words: 'verify <evidence...>',
  does: 'recompute and check everything in run folders or bundles, with no host',
  example: 'liftgate verify experiments/refund-desk/runs/*',
  options: [
    jsonOption,
    ledgerOption,
    {
      flags: '--without-ledger',
      text: 'check the folder alone; what only the ledger can show stays unchecked',
    },
    ...readerOptions('what must vouch for the outcome: signed, witnessed, anchored'),
    { flags: '--statement <file>', text: 'statement, signed or not, to hold against the run' },
    {
      flags: '--run-gates',
      text: 'run the recorded code of custom gates again; otherwise no code is run',
    },
    {
      flags: '--power',
      text: 'simulate the power of the sealed plan again, which takes a while',
    },
    {
      flags: '--texts <folders>',
      text: 'experiments whose case texts are compared for near-copies, separated by commas',
    },
  ],
  run: async (context, options: VerifyOptions, paths) =>
    (await import('./commands/verify.ts')).verify(context, options, paths),
};

/** By the command's name. */
export const frequent: Readonly<Record<'check' | 'report' | 'seal' | 'verify', Frequent>> = {
  check,
  report,
  seal,
  verify,
};
