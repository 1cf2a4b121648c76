/** Keys, amendments, leaks and retirements that another branch of a ledger recorded. */
import { describe, expect, it } from 'vitest';
import { unitStatus } from '../../src/ledger/claim.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { importFrom, parted } from '../support/branches.ts';
import { recordKey } from '../support/ledger-keys.ts';
import { planSealOf, recordAmend, recordPlanSeal } from '../support/ledger-plans.ts';
import {
  exposeBody,
  exposeExperiment,
  outcomeBody,
  recordFinal,
  reserve,
  unitsNamed,
} from '../support/ledger-story.ts';
import { storyKeys, tellUpkeep } from '../support/ledger-upkeep.ts';

const { root, witness, successor } = storyKeys;
const before = planSealOf('e');
const begin = async (ledger: Ledger) => {
  await recordPlanSeal(ledger, before);
};
const planOf = async (ledger: Ledger) => {
  const own = (await ledger.state()).experiments.values();
  return own.find(({ experimentId, phase }) => experimentId === 'e' && phase !== 'amended');
};

describe('an import', () => {
  it('brings the whole story of another branch', async () => {
    const { ours, theirs } = await parted(begin);
    await exposeExperiment(ours, 'mine', unitsNamed(['m-1']));
    await tellUpkeep(theirs);
    await importFrom(ours, theirs);
    const state = await ours.state();
    expect(state.keys.values().map(({ name, ended }) => [name, ended?.how ?? 'valid'])).toEqual([
      ['root', 'valid'],
      ['witness', 'rotated'],
      ['witness', 'revoked'],
    ]);
    expect(unitStatus(state, 'mails', 'w-1').status).toBe('leaked');
    expect(unitStatus(state, 'mails', 'w-2').status).toBe('retired');
    const told = state.experiments.values().filter(({ experimentId }) => experimentId === 'told');
    expect(told.map(({ phase }) => phase)).toEqual(['amended', 'reserved']);
    expect((await ours.verify()).problems).toEqual([]);
  });

  it('keeps an amendment that did not know of exposures on this side', async () => {
    const { ours, theirs } = await parted(begin);
    const { expose } = await exposeExperiment(ours, 'mine', unitsNamed(['m-1']));
    const body = { ...outcomeBody(expose), verdict: 'hold' as const };
    await ours.append({ kind: 'outcome', requestId: 'o', body });
    const from = (await planOf(theirs))?.plan ?? 'sha256:';
    const { plan } = await recordAmend(theirs, { from, before, change: { gates: [] } });
    const held = await reserve(theirs, 'e', plan, unitsNamed(['u-1']));
    const final = await recordFinal(theirs, 'e', plan);
    const exposure = await exposeBody(theirs, held.entry.seq, final);
    await theirs.append({ kind: 'expose', requestId: 'x', body: exposure });
    await importFrom(ours, theirs);
    expect(await planOf(ours)).toMatchObject({ plan, phase: 'exposed', amendsPlan: from });
    expect((await ours.verify()).problems).toEqual([]);
  });

  it('leaves a plan as this ledger amended it, and counts what theirs exposed', async () => {
    const { ours, theirs } = await parted(begin);
    const from = (await planOf(theirs))?.plan ?? 'sha256:';
    const mine = await recordAmend(ours, { from, before, change: { gates: [1] } });
    const { plan } = await recordAmend(theirs, { from, before, change: { gates: [2] } });
    const held = await reserve(theirs, 'e', plan, unitsNamed(['u-1']));
    const final = await recordFinal(theirs, 'e', plan);
    const exposure = await exposeBody(theirs, held.entry.seq, final);
    await theirs.append({ kind: 'expose', requestId: 'x', body: exposure });
    await importFrom(ours, theirs);
    const state = await ours.state();
    expect(await planOf(ours)).toMatchObject({ plan: mine.plan, phase: 'sealed' });
    expect(unitStatus(state, 'mails', 'u-1').status).not.toBe('free');
    expect((await ours.verify()).problems).toEqual([]);
  });

  it('ends a key that either side has ended', async () => {
    const { ours, theirs } = await parted(async (ledger) => {
      await begin(ledger);
      await recordKey(ledger, { op: 'add', key: root });
      await recordKey(ledger, { op: 'add', key: witness, by: root, scopes: ['witness'] });
    });
    const rotate = { op: 'rotate', key: successor, replaces: witness, by: root } as const;
    await recordKey(ours, { ...rotate, scopes: ['witness'] });
    await recordKey(theirs, { op: 'revoke', key: witness, by: root });
    await recordKey(theirs, { op: 'revoke', key: root });
    await importFrom(ours, theirs);
    const { keys } = await ours.state();
    expect(keys.values().map(({ name, ended }) => `${name} ${ended?.how ?? 'valid'}`)).toEqual([
      'root revoked',
      'witness revoked',
      'witness valid',
    ]);
    expect((await ours.verify()).problems).toEqual([]);
  });
});
