/** Packs the package and runs publint and are-the-types-wrong on the tarball, then loads both entries from an unpacked copy. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const project = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'liftgate-pack-'));

function run(command, words, options = {}) {
  const { status } = spawnSync(command, words, { cwd: project, stdio: 'inherit', ...options });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} ended with ${status}`);
}

try {
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: project,
      encoding: 'utf8',
    }),
  );
  const tarball = join(folder, packed[0].filename);
  run('npx', ['--no-install', 'publint', 'run', tarball, '--strict']);
  run('npx', ['--no-install', 'attw', tarball, '--profile', 'esm-only']);
  run('tar', ['-xzf', tarball, '-C', folder]);
  symlinkSync(join(project, 'node_modules'), join(folder, 'package', 'node_modules'));
  const load =
    "Promise.all([import('liftgate'), import('liftgate/stats')]).then(([a, b]) => console.log(Object.keys(a).length, 'names in liftgate,', Object.keys(b).length, 'in liftgate/stats'))";
  run(process.execPath, ['--input-type=module', '-e', load], { cwd: join(folder, 'package') });
  run(process.execPath, [join('bin', 'liftgate.js'), '--version'], {
    cwd: join(folder, 'package'),
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
