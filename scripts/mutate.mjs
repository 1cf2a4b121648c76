// Changes the source in small ways and counts the changes no test notices: npm run mutate [-- --mutate src/stats/betting.ts]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { isSampled } from './mutation/sample.mjs';

const project = join(import.meta.dirname, '..');
const resultFile = join(project, 'test/mutation/last-result.txt');
const work = join(project, '.stryker-tmp');

/** Files whose numbers decide a release first, then everything they stand on, then the rest. */
const decidingFirst = [
  'paired-binary',
  'paired-binary-exact',
  'paired-probability',
  'betting',
  'mean-difference',
  't-test',
  'multiplicity',
  'clustered',
  'clustered-binary',
  'fixed-roster',
  'proportion',
  'rounding',
  'interval',
  'percentile',
  'paired-binary-tests',
  'paired-binary-intervals',
  'special',
  'distribution',
];

/** Files that nearly every test reaches: the tests that judge them, the quickest first. */
const judges = {
  'paired-binary-exact': ['exact-nuisance', 'exact-ranking', 'paired-binary-exact'],
  'paired-probability': ['paired-probability', 'exact-ranking'],
  'bootstrap-interval': ['bootstrap-pooled', 'bootstrap-interval'],
  'bootstrap-law': ['bootstrap-law', 'bootstrap-pooled'],
  'bootstrap-order': ['bootstrap-order'],
  'bootstrap-statistic': ['bootstrap-statistic', 'bootstrap-pooled'],
  'bootstrap-sum': ['bootstrap-sum'],
  'clustered-binary': ['clustered-binary', 'clustered'],
  'cluster-resampling': ['cluster-resampling', 'clustered'],
  'group-sequential': ['group-sequential', 'sequential', 'choices'],
  'coin-sums': ['sign-flip', 'permutation-rank'],
  'decimal-grid': ['sign-flip', 'permutation-rank'],
  'paired-binary': ['paired-binary', 'paired-binary-intervals', 'paired-binary-exhaustive'],
  'mean-difference': ['mean-difference', 't-and-effects'],
  distribution: ['distribution', 'chi-square', 'special', 'proportion'],
  special: ['special', 'distribution', 'chi-square'],
  interval: ['interval', 'proportion'],
  random: ['random'],
  summary: ['summary', 'mean-difference'],
  elementary: ['elementary', 'special'],
  arguments: ['arguments'],
  resampling: ['resampling'],
};

/**
 * Timings fail on any slowed program; executed examples read the source; one uses snapshots, which only vitest itself has; properties
 * of all intervals at once cost more than all other tests.
 */
const notJudging = [
  'speed',
  'examples',
  'index',
  'interval-properties',
  'mean-interval-properties',
  'p-value-properties',
].map((name) => `test/stats/${name}.test.ts`);

/** Nothing but names. */
const notMutated = ['index', 'versions'];

const { values } = parseArgs({
  options: { mutate: { type: 'string', multiple: true }, share: { type: 'string' } },
});

// Read by the runner too, which runs in a process of its own.
process.env.MUTATION_SHARE = values.share ?? '1';

function sourcesOf(folder) {
  return readdirSync(join(project, folder))
    .filter((name) => name.endsWith('.ts') && !notMutated.includes(basename(name, '.ts')))
    .map((name) => `${folder}/${name}`)
    .sort();
}

function allSources() {
  const sources = sourcesOf('src/stats');
  const first = decidingFirst.map((name) => `src/stats/${name}.ts`);
  return [...first, ...sources.filter((source) => !first.includes(source))];
}

function importers(folder, ending, name) {
  return readdirSync(join(project, folder))
    .filter((file) => file.endsWith(ending))
    .filter((file) => readFileSync(join(project, folder, file), 'utf8').includes(`/${name}.ts'`))
    .map((file) => `${folder}/${file}`);
}

/** Tests of the same folder that import the file; where there are none, those that import the files importing it. */
function testsOf(source, depth = 0) {
  const folder = dirname(source);
  const name = basename(source, '.ts');
  if (folder === 'src/stats' && name in judges)
    return judges[name].map((judge) => `test/stats/${judge}.test.ts`);
  const tests = importers(folder.replace('src', 'test'), '.test.ts', name);
  if (tests.length > 0 || depth === 3) return tests;
  const users = importers(folder, '.ts', name).filter((user) => basename(user) !== 'index.ts');
  return [...new Set(users.flatMap((user) => testsOf(user, depth + 1)))];
}

