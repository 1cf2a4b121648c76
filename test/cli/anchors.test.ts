/** `liftgate ledger anchor`, `verify --require anchored` and `liftgate statement`, with the built binary, git and openssl. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { formatNoteKey } from '../../src/base/trust.ts';
import { experimentAttributes } from '../../src/store/git-attributes.ts';
import { openSigner } from '../../src/store/signing.ts';
import { makeAuthority, stamp } from '../support/authority.ts';
import { type Ended, liftgate } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { SmallExperiment } from '../support/workspace.ts';

const folder = temporaryFolders();
let workspace: string;

const call = (...words: string[]): Promise<Ended> => liftgate(workspace, ...words);
const run = (program: string, ...words: string[]): string =>
  execFileSync(program, words, { cwd: workspace, encoding: 'utf8', stdio: 'pipe' });
const git = (...words: string[]): string =>
  run('git', '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words);

async function keyNamed(name: string): Promise<string> {
  const file = join(workspace, `${name}.pem`);
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', file], { stdio: 'pipe' });
  return formatNoteKey(await openSigner({ file, name }));
}

/** What `verify --require anchored` says of the demand, and its exit code. */
async function anchored(...words: string[]): Promise<{ exitCode: number | null; said: string }> {
  const { exitCode, stdout } = await call('verify', 'small/run', '--require', 'anchored', ...words);
  return { exitCode, said: /^(?:ok {2}|FAIL) anchored .*\n +(.*)$/m.exec(stdout)?.[1] ?? stdout };
}

beforeAll(async () => {
  const experiment = new SmallExperiment(await folder());
  ({ workspace } = experiment);
  writeFileSync(join(workspace, '.gitattributes'), experimentAttributes);
  git('init', '-q', '-b', 'main');
  writeFileSync(join(workspace, 'keys.txt'), `${await keyNamed('alice')}\n`);
  writeFileSync(join(workspace, 'others.txt'), `${await keyNamed('bob')}\n`);
  makeAuthority(workspace);
  expect((await experiment.run()).exitCode).toBe(0);
  git('add', 'small', 'ledger', '.gitattributes');
  git('commit', '-q', '-m', 'measured');
});

