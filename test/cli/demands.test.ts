/** Policies that want entries signed and anchored, from the command line. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { experimentAttributes } from '../../src/store/git-attributes.ts';
import { type Ended, liftgate } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { SmallExperiment } from '../support/workspace.ts';

const folder = temporaryFolders();
let experiment: SmallExperiment;

const ledger = (...words: string[]): Promise<Ended> =>
  liftgate(experiment.workspace, 'ledger', ...words);
const git = (...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], {
    cwd: experiment.workspace,
    encoding: 'utf8',
  });

const family = 'texts';
const signed = ['--entry-key', 'desk.pem'];

async function anchorCommit(): Promise<void> {
  git('add', 'ledger', '.gitattributes');
  git('commit', '-q', '-m', 'ledger');
  expect((await ledger('anchor', '--commit', 'HEAD')).exitCode).toBe(0);
}

beforeAll(async () => {
  experiment = new SmallExperiment(await folder());
  const { workspace } = experiment;
  writeFileSync(join(workspace, '.gitattributes'), experimentAttributes);
  git('init', '-q', '-b', 'main');
  for (const name of ['desk', 'other']) {
    const file = join(workspace, `${name}.pem`);
    execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', file], { stdio: 'pipe' });
  }
  expect((await experiment.call('seal')).exitCode).toBe(0);
  const words = ['--key', 'desk.pem', '--name', 'desk', '--reason', 'r'];
  expect((await ledger('key', 'add', ...words, '--scopes', 'key,entry')).exitCode).toBe(0);
});

describe('liftgate ledger policy --require-signature --require-anchor', () => {
  test('is refused unsigned, recorded when signed, and held from then on', async () => {
    const demands = ['policy', family, '--require-signature', '--require-anchor'];
    const unsigned = await ledger(...demands);
    expect(unsigned.exitCode).toBe(42);
    expect(unsigned.stderr).toContain('wants this policy entry signed, and nobody signed it');
    const foreign = await ledger(...demands, '--entry-key', 'other.pem');
    expect(foreign.exitCode).toBe(42);
    expect(foreign.stderr).toContain('which the ledger does not know');
    const recorded = await ledger(...demands, ...signed, '--json');
    expect(recorded.exitCode).toBe(0);
    expect(JSON.parse(recorded.stdout)).toMatchObject({
      policy: { requireSignature: true, requireAnchor: true },
    });
    expect((await experiment.call('reserve')).exitCode).toBe(42);
  });

  test('stops a run until reservation and exposure are anchored, and measures nothing before', async () => {
    const first = await experiment.run(...signed);
    expect(first.exitCode).toBe(42);
    expect(first.stderr).toContain('are reserved and not yet exposed: their policy wants entry');
    await anchorCommit();
    const second = await experiment.run(...signed);
    expect(second.exitCode).toBe(42);
    expect(second.stderr).toContain('are exposed and not yet measured: their policy wants entry');
    expect(experiment.text('run/journal.jsonl')).toBe('');
    expect((await experiment.run(...signed)).exitCode).toBe(42);
    await anchorCommit();
    const unsigned = await experiment.run();
    expect(unsigned.exitCode).toBe(42);
    expect(unsigned.stderr).toContain('wants this attempt entry signed');
    expect((await experiment.run(...signed)).exitCode).toBe(0);
    const verified = await experiment.verify();
    expect(verified.exitCode).toBe(0);
    expect((await ledger('verify')).stdout).toContain('ok   I16 where a policy wants anchors');
  });

  test('lets nobody without the key void the outcome', async () => {
    const words = ['void', 'small', '--reason', 'r'];
    expect((await ledger(...words)).exitCode).toBe(42);
    expect((await ledger(...words, ...signed)).exitCode).toBe(0);
  });
});
