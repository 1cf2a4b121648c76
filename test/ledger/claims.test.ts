import { describe, expect, it } from 'vitest';
import type { LiftgateError } from '../../src/base/errors.ts';
import { unitStatus } from '../../src/ledger/claim.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { familyBudgets } from '../../src/ledger/projection.ts';
import { reserveUnits } from '../../src/ledger/reserve.ts';
import {
  alphaNano,
  countingPorts,
  develop,
  digestNamed,
  exposeExperiment,
  outcomeBody,
  recordPlan,
  reserve,
  unitsNamed,
} from '../support/ledger-story.ts';
import { refusalOf } from '../support/refusal.ts';

const newLedger = () => memoryLedger(countingPorts());

async function tryReserve(
  ledger: Ledger,
  ids: readonly string[],
  content?: (id: string) => string,
): Promise<LiftgateError> {
  const plan = await recordPlan(ledger, 'late');
  const size = (await ledger.state()).chain.size;
  const error = await refusalOf(reserve(ledger, 'late', plan, unitsNamed(ids, content)));
  expect((await ledger.state()).chain.size).toBe(size);
  return error;
}

describe('a reservation', () => {
  it('is refused for held units, naming owner, entry and units', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'early');
    await reserve(ledger, 'early', plan, unitsNamed(['u-1', 'u-2', 'u-3']));
    const error = await tryReserve(ledger, ['u-2', 'u-3', 'u-4']);
    expect(error.code).toBe('ledger-conflict');
    expect(error.exitCode).toBe(42);
    expect(error.message).toBe(
      '2 of 3 units are held by experiment "early" since entry 2: "u-2", "u-3".',
    );
    expect(error.mend).toBe(
      'Take other units; or, if "early" will not be run as it was sealed, give them back with `liftgate ledger release early --reason "..."` and repeat.',
    );
    expect(error.details).toEqual({
      reason: 'unit-held',
      owner: 'early',
      ownerSeq: 2,
      units: ['u-2', 'u-3'],
      knownAs: [],
      invariant: 'I4',
    });
  });

  it('is refused for exposed units, also after their outcome', async () => {
    const ledger = newLedger();
    const early = await exposeExperiment(ledger, 'early', unitsNamed(['u-1', 'u-2']));
    const body = outcomeBody(early.expose);
    await ledger.append({ kind: 'outcome', requestId: 'o', body });
    const error = await tryReserve(ledger, ['u-2', 'u-9']);
    expect(error.message).toBe(
      `1 of 2 units is exposed by experiment "early" in entry ${early.expose}: "u-2".`,
    );
    expect(error.mend).toBe(
      'Evidence is spent once: take units nobody has measured, or read the recorded outcome of that experiment.',
    );
    expect(error.details).toMatchObject({
      reason: 'unit-exposed',
      ownerSeq: early.expose,
      invariant: 'I5',
    });
  });

  it('is refused for units used in development, also by the same experiment', async () => {
    const ledger = newLedger();
    const developed = await develop(ledger, 'late', unitsNamed(['u-1']));
    const error = await tryReserve(ledger, ['u-1', 'u-2']);
    expect(error.message).toBe(
      `1 of 2 units is used in development by experiment "late" in entry ${developed.entry.seq}: "u-1".`,
    );
    expect(error.mend).toBe(
      'Units read in development cannot be final evidence: take units nobody has read.',
    );
    expect(error.details).toMatchObject({ reason: 'unit-developed', invariant: 'I11' });
  });

  it('is refused for another spelling of a known unit', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'early');
    await reserve(ledger, 'early', plan, unitsNamed(['straße']));
    const error = await tryReserve(ledger, ['STRASSE']);
    expect(error.message).toBe(
      '1 of 1 units is another spelling of a unit claimed by experiment "early" in entry 2: "STRASSE" (recorded as "straße").',
    );
    expect(error.details).toMatchObject({
      reason: 'unit-alias',
      units: ['STRASSE'],
      knownAs: ['straße'],
    });
  });

  it.each([
    ['case-1', '\u0441ase-1', '"\u0441ase-1" (U+0441 looks like c) (recorded as "case-1")'],
    ['\u0441ase-1', 'case-1', '"case-1" (recorded as "\u0441ase-1" (U+0441 looks like c))'],
    [
      '\u0441ase-1',
      'c\u0430se-1',
      '"c\u0430se-1" (U+0430 looks like a) (recorded as "\u0441ase-1" (U+0441 looks like c))',
    ],
    ['CASE-1', 'case\u20101', '"case\u20101" (U+2010 looks like -) (recorded as "CASE-1")'],
  ])('is refused for an id that looks like a known one: %s, %s', async (known, id, shown) => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'early');
    await reserve(ledger, 'early', plan, unitsNamed([known]));
    const error = await tryReserve(ledger, ['other', id]);
    expect(error.message).toBe(
      `1 of 2 units is another spelling of a unit claimed by experiment "early" in entry 2: ${shown}.`,
    );
    expect(error.details).toMatchObject({ reason: 'unit-alias', units: [id], knownAs: [known] });
  });

  it('is refused for look-alikes in one list, and knows them apart from ids of another population', async () => {
    const error = await tryReserve(newLedger(), ['u-\u043e', 'u-o'].sort());
    expect(error.message).toBe(
      'The list names one unit in two spellings: "u-o" and "u-\u043e" (U+043E looks like o).',
    );
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'early');
    await reserve(ledger, 'early', plan, unitsNamed(['u-1', 'u-l', 'u-I2', 'u-0', 'u-O'].sort()));
    expect((await ledger.state()).chain.size).toBe(3);
  });

  it('is refused for two spellings in one list', async () => {
    const error = await tryReserve(newLedger(), ['U-1', 'u-1']);
    expect(error.message).toBe('The list names one unit in two spellings: "U-1" and "u-1".');
    expect(error.mend).toBe(
      'Keep one spelling; ids that differ only in case, width, invisible characters or letters that look alike are one unit.',
    );
  });

  it('is refused for a renamed unit, printing both ids', async () => {
    const ledger = newLedger();
    await exposeExperiment(ledger, 'early', unitsNamed(['u-1', 'u-2']));
    const error = await tryReserve(ledger, ['fresh-1', 'fresh-2'], (id) =>
      id === 'fresh-2' ? 'u-1' : id,
    );
    expect(error.message).toBe(
      '1 of 2 units is a renamed copy of a unit claimed by experiment "early" in entry 4: "fresh-2" (recorded as "u-1").',
    );
    expect(error.mend).toBe(
      'The same content under another id is the same unit: take units nobody has seen, or list ids and dates under fingerprint.ignore if only those coincide.',
    );
    expect(error.details).toMatchObject({ reason: 'unit-renamed', knownAs: ['u-1'] });
  });

  it('is refused for the same content in another population', async () => {
    const ledger = newLedger();
    await exposeExperiment(ledger, 'early', unitsNamed(['u-1']));
    const plan = await recordPlan(ledger, 'late');
    const request = { experimentId: 'late', plan, family: 'letters', alphaNano };
    const error = await refusalOf(
      reserveUnits(ledger, { ...request, population: 'letters', units: unitsNamed(['u-1']) }),
    );
    expect(error.details).toMatchObject({ reason: 'unit-renamed', owner: 'early' });
    const other = unitsNamed(['u-1'], () => 'a letter');
    await reserveUnits(ledger, { ...request, population: 'letters', units: other });
    expect(unitStatus(await ledger.state(), 'letters', 'u-1').status).toBe('held');
  });

  it('shows ten ids, the count, and what is taken by others', async () => {
    const ledger = newLedger();
    const many = Array.from({ length: 12 }, (_, index) => `u-${10 + index}`);
    const plan = await recordPlan(ledger, 'early');
    await reserve(ledger, 'early', plan, unitsNamed(many));
    await develop(ledger, 'other', unitsNamed(['v-1']));
    const error = await tryReserve(ledger, [...many, 'v-1']);
    expect(error.message).toBe(
      '12 of 13 units are held by experiment "early" since entry 2: "u-10", "u-11", "u-12", "u-13", "u-14", "u-15", "u-16", "u-17", "u-18", "u-19" and 2 more. 1 further unit is taken otherwise.',
    );
    expect(error.details['units']).toEqual(many);
  });

  it('may share content between two of its own units', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'early');
    await reserve(
      ledger,
      'early',
      plan,
      unitsNamed(['u-1', 'u-2'], () => 'same text'),
    );
    const error = await tryReserve(ledger, ['w-1'], () => 'same text');
    expect(error.details).toMatchObject({ reason: 'unit-renamed', knownAs: ['u-1'] });
  });

  it('takes units back after a release, for anybody', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'early');
    const first = await reserve(ledger, 'early', plan, unitsNamed(['u-1']));
    const body = { reserve: first.entry.seq, reason: 'search ended' };
    await ledger.append({ kind: 'release', requestId: 'r', body });
    expect(unitStatus(await ledger.state(), 'mails', 'u-1')).toEqual({ status: 'free' });
    const other = await recordPlan(ledger, 'other');
    const taken = await reserve(ledger, 'other', other, unitsNamed(['u-1']));
    expect(unitStatus(await ledger.state(), 'mails', 'u-1')).toEqual({
      status: 'held',
      by: 'other',
      seq: taken.entry.seq,
    });
    const again = await refusalOf(reserve(ledger, 'early', plan, unitsNamed(['u-1'])));
    expect(again.details).toMatchObject({ owner: 'other', ownerSeq: taken.entry.seq });
  });

  it('of the same experiment is a new request after a release', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'early');
    const first = await reserve(ledger, 'early', plan, unitsNamed(['u-1']));
    const body = { reserve: first.entry.seq, reason: 'search ended' };
    await ledger.append({ kind: 'release', requestId: 'r', body });
    const second = await reserve(ledger, 'early', plan, unitsNamed(['u-1']));
    expect(second.replayed).toBe(false);
    expect(second.entry.seq).toBe(first.entry.seq + 2);
    expect((await reserve(ledger, 'early', plan, unitsNamed(['u-1']))).replayed).toBe(true);
  });
});

