/** Which engine this is: version, digest of its shipped files, statistics versions, generator, platform words. */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { compareCodeUnits } from '../base/canonical.ts';
import { type Digest, digestOfValue, type RunningDigest, runningDigest } from '../base/digest.ts';
import type { EngineIdentity } from '../spec/seal.ts';
import { rngVersion, statisticsVersions } from '../stats/versions.ts';
import { engineVersion, sourceFolder } from './package.ts';

/** Room that files are read into one after the other: a buffer for each of some hundred small files takes as long as hashing them. */
const roomBytes = 1 << 20;

/** Adds a file's bytes to a digest; gives their number. */
function addFile(file: string, bytes: RunningDigest, room: Uint8Array): number {
  const open = openSync(file, 'r');
  let size = 0;
  try {
    for (let got = -1; got !== 0; size += got) {
      got = readSync(open, room, 0, room.length, null);
      if (got > 0) bytes.add(room.subarray(0, got));
    }
  } finally {
    closeSync(open);
  }
  return size;
}

/** Paths of the program files in a folder and below, by paths that begin with the given one. */
function shippedPaths(folder: string, path: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const below = `${path}${entry.name}`;
    if (entry.isDirectory()) return shippedPaths(`${folder}/${entry.name}`, `${below}/`);
    const isProgram = entry.isFile() && /\.(?:c?js|ts)$/.test(below) && !below.endsWith('.d.ts');
    return isProgram ? [below] : [];
  });
}

/**
 * Digest of the program files in a folder and below: of the paths and sizes of all, and of their bytes one after another in the order of
 * the paths, which together say what every file holds.
 */
export function programDigest(folder: string): Digest {
  const room = Buffer.allocUnsafeSlow(roomBytes);
  const bytes = runningDigest();
  const files = shippedPaths(folder, '')
    .sort(compareCodeUnits)
    .map((path) => [path, addFile(`${folder}/${path}`, bytes, room)]);
  return digestOfValue({ bytes: bytes.value(), files });
}

/** Identity of the running engine; reads its own files. */
export function engineIdentity(): EngineIdentity {
  return {
    name: 'liftgate',
    version: engineVersion(),
    build: programDigest(sourceFolder),
    statistics: { ...statisticsVersions },
    rng: { ...rngVersion },
    nodeMajor: Number.parseInt(process.versions.node, 10),
    unicode: process.versions['unicode'] ?? 'unknown',
  };
}
