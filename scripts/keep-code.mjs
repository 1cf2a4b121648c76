/**
 * Keeps the compiled code of a program of one command: `node keep-code.mjs FOLDER FILE WORD...` runs the program in
 * FOLDER on a command line as it is used most, and writes what V8 compiled for it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { join } from 'node:path';
import compiled from './compiled-program.cjs';

const [folder, file, ...words] = process.argv.slice(2);
const source = readFileSync(join(folder, file));
// A script of its own has nothing that would find what `import()` names.
if (/\bimport\(/.test(source.latin1Slice())) throw new Error(`${file} imports while it runs`);
const { script, exports: program } = compiled.runFile(Module, { folder, file, source });
const quiet = { json: false, line() {}, note() {}, document() {}, flush: async () => {} };
const context = { cwd: process.cwd(), output: quiet, signal: new AbortController().signal };
const exitCode = await program.runWords(words, context);
if (exitCode !== 0) throw new Error(`${words.join(' ')} ended with ${exitCode}`);
writeFileSync(join(folder, `${file}.code`), script.createCachedData());
