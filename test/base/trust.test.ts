import { describe, expect, test } from 'vitest';
import { rawEd25519, type Signer } from '../../src/base/signature.ts';
import { formatNoteKey, noteKeyId, parseTrust } from '../../src/base/trust.ts';
import { plainSigner, sshSigner } from '../support/signers.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
const base64 = ({ key }: Signer) => Buffer.from(key.blob).toString('base64');

describe('parseTrust', () => {
  test('reads verifier keys and allowed signers, comments and empty lines between them', async () => {
    const [ci, alice] = [
      plainSigner('ci'),
      sshSigner({ folder: await folder(), name: 'alice', type: 'ed25519' }),
    ];
    const text = `# who may sign\n\n${formatNoteKey(ci)}\nalice namespaces="git,liftgate" ssh-ed25519 ${base64(alice)} home\n`;
    expect(parseTrust(text, 'keys')).toEqual([
      { name: 'ci', key: ci.key },
      { name: 'alice', key: alice.key },
    ]);
  });

  test('reads the published key of the Go checksum database', () => {
    const line = 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8';
    const [trusted] = parseTrust(line, 'keys');
    expect(trusted?.name).toBe('sum.golang.org');
    expect(trusted && Buffer.from(noteKeyId(trusted)).toString('hex')).toBe('033de0ae');
    expect(trusted && formatNoteKey(trusted)).toBe(line);
  });

  const ed25519 = plainSigner('ci');
  const good = base64(ed25519);
  const raw = Buffer.from(rawEd25519(ed25519.key) ?? []);
  test.each([
    ['ci+00000000+AAAA', 'verifier keys of type 0 are not supported'],
    [
      `ci+00000000+${Buffer.concat([Uint8Array.of(1), raw]).toString('base64')}`,
      'the id of this name and key is ',
    ],
    [
      `ci+00000000+${Buffer.concat([Uint8Array.of(1), new Uint8Array(32)]).toString('base64')}`,
      'a point of small order',
    ],
    ['ci+123+!', 'it is no verifier key'],
    ['alice', 'it is no verifier key'],
    ['alice bob', 'it has no key'],
    ['alice ssh-ed25519', 'it has no key'],
    [`alice,bob ssh-ed25519 ${good}`, 'a name here stands for one signer'],
    [`*@x ssh-ed25519 ${good}`, 'a name here stands for one signer'],
    [
      `alice namespaces="git" ssh-ed25519 ${good}`,
      'the key is for the namespaces "git", not "liftgate"',
    ],
    [
      `alice valid-before="2020" ssh-ed25519 ${good}`,
      'the option valid-before="2020" is not supported',
    ],
    [`alice ssh-rsa ${good}`, 'the key is of type ssh-ed25519, not ssh-rsa'],
    [
      `alice sk-ssh-ed25519@openssh.com ${good}`,
      'the key is of type ssh-ed25519, not sk-ssh-ed25519@openssh.com',
    ],
    ['alice ssh-ed25519 AAAA', 'this is no SSH public key'],
  ])('refuses %s with its place', (line, reason) => {
    expect(() => parseTrust(`# first\n${line}\n`, 'keys')).toThrow(
      expect.objectContaining({
        code: 'trust-invalid',
        exitCode: 64,
        where: { file: 'keys', line: 2, column: 1 },
        message: expect.stringContaining(reason),
      }),
    );
  });

  test('refuses a list that trusts nobody', () => {
    expect(() => parseTrust('# nobody\n', 'keys')).toThrow('The trust list holds no key.');
  });
});
