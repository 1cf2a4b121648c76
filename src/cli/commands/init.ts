/** `liftgate init`: writes a runnable experiment from `templates/experiment`, whose files stand in docs/writing-a-spec.md, too. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { LiftgateError } from '../../base/errors.ts';
import { idSchema } from '../../spec/words.ts';
import { experimentAttributes } from '../../store/git-attributes.ts';
import { packageFolder } from '../../store/package.ts';
import { makeFolder } from '../../store/places.ts';
import type { CommandContext } from '../context.ts';
import { table } from '../print.ts';

/** Languages that a host is scaffolded in. */

export type HostLanguage = 'javascript' | 'python';

const hostFiles: Readonly<
  Record<HostLanguage, { readonly file: string; readonly program: string }>
> = {
  javascript: { file: 'host.mjs', program: 'node' },
  python: { file: 'host.py', program: 'python3' },
};

/** Files of every scaffold beside its host. */
const commonFiles = [
  'README.md',
  'experiment.yaml',
  'cases.jsonl',
  'arms/plain.json',
  'arms/comma.json',
  'arms/nothing.json',
  'arms/invents.json',
] as const;

/** Name of the experiment in the templates. */
const templateName = 'prices';

/**
 * Writes a new experiment into a folder of its own.
 * @throws {LiftgateError} usage when the name is no experiment name, the folder holds something or cannot be written; nothing is
 *                         changed or left behind then
 */
export function init(
  { cwd, output }: CommandContext,
  options: { readonly host: HostLanguage },
  path: string,
): Promise<number> {
  const folder = resolve(cwd, path);
  const name = basename(folder);
  requireName(name, path);
  requireEmpty(folder, path);
  const files = scaffold(name, options.host);
  writeFiles(folder, files, path);
  const shown = path.replace(/\/+$/, '');
  const commands = [`check ${word(shown)}`, `plan ${word(shown)}`, `run ${word(shown)} --seal`].map(
    (words) => `liftgate ${words}`,
  );
  const edits = placesToEdit(files).map((place) => ({ ...place, file: `${shown}/${place.file}` }));
  output.line(`Wrote ${shown}: a runnable experiment of ${files.size} files.`);
  output.line('\nIt runs as it is:');
  for (const command of commands) output.line(`  ${command}`);
  output.line('\nThen make it yours:');
  for (const row of table(edits.map(({ file, line, what }) => [`${file}:${line}`, what])))
    output.line(`  ${row}`);
  output.document({
    experiment: name,
    folder: shown,
    host: options.host,
    files: [...files.keys()],
    commands,
    edits,
  });
  return Promise.resolve(0);
}

function word(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function requireName(name: string, path: string): void {
  const parsed = idSchema.safeParse(name);
  if (parsed.success) return;
  throw new LiftgateError('usage', `"${name}" cannot name an experiment.`, {
    where: { file: path },
    mend: `The last part of the path becomes the name: ${parsed.error.issues[0]?.message}.`,
  });
}

function requireEmpty(folder: string, path: string): void {
  const found = namesIn(folder, path);
  if (found.length === 0) return;
  const named = found.sort().slice(0, 3).join(', ');
  const more = found.length > 3 ? ` and ${found.length - 3} more` : '';
  throw new LiftgateError('usage', `The folder is not empty: it holds ${named}${more}.`, {
    where: { file: path },
    mend: 'Name a new or an empty folder; nothing was written.',
  });
}

function namesIn(folder: string, path: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'ENOENT') return [];
    throw unwritable(path, code, cause);
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
}

function unwritable(path: string, code: string, cause: unknown): LiftgateError {
  const what =
    code === 'ENOTDIR' || code === 'EEXIST'
      ? 'A file stands where the folder would be'
      : `The folder cannot be written (${code})`;
  return new LiftgateError('usage', `${what}.`, {
    where: { file: path },
    mend: 'Name a new or an empty folder where you may write; nothing was left behind.',
    cause,
  });
}

/** Texts of the files by path, for an experiment of this name. */
function scaffold(name: string, language: HostLanguage): ReadonlyMap<string, string> {
  const { file, program } = hostFiles[language];
  const adapt = (text: string): string =>
    text
      .replace(
        /^name: prices$/m,
        `name: ${/^(?:true|false|null)$/i.test(name) ? `"${name}"` : name}`,
      )
      .replace(/worker: \[node, host\.mjs\] .*$/m, `worker: [${program}, ${file}]`)
      .replaceAll('host.mjs', file)
      .replace('`readPrice`', language === 'python' ? '`read_price`' : '`readPrice`')
      .replaceAll(templateName, name);
  const files = [...commonFiles, file].map((each): [string, string] => {
    const template = join(packageFolder, 'templates/experiment', each);
    return [each, adapt(readFileSync(template, 'utf8'))];
  });
  return new Map([...files, ['.gitattributes', experimentAttributes]]);
}

/** Writes every file, or none: what was made before a failure is removed again, and nothing that exists is replaced. */
function writeFiles(folder: string, files: ReadonlyMap<string, string>, path: string): void {
  const made: string[] = [];
  try {
    const first = makeFolder(folder);
    if (first !== undefined) made.push(first);
    for (const [file, text] of files) {
      const target = join(folder, file);
      const parent = makeFolder(dirname(target));
      if (parent !== undefined) made.push(parent);
      writeFileSync(target, text, { flag: 'wx' });
      made.push(target);
    }
  } catch (cause) {
    for (const each of made.reverse()) rmSync(each, { recursive: true, force: true });
    throw unwritable(path, codeOf(cause), cause);
  }
}

interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly what: string;
}

/** Where a newcomer goes on: file and line of everything that stands for the newcomer's own. */
function placesToEdit(files: ReadonlyMap<string, string>): Place[] {
  const host = [...files.keys()].find((file) => file.startsWith('host.')) ?? '';
  const marks: readonly (readonly [file: string, mark: RegExp, what: string])[] = [
    ['experiment.yaml', /^name:/, 'a name of its own: the sample spends its units under this one'],
    ['experiment.yaml', /^claim:/, 'what is decided, for which population, by which unit'],
    ['experiment.yaml', /^measures:/, 'measures, and below them controls and gates'],
    ['cases.jsonl', /^/, 'your cases, one per line, each with its unit and split'],
    ['arms/plain.json', /^/, 'the baseline: your prompt, skill or settings, of any file type'],
    ['arms/comma.json', /^/, 'the candidate'],
    [host, /# the agent:|\/\/ the agent:/, 'call your agent'],
    [host, /# the scorer:|\/\/ the scorer:/, 'score what it answered'],
  ];
  return marks.map(([file, mark, what]) => {
    const lines = (files.get(file) ?? '').split('\n');
    return { file, line: lines.findIndex((line) => mark.test(line)) + 1, what };
  });
}
