/**
 * Whose signatures count. A trust list is a text file the reader brings along, never one taken from what is checked. One key per line,
 * in either of two spellings; empty lines and lines that start with `#` are skipped:
 *
 *     alice@example.org+1f0c2a9b+AcMy...                               verifier key of a signed note (C2SP signed-note)
 *     alice@example.org namespaces="liftgate" ssh-ed25519 AAAA... home  line of an OpenSSH allowed_signers file
 */
import { sha256 } from './digest.ts';
import { LiftgateError } from './errors.ts';
import {
  checkEd25519,
  checkSsh,
  decodeBase64,
  ed25519Key,
  fingerprintOf,
  type PublicKey,
  rawEd25519,
  sshKey,
  sshNamespace,
} from './signature.ts';

/** A public key and the name it goes by. */
export interface TrustedKey {
  readonly name: string;
  readonly key: PublicKey;
}

/** Algorithm byte of an ed25519 line in a signed note, and of ours for SSH signatures (0xff: a type outside the registry). */
const noteTypes = {
  ed25519: Uint8Array.of(1),
  ssh: Buffer.from('\u00ffliftgate sshsig\n', 'latin1'),
} as const;

/**
 * The four bytes by which a note line names its key: SHA-256(name LF type key), cut.
 * @see C2SP signed-note, "Signatures"
 */
export function noteKeyId({ name, key }: TrustedKey): Uint8Array {
  const raw = rawEd25519(key);
  const parts = raw === null ? [noteTypes.ssh, key.blob] : [noteTypes.ed25519, raw];
  return sha256(`${name}\n`, ...parts).subarray(0, 4);
}

/**
 * The verifier key of a signed note for an ed25519 key, as trust lists hold it.
 * @example formatNoteKey({ name: 'ci', key }) // => 'ci+' and 8 hex digits, '+' and 44 characters of base64
 */
export function formatNoteKey(trusted: TrustedKey): string {
  const raw = rawEd25519(trusted.key);
  if (raw === null)
    return `${trusted.name} ${trusted.key.type} ${Buffer.from(trusted.key.blob).toString('base64')}`;
  const id = Buffer.from(noteKeyId(trusted)).toString('hex');
  return `${trusted.name}+${id}+${Buffer.from([...noteTypes.ed25519, ...raw]).toString('base64')}`;
}

/**
 * Reads a trust list.
 *
 * @param file  how messages call it
 * @throws {LiftgateError} trust-invalid  for a line that is no key, with its number; a list without keys trusts nobody and is refused too
 */
export function parseTrust(text: string, file: string): readonly TrustedKey[] {
  const keys = text.split('\n').flatMap((line, index) => {
    const words = line.trim();
    if (words === '' || words.startsWith('#')) return [];
    const parsed = parseLine(words);
    if (typeof parsed !== 'string') return [parsed];
    throw new LiftgateError(
      'trust-invalid',
      `This line names no key that could be trusted: ${parsed}.`,
      {
        where: { file, line: index + 1, column: 1 },
        mend: 'Write NAME+ID+KEY (a verifier key) or a line of an allowed_signers file: NAME ssh-ed25519 KEY.',
      },
    );
  });
  if (keys.length > 0) return keys;
  throw new LiftgateError('trust-invalid', 'The trust list holds no key.', {
    where: { file },
    mend: 'Add the public keys of those whose signatures count.',
  });
}

function parseLine(line: string): TrustedKey | string {
  return /^\S+$/.test(line) ? parseNoteKey(line) : parseAllowedSigner(line);
}

function parseNoteKey(line: string): TrustedKey | string {
  const [, name, id, base64] = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
  const bytes = decodeBase64(base64 ?? '');
  if (name === undefined || bytes === null) return 'it is no verifier key';
  if (bytes[0] !== noteTypes.ed25519[0])
    return `verifier keys of type ${bytes[0]} are not supported, only ed25519 (1)`;
  const key = ed25519Key(bytes.subarray(1));
  if (typeof key === 'string') return key;
  const expected = Buffer.from(noteKeyId({ name, key })).toString('hex');
  return expected === id ? { name, key } : `the id of this name and key is ${expected}, not ${id}`;
}

function parseAllowedSigner(line: string): TrustedKey | string {
  const words = line.split(/[ \t]+/);
  const at = words.findIndex((word) => /^(ssh|ecdsa|sk)-/.test(word));
  const [name, base64] = [words[0] ?? '', words[at + 1]];
  if (at < 1 || base64 === undefined) return 'it has no key';
  if (/[+,*?!]/.test(name))
    return 'a name here stands for one signer: no lists, patterns or plus signs';
  for (const option of words.slice(1, at).flatMap((word) => word.split(/,(?=[a-z-]+=|[a-z-]+$)/))) {
    const [, spaces] = /^namespaces="([^"]*)"$/.exec(option) ?? [];
    if (spaces === undefined) return `the option ${option} is not supported`;
    if (!spaces.split(',').includes(sshNamespace))
      return `the key is for the namespaces "${spaces}", not "${sshNamespace}"`;
  }
  const key = sshKey(base64);
  if (typeof key === 'string') return key;
  return key.type === words[at]
    ? { name, key }
    : `the key is of type ${key.type}, not ${words[at]}`;
}

/**
 * Why a signature of a message is not one of this key; null when it holds. ed25519 keys sign plainly (64 bytes) or through SSH.
 * @example checkSignature(key, message, signature) // => null
 */
export function checkSignature(
  key: PublicKey,
  message: Uint8Array,
  signature: Uint8Array,
): string | null {
  if (signature.length !== 64) return checkSsh(key, message, signature);
  return checkEd25519(key, message, signature) ? null : 'the signature does not match';
}

/** How messages name a key. */
export function describeKey({ name, key }: TrustedKey): string {
  return `${name} (${key.type} ${fingerprintOf(key)})`;
}
