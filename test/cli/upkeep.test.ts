/** Amendments, signing keys, leaks and retirements from the command line. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentOf, liftgate, linesOf } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { liftGate, SmallExperiment, smallCases } from '../support/workspace.ts';

const folder = temporaryFolders();
const stricter = { spec: { gates: [{ ...liftGate, threshold: 0.05 }] } };

describe.concurrent('liftgate amend', () => {
  test('takes a changed rule into the seal of held units, and the run verifies with it', async () => {
    const experiment = new SmallExperiment(await folder());
    await experiment.call('seal');
    expect((await experiment.call('reserve')).exitCode).toBe(0);
    experiment.write(stricter);
    const drifted = await experiment.call('run');
    expect(drifted.exitCode).toBe(41);
    expect(drifted.stderr).toContain('record the change with `liftgate amend`');
    const words = ['--reason', 'meant 0.05', '--seen', 'alice: the train scores', 'bob: nothing'];
    const amended = await experiment.call('amend', ...words);
    expect(amended.exitCode).toBe(0);
    const shown = linesOf(amended.stdout);
    expect(shown[0]).toMatch(/^plan seal sha256:\w{64} amends sha256:\w{64} in entry 4$/);
    expect(shown).toContain('  changed /spec/gates/0/threshold');
    expect(shown).toContain(
      'seen by then: 0 exposures of the family, 0 final seals of the old plan',
    );
    expect(shown).toContain('  declared: alice: the train scores');
    const run = await experiment.run();
    expect(run.exitCode).toBe(0);
    expect(experiment.text('run/summary.md')).toContain(
      '| /spec/gates/0/threshold, and 9 members that follow from it | meant 0.05 | 0 exposures of the family, 0 final seals of the plan | alice: the train scores; bob: nothing |',
    );
    const verified = await experiment.verify();
    expect(verified.exitCode).toBe(0);
    expect(verified.stdout).toContain('ok   amendments  every amendment of the plan stands');
    expect(verified.stdout).toContain(
      'amended #4: meant 0.05; changed /spec/gates/0/threshold; seen by then: 0 exposures',
    );
    expect(verified.stdout).toContain('declared: alice: the train scores; declared: bob: nothing');
    expect(verified.stdout).toContain('2 plan seals of this name (0 never measured, 1 amended)');
    const kinds = await experiment.ledgerKinds();
    expect(kinds.slice(0, 6)).toEqual(['genesis', 'seal', 'develop', 'reserve', 'amend', 'seal']);
  });

  test('is refused after the exposure (42), without a plan (41) and without a change (64)', async () => {
    const experiment = new SmallExperiment(await folder());
    const unsealed = await experiment.call('amend', '--reason', 'r', '--ledger', 'none');
    expect(unsealed.exitCode).toBe(41);
    expect(unsealed.stderr).toContain('has no plan seal in this ledger');
    expect((await experiment.run()).exitCode).toBe(0);
    experiment.write(stricter);
    const late = await experiment.call('amend', '--reason', 'r');
    expect(late.exitCode).toBe(42);
    expect(late.stderr).toContain('to amend its plan it must be sealed or reserved');
    const other = new SmallExperiment(await folder());
    await other.call('seal');
    const same = await other.call('amend', '--reason', 'r');
    expect(same.exitCode).toBe(64);
    expect(same.stderr).toContain('Nothing that is sealed has changed');
  });

  test('keeps held units as they are, and a plan that was replaced is not sealed again', async () => {
    const experiment = new SmallExperiment(await folder());
    await experiment.call('seal');
    await experiment.call('reserve');
    experiment.write({ cases: smallCases(9) });
    const more = await experiment.call('amend', '--reason', 'one more');
    expect(more.exitCode).toBe(42);
    expect(more.stderr).toContain('while experiment "small" holds its units');
    experiment.write(stricter);
    expect((await experiment.call('amend', '--reason', 'r')).exitCode).toBe(0);
    experiment.write({});
    const back = await experiment.call('seal');
    expect(back.exitCode).toBe(41);
    expect(back.stderr).toContain('gates[0].threshold: sealed 0.05, now 0');
    const again = await experiment.call('amend', '--reason', 'back', '--json');
    expect(documentOf(again)).toMatchObject({ entry: 5, seen: { exposures: [], finals: [] } });
  });
});

describe.concurrent('liftgate ledger key', () => {
  const keysIn = (place: string) => {
    for (const name of ['alice', 'mallory'])
      execFileSync('openssl', [
        'genpkey',
        '-algorithm',
        'ed25519',
        '-out',
        join(place, `${name}.pem`),
      ]);
    for (const name of ['ci', 'ci2'])
      execFileSync('ssh-keygen', [
        ...['-q', '-t', 'ed25519', '-N', '', '-C', 'ci@example.org', '-f', join(place, name)],
      ]);
  };

  test('introduces, replaces and revokes keys, each signed for by one that may', async () => {
    const experiment = new SmallExperiment(await folder());
    const place = experiment.workspace;
    keysIn(place);
    const key = (...words: string[]) => liftgate(place, 'ledger', 'key', ...words);
    const first = ['--key', 'alice.pem', '--name', 'alice', '--reason', 'r'];
    expect((await key('add', ...first, '--scopes', 'key')).exitCode).toBe(42);
    await experiment.call('seal');
    expect((await key('add', ...first, '--scopes', 'checkpoint')).stderr).toContain(
      'The first key must be able to sign for others',
    );
    expect((await key('add', ...first, '--scopes', 'checkpoint,key')).exitCode).toBe(0);
    const mine = ['--key', 'mallory.pem', '--name', 'mallory', '--scopes', 'key', '--reason', 'r'];
    expect((await key('add', ...mine)).exitCode).toBe(42);
    const ci = ['--key', 'ci.pub', '--scopes', 'witness', '--reason', 'r', '--by', 'alice.pem'];
    expect((await key('add', ...ci)).exitCode).toBe(0);
    const turn = ['ci@example.org', '--key', 'ci2.pub', '--by', 'ci', '--reason', 'yearly'];
    expect((await key('rotate', ...turn)).exitCode).toBe(0);
    expect((await key('revoke', 'alice', '--by', 'mallory.pem', '--reason', 'r')).exitCode).toBe(
      42,
    );
    const gone = await key('revoke', 'alice', '--by', 'alice.pem', '--reason', 'stolen');
    expect(gone.exitCode).toBe(0);
    const listed = linesOf((await key('list')).stdout).map((line) =>
      line.replace(/ +SHA256.*/, ''),
    );
    expect(listed.slice(1).map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
      ['alice', 'checkpoint,key', 'entry 2', 'revoked in entry 5'],
      ['ci@example.org', 'witness', 'entry 3', 'rotated in entry 4'],
      ['ci@example.org', 'witness', 'entry 4', 'valid'],
    ]);
    expect((await liftgate(place, 'ledger', 'verify')).exitCode).toBe(0);
    const late = ['--key', 'alice.pem', '--name', 'alice'];
    const checkpoint = await liftgate(place, 'ledger', 'checkpoint', ...late);
    expect(checkpoint.exitCode).toBe(42);
    expect(checkpoint.stderr).toContain('was revoked in entry 5');
  });

  test('refuses words it does not know: 64', async () => {
    const experiment = new SmallExperiment(await folder());
    keysIn(experiment.workspace);
    await experiment.call('seal');
    const add = ['add', '--key', 'alice.pem', '--name', 'a', '--reason', 'r', '--scopes', 'all'];
    const wrong = await liftgate(experiment.workspace, 'ledger', 'key', ...add);
    expect(wrong.exitCode).toBe(64);
    expect(wrong.stderr).toContain('Write one or more of checkpoint, witness, statement, key');
    const nobody = ['revoke', 'bob', '--by', 'alice.pem', '--reason', 'r'];
    expect((await liftgate(experiment.workspace, 'ledger', 'key', ...nobody)).exitCode).toBe(64);
  });
});

