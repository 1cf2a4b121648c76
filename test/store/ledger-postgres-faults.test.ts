/** The PostgreSQL twin of the crash and fault tests of the ledger folder: harm at every statement, and at every row that is written. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Digest } from '../../src/base/digest.ts';
import { LiftgateError } from '../../src/base/errors.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/store/ledger-folder.ts';
import { buildProgram, startChild } from '../support/child-program.ts';
import { projectWorkspaces } from '../support/experiment-copy.ts';
import { countingPorts, recordPlan, reserve, unitsNamed } from '../support/ledger-story.ts';
import { hasPostgres, testServer } from '../support/postgres.ts';
import { type FaultKind, type StatementFault, testProxy } from '../support/postgres-proxy.ts';

const newWorkspace = projectWorkspaces();
const units = unitsNamed(['u-1', 'u-2']);

/** A plan and its reservation: genesis and two entries, two objects. */
async function work(ledger: Ledger, name = 'e'): Promise<void> {
  const plan = await recordPlan(ledger, name);
  await reserve(ledger, name, plan, units);
}

async function failureOf(run: Promise<void>): Promise<LiftgateError | null> {
  try {
    await run;
    return null;
  } catch (error) {
    if (error instanceof LiftgateError) return error;
    throw error;
  }
}

/** Owners of the units in a ledger that must be whole. */
async function ownersIn(ledger: Ledger): Promise<string[]> {
  expect((await ledger.verify()).problems).toEqual([]);
  const entries = await ledger.entries();
  return entries.flatMap(({ entry }) =>
    entry.kind === 'reserve' ? [entry.body.experimentId] : [],
  );
}

