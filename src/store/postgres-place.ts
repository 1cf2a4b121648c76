/** The URL that names a ledger in PostgreSQL; whoever only asks whether a place is one loads nothing of the server. */
import { LiftgateError } from '../base/errors.ts';

/** How a ledger in PostgreSQL is named: `postgres://user@host/database?ledger=NAME&lock_timeout=MS`, or `postgresql:///db?host=/socket`. */
export interface PostgresPlace {
  /** What `pg` connects to. */
  readonly connection: string;
  /** The same for people: without any password. */
  readonly shown: string;
  /** Name of the ledger in its database. */
  readonly ledger: string;
  /** Longest wait for another writer, in milliseconds. */
  readonly waitMs: number;
}

/** Whether a ledger is named by a URL of PostgreSQL rather than by its folder. */
export function isPostgresUrl(place: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(place);
}

const secrets = ['password', 'sslpassword'];

function misnamed(what: string, mend: string): LiftgateError {
  return new LiftgateError('usage', what, { mend });
}

/**
 * Reads the URL of a ledger.
 * @throws {LiftgateError} usage  when the name of the ledger or the wait is malformed
 * @example parsePostgresUrl('postgres://me:secret@db/evidence').shown // => 'postgres://me@db/evidence'
 */
export function parsePostgresUrl(url: string): PostgresPlace {
  const [base = '', ...rest] = url.split('?');
  const parameters = new URLSearchParams(rest.join('?'));
  const ledger = parameters.get('ledger') ?? 'main';
  const wait = parameters.get('lock_timeout') ?? '30000';
  if (!/^[a-z0-9][a-z0-9._-]{0,62}$/.test(ledger)) {
    throw misnamed(
      'The name of the ledger in its URL cannot be used.',
      'Name it with ?ledger=NAME: 1 to 63 lower-case letters, digits, ".", "_" or "-".',
    );
  }
  if (!/^[1-9]\d{0,6}$/.test(wait)) {
    throw misnamed(
      'The lock_timeout in the URL of the ledger is not a number of milliseconds.',
      'Give the longest wait for another writer as a whole number from 1 to 9999999.',
    );
  }
  for (const own of ['ledger', 'lock_timeout']) parameters.delete(own);
  const connection = withQuery(base, parameters);
  for (const secret of secrets) parameters.delete(secret);
  if (ledger !== 'main') parameters.set('ledger', ledger);
  const shown = withQuery(base.replace(/^(\w+:\/\/[^:@/]*):.*@/, '$1@'), parameters);
  return { connection, shown, ledger, waitMs: Number(wait) };
}

function withQuery(base: string, parameters: URLSearchParams): string {
  const query = parameters.toString().replaceAll('%2F', '/');
  return query === '' ? base : `${base}?${query}`;
}
