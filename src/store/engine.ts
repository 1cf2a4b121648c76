/** Which engine this is: version, digest of its shipped files, statistics versions, generator, platform words. */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { type EngineIdentity, type Material, materialOf, treeDigest } from '../spec/seal.ts';
import { rngVersion, statisticsVersions } from '../stats/versions.ts';
import { engineVersion, sourceFolder } from './package.ts';

/** Room that files are read into one after the other: a buffer for each of some hundred small files takes as long as hashing them. */
const roomBytes = 1 << 20;

/** Material of a file, read into the room where it fits. */
function shippedFile(file: string, path: string, room: Uint8Array): Material {
  const open = openSync(file, 'r');
  let size = 0;
  try {
    for (let got = -1; got !== 0 && size < room.length; size += got)
      got = readSync(open, room, size, room.length - size, null);
  } finally {
    closeSync(open);
  }
  return materialOf(path, size < room.length ? room.subarray(0, size) : readFileSync(file));
}

/** Materials of the program files in a folder and below, by paths that begin with the given one. */
function shippedFiles(folder: string, path: string, room: Uint8Array): Material[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const [file, below] = [`${folder}/${entry.name}`, `${path}${entry.name}`];
    if (entry.isDirectory()) return shippedFiles(file, `${below}/`, room);
    const isProgram = entry.isFile() && /\.(?:c?js|ts)$/.test(below) && !below.endsWith('.d.ts');
    return isProgram ? [shippedFile(file, below, room)] : [];
  });
}

/** Identity of the running engine; reads its own files. */
export function engineIdentity(): EngineIdentity {
  return {
    name: 'liftgate',
    version: engineVersion(),
    build: treeDigest(shippedFiles(sourceFolder, '', Buffer.allocUnsafeSlow(roomBytes))),
    statistics: { ...statisticsVersions },
    rng: { ...rngVersion },
    nodeMajor: Number.parseInt(process.versions.node, 10),
    unicode: process.versions['unicode'] ?? 'unknown',
  };
}
