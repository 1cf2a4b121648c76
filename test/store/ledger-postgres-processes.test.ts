import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Digest } from '../../src/base/digest.ts';
import { openLedgerStore } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/store/ledger-folder.ts';
import { postgresStore } from '../../src/store/ledger-postgres.ts';
import { buildProgram, type Child, startChild } from '../support/child-program.ts';
import { until } from '../support/cli.ts';
import { projectWorkspaces } from '../support/experiment-copy.ts';
import { countingPorts, recordPlan } from '../support/ledger-story.ts';
import { hasPostgres, testServer } from '../support/postgres.ts';

const newWorkspace = projectWorkspaces();

describe.skipIf(!hasPostgres)('a ledger in PostgreSQL', () => {
  const server = testServer();
  let program = '';

  beforeAll(async () => {
    const entry = join(import.meta.dirname, '../support/ledger-child.ts');
    program = await buildProgram(entry, newWorkspace());
  }, 60_000);

  const names = Array.from({ length: 8 }, (_, index) => `p${index}`);

  async function take(child: Child, count: number): Promise<string[]> {
    const lines: string[] = [];
    while (lines.length < count) lines.push((await child.next()) ?? 'ended');
    return lines;
  }

  /** Every acknowledged line `<seq> <entry id>` must be an entry, and the ledger whole. */
  async function expectKept(url: string, acknowledged: readonly string[]): Promise<void> {
    const ledger = openLedger(url);
    expect((await ledger.verify()).problems).toEqual([]);
    const entries = await ledger.entries();
    const known = new Set(entries.map(({ entry, entryId }) => `${entry.seq} ${entryId}`));
    expect(acknowledged.filter((line) => !known.has(line))).toEqual([]);
  }

  describe('with eight processes', () => {
    async function claimants(url: string, rounds: readonly string[]): Promise<Child[]> {
      const ledger = openLedger(url);
      for (const name of names) {
        for (const round of rounds)
          await recordPlan(ledger, `${name}-${round}`, `plan ${round} of ${name}`);
      }
      const children = names.map((name) => startChild(program, [url, 'claim', name]));
      for (const child of children) expect(await child.next()).toBe('ready');
      return children;
    }

    async function answersTo(children: readonly Child[], round: string): Promise<string[]> {
      for (const child of children) child.send(round);
      return (await Promise.all(children.map((child) => child.next()))).map(String);
    }

    it('gives the same units to one of them and names it to the others', async () => {
      const url = server().url('same');
      const rounds = ['0', '1', '2', '3', '4', '5'];
      const children = await claimants(url, rounds);
      for (const round of rounds) {
        const answers = await answersTo(children, round);
        const winner = names[answers.indexOf('won')];
        const lost = Array.from({ length: 7 }, () => `lost ${winner}-${round}`);
        expect(answers.toSorted()).toEqual([...lost, 'won']);
      }
      await Promise.all(children.map((child) => child.finish()));
      const report = await openLedger(url).verify();
      expect(report.problems).toEqual([]);
      expect(report.entries).toBe(1 + 8 * rounds.length + rounds.length);
    }, 120_000);

    it('gives every one of them units of its own', async () => {
      const url = server().url('disjoint');
      const rounds = ['own-0', 'own-1', 'own-2'];
      const children = await claimants(url, rounds);
      for (const round of rounds)
        expect(await answersTo(children, round)).toEqual(names.map(() => 'won'));
      await Promise.all(children.map((child) => child.finish()));
      const report = await openLedger(url).verify();
      expect(report.problems).toEqual([]);
      expect(report.entries).toBe(1 + 2 * 8 * rounds.length);
    }, 120_000);
  });

  describe('whose writers are killed', () => {
    it('keeps every acknowledged entry and lets the others go on, 10 times over', async () => {
      const url = server().url('killed');
      const acknowledged: string[] = [];
      const steady = startChild(program, [url, 'append', 'steady']);
      for (let round = 0; round < 10; round += 1) {
        const child = startChild(program, [url, 'append', `writer-${round}`]);
        acknowledged.push(...(await take(child, 1 + (round % 3))), ...(await child.kill()));
        acknowledged.push(...(await take(steady, 3)));
        if (round % 5 === 4) await expectKept(url, acknowledged);
      }
      acknowledged.push(...(await steady.kill()));
      await expectKept(url, acknowledged);
      expect(acknowledged.length).toBeGreaterThanOrEqual(49);
      expect(acknowledged).not.toContain('ended');
    }, 120_000);

    it('takes the turn from one that was stopped, which loses nothing when it wakes', async () => {
      const url = server().url('stopped', { more: '&lock_timeout=3000' });
      const sleeper = startChild(program, [url, 'append', 'sleeper']);
      const acknowledged = await take(sleeper, 2);
      const holds = `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE l.locktype = 'advisory' AND l.granted AND a.state = 'idle in transaction'`;
      await until('the process to be stopped in its turn', async () => {
        sleeper.signal('SIGSTOP');
        await server().query(holds);
        if ((await server().query(holds)).length > 0) return true;
        sleeper.signal('SIGCONT');
        return false;
      });
      await recordPlan(openLedger(url), 'awake');
      sleeper.signal('SIGCONT');
      acknowledged.push(...(await take(sleeper, 5)), ...(await sleeper.kill()));
      await expectKept(url, acknowledged);
      expect(acknowledged).not.toContain('ended');
    }, 120_000);
  });

  describe('whose server crashes', () => {
    it('keeps every acknowledged entry, and its writers go on after the restart', async () => {
      const url = server().url('crashed');
      const writers = ['a', 'b', 'c'].map((name) => startChild(program, [url, 'append', name]));
      const acknowledged: string[] = [];
      for (let round = 0; round < 4; round += 1) {
        for (const writer of writers) acknowledged.push(...(await take(writer, 4)));
        server().stop('immediate');
        server().start();
        for (const writer of writers) acknowledged.push(...(await take(writer, 4)));
      }
      for (const writer of writers) acknowledged.push(...(await writer.kill()));
      await expectKept(url, acknowledged);
      expect(acknowledged.length).toBeGreaterThanOrEqual(96);
      expect(acknowledged).not.toContain('ended');
      expect(server().log()).toContain('database system was not properly shut down');
    }, 120_000);
  });

  describe('two writers without the lock', () => {
    it('lose no entry: the key decides', async () => {
      const url = server().url('free');
      const racing = () => {
        const store = postgresStore(url);
        const free = {
          listEntries: (known?: number) => store.listEntries(known),
          readEntry: (seq: number) => store.readEntry(seq),
          putIfAbsent: (seq: number, bytes: Uint8Array) => store.putIfAbsent(seq, bytes),
          syncEntry: (seq: number) => store.syncEntry(seq),
          readObject: (digest: Digest) => store.readObject(digest),
          putObject: (bytes: Uint8Array) => store.putObject(bytes),
        };
        return openLedgerStore(free, {
          ...countingPorts(),
          jitter: (n) => new Promise((go) => setTimeout(go, n)),
        });
      };
      const writers = [racing(), racing(), racing(), racing()];
      await Promise.all(
        writers.flatMap((writer, index) =>
          [0, 1, 2, 3, 4].map((round) => recordPlan(writer, `e-${index}-${round}`)),
        ),
      );
      const report = await openLedger(url).verify();
      expect(report.problems).toEqual([]);
      expect(report.entries).toBe(21);
    });
  });
});
