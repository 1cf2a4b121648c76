/** The commands that read no experiment: calculators, and scripts that complete commands in a shell. */
import { Argument, type Command } from 'commander';
import { type CalculatorKind, calculatorGroups } from './calculators.ts';
import type { CommandTree, Shell } from './commands/completion.ts';
import { type Act, command } from './subcommand.ts';

const shells = ['bash', 'zsh', 'fish'] as const satisfies readonly Shell[];

/** Adds the calculators and what completes commands in a shell: commands that read no experiment. */
export function addToolCommands(program: Command, act: Act): void {
  addCalculators(program, act);
  addCompletion(program, act);
}

function addCalculators(program: Command, act: Act): void {
  for (const { name, does, kinds } of calculatorGroups) {
    const group = program
      .command(name)
      .description(does)
      .addHelpText('after', `\nExample:\n  $ ${kinds[0]?.example ?? ''}`)
      .exitOverride();
    for (const kind of kinds) addCalculator(group, kind, act);
  }
}

function addCalculator(group: Command, kind: CalculatorKind, act: Act): void {
  const added = command(group, kind.words, kind.does, kind.example);
  for (const [flags, text, preset] of kind.options) added.option(flags, text, preset);
  added.action(() =>
    act(async (context) => {
      const { calculate } = await import('./calculator/calculate.ts');
      const call = { words: added.args, options: added.opts<Record<string, unknown>>() };
      return await calculate(context, await kind.load(), call);
    }),
  );
}

function addCompletion(program: Command, act: Act): void {
  command(
    program,
    'completion',
    'print a script that completes commands and options in a shell',
    'source <(liftgate completion bash)',
  )
    .addArgument(new Argument('<shell>', 'shell that will load it').choices(shells))
    .action((shell: Shell) =>
      act(async (context) => {
        const { completion } = await import('./commands/completion.ts');
        return await completion(context, { shell, tree: treeOf(program) });
      }),
    );
}

/** A command with everything that help shows of it. */
function treeOf(of: Command): CommandTree {
  const help = of.createHelp();
  return {
    name: of.name(),
    does: of.description(),
    options: help.visibleOptions(of).map((option) => ({
      spellings: [option.long, option.short].filter((each) => each !== undefined && each !== null),
      does: option.description,
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
    })),
    choices: of.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    commands: help.visibleCommands(of).map(treeOf),
  };
}
