import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const project = fileURLToPath(new URL('../../', import.meta.url));
const report = readFileSync(join(project, 'test/api/liftgate.api.md'), 'utf8');
const extractor = join(
  dirname(createRequire(import.meta.url).resolve('@microsoft/api-extractor/package.json')),
  'bin/api-extractor',
);

describe('the API report', () => {
  test('is current: `npm run api` writes it anew after the public names were changed on purpose', () => {
    expect(existsSync(join(project, 'dist/index.d.ts'))).toBe(true);
    const { status, stdout, stderr } = spawnSync(process.execPath, [extractor, 'run'], {
      cwd: project,
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`).not.toMatch(/Warning|Error/);
    expect(status).toBe(0);
  });

  test('shows a sentence for every public name', () => {
    expect(report.match(/@public \(undocumented\)\n.*/g) ?? []).toEqual([]);
    expect(report.match(/^\/\/ @public$/gm)?.length).toBeGreaterThanOrEqual(40);
  });
});
