import { describe, expect, it, test } from 'vitest';
import type { Digest } from '../../src/base/digest.ts';
import type { EntryOf } from '../../src/ledger/entry.ts';
import type { Disclosure } from '../../src/ledger/entry-bodies.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { reserveUnits } from '../../src/ledger/reserve.ts';
import { levelText, nextSlot, reuseBudgets, revealedValues } from '../../src/ledger/reuse.ts';
import {
  countingPorts,
  digestNamed,
  exposeBody,
  outcomeBody,
  recordFinal,
  recordPlan,
  unitsNamed,
} from '../support/ledger-story.ts';
import { refusalOf } from '../support/refusal.ts';

const alpha = 50_000_000;
const quarters = [250_000_000, 250_000_000, 250_000_000, 250_000_000];
const slots: EntryOf<'policy'>['body'] = {
  family: 'mails',
  mode: 'alpha-slots',
  alphaNano: alpha,
  weights: quarters,
  retireOnShip: true,
  requireSignature: false,
  requireAnchor: false,
};

let policies = 0;
const record = (ledger: Ledger, change: Partial<typeof slots> = {}) => {
  policies += 1;
  const body = { ...slots, ...change };
  return ledger.append({ kind: 'policy', requestId: `policy:${policies}`, body });
};

const underSlots = async (change: Partial<typeof slots> = {}) => {
  const ledger = memoryLedger(countingPorts());
  await record(ledger, change);
  return ledger;
};

interface Look {
  readonly name: string;
  readonly units?: readonly string[];
  readonly nano?: number;
  readonly sealed?: Disclosure;
  readonly shown?: Disclosure;
  readonly verdict?: 'ship' | 'hold';
}

async function hold(ledger: Ledger, look: Look): Promise<{ plan: Digest; seq: number }> {
  const plan = await recordPlan(ledger, look.name);
  const reserved = await reserveUnits(ledger, {
    ...{ experimentId: look.name, plan, population: 'mails', family: 'mails' },
    ...{ units: unitsNamed(look.units ?? ['u-1', 'u-2']), alphaNano: look.nano ?? alpha / 4 },
  });
  return { plan, seq: reserved.entry.seq };
}

async function expose(ledger: Ledger, look: Look): Promise<number> {
  const { plan, seq } = await hold(ledger, look);
  const seal = await recordFinal(ledger, look.name, plan);
  const body = { ...(await exposeBody(ledger, seq, seal)), disclosure: look.sealed ?? 'gate-bit' };
  return (await ledger.append({ kind: 'expose', requestId: `x:${look.name}`, body })).entry.seq;
}

async function measure(ledger: Ledger, look: Look): Promise<number> {
  const body = {
    ...outcomeBody(await expose(ledger, look)),
    disclosure: look.shown ?? look.sealed ?? 'gate-bit',
    alphaNano: look.nano ?? alpha / 4,
    verdict: look.verdict ?? 'hold',
  };
  return (await ledger.append({ kind: 'outcome', requestId: `o:${look.name}`, body })).entry.seq;
}

const budget = async (ledger: Ledger) => reuseBudgets(await ledger.state())[0];
const refused = async (work: Promise<unknown>) => {
  const { message, mend, details } = await refusalOf(work);
  return { message, mend, reason: details['reason'] };
};

