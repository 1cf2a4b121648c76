/**
 * Bundles the command line into dist/cli: an entry that only knows the commands' names, and chunks that are loaded when a command
 * needs them. CommonJS, because Node 20 starts a CommonJS entry faster than an ES module; names and lines stay readable, so that a
 * stack trace says where it was.
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

const bundle = await rolldown({
  cwd: project,
  input: { main: 'src/cli/main.ts' },
  platform: 'node',
  external: ['pg'],
});
try {
  const { output } = await bundle.write({
    dir: fresh,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  writeFileSync(join(fresh, 'LICENSES.txt'), licences(output));
  writeFileSync(join(fresh, 'help.txt'), help());
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
} finally {
  await bundle.close();
  rmSync(fresh, { recursive: true, force: true });
}
