/**
 * Bundles the command line into dist/cli: an entry that only knows the commands' names, a file of its own for each of the commands
 * that are started most often, and for the others chunks that are loaded when a command needs them. CommonJS, because Node 20 starts a
 * CommonJS entry faster than an ES module; names and lines stay readable, so that a stack trace says where it was.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const project = resolve(import.meta.dirname, '..');
const target = join(project, 'dist/cli');
const fresh = `${target}.${process.pid}`;

/** Folder of the installed package that a bundled module comes from; null for our own. */
function packageOf(module) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? null;
}

/** Licences of what is copied into the bundle. */
function licences(chunks) {
  const modules = chunks.flatMap((chunk) => chunk.moduleIds ?? []);
  const folders = [...new Set(modules.map(packageOf))].filter((folder) => folder !== null).sort();
  return folders
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      const text =
        file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
      return `${manifest.name} ${manifest.version}, licence ${manifest.license}\n${text}`;
    })
    .join('\n----\n\n');
}

/** The program's help as its commands give it; `liftgate --help` prints it without loading them. */
function help() {
  const call = `require(${JSON.stringify(join(fresh, 'main.cjs'))}).main(['help'])`;
  return execFileSync(process.execPath, ['--input-type=commonjs', '-e', call], {
    encoding: 'utf8',
  });
}

/** Commands with a program of their own, by the module that does the work. */
const own = { check: 'check.ts', report: 'report.ts', seal: 'seal.ts', verify: 'verify.ts' };

/** A module with nothing in it. */
const empty = { code: 'module.exports = {};', moduleSideEffects: false };

/** commander can start programs for subcommands; none of ours is one, and loading what starts them takes its time. */
const startsNothing = {
  name: 'starts-nothing',
  resolveId: (id, importer) =>
    id === 'node:child_process' && /node_modules\/commander\//.test(importer ?? '')
      ? '\0starts-nothing'
      : null,
  load: (id) => (id === '\0starts-nothing' ? empty : null),
};

/** The program with all commands, which hands the most frequent ones to their own. */
const handsOver = {
  name: 'hands-over',
  load: (id) =>
    id.endsWith('/src/cli/programs.ts')
      ? {
          code: `const own = new Set(${JSON.stringify(Object.keys(own))});
            export async function programFor([command, ...words]) {
              return own.has(command) && !words.includes('--insight') ? require(\`./own-\${command}.cjs\`) : await import('./program.ts');
            }`,
          moduleSideEffects: false,
        }
      : null,
};

/** A program that knows one command: its module is part of it, those of the others are left out. */
function alone(command) {
  const module = `./commands/${own[command]}`;
  return {
    name: 'alone',
    resolveId: (id, importer) =>
      /\/src\/cli\/[a-z-]+\.ts$/.test(importer ?? '') &&
      id.startsWith('./commands/') &&
      id !== module
        ? '\0left-out'
        : null,
    load: (id) => (id === '\0left-out' ? empty : null),
    transform: (code, id) => {
      if (!id.endsWith('/src/cli/program.ts')) return null;
      const lazy = `await import('${module}')`;
      if (!code.includes(lazy)) throw new Error(`src/cli/program.ts has no ${lazy}`);
      return `import * as own from '${module}';\n${code.replaceAll(lazy, 'own')}`;
    },
  };
}

/** Bundles one program into a folder; its chunks are named after it. */
async function write(name, input, plugin) {
  const bundle = await rolldown({
    cwd: project,
    input: { [name]: input },
    platform: 'node',
    external: ['pg'],
    plugins: [startsNothing, plugin],
  });
  const { output } = await bundle.write({
    dir: fresh,
    format: 'cjs',
    // A program of one command is one file, whatever it loads: finding and opening another costs more than reading on.
    codeSplitting: name === 'main',
    entryFileNames: '[name].cjs',
    chunkFileNames: `${name}-[name]-[hash].cjs`,
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  return output;
}

try {
  const chunks = await write('main', 'src/cli/main.ts', handsOver);
  for (const command of Object.keys(own)) {
    await write(`own-${command}`, 'src/cli/program.ts', alone(command));
  }
  writeFileSync(join(fresh, 'LICENSES.txt'), licences(chunks));
  writeFileSync(join(fresh, 'help.txt'), help());
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
