/** Which engine this is: version, digest of its shipped files, statistics versions, generator, platform words. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type EngineIdentity, type Material, materialOf, treeDigest } from '../spec/seal.ts';
import { rngVersion, statisticsVersions } from '../stats/versions.ts';
import { engineVersion, sourceFolder } from './package.ts';

function shippedFiles(): Material[] {
  return readdirSync(sourceFolder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && /\.(?:c?js|ts)$/.test(entry.name) && !entry.name.endsWith('.d.ts'),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) =>
      materialOf(relative(sourceFolder, path).replaceAll('\\', '/'), readFileSync(path)),
    );
}

/** Identity of the running engine; reads its own files. */
export function engineIdentity(): EngineIdentity {
  return {
    name: 'liftgate',
    version: engineVersion(),
    build: treeDigest(shippedFiles()),
    statistics: { ...statisticsVersions },
    rng: { ...rngVersion },
    nodeMajor: Number.parseInt(process.versions.node, 10),
    unicode: process.versions['unicode'] ?? 'unknown',
  };
}
