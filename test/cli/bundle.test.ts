/** `liftgate bundle`, `liftgate verify` of what it wrote, signed checkpoints and statements, with the built binary. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { formatNoteKey } from '../../src/base/trust.ts';
import { openSigner } from '../../src/store/signing.ts';
import { type Ended, liftgate, projectFolder, startProgram } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { SmallExperiment } from '../support/workspace.ts';

const folder = temporaryFolders();
let workspace: string;
let elsewhere: string;
let pin: string;

const call = (...words: string[]): Promise<Ended> => liftgate(workspace, ...words);
const away = (...words: string[]): Promise<Ended> => liftgate(elsewhere, ...words);

/** Makes an ed25519 key and returns its line for a trust list. */
async function keyNamed(name: string): Promise<string> {
  const file = join(workspace, `${name}.pem`);
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', file], { stdio: 'pipe' });
  return formatNoteKey(await openSigner({ file, name }));
}

beforeAll(async () => {
  const experiment = new SmallExperiment(await folder());
  workspace = experiment.workspace;
  elsewhere = await folder();
  const keys = [await keyNamed('alice'), await keyNamed('ci')];
  writeFileSync(join(workspace, 'keys.txt'), `${keys.join('\n')}\n`);
  writeFileSync(join(workspace, 'ci-only.txt'), `${keys[1]}\n`);
  const sealed = await experiment.call(
    'seal',
    '--candidates',
    '--sign',
    'alice.pem',
    '--name',
    'alice',
  );
  expect(sealed.exitCode).toBe(0);
  expect(sealed.stdout).toContain('small.seal.dsse.json: signed by alice (ssh-ed25519 SHA256:');
  expect((await experiment.run()).exitCode).toBe(0);
  const { stdout } = await call('bundle', 'small/run', '--out', 'plain.tar');
  pin = / --pin (\S+)/.exec(stdout)?.[1] ?? '';
});

describe.concurrent('liftgate bundle', () => {
  test('writes the same bytes from another folder, in another time zone and language', async () => {
    const first = readFileSync(join(workspace, 'plain.tar'));
    const bundled = startProgram(elsewhere, [
      'env',
      'TZ=Pacific/Kiritimati',
      'LC_ALL=tr_TR.UTF-8',
      process.execPath,
      join(projectFolder, 'bin/liftgate.js'),
      'bundle',
      join(workspace, 'small/run'),
      '--ledger',
      join(workspace, 'ledger'),
      '--out',
      'other.tar',
    ]);
    const { exitCode, stdout } = await bundled.ended;
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`check it anywhere: liftgate verify other.tar --pin ${pin}`);
    expect(readFileSync(join(elsewhere, 'other.tar')).equals(first)).toBe(true);
  });

  test('is opened by tar: run and ledger come out as they were', async () => {
    const at = await folder();
    execFileSync('tar', ['-xf', join(workspace, 'plain.tar')], { cwd: at });
    for (const name of readdirSync(join(workspace, 'small/run')))
      expect(readFileSync(join(at, 'run', name))).toEqual(
        readFileSync(join(workspace, 'small/run', name)),
      );
    const verified = await liftgate(at, 'verify', 'run');
    expect(verified.exitCode).toBe(0);
    expect(verified.stdout).toContain('\nRESULT confirmed\n');
  });

  test('names its file after experiment and seal, and says so in JSON', async () => {
    const { exitCode, stdout } = await liftgate(
      elsewhere,
      'bundle',
      join(workspace, 'small/run'),
      '--ledger',
      join(workspace, 'ledger'),
      '--json',
    );
    expect(exitCode).toBe(0);
    const { file, size, entries, head } = JSON.parse(stdout);
    expect(file).toMatch(/^small-[0-9a-f]{12}\.bundle\.tar$/);
    expect(size).toBe(statSync(join(elsewhere, file)).size);
    expect(`${entries}:${head}`).toBe(pin);
  });

  test('writes nothing for a run that does not verify: 41', async () => {
    const at = await folder();
    execFileSync('cp', ['-r', join(workspace, 'small'), join(workspace, 'ledger'), at]);
    writeFileSync(join(at, 'small/run/summary.md'), 'All is well.\n');
    const { exitCode, stderr } = await liftgate(at, 'bundle', 'small/run', '--out', 'x.tar');
    expect(exitCode).toBe(41);
    expect(stderr).toContain('The run does not verify, so it is not bundled:');
    expect(stderr).toContain('[files-differ] summary.md has other bytes than recorded');
    expect(existsSync(join(at, 'x.tar'))).toBe(false);
  });

  test('says where it cannot write: 64', async () => {
    const { exitCode, stderr } = await call('bundle', 'small/run', '--out', 'no/such/x.tar');
    expect(exitCode).toBe(64);
    expect(stderr).toBe(
      'no/such/x.tar [usage]\n  The bundle cannot be written.\n  Name a file with --out in a folder that exists, where you may write.\n',
    );
  });
});

