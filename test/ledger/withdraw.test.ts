/** Units taken out of measurement: known outside, or retired on purpose. */
import { describe, expect, it } from 'vitest';
import { unitStatus } from '../../src/ledger/claim.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { reuseBudgets } from '../../src/ledger/reuse.ts';
import { formatUnits } from '../../src/ledger/units-object.ts';
import {
  countingPorts,
  develop,
  exposeBody,
  exposeExperiment,
  outcomeBody,
  recordFinal,
  recordPlan,
  reserve,
  unitsNamed,
} from '../support/ledger-story.ts';
import { refusalOf } from '../support/refusal.ts';

async function hold(
  ledger: Ledger,
  { name, units = ['u-1', 'u-2'] }: { name: string; units?: readonly string[] },
) {
  const plan = await recordPlan(ledger, name);
  const { entry } = await reserve(ledger, name, plan, unitsNamed(units));
  return { plan, seq: entry.seq };
}

const refused = async (work: Promise<unknown>) => {
  const { message, mend, details } = await refusalOf(work);
  return { message, mend, reason: details['reason'] };
};

async function leak(ledger: Ledger, ids: readonly string[], content?: (id: string) => string) {
  const stored = formatUnits(unitsNamed(ids, content));
  const set = { unitCount: stored.count, unitsRoot: stored.root, unitsObject: stored.object };
  await ledger.putObject(stored.bytes);
  const body = { population: 'mails', ...set, source: 'forum', reason: 'posted' };
  return ledger.append({ kind: 'leak', requestId: `leak:${ids.join()}`, body });
}

