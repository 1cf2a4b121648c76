/**
 * The demo: runs the refund-desk experiment from a fresh seal to a verified decision in a workspace of its own.
 * Usage: node experiments/demo.mjs [WORKSPACE]. Exits 0 only if all four candidates are decided as expected.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const expected = { r2: 'ship', r3: 'hold', r4: 'need_more_work', r5: 'hold' };

const project = resolve(import.meta.dirname, '..');
const workspace = resolve(process.argv[2] ?? join(project, '.demo'));
const command = join(project, 'bin', 'liftgate.js');
const experiment = 'refund-desk';

function liftgate(...words) {
  process.stdout.write(`\n$ liftgate ${words.join(' ')}\n`);
  const { status, error } = spawnSync(process.execPath, [command, ...words], {
    cwd: workspace,
    stdio: 'inherit',
    env: { ...process.env, LIFTGATE_STATE_DIR: join(workspace, 'state') },
  });
  if (error) throw error;
  return status;
}

function fail(text) {
  process.stderr.write(`demo: ${text}\n`);
  process.exit(1);
}

rmSync(workspace, { recursive: true, force: true });
mkdirSync(workspace, { recursive: true });
const isSource = (path) => !/[\\/]runs(?:[\\/]|$)|\.seal\.json$/.test(relative(project, path));
cpSync(join(project, 'experiments', experiment), join(workspace, experiment), {
  recursive: true,
  filter: isSource,
});

if (liftgate('check', experiment) !== 0) fail('the experiment does not pass check');
const run = join(experiment, 'run');
const ran = liftgate('run', experiment, '--seal', '--out', run);
if (ran !== 0) fail(`the run ended with exit code ${ran}, expected 0 because one candidate ships`);
if (liftgate('verify', run) !== 0) fail('the run does not verify');

const { decisions } = JSON.parse(readFileSync(join(workspace, run, 'decision.json'), 'utf8'));
const found = Object.fromEntries(decisions.map(({ candidate, decision }) => [candidate, decision]));
for (const [candidate, decision] of Object.entries(expected)) {
  if (found[candidate] !== decision)
    fail(`${candidate}: expected ${decision}, found ${found[candidate]}`);
}

process.stdout.write(
  `\nThe four verdicts (as expected: ${Object.entries(expected)
    .map((pair) => pair.join(' '))
    .join(', ')}):\n`,
);
liftgate('report', run, '--verdicts');
process.stdout.write(`Summary: ${relative(process.cwd(), join(workspace, run, 'summary.md'))}\n`);
