/** Commits signed by SSH, as git itself makes and checks them. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { commitSigner } from '../../src/base/git-proof.ts';
import type { Signer } from '../../src/base/signature.ts';
import { plainSigner, sshSigner } from '../support/signers.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const newFolder = temporaryFolders();

/** A commit that git signed with a key of ssh-keygen, in a repository of either hash. */
async function signedCommit(hash: 'sha1' | 'sha256'): Promise<{ key: Signer; commit: Buffer }> {
  const cwd = await newFolder();
  const key = sshSigner({ folder: cwd, name: 'alice@example.org', type: 'ed25519' });
  const line = `${key.name} ${key.key.type} ${Buffer.from(key.key.blob).toString('base64')}\n`;
  writeFileSync(join(cwd, 'allowed'), line);
  const [file = ''] = execFileSync('ls', { cwd, encoding: 'utf8' })
    .split('\n')
    .filter((name) => name.endsWith('.pub'));
  const settings = [
    ['user.name', 'Ünal'],
    ['user.email', 'alice@example.org'],
    ['gpg.format', 'ssh'],
    ['gpg.ssh.allowedSignersFile', join(cwd, 'allowed')],
    ['user.signingkey', join(cwd, file)],
  ].flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const git = (...words: string[]) =>
    execFileSync('git', [...settings, ...words], { cwd, stdio: 'pipe' });
  git('init', '-q', `--object-format=${hash}`);
  writeFileSync(join(cwd, 'a'), 'a');
  git('add', 'a');
  git('commit', '-q', '-S', '-m', 'first\n\ngpgsig is a word here\n and – so is this');
  git('verify-commit', 'HEAD');
  return { key, commit: git('cat-file', 'commit', 'HEAD') };
}

describe.each(['sha1', 'sha256'] as const)('commitSigner over %s', (hash) => {
  let key: Signer;
  let commit: Buffer;
  const signerOf = (bytes: Uint8Array, keys = [key]) =>
    commitSigner({ commit: bytes, path: '', trees: [] }, keys)?.name ?? null;

  beforeAll(async () => {
    ({ key, commit } = await signedCommit(hash));
  });

  it('finds the trusted key that signed', () => {
    expect(signerOf(commit)).toBe('alice@example.org');
    expect(signerOf(commit, [plainSigner('bob'), key])).toBe('alice@example.org');
  });

  it('believes nobody else, and no other byte', () => {
    expect(signerOf(commit, [plainSigner('bob')])).toBeNull();
    expect(signerOf(commit, [])).toBeNull();
    const start = commit.indexOf('gpgsig');
    const end = commit.indexOf('-----END SSH');
    for (let at = 0; at < commit.length; at += 1) {
      if (at >= start && at < end) continue;
      expect(signerOf(commit.with(at, (commit[at] ?? 0) ^ 1))).toBeNull();
    }
  });

  it('takes no signature from the text of a commit, and none beside another', () => {
    const text = commit.toString('latin1');
    const [, header = ''] = /\n(gpgsig[\s\S]*?SIGNATURE-----)\n/.exec(text) ?? [];
    const moved = `${text.replace(`${header}\n`, '')}\n${header}\n`;
    expect(signerOf(Buffer.from(moved, 'latin1'))).toBeNull();
    const twice = text.replace(header, `${header}\n${header}`);
    expect(signerOf(Buffer.from(twice, 'latin1'))).toBeNull();
    expect(signerOf(Buffer.from(text.replace(`${header}\n`, ''), 'latin1'))).toBeNull();
    expect(signerOf(new Uint8Array())).toBeNull();
  });

  it('takes no signature that was made for another purpose', async () => {
    const text = commit.toString('latin1');
    const [, header = ''] = /\n(gpgsig[\s\S]*?SIGNATURE-----)\n/.exec(text) ?? [];
    const bare = Buffer.from(text.replace(`${header}\n`, ''), 'latin1');
    const blob = Buffer.from(await key.sign(bare)).toString('base64');
    const wrapped = (blob.match(/.{1,70}/g) ?? []).map((line) => ` ${line}`).join('\n');
    const word = hash === 'sha1' ? 'gpgsig' : 'gpgsig-sha256';
    const own = `${word} -----BEGIN SSH SIGNATURE-----\n${wrapped}\n -----END SSH SIGNATURE-----`;
    expect(signerOf(Buffer.from(text.replace(header, own), 'latin1'))).toBeNull();
  });
});