function countsOf(report) {
  const all = Object.values(report.files).flatMap(({ mutants: list }) => list);
  const mutants = all.filter(({ id }) => isSampled(id));
  const of = (status) => mutants.filter((mutant) => mutant.status === status).length;
  const [killed, timeout] = [of('Killed'), of('Timeout')];
  const [survived, uncovered] = [of('Survived'), of('NoCoverage')];
  const valid = killed + timeout + survived + uncovered;
  const score = valid === 0 ? 100 : (100 * (killed + timeout)) / valid;
  return {
    all: all.length,
    mutants: valid,
    killed,
    timeout,
    survived,
    uncovered,
    score: score.toFixed(1),
  };
}

/** The survivors with their place and replacement, for whoever writes the missing test. */
function survivorsOf(report) {
  return Object.values(report.files).flatMap(({ source, mutants }) => {
    const lines = source.split('\n');
    return mutants
      .filter(({ id, status }) => isSampled(id) && ['Survived', 'NoCoverage'].includes(status))
      .map(({ location, replacement, mutatorName, status }) => {
        const { line, column } = location.start;
        return `${line}:${column} ${status} ${mutatorName}: ${lines[line - 1].trim()}  =>  ${replacement}`;
      });
  });
}

function measure(source) {
  const name = basename(source, '.ts');
  const tests = testsOf(source).filter((path) => !notJudging.includes(path));
  const report = join('.stryker-tmp', `${name}.report.json`);
  const config = JSON.parse(readFileSync(join(project, 'stryker.config.json'), 'utf8'));
  const settings = join(work, `${name}.config.json`);
  writeFileSync(
    settings,
    JSON.stringify({
      ...config,
      mutate: [source],
      jsonReporter: { fileName: report },
      // Runs side by side must not clear away each other's copy of the project.
      tempDirName: join('.stryker-tmp', name),
    }),
  );
  const { status } = spawnSync('npx', ['stryker', 'run', settings], {
    cwd: project,
    stdio: 'inherit',
    env: { ...process.env, MUTATION_TESTS: tests.join(',') },
  });
  if (status !== 0) return undefined;
  const found = JSON.parse(readFileSync(join(project, report), 'utf8'));
  writeFileSync(join(work, `${name}.survivors.txt`), `${survivorsOf(found).join('\n')}\n`);
  return countsOf(found);
}

const columns = ['all', 'mutants', 'killed', 'timeout', 'survived', 'uncovered', 'score'];

function readRows() {
  const rows = new Map();
  if (!existsSync(resultFile)) return rows;
  for (const line of readFileSync(resultFile, 'utf8').split('\n')) {
    const [file, ...cells] = line.split(/\s+/);
    if (!file.startsWith('src/') || cells.length !== columns.length + 1) continue;
    rows.set(file, {
      ...Object.fromEntries(columns.map((key, at) => [key, cells[at]])),
      date: cells.at(-1),
    });
  }
  return rows;
}

function totalOf(rows) {
  const sum = (key) => [...rows.values()].reduce((total, row) => total + Number(row[key]), 0);
  const mutants = sum('mutants');
  const score = (100 * (sum('killed') + sum('timeout'))) / Math.max(1, mutants);
  return `${rows.size} files, ${mutants} mutants, ${score.toFixed(1)} % killed or timed out.`;
}

function writeRows(rows) {
  const run = allSources().filter((source) => rows.has(source));
  const others = [...rows.keys()].filter((source) => !run.includes(source));
  const notRun = allSources().filter((source) => !rows.has(source));
  const cell = (value) => String(value).padStart(10);
  const text = [
    'Mutation tests: small changes of the source, and how many of them the tests notice (npm run mutate).',
    `Machine: ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}. One file at a time, judged by the tests that import it.`,
    'A time-out counts as noticed: four times the processor time of the first run. Tests above 1 s, executed examples and the properties of all intervals at once judge nothing,',
    'and the tests of one change end at 1.5 s: both can only lower a score.',
    'Where fewer mutants are judged than there are in all, they are a sample by a fixed seed (npm run mutate -- --share 0.5).',
    `Total: ${totalOf(rows)}`,
    '',
    `${'file'.padEnd(38)}${columns.map(cell).join('')}  date`,
    ...[...run, ...others].map((source) => {
      const row = rows.get(source);
      return `${source.padEnd(38)}${columns.map((key) => cell(row[key])).join('')}  ${row.date}`;
    }),
    '',
    `Not run (${notRun.length}): ${notRun.length === 0 ? 'none' : notRun.map((source) => basename(source, '.ts')).join(', ')}`,
    '',
  ].join('\n');
  writeFileSync(resultFile, text);
  return text;
}

mkdirSync(work, { recursive: true });
for (const source of values.mutate ?? allSources()) {
  const counts = measure(source);
  if (counts === undefined) {
    console.error(`${source}: the run failed`);
    process.exitCode = 1;
    continue;
  }
  const date = new Date().toISOString().slice(0, 10);
  writeRows(readRows().set(source, { ...counts, date }));
  console.log(`${source}: ${counts.score} % of ${counts.mutants}`);
}
console.log(writeRows(readRows()));