describe('a leak', () => {
  it('keeps its units from every reservation', async () => {
    const ledger = memoryLedger(countingPorts());
    const { entry } = await leak(ledger, ['u-1']);
    expect(await refused(hold(ledger, { name: 'a' }))).toEqual({
      message: `1 of 2 units is known outside since entry ${entry.seq}: "u-1".`,
      mend: 'Units that somebody may have seen cannot be final evidence: take units nobody has read.',
      reason: 'unit-leaked',
    });
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it.each([
    ['id', ['u-1'], undefined],
    ['content', ['w-1'], () => 'u-1'],
  ] as const)(
    'of held units, by %s, leaves nothing but to release them',
    async (_, ids, content) => {
      const ledger = memoryLedger(countingPorts());
      const { plan, seq } = await hold(ledger, { name: 'a' });
      const seal = await recordFinal(ledger, 'a', plan);
      const { entry } = await leak(ledger, ids, content);
      const body = await exposeBody(ledger, seq, seal);
      expect(await refused(ledger.append({ kind: 'expose', requestId: 'x', body }))).toEqual({
        message: `Units of experiment "a" became known outside in entry ${entry.seq}.`,
        mend: 'Give them back with `liftgate ledger release a --reason "..."` and reserve units nobody has read.',
        reason: 'unit-leaked',
      });
      const release = { reserve: seq, reason: 'leaked' };
      await ledger.append({ kind: 'release', requestId: 'r', body: release });
      await hold(ledger, { name: 'b', units: ['u-2'] });
    },
  );

  it('is what its units are from then on, whatever else happened to them', async () => {
    const ledger = memoryLedger(countingPorts());
    await exposeExperiment(ledger, 'a', unitsNamed(['u-1']));
    await hold(ledger, { name: 'b', units: ['u-2'] });
    const { entry } = await leak(ledger, ['u-1', 'u-2', 'u-3']);
    const state = await ledger.state();
    const status = (id: string) => unitStatus(state, 'mails', id);
    const leaked = { status: 'leaked', by: 'forum', seq: entry.seq };
    expect(status('u-1')).toEqual({ ...leaked, count: 1 });
    expect(status('u-2')).toEqual({ ...leaked, count: 0 });
    expect(status('u-3')).toEqual({ ...leaked, count: 0 });
    expect(status('u-4')).toEqual({ status: 'free' });
  });

  it('in another spelling keeps the spelling that is recorded', async () => {
    const ledger = memoryLedger(countingPorts());
    const { seq } = await hold(ledger, { name: 'a', units: ['u-1'] });
    await leak(ledger, ['U-1']);
    await ledger.append({ kind: 'release', requestId: 'r', body: { reserve: seq, reason: 'r' } });
    const { message } = await refused(hold(ledger, { name: 'b', units: ['u-1'] }));
    expect(message).toContain('is known outside since entry');
  });

  it('of content is found under another name, and the refusal says that it leaked', async () => {
    const ledger = memoryLedger(countingPorts());
    const { entry } = await leak(ledger, ['w-1'], () => 'u-1');
    expect(await refused(hold(ledger, { name: 'a' }))).toMatchObject({
      message: `1 of 2 units is a renamed copy of a unit recorded as known outside in entry ${entry.seq}: "u-1" (recorded as "w-1").`,
      reason: 'unit-renamed',
    });
  });
});

describe('a retirement', () => {
  async function retire(ledger: Ledger, ids: readonly string[] | null, family = 'mails') {
    const requestId = `retire:${ids?.join() ?? family}`;
    if (ids === null) {
      const body = { family, units: null, reason: 'worn out' };
      return ledger.append({ kind: 'retire', requestId, body });
    }
    const stored = formatUnits(unitsNamed(ids));
    const set = { unitCount: stored.count, unitsRoot: stored.root, unitsObject: stored.object };
    await ledger.putObject(stored.bytes);
    const body = { family, units: { population: 'mails', ...set }, reason: 'worn out' };
    return ledger.append({ kind: 'retire', requestId, body });
  }

  it('keeps its units from every later reservation, by id and by content', async () => {
    const ledger = memoryLedger(countingPorts());
    const { entry } = await retire(ledger, ['u-1']);
    expect(await refused(hold(ledger, { name: 'a' }))).toEqual({
      message: `1 of 2 units is retired in entry ${entry.seq}: "u-1".`,
      mend: 'Retired units are not measured again: they let a candidate ship, their results were seen, or somebody ended their use. Take units nobody has measured.',
      reason: 'unit-retired',
    });
    const plan = await recordPlan(ledger, 'b');
    const renamed = reserve(
      ledger,
      'b',
      plan,
      unitsNamed(['v-1'], () => 'u-1'),
    );
    expect((await refused(renamed)).message).toContain('is a renamed copy of a unit retired in');
    expect(unitStatus(await ledger.state(), 'mails', 'u-1')).toMatchObject({ status: 'retired' });
    expect(reuseBudgets(await ledger.state())).toMatchObject([
      { family: 'mails', unitsRetired: 1, unitsHeld: 0, looks: 0, nextSlot: 0 },
    ]);
    await develop(ledger, 'b', unitsNamed(['u-1']));
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it('waits for whoever holds a unit, and not for whoever measures one', async () => {
    const ledger = memoryLedger(countingPorts());
    await hold(ledger, { name: 'a' });
    expect(await refused(retire(ledger, ['u-2', 'u-3']))).toMatchObject({
      message: '1 of 2 units is held by experiment "a" since entry 2: "u-2".',
      reason: 'unit-held',
    });
    expect(await refused(retire(ledger, null))).toEqual({
      message: 'Units of family "mails" are held by experiment "a" since entry 2.',
      mend: 'Finish that experiment, or give its units back with `liftgate ledger release a --reason "..."`; then retire the family.',
      reason: 'unit-held',
    });
    const { expose } = await exposeExperiment(ledger, 'b', unitsNamed(['u-8']));
    await retire(ledger, ['u-8']);
    const body = { ...outcomeBody(expose), verdict: 'hold' as const };
    await ledger.append({ kind: 'outcome', requestId: 'o', body });
    expect(unitStatus(await ledger.state(), 'mails', 'u-8')).toMatchObject({ count: 1 });
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it('of a family ends it once, whichever units are named', async () => {
    const ledger = memoryLedger(countingPorts());
    const { expose } = await exposeExperiment(ledger, 'a', unitsNamed(['u-1']));
    const body = { ...outcomeBody(expose), verdict: 'hold' as const };
    await ledger.append({ kind: 'outcome', requestId: 'o', body });
    const { entry } = await retire(ledger, null);
    const ended = { message: `Family "mails" was retired in entry ${entry.seq}.` };
    expect(await refused(hold(ledger, { name: 'b', units: ['u-7'] }))).toMatchObject({
      ...ended,
      reason: 'family-retired',
    });
    const again = { family: 'mails', units: null, reason: 'once more' };
    const repeated = ledger.append({ kind: 'retire', requestId: 'again', body: again });
    expect(await refused(repeated)).toMatchObject(ended);
    const state = await ledger.state();
    expect(unitStatus(state, 'mails', 'u-1')).toEqual({
      ...{ status: 'retired', by: 'mails', seq: entry.seq, count: 1 },
    });
    expect(reuseBudgets(state)).toMatchObject([
      { retiredSeq: entry.seq, unitsRetired: 1, unitsExposed: 0, nextSlot: null },
    ]);
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it.each([
    ['count', { unitCount: 2 }, /^The entry counts 2 units/],
    ['root', { unitsRoot: `sha256:${'0'.repeat(64)}` as const }, /^The entry counts 1 units/],
    ['list', { unitsObject: `sha256:${'0'.repeat(64)}` as const }, /which is not stored\.$/],
  ])('is refused when its %s is not that of the stored units', async (_, change, text) => {
    const ledger = memoryLedger(countingPorts());
    const stored = formatUnits(unitsNamed(['u-1']));
    await ledger.putObject(stored.bytes);
    const set = { unitCount: 1, unitsRoot: stored.root, unitsObject: stored.object };
    const units = { population: 'mails', ...set, ...change };
    const body = { family: 'mails', units, reason: 'r' };
    const { message } = await refused(ledger.append({ kind: 'retire', requestId: 'x', body }));
    expect(message).toMatch(text);
  });
});
