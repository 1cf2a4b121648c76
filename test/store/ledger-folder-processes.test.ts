import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openLedger } from '../../src/store/ledger-folder.ts';
import { buildProgram, type Child, startChild } from '../support/child-program.ts';
import { recordPlan } from '../support/ledger-story.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const newFolder = temporaryFolders(tmpdir());
let program = '';

beforeAll(async () => {
  const entry = join(import.meta.dirname, '../support/ledger-child.ts');
  program = await buildProgram(entry, await newFolder());
}, 60_000);

async function take(child: Child, count: number): Promise<string[]> {
  const lines: string[] = [];
  while (lines.length < count) lines.push((await child.next()) ?? 'ended');
  return lines;
}

describe('a ledger folder whose writer is killed', () => {
  it('keeps every acknowledged entry and stays whole, 15 times over', async () => {
    const folder = join(await newFolder(), 'ledger');
    const acknowledged: string[] = [];
    for (let round = 0; round < 15; round += 1) {
      const child = startChild(program, [folder, 'append', `writer-${round}`]);
      const lines = await take(child, 1 + (round % 4));
      acknowledged.push(...lines, ...(await child.kill()));
      const ledger = openLedger(folder);
      const report = await ledger.verify();
      expect(report.problems).toEqual([]);
      const entries = await ledger.entries();
      for (const line of acknowledged) {
        const [seq, id] = line.split(' ');
        expect(entries[Number(seq)]?.entryId).toBe(id);
      }
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(36);
    expect(acknowledged).not.toContain('ended');
    const entries = (await openLedger(folder).entries()).length;
    const names = await readdir(join(folder, 'log'));
    expect(names.filter((name) => name.endsWith('.json'))).toHaveLength(entries);
  }, 120_000);
});

describe('two processes that want the same units', () => {
  it('never both win, and the other hears who did', async () => {
    const folder = join(await newFolder(), 'ledger');
    const names = ['left', 'right'] as const;
    const rounds = 8;
    const ledger = openLedger(folder);
    for (const name of names) {
      for (let round = 0; round < rounds; round += 1) {
        await recordPlan(ledger, `${name}-${round}`, `plan ${round} of ${name}`);
      }
    }
    const children = names.map((name) => startChild(program, [folder, 'claim', name]));
    for (const child of children) expect(await child.next()).toBe('ready');
    for (let round = 0; round < rounds; round += 1) {
      for (const child of children) child.send(String(round));
      const answers = await Promise.all(children.map((child) => child.next()));
      const winner = answers.indexOf('won');
      expect(answers.toSorted()).toEqual([`lost ${names[winner]}-${round}`, 'won']);
    }
    expect(await Promise.all(children.map((child) => child.finish()))).toEqual([0, 0]);
    const report = await openLedger(folder).verify();
    expect(report.problems).toEqual([]);
    expect(report.entries).toBe(1 + 2 * rounds + rounds);
  }, 120_000);
});
