/**
 * DSSE envelopes: a payload, its type, and signatures over both. What is signed is
 *
 *     "DSSEv1" SP length(type) SP type SP length(body) SP body
 *
 * over the exact bytes, so that no body can be taken for one of another type. A reader parses the body only after a signature over
 * these very bytes was checked.
 * @see DSSE protocol 1.0 (secure-systems-lab)
 */
import { canonicalLine } from './canonical.ts';
import { LiftgateError } from './errors.ts';
import { decodeBase64, fingerprintOf, type Signer } from './signature.ts';
import { readJson } from './strict-json.ts';
import { checkSignature, type TrustedKey } from './trust.ts';

/** An envelope as it is stored; `payload` and `sig` are base64, `keyid` is the fingerprint of the key. */
export interface Envelope {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/** Type of the in-toto Statements we sign. */
export const statementType = 'application/vnd.in-toto+json';

/**
 * The bytes that are signed.
 * @example Buffer.from(preAuthentication('t', Buffer.from('body'))).toString() // => 'DSSEv1 1 t 4 body'
 */
export function preAuthentication(payloadType: string, body: Uint8Array): Uint8Array {
  const type = Buffer.from(payloadType);
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${type.length} `),
    type,
    Buffer.from(` ${body.length} `),
    body,
  ]);
}

/** Signs a body; one line of canonical JSON. */
export async function formatEnvelope(
  payloadType: string,
  body: Uint8Array,
  signers: readonly Signer[],
): Promise<string> {
  const message = preAuthentication(payloadType, body);
  const signatures = [];
  for (const signer of signers) {
    const signature = await signer.sign(message);
    signatures.push({
      keyid: fingerprintOf(signer.key),
      sig: Buffer.from(signature).toString('base64'),
    });
  }
  return canonicalLine({ payload: Buffer.from(body).toString('base64'), payloadType, signatures });
}

/**
 * Reads an envelope without trusting it.
 * @throws {LiftgateError} json-invalid, signature-invalid  when it is no envelope
 */
export function parseEnvelope(text: string | Uint8Array, file: string): Envelope {
  const value = readJson(text, { file });
  if (isEnvelope(value)) return value;
  throw refused('This is no DSSE envelope.', file);
}

/**
 * The body of an envelope, once one trusted key has signed it, and the names of all trusted keys that did.
 * @throws {LiftgateError} signature-invalid  when no trusted key signed it, or a trusted key's signature does not match
 */
export function openEnvelope(
  envelope: Envelope,
  expected: {
    readonly payloadType: string;
    readonly trust: readonly TrustedKey[];
    readonly file: string;
  },
): { readonly body: Uint8Array; readonly signers: readonly string[] } {
  const { payloadType, trust, file } = expected;
  const body = decodeBase64(envelope.payload);
  if (body === null || envelope.payloadType !== payloadType) {
    throw refused(`The envelope holds ${envelope.payloadType}, not ${payloadType}.`, file);
  }
  const message = preAuthentication(payloadType, body);
  const signers = envelope.signatures.flatMap(({ keyid, sig }) => {
    const known = trust.filter(({ key }) => fingerprintOf(key) === keyid);
    return known.map(({ key, name }) => {
      const fault = checkSignature(key, message, decodeBase64(sig) ?? new Uint8Array());
      if (fault === null) return name;
      throw refused(`The signature of ${name} does not hold: ${fault}.`, file);
    });
  });
  if (signers.length === 0) throw refused('No key of the trust list has signed this.', file);
  return { body, signers };
}

function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false;
  const { payload, payloadType, signatures, ...rest } = value as Partial<
    Record<keyof Envelope, unknown>
  >;
  return (
    Object.keys(rest).length === 0 &&
    typeof payload === 'string' &&
    typeof payloadType === 'string' &&
    Array.isArray(signatures) &&
    signatures.every((entry) => typeof entry?.keyid === 'string' && typeof entry?.sig === 'string')
  );
}

function refused(message: string, file: string): LiftgateError {
  return new LiftgateError('signature-invalid', message, {
    where: { file },
    mend: 'Ask its author for a signed copy, or check with the key of whoever signed it.',
  });
}