describe.concurrent('liftgate ledger leak and retire', () => {
  test('keep listed units from being measured, renamed ones too', async () => {
    const owner = new SmallExperiment(await folder(), { name: 'owner' });
    const place = owner.workspace;
    writeFileSync(join(place, 'units.txt'), 'family-c1\nfamily-c2\n');
    const list = ['texts', '--units', 'units.txt', '--reason', 'posted'];
    const leak = ['ledger', 'leak', ...list, '--source', 'forum', '--experiment', 'owner'];
    expect((await liftgate(place, ...leak)).stdout).toBe(
      'texts: 2 units recorded as known outside in entry 1\n',
    );
    expect((await liftgate(place, ...leak)).stdout).toContain('in entry 1');
    const run = await owner.run();
    expect(run.exitCode).toBe(42);
    expect(run.stderr).toContain('2 of 8 units are known outside since entry 1');
    const renamed = smallCases(8).map((each) => ({
      ...each,
      id: `x-${each.id}`,
      family: `x-${each.family}`,
    }));
    const other = new SmallExperiment(place, { name: 'other', cases: renamed });
    const copy = await other.run();
    expect(copy.exitCode).toBe(42);
    expect(copy.stderr).toContain('renamed copies of units recorded as known outside');
  });

  test('tell whoever holds a leaked unit, and wait for held units before retiring them', async () => {
    const owner = new SmallExperiment(await folder(), { name: 'owner' });
    const place = owner.workspace;
    await owner.call('seal');
    await owner.call('reserve');
    writeFileSync(join(place, 'units.txt'), 'family-c1\r\n\r\n');
    const held = await liftgate(place, 'ledger', 'retire', 'texts', '--reason', 'r');
    expect(held.exitCode).toBe(42);
    expect(held.stderr).toContain('are held by experiment "owner"');
    const list = ['texts', '--units', 'units.txt', '--reason', 'posted', '--source', 'forum'];
    const leak = await liftgate(place, 'ledger', 'leak', ...list);
    expect(leak.stdout).toContain('owner holds some of them and will not be exposed');
    await liftgate(place, 'ledger', 'release', 'owner', '--reason', 'leaked');
    const retired = await liftgate(place, 'ledger', 'retire', 'texts', '--reason', 'r');
    expect(retired.stdout).toBe('texts: the whole family is retired in entry 6\n');
    const { stdout } = await liftgate(place, 'ledger', 'budget');
    expect(stdout).toContain('next look: none, the family was retired in entry 6');
    expect((await owner.call('reserve')).exitCode).toBe(42);
  });

  test.each([
    ['', 'The list names no unit.'],
    ['a\na\n', 'units.txt:2:1'],
    ['a\nA\n', '"A" is the unit "a" again.'],
    [' a\n', 'This line names no unit'],
  ])('refuse the list %j: 64', async (text, told) => {
    const place = await folder();
    writeFileSync(join(place, 'units.txt'), text);
    const words = ['texts', '--units', 'units.txt', '--reason', 'r', '--source', 's'];
    const refused = await liftgate(place, 'ledger', 'leak', ...words);
    expect(refused.exitCode).toBe(64);
    expect(refused.stderr).toContain(told);
  });

  test('refuse a unit that the named experiment does not have, and a file that is not there', async () => {
    const owner = new SmallExperiment(await folder(), { name: 'owner' });
    const place = owner.workspace;
    writeFileSync(join(place, 'units.txt'), 'family-c1\nnobody\n');
    const words = ['retire', 'texts', '--units', 'units.txt', '--reason', 'r'];
    const unknown = await liftgate(place, 'ledger', ...words, '--experiment', 'owner');
    expect(unknown.exitCode).toBe(64);
    expect(unknown.stderr).toContain('The experiment has no case of the unit "nobody".');
    const missing = await liftgate(place, 'ledger', ...words.with(3, 'none.txt'));
    expect(missing.exitCode).toBe(40);
  });
});