describe('verify --require anchored', () => {
  test('fails with one reason while nothing lies outside', async () => {
    const { exitCode, stdout } = await call(
      'verify',
      'small/run',
      '--require',
      'anchored',
      '--json',
    );
    expect(exitCode).toBe(41);
    const { checks } = JSON.parse(stdout) as { checks: { id: string; problems: unknown[] }[] };
    expect(checks.at(-1)).toMatchObject({
      id: 'anchored',
      problems: [{ code: 'anchor-missing', message: expect.stringContaining('(there is none)') }],
    });
  });

  test('holds by a commit that the reader knows, and by no other', async () => {
    const id = git('rev-parse', 'HEAD').trim();
    const made = await call('ledger', 'anchor', '--commit', 'HEAD');
    expect(made.stdout).toMatch(
      /^anchored the first \d+ entries by commit [0-9a-f]{40}, in entry \d+$/m,
    );
    expect((await call('ledger', 'verify')).stdout).toContain('RESULT sound');
    expect(await anchored('--commit', id)).toMatchObject({
      exitCode: 0,
      said: expect.stringMatching(new RegExp(`^entry \\d+: \\d+ entries by commit ${id}$`)),
    });
    expect(await anchored()).toMatchObject({
      exitCode: 41,
      said: expect.stringContaining(
        `[anchor-missing] no outside proof that counts for this reader`,
      ),
    });
    expect((await anchored('--commit', '0'.repeat(40))).exitCode).toBe(41);
    expect((await call('ledger', 'anchor', '--commit', 'HEAD')).stdout).toContain(
      '(recorded before)',
    );
    expect((await call('ledger', 'anchor', '--commit', 'nowhere')).exitCode).toBe(64);
  });

  test('holds by a time stamp of an authority that the reader believes', async () => {
    await call('ledger', 'anchor', '--text', 'text.txt');
    stamp(workspace, 'text.txt', 'text.tsr');
    const made = await call('ledger', 'anchor', '--time-stamp', 'text.tsr');
    expect(made.stdout).toMatch(
      /by a time stamp of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, in entry \d+$/m,
    );
    expect((await anchored('--tsa', 'ca.pem')).exitCode).toBe(0);
    expect((await anchored('--tsa', 'tsa.pem')).said).toMatch(/by a time stamp of /);
    const stranger = await anchored('--tsa', 'other.pem');
    expect(stranger.exitCode).toBe(41);
    expect(stranger.said).toContain('nobody the reader trusts certified CN=tsa');
    expect((await anchored('--tsa', 'keys.txt')).exitCode).toBe(64);
    writeFileSync(join(workspace, 'foreign.txt'), 'something else\n');
    stamp(workspace, 'foreign.txt', 'foreign.tsr');
    const foreign = await call('ledger', 'anchor', '--time-stamp', 'foreign.tsr');
    expect([foreign.exitCode, foreign.stderr]).toEqual([
      64,
      expect.stringContaining('It stamps no checkpoint of this ledger.'),
    ]);
  });

  test('holds by a note that a trusted witness signed', async () => {
    const signed = await call(
      'ledger',
      'checkpoint',
      '--key',
      'alice.pem',
      '--name',
      'alice',
      '--json',
    );
    const { file } = JSON.parse(signed.stdout) as { file: string };
    const made = await call('ledger', 'anchor', '--note', file);
    expect(made.stdout).toContain('by a note signed by alice');
    expect((await anchored('--trust', 'keys.txt')).exitCode).toBe(0);
    const { exitCode, said } = await anchored('--trust', 'others.txt');
    expect([exitCode, said]).toEqual([
      41,
      expect.stringContaining('nobody trusted signed the note'),
    ]);
  });

  test('travels in a bundle', async () => {
    expect((await call('bundle', 'small/run', '--out', 'run.tar')).exitCode).toBe(0);
    const demanded = ['verify', join(workspace, 'run.tar'), '--require', 'anchored'];
    const away = await folder();
    expect((await liftgate(away, ...demanded, '--tsa', join(workspace, 'ca.pem'))).exitCode).toBe(
      0,
    );
    expect((await liftgate(away, ...demanded)).exitCode).toBe(41);
  });

  test('keeps an OpenTimestamps file over the text, and counts it for nothing', async () => {
    await call('ledger', 'anchor', '--text', 'ots.txt');
    const digest = /^([0-9a-f]{64})/.exec(run('sha256sum', 'ots.txt'))?.[1];
    const start = '004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e892940108';
    writeFileSync(join(workspace, 'ots.ots'), Buffer.from(`${start}${digest}f0`, 'hex'));
    expect((await call('ledger', 'anchor', '--ots', 'ots.ots')).exitCode).toBe(0);
    expect((await anchored()).said).toContain('OpenTimestamps files are kept and not checked');
    writeFileSync(join(workspace, 'bad.ots'), Buffer.from(`${start}${'00'.repeat(32)}f0`, 'hex'));
    expect((await call('ledger', 'anchor', '--ots', 'bad.ots')).exitCode).toBe(64);
  });
});

