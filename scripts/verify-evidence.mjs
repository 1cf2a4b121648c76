/** Verifies the committed ledger and the committed run of every experiment with the built command. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const project = resolve(import.meta.dirname, '..');
const command = join(project, 'bin', 'liftgate.js');

function liftgate(...words) {
  process.stdout.write(`$ liftgate ${words.join(' ')}\n`);
  const { status } = spawnSync(process.execPath, [command, ...words], {
    cwd: project,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

liftgate('ledger', 'verify');
const experiments = readdirSync(join(project, 'experiments'), { withFileTypes: true }).filter(
  (entry) => entry.isDirectory(),
);
const runs = experiments.flatMap(({ name }) => {
  const folder = join('experiments', name, 'runs');
  return existsSync(join(project, folder))
    ? readdirSync(join(project, folder)).map((run) => join(folder, run))
    : [];
});
if (runs.length === 0) {
  process.stderr.write('no committed run was found\n');
  process.exit(1);
}
for (const run of runs) liftgate('verify', run);
