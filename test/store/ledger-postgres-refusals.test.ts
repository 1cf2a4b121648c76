import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/store/ledger-folder.ts';
import { isPostgresUrl, parsePostgresUrl } from '../../src/store/postgres-place.ts';
import { until } from '../support/cli.ts';
import { bytesOf, countingPorts, recordPlan } from '../support/ledger-story.ts';
import { hasPostgres, testServer } from '../support/postgres.ts';
import { refusalOf } from '../support/refusal.ts';

describe.skipIf(!hasPostgres)('a ledger in PostgreSQL', () => {
  const server = testServer();
  let ledgers = 0;
  const newName = () => {
    ledgers += 1;
    return `ledger-${ledgers}`;
  };
  const newLedger = () => openLedger(server().url(newName()), countingPorts());

  describe('a server with unsafe settings', () => {
    const system = async (name: string, value: string) => {
      await server().query(`ALTER SYSTEM SET ${name} = ${value}`);
      await server().query('SELECT pg_reload_conf()');
      for (;;) {
        const [row] = await server().query(`SHOW ${name}`);
        if (row?.[name] === value) return;
      }
    };

    it.each(['fsync', 'full_page_writes', 'synchronous_commit'])(
      'is refused for %s = off before anything is read or written',
      async (name) => {
        const used = newLedger();
        await recordPlan(used, 'e');
        await system(name, 'off');
        try {
          const url = server().url(newName());
          for (const work of [
            () => openLedger(url).state(),
            () => openLedger(url).putObject(bytesOf('x\n')),
            () => recordPlan(used, 'other'),
          ]) {
            const error = await refusalOf(work());
            expect(error.code).toBe('ledger-unsafe');
            expect(error.exitCode).toBe(42);
            expect(error.message).toBe(
              `The PostgreSQL server runs with ${name} = off: it may lose entries it has confirmed.`,
            );
            expect(error.mend).toBe(
              `Set ${name} = on for the server, the database and the role, then repeat the command.`,
            );
          }
        } finally {
          await system(name, 'on');
        }
        await recordPlan(used, 'other');
        expect((await used.state()).chain.size).toBe(3);
      },
    );

    it('is refused for a role that does not wait for the disk', async () => {
      await server().query(
        'CREATE ROLE hasty LOGIN SUPERUSER; ALTER ROLE hasty SET synchronous_commit = off',
      );
      const error = await refusalOf(openLedger(server().url('x', { user: 'hasty' })).state());
      expect(error.message).toMatch(/^The PostgreSQL server runs with synchronous_commit = off/);
    });

    it('is refused for data_sync_retry = on', async () => {
      server().stop('fast');
      server().start({ data_sync_retry: 'on' });
      const error = await refusalOf(newLedger().state());
      expect(error.message).toMatch(/^The PostgreSQL server runs with data_sync_retry = on/);
      expect(error.mend).toMatch(/^Set data_sync_retry = off /);
      server().stop('fast');
      server().start();
      expect((await newLedger().state()).chain.size).toBe(0);
    });
  });

  describe('a server that cannot be used', () => {
    const secret = (url: string) => url.replace('owner@', 'owner:swordfish@');

    it.each([
      [
        'another database',
        () => server().url('a', { database: 'nowhere' }),
        /^The PostgreSQL server refuses this role: database "nowhere" does not exist\.$/,
        /^Name a database and a role that may SELECT and INSERT/,
      ],
      [
        'an unknown role',
        () => server().url('a', { user: 'nobody' }),
        /^The PostgreSQL server refuses this role: role "nobody" does not exist\.$/,
        /^Name a database and a role/,
      ],
      [
        'a socket without a server',
        () => server().url('a').replace(server().folder, '/nowhere'),
        /^The PostgreSQL server of the ledger cannot be reached: connect ENOENT \/nowhere\/\.s\.PGSQL\.5432\.$/,
        /^Start the server or correct the URL, then repeat the command; the same request is recorded once\.$/,
      ],
      [
        'a port nobody listens on',
        () => 'postgres://owner@127.0.0.1:9/postgres',
        /^The PostgreSQL server of the ledger cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:9\.$/,
        /^Start the server/,
      ],
    ])('is told from damage: %s', async (_, url, message, mend) => {
      const error = await refusalOf(openLedger(secret(url())).state());
      expect(error.code).toBe('ledger-unsafe');
      expect(error.exitCode).toBe(42);
      expect(error.message).toMatch(message);
      expect(error.mend).toMatch(mend);
      expect(error.where).toEqual({ file: parsePostgresUrl(url()).shown });
    });

    it('is named when the role may not make the tables, or not write', async () => {
      await server().query('CREATE DATABASE bare; ', {});
      await server().query('CREATE ROLE guest LOGIN');
      const guest = { user: 'guest' };
      const bare = openLedger(server().url('main', { ...guest, database: 'bare' }));
      expect((await bare.state()).chain.size).toBe(0);
      const making = await refusalOf(recordPlan(bare, 'e'));
      expect(making.message).toBe(
        'The PostgreSQL server refuses this role: permission denied for database bare.',
      );
      const reading = await refusalOf(openLedger(server().url('main', guest)).state());
      expect(reading.message).toBe(
        'The PostgreSQL server refuses this role: permission denied for schema liftgate.',
      );
      await server().query(
        'CREATE ROLE reader LOGIN SUPERUSER; ALTER ROLE reader SET default_transaction_read_only = on',
      );
      const writing = await refusalOf(
        recordPlan(openLedger(server().url(newName(), { user: 'reader' })), 'e'),
      );
      expect(writing.message).toBe(
        'The PostgreSQL server only answers reads: cannot execute INSERT in a read-only transaction.',
      );
      expect(writing.mend).toBe('Name the primary server in the URL: entries are written there.');
    });

    it('is reached again after its restart, by the same ledger', async () => {
      const ledger = newLedger();
      await recordPlan(ledger, 'e');
      server().stop();
      expect((await refusalOf(recordPlan(ledger, 'f'))).details['reason']).toBe(
        'server-unreachable',
      );
      server().start();
      await recordPlan(ledger, 'f');
      expect((await ledger.verify()).entries).toBe(3);
    });
  });

  describe('a busy ledger', () => {
    it('is waited for, and given up when the wait is over', async () => {
      const name = newName();
      const url = server().url(name, { more: '&lock_timeout=200' });
      const ledger = openLedger(url);
      await recordPlan(ledger, 'e');
      const holder = await server().connect();
      const [lock] = await locksDuring(() => recordPlan(ledger, 'f'));
      await holder.query('SELECT pg_advisory_lock($1)', [lock]);
      const error = await refusalOf(recordPlan(ledger, 'g'));
      expect(error).toMatchObject({
        code: 'ledger-busy',
        exitCode: 42,
        message: 'Other writers kept the ledger busy (55P03).',
        mend: 'Try again; the same request id makes that safe.',
        where: { file: parsePostgresUrl(url).shown },
      });
      expect((await openLedger(url).state()).chain.size).toBe(3);
      const patient = recordPlan(openLedger(server().url(name)), 'g');
      await until('the writer to wait', async () => (await waiting()) > 0);
      await holder.query('SELECT pg_advisory_unlock($1)', [lock]);
      await patient;
      expect((await ledger.state()).chain.size).toBe(4);
      await holder.end();
    });

    async function waiting(): Promise<number> {
      return (
        await server().query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
      ).length;
    }

    /** Keys of the advisory locks a piece of work takes. */
    async function locksDuring(work: () => Promise<unknown>): Promise<string[]> {
      const blocker = await server().connect();
      await blocker.query('BEGIN; LOCK TABLE liftgate.ledger_entry IN SHARE MODE');
      const done = work().catch(() => undefined);
      const held =
        "SELECT ((classid::bigint << 32) | objid::bigint)::text AS key FROM pg_locks WHERE locktype = 'advisory' AND granted";
      let rows: Record<string, unknown>[] = [];
      await until('the lock of the writer', async () => {
        rows = await server().query(held);
        return rows.length > 0;
      });
      await blocker.query('COMMIT');
      await blocker.end();
      await done;
      return rows.map((row) => String(row['key']));
    }
  });
});

