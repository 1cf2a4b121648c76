/**
 * The PostgreSQL server behind a ledger: its tables, the settings it must have, and its failures in our words.
 *
 * `pg` is loaded with the first connection. Connections that lie idle do not keep the process alive.
 */
import type { ClientBase, Pool, PoolClient } from 'pg';
import { LiftgateError } from '../base/errors.ts';
import { errorCodeOf } from './ledger-files.ts';
import type { PostgresPlace } from './postgres-place.ts';

/**
 * Makes the tables of ledgers; run once by the role that shall own them, and harmless when repeated.
 *
 * `sha256` in the checks and `prev` as a foreign key hold entries together even against a client that is not Liftgate; the
 * triggers refuse changes by everybody, the owner and replication included, until the owner takes them away.
 */
export const ledgerTables = `CREATE SCHEMA IF NOT EXISTS liftgate;
CREATE TABLE IF NOT EXISTS liftgate.ledger_entry (
  ledger text NOT NULL,
  seq bigint NOT NULL CHECK (seq >= 0),
  id bytea NOT NULL CHECK (id = sha256(bytes)),
  prev bytea CHECK ((prev IS NULL) = (seq = 0)),
  bytes bytea NOT NULL CHECK (octet_length(bytes) BETWEEN 1 AND 1048576),
  PRIMARY KEY (ledger, seq),
  UNIQUE (ledger, id),
  FOREIGN KEY (ledger, prev) REFERENCES liftgate.ledger_entry (ledger, id)
);
CREATE TABLE IF NOT EXISTS liftgate.ledger_object (
  ledger text NOT NULL,
  id bytea NOT NULL CHECK (id = sha256(bytes)),
  bytes bytea NOT NULL,
  PRIMARY KEY (ledger, id)
);
CREATE OR REPLACE FUNCTION liftgate.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % is refused: a ledger is only appended to', TG_OP, TG_TABLE_NAME;
END $$;
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON liftgate.ledger_entry
  FOR EACH STATEMENT EXECUTE FUNCTION liftgate.refuse_change();
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON liftgate.ledger_object
  FOR EACH STATEMENT EXECUTE FUNCTION liftgate.refuse_change();
ALTER TABLE liftgate.ledger_entry ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE liftgate.ledger_object ENABLE ALWAYS TRIGGER append_only;
`;

/** Settings under which an acknowledged entry may be lost, and the values that are safe. */
const safeSettings: Readonly<Record<string, readonly string[]>> = {
  fsync: ['on'],
  full_page_writes: ['on'],
  synchronous_commit: ['on', 'local', 'remote_write', 'remote_apply'],
  data_sync_retry: ['off'],
};

/** Oldest server whose triggers can be replaced in place; `server_version_num`. */
const oldestServer = 140_000;

/** The setup must not run twice at once; the number only has to be the same everywhere. */
const setupLock = 'SELECT pg_advisory_xact_lock(1279869510)';

function unsafe(place: PostgresPlace, message: string, mend: string): LiftgateError {
  return new LiftgateError('ledger-unsafe', message, {
    where: { file: place.shown },
    mend,
    details: { reason: 'server-unsafe' },
  });
}

interface Refusal {
  readonly reason: string;
  readonly says: string;
  readonly mend: string;
}

const unreachable: Refusal = {
  reason: 'server-unreachable',
  says: 'The PostgreSQL server of the ledger cannot be reached',
  mend: 'Start the server or correct the URL, then repeat the command; the same request is recorded once.',
};

const lostStates = /^(?:08|57P|E[A-Z_]+$|terminated$)/;

const refusals: readonly (readonly [pattern: RegExp, refusal: Refusal])[] = [
  [lostStates, unreachable],
  [
    /^(?:28|3D|42501)/,
    {
      reason: 'server-access',
      says: 'The PostgreSQL server refuses this role',
      mend: 'Name a database and a role that may SELECT and INSERT in the tables of the schema "liftgate" (docs/ledger-postgres.md).',
    },
  ],
  [
    /^25006$/,
    {
      reason: 'server-read-only',
      says: 'The PostgreSQL server only answers reads',
      mend: 'Name the primary server in the URL: entries are written there.',
    },
  ],
];

const other: Refusal = {
  reason: 'server-refused',
  says: 'The PostgreSQL server refused a step of the ledger',
  mend: 'Look at the message of the server and at its log, then repeat the command; the same request is recorded once.',
};

const busyStates = /^(?:55P03|57014|40001|40P01|53300|timeout$)/;

/** SQLSTATE or system code; `terminated` and `timeout` for the failures `pg` itself makes, which carry none; else empty. */
function stateOf(error: unknown): string {
  const code = errorCodeOf(error);
  if (code !== '' || !(error instanceof Error)) return code;
  if (error.message === 'Query read timeout') return 'timeout';
  return /terminat|timeout|closed|not queryable/i.test(error.message) ? 'terminated' : '';
}

function isLost(error: unknown): boolean {
  return !(error instanceof LiftgateError) && lostStates.test(stateOf(error));
}

/** A failure of the server or on the way to it, with the server named and no password. */
export function serverFailure(place: PostgresPlace, error: unknown): unknown {
  const state = stateOf(error);
  if (error instanceof LiftgateError || state === '') return error;
  const where = { file: place.shown };
  if (busyStates.test(state)) {
    return new LiftgateError('ledger-busy', `Other writers kept the ledger busy (${state}).`, {
      where,
      mend: 'Try again; the same request id makes that safe.',
      cause: error,
      details: { reason: 'server-busy', state },
    });
  }
  const { reason, says, mend } = refusals.find(([pattern]) => pattern.test(state))?.[1] ?? other;
  const message = error instanceof Error ? error.message.split('\n')[0] : '';
  const said = message === '' ? state : message;
  return new LiftgateError('ledger-unsafe', `${says}: ${said}.`, {
    where,
    mend,
    cause: error,
    details: { reason, state },
  });
}

