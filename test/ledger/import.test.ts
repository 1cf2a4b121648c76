import { describe, expect, it } from 'vitest';
import type { Digest } from '../../src/base/digest.ts';
import { merkleRoot } from '../../src/base/merkle.ts';
import { unitStatus } from '../../src/ledger/claim.ts';
import { importBranch } from '../../src/ledger/import.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { familyBudgets, type LedgerState } from '../../src/ledger/projection.ts';
import { importFrom, type Parted, parted } from '../support/branches.ts';
import {
  alphaNano,
  bytesOf,
  countingPorts,
  develop,
  exposeBody,
  exposeExperiment,
  noJournal,
  outcomeBody,
  recordFinal,
  recordPlan,
  reserve,
  unitsNamed,
} from '../support/ledger-story.ts';
import { refusalOf } from '../support/refusal.ts';

const begin = async (ledger: Ledger) => recordPlan(ledger, 'base');

async function settled(ledger: Ledger, name: string, ids: readonly string[]): Promise<Digest> {
  const { plan, expose } = await exposeExperiment(ledger, name, unitsNamed(ids));
  const body = outcomeBody(expose);
  await ledger.append({ kind: 'outcome', requestId: `outcome:${name}`, body });
  return plan;
}

/** Both sides measured one unit without knowing of each other. */
async function bothMeasured(): Promise<Parted & { readonly plans: readonly Digest[] }> {
  const sides = await parted(begin);
  const first = await settled(sides.ours, 'left', ['u-1', 'u-2']);
  const second = await settled(sides.theirs, 'right', ['u-2', 'u-3']);
  return { ...sides, plans: [first, second] };
}

const claimOf = (state: LedgerState, plan: Digest | undefined) =>
  state.claims.get(state.experiments.get(plan ?? 'sha256:')?.reservation?.seq ?? -1);
const statusOf = (state: LedgerState, id: string) => unitStatus(state, 'mails', id).status;

async function contestedIds(ledger: Ledger): Promise<string[]> {
  const entry = (await ledger.entries()).findLast((each) => each.entry.kind === 'import')?.entry;
  const object = entry?.kind === 'import' ? entry.body.contestedObject : null;
  if (object === null) return [];
  const bytes = await ledger.object(object);
  return JSON.parse(new TextDecoder().decode(bytes ?? bytesOf('[]'))).map(
    (each: { id: string }) => each.id,
  );
}

