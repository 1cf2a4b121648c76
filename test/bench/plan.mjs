/**
 * How long `liftgate plan --simulations 10000` takes: wall time and processor time of the whole process, the fastest of several rounds.
 * Counted is everything the command does: start, check, every scenario of the null grids and of power at 10,000 decisions each, and the
 * searches for the smallest effect and the fewest units, each of whose steps is 10,000 decisions too. Ends with 1 when a figure is
 * missed. `--write` keeps the table in plan.md.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { tabled } from './figures.mjs';

const rounds = 5;
const simulations = 10_000;
const project = resolve(import.meta.dirname, '../..');
const bin = join(project, 'bin/liftgate.js');
const folder = mkdtempSync(join(tmpdir(), 'liftgate-plan-'));

const designs = [
  {
    name: '100 units, binary',
    wantedS: 2,
    units: 100,
    casesPerUnit: 1,
    measure: '{kind: binary, role: primary, direction: higher}',
  },
  {
    name: '24 units x 4 cases, bounded score',
    wantedS: 10,
    units: 24,
    casesPerUnit: 4,
    measure: '{kind: score, min: 0, max: 1, role: primary, direction: higher}',
  },
];

function casesOf({ units, casesPerUnit }) {
  const rows = [];
  for (let unit = 0; unit < units + 4; unit += 1) {
    for (let at = 0; at < casesPerUnit; at += 1) {
      const split = unit < units ? 'final' : 'train';
      const id = `case-${unit}-${at}`;
      rows.push(JSON.stringify({ id, unit: `unit-${unit}`, split, text: `text ${unit} ${at}` }));
    }
  }
  return `${rows.join('\n')}\n`;
}

function writeDesign(design) {
  const files = { 'one.txt': 'one', 'two.txt': 'two', 'none.txt': 'none', 'host.mjs': '' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `${text}\n`);
  writeFileSync(join(folder, 'cases.jsonl'), casesOf(design));
  writeFileSync(
    join(folder, 'experiment.yaml'),
    `liftgate: 1
name: bench
claim:
  use: comparison
  decision: Replace one by two
  population: {id: bench, description: Texts}
  samplingFrame: texts of one day
  unit: unit
  generalization: new-units
  minimumEffect: 0.15
cases: {file: cases.jsonl, id: id}
splits: {by: field, field: split}
arms: {baseline: {surface: {rule: one.txt}}, candidates: {two: {surface: {rule: two.txt}}}}
host: {worker: [node, host.mjs]}
measures: {right: ${design.measure}}
controls:
  - {id: pass, surface: {rule: two.txt}, expect: {right: {min: 1}}}
  - {id: fail, surface: {rule: none.txt}, expect: {right: {max: 0}}}
gates: [{gate: lift, measure: right}]
`,
  );
}

/** Wall and processor seconds of a whole process, as the shell that waited for it reads them, and its document. */
function measured() {
  const words = [bin, 'plan', folder, '--simulations', String(simulations), '--json'];
  const call = ['-c', 'TIMEFORMAT="%3R %3U %3S"; time "$@"', 'bash', process.execPath, ...words];
  const { status, stdout, stderr } = spawnSync('bash', call, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const [wall, user, system] = stderr.trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
  if (status !== 0 || system === undefined) throw new Error(stderr);
  return { wall, processor: user + system, document: JSON.parse(stdout) };
}

try {
  const rows = designs.map((design) => {
    writeDesign(design);
    const all = Array.from({ length: rounds }, measured);
    const wall = Math.min(...all.map((each) => each.wall));
    const processor = Math.min(...all.map((each) => each.processor));
    const { scenarios = 0, decisions = 0 } = all[0].document.operating;
    return {
      ok: wall <= design.wantedS,
      cells: [
        design.name,
        String(scenarios),
        decisions.toLocaleString('en'),
        `${wall.toFixed(2)} s`,
        `${processor.toFixed(2)} s`,
        `<= ${design.wantedS} s`,
        wall <= design.wantedS ? 'ok' : 'short',
      ],
    };
  });
  const head = [
    'design',
    'scenarios',
    'simulated decisions',
    'wall time',
    'processor time',
    'wanted',
    '',
  ];
  const table = tabled(
    head,
    rows.map(({ cells }) => cells),
  );
  console.log(table);
  if (process.argv.includes('--write')) {
    const page = join(import.meta.dirname, 'plan.md');
    const load = loadavg()[0].toFixed(1);
    const text = readFileSync(page, 'utf8')
      .replace(/\| design[\s\S]*?(?=\n\n|\n$)/, table)
      .replace(/load average [\d.]+/, `load average ${load}`);
    writeFileSync(page, text);
  }
  if (rows.some(({ ok }) => !ok)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
