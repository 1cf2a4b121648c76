// Runs every reference case through the kernel and prints how many cases of how many families ran: npm run test:reference
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const project = join(import.meta.dirname, '..');
const files = process.env.LIFTGATE_REFERENCE_DIR ?? join(project, 'test/reference');
const scratch = mkdtempSync(join(tmpdir(), 'reference-'));
const report = join(scratch, 'report.json');

/** The outcome of every reference case, by family: name of method and case to whether it passed. */
function outcomes() {
  const families = new Map();
  for (const { assertionResults } of JSON.parse(readFileSync(report, 'utf8')).testResults) {
    for (const { ancestorTitles, title, status } of assertionResults) {
      const at = ancestorTitles.findIndex((name) => /^reference [a-z-]+\.json$/.test(name));
      if (at < 0 || !title.startsWith('agrees with ')) continue;
      if (status !== 'passed' && status !== 'failed') continue;
      const family = ancestorTitles[at].slice('reference '.length, -'.json'.length);
      const cases = families.get(family) ?? new Map();
      cases.set(`${ancestorTitles[at + 1]} ${title}`, status === 'passed');
      families.set(family, cases);
    }
  }
  return families;
}

/** Cases of every file of the schema, by family. */
function casesInFiles() {
  const counts = new Map();
  for (const name of readdirSync(files).sort()) {
    if (!name.endsWith('.json')) continue;
    const { family, cases, tolerance } = JSON.parse(readFileSync(join(files, name), 'utf8'));
    if (family === undefined || tolerance === undefined || !Array.isArray(cases)) continue;
    counts.set(name.slice(0, -'.json'.length), cases.length);
  }
  return counts;
}

function summary() {
  const ran = outcomes();
  const total = casesInFiles();
  let passed = 0;
  let run = 0;
  for (const [family, count] of total) {
    const results = [...(ran.get(family)?.values() ?? [])];
    const good = results.filter(Boolean).length;
    passed += good;
    run += results.length;
    const left = count - results.length;
    const rest = left === 0 ? '' : `, ${left} left out by name`;
    console.log(
      `${family.padEnd(20)} ${good} of ${results.length} passed, ${count} in the file${rest}`,
    );
  }
  const inFiles = [...total.values()].reduce((sum, count) => sum + count, 0);
  const families = [...total.keys()].filter((family) => ran.has(family)).length;
  console.log(
    `\n${run} of ${inFiles} cases of ${families} of ${total.size} families ran; ${passed} passed, ${run - passed} failed.`,
  );
}

const words = ['vitest', 'run', 'test/stats', '-t', 'reference [a-z-]+[.]json'];
const { status } = spawnSync(
  'npx',
  [...words, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  { cwd: project, stdio: 'inherit' },
);
if (existsSync(report)) summary();
rmSync(scratch, { recursive: true, force: true });
process.exitCode = status ?? 1;
