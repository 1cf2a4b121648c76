import { describe } from 'vitest';
import { postgresStore } from '../../src/store/ledger-postgres.ts';
import { describeLedgerStore } from '../support/ledger-conformance.ts';
import { hasPostgres, testServer } from '../support/postgres.ts';

describe.skipIf(!hasPostgres)('a ledger in PostgreSQL', () => {
  const server = testServer();
  let ledgers = 0;

  describeLedgerStore(
    'PostgreSQL',
    () => {
      ledgers += 1;
      const url = server().url(`place-${ledgers}`);
      return Promise.resolve({ open: () => postgresStore(url) });
    },
    3,
  );
});
