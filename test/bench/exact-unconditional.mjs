/**
 * What the exact unconditional bound costs: milliseconds per bound and per decision, and its width beside Tango's.
 *
 *     npm run bench:exact
 *
 * Widths are means over 120 tables drawn from each population with a fixed seed; speeds are the fastest of three runs.
 */
import { performance } from 'node:perf_hooks';
import {
  exactUnconditionalClears,
  exactUnconditionalInterval,
  exactUnconditionalLower,
  pairedRiskDifferenceInterval,
  resamplingStream,
} from '../../dist/stats/index.js';

const error = 0.025;

function table(gains, losses, units) {
  return {
    both: 0,
    onlyCandidate: gains,
    onlyBaseline: losses,
    neither: units - gains - losses,
  };
}

function fastestMs(run) {
  const times = [0, 1, 2].map(() => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}

function drawTable(stream, units, { gain, loss }) {
  let gains = 0;
  let losses = 0;
  for (let unit = 0; unit < units; unit += 1) {
    const draw = stream.word() / 2 ** 32;
    if (draw < gain) gains += 1;
    else if (draw < gain + loss) losses += 1;
  }
  return table(gains, losses, units);
}

function meanWidths(units, cell) {
  const stream = resamplingStream('1f'.repeat(32));
  const draws = 120;
  let exact = 0;
  let tango = 0;
  for (let draw = 0; draw < draws; draw += 1) {
    const counts = drawTable(stream, units, cell);
    const wide = exactUnconditionalInterval(counts, 1 - 2 * error);
    const score = pairedRiskDifferenceInterval(counts, 1 - 2 * error);
    exact += (wide.upper - wide.lower) / draws;
    tango += (score.upper - score.lower) / draws;
  }
  return { exact, tango };
}

console.log('| units | gains | losses | bound, ms | decision 0.002 below the bound, ms |');
console.log('| --- | --- | --- | --- | --- |');
for (const [units, gains, losses] of [
  [100, 10, 5],
  [100, 30, 20],
  [300, 30, 15],
  [300, 90, 80],
  [2000, 200, 150],
  [2000, 700, 600],
  [5000, 1000, 900],
]) {
  const counts = table(gains, losses, units);
  const lower = exactUnconditionalLower(counts, error);
  const bound = fastestMs(() => exactUnconditionalLower(counts, error));
  const decision = fastestMs(() =>
    exactUnconditionalClears(counts, { error, threshold: lower - 0.002 }),
  );
  console.log(`| ${units} | ${gains} | ${losses} | ${bound.toFixed(1)} | ${decision.toFixed(1)} |`);
}

console.log('\n| units | P(gain) | P(loss) | exact width | Tango width | ratio |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const units of [20, 50, 100, 300]) {
  for (const cell of [
    { gain: 0.05, loss: 0.05 },
    { gain: 0.15, loss: 0.15 },
    { gain: 0.2, loss: 0.1 },
    { gain: 0.07, loss: 0.02 },
  ]) {
    const { exact, tango } = meanWidths(units, cell);
    console.log(
      `| ${units} | ${cell.gain} | ${cell.loss} | ${exact.toFixed(4)} | ${tango.toFixed(4)} | ${(exact / tango).toFixed(3)} |`,
    );
  }
}
