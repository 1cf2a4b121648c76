/** Seeds: every random choice of an experiment is fixed by its cases and design, never by arms, engine, clock or path. */
import { compareCodeUnits } from '../base/canonical.ts';
import { type Digest, digestHex, digestOf } from '../base/digest.ts';
import { randomStream } from '../stats/random.ts';

/** How seeds are made, as written in every seal. */
export const seedRule = 'sha256(casesDigest LF label)';

/** Labels in use; a cell's own seed uses `cell/CASE/REPEAT`, a resampling stream `resample/MEASURE`. */
export const seedLabels = [
  'unit-order',
  'arm-order',
  'control-cases',
  'cell/*',
  'resample/*',
] as const;

/** 64 hex digits that seed one labelled stream. */
export function seedHex(casesDigest: Digest, label: string): string {
  return digestHex(digestOf(`${casesDigest}\n${label}`));
}

/** Units in the sealed order: sorted by code units, then shuffled by the stream `unit-order`. */
export function orderedUnits(casesDigest: Digest, units: readonly string[]): string[] {
  const sorted = [...units].sort(compareCodeUnits);
  return randomStream(seedHex(casesDigest, 'unit-order'), 'unit-order').shuffle(sorted);
}

/** Seed a host is given for one case and repeat, equal for all arms: 0 .. 2^31 - 1. */
export function cellSeed(casesDigest: Digest, caseId: string, repeat: number): number {
  return (
    Number.parseInt(seedHex(casesDigest, `cell/${caseId}/${repeat}`).slice(0, 8), 16) %
    2_147_483_648
  );
}
