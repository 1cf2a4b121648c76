/**
 * A ledger in PostgreSQL: the bytes of every entry and object as the folder holds them, a row each.
 *
 *     liftgate.ledger_entry  (ledger, seq) -> id = SHA-256 of the bytes, prev = id of the predecessor, bytes
 *     liftgate.ledger_object (ledger, id)  -> bytes
 *
 * The primary key is the compare-and-swap: of two writers of one number the second inserts nothing. An advisory lock lets writers
 * take turns; should it fail them, they race and the key decides. Every row is committed by itself, so what is acknowledged is
 * durable, and a process that dies in its turn leaves an entry or none.
 */
import { type Digest, digestHex, digestOf, sha256 } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { entryFileName } from '../ledger/entry.ts';
import type { LedgerStore } from '../ledger/ledger.ts';
import { type PostgresPlace, parsePostgresUrl } from './postgres-place.ts';
import { PostgresServer } from './postgres-server.ts';

/** Entries fetched at once while a ledger is followed. */
const entriesPerFetch = 64;
/** Bytes of an object fetched at once: the server sends them as text of twice the length. */
const bytesPerFetch = 33_554_432;

const countEntries =
  'SELECT count(*)::int AS count, coalesce(max(seq), -1)::int AS last FROM liftgate.ledger_entry WHERE ledger = $1 AND seq >= $2';
const readEntries =
  'SELECT seq, bytes FROM liftgate.ledger_entry WHERE ledger = $1 AND seq >= $2 ORDER BY seq LIMIT $3';
/** Names the predecessor by its stored digest and inserts nothing where there is none or the number is taken. */
const addEntry = `INSERT INTO liftgate.ledger_entry (ledger, seq, id, prev, bytes)
  SELECT $1::text, $2::bigint, $3::bytea, before.id, $4::bytea
  FROM (SELECT id FROM liftgate.ledger_entry WHERE ledger = $1 AND seq = $2::bigint - 1
        UNION ALL SELECT NULL WHERE $2::bigint = 0) AS before
  ON CONFLICT (ledger, seq) DO NOTHING`;
const readSlice =
  'SELECT octet_length(bytes) AS size, substring(bytes FROM $3 FOR $4) AS slice FROM liftgate.ledger_object WHERE ledger = $1 AND id = $2';
const addObject =
  'INSERT INTO liftgate.ledger_object (ledger, id, bytes) VALUES ($1, $2, $3) ON CONFLICT (ledger, id) DO NOTHING';
const digestStored =
  "SELECT encode(sha256(bytes), 'hex') AS hex FROM liftgate.ledger_object WHERE ledger = $1 AND id = $2";
/** Commits a record of its own, and with it everything committed before, whatever other sessions chose to wait for. */
const flush = "SELECT pg_logical_emit_message(true, 'liftgate', '')";

function damaged(place: PostgresPlace, row: string, message: string): LiftgateError {
  return new LiftgateError('ledger-damaged', message, {
    where: { file: `${place.shown} ${row}` },
    mend: 'Restore the tables from a backup, or compare them with an export; rows are never edited.',
    details: { invariant: row.startsWith('objects/') ? 'I12' : 'I1' },
  });
}

class PostgresStore implements LedgerStore {
  private readonly server: PostgresServer;
  private readonly place: PostgresPlace;
  /** Entries fetched ahead since the last count; each is given once. */
  private readonly fetched = new Map<number, Uint8Array>();
  private turn: Promise<unknown> = Promise.resolve();

  constructor(place: PostgresPlace) {
    this.place = place;
    this.server = new PostgresServer(place);
  }

  async listEntries(known = 0): Promise<number> {
    this.fetched.clear();
    const from = Math.max(known - 1, 0);
    const { count, last } = await this.countFrom(from);
    if (count === 0 && from > 0) return await this.listEntries();
    if (last === from + count - 1) return last + 1;
    throw damaged(
      this.place,
      'log',
      `The last entry has number ${last}, but ${last - from + 1 - count} of the numbers from ${from} to it are missing.`,
    );
  }

  private countFrom(from: number): Promise<{ readonly count: number; readonly last: number }> {
    const none = { count: 0, last: -1 };
    return this.server.tables({ make: false, absent: none }, async (client) => {
      const { rows } = await client.query<typeof none>(countEntries, [this.place.ledger, from]);
      return rows[0] ?? none;
    });
  }

