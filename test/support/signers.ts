/** Keys made for a test: ed25519 in memory, and any type ssh-keygen makes, signed through it. */
import { execFileSync } from 'node:child_process';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ed25519Key,
  type PublicKey,
  type Signer,
  sshKey,
  unarmourSsh,
} from '../../src/base/signature.ts';

/** The key, or the failure of the test that needs it. */
export function accepted(key: PublicKey | string): PublicKey {
  if (typeof key === 'string') throw new Error(key);
  return key;
}

/** An ed25519 key that signs plainly. */
export function plainSigner(name: string): Signer & { readonly privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    name,
    key: accepted(ed25519Key(raw)),
    privateKey,
    sign: (message) => Promise.resolve(sign(null, message, privateKey)),
  };
}

/** The same ed25519 key for the same number. */
export function seededSigner(name: string, number: number): Signer {
  const seed = createHash('sha256').update(`key ${number}`).digest();
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const der = Buffer.concat([prefix, seed]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    name,
    key: accepted(ed25519Key(raw)),
    sign: (message) => Promise.resolve(sign(null, message, privateKey)),
  };
}

/** Fields of an SSH blob, each after its length. */
export function joinFields(fields: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap((field) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(field.length);
      return [length, field];
    }),
  );
}

/** A key of ssh-keygen in a folder; `type` as its option -t takes it. */
export function sshSigner(options: {
  readonly folder: string;
  readonly name: string;
  readonly type: 'ed25519' | 'ecdsa' | 'rsa';
  readonly bits?: number;
  readonly namespace?: string;
}): Signer {
  const { folder, name, type, bits, namespace = 'liftgate' } = options;
  const file = join(
    folder,
    `key-${createHash('sha256').update(`${name}${type}${bits}`).digest('hex').slice(0, 8)}`,
  );
  execFileSync('ssh-keygen', [
    '-q',
    '-t',
    type,
    ...(bits === undefined ? [] : ['-b', String(bits)]),
    '-N',
    '',
    '-C',
    name,
    '-f',
    file,
  ]);
  const [, base64 = ''] = readFileSync(`${file}.pub`, 'utf8').split(' ');
  return {
    name,
    key: accepted(sshKey(base64)),
    sign(message) {
      writeFileSync(`${file}.message`, message);
      execFileSync(
        'ssh-keygen',
        ['-q', '-Y', 'sign', '-n', namespace, '-f', file, `${file}.message`],
        { stdio: 'pipe' },
      );
      const blob = unarmourSsh(readFileSync(`${file}.message.sig`, 'utf8'));
      execFileSync('rm', [`${file}.message.sig`]);
      if (blob === null) throw new Error('ssh-keygen wrote no signature');
      return Promise.resolve(blob);
    },
  };
}
