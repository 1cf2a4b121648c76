/** Keys on the disk: private ones sign, trust lists say whose signatures count. SSH keys sign through `ssh-keygen`, so agents and tokens work. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { LiftgateError } from '../base/errors.ts';
import {
  ed25519Signer,
  type PublicKey,
  type Signer,
  sshKey,
  sshNamespace,
  unarmourSsh,
} from '../base/signature.ts';
import { parseTrust, type TrustedKey } from '../base/trust.ts';

/** A key file and the name its signatures carry. */
export interface KeySource {
  /** PEM of an ed25519 key, or an SSH key (private, or public with the private one in an agent). */
  readonly file: string;
  /** May be left out for SSH keys: their comment is the name then. */
  readonly name?: string | undefined;
}

/**
 * A signer from a key file.
 * @throws {LiftgateError} usage  when the file holds no key that can sign, or the name is missing or malformed
 */
export async function openSigner({ file, name }: KeySource): Promise<Signer> {
  const text = await readKeyFile(file);
  if (/^-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/.test(text)) {
    const signer = ed25519Signer(nameOf(file, name), text);
    if (typeof signer === 'string') throw unusable(file, signer);
    return signer;
  }
  const publicText = text.startsWith('-----BEGIN OPENSSH')
    ? await readKeyFile(`${file}.pub`)
    : text;
  const [, base64 = '', comment] = publicText.trim().split(/\s+/);
  const key = sshKey(base64);
  if (typeof key === 'string') throw unusable(file, key);
  return {
    name: nameOf(file, name ?? comment),
    key,
    sign: (message) => signThroughSsh(file, message),
  };
}

/**
 * Reads a trust list.
 * @throws {LiftgateError} trust-invalid
 */
export async function readTrust(file: string): Promise<readonly TrustedKey[]> {
  return parseTrust(await readKeyFile(file), file);
}

/**
 * A public key and the name its signatures carry: from a private key, an SSH public key, or one line of a trust list.
 * @throws {LiftgateError} usage, trust-invalid  for a file that holds none, weak keys and those of small order
 */
export async function openPublicKey({ file, name }: KeySource): Promise<TrustedKey> {
  const text = await readKeyFile(file);
  if (/^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    const signer = await openSigner({ file, name });
    return { name: signer.name, key: signer.key };
  }
  const [word = '', base64 = '', comment] = text.trim().split(/\s+/);
  const key: PublicKey | string | null = /^(ssh|ecdsa)-/.test(word) ? sshKey(base64) : null;
  if (typeof key === 'string') throw unusable(file, key);
  if (key !== null) return { name: nameOf(file, name ?? comment), key };
  const [first, ...others] = parseTrust(text, file);
  if (first === undefined || others.length > 0) throw unusable(file, 'the file holds several keys');
  return { name: nameOf(file, name ?? first.name), key: first.key };
}

async function readKeyFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new LiftgateError('usage', 'The key file cannot be read.', {
      where: { file },
      mend: 'Name an existing file; an SSH key needs its .pub file beside it.',
      cause,
    });
  }
}

function nameOf(file: string, name: string | undefined): string {
  if (name !== undefined && /^[^\s+,*?!]{1,100}$/u.test(name)) return name;
  throw new LiftgateError(
    'usage',
    name === undefined ? 'The key has no name.' : `"${name}" is no name for a signer.`,
    {
      where: { file },
      mend: 'Give one with --name: no spaces, commas, plus signs or patterns, e.g. --name alice@example.org.',
    },
  );
}

function unusable(file: string, reason: string): LiftgateError {
  return new LiftgateError('usage', `The key cannot sign: ${reason}.`, {
    where: { file },
    mend: 'Make one with `openssl genpkey -algorithm ed25519 -out key.pem` or `ssh-keygen -t ed25519`.',
  });
}

/** Signs through `ssh-keygen -Y sign`; its prompts reach the terminal. */
async function signThroughSsh(file: string, message: Uint8Array): Promise<Uint8Array> {
  const child = spawn('ssh-keygen', ['-q', '-Y', 'sign', '-n', sshNamespace, '-f', file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A child that dies early closes its input; its exit says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(message);
  const status = await new Promise<number | null>((done) => {
    child.on('error', () => done(null));
    child.on('close', (code) => done(code));
  });
  const blob = status === 0 ? unarmourSsh(Buffer.concat(chunks).toString('utf8')) : null;
  if (blob === null) throw unusable(file, 'ssh-keygen gave no signature');
  return blob;
}
