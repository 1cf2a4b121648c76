import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { materialOf, treeDigest } from '../../src/spec/seal.ts';
import { engineIdentity } from '../../src/store/engine.ts';
import { sourceFolder } from '../../src/store/package.ts';

test('the build of an engine is the digest over every program file it ships, and over no types', () => {
  const paths = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.(?:js|cjs|ts)$/.test(path) && statSync(join(sourceFolder, path)).isFile(),
  );
  const programs = paths.filter((path) => !path.endsWith('.d.ts'));
  expect(programs.length).toBeGreaterThan(300);
  expect(engineIdentity().build).toBe(
    treeDigest(programs.map((path) => materialOf(path, readFileSync(join(sourceFolder, path))))),
  );
});
