/**
 * Bundles the command line into dist/cli: an entry that only knows the commands' names, a file of its own for each of the commands
 * that are started most often, and for the others chunks that are loaded when a command needs them. CommonJS, because Node 20 starts a
 * CommonJS entry faster than an ES module; names and lines stay readable, so that a stack trace says where it was.
 */
import childProcess, { execFileSync } from 'node:child_process';
import {
  promises,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { RUNTIME_MODULE_ID, rolldown } from 'rolldown';
import { canWait, constantsOf, functionsOf, loadedWithFirstCall } from './deferred-module.mjs';
import { emptyList, keepCode } from './kept-code.mjs';

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

/** Programs of their own, with the commands they run; `seal` reads all that `check` does. */
const own = { report: ['report'], seal: ['check', 'seal'], verify: ['verify'] };

/** Programs that read an experiment, and with it YAML, whatever they are called for. */
const readsExperiments = new Set(['own-seal']);

/** Words that make a call a rare one, which the program with all commands runs: what these need is no part of the others. */
const rareWords = ['--help', '-h', '--insight', '--power', '--run-gates', '--texts'];

/** Modules that an ordinary call of these commands does not use, by topic. */
const deferred = {
  gates: [
    'gate/evaluator.ts',
    'gate/gap.ts',
    'gate/interleaving.ts',
    'gate/monitoring.ts',
    'gate/pareto.ts',
    'gate/rate.ts',
    'gate/symmetry.ts',
    'gate/further-draws.ts',
    'gate/further-means.ts',
    'gate/simulate-looks.ts',
  ],
  methods: [
    'analysis/clustered-bounds.ts',
    'stats/betting-sequence.ts',
    'stats/betting.ts',
    'stats/bootstrap.ts',
    'stats/clustered.ts',
    'stats/distribution.ts',
    'stats/group-sequential.ts',
    'stats/mean-difference.ts',
    'stats/paired-binary-exact.ts',
    'stats/paired-binary.ts',
    'stats/paired-probability.ts',
    'stats/percentile.ts',
    'stats/power-paired-binary-exact.ts',
    'stats/power-paired-binary.ts',
    'stats/proportion.ts',
    'stats/special.ts',
  ],
  upkeep: [
    'ledger/absorb.ts',
    'ledger/amend.ts',
    'ledger/anchor.ts',
    'ledger/branch.ts',
    'ledger/contest.ts',
    'ledger/keys.ts',
    'ledger/merge.ts',
    'store/ledger-postgres.ts',
  ],
  proofs: [
    'base/dsse.ts',
    'base/git-proof.ts',
    'base/signature.ts',
    'base/tar.ts',
    'base/time-stamp.ts',
    'base/trust.ts',
    'ledger/checkpoint.ts',
    'verify/check-anchors.ts',
    'verify/statement.ts',
  ],
};

const statisticsSources = realpathSync(join(project, 'node_modules/simple-statistics/index.js'));

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

/** simple-statistics from its single sources: as one file it brings everything it has, tables made while loading included. */
const bySources = {
  name: 'by-sources',
  resolveId: (id, importer = '') => {
    const from = /^.*\/simple-statistics\//.test(importer) && id.startsWith('.');
    if (id !== 'simple-statistics' && !from) return null;
    const file = from ? resolve(dirname(importer), id) : statisticsSources;
    return { id: file, moduleSideEffects: false };
  },
};

/** Which program runs a command. */
const programs = Object.entries(own).flatMap(([program, commands]) =>
  commands.map((command) => [command, program]),
);

/** What is loaded first: it hands the most frequent commands to their own programs and the others to the one with all of them. */
const handsOver = {
  name: 'hands-over',
  load: (id) =>
    id.endsWith('/src/cli/programs.ts')
      ? {
          code: `import compiled from ${JSON.stringify(join(import.meta.dirname, 'compiled-program.cjs'))};
            const beside = (name) => require(\`./\${name}.cjs\`);
            const own = new Map(${JSON.stringify(programs)});
            const rare = new Set(${JSON.stringify(rareWords)});
            const kept = () => JSON.parse(${JSON.stringify(emptyList)});
            export async function programFor([command, ...words]) {
              const program = own.get(command);
              const isRare = words.some((word) => rare.has(word.split('=')[0]));
              if (program === undefined || isRare) return beside('program');
              const parts = { folder: import.meta.dirname, list: kept(), program };
              return compiled.runKept(module.constructor, parts) ?? beside('own-' + program);
            }`,
          moduleSideEffects: false,
        }
      : null,
};

/** What is loaded when it is needed, by the end of the module that loads it: of that, a program of its own has what it runs. */
const loadedLater = /await import\('([^']+)'\)/g;

/**
 * A program that knows few commands: their modules are part of it, those of the others and what only rare calls need are left out,
 * and for a call that needs the parser it loads the program with all commands, by a name that the bundler does not look for.
 */
function alone(program) {
  const commands = own[program].map((command) => `./commands/${command}.ts`);
  const places = {
    'frequent-call.ts': (id) => (id === './program.ts' ? 'require(parsing)' : null),
    'frequent.ts': (id) => (commands.includes(id) ? nameOf(id) : '({})'),
    'commands/verify.ts': (id) =>
      /(?:run-report|gate-runner|check-power|sealed-texts)\.ts$/.test(id) ? '({})' : null,
  };
  const nameOf = (id) => `own${commands.indexOf(id)}`;
  return {
    name: 'alone',
    transform: (code, id) => {
      const place = Object.keys(places).find((end) => id.endsWith(`/src/cli/${end}`));
      if (place === undefined) return null;
      const text = code.replace(loadedLater, (lazy, path) => places[place](path) ?? lazy);
      if (text === code) throw new Error(`${id} loads nothing later`);
      const imports = commands.map((each) => `import * as ${nameOf(each)} from '${each}';\n`);
      const parsing = "const parsing = './program.cjs';\n";
      return (
        (place === 'frequent.ts' ? imports.join('') : '') +
        (place === 'frequent-call.ts' ? parsing : '') +
        text
      );
    },
  };
}

