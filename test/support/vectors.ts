/** The vectors of canonical JSON, YAML and unit ids, and of Merkle trees: those of LIFTGATE_REFERENCE_DIR when it is set. */
import { readFileSync } from 'node:fs';
import committedJcs from '../reference/jcs-vectors.json' with { type: 'json' };
import committedMerkle from '../reference/merkle-vectors.json' with { type: 'json' };
import { referencePath } from './reference.ts';

function vectorsOf<T>(_committed: T, file: string): T {
  const parsed: T = JSON.parse(readFileSync(referencePath(file), 'utf8'));
  return parsed;
}

export const jcsVectors = vectorsOf(committedJcs, 'jcs-vectors.json');
export const merkleVectors = vectorsOf(committedMerkle, 'merkle-vectors.json');