describe.skipIf(!hasPostgres)('a ledger in PostgreSQL', () => {
  const server = testServer();
  const proxy = testProxy(server);
  let ledgers = 0;
  const newName = () => {
    ledgers += 1;
    return `f-${ledgers}`;
  };

  beforeAll(async () => {
    await work(openLedger(server().url('made'), countingPorts()));
  });

  /** After harm: whole, and every request is recorded once, by the same ledger and by a fresh one, through the proxy and beside it. */
  async function expectWhole(name: string, same: Ledger): Promise<void> {
    const url = server().url(name);
    const beside = openLedger(url, countingPorts());
    expect((await ownersIn(beside)).length).toBeLessThanOrEqual(1);
    await work(same);
    await work(beside);
    expect(await ownersIn(beside)).toEqual(['e']);
    const entries = await beside.entries();
    expect(entries.map(({ entry }) => entry.kind)).toEqual(['genesis', 'seal', 'reserve']);
    await endIdle();
  }

  /** Ledgers keep connections for a while; dozens of ledgers would use up the server's. */
  async function endIdle(): Promise<void> {
    if (ledgers % 8 > 0) return;
    await server().query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'liftgate' AND state = 'idle'",
    );
  }

  interface Census {
    readonly statements: readonly string[];
    readonly failures: readonly LiftgateError[];
  }

  /** Harms statement 1, 2, 3 … of the work until a run gets by without meeting the fault. */
  async function harmEvery(fault: Omit<StatementFault, 'at'>): Promise<Census> {
    const failures: LiftgateError[] = [];
    for (let at = 1; ; at += 1) {
      const name = newName();
      const ledger = openLedger(proxy().url(name), countingPorts());
      proxy().reset({ ...fault, at });
      const failure = await failureOf(work(ledger));
      const statements = [...proxy().statements];
      proxy().reset(null);
      if (statements.length < at) return { statements, failures };
      if (failure !== null) failures.push(failure);
      await expectWhole(name, ledger);
    }
  }

  const steps = [
    /^SET lock_timeout/,
    /FROM pg_settings/,
    /^SELECT count/,
    /^BEGIN/,
    /pg_advisory_xact_lock/,
    /^INSERT INTO liftgate\.ledger_object/,
    /^INSERT INTO liftgate\.ledger_entry/,
    /^COMMIT/,
  ];

  describe('whose connection is cut', () => {
    it.each(['cut-before', 'cut-within', 'cut-after'] as const)(
      'at any statement (%s) has each request once after a retry',
      async (kind) => {
        const { statements, failures } = await harmEvery({ kind });
        for (const step of steps)
          expect(statements.filter((text) => step.test(text))).not.toEqual([]);
        expect(statements.length).toBeGreaterThan(20);
        for (const failure of failures) {
          expect(failure.details).toMatchObject({ reason: 'server-unreachable' });
          expect(failure.mend).toContain('the same request is recorded once');
        }
      },
      120_000,
    );
  });

  describe('whose server refuses a statement', () => {
    it.each([
      ['57014', 'ledger-busy', 'a statement timeout'],
      ['53100', 'ledger-unsafe', 'a full disk'],
    ])(
      'with %s (%s) has each request once after a retry: %s',
      async (state, code) => {
        const { failures } = await harmEvery({ kind: 'refuse', state });
        expect(failures.length).toBeGreaterThan(10);
        for (const failure of failures) {
          expect(failure.code).toBe(code);
          expect(failure.details).toMatchObject({ state });
        }
      },
      120_000,
    );
  });

  describe('whose rows cannot be written', () => {
    const raise = (state: string) => `RAISE EXCEPTION 'no' USING ERRCODE = '${state}'`;

    /** Meets the n-th row written to the tables with a statement, in the server itself. */
    async function meetRow(n: number, statement: string): Promise<void> {
      await server().query(`DROP SEQUENCE IF EXISTS rows_written CASCADE;
        CREATE SEQUENCE rows_written;
        CREATE OR REPLACE FUNCTION meet_row() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF nextval('rows_written') = ${n} THEN ${statement}; END IF; RETURN NEW; END $$;
        CREATE OR REPLACE TRIGGER meet_row AFTER INSERT ON liftgate.ledger_entry FOR EACH ROW EXECUTE FUNCTION meet_row();
        CREATE OR REPLACE TRIGGER meet_row AFTER INSERT ON liftgate.ledger_object FOR EACH ROW EXECUTE FUNCTION meet_row()`);
    }

    async function rowsWritten(): Promise<number> {
      const [row] = await server().query('SELECT last_value, is_called FROM rows_written');
      return row?.['is_called'] === true ? Number(row['last_value']) : 0;
    }

    it.each([
      ['a full disk', raise('53100'), 'ledger-unsafe', '53100'],
      ['an I/O error', raise('58030'), 'ledger-unsafe', '58030'],
      ['a deadlock', raise('40P01'), 'ledger-busy', '40P01'],
      ['a statement timeout', 'PERFORM pg_sleep(60)', 'ledger-busy', '57014'],
      [
        'the end of its session',
        'PERFORM pg_terminate_backend(pg_backend_pid()), pg_sleep(60)',
        'ledger-unsafe',
        '57P01',
      ],
    ])(
      'by %s leaves nothing half written',
      async (_, statement, code, state) => {
        try {
          if (state === '57014')
            await server().query('ALTER ROLE owner SET statement_timeout = 150');
          for (let n = 1; ; n += 1) {
            const name = newName();
            await meetRow(n, statement);
            const ledger = openLedger(server().url(name), countingPorts());
            const failure = await failureOf(work(ledger));
            const written = await rowsWritten();
            if (written < n) {
              expect(n).toBe(6);
              return;
            }
            // A session that ends is replaced, and what it had not written is written then.
            if (state !== '57P01') {
              expect(failure?.code).toBe(code);
              expect(failure?.details).toMatchObject({ state });
            }
            await expectWhole(name, ledger);
          }
        } finally {
          await server().query('ALTER ROLE owner RESET statement_timeout');
          await server().query(
            'DROP SEQUENCE rows_written CASCADE; DROP FUNCTION meet_row CASCADE',
          );
        }
      },
      120_000,
    );
  });

  describe('with a rival', () => {
    const claim = (ledger: Ledger, name: string, plan: Digest) =>
      failureOf(reserve(ledger, name, plan, units).then(() => undefined));

    /** The first is stopped somewhere in its reservation while the rival makes one for the same units; then the first tries again. */
    async function raceFor(name: string, fault: StatementFault) {
      const first = openLedger(proxy().url(name), countingPorts());
      const second = openLedger(server().url(name));
      const plan = await recordPlan(first, 'e');
      const rivalPlan = await recordPlan(second, 'rival');
      proxy().reset(fault);
      const interrupted = claim(first, 'e', plan);
      const rival = await claim(second, 'rival', rivalPlan);
      const own = await interrupted;
      const met = proxy().statements.length >= fault.at;
      proxy().reset(null);
      const again = await claim(first, 'e', plan);
      const [owner = 'nobody', ...others] = await ownersIn(
        openLedger(server().url(name), countingPorts()),
      );
      expect(others).toEqual([]);
      const ownerTold = owner === 'e' ? [undefined, 'e'] : ['rival', undefined];
      expect([again?.details['owner'], rival?.details['owner']]).toEqual(ownerTold);
      if (own === null) expect(owner).toBe('e');
      await endIdle();
      return { owner, met };
    }

    it.each(['cut-before', 'cut-after'] as const)(
      'has one owner of the units wherever the first is stopped (%s)',
      async (kind) => {
        const owners = new Set<string>();
        for (let at = 1; ; at += 1) {
          const { owner, met } = await raceFor(newName(), { kind, at });
          owners.add(owner);
          if (!met) break;
        }
        expect([...owners].every((owner) => owner === 'e' || owner === 'rival')).toBe(true);
      },
      120_000,
    );
  });

  describe('whose writer is killed', () => {
    let program = '';
    beforeAll(async () => {
      const entry = join(import.meta.dirname, '../support/ledger-child.ts');
      program = await buildProgram(entry, newWorkspace());
    }, 60_000);

    /** Kills a writer at a statement, or lets it finish where it has fewer; the statements it got to. */
    async function killAt(
      kind: 'harm-during' | 'harm-after',
      at: number,
    ): Promise<readonly string[]> {
      const name = newName();
      const child = startChild(program, [proxy().url(name), 'work', 'e']);
      proxy().reset({ kind, at, harm: () => child.signal('SIGKILL') });
      const said = await child.next();
      await child.kill();
      const statements = [...proxy().statements];
      proxy().reset(null);
      if (statements.length < at) expect(said).toBe('done');
      else {
        expect(said === null || (said === 'done' && kind === 'harm-during')).toBe(true);
        await expectWhole(name, openLedger(proxy().url(name), countingPorts()));
      }
      return statements;
    }

    it('with SIGKILL at any statement leaves what another writer can go on from', async () => {
      let statements: readonly string[] = [];
      let killed = 0;
      for (; statements.length >= killed; killed += 1)
        statements = await killAt('harm-during', killed + 1);
      expect(killed).toBeGreaterThan(20);
      // A finished read that nobody heard of leaves the server as an unfinished one does; what writes or holds a lock does not.
      const holding = statements.flatMap((text, at) =>
        /^(?:BEGIN|INSERT|COMMIT|SELECT pg_)/.test(text) ? [at + 1] : [],
      );
      expect(holding.length).toBeGreaterThan(8);
      for (const at of holding)
        expect((await killAt('harm-after', at)).length).toBeGreaterThanOrEqual(at);
    }, 240_000);
  });

  describe('whose server crashes', () => {
    it.each(['harm-during', 'harm-after'] satisfies FaultKind[])(
      'at any statement (%s) has each request once after its restart',
      async (kind) => {
        let crashed = 0;
        const harm = () => {
          crashed += 1;
          server().stop('immediate');
          server().start();
        };
        const { statements, failures } = await harmEvery({ kind, harm });
        expect(crashed).toBe(statements.length);
        for (const failure of failures)
          expect(failure.details).toMatchObject({ reason: 'server-unreachable' });
      },
      300_000,
    );
  });
});