  async readEntry(seq: number): Promise<Uint8Array> {
    if (!this.fetched.has(seq)) await this.fetchFrom(seq);
    const bytes = this.fetched.get(seq);
    this.fetched.delete(seq);
    if (bytes !== undefined) return bytes;
    throw damaged(
      this.place,
      `log/${entryFileName(seq)}`,
      `Entry ${entryFileName(seq)} is not there.`,
    );
  }

  private fetchFrom(seq: number): Promise<void> {
    return this.server.tables({ make: false, absent: undefined }, async (client) => {
      const values = [this.place.ledger, seq, entriesPerFetch];
      const { rows } = await client.query<{ seq: string; bytes: Buffer }>(readEntries, values);
      for (const row of rows) this.fetched.set(Number(row.seq), new Uint8Array(row.bytes));
    });
  }

  putIfAbsent(seq: number, bytes: Uint8Array): Promise<boolean> {
    return this.server.tables({ make: true, absent: false }, async (client) => {
      const values = [this.place.ledger, seq, sha256(bytes), bytes];
      return (await client.query(addEntry, values)).rowCount === 1;
    });
  }

  /** Committed by a session that did not wait for the disk, an entry may be visible before it is durable. */
  async syncEntry(_seq: number): Promise<void> {
    await this.server.with((client) => client.query(flush));
  }

  readObject(digest: Digest): Promise<Uint8Array | null> {
    return this.server.tables({ make: false, absent: null }, async (client) => {
      const slices: Buffer[] = [];
      let [at, size] = [0, 1];
      do {
        const values = [this.place.ledger, keyOf(digest), at + 1, bytesPerFetch];
        const { rows } = await client.query<{ size: number; slice: Buffer }>(readSlice, values);
        const [row] = rows;
        if (row === undefined) return null;
        slices.push(row.slice);
        [at, size] = [at + bytesPerFetch, row.size];
      } while (at < size);
      const bytes = new Uint8Array(Buffer.concat(slices));
      this.checkObject(digest, digestOf(bytes));
      return bytes;
    });
  }

  async putObject(bytes: Uint8Array): Promise<Digest> {
    const digest = digestOf(bytes);
    await this.server.tables({ make: true, absent: undefined }, async (client) => {
      const key = [this.place.ledger, keyOf(digest)];
      if ((await client.query(addObject, [...key, bytes])).rowCount === 1) return;
      const { rows } = await client.query<{ hex: string }>(digestStored, key);
      this.checkObject(digest, `sha256:${rows[0]?.hex ?? ''}`);
      await client.query(flush);
    });
    return digest;
  }

  private checkObject(digest: Digest, found: Digest): void {
    if (found === digest) return;
    const row = `objects/${digestHex(digest)}`;
    throw damaged(this.place, row, `The object's bytes have the digest ${found}.`);
  }

  /** The lock is a transaction of its own that writes nothing: it ends with the connection, so nobody can leave it behind. */
  inTurn<Result>(append: () => Promise<Result>): Promise<Result> {
    const result = this.turn.then(() => this.holdingLock(append));
    this.turn = result.catch(() => undefined);
    return result;
  }

  private async holdingLock<Result>(append: () => Promise<Result>): Promise<Result> {
    const key = Buffer.from(sha256('liftgate/ledger/', this.place.ledger)).readBigInt64BE();
    const appended = await this.server.with(async (client) => {
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${this.place.waitMs}`);
      await this.server.checkSettings(client);
      await client.query('SELECT pg_advisory_xact_lock($1)', [String(key)]);
      const [settled] = await Promise.allSettled([append()]);
      // The entry was committed by itself: a turn that the server has ended takes nothing back.
      await client.query('COMMIT').catch(() => this.server.doubt(client));
      return settled;
    });
    if (appended.status === 'fulfilled') return appended.value;
    throw appended.reason;
  }
}

function keyOf(digest: Digest): Buffer {
  return Buffer.from(digestHex(digest), 'hex');
}

/**
 * The store of a ledger in PostgreSQL; its tables are made with the first write of a role that may make them.
 *
 * @param url  `postgres://user@host/database` or `postgresql:///database?host=/socket/folder`, with `ledger=NAME` (default `main`)
 *             and `lock_timeout=MS` (default 30000, the longest wait for other writers) among its parameters
 * @throws {LiftgateError} usage  when the URL is malformed
 */
export function postgresStore(url: string): LedgerStore {
  return new PostgresStore(parsePostgresUrl(url));
}
