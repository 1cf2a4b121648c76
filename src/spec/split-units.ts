/** The units of an experiment as seals and reservations list them, with their fingerprints. */
import { LiftgateError } from '../base/errors.ts';
import type { SealedExperiment } from './seal.ts';
import type { ExperimentSpec } from './spec.ts';
import {
  type Case,
  fingerprintKey,
  fingerprintVersion,
  keyedFingerprintVersion,
  type UnitRecord,
  unitRecords,
} from './units.ts';

/** What unit lists are made of. */
export interface SplitInput {
  readonly spec: ExperimentSpec;
  /** Admitted cases of all splits. */
  readonly cases: readonly Case[];
  /** Of `fingerprint.secret`; absent when the spec names none, or what it names is not there. */
  readonly secret?: Uint8Array | undefined;
}

/** Final units and development units of an experiment, sorted by id. */
export function splitUnits(input: SplitInput): {
  final: UnitRecord[];
  development: UnitRecord[];
} {
  const { ignore } = input.spec.fingerprint;
  const secret = secretOf(input);
  const recordsOf = (isFinal: boolean): UnitRecord[] =>
    unitRecords(
      input.cases.filter((each) => (each.split === 'final') === isFinal),
      ignore,
      secret,
    );
  return { final: recordsOf(true), development: recordsOf(false) };
}

/** The declared secret; fingerprints without it would be other ones. */
function secretOf({ spec, secret }: SplitInput): Uint8Array | undefined {
  const declared = spec.fingerprint.secret;
  if (declared === undefined) return undefined;
  if (secret !== undefined) return secret;
  const place =
    'env' in declared ? `the environment variable ${declared.env}` : `the file ${declared.file}`;
  throw new LiftgateError(
    'secret-missing',
    `The fingerprints of this experiment need the secret in ${place}, and it is not there.`,
    {
      where: { path: 'fingerprint.secret' },
      mend: 'Put the secret there that was used before, or 16 or more random bytes before the first seal of its population; checks that need no seal work without it.',
    },
  );
}

/** How the fingerprints were made, as the seal says it. */
export function fingerprintIdentity(
  input: SplitInput,
): Pick<SealedExperiment['units'], 'fingerprintVersion' | 'fingerprintKey'> {
  const secret = secretOf(input);
  return secret === undefined
    ? { fingerprintVersion }
    : { fingerprintVersion: keyedFingerprintVersion, fingerprintKey: fingerprintKey(secret) };
}