describe('an import', () => {
  it('records fork, size, head and root, and keeps the bytes of their entries', async () => {
    const { ours, theirs } = await bothMeasured();
    const before = await ours.entries();
    const appended = await importFrom(ours, theirs);
    const other = await theirs.entries();
    expect(appended?.entry.body).toMatchObject({
      forkSeq: 2,
      forkId: before[1]?.entryId,
      size: other.length,
      head: other.at(-1)?.entryId,
      root: merkleRoot(other.map(({ bytes }) => bytes)),
    });
    const kept = await ours.object(appended?.entry.body.entriesObject ?? 'sha256:');
    expect(Buffer.from(kept ?? []).equals(Buffer.concat(other.slice(2).map((e) => e.bytes)))).toBe(
      true,
    );
    expect((await ours.entries()).slice(0, -1)).toEqual(before);
    const { imported } = await ours.state();
    expect(imported.values().map(({ entry }) => entry.seq)).toEqual(
      other.slice(2).map((_, at) => 90_000_000 + at),
    );
    expect(imported.values().map(({ stored }) => stored)).toEqual(other.slice(2));
    expect((await ours.verify()).problems).toEqual([]);
  });

  it('goes on with what only the other side began: its experiments and requests are known', async () => {
    const { ours, theirs } = await parted(begin);
    await settled(ours, 'left', ['u-1']);
    const plan = await recordPlan(theirs, 'right');
    await reserve(theirs, 'right', plan, unitsNamed(['u-2']));
    await importFrom(ours, theirs);
    const state = await ours.state();
    expect(state.experiments.get(plan)?.phase).toBe('reserved');
    expect(await contestedIds(ours)).toEqual([]);
    expect((await reserve(ours, 'right', plan, unitsNamed(['u-2']))).replayed).toBe(true);
    const seal = await recordFinal(ours, 'right', plan);
    const held = state.experiments.get(plan)?.reservation?.seq ?? 0;
    expect(held).toBeGreaterThanOrEqual(90_000_000);
    const body = await exposeBody(ours, held, seal);
    const { entry } = await ours.append({ kind: 'expose', requestId: 'expose:right', body });
    await ours.append({
      kind: 'outcome',
      requestId: 'outcome:right',
      body: outcomeBody(entry.seq),
    });
    expect((await ours.state()).experiments.get(plan)?.phase).toBe('settled');
    expect((await ours.verify()).problems).toEqual([]);
  });

  it('counts exposures and error of both sides, and contests what both measured', async () => {
    const { ours, theirs, plans } = await bothMeasured();
    await importFrom(ours, theirs);
    const state = await ours.state();
    expect(familyBudgets(state)).toMatchObject([{ looks: 2, spentNano: 2 * alphaNano }]);
    const size = state.chain.size;
    for (const plan of plans) {
      expect(state.experiments.get(plan)?.phase).toBe('settled');
      expect(claimOf(state, plan)?.contestedSeq).toBe(size - 1);
    }
    expect(await contestedIds(ours)).toEqual(['u-2']);
    expect(['u-1', 'u-2', 'u-3'].map((id) => statusOf(state, id))).toEqual([
      'exposed',
      'exposed',
      'exposed',
    ]);
  });

  it('burns for both what both only reserved: neither exposes it, and nobody takes it again', async () => {
    const { ours, theirs } = await parted(begin);
    const left = await recordPlan(ours, 'left');
    const held = await reserve(ours, 'left', left, unitsNamed(['u-1', 'u-2']));
    const right = await recordPlan(theirs, 'right');
    await reserve(theirs, 'right', right, unitsNamed(['u-2', 'u-3']));
    await importFrom(ours, theirs);
    const seal = await recordFinal(ours, 'left', left);
    const body = await exposeBody(ours, held.entry.seq, seal);
    const refused = await refusalOf(
      ours.append({ kind: 'expose', requestId: 'expose:left', body }),
    );
    expect(refused.message).toBe(
      'Units of experiment "left" were claimed by another branch too, as entry 4 found.',
    );
    expect(refused.mend).toContain('liftgate ledger release left');
    const state = await ours.state();
    for (const experiment of [left, right]) {
      const reserved = state.experiments.get(experiment)?.reservation?.seq ?? -1;
      await ours.append({
        kind: 'release',
        requestId: `release:${reserved}`,
        body: { reserve: reserved, reason: 'contested' },
      });
    }
    const burnt = await ours.state();
    expect(['u-1', 'u-2', 'u-3'].map((id) => statusOf(burnt, id))).toEqual([
      'free',
      'contested',
      'free',
    ]);
    const next = await recordPlan(ours, 'next');
    const again = await refusalOf(reserve(ours, 'next', next, unitsNamed(['u-2'])));
    expect(again.message).toBe(
      '1 of 1 units is claimed by two branches that entry 4 merged: "u-2".',
    );
    const renamed = unitsNamed(['u-9'], () => 'u-2');
    const copy = await refusalOf(reserve(ours, 'next', next, renamed));
    expect(copy.details['reason']).toBe('unit-renamed');
    expect((await reserve(ours, 'next', next, unitsNamed(['u-1', 'u-3']))).replayed).toBe(false);
  });

  it('contests a measurement whose units the other side read in development', async () => {
    const { ours, theirs } = await parted(begin);
    const plan = await settled(ours, 'left', ['u-1']);
    await develop(theirs, 'right', unitsNamed(['u-1', 'u-5']));
    await importFrom(ours, theirs);
    const state = await ours.state();
    expect(claimOf(state, plan)?.contestedSeq).toBe(state.chain.size - 1);
    expect(statusOf(state, 'u-5')).toBe('development');
  });

  it('contests by content, not by name', async () => {
    const { ours, theirs } = await parted(begin);
    await exposeExperiment(
      ours,
      'left',
      unitsNamed(['u-1'], () => 'same'),
    );
    await exposeExperiment(
      theirs,
      'right',
      unitsNamed(['v-1'], () => 'same'),
    );
    await importFrom(ours, theirs);
    expect(await contestedIds(ours)).toEqual(['u-1', 'v-1']);
  });

  it('contests nothing where both sides only read, or took different units', async () => {
    const { ours, theirs } = await parted(begin);
    await develop(ours, 'left', unitsNamed(['d-1']));
    await settled(ours, 'left', ['u-1']);
    await develop(theirs, 'right', unitsNamed(['d-1']));
    await settled(theirs, 'right', ['u-2']);
    await importFrom(ours, theirs);
    expect(await contestedIds(ours)).toEqual([]);
    const { claims } = await ours.state();
    expect(claims.values().filter(({ contestedSeq }) => contestedSeq !== undefined)).toEqual([]);
  });

  it('spends units that one side gave back while the other exposed them', async () => {
    const sides = await parted(async (ledger) => {
      const plan = await recordPlan(ledger, 'base');
      await recordFinal(ledger, 'base', plan);
      await reserve(ledger, 'base', plan, unitsNamed(['u-1']));
    });
    const { ours, theirs } = sides;
    await ours.append({
      kind: 'release',
      requestId: 'release',
      body: { reserve: 3, reason: 'search ended' },
    });
    const taken = await settled(ours, 'left', ['u-1']);
    const plan = [...(await theirs.state()).experiments.values()][0];
    const body = await exposeBody(theirs, 3, plan?.finals[0]?.digest ?? 'sha256:');
    await theirs.append({ kind: 'expose', requestId: 'expose', body });
    await importFrom(ours, theirs);
    const state = await ours.state();
    expect(unitStatus(state, 'mails', 'u-1')).toMatchObject({ status: 'exposed', count: 2 });
    expect(state.experiments.get(plan?.plan ?? 'sha256:')?.phase).toBe('exposed');
    expect(claimOf(state, taken)?.contestedSeq).toBe(state.chain.size - 1);
    expect(claimOf(state, plan?.plan)?.contestedSeq).toBe(state.chain.size - 1);
    expect((await ours.verify()).problems).toEqual([]);
  });

  it('counts both exposures of one reservation, and lets neither ship', async () => {
    const sides = await parted(async (ledger) => {
      const plan = await recordPlan(ledger, 'base');
      await reserve(ledger, 'base', plan, unitsNamed(['u-1']));
    });
    for (const [name, ledger] of Object.entries({ ours: sides.ours, theirs: sides.theirs })) {
      const [experiment] = [...(await ledger.state()).experiments.values()];
      const seal = await recordFinal(ledger, 'base', experiment?.plan ?? 'sha256:', name);
      const body = await exposeBody(ledger, 2, seal);
      await ledger.append({ kind: 'expose', requestId: 'expose', body });
    }
    await importFrom(sides.ours, sides.theirs);
    const state = await sides.ours.state();
    expect(familyBudgets(state)).toMatchObject([{ looks: 2, spentNano: 2 * alphaNano }]);
    expect(await contestedIds(sides.ours)).toEqual(['u-1']);
    const expose = [...state.experiments.values()][0]?.exposure?.seq ?? 0;
    const shipped = sides.ours.append({
      kind: 'outcome',
      requestId: 'outcome',
      body: outcomeBody(expose),
    });
    expect((await refusalOf(shipped)).details['reason']).toBe('unit-contested');
    const resumed = sides.ours.append({
      kind: 'attempt',
      requestId: 'attempt',
      body: {
        ...{ expose, attempt: 2, reason: 'killed', missingCells: 1, missingObject: null },
        ...{ fence: '03'.repeat(16), journal: noJournal },
      },
    });
    expect((await refusalOf(resumed)).details['reason']).toBe('unit-contested');
    const ended = { expose, reason: 'contested', receiptsRoot: outcomeBody(0).receiptsRoot };
    await sides.ours.append({ kind: 'abort', requestId: 'abort', body: ended });
    expect((await sides.ours.verify()).problems).toEqual([]);
  });

  it('is made once: a second time, and from a copy that has it, there is nothing left', async () => {
    const { ours, theirs } = await bothMeasured();
    await importFrom(ours, theirs);
    const { size } = (await ours.state()).chain;
    expect(await importFrom(ours, theirs)).toBeNull();
    expect((await ours.state()).chain.size).toBe(size);
    await settled(theirs, 'later', ['u-7']);
    await importFrom(ours, theirs);
    const state = await ours.state();
    expect(statusOf(state, 'u-7')).toBe('exposed');
    expect(state.imported.values()).toHaveLength((await theirs.entries()).length - 2);
    expect((await ours.verify()).problems).toEqual([]);
  });

  it('brings along what the other side had imported itself', async () => {
    const { ours, theirs } = await parted(begin);
    const third = memoryLedger(countingPorts());
    await begin(third);
    const far = await settled(third, 'far', ['u-3']);
    await settled(theirs, 'right', ['u-2', 'u-3']);
    await importFrom(theirs, third);
    await settled(ours, 'left', ['u-1']);
    await importFrom(ours, theirs);
    const state = await ours.state();
    expect(['u-1', 'u-2', 'u-3'].map((id) => statusOf(state, id))).toEqual([
      'exposed',
      'exposed',
      'exposed',
    ]);
    expect(claimOf(state, far)?.contestedSeq).toBeGreaterThan(90_000_000);
    expect(await importFrom(ours, third)).toBeNull();
    expect((await ours.verify()).problems).toEqual([]);
    await importFrom(theirs, ours);
    expect((await theirs.verify()).problems).toEqual([]);
    expect(familyBudgets(await theirs.state())).toMatchObject([{ looks: 3 }]);
  });

  it('refuses another ledger, a damaged branch and one that lacks an object', async () => {
    const { ours, theirs } = await bothMeasured();
    const foreign = memoryLedger({ random: () => 'cd'.repeat(16) });
    await begin(foreign);
    expect((await refusalOf(importFrom(ours, foreign))).details['reason']).toBe('other-ledger');
    const entries = await theirs.entries();
    const bare = importBranch(ours, { entries, readObject: () => Promise.resolve(null) });
    expect((await refusalOf(bare)).message).toContain('list of units');
  });
});
