/**
 * Programs with their code already compiled. The build runs each program of its own once and keeps what V8 compiled on the way
 * (`*.code`) beside it; the same Node, started with the same flags, then need not compile it again.
 *
 * V8 compares no more of a source than its length, and no byte of the code. So the list of what is kept names the digests of both, and
 * code is used only beside the very source it was made from. The list is one of the files that the digest of the engine covers.
 * Anything else, another Node, another source, a missing or changed file, is no failure: the source is compiled as always.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** What V8's code depends on besides flags, which V8 compares itself. */
const platform = `${process.version} ${process.platform} ${process.arch}`;

function digestOf(bytes) {
  // Loaded here, because `--help` needs no digest.
  return require('node:crypto').hash('sha256', bytes, 'hex');
}

/**
 * Compiles a file of a folder as a CommonJS module and runs it; the module is the one that `require` gives from then on. Stack
 * traces name the file without its folder, because kept code carries its name along.
 * @param Module  Node's class of modules
 * @returns what the module exports, and its script
 */
function runFile(Module, { folder, file, source, code }) {
  const { Script } = require('node:vm');
  const filename = join(folder, file);
  const text = Module.wrap(source.latin1Slice());
  const script = new Script(text, { filename: file, cachedData: code });
  const own = new Module(filename);
  own.filename = filename;
  own.paths = Module._nodeModulePaths(folder);
  Module._cache[filename] = own;
  const load = (id) => own.require(id);
  script.runInThisContext().call(own.exports, own.exports, load, own, filename, folder);
  own.loaded = true;
  return { exports: own.exports, script };
}

/** The kept code of a file with its source; null when there is none for this Node and this source. */
function keptCode(folder, { file, source: sourceDigest, code: codeDigest }) {
  try {
    const [source, code] = [file, `${file}.code`].map((name) => readFileSync(join(folder, name)));
    const same = digestOf(source) === sourceDigest && digestOf(code) === codeDigest;
    return same ? { folder, file, source, code } : null;
  } catch {
    return null;
  }
}

/**
 * Runs the file that a program consists of from its kept code, where that may be used, and gives what it exports; null where not.
 *
 * From then on V8 optimizes functions later than it would: a command that reads records is through before code that was optimized in
 * the background has paid for itself. The number is the one of its flags that says how much of a function must have run; it decides
 * when a function is optimized and nothing else. Set after the code is loaded, because code is kept for the flags it was made under,
 * and only for the Node that the build measured it with: another one may not know the flag.
 */
function runKept(Module, { folder, list, program }) {
  const known = list.platform === platform ? list.programs[program] : undefined;
  const kept = known === undefined ? null : keptCode(folder, known);
  if (kept === null) return null;
  const { exports: exported } = runFile(Module, kept);
  require('node:v8').setFlagsFromString('--interrupt-budget=1000000');
  return exported;
}

module.exports = { digestOf, platform, runFile, runKept };