describe('the URL of a ledger', () => {
  it.each([
    ['postgres://u@h/db', true],
    ['postgresql:///db?host=/run/sockets', true],
    ['ledger', false],
    ['here/postgres:', false],
    ['https://h/db', false],
  ])('%s is told from a folder: %s', (place, isUrl) => {
    expect(isPostgresUrl(place)).toBe(isUrl);
  });

  it.each([
    ['postgres://u:p@h:5433/db', 'postgres://u@h:5433/db', 'main', 30_000],
    [
      'postgres://u:p%40@/db?host=/run/a&password=x&ledger=team-1',
      'postgres://u@/db?host=/run/a&ledger=team-1',
      'team-1',
      30_000,
    ],
    ['postgres://u:p@w@h/db?lock_timeout=500', 'postgres://u@h/db', 'main', 500],
    ['postgresql:///db?host=/run/a', 'postgresql:///db?host=/run/a', 'main', 30_000],
    [
      'postgres://:p@h/db?sslmode=verify-full&sslpassword=x',
      'postgres://@h/db?sslmode=verify-full',
      'main',
      30_000,
    ],
  ])('%s is shown without its password', (url, shown, ledger, waitMs) => {
    expect(parsePostgresUrl(url)).toMatchObject({ shown, ledger, waitMs });
  });

  it('keeps its own parameters from the server', () => {
    const url = 'postgres://u:p@h/db?ledger=a&host=/run/a&lock_timeout=5';
    expect(parsePostgresUrl(url).connection).toBe('postgres://u:p@h/db?host=/run/a');
  });

  it.each([
    ['ledger=', 'The name of the ledger in its URL cannot be used.'],
    ['ledger=Team', 'The name of the ledger in its URL cannot be used.'],
    ['ledger=a/b', 'The name of the ledger in its URL cannot be used.'],
    [`ledger=${'a'.repeat(64)}`, 'The name of the ledger in its URL cannot be used.'],
    [
      'lock_timeout=0',
      'The lock_timeout in the URL of the ledger is not a number of milliseconds.',
    ],
    [
      'lock_timeout=1s',
      'The lock_timeout in the URL of the ledger is not a number of milliseconds.',
    ],
  ])('is refused with %s', async (query, message) => {
    const open = async () => openLedger(`postgres://u:secret@h/db?${query}`).state();
    const error = await refusalOf(open());
    expect(error.code).toBe('usage');
    expect(error.message).toBe(message);
    expect(error.mend).not.toContain('secret');
  });
});
