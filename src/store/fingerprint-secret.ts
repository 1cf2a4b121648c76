/** The secret of keyed fingerprints: where it is read, and that one population has one. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Digest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import type { ExperimentSpec } from '../spec/spec.ts';

/** Fewest bytes of a secret: fewer can be tried out. */
const fewestBytes = 16;

type SecretPlace = NonNullable<ExperimentSpec['fingerprint']['secret']>;

/**
 * The secret a spec names: the bytes of the variable or file, without a line end behind them. Undefined when the spec names none or
 * nothing is there; whoever needs it says so then.
 *
 * @throws {LiftgateError} secret-missing  when what is there has fewer than 16 bytes
 */
export async function readFingerprintSecret(files: {
  readonly file: string;
  readonly spec: ExperimentSpec;
}): Promise<Uint8Array | undefined> {
  const place = files.spec.fingerprint.secret;
  if (place === undefined) return undefined;
  const found = await bytesAt(place, dirname(files.file));
  if (found === undefined) return undefined;
  const secret = new Uint8Array(withoutLineEnd(found));
  if (secret.length >= fewestBytes) return secret;
  throw new LiftgateError(
    'secret-missing',
    `The secret of the fingerprints has ${secret.length} bytes; fewer than ${fewestBytes} can be tried out.`,
    {
      where: { file: files.file, path: 'fingerprint.secret' },
      mend: `Use ${fewestBytes} or more random bytes, for example those of \`openssl rand -hex 32\`.`,
    },
  );
}

async function bytesAt(place: SecretPlace, folder: string): Promise<Buffer | undefined> {
  if ('env' in place) {
    const value = process.env[place.env];
    return value === undefined ? undefined : Buffer.from(value);
  }
  return await readFile(resolve(folder, place.file)).catch(() => undefined);
}

function withoutLineEnd(bytes: Buffer): Buffer {
  const feed = bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes;
  return feed !== bytes && feed.at(-1) === 0x0d ? feed.subarray(0, -1) : feed;
}

/**
 * Refuses a seal whose fingerprints could not be compared with those of its population: units that were reserved under another
 * secret, or without one, would be new units under this one.
 *
 * @throws {LiftgateError} secret-wrong  naming the experiment and both check values
 */
export async function refuseOtherSecret(request: {
  readonly ledger: Ledger;
  readonly seal: SealedExperiment;
  /** The experiment file, shown in the refusal. */
  readonly file: string;
  readonly readSeal: (ledger: Ledger, digest: Digest) => Promise<SealedExperiment>;
}): Promise<void> {
  const { ledger, seal, file, readSeal } = request;
  const population = seal.claim.population.id;
  const own = seal.units.fingerprintKey;
  const { claims } = await ledger.state();
  for (const { plan, experimentId, ...claim } of claims.values()) {
    if (plan === null || claim.population !== population || claim.status === 'released') continue;
    const { fingerprintKey: other } = (await readSeal(ledger, plan)).units;
    if (other === own) continue;
    throw new LiftgateError(
      'secret-wrong',
      `Experiment "${experimentId}" made the fingerprints of population "${population}" ${madeWith(other)}; this one makes them ${madeWith(own)}. A unit under another id would not be recognised.`,
      {
        where: { file, path: 'fingerprint.secret' },
        mend: `Make fingerprints as "${experimentId}" does: ${other === undefined ? 'without fingerprint.secret' : 'with its secret'}; or name another population in claim.population.id, if these are other units.`,
        details: { experimentId, population, sealed: other ?? null, now: own ?? null },
      },
    );
  }
}

function madeWith(key: Digest | undefined): string {
  return key === undefined ? 'without a secret' : `with the secret behind ${key}`;
}
