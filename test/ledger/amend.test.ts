/** Amendments: what a plan may become before its exposure, and that nobody can leave out what changed or what had been seen. */
import { describe, expect, it, test } from 'vitest';
import type { Digest } from '../../src/base/digest.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import {
  type AmendStep,
  amendBodyOf,
  planSealOf,
  recordAmend,
  recordPlanSeal,
} from '../support/ledger-plans.ts';
import {
  bytesOf,
  countingPorts,
  digestNamed,
  exposeBody,
  exposeExperiment,
  outcomeBody,
  recordFinal,
  reserve,
  unitsNamed,
} from '../support/ledger-story.ts';
import { refusalOf } from '../support/refusal.ts';

const before = planSealOf('e');
const stricter = { gates: [{ threshold: 0.05 }] };

async function sealed(): Promise<{ readonly ledger: Ledger; readonly from: Digest }> {
  const ledger = memoryLedger(countingPorts());
  return { ledger, from: await recordPlanSeal(ledger, before) };
}

async function held() {
  const { ledger, from } = await sealed();
  const { entry } = await reserve(ledger, 'e', from, unitsNamed(['u-1', 'u-2']));
  return { ledger, from, reserved: entry.seq };
}

const refused = async (work: Promise<unknown>) => {
  const { message, mend, details } = await refusalOf(work);
  return { message, mend, reason: details['reason'], invariant: details['invariant'] };
};