/**
 * Modules that ordinary calls of a program do not reach, by topic: each topic becomes a file that is loaded with the first call of one
 * of its functions. A module that needs more of it than functions gets it as it is, and with it whoever is started.
 */
function deferring(name) {
  const modules = Object.entries(deferred).flatMap(([topic, paths]) =>
    paths.map((path, at) => [join(project, 'src', path), { topic, at }]),
  );
  const places = new Map(modules);
  // Statistical functions call each other in loops: between them there is no detour.
  const isBehind = (importer) =>
    places.has(importer) ||
    importer.startsWith('\0topic:') ||
    importer.startsWith(join(project, 'src/stats/'));
  return {
    name: 'deferring',
    resolveId: (id, importer) => {
      if (id.startsWith('\0topic:')) return id;
      if (importer === undefined || !id.startsWith('.') || isBehind(importer)) return null;
      const path = resolve(dirname(importer), id);
      return places.has(path) && canWait(importer, id, path) ? `\0deferred:${path}` : null;
    },
    load: (id) => {
      if (id.startsWith('\0topic:')) return { code: topicCode(id.slice('\0topic:'.length)) };
      if (!id.startsWith('\0deferred:')) return null;
      const path = id.slice('\0deferred:'.length);
      const { topic, at } = places.get(path);
      const stand = (each) =>
        `export function ${each}(...given) { return load().${each}$${at}(...given); }`;
      // The name stands apart: the bundler would look for the file of a written one.
      const load = `let loaded; const load = (file = './${name}-${topic}.cjs') => (loaded ??= require(file));`;
      return {
        code: [
          load,
          ...constantsOf(path).map(([line]) => line),
          ...functionsOf(path).map(stand),
        ].join('\n'),
        moduleSideEffects: false,
      };
    },
  };
}

/** A file of deferred modules: their functions, with the number of the module as a suffix. */
function topicCode(topic) {
  const lines = deferred[topic].map((path, at) => {
    const module = join(project, 'src', path);
    const names = functionsOf(module).map((each) => `${each} as ${each}$${at}`);
    return `export { ${names.join(', ')} } from ${JSON.stringify(module)};`;
  });
  return lines.join('\n');
}

/** What a program always needs: what its entry reaches, and for those that read experiments what they load for that. */
function neededBy(entry, infoOf, later) {
  const reached = new Set();
  const visit = (id) => {
    if (reached.has(id)) return;
    reached.add(id);
    const { importedIds = [], dynamicallyImportedIds = [] } = infoOf(id) ?? {};
    for (const each of importedIds) visit(each);
    for (const each of later ? dynamicallyImportedIds : []) visit(each);
  };
  visit(entry);
  return reached;
}

/** Source text is kept with one byte a character, and read faster, where none of them needs more. */
function escaped(code) {
  return code.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Bundles one program into a folder; its chunks are named after it. */
async function write(name, input, { plugins, topics = [] }) {
  let core = new Set();
  const bundle = await rolldown({
    cwd: project,
    input: Object.fromEntries([
      [name, input],
      ...topics.map((topic) => [`${name}-${topic}`, `\0topic:${topic}`]),
    ]),
    platform: 'node',
    external: ['pg'],
    // What is left out of a program is imported by whoever would have called it.
    onLog: (level, log, tell) => {
      if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') tell(level, log);
    },
    plugins: [
      startsNothing,
      bySources,
      loadedWithFirstCall('node:fs/promises', promises),
      ...plugins,
      {
        name: 'core',
        buildEnd() {
          const later = readsExperiments.has(name);
          core = neededBy(join(project, input), (id) => this.getModuleInfo(id), later);
        },
      },
    ],
  });
  const { output } = await bundle.write({
    dir: fresh,
    format: 'cjs',
    // What a program of one command always needs is one file: finding and opening another costs more than reading on.
    codeSplitting:
      topics.length === 0
        ? true
        : { groups: [{ name: 'core', test: (id) => core.has(id) || id === RUNTIME_MODULE_ID }] },
    minifyInternalExports: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: `${name}-[name]-[hash].cjs`,
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  for (const { fileName, code } of output) {
    if (code !== undefined) writeFileSync(join(fresh, fileName), escaped(code));
  }
  return output;
}

try {
  await write('main', 'src/cli/main.ts', { plugins: [handsOver] });
  const chunks = await write('program', 'src/cli/program.ts', { plugins: [] });
  for (const program of Object.keys(own)) {
    const name = `own-${program}`;
    await write(name, 'src/cli/frequent-call.ts', {
      plugins: [
        alone(program),
        loadedWithFirstCall('node:child_process', childProcess),
        deferring(name),
      ],
      topics: Object.keys(deferred),
    });
  }
  writeFileSync(join(fresh, 'LICENSES.txt'), licences(chunks));
  writeFileSync(join(fresh, 'help.txt'), help());
  keepCode({ project, folder: fresh, programs: Object.keys(own) });
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
