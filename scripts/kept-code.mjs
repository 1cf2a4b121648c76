/** Keeps the compiled code of the programs of one command beside them, the same bytes whenever and wherever the same Node builds them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import compiled from './compiled-program.cjs';

/** Command lines as they are used most, by program; the folder holds an experiment of its own. */
const ordinary = {
  report: ['report', 'experiments/refund-desk/runs/33d19367904c'],
  seal: ['seal', 'example', '--ledger', 'ledger'],
  verify: ['verify', 'experiments/refund-desk/runs/33d19367904c'],
};

/**
 * Flags under which V8 compiles the same source to the same bytes. Its hashes of names begin with chance otherwise, and functions that
 * ran for long are marked as compiled once more: that over the engine's files where there are many of them.
 */
const seeds = ['--hash-seed=1', '--random-seed=1', '--no-sparkplug'];

/** Where the head of V8's code holds the digest of the flags it was made under, in bytes. */
const flagsWord = [12, 16];

/** The list of kept code that nothing is on, as it stands in the program that reads it. */
export const emptyList = '{"platform":"","programs":{}}';

/** Where the list stands in that program. */
const listPattern = /\{"platform":"[^`']*\}\}/;

/**
 * Writes the list of programs whose compiled code is kept into the file that is loaded first.
 * @param programs  by name: the file, and the digests of its source and of its code
 */
function listKept(folder, programs) {
  const file = join(folder, 'main.cjs');
  const text = readFileSync(file, 'utf8');
  if (text.match(listPattern) === null) throw new Error(`${file} has no place for a list`);
  const list = JSON.stringify({ platform: compiled.platform, programs });
  writeFileSync(file, text.replace(listPattern, list));
}

/**
 * Gives kept code the digest of this process's flags in place of those with the seeds, which code does not depend on: V8 hashes names
 * anew when it takes code over. Where V8 does not accept that, nothing is kept.
 */
function takeOutSeeds(folder, file) {
  const kept = join(folder, `${file}.code`);
  const code = readFileSync(kept);
  new Script('0').createCachedData().copy(code, flagsWord[0], ...flagsWord);
  const source = Module.wrap(readFileSync(join(folder, file), 'latin1'));
  const { cachedDataRejected } = new Script(source, { filename: file, cachedData: code });
  if (cachedDataRejected) rmSync(kept);
  else writeFileSync(kept, code);
  return !cachedDataRejected;
}

/** Runs every program of one command in the folder once, and keeps and lists its compiled code. */
export function keepCode({ project, folder, programs }) {
  const scratch = mkdtempSync(join(tmpdir(), 'liftgate-code-'));
  const node = (cwd, ...words) =>
    execFileSync(process.execPath, words, {
      cwd,
      env: { ...process.env, LIFTGATE_STATE_DIR: '' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  try {
    const call = `require(${JSON.stringify(join(folder, 'main.cjs'))}).main(['init', 'example'])`;
    node(scratch, '--input-type=commonjs', '-e', call);
    const kept = {};
    for (const program of programs) {
      const file = readdirSync(folder).find((name) => name.startsWith(`own-${program}-core`));
      const writer = join(import.meta.dirname, 'keep-code.mjs');
      const cwd = program === 'seal' ? scratch : project;
      node(cwd, ...seeds, writer, folder, file, ...ordinary[program]);
      if (!takeOutSeeds(folder, file)) continue;
      const [source, code] = [file, `${file}.code`].map((name) =>
        compiled.digestOf(readFileSync(join(folder, name))),
      );
      kept[program] = { file, source, code };
    }
    listKept(folder, kept);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