describe('alpha-slots', () => {
  it('measures units again, each time in the next slot, until the slots are spent', async () => {
    const ledger = await underSlots();
    for (const name of ['a', 'b', 'c', 'd']) await measure(ledger, { name });
    expect(await budget(ledger)).toEqual({
      ...{ family: 'mails', mode: 'alpha-slots', totalNano: alpha, spentNano: alpha, heldNano: 0 },
      ...{ leftNano: 0, looks: 4, slots: 4, nextSlot: null, nextNano: null, repeatNano: null },
      ...{ unitsFree: 0, unitsHeld: 0, unitsExposed: 2, unitsRetired: 0 },
      retiredSeq: null,
    });
    expect(await refused(hold(ledger, { name: 'e', nano: 1 }))).toEqual({
      message: 'Family "mails" has no error left for a measurement of these units.',
      mend: 'Take fresh units under another family; `liftgate ledger budget` shows what is spent.',
      reason: 'slot-level',
    });
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it('refuses a design that spends one nano more than its slot, naming the level to declare', async () => {
    const ledger = await underSlots();
    expect(await refused(hold(ledger, { name: 'a', nano: alpha / 4 + 1 }))).toEqual({
      message: 'The design spends 12500001 nano of error; slot 0 of family "mails" has 12500000.',
      mend: 'Declare inference.level: 0.9875, or higher, and seal again; `liftgate ledger budget` shows the next level.',
      reason: 'slot-level',
    });
    expect(Math.round((1 - Number(levelText(alpha / 4))) * 1e9)).toBe(alpha / 4);
  });

  it('divides by all that earlier measurements of any of the units can have told', async () => {
    const ledger = await underSlots();
    await measure(ledger, { name: 'a', units: ['u-1'], sealed: 'aggregate' });
    await measure(ledger, { name: 'b', units: ['u-2', 'u-3'], sealed: 'aggregate' });
    const told = 4 * 10;
    const level = Math.floor(alpha / 4 / told);
    const both: Look = { name: 'c', units: ['u-1', 'u-3'], nano: level + 1 };
    expect((await refused(hold(ledger, both))).message).toContain(`has ${level}.`);
    await hold(ledger, { ...both, name: 'd', nano: level });
    expect(await budget(ledger)).toMatchObject({
      ...{ unitsHeld: 2, unitsExposed: 1, heldNano: level, nextNano: alpha / 4 },
      repeatNano: level,
    });
  });

  it('charges what was shown beyond what was sealed', async () => {
    const ledger = await underSlots();
    await measure(ledger, { name: 'a', sealed: 'gate-bit', shown: 'aggregate' });
    expect(await budget(ledger)).toMatchObject({ repeatNano: Math.floor(alpha / 4 / 10) });
  });

  it('records no outcome that claims to show less than was sealed', async () => {
    const ledger = await underSlots();
    const look: Look = { name: 'a', sealed: 'aggregate', shown: 'gate-bit' };
    expect(await refused(measure(ledger, look))).toMatchObject({
      message: 'The outcome discloses "gate-bit", the exposure declared "aggregate".',
      reason: 'disclosure-understated',
    });
  });

  test.each<[string, Partial<Look>]>([
    ['let a candidate ship', { verdict: 'ship' }],
    ['were seen one by one', { shown: 'per-unit' }],
  ])('retires units that %s', async (_, change) => {
    const ledger = await underSlots();
    await measure(ledger, { name: 'a', ...change });
    expect(await refused(hold(ledger, { name: 'b', units: ['u-2', 'u-9'] }))).toEqual({
      message: '1 of 2 units is retired since experiment "a" measured it in entry 5: "u-2".',
      mend: 'Retired units are not measured again: they let a candidate ship, their results were seen, or somebody ended their use. Take units nobody has measured.',
      reason: 'unit-retired',
    });
    expect(await budget(ledger)).toMatchObject({ unitsRetired: 2, unitsExposed: 0, nextSlot: 1 });
  });

  it('keeps error and retirement through a void', async () => {
    const ledger = await underSlots();
    const outcome = await measure(ledger, { name: 'a', verdict: 'ship' });
    const before = await budget(ledger);
    const body = { outcome, reason: 'grader was wrong', evidence: '' };
    await ledger.append({ kind: 'void', requestId: 'v', body });
    expect(await budget(ledger)).toEqual(before);
  });

  it('takes an aborted measurement for one of which everything was seen', async () => {
    const ledger = await underSlots();
    const seq = await expose(ledger, { name: 'a' });
    const body = { expose: seq, reason: 'host gone', receiptsRoot: digestNamed('none') };
    await ledger.append({ kind: 'abort', requestId: 'abort', body });
    expect((await refused(hold(ledger, { name: 'b' }))).reason).toBe('unit-retired');
    expect(await budget(ledger)).toMatchObject({ spentNano: alpha / 4, unitsRetired: 2 });
  });

  it('lets nobody measure units whose measurement is still open', async () => {
    const ledger = await underSlots();
    await expose(ledger, { name: 'a' });
    expect((await refused(hold(ledger, { name: 'b' }))).reason).toBe('unit-exposed');
  });

  it('gives the slot of a released reservation to the next one', async () => {
    const ledger = await underSlots();
    const { seq } = await hold(ledger, { name: 'a' });
    await hold(ledger, { name: 'b', units: ['u-3'] });
    expect(nextSlot(await ledger.state(), 'mails')).toBe(2);
    const body = { reserve: seq, reason: 'search ended' };
    await ledger.append({ kind: 'release', requestId: 'r', body });
    expect(nextSlot(await ledger.state(), 'mails')).toBe(0);
    expect(await budget(ledger)).toMatchObject({ heldNano: alpha / 4, unitsFree: 2, unitsHeld: 1 });
  });

  it('replays a reservation under the slot it was given', async () => {
    const ledger = await underSlots();
    const plan = await recordPlan(ledger, 'a');
    const request = {
      ...{ experimentId: 'a', plan, population: 'mails', family: 'mails' },
      ...{ units: unitsNamed(['u-1']), alphaNano: 1000 },
    };
    const first = await reserveUnits(ledger, request);
    expect(await reserveUnits(ledger, request)).toEqual({ ...first, replayed: true });
  });

  it('takes another slot when a faster reservation got the one it read', async () => {
    const ledger = await underSlots();
    const plans = [await recordPlan(ledger, 'a'), await recordPlan(ledger, 'b')];
    const both = await Promise.all(
      plans.map((plan, at) =>
        reserveUnits(ledger, {
          ...{ experimentId: at === 0 ? 'a' : 'b', plan, population: 'mails', family: 'mails' },
          ...{ units: unitsNamed([`u-${at}`]), alphaNano: 1000 },
        }),
      ),
    );
    expect(both.map(({ entry }) => entry.body.slot).sort()).toEqual([0, 1]);
  });

  it('still refuses a renamed copy, another family and development units', async () => {
    const ledger = await underSlots();
    await measure(ledger, { name: 'a', units: ['u-1'] });
    const plan = await recordPlan(ledger, 'b');
    const asking = { experimentId: 'b', plan, population: 'mails', alphaNano: 1 };
    const copy = reserveUnits(ledger, {
      ...{ ...asking, family: 'mails' },
      units: unitsNamed(['u-2'], () => 'u-1'),
    });
    expect((await refused(copy)).reason).toBe('unit-renamed');
    const other = reserveUnits(ledger, { ...asking, family: 'posts', units: unitsNamed(['u-1']) });
    expect((await refused(other)).reason).toBe('unit-exposed');
    const set = (await ledger.entries()).flatMap(({ entry }) =>
      entry.kind === 'reserve' ? entry.body : [],
    )[0];
    if (set === undefined) throw new Error('no reservation');
    const { population, unitCount, unitsRoot, unitsObject } = set;
    const body = { experimentId: 'c', population, unitCount, unitsRoot, unitsObject, reason: 'r' };
    await ledger.append({ kind: 'develop', requestId: 'd', body });
    expect((await refused(hold(ledger, { name: 'd', units: ['u-1'] }))).reason).toBe(
      'unit-developed',
    );
  });

  it('measures units again that share a case with each other', async () => {
    const ledger = await underSlots();
    const plan = await recordPlan(ledger, 'a');
    const units = unitsNamed(['u-1', 'u-2'], () => 'the same');
    const asking = { population: 'mails', family: 'mails', units, alphaNano: 1000 };
    const { entry } = await reserveUnits(ledger, { ...asking, experimentId: 'a', plan });
    const seal = await recordFinal(ledger, 'a', plan);
    const shown = { disclosure: 'gate-bit', alphaNano: 1000, verdict: 'hold' } as const;
    const exposed = await ledger.append({
      ...{ kind: 'expose', requestId: 'x' },
      body: { ...(await exposeBody(ledger, entry.seq, seal)), disclosure: 'gate-bit' },
    });
    const body = { ...outcomeBody(exposed.entry.seq), ...shown };
    await ledger.append({ kind: 'outcome', requestId: 'o', body });
    const second = await recordPlan(ledger, 'b');
    const again = await reserveUnits(ledger, { ...asking, experimentId: 'b', plan: second });
    expect(again.entry.body.slot).toBe(1);
  });
});

describe('a policy', () => {
  test.each<[string, Partial<typeof slots>, string]>([
    ['online-fdr', { mode: 'online-fdr' }, 'policy-not-enforced'],
    ['slots without weights', { weights: [] }, 'policy-weights'],
    ['a weight of nothing', { weights: [0, 5] }, 'policy-weights'],
    ['weights above one', { weights: [999_999_999, 2] }, 'policy-weights'],
    ['one-shot with weights', { mode: 'one-shot' }, 'policy-weights'],
    ['slots that outlive a ship', { retireOnShip: false }, 'policy-keeps-shipped'],
  ])('is refused for %s', async (_, change, reason) => {
    expect((await refused(underSlots(change))).reason).toBe(reason);
  });

  test.each<[string, Partial<typeof slots>]>([
    ['lower error', { alphaNano: alpha - 1 }],
    ['lower weights', { weights: [250_000_000, 1] }],
    ['one-shot', { mode: 'one-shot', weights: [] }],
  ])('may change to %s once units are held', async (_, change) => {
    const ledger = await underSlots();
    await hold(ledger, { name: 'a', nano: 1000 });
    await record(ledger, change);
    expect(await budget(ledger)).toMatchObject({ mode: change.mode ?? 'alpha-slots' });
  });

  test.each<[string, Partial<typeof slots>]>([
    ['more error', { alphaNano: alpha + 1 }],
    ['a higher weight', { weights: [250_000_001] }],
    ['a further slot', { weights: [...quarters.slice(0, 3), 1, 1] }],
  ])('may not change to %s once units are held', async (_, change) => {
    const ledger = await underSlots();
    await hold(ledger, { name: 'a', nano: 1000 });
    expect(await refused(record(ledger, change))).toEqual({
      message: 'Units of family "mails" are held or exposed; its policy may only become stricter.',
      mend: 'Keep mode and weights, or lower them; or take fresh units under another family.',
      reason: 'policy-loosened',
    });
  });

  it('makes no measured unit of a one-shot family measurable', async () => {
    const ledger = memoryLedger(countingPorts());
    await measure(ledger, { name: 'a' });
    expect((await refused(record(ledger))).reason).toBe('policy-loosened');
  });

  it('limits each measurement of a one-shot family', async () => {
    const ledger = await underSlots({ mode: 'one-shot', weights: [], alphaNano: 1000 });
    const look: Look = { name: 'a', nano: 1001 };
    expect((await refused(hold(ledger, look))).message).toContain('"mails" has 1000.');
    await measure(ledger, { name: 'b', nano: 1000 });
    expect((await refused(hold(ledger, { name: 'c', nano: 1 }))).reason).toBe('unit-exposed');
    expect(await budget(ledger)).toMatchObject({ totalNano: null, nextNano: 1000, slots: null });
  });
});

describe('revealedValues', () => {
  test.each<[Disclosure, number, number, bigint | null]>([
    ['gate-bit', 200, 3, 1n],
    ['aggregate', 1, 1, 4n],
    ['aggregate', 2, 1, 10n],
    ['aggregate', 2, 2, 100n],
    ['rounded', 200, 1, 1373701n],
    ['per-unit', 1, 1, null],
  ])('of %s, %s units and %s candidates', (disclosure, unitCount, candidates, values) => {
    expect(revealedValues(disclosure, { unitCount, candidates })).toBe(values);
  });
});