async function checkSettings(client: ClientBase, place: PostgresPlace): Promise<void> {
  const { rows } = await client.query<{ name: string; value: string }>(
    'SELECT name, setting AS value FROM pg_settings WHERE name = ANY($1)',
    [[...Object.keys(safeSettings), 'server_version_num']],
  );
  for (const { name, value } of rows) {
    const safe = safeSettings[name];
    if (safe !== undefined && !safe.includes(value)) {
      throw unsafe(
        place,
        `The PostgreSQL server runs with ${name} = ${value}: it may lose entries it has confirmed.`,
        `Set ${name} = ${safe[0]} for the server, the database and the role, then repeat the command.`,
      );
    }
    if (name === 'server_version_num' && Number(value) < oldestServer) {
      throw unsafe(
        place,
        `The PostgreSQL server has version number ${value}; the ledger needs ${oldestServer} or later.`,
        'Use PostgreSQL 14 or newer.',
      );
    }
  }
}

const tableFaults = `SELECT c.relname AS name,
  CASE WHEN c.relkind <> 'r' THEN 'is not an ordinary table'
       WHEN c.relpersistence <> 'p' THEN 'is not a logged table'
       WHEN NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p') THEN 'has no primary key'
       WHEN NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'append_only'
                        AND t.tgenabled = 'A' AND t.tgtype & 58 = 58) THEN 'has lost its append-only trigger'
  END AS fault
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'liftgate' AND c.relname IN ('ledger_entry', 'ledger_object')`;

/** Opens connections to the server of one ledger; every connection has safe settings and every statement an end. */
export class PostgresServer {
  readonly place: PostgresPlace;
  private pool: Promise<Pool> | null = null;
  private tablesSound = false;
  /** Connections that did some work before. */
  private readonly used = new WeakSet<PoolClient>();
  /** Connections that may still be inside a transaction. */
  private readonly doubtful = new WeakSet<PoolClient>();

  constructor(place: PostgresPlace) {
    this.place = place;
  }

  /**
   * Does some work on a connection of its own; failures come in our words. A connection that broke while it lay idle is replaced
   * and the work begun again, so work must bear to be repeated: what it wrote before is there and is not written twice.
   */
  async with<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    for (;;) {
      let client: PoolClient | null = null;
      let broken = true;
      try {
        this.pool ??= this.openPool();
        client = await (await this.pool).connect();
        const result = await work(client);
        broken = false;
        return result;
      } catch (error) {
        if (client === null || !this.used.has(client) || !isLost(error))
          throw serverFailure(this.place, error);
      } finally {
        if (client !== null) this.used.add(client);
        client?.release(broken || this.doubtful.has(client));
      }
    }
  }

  /**
   * Does some work on the tables.
   * @param make  whether to make them when there are none; without it `absent` is returned
   */
  tables<Result>(
    { make, absent }: { readonly make: boolean; readonly absent: Result },
    work: (client: PoolClient) => Promise<Result>,
  ): Promise<Result> {
    return this.with(async (client) =>
      (await this.hasTables(client, make)) ? await work(client) : absent,
    );
  }

  /** Closes a connection after its work: what is said on it next could become part of a transaction that nobody ends. */
  doubt(client: PoolClient): void {
    this.doubtful.add(client);
  }

  /** Refuses settings that became unsafe since the connection was opened. */
  checkSettings(client: ClientBase): Promise<void> {
    return checkSettings(client, this.place);
  }

  private async hasTables(client: ClientBase, make: boolean): Promise<boolean> {
    if (this.tablesSound) return true;
    let { rows } = await client.query<{ name: string; fault: string | null }>(tableFaults);
    if (rows.length < 2 && make) {
      await client.query(`${setupLock};${ledgerTables}`);
      ({ rows } = await client.query(tableFaults));
    }
    for (const { name, fault } of rows) {
      if (fault === null) continue;
      throw unsafe(
        this.place,
        `The table liftgate.${name} ${fault}.`,
        'Find out who changed it; let the owner of the tables restore them as docs/ledger-postgres.md has them, and verify the ledger.',
      );
    }
    this.tablesSound = rows.length === 2;
    return this.tablesSound;
  }

  private async openPool(): Promise<Pool> {
    const { Pool: PoolOf } = await import('pg');
    const { connection, waitMs } = this.place;
    const pool = new PoolOf({
      connectionString: connection,
      application_name: 'liftgate',
      allowExitOnIdle: true,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 5000,
      keepAlive: true,
      max: 4,
      query_timeout: Math.max(4 * waitMs, 60_000),
      onConnect: (client) => this.greet(client),
    });
    // A connection that breaks while nobody waits on it is replaced by the next; the failure of one in use reaches its user.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  }

  private async greet(client: ClientBase): Promise<void> {
    const { waitMs } = this.place;
    const turnMs = Math.max(1000, Math.ceil(waitMs / 2));
    await client.query(
      `SET lock_timeout = ${waitMs}; SET idle_in_transaction_session_timeout = ${turnMs}`,
    );
    await checkSettings(client, this.place);
  }
}
