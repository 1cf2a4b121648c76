import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSignature, formatNoteKey } from '../../src/base/trust.ts';
import { openSigner, readTrust } from '../../src/store/signing.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
const message = Buffer.from('message\n');
let at = '';
const pathTo = (name: string) => join(at, name);

beforeAll(async () => {
  at = await folder();
  const openssl = (...words: readonly string[]) =>
    execFileSync('openssl', words, { cwd: at, stdio: 'pipe' });
  openssl('genpkey', '-algorithm', 'ed25519', '-out', 'plain.pem');
  openssl('genpkey', '-algorithm', 'ed25519', '-aes256', '-pass', 'pass:x', '-out', 'locked.pem');
  openssl('genpkey', '-algorithm', 'RSA', '-out', 'rsa.pem');
  execFileSync('ssh-keygen', [
    '-q',
    '-t',
    'ed25519',
    '-N',
    '',
    '-C',
    'alice@example.org',
    '-f',
    pathTo('ssh'),
  ]);
  await writeFile(pathTo('none'), 'nothing\n');
});

describe('openSigner', () => {
  test('signs with an ed25519 key in PEM, under the name given', async () => {
    const signer = await openSigner({ file: pathTo('plain.pem'), name: 'ci' });
    expect(signer.name).toBe('ci');
    expect(checkSignature(signer.key, message, await signer.sign(message))).toBeNull();
  });

  test('signs with an SSH key, under its comment', async () => {
    const signer = await openSigner({ file: pathTo('ssh') });
    expect(signer.name).toBe('alice@example.org');
    expect(checkSignature(signer.key, message, await signer.sign(message))).toBeNull();
    expect((await openSigner({ file: pathTo('ssh'), name: 'bob' })).name).toBe('bob');
  });

  test.each([
    ['plain.pem', undefined, 'The key has no name.'],
    ['plain.pem', 'a b', '"a b" is no name for a signer.'],
    ['locked.pem', 'ci', 'this is no private key without a password'],
    ['rsa.pem', 'ci', 'private keys in PEM must be of type ed25519, this one is rsa'],
    ['none', 'ci', 'The key cannot sign: this is no SSH public key.'],
    ['missing', 'ci', 'The key file cannot be read.'],
  ])('refuses %s named %s', async (file, name, reason) => {
    await expect(openSigner({ file: pathTo(file), name })).rejects.toThrow(
      expect.objectContaining({
        code: 'usage',
        exitCode: 64,
        message: expect.stringContaining(reason),
        where: expect.anything(),
      }),
    );
  });

  test('says when ssh-keygen has no private key for a public one', async () => {
    await writeFile(pathTo('lonely.pub'), await readFile(pathTo('ssh.pub')));
    const signer = await openSigner({ file: pathTo('lonely.pub') });
    await expect(signer.sign(message)).rejects.toThrow('ssh-keygen gave no signature');
  });
});

describe('readTrust', () => {
  test('reads the keys the signers have', async () => {
    const [ci, alice] = await Promise.all([
      openSigner({ file: pathTo('plain.pem'), name: 'ci' }),
      openSigner({ file: pathTo('ssh') }),
    ]);
    await writeFile(pathTo('trust'), `${formatNoteKey(ci)}\n${formatNoteKey(alice)}\n`);
    expect(await readTrust(pathTo('trust'))).toEqual([
      { name: 'ci', key: ci.key },
      { name: 'alice@example.org', key: alice.key },
    ]);
  });
});
