import { describe, expect, it } from 'vitest';
import { type ChainHead, emptyChain, extendChain } from '../../src/ledger/chain.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { emptyState, type LedgerState, phaseOf } from '../../src/ledger/projection.ts';
import { applyEntry } from '../../src/ledger/state.ts';
import { formatUnits } from '../../src/ledger/units-object.ts';
import {
  countingPorts,
  digestNamed,
  exposeBody,
  exposeExperiment,
  outcomeBody,
  recordFinal,
  recordPlan,
  reserve,
  tellStory,
  unitsNamed,
} from '../support/ledger-story.ts';

const newLedger = () => memoryLedger(countingPorts());
const units = unitsNamed(['u-1', 'u-2']);

describe('an experiment', () => {
  it('goes from sealed over reserved, exposed and settled to voided', async () => {
    const ledger = newLedger();
    const phases: string[] = [];
    const plan = await recordPlan(ledger, 'e');
    const look = async () => phases.push(phaseOf(await ledger.state(), plan));
    await look();
    const reserved = (await reserve(ledger, 'e', plan, units)).entry.seq;
    await look();
    const seal = await recordFinal(ledger, 'e', plan);
    const exposed = await ledger.append({
      kind: 'expose',
      requestId: 'x',
      body: await exposeBody(ledger, reserved, seal),
    });
    await look();
    const outcome = await ledger.append({
      kind: 'outcome',
      requestId: 'o',
      body: outcomeBody(exposed.entry.seq),
    });
    await look();
    const body = { outcome: outcome.entry.seq, reason: 'grader was wrong', evidence: 'issue 7' };
    const voided = await ledger.append({ kind: 'void', requestId: 'v', body });
    await look();
    expect(phases).toEqual(['sealed', 'reserved', 'exposed', 'settled', 'voided']);
    const experiment = (await ledger.state()).experiments.get(plan);
    expect(experiment).toMatchObject({
      experimentId: 'e',
      sealedSeq: 1,
      reservation: { seq: 2 },
      finals: [{ digest: seal, seq: 3 }],
      exposure: { seq: 4, entryId: exposed.entryId, attempt: 1, fence: '01'.repeat(16) },
      outcome: { seq: 5, entryId: outcome.entryId, body: { verdict: 'ship' } },
      voided: { seq: 6, entryId: voided.entryId },
    });
  });

  it('is unknown before its plan is recorded', async () => {
    expect(phaseOf(await newLedger().state(), digestNamed('plan'))).toBe('none');
  });

  it('keeps every right to dispatch, the last one current', async () => {
    const ledger = newLedger();
    const { plan, expose, exposeId } = await exposeExperiment(ledger, 'e', units);
    const fence = '02'.repeat(16);
    const resume = { reason: 'killed', missingCells: 1, missingObject: null };
    const body = { expose, attempt: 2, fence, ...resume, journal: { lines: 5, digest: plan } };
    const resumed = await ledger.append({ kind: 'attempt', requestId: 'a2', body });
    expect((await ledger.state()).experiments.get(plan)?.exposure).toMatchObject({
      entryId: exposeId,
      attempt: 2,
      fence: '02'.repeat(16),
      rights: [
        { attempt: 1, seq: expose, fence: '01'.repeat(16), lines: 0 },
        { attempt: 2, seq: resumed.entry.seq, entryId: resumed.entryId, lines: 5 },
      ],
      journal: { lines: 5, digest: plan, seq: resumed.entry.seq, stopped: false },
    });
  });

  it('may bind candidates again before exposure; all final seals stay visible', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'e');
    await recordFinal(ledger, 'e', plan, 'first try');
    await reserve(ledger, 'e', plan, units);
    await recordFinal(ledger, 'e', plan, 'second try');
    const experiment = (await ledger.state()).experiments.get(plan);
    expect(experiment?.finals.map((final) => final.seq)).toEqual([2, 4]);
    expect(experiment?.phase).toBe('reserved');
  });
});

describe('applyEntry', () => {
  it('leaves the given state as it was', async () => {
    const ledger = newLedger();
    const before = await ledger.state();
    const plan = await recordPlan(ledger, 'e');
    const sealed = await ledger.state();
    await reserve(ledger, 'e', plan, units);
    expect(before.chain.size).toBe(0);
    expect(phaseOf(sealed, plan)).toBe('sealed');
    expect(sealed.units.values()).toEqual([]);
    expect(phaseOf(await ledger.state(), plan)).toBe('reserved');
  });

  it('refuses a list of units that is not the counted one', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'e');
    await reserve(ledger, 'e', plan, units);
    const entries = await ledger.entries();
    const stored = entries[2];
    if (stored === undefined) throw new Error('no reservation');
    const state = followedState(entries.slice(0, 2));
    expect(() => applyEntry(state, stored, () => formatUnits(unitsNamed(['u-1'])).bytes)).toThrow(
      expect.objectContaining({
        code: 'ledger-conflict',
        message: expect.stringMatching(
          /^The entry counts 2 units under sha256:\w{64}; its list holds 1 under sha256:\w{64}\.$/,
        ),
      }),
    );
    expect(() => applyEntry(state, stored, () => null)).toThrow(/is not stored\.$/);
    expect(applyEntry(state, stored, () => formatUnits(units).bytes).chain.size).toBe(3);
  });

  it('gives the same state however often a ledger is read', async () => {
    const ledger = newLedger();
    await tellStory(ledger);
    const state = await ledger.state();
    expect(state.chain.size).toBe(17);
    expect(state.experiments.values().map((each) => each.phase)).toEqual([
      'voided',
      'sealed',
      'aborted',
    ]);
  });
});

function followedState(entries: readonly { readonly bytes: Uint8Array }[]): LedgerState {
  let chain: ChainHead = emptyChain;
  let state: LedgerState = emptyState;
  for (const { bytes } of entries) {
    const next = extendChain(chain, bytes);
    chain = next.chain;
    state = applyEntry(state, next.stored, () => null);
  }
  return state;
}