describe.concurrent('liftgate verify of a bundle', () => {
  test('needs nothing but the file, and writes nothing', async () => {
    const at = await folder();
    writeFileSync(join(at, 'b.tar'), readFileSync(join(workspace, 'plain.tar')));
    const { exitCode, stdout } = await startProgram(at, [
      'env',
      '-i',
      process.execPath,
      join(projectFolder, 'bin/liftgate.js'),
      'verify',
      'b.tar',
      '--pin',
      pin,
    ]).ended;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^pinned {5}Entries 0 to \d+ are the pinned ones; later entries are unprotected\.$/m,
    );
    expect(stdout).toContain('recomputed: new ship = recorded');
    expect(stdout).toContain('Cannot be checked offline:\n');
    expect(stdout).toContain('\nRESULT confirmed\n');
    expect(readdirSync(at)).toEqual(['b.tar']);
  });

  test('shows a reason per problem: another pin 42, a changed byte 41', async () => {
    const foreign = `2:sha256:${'0'.repeat(64)}`;
    const pinned = await call('verify', 'plain.tar', '--pin', foreign);
    expect(pinned.exitCode).toBe(42);
    expect(pinned.stdout).toMatch(
      /^FAIL ledger .*\n +\[I6\] Entry 1 is sha256:[0-9a-f]+, the pin knows/m,
    );
    expect(pinned.stdout).toContain('\nRESULT does not verify\n');
    const bytes = readFileSync(join(workspace, 'plain.tar'));
    const changed = join(await folder(), 'changed.tar');
    writeFileSync(changed, bytes.fill((bytes[9000] ?? 0) ^ 1, 9000, 9001));
    const mangled = await call('verify', changed);
    expect(mangled.exitCode).toBe(41);
    expect(mangled.stderr).toContain('[run-invalid]\n  This is no bundle as it was made: ');
  });

  test('gives audit and problems in JSON', async () => {
    const { stdout } = await call('verify', 'plain.tar', '--require', 'anchored', '--json');
    const { ok, exitCode, audit, checks } = JSON.parse(stdout);
    expect({ ok, exitCode }).toEqual({ ok: false, exitCode: 41 });
    expect(audit.experiment.recomputed).toEqual({
      decisions: [{ candidate: 'new', decision: 'ship' }],
      asRecorded: true,
    });
    expect(checks.at(-1).problems).toEqual([
      {
        code: 'anchor-missing',
        message: expect.stringContaining('(there is none)'),
      },
    ]);
  });

  test.each([
    [['--require', 'signed'], 'Nobody is trusted, so no signature can count.'],
    [['--require', 'loved', '--trust', 'keys.txt'], '"loved" is nothing that --require knows.'],
    [['--pin', '12'], '"12" is no pin.'],
    [['--trust', 'nowhere.txt'], 'The key file cannot be read.'],
    [['--statement', 'nowhere.json', '--trust', 'keys.txt'], 'The statement cannot be read.'],
  ])('refuses %j: 64', async (words, said) => {
    const { exitCode, stderr } = await call('verify', 'plain.tar', ...words);
    expect(exitCode).toBe(64);
    expect(stderr).toContain(said);
  });

  test('shows its report like that of a run folder', async () => {
    const { exitCode, stdout } = await call('report', 'plain.tar', '--verdicts');
    expect(exitCode).toBe(0);
    expect(stdout).toBe((await call('report', 'small/run', '--verdicts')).stdout);
  });
});

