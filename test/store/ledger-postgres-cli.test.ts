import { describe, expect, it } from 'vitest';
import { parsePostgresUrl } from '../../src/store/postgres-place.ts';
import { documentOf, type Ended, liftgate, linesOf } from '../support/cli.ts';
import { hasPostgres, testServer } from '../support/postgres.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { allRight, SmallExperiment, smallCases } from '../support/workspace.ts';

const newFolder = temporaryFolders();

describe.skipIf(!hasPostgres)('the commands with --ledger postgres://...', () => {
  const server = testServer();

  /** Runs every command of one experiment's life and keeps what each printed. */
  async function life(
    ledger: string,
  ): Promise<{ readonly small: SmallExperiment; readonly told: Ended[] }> {
    const small = new SmallExperiment(await newFolder(), {
      cases: smallCases(8),
      candidates: { new: allRight },
    });
    const told: Ended[] = [];
    const call = async (...words: string[]) => {
      told.push(await liftgate(small.workspace, ...words, '--ledger', ledger));
    };
    await call('seal', 'small');
    await call('reserve', 'small');
    await call('seal', 'small', '--candidates');
    await call('run', 'small', '--out', 'small/run');
    await call('run', 'small', '--out', 'small/run');
    await call('decide', 'small', '--receipts', 'small/run/journal.jsonl');
    await call('verify', 'small/run');
    await call('ledger', 'list');
    await call('ledger', 'show', '2');
    await call('ledger', 'verify');
    await call('ledger', 'release', 'small', '--reason', 'too late');
    await call('ledger', 'void', 'small', '--reason', 'scorer bug');
    await call('verify', 'small/run');
    return { small, told };
  }

  /** What two lives share: all but times, digests and the progress of the run. */
  const constant = ({ stdout, stderr, exitCode }: Ended) =>
    [`exit ${exitCode}`, stdout, stderr.replaceAll(/^\d+\/\d+ cells.*\n/gm, '')]
      .join('\n')
      .replaceAll(/sha256:[0-9a-f]+|\b[0-9a-f]{12,64}\b/g, 'DIGEST')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/\d+(?:\.\d+)? ?m?s\b/g, 'DURATION');

  it('print what they print with a folder, from the seal to the voided outcome', async () => {
    const url = server().url('life');
    const [inTables, inFolder] = await Promise.all([life(url), life('ledger')]);
    expect(inTables.told.map(({ exitCode }) => exitCode)).toEqual([
      0, 0, 0, 0, 0, 20, 0, 0, 0, 0, 42, 0, 41,
    ]);
    expect(inTables.told.map(constant)).toEqual(inFolder.told.map(constant));
    const listed = await liftgate(inTables.small.workspace, 'ledger', 'list', '--ledger', url);
    const kinds = linesOf(listed.stdout)
      .slice(1)
      .map((line) => line.split(/ +/)[1]);
    expect(kinds).toContain('expose');
    expect(kinds.at(-1)).toBe('void');
  }, 180_000);

  it('refuse units that another machine has spent, naming the owner', async () => {
    const url = server().url('shared');
    const first = new SmallExperiment(await newFolder(), { name: 'first' });
    const second = new SmallExperiment(await newFolder(), { name: 'second' });
    expect((await first.run('--ledger', url)).exitCode).toBe(0);
    const { exitCode, stderr } = await second.run('--ledger', url);
    expect(exitCode).toBe(42);
    expect(stderr).toContain('[ledger-conflict]');
    expect(stderr).toContain('units are exposed by experiment "first"');
  });

  it.each(['ledger list', 'ledger verify', 'ledger show 0'])(
    'say that there is no ledger: %s',
    async (words) => {
      const small = new SmallExperiment(await newFolder());
      const url = server().url('none').replace('owner@', 'owner:swordfish@');
      const { exitCode, stderr } = await liftgate(
        small.workspace,
        ...words.split(' '),
        '--ledger',
        url,
      );
      expect(exitCode).toBe(42);
      expect(stderr).toMatch(
        /ledger=none \[ledger-damaged\]\n {2}There is no ledger here\.\n {2}Name the ledger with --ledger/,
      );
      expect(stderr).not.toContain('swordfish');
    },
  );

  it("end with 42 and the server's own words when it is away, and leave nothing half done", async () => {
    const url = server().url('away').replace('owner@', 'owner:swordfish@');
    const small = new SmallExperiment(await newFolder());
    server().stop();
    const ended = await small.run('--ledger', url);
    expect(ended.exitCode).toBe(42);
    expect(ended.stderr).toContain(
      '[ledger-unsafe]\n  The PostgreSQL server of the ledger cannot be reached: connect ENOENT ',
    );
    expect(ended.stderr).not.toContain('swordfish');
    const json = await liftgate(small.workspace, 'ledger', 'list', '--json', '--ledger', url);
    expect(json.exitCode).toBe(42);
    expect(documentOf(json)).toMatchObject({
      error: { code: 'ledger-unsafe', exitCode: 42, where: { file: parsePostgresUrl(url).shown } },
    });
    expect(json.stdout).not.toContain('swordfish');
    server().start();
    expect(small.executions()).toEqual([]);
    expect((await small.run('--ledger', url)).exitCode).toBe(0);
  });

  it('end with 42 when other writers keep the ledger busy', async () => {
    const url = server().url('busy', { more: '&lock_timeout=300' });
    const small = new SmallExperiment(await newFolder());
    expect((await small.call('seal', '--ledger', url)).exitCode).toBe(0);
    const holder = await server().connect();
    await holder.query('BEGIN; LOCK TABLE liftgate.ledger_entry IN SHARE MODE');
    const { exitCode, stderr } = await small.call('reserve', '--ledger', url);
    expect(exitCode).toBe(42);
    expect(stderr).toContain(
      '[ledger-busy]\n  Other writers kept the ledger busy (55P03).\n  Try again;',
    );
    await holder.query('ROLLBACK');
    await holder.end();
    expect((await small.call('reserve', '--ledger', url)).exitCode).toBe(0);
  });
});
