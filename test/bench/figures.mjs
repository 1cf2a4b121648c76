/** How the benchmarks measure and print. */

function fastestMs(run, rounds) {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    fastest = Math.min(fastest, (user + system) / 1000);
  }
  return fastest;
}

/** Short work is repeated inside one measurement: processor time is counted in microseconds, not less. */
export function perCallMs(run) {
  run();
  const once = fastestMs(run, 3);
  const repeats = Math.max(1, Math.floor(40 / Math.max(0.02, once)));
  const many = () => {
    for (let repeat = 0; repeat < repeats; repeat += 1) run();
  };
  return fastestMs(many, once > 300 ? 3 : 9) / repeats;
}

/** A peer's time over ours. */
export function times(other, own) {
  return other === undefined ? '-' : `${(other / own).toFixed(other / own < 10 ? 1 : 0)} x`;
}

/** `ok` where every measured figure keeps its target, `short` where one does not, `-` without a target. */
export function verdict(checks) {
  const known = checks.filter(([figure, target]) => figure !== undefined && target !== undefined);
  if (known.length === 0) return '-';
  return known.every(([figure, target, least]) => (least ? figure >= target : figure <= target))
    ? 'ok'
    : 'short';
}

/** A table of text cells. */
export function tabled(head, rows) {
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at].length)));
  const line = (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