describe('an amendment', () => {
  it('puts another plan in the place of a sealed one, which stays visible', async () => {
    const { ledger, from } = await sealed();
    const { plan, appended } = await recordAmend(ledger, { from, before, change: stricter });
    const { experiments } = await ledger.state();
    expect(experiments.get(from)).toMatchObject({ phase: 'amended', amendedBy: plan });
    expect(experiments.get(plan)).toMatchObject({
      ...{ experimentId: 'e', phase: 'sealed', amendsPlan: from, sealedSeq: appended.entry.seq },
      finals: [],
    });
    expect(appended.entry.body.changed).toEqual([
      {
        pointer: '/gates/0/threshold',
        from: digestNamed('0'),
        to: digestNamed('0.05'),
      },
    ]);
    await reserve(ledger, 'e', plan, unitsNamed(['u-1']));
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it('of a plan that holds units hands them to the new plan, and nothing bound to the old one counts', async () => {
    const { ledger, from, reserved } = await held();
    const old = await recordFinal(ledger, 'e', from);
    const { plan, appended } = await recordAmend(ledger, { from, before, change: stricter });
    expect(appended.entry.body.seen.finals).toEqual([old]);
    const { experiments, claims } = await ledger.state();
    expect(experiments.get(plan)).toMatchObject({
      ...{ phase: 'reserved', reservation: { seq: reserved }, finals: [] },
    });
    expect(experiments.get(from)).toMatchObject({ phase: 'amended', finals: [{ digest: old }] });
    expect(claims.get(reserved)).toMatchObject({ plan, status: 'held' });
    const stale = await exposeBody(ledger, reserved, old);
    expect(
      await refused(ledger.append({ kind: 'expose', requestId: 'x', body: stale })),
    ).toMatchObject({ reason: 'final-unknown' });
    const final = await recordFinal(ledger, 'e', plan, 'bound anew');
    const body = await exposeBody(ledger, reserved, final);
    await ledger.append({ kind: 'expose', requestId: 'y', body });
    expect((await ledger.state()).experiments.get(plan)?.phase).toBe('exposed');
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it('may follow another, and the chain names every plan before it', async () => {
    const { ledger, from } = await sealed();
    const first = await recordAmend(ledger, { from, before, change: stricter });
    const step = { from: first.plan, before: first.seal, change: { gates: [] } };
    const second = await recordAmend(ledger, step);
    expect(second.seal['amendments']).toMatchObject([{ parent: from }, { parent: first.plan }]);
    const { experiments } = await ledger.state();
    expect(experiments.values().map(({ phase }) => phase)).toEqual([
      'amended',
      'amended',
      'sealed',
    ]);
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it('names every exposure of the family, also one made after the seal', async () => {
    const { ledger, from } = await sealed();
    const other = await exposeExperiment(ledger, 'o', unitsNamed(['u-7']));
    const body = { ...outcomeBody(other.expose), verdict: 'hold' as const };
    await ledger.append({ kind: 'outcome', requestId: 'o', body });
    const { appended } = await recordAmend(ledger, { from, before, change: stricter });
    expect(appended.entry.body.seen).toEqual({
      exposures: [other.exposeId],
      finals: [],
      declared: ['alice: selection scores'],
    });
  });

  it('is replayed when it is repeated, and a conflict when somebody amended meanwhile', async () => {
    const { ledger, from } = await sealed();
    const step = { from, before, change: stricter };
    const { body } = await amendBodyOf(ledger, step);
    const request = { kind: 'amend' as const, requestId: 'a', body };
    expect((await ledger.append(request)).replayed).toBe(false);
    expect((await ledger.append(request)).replayed).toBe(true);
    const late = { ...body, reason: 'other' };
    expect(await refused(ledger.append({ ...request, body: late }))).toMatchObject({
      reason: 'request-differs',
    });
    expect(await refused(ledger.append({ ...request, requestId: 'b' }))).toEqual({
      message: 'Experiment "e" is amended; to amend its plan it must be sealed or reserved.',
      mend: 'Follow seal, reserve, expose, outcome; for a new question seal a new plan on units nobody has measured.',
      ...{ reason: 'out-of-order', invariant: 'I6' },
    });
  });

  it('is refused once the units are exposed, whatever it would change', async () => {
    const { ledger, from, reserved } = await held();
    const final = await recordFinal(ledger, 'e', from);
    const body = await exposeBody(ledger, reserved, final);
    const { entry } = await ledger.append({ kind: 'expose', requestId: 'x', body });
    const prose = { from, before, change: { claim: 'prose' } };
    expect(await refused(recordAmend(ledger, prose))).toMatchObject({
      message: 'Experiment "e" is exposed; to amend its plan it must be sealed or reserved.',
      reason: 'out-of-order',
    });
    const outcome = outcomeBody(entry.seq);
    await ledger.append({ kind: 'outcome', requestId: 'o', body: outcome });
    expect((await refused(recordAmend(ledger, prose))).message).toContain('is settled');
  });

  test.each([
    ['the units', { units: { family: 'mails', count: 3 } }, '/units/count'],
    ['the family', { units: { family: 'letters', count: 2 } }, '/units/family'],
    ['the error', { analysis: { alphaNano: 1, level: 0.95 } }, '/analysis/alphaNano'],
    ['the development units', { development: { count: 1 } }, '/development'],
  ])(
    'is refused when it changes %s that are held, and allowed once they are given back',
    async (_, change, pointer) => {
      const { ledger, from, reserved } = await held();
      expect(await refused(recordAmend(ledger, { from, before, change }))).toMatchObject({
        message: expect.stringContaining(`(${pointer}) while experiment "e" holds its units.`),
        mend: 'Give them back with `liftgate ledger release e --reason "..."`, amend, and reserve again.',
        ...{ reason: 'amends-held', invariant: 'I14' },
      });
      const release = { reserve: reserved, reason: 'r' };
      await ledger.append({ kind: 'release', requestId: 'r', body: release });
      const { plan } = await recordAmend(ledger, { from, before, change });
      expect((await ledger.state()).experiments.get(plan)?.phase).toBe('sealed');
    },
  );
});

describe('an amendment that does not say what it is', () => {
  const change = stricter;
  const other = digestNamed('other');
  const exposure = async (ledger: Ledger) => {
    const { expose } = await exposeExperiment(ledger, 'o', unitsNamed(['u-7']));
    await ledger.append({ kind: 'outcome', requestId: 'o', body: outcomeBody(expose) });
  };
  const cases: [string, Partial<AmendStep>, string][] = [
    [
      'changes nothing',
      { change: {}, body: { changed: [{ pointer: '/x', from: null, to: null }] } },
      'nothing-amended',
    ],
    ['leaves out a change', { forged: { level: 1 } }, 'changes-differ'],
    [
      'names a change that there is not',
      { body: { changed: [{ pointer: '/gates', from: other, to: other }] } },
      'changes-differ',
    ],
    ['conceals an exposure', { seen: { exposures: [] } }, 'seen-differs'],
    ['invents an exposure', { seen: { exposures: [other, other] } }, 'seen-differs'],
    ['invents a candidate', { seen: { finals: [other] } }, 'seen-differs'],
    ['gives another reason than the seal', { body: { reason: 'other' } }, 'chain-differs'],
    ['does not name the seal before', { forged: { previous: null } }, 'chain-differs'],
    ['leaves out the chain', { forged: { amendments: [] } }, 'chain-differs'],
    ['is of another experiment', { forged: { experimentId: 'f' } }, 'changes-differ'],
    ['binds candidates', { forged: { stage: 'final' } }, 'object-unreadable'],
    ['is no plan seal', { forged: { analysis: 'none' } }, 'object-unreadable'],
  ];
  test.each(cases)('is refused: it %s', async (_, forged, reason) => {
    const { ledger, from } = await sealed();
    await exposure(ledger);
    const step = { from, before, change, ...forged };
    expect(await refused(recordAmend(ledger, step))).toMatchObject({ reason });
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it('is refused: its new seal has another size, or is not stored', async () => {
    const { ledger, from } = await sealed();
    const { body } = await amendBodyOf(ledger, { from, before, change });
    const append = (changed: Partial<typeof body>) =>
      refused(ledger.append({ kind: 'amend', requestId: 'a', body: { ...body, ...changed } }));
    expect((await append({ size: body.size + 1 })).message).toContain(
      `which has ${body.size} bytes, not ${body.size + 1}.`,
    );
    expect(await append({ to: other })).toMatchObject({ reason: 'object-missing' });
  });

  it('is refused: it amends a plan that is not recorded, or to one that is', async () => {
    const { ledger, from } = await sealed();
    const first = await recordAmend(ledger, { from, before, change });
    const { body } = await amendBodyOf(ledger, {
      from: first.plan,
      before: first.seal,
      change: { gates: [] },
    });
    const append = (changed: Partial<typeof body>) =>
      refused(ledger.append({ kind: 'amend', requestId: 'a', body: { ...body, ...changed } }));
    await ledger.putObject(bytesOf('other'));
    expect(await append({ from: other })).toMatchObject({ reason: 'plan-unknown' });
    expect(await append({ experimentId: 'f' })).toMatchObject({ reason: 'other-experiment' });
    const again = { to: from, size: (await ledger.object(from))?.length ?? 0 };
    expect(await append(again)).toMatchObject({ reason: 'already-sealed' });
  });
});
