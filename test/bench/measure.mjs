/** What benchmarks share: time, processor time, figures beside their targets. */
import { cpus } from 'node:os';

const rows = [];

export const rounded = (value) => Number(value.toPrecision(3));
export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** A figure and its target: `['<=', 1.5, ' x']` or `['>=', 300, ' MB/s']`. */
export function row(name, [order, target, unit = ''], figure, note = '') {
  const ok = order === '<=' ? figure <= target : figure >= target;
  const shown = `${rounded(figure)}${unit}${note === '' ? '' : ` (${note})`}`;
  rows.push({
    name,
    target: `${order} ${target}${unit}`,
    figure: shown,
    verdict: ok ? 'ok' : 'short',
  });
}

export function told(name, figure) {
  rows.push({ name, target: '-', figure, verdict: '-' });
}

export function cpuMs(work, rounds = 5) {
  let fastest = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < rounds; turn += 1) {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    fastest = Math.min(fastest, (user + system) / 1000);
  }
  return fastest;
}

/** The fastest of several rounds of each of several works, one after another in every round, so that all meet the same machine. */
export function cpuMsOfEach(works, rounds = 5) {
  const fastest = works.map(() => Number.POSITIVE_INFINITY);
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const [at, work] of works.entries()) fastest[at] = Math.min(fastest[at], cpuMs(work, 1));
  }
  return fastest;
}

export async function wallMs(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Prints the table; the process ends with 1 when a figure is short of its target. */
export function tellRows() {
  console.log(`${cpus().length} cores, node ${process.version}\n`);
  console.log('| work | target | figure | |\n| --- | --- | --- | --- |');
  for (const { name, target, figure, verdict } of rows)
    console.log(`| ${name} | ${target} | ${figure} | ${verdict} |`);
  process.exitCode = rows.some(({ verdict }) => verdict === 'short') ? 1 : 0;
}
