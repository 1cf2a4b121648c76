/**
 * How long the built command line takes to start, against an empty Node program: processor time of whole processes, the fastest of
 * several rounds in which every command takes its turn. Ends with 1 when a ratio is above what is wanted. `--write` keeps the
 * table in startup.md.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const rounds = 15;
const project = resolve(import.meta.dirname, '../..');
const bin = join(project, 'bin/liftgate.js');
const folder = mkdtempSync(join(tmpdir(), 'liftgate-startup-'));

/** An experiment whose only final unit is measured, so that a run folder of one unit exists. */
function recordOneUnit() {
  const call = (...words) =>
    execFileSync(process.execPath, [bin, ...words], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'ignore'],
    });
  call('init', 'one');
  const file = join(folder, 'one/cases.jsonl');
  const rows = readFileSync(file, 'utf8').trim().split('\n');
  const final = rows.findIndex((row) => row.includes('"final"'));
  writeFileSync(file, `${rows.slice(0, final + 1).join('\n')}\n`);
  // One unit decides nothing about new units: exit 21.
  const ran = spawnSync(process.execPath, [bin, 'run', 'one', '--seal'], { cwd: folder });
  if (ran.status !== 21) throw new Error(`the run ended with ${ran.status}: ${ran.stderr}`);
  return `one/runs/${readdirSync(join(folder, 'one/runs'))[0]}`;
}

/** Processor milliseconds of a whole process, as the shell that waited for it reads them. */
function processorMs(words) {
  const shell = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null';
  const call = ['-c', shell, 'bash', process.execPath, ...words];
  const { status, stderr } = spawnSync('bash', call, { cwd: folder, encoding: 'utf8' });
  const times = stderr.trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
  if (status !== 0 || times.length !== 2) throw new Error(`${words.join(' ')}: ${stderr}`);
  return (times[0] + times[1]) * 1000;
}

try {
  const run = recordOneUnit();
  writeFileSync(join(folder, 'empty.js'), '');
  const programs = [
    { name: 'an empty Node program', words: ['empty.js'], wanted: null },
    { name: '`--help`', words: [bin, '--help'], wanted: 1.2 },
    { name: '`--version`', words: [bin, '--version'], wanted: 1.2 },
    { name: '`verify` of a run of one unit', words: [bin, 'verify', run], wanted: 1.6 },
    { name: '`report` of the same run', words: [bin, 'report', run], wanted: 1.6 },
    { name: '`seal` from YAML', words: [bin, 'seal', 'one', '--ledger', 'fresh'], wanted: 2.2 },
  ];
  const fastest = programs.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, { words }] of programs.entries()) {
      rmSync(join(folder, 'fresh'), { recursive: true, force: true });
      fastest[at] = Math.min(fastest[at], processorMs(words));
    }
  }
  const rows = programs.map(({ name, wanted }, at) => {
    const ratio = fastest[at] / fastest[0];
    const verdict = wanted === null ? '' : ratio <= wanted ? 'ok' : 'short';
    return {
      name,
      ms: fastest[at].toFixed(0),
      more: (fastest[at] - fastest[0]).toFixed(0),
      ratio: ratio.toFixed(2),
      wanted: wanted?.toFixed(1) ?? '',
      verdict,
    };
  });
  const lines = [
    '| command | processor ms | more than empty | x empty | wanted at most | |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map(
      ({ name, ms, more, ratio, wanted, verdict }) =>
        `| ${name} | ${ms} | ${more} | ${ratio} | ${wanted} | ${verdict} |`,
    ),
  ];
  console.log(lines.join('\n'));
  if (process.argv.includes('--write')) {
    const page = join(import.meta.dirname, 'startup.md');
    const text = readFileSync(page, 'utf8');
    writeFileSync(page, text.replace(/\| command[\s\S]*?(?=\n\n|\n$)/, lines.join('\n')));
  }
  if (rows.some(({ verdict }) => verdict === 'short')) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