describe('signatures', () => {
  const trusted = ['--trust', 'keys.txt'];

  test('of the seal are checked with the run, and do not vouch for its outcome', async () => {
    const statement = ['--statement', 'small/small.seal.dsse.json'];
    const held = await call('verify', 'small/run', ...statement, ...trusted);
    expect(held.exitCode).toBe(0);
    expect(held.stdout).toMatch(/^ok {3}statement .*\n +stage final, signed by alice /m);
    const foreign = await call('verify', 'small/run', ...statement, '--trust', 'ci-only.txt');
    expect(foreign.exitCode).toBe(41);
    expect(foreign.stdout).toContain('[signature-invalid]');
    const demanded = await call(
      'verify',
      'small/run',
      ...statement,
      ...trusted,
      '--require',
      'signed',
    );
    expect(demanded.exitCode).toBe(41);
    expect(demanded.stdout).toMatch(
      /^FAIL signed .*\n +\[signature-missing\] no trusted key signed/m,
    );
  });

  test('of a checkpoint and a witness travel in the bundle', async () => {
    const unsigned = await call('verify', 'plain.tar', ...trusted, '--require', 'signed');
    expect(unsigned.exitCode).toBe(41);
    const made = await call('ledger', 'checkpoint', '--key', 'alice.pem', '--name', 'alice');
    expect(made.stdout).toContain('signed by alice (ssh-ed25519 SHA256:');
    expect((await call('bundle', 'small/run', '--out', 'signed.tar')).exitCode).toBe(0);
    const one = ['verify', 'signed.tar', ...trusted, '--require', 'signed,witnessed'];
    const alone = await call(...one);
    expect(alone.exitCode).toBe(41);
    expect(alone.stdout).toMatch(/^ok {3}signed /m);
    expect(alone.stdout).toMatch(
      /^FAIL witnessed .*\n +\[signature-missing\] only alice .* vouches for it$/m,
    );
    const witness = ['ledger', 'witness', '--key', 'ci.pem', '--name', 'ci', '--state', 'memory'];
    expect((await call(...witness, ...trusted)).exitCode).toBe(0);
    expect((await call('bundle', 'small/run', '--out', 'both.tar')).exitCode).toBe(0);
    const both = await call('verify', 'both.tar', ...trusted, '--require', 'signed,witnessed');
    expect(both.exitCode).toBe(0);
    expect(both.stdout).toMatch(
      /checkpoint \d{8}\.txt: \d+ entries, signed by alice, ci\n +every entry is signed for/,
    );
    const beside = await call('verify', 'small/run', ...trusted, '--require', 'witnessed');
    expect(beside.exitCode).toBe(0);
  });

  test('of checkpoints are demanded of the whole ledger', async () => {
    const verified = ['ledger', 'verify', ...trusted];
    const plain = await call(...verified);
    expect(plain.exitCode).toBe(0);
    expect(plain.stdout).toMatch(/^ok {3}checkpoints .*\n +\d+ entries \(alice, ci\)$/m);
    expect(plain.stdout).toContain('\nRESULT sound\n');
    const met = await call(...verified, '--require', 'signed,witnessed');
    expect(met.exitCode).toBe(0);
    expect(met.stdout).toMatch(/^ok {3}witnessed .*\n +outcomes, entries \d+$/m);
    const foreign = ['ledger', 'verify', '--trust', 'ci-only.txt', '--require', 'witnessed'];
    const alone = await call(...foreign);
    expect(alone.exitCode).toBe(41);
    expect(alone.stdout).toMatch(
      /^FAIL witnessed .*\n +\[signature-missing\] outcome, entry \d+: only ci .* vouches for it$/m,
    );
    expect(alone.stdout).toContain('\nRESULT sound, and not vouched for as demanded\n');
    const json = await call('ledger', 'verify', '--require', 'anchored', '--json');
    expect(json.exitCode).toBe(41);
    const { ok, trust } = JSON.parse(json.stdout);
    expect({ ok, codes: trust.checks.at(-1).problems }).toEqual({
      ok: false,
      codes: [{ code: 'anchor-missing', message: expect.stringContaining('outcome, entry ') }],
    });
  });

  test('are refused where the ledger is another one than its checkpoints show: 42', async () => {
    const at = await folder();
    execFileSync('cp', ['-r', join(workspace, 'ledger'), join(workspace, 'keys.txt'), at]);
    const notes = join(at, 'ledger/checkpoints');
    const [name = ''] = readdirSync(notes);
    const note = readFileSync(join(notes, name), 'utf8').split('\n');
    note[2] = Buffer.alloc(32).toString('base64');
    writeFileSync(join(notes, name), note.join('\n'));
    const other = await liftgate(at, 'ledger', 'verify', ...trusted);
    expect(other.exitCode).toBe(42);
    expect(other.stdout).toContain('[checkpoint-contradicted]');
  });

  test('prove an entry to somebody without the ledger', async () => {
    const { stdout } = await call('ledger', 'prove', '--entry', '2');
    writeFileSync(join(elsewhere, 'proof.json'), stdout);
    writeFileSync(join(elsewhere, 'keys.txt'), readFileSync(join(workspace, 'keys.txt')));
    const proved = await away('ledger', 'check-proof', 'proof.json', ...trusted);
    expect(proved.stdout).toContain('signed by alice, ci\n');
    expect(proved.stdout).toContain('RESULT confirmed\n');
    writeFileSync(join(elsewhere, 'forged.json'), stdout.replace('"index": 2', '"index": 1'));
    expect((await away('ledger', 'check-proof', 'forged.json', ...trusted)).exitCode).toBe(41);
  });

  test('refuse a name without a key, and a key that cannot sign: 64', async () => {
    const named = await call('seal', 'small', '--name', 'alice');
    expect(named.exitCode).toBe(64);
    expect(named.stderr).toContain('Nothing is signed, so a name has no use.');
    const unusable = await call('seal', 'small', '--sign', 'keys.txt', '--name', 'alice');
    expect(unusable.exitCode).toBe(64);
    expect(unusable.stderr).toContain('The key cannot sign');
  });
});
