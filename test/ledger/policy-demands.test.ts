import { describe, expect, it, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { rootOfPeaks } from '../../src/base/merkle.ts';
import { fingerprintOf, type Signer } from '../../src/base/signature.ts';
import { formatEntry, type LedgerEntry } from '../../src/ledger/entry.ts';
import { type Ledger, openLedgerStore } from '../../src/ledger/ledger.ts';
import { memoryLedger, memoryStore } from '../../src/ledger/memory-ledger.ts';
import { entryMessage, unanchoredEntry } from '../../src/ledger/policy-demands.ts';
import { formatUnits } from '../../src/ledger/units-object.ts';
import { importFrom } from '../support/branches.ts';
import {
  anchorByNote,
  beginDemanding,
  demanding,
  demandKeys,
  holdUnit,
  requestsAfter,
  signingPorts,
  tellDemanding,
} from '../support/ledger-demands.ts';
import { recordKey } from '../support/ledger-keys.ts';
import { planSealOf, recordAmend, recordPlanSeal } from '../support/ledger-plans.ts';
import {
  bytesOf,
  countingPorts,
  exposeBody,
  reserve,
  unitsNamed,
} from '../support/ledger-story.ts';
import { refusalOf } from '../support/refusal.ts';

const { root, witness, stranger } = demandKeys;
const signing = (signer: Signer = root) => memoryLedger(signingPorts(signer));

/** A ledger under a demand, and the same place opened by somebody with another key, or none. */
async function shared(wanted: Parameters<typeof demanding>[0]) {
  const store = memoryStore();
  const owner = openLedgerStore(store, signingPorts(root));
  await beginDemanding(owner, wanted);
  const as = (signer?: Signer): Ledger =>
    openLedgerStore(store, signer === undefined ? countingPorts() : signingPorts(signer));
  return { owner, as };
}

const reasonOf = async (work: Promise<unknown>) => {
  const { code, details } = await refusalOf(work);
  return [code, details['invariant'], details['reason']];
};
const unsigned = ['ledger-conflict', 'I15', 'entry-unsigned'];
const unanchored = ['ledger-conflict', 'I16', 'not-anchored'];

describe('a policy that wants signatures', () => {
  it('takes a whole measurement that is signed, and verifies', async () => {
    const ledger = signing();
    const entries = await tellDemanding(ledger);
    const signed = entries.filter(({ signature }) => signature !== undefined);
    expect(signed.map(({ kind }) => kind)).toEqual([
      ...['policy', 'reserve', 'expose', 'journal', 'attempt', 'outcome', 'void'],
    ]);
    expect(new Set(signed.map(({ signature }) => signature?.signer))).toEqual(
      new Set([fingerprintOf(root.key)]),
    );
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it('signs the whole entry but its signature, under a word of its own', () => {
    const entry = {
      ...{ v: 1, ledger: 'ab'.repeat(16), seq: 3, prev: digestOf('p'), kind: 'release' },
      ...{ requestId: 'r', at: '2026-01-01T00:00:00.000Z', actor: 'a' },
      ...{ body: { reserve: 2, reason: 'x' }, signature: { signer: 's', value: 'v' } },
    } as unknown as LedgerEntry;
    expect(new TextDecoder().decode(entryMessage(entry))).toBe(
      `{"actor":"a","at":"2026-01-01T00:00:00.000Z","body":{"reason":"x","reserve":2},"kind":"release","ledger":"${'ab'.repeat(16)}","prev":"${digestOf('p')}","requestId":"r","seq":3,"type":"liftgate/entry/v1","v":1}`,
    );
  });

  it('refuses every entry about its units from somebody without a key', async () => {
    const { owner, as } = await shared({ requireSignature: true });
    const nobody = as();
    const error = await refusalOf(holdUnit(nobody));
    expect(error.message).toBe(
      'The policy of family "mails" wants this reserve entry signed, and nobody signed it.',
    );
    expect(error.mend).toBe(
      'Name a key that may sign entries with --entry-key KEY; `liftgate ledger key list` shows who may.',
    );
    const body = await holdUnit(owner);
    const { reserve: held } = body;
    const release = { reserve: held, reason: 'r' };
    const retired = { family: 'mails', units: null, reason: 'r' };
    const loose = demanding({});
    for (const work of [
      nobody.append({ kind: 'release', requestId: 'r', body: release }),
      nobody.append({ kind: 'expose', requestId: 'x', body }),
      nobody.append({ kind: 'retire', requestId: 't', body: retired }),
      nobody.append({ kind: 'policy', requestId: 'p', body: loose }),
      nobody.append({ kind: 'policy', requestId: 'p', body: demanding({ alphaNano: 1 }) }),
    ])
      expect(await reasonOf(work)).toEqual(unsigned);
    const { entry } = await owner.append({ kind: 'expose', requestId: 'x', body });
    const after = requestsAfter(entry.seq);
    const ending = { expose: entry.seq, reason: 'r', receiptsRoot: digestOf('none') };
    for (const work of [
      nobody.append(after.journal),
      nobody.append(after.attempt),
      nobody.append(after.outcome),
      nobody.append({ kind: 'abort', requestId: 'a', body: ending }),
    ])
      expect(await reasonOf(work)).toEqual(unsigned);
    await owner.append(after.journal);
    await owner.append(after.attempt);
    const settled = await owner.append(after.outcome);
    const voided = { outcome: settled.entry.seq, reason: 'r', evidence: '' };
    expect(await reasonOf(nobody.append({ kind: 'void', requestId: 'v', body: voided }))).toEqual(
      unsigned,
    );
    expect((await as().verify()).ok).toBe(true);
  });

  it('refuses an unsigned amendment of a plan that holds units, and takes a signed one', async () => {
    const { owner, as } = await shared({ requireSignature: true });
    const before = planSealOf('told');
    const from = await recordPlanSeal(owner, before);
    const free = await recordAmend(as(), { from, before, change: { gates: [{ threshold: 1 }] } });
    await reserve(owner, 'told', free.plan, unitsNamed(['u-9']));
    const again = { from: free.plan, before: free.seal, change: { gates: [{ threshold: 2 }] } };
    expect(await reasonOf(recordAmend(as(), again))).toEqual(unsigned);
    await recordAmend(owner, again);
    expect((await owner.verify()).problems).toEqual([]);
  });

  it('leaves what only takes units out, and other families, to everybody', async () => {
    const { as } = await shared({ requireSignature: true });
    const other = demanding({ family: 'letters' });
    await as().append({ kind: 'policy', requestId: 'letters', body: other });
    const { bytes, count, root: unitsRoot, object } = formatUnits(unitsNamed(['w-1']));
    await as().putObject(bytes);
    const set = { population: 'mails', unitCount: count, unitsRoot, unitsObject: object };
    const leak = { ...set, source: 'forum', reason: 'posted' };
    const { entry } = await as().append({ kind: 'leak', requestId: 'leak', body: leak });
    expect(entry.signature).toBeUndefined();
    expect((await as().verify()).ok).toBe(true);
  });

  it('asks before it loosens, and never loosens once units are held', async () => {
    const { owner } = await shared({ requireSignature: true });
    await owner.append({ kind: 'policy', requestId: 'loose', body: demanding({}) });
    await owner.append({
      ...{ kind: 'policy', requestId: 'again' },
      body: demanding({ requireSignature: true, requireAnchor: true }),
    });
    await holdUnit(owner);
    for (const wanted of [{ requireSignature: true }, { requireAnchor: true }])
      expect(
        await reasonOf(owner.append({ kind: 'policy', requestId: 'l', body: demanding(wanted) })),
      ).toEqual(['ledger-conflict', 'I9', 'policy-loosened']);
  });

  it('cannot be recorded while no key signs entries', async () => {
    const body = demanding({ requireSignature: true });
    const work = memoryLedger().append({ kind: 'policy', requestId: 'p', body });
    expect(await reasonOf(work)).toEqual(unsigned);
    const alone = signing().append({ kind: 'policy', requestId: 'p', body });
    expect((await refusalOf(alone)).message).toBe(
      `The policy entry is signed by ${fingerprintOf(root.key)}, which the ledger does not know.`,
    );
  });

  test.each<[string, (ledger: Ledger) => Promise<unknown>, Signer, string]>([
    ['a stranger', () => Promise.resolve(), stranger, 'which the ledger does not know.'],
    ['a witness', () => Promise.resolve(), witness, 'which signs witness and no entries.'],
    [
      'a revoked key',
      (ledger) => recordKey(ledger, { op: 'revoke', key: root }),
      root,
      'which was revoked in entry 5.',
    ],
  ])('refuses the signature of %s', async (_, before, signer, why) => {
    const { owner, as } = await shared({ requireSignature: true });
    await before(owner);
    const error = await refusalOf(holdUnit(as(signer)));
    expect(error.details['reason']).toBe('entry-signer');
    expect(error.message).toBe(
      `The reserve entry is signed by ${fingerprintOf(signer.key)}, ${why}`,
    );
  });

  it('refuses a signature of other bytes, also where nobody asked for one', async () => {
    for (const requireSignature of [true, false]) {
      const { owner } = await shared({ requireSignature });
      const other: Signer = { ...root, sign: () => root.sign(bytesOf('something else')) };
      const held = await owner.entries();
      const last = held.at(-1);
      const forged = {
        ...{ v: 1, ledger: 'ab'.repeat(16), seq: held.length, prev: last?.entryId ?? null },
        ...{ kind: 'retire', requestId: 'r', at: '2026-01-01T00:00:00.000Z', actor: 'a' },
        body: { family: 'mails', units: null, reason: 'r' },
      } as LedgerEntry;
      const value = Buffer.from(await other.sign(entryMessage(forged))).toString('base64');
      const signature = { signer: fingerprintOf(root.key), value };
      const store = memoryStore();
      for (const { entry, bytes } of held) await store.putIfAbsent(entry.seq, bytes);
      await store.putIfAbsent(held.length, formatEntry({ ...forged, signature }));
      const { problems } = await openLedgerStore(store, countingPorts()).verify();
      expect(problems.map(({ code }) => code)).toContain('I15');
      expect(problems.find(({ code }) => code === 'I15')?.message).toBe(
        'The signature of root on the retire entry does not hold: the signature does not match.',
      );
    }
  });

  it('does not let a signed entry stand at another place', async () => {
    const entries = await tellDemanding(signing());
    const reserved = entries.find(({ kind }) => kind === 'reserve');
    if (reserved === undefined) throw new Error('nothing was reserved');
    const message = (entry: LedgerEntry) => Buffer.from(entryMessage(entry)).toString();
    const moved = { ...reserved, prev: digestOf('another history') };
    expect(message(moved)).not.toBe(message(reserved));
  });

  it('wants the import of another copy signed too', async () => {
    const stores = { ours: memoryStore(), theirs: memoryStore() };
    const ours = openLedgerStore(stores.ours, signingPorts(root));
    const theirs = openLedgerStore(stores.theirs, signingPorts(root));
    for (const ledger of [ours, theirs]) await beginDemanding(ledger, { requireSignature: true });
    await holdUnit(theirs);
    await ours.append({
      ...{ kind: 'policy', requestId: 'letters' },
      body: demanding({ family: 'letters' }),
    });
    const nobody = openLedgerStore(stores.ours, countingPorts());
    expect(await reasonOf(importFrom(nobody, theirs))).toEqual(unsigned);
    await importFrom(ours, theirs);
    expect((await ours.verify()).problems).toEqual([]);
  });
});

describe('a policy that wants anchors', () => {
  it('refuses an exposure whose reservation no anchor covers', async () => {
    const { owner } = await shared({ requireAnchor: true });
    const body = await holdUnit(owner);
    const work = () => owner.append({ kind: 'expose', requestId: 'x', body });
    const error = await refusalOf(work());
    expect(error.message).toBe(
      'The policy of family "mails" wants entry 5 anchored before this expose; the anchors of the ledger cover 0 entries.',
    );
    expect(error.mend).toBe(
      'Record an outside proof with `liftgate ledger anchor` (--commit, --time-stamp or --note), then repeat the command.',
    );
    await anchorByNote(owner, witness);
    await work();
  });

  it('refuses what follows from an exposure until that is anchored too', async () => {
    const { owner } = await shared({ requireAnchor: true });
    const body = await holdUnit(owner);
    const experiment = (state: Awaited<ReturnType<Ledger['state']>>) => {
      const [found] = state.experiments.values();
      if (found === undefined) throw new Error('no experiment');
      return unanchoredEntry(state, found);
    };
    expect(experiment(await owner.state())).toBe(body.reserve);
    await anchorByNote(owner, witness);
    expect(experiment(await owner.state())).toBeNull();
    const { entry } = await owner.append({ kind: 'expose', requestId: 'x', body });
    const after = requestsAfter(entry.seq);
    expect(experiment(await owner.state())).toBe(entry.seq);
    for (const work of [after.journal, after.attempt, after.outcome])
      expect(await reasonOf(owner.append(work))).toEqual(unanchored);
    await anchorByNote(owner, witness);
    expect(experiment(await owner.state())).toBeNull();
    await owner.append(after.journal);
    await owner.append(after.attempt);
    await owner.append(after.outcome);
    expect((await owner.verify()).problems).toEqual([]);
  });

  it('lets an exposure end without one', async () => {
    const { owner } = await shared({ requireAnchor: true });
    const body = await holdUnit(owner);
    await anchorByNote(owner, witness);
    const { entry } = await owner.append({ kind: 'expose', requestId: 'x', body });
    const ending = { expose: entry.seq, reason: 'r', receiptsRoot: digestOf('none') };
    await owner.append({ kind: 'abort', requestId: 'a', body: ending });
    expect((await owner.verify()).problems).toEqual([]);
  });

  it('wants an amended plan anchored again', async () => {
    const { owner } = await shared({ requireAnchor: true });
    const before = planSealOf('told');
    const from = await recordPlanSeal(owner, before);
    const held = await reserve(owner, 'told', from, unitsNamed(['u-9']));
    await anchorByNote(owner, witness);
    const change = { gates: [{ threshold: 1 }] };
    const { plan, appended } = await recordAmend(owner, { from, before, change });
    const text = bytesOf('final\n');
    const sealDigest = await owner.putObject(text);
    const seal = { experimentId: 'told', sealDigest, size: text.length };
    await owner.append({
      ...{ kind: 'seal', requestId: 's' },
      body: { ...seal, stage: 'final', plan },
    });
    const body = await exposeBody(owner, held.entry.seq, sealDigest);
    const work = () => owner.append({ kind: 'expose', requestId: 'x', body });
    expect((await refusalOf(work())).details).toMatchObject({ ownerSeq: appended.entry.seq });
    await anchorByNote(owner, witness);
    await work();
  });

  test.each<[string, 'witness' | 'ots' | 'rfc3161' | 'git-commit', string]>([
    ['an OpenTimestamps file', 'ots', 'proof\n'],
    ['bytes that are no time stamp', 'rfc3161', 'proof\n'],
    ['bytes that are no commit', 'git-commit', '{}\n'],
    ['an unreadable note', 'witness', 'note\n'],
  ])('does not count %s', async (_, type, proof) => {
    const { owner } = await shared({ requireAnchor: true });
    const body = await holdUnit(owner);
    const { chain, past } = await owner.state();
    const object = await owner.putObject(bytesOf(proof));
    const head = chain.head ?? digestOf('');
    const anchor = { size: chain.size, head, root: rootOfPeaks(past?.peaks ?? null), type, object };
    await owner.append({ kind: 'anchor', requestId: 'a', body: anchor });
    expect((await owner.state()).anchored).toBe(0);
    const work = owner.append({ kind: 'expose', requestId: 'x', body });
    expect(await reasonOf(work)).toEqual(unanchored);
  });

  test.each<[string, Signer]>([
    ['a stranger', stranger],
    ['a key without the scope witness', root],
  ])('does not count a note of %s', async (_, signer) => {
    const { owner } = await shared({ requireAnchor: true });
    const body = await holdUnit(owner);
    await anchorByNote(owner, signer);
    const work = owner.append({ kind: 'expose', requestId: 'x', body });
    expect(await reasonOf(work)).toEqual(unanchored);
  });
});
