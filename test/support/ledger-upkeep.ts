/** A ledger of the kinds that keep it trustworthy: policy, key, amend, leak, retire. */
import type { Ledger } from '../../src/ledger/ledger.ts';
import { formatUnits } from '../../src/ledger/units-object.ts';
import { recordKey } from './ledger-keys.ts';
import { planSealOf, recordAmend, recordPlanSeal } from './ledger-plans.ts';
import { exposeExperiment, outcomeBody, recordFinal, reserve, unitsNamed } from './ledger-story.ts';
import { seededSigner } from './signers.ts';

/** Keys of the story by what becomes of them. */
export const storyKeys = {
  root: seededSigner('root', 1),
  witness: seededSigner('witness', 2),
  successor: seededSigner('witness', 3),
} as const;

async function listed(ledger: Ledger, ids: readonly string[]) {
  const { bytes, count, root, object } = formatUnits(unitsNamed(ids));
  await ledger.putObject(bytes);
  return { population: 'mails', unitCount: count, unitsRoot: root, unitsObject: object };
}

/** Tells the story: 18 entries, an amended experiment whose units are held at the end. */
export async function tellUpkeep(ledger: Ledger): Promise<void> {
  const { root, witness, successor } = storyKeys;
  const other = await exposeExperiment(ledger, 'other', unitsNamed(['o-1']));
  const body = { ...outcomeBody(other.expose), verdict: 'hold' as const };
  await ledger.append({ kind: 'outcome', requestId: 'outcome:other', body });
  await recordKey(ledger, { op: 'add', key: root });
  await recordKey(ledger, { op: 'add', key: witness, by: root, scopes: ['witness'] });
  const before = planSealOf('told');
  const from = await recordPlanSeal(ledger, before);
  await recordFinal(ledger, 'told', from);
  await reserve(ledger, 'told', from, unitsNamed(['u-1']));
  const change = { gates: [{ threshold: 0.05 }] };
  const { plan } = await recordAmend(ledger, { from, before, change });
  await recordFinal(ledger, 'told', plan, 'bound anew');
  const rotate = { op: 'rotate', key: successor, replaces: witness, by: witness } as const;
  await recordKey(ledger, { ...rotate, scopes: ['witness'] });
  await recordKey(ledger, { op: 'revoke', key: successor, by: root });
  const leak = { ...(await listed(ledger, ['w-1'])), source: 'forum', reason: 'posted' };
  await ledger.append({ kind: 'leak', requestId: 'leak', body: leak });
  const retired = { family: 'mails', units: await listed(ledger, ['w-2']), reason: 'worn' };
  await ledger.append({ kind: 'retire', requestId: 'retire', body: retired });
  const whole = { family: 'letters', units: null, reason: 'closed' };
  await ledger.append({ kind: 'retire', requestId: 'retire:letters', body: whole });
}
