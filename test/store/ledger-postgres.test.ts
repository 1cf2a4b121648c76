import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Digest, digestHex } from '../../src/base/digest.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { ledgerExists, openLedger } from '../../src/store/ledger-folder.ts';
import { postgresStore } from '../../src/store/ledger-postgres.ts';
import { parsePostgresUrl } from '../../src/store/postgres-place.ts';
import { ledgerTables } from '../../src/store/postgres-server.ts';
import { projectFolder } from '../support/cli.ts';
import { describeLedgerStore, watched } from '../support/ledger-conformance.ts';
import { operationsArbitrary, runOperations } from '../support/ledger-operations.ts';
import {
  bytesOf,
  countingPorts,
  digestNamed,
  recordPlan,
  reserve,
  tellStory,
  unitsNamed,
} from '../support/ledger-story.ts';
import { hasPostgres, testServer } from '../support/postgres.ts';
import { refusalOf } from '../support/refusal.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const newFolder = temporaryFolders();

describe.skipIf(!hasPostgres)('a ledger in PostgreSQL', () => {
  const server = testServer({ wal_writer_delay: '10s' });
  let ledgers = 0;
  const newName = () => {
    ledgers += 1;
    return `ledger-${ledgers}`;
  };
  const newLedger = () => openLedger(server().url(newName()), countingPorts());

  /** A database of its own, with the tables of a told ledger in it. */
  async function toldDatabase(): Promise<string> {
    const database = `told_${newName().replace('-', '_')}`;
    await server().query(`CREATE DATABASE ${database}`);
    await tellStory(openLedger(server().url('main', { database }), countingPorts()));
    return database;
  }

  describeLedgerStore(
    'PostgreSQL',
    () => {
      const url = server().url(newName());
      return Promise.resolve({ open: () => postgresStore(url) });
    },
    1,
  );

  describe('beside memory and folder', () => {
    it('gives the same answers and holds the same bytes after one random sequence, objects included', async () => {
      await fc.assert(
        fc.asyncProperty(operationsArbitrary, async (operations) => {
          const folder = join(await newFolder(), 'ledger');
          const name = newName();
          const stored = new Set<Digest>();
          const memory = watched(memoryLedger(countingPorts()), stored);
          const files = openLedger(folder, countingPorts());
          const tables = openLedger(server().url(name), countingPorts());
          const answers = await runOperations(() => memory, operations);
          expect(await runOperations(() => files, operations)).toEqual(answers);
          expect(await runOperations(() => tables, operations)).toEqual(answers);
          expect(await hexOfRows('ledger_entry', 'seq', name)).toEqual(
            await hexOfFiles(join(folder, 'log')),
          );
          expect(await hexOfRows('ledger_object', 'id', name)).toEqual(
            await hexOfFiles(join(folder, 'objects')),
          );
          const entries = await memory.entries();
          expect((await hexOfFiles(join(folder, 'log'))).length).toBe(entries.length);
          expect((await readdir(join(folder, 'objects'))).sort()).toEqual(
            [...stored].map(digestHex).sort(),
          );
        }),
        { seed: 20261130, numRuns: 2 },
      );
    }, 180_000);

    async function hexOfFiles(folder: string): Promise<string[]> {
      const names = (await readdir(folder)).sort();
      return Promise.all(names.map((name) => readFile(join(folder, name), 'hex')));
    }

    async function hexOfRows(table: string, order: string, ledger: string): Promise<unknown[]> {
      const rows = await server().query(
        `SELECT encode(bytes, 'hex') AS hex FROM liftgate.${table} WHERE ledger = '${ledger}' ORDER BY ${order}`,
      );
      return rows.map((row) => row['hex']);
    }
  });

  describe('openLedger', () => {
    it('takes a URL, makes nothing by reading and everything with the first write', async () => {
      await server().query('CREATE DATABASE fresh');
      const url = server().url('main', { database: 'fresh' });
      const ledger = openLedger(url);
      expect(await ledgerExists(url)).toBe(false);
      expect((await ledger.state()).chain.size).toBe(0);
      expect((await ledger.verify()).ok).toBe(true);
      expect(await ledger.object(digestNamed('x'))).toBeNull();
      const schemas = "SELECT nspname FROM pg_namespace WHERE nspname = 'liftgate'";
      expect(await server().query(schemas, { database: 'fresh' })).toEqual([]);
      await recordPlan(ledger, 'e');
      expect(await ledgerExists(url)).toBe(true);
      expect((await openLedger(url).entries()).map(({ entry }) => entry.kind)).toEqual([
        'genesis',
        'seal',
      ]);
    });

    it('keeps ledgers of different names in one database apart, objects included', async () => {
      const [first, second] = [newLedger(), newLedger()];
      const digest = await first.putObject(bytesOf('only here\n'));
      expect(await second.object(digest)).toBeNull();
      await recordPlan(first, 'e');
      expect((await second.state()).chain.size).toBe(0);
    });

    it('replays a request of another client once it is flushed to the disk', async () => {
      const url = server().url(newName());
      const plan = await recordPlan(openLedger(url, countingPorts()), 'e');
      const units = unitsNamed(['u-1']);
      const first = await reserve(openLedger(url, countingPorts()), 'e', plan, units);
      const again = await reserve(openLedger(url, countingPorts()), 'e', plan, units);
      expect([first.replayed, again.replayed]).toEqual([false, true]);
      expect(again.entryId).toBe(first.entryId);
      expect((await openLedger(url).entries()).length).toBe(3);
    });

    it('brings back an object larger than one fetch', async () => {
      const ledger = newLedger();
      const bytes = new Uint8Array(33_554_432 + 5).fill(7);
      bytes[33_554_432] = 1;
      const digest = await ledger.putObject(bytes);
      expect(Buffer.compare((await ledger.object(digest)) ?? new Uint8Array(), bytes)).toBe(0);
    });
  });

  describe('the store', () => {
    it('flushes what a session that does not wait for the disk has committed', async () => {
      const name = newName();
      const store = postgresStore(server().url(name));
      await store.putIfAbsent(0, bytesOf('first\n'));
      const careless = await server().connect();
      await careless.query('SET synchronous_commit = off');
      await careless.query(
        `INSERT INTO liftgate.ledger_entry SELECT ledger, 1, sha256('\\x02'), id, '\\x02' FROM liftgate.ledger_entry WHERE ledger = '${name}'`,
      );
      const { rows } = await careless.query('SELECT pg_current_wal_insert_lsn() AS lsn');
      const flushed = async () => {
        const text = `SELECT pg_current_wal_flush_lsn() >= '${rows[0].lsn}' AS flushed`;
        return (await server().query(text))[0]?.['flushed'];
      };
      expect(await flushed()).toBe(false);
      expect(await store.listEntries()).toBe(2);
      await store.syncEntry(1);
      expect(await flushed()).toBe(true);
      await careless.end();
    });

    it('leaves no gap: a number beyond the next is not taken', async () => {
      const store = postgresStore(server().url(newName()));
      expect(await store.putIfAbsent(1, bytesOf('second\n'))).toBe(false);
      expect(await store.putIfAbsent(0, bytesOf('first\n'))).toBe(true);
      expect(await store.putIfAbsent(2, bytesOf('third\n'))).toBe(false);
      expect(await store.listEntries()).toBe(1);
    });

    it('follows thousands of entries in fetches of 64, and only the new ones later', async () => {
      const name = newName();
      const store = postgresStore(server().url(name));
      await store.putIfAbsent(0, bytesOf('0\n'));
      await server().query(`DO $$ BEGIN FOR n IN 1..1000 LOOP
        INSERT INTO liftgate.ledger_entry SELECT ledger, n, sha256(convert_to(n || E'\\n', 'UTF8')), id, convert_to(n || E'\\n', 'UTF8')
        FROM liftgate.ledger_entry WHERE ledger = '${name}' AND seq = n - 1; END LOOP; END $$`);
      expect(await store.listEntries()).toBe(1001);
      for (let seq = 0; seq <= 1000; seq += 1)
        expect(await store.readEntry(seq)).toEqual(bytesOf(`${seq}\n`));
      expect(await store.putIfAbsent(1001, bytesOf('1001\n'))).toBe(true);
      expect(await store.listEntries(1001)).toBe(1002);
      expect(await store.readEntry(1000)).toEqual(bytesOf('1000\n'));
      expect(await store.readEntry(1001)).toEqual(bytesOf('1001\n'));
    });
  });

  describe('the tables', () => {
    it('are the ones the documentation shows, and its audit finds what was rewritten', async () => {
      const text = await readFile(join(projectFolder, 'docs/ledger-postgres.md'), 'utf8');
      const [tables, , audit = ''] = [...text.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql);
      expect(tables).toBe(ledgerTables);
      const [digests = '', chain = ''] = audit.split(';');
      const database = await toldDatabase();
      const found = async () => [
        (await server().query(digests, { database })).length,
        (await server().query(chain, { database })).length,
      ];
      expect(await found()).toEqual([0, 0]);
      await server().query(
        `ALTER TABLE liftgate.ledger_entry DISABLE TRIGGER append_only;
         ALTER TABLE liftgate.ledger_entry DROP CONSTRAINT ledger_entry_check;
         UPDATE liftgate.ledger_entry SET bytes = overlay(bytes PLACING convert_to('sha256:x', 'UTF8')
           FROM position(convert_to('sha256:', 'UTF8') IN bytes)) WHERE seq = 7`,
        { database },
      );
      expect((await found())[0]).toBe(1);
    });

    it.each([
      ["UPDATE liftgate.ledger_entry SET bytes = '\\x01'", 'UPDATE of ledger_entry'],
      ['UPDATE liftgate.ledger_entry SET seq = seq WHERE false', 'UPDATE of ledger_entry'],
      ['DELETE FROM liftgate.ledger_entry', 'DELETE of ledger_entry'],
      ['TRUNCATE liftgate.ledger_entry', 'TRUNCATE of ledger_entry'],
      ["UPDATE liftgate.ledger_object SET bytes = '\\x01'", 'UPDATE of ledger_object'],
      ['DELETE FROM liftgate.ledger_object', 'DELETE of ledger_object'],
      ['TRUNCATE liftgate.ledger_object', 'TRUNCATE of ledger_object'],
      [
        "SET session_replication_role = 'replica'; DELETE FROM liftgate.ledger_entry",
        'DELETE of ledger_entry',
      ],
    ])('refuse even their owner: %s', async (statement, what) => {
      const ledger = newLedger();
      await recordPlan(ledger, 'e');
      await expect(server().query(statement)).rejects.toThrow(
        `${what} is refused: a ledger is only appended to`,
      );
      expect((await ledger.verify()).ok).toBe(true);
    });

    it.each([
      ['a wrong digest', "2, sha256('\\x00'), id, '\\x01'", 'check constraint'],
      ['a gap', "9, sha256('\\x01'), sha256('\\x09'), '\\x01'", 'foreign key constraint'],
      ['a second start', "0, sha256('\\x01'), NULL, '\\x01'", 'duplicate key'],
      ['no predecessor', "2, sha256('\\x01'), NULL, '\\x01'", 'check constraint'],
      ['an entry above 1 MiB', '2, sha256(b), id, b', 'check constraint'],
    ])('refuse an entry written by hand with %s', async (_, values, fault) => {
      const name = newName();
      await recordPlan(openLedger(server().url(name)), 'e');
      const from = `(SELECT decode(repeat('00', 1048577), 'hex') AS b) AS big, liftgate.ledger_entry WHERE ledger = '${name}' AND seq = 1`;
      await expect(
        server().query(`INSERT INTO liftgate.ledger_entry SELECT ledger, ${values} FROM ${from}`),
      ).rejects.toThrow(fault);
    });

    it('serve a role that may only read and insert, and refuse it everything else', async () => {
      await newLedger().putObject(bytesOf('made\n'));
      await server().query(
        'CREATE ROLE writer LOGIN; GRANT USAGE ON SCHEMA liftgate TO writer; GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA liftgate TO writer',
      );
      const user = { user: 'writer' };
      const url = server().url(newName(), user);
      await tellStory(openLedger(url, countingPorts()));
      expect((await openLedger(url).verify()).problems).toEqual([]);
      for (const statement of [
        'DELETE FROM liftgate.ledger_entry',
        'TRUNCATE liftgate.ledger_object',
        "UPDATE liftgate.ledger_entry SET bytes = '\\x01'",
        'ALTER TABLE liftgate.ledger_entry DISABLE TRIGGER append_only',
        'DROP TRIGGER append_only ON liftgate.ledger_entry',
      ]) {
        await expect(server().query(statement, user)).rejects.toThrow(
          /permission denied|must be owner/,
        );
      }
    });

    it.each([
      [
        'ALTER TABLE liftgate.ledger_entry DISABLE TRIGGER append_only',
        'entry has lost its append-only trigger',
      ],
      [
        'ALTER TABLE liftgate.ledger_object ENABLE TRIGGER append_only',
        'object has lost its append-only trigger',
      ],
      [
        'DROP TRIGGER append_only ON liftgate.ledger_object',
        'object has lost its append-only trigger',
      ],
      ['ALTER TABLE liftgate.ledger_entry SET UNLOGGED', 'entry is not a logged table'],
      [
        'ALTER TABLE liftgate.ledger_object DROP CONSTRAINT ledger_object_pkey',
        'object has no primary key',
      ],
    ])('are not used after %s', async (statement, fault) => {
      const database = await toldDatabase();
      await server().query(statement, { database });
      const url = server().url('main', { database });
      const error = await refusalOf(openLedger(url).state());
      expect(error).toMatchObject({
        code: 'ledger-unsafe',
        exitCode: 42,
        message: `The table liftgate.ledger_${fault}.`,
        where: { file: parsePostgresUrl(url).shown },
      });
      expect(error.mend).toMatch(
        /^Find out who changed it; let the owner of the tables restore them/,
      );
    });

    it('show what an owner took out or changed', async () => {
      const database = await toldDatabase();
      const url = server().url('main', { database });
      const open = openLedger(url);
      await open.state();
      const rewrite = async (statements: string) => {
        const enabled = (word: string) =>
          `ALTER TABLE liftgate.ledger_entry ${word} TRIGGER append_only; ALTER TABLE liftgate.ledger_object ${word} TRIGGER append_only;`;
        await server().query(`${enabled('DISABLE')}${statements};${enabled('ENABLE ALWAYS')}`, {
          database,
        });
      };
      await rewrite('UPDATE liftgate.ledger_object SET id = id, bytes = bytes WHERE false');
      expect((await openLedger(url).verify()).ok).toBe(true);
      const object = 'SELECT id FROM liftgate.ledger_object ORDER BY id LIMIT 1';
      await rewrite(
        `ALTER TABLE liftgate.ledger_object DROP CONSTRAINT ledger_object_check; UPDATE liftgate.ledger_object SET bytes = '\\x00' WHERE id = (${object})`,
      );
      const changed = await openLedger(url).verify();
      expect(new Set(changed.problems.map(({ code }) => code))).toEqual(new Set(['I12']));
      expect(changed.problems[0]?.message).toContain(
        `The object's bytes have the digest ${digestNamed('\0')}`,
      );
      await rewrite('DELETE FROM liftgate.ledger_entry WHERE seq = 16');
      expect(await refusalOf(open.state())).toMatchObject({
        code: 'ledger-unsafe',
        message: 'The ledger has 16 entries; 17 were there before.',
      });
      await rewrite(
        'ALTER TABLE liftgate.ledger_entry DROP CONSTRAINT ledger_entry_ledger_prev_fkey; DELETE FROM liftgate.ledger_entry WHERE seq = 3',
      );
      const error = await refusalOf(openLedger(url).state());
      expect(error.code).toBe('ledger-damaged');
      expect(error.message).toBe(
        'The last entry has number 15, but 1 of the numbers from 0 to it are missing.',
      );
      expect((await openLedger(url).verify()).ok).toBe(false);
      expect(await ledgerExists(url)).toBe(true);
    });
  });
});