describe('development', () => {
  it('is refused for units held by a reservation, also its own', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'early');
    await reserve(ledger, 'early', plan, unitsNamed(['u-1']));
    for (const experimentId of ['other', 'early']) {
      const error = await refusalOf(develop(ledger, experimentId, unitsNamed(['u-1'])));
      expect(error.message).toBe(
        '1 of 1 units is held by experiment "early" since entry 2: "u-1".',
      );
      expect(error.details['invariant']).toBe('I11');
    }
  });

  it('is refused for a renamed copy of a held unit', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'early');
    await reserve(ledger, 'early', plan, unitsNamed(['u-1']));
    const error = await refusalOf(
      develop(
        ledger,
        'early',
        unitsNamed(['t-1'], () => 'u-1'),
      ),
    );
    expect(error.details).toMatchObject({ reason: 'unit-renamed', knownAs: ['u-1'] });
  });

  it('may use measured units once their measurement is settled', async () => {
    const ledger = newLedger();
    const early = await exposeExperiment(ledger, 'early', unitsNamed(['u-1']));
    const error = await refusalOf(develop(ledger, 'next', unitsNamed(['u-1'])));
    expect(error.details).toMatchObject({ reason: 'unit-exposed', ownerSeq: early.expose });
    await ledger.append({ kind: 'outcome', requestId: 'o', body: outcomeBody(early.expose) });
    await develop(ledger, 'next', unitsNamed(['u-1']));
    expect(unitStatus(await ledger.state(), 'mails', 'u-1')).toEqual({
      status: 'exposed',
      by: 'early',
      seq: early.expose,
      count: 1,
    });
  });

  it('may use measured units once their measurement was aborted', async () => {
    const ledger = newLedger();
    const { expose } = await exposeExperiment(ledger, 'early', unitsNamed(['u-1']));
    const body = { expose, reason: 'host gone', receiptsRoot: digestNamed('none') };
    await ledger.append({ kind: 'abort', requestId: 'a', body });
    await develop(ledger, 'next', unitsNamed(['u-1']));
    expect(unitStatus(await ledger.state(), 'mails', 'u-1').status).toBe('exposed');
    const error = await tryReserve(ledger, ['u-1']);
    expect(error.details).toMatchObject({ reason: 'unit-exposed', ownerSeq: expose });
  });

  it('is shared between experiments and recorded once per experiment, units and reason', async () => {
    const ledger = newLedger();
    const first = await develop(ledger, 'early', unitsNamed(['t-1', 't-2']));
    const again = await develop(ledger, 'early', unitsNamed(['t-2', 't-1']));
    expect(again).toEqual({ ...first, replayed: true });
    const other = await develop(ledger, 'other', unitsNamed(['t-1']));
    expect(other.replayed).toBe(false);
    expect(unitStatus(await ledger.state(), 'mails', 't-1')).toEqual({
      status: 'development',
      by: 'early',
      seq: first.entry.seq,
    });
  });
});

describe('familyBudgets', () => {
  it('counts held and spent error, looks and units of every family', async () => {
    const ledger = newLedger();
    await exposeExperiment(ledger, 'early', unitsNamed(['u-1', 'u-2']));
    const plan = await recordPlan(ledger, 'late');
    await reserve(ledger, 'late', plan, unitsNamed(['u-3']));
    const released = await recordPlan(ledger, 'never');
    const held = await reserve(ledger, 'never', released, unitsNamed(['u-4']));
    const body = { reserve: held.entry.seq, reason: 'not needed' };
    await ledger.append({ kind: 'release', requestId: 'r', body });
    expect(familyBudgets(await ledger.state())).toEqual([
      {
        family: 'mails',
        heldNano: alphaNano,
        spentNano: alphaNano,
        looks: 1,
        unitsHeld: 1,
        unitsExposed: 2,
      },
    ]);
  });
});