describe('liftgate statement', () => {
  test('says what was decided, signed by nobody, and is held against the run', async () => {
    const made = await call('statement', 'small/run', '--out', 'bare.json');
    expect([made.exitCode, made.stderr]).toEqual([0, '']);
    expect(JSON.parse(readFileSync(join(workspace, 'bare.json'), 'utf8'))).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      predicate: {
        stage: 'outcome',
        result: { decisions: [{ candidate: 'new', decision: 'ship' }] },
      },
    });
    const held = await call('verify', 'small/run', '--statement', 'bare.json');
    expect(held.exitCode).toBe(0);
    expect(held.stdout).toContain('stage outcome, signed by nobody: it vouches for nothing');
    const demanded = ['--statement', 'bare.json', '--trust', 'others.txt', '--require', 'signed'];
    expect((await call('verify', 'small/run', ...demanded)).exitCode).toBe(41);
    const text = readFileSync(join(workspace, 'bare.json'), 'utf8');
    writeFileSync(join(workspace, 'other.json'), text.replace('"exitCode":0', '"exitCode":20'));
    const other = await call('verify', 'small/run', '--statement', 'other.json');
    expect([other.exitCode, other.stdout]).toEqual([
      41,
      expect.stringContaining('[statement-differs] predicate.result differ from this run'),
    ]);
  });

  test('vouches for the outcome once signed, and is the same bytes every time', async () => {
    const sign = ['--sign', 'bob.pem', '--name', 'bob'];
    for (const out of ['first.json', 'second.json'])
      expect((await call('statement', 'small/run', ...sign, '--out', out)).exitCode).toBe(0);
    const bytes = ['first.json', 'second.json'].map((name) => readFileSync(join(workspace, name)));
    expect(bytes[0]).toEqual(bytes[1]);
    const demanded = ['--statement', 'first.json', '--trust', 'others.txt', '--require', 'signed'];
    expect((await call('verify', 'small/run', ...demanded)).exitCode).toBe(0);
    const stranger = ['--statement', 'first.json', '--trust', 'keys.txt'];
    expect((await call('verify', 'small/run', ...stranger)).exitCode).toBe(41);
  });

  test('is refused for a run that does not verify', async () => {
    run('cp', '-r', 'small/run', 'changed');
    writeFileSync(join(workspace, 'changed/summary.md'), 'It may ship.\n');
    const refused = await call('statement', 'changed', '--out', 'no.json');
    expect(refused.exitCode).toBe(41);
    expect(refused.stderr).toContain('The run does not verify, so nothing is stated');
  });
});

describe('a commit signed by SSH', () => {
  test('is believed by its key, and by no other', async () => {
    run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', 'carol', '-f', 'carol');
    const [type, base64] = readFileSync(join(workspace, 'carol.pub'), 'utf8').split(' ');
    writeFileSync(join(workspace, 'carol.txt'), `carol ${type} ${base64}\n`);
    const signing = ['-c', 'gpg.format=ssh', '-c', 'user.signingkey=carol.pub'];
    git('add', 'ledger');
    git(...signing, 'commit', '-q', '-S', '-m', 'signed');
    expect((await call('ledger', 'anchor', '--commit', 'HEAD')).exitCode).toBe(0);
    const believed = await anchored('--trust', 'carol.txt');
    expect(believed.exitCode).toBe(0);
    expect(believed.said).toMatch(/ by commit [0-9a-f]{40}, signed by carol \(ssh-ed25519 SHA256:/);
    const stranger = await anchored('--trust', 'others.txt');
    expect(stranger.exitCode).toBe(41);
    expect(stranger.said).toContain('from elsewhere, and nobody trusted signed it');
  });
});

describe('a key that the ledger has ended', () => {
  test('makes no note an anchor, whoever still trusts it', async () => {
    expect((await anchored('--trust', 'keys.txt')).exitCode).toBe(0);
    const add = ['--key', 'alice.pem', '--name', 'alice', '--scopes', 'checkpoint,key'];
    expect((await call('ledger', 'key', 'add', ...add, '--reason', 'first')).exitCode).toBe(0);
    expect((await anchored('--trust', 'keys.txt')).exitCode).toBe(0);
    const by = ['--by', 'alice.pem', '--reason', 'stolen'];
    expect((await call('ledger', 'key', 'revoke', 'alice', ...by)).exitCode).toBe(0);
    expect((await anchored('--trust', 'keys.txt')).exitCode).toBe(41);
  });
});
