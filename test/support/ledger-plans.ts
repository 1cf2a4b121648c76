/** Plan seals as far as the ledger reads them, and amendments of them. */
import { canonicalLine } from '../../src/base/canonical.ts';
import type { Digest } from '../../src/base/digest.ts';
import { seenBy } from '../../src/ledger/amend.ts';
import type { EntryOf } from '../../src/ledger/entry.ts';
import type { Appended, Ledger } from '../../src/ledger/ledger.ts';
import type { LedgerState } from '../../src/ledger/projection.ts';
import { changesBetween, type Seen } from '../../src/spec/amendment.ts';
import { bytesOf } from './ledger-story.ts';

type Members = Readonly<Record<string, unknown>>;

/** A plan seal of an experiment of the family `mails`; `change` replaces members. */
export function planSealOf(experimentId: string, change: Members = {}): Members {
  return {
    ...{ stage: 'plan', experimentId, previous: null, amendments: [] },
    ...{ units: { family: 'mails', count: 2 }, development: null },
    ...{ analysis: { alphaNano: 25_000_000, level: 0.95 }, gates: [{ threshold: 0 }] },
    ...change,
  };
}

/** Records a plan seal. */
export async function recordPlanSeal(ledger: Ledger, seal: Members): Promise<Digest> {
  const bytes = bytesOf(canonicalLine(seal));
  const sealDigest = await ledger.putObject(bytes);
  const body = { experimentId: String(seal['experimentId']), sealDigest, size: bytes.length };
  await ledger.append({
    kind: 'seal',
    requestId: `seal:${sealDigest}`,
    body: { ...body, stage: 'plan', plan: null },
  });
  return sealDigest;
}

/** What to amend, and what somebody claims of it otherwise than it is. */
export interface AmendStep {
  readonly from: Digest;
  readonly before: Members;
  /** Members of the new seal that differ. */
  readonly change: Members;
  readonly seen?: Partial<Seen>;
  readonly body?: Partial<EntryOf<'amend'>['body']>;
  /** Members of the new seal that are forged after the chain was written. */
  readonly forged?: Members;
}

/** The seal that an amendment leads to, and the link it adds. */
function amendedSeal(state: LedgerState, step: AmendStep) {
  const { from, before, change } = step;
  const experiment = state.experiments.get(from);
  const nothing = { exposures: [], finals: [] };
  const seen = {
    ...(experiment === undefined ? nothing : seenBy(state, { experiment, families: ['mails'] })),
    ...{ declared: ['alice: selection scores'], ...step.seen },
  };
  const after = { ...before, ...change };
  const found = changesBetween(before, after);
  const link = {
    ...{ at: '2026-01-01T00:00:00.000Z', parent: from, reason: 'typo' },
    ...{ changed: found.length > 0 ? found : (step.body?.changed ?? []), seen },
  };
  const chain = Array.isArray(before['amendments']) ? before['amendments'] : [];
  const seal: Members = { ...after, previous: from, amendments: [...chain, link], ...step.forged };
  return { seal, link };
}

/** Body of an amend entry for a seal, its bytes stored. */
export async function amendBodyOf(
  ledger: Ledger,
  step: AmendStep,
): Promise<{ readonly seal: Members; readonly body: EntryOf<'amend'>['body'] }> {
  const { seal, link } = amendedSeal(await ledger.state(), step);
  const bytes = bytesOf(canonicalLine(seal));
  const to = await ledger.putObject(bytes);
  const { seen } = link;
  const changed = [...link.changed];
  const experimentId = String(step.before['experimentId']);
  const told = { experimentId, from: step.from, to, size: bytes.length, reason: 'typo' };
  return { seal, body: { ...told, changed, seen, ...step.body } };
}

/** Records an amendment. */
export async function recordAmend(
  ledger: Ledger,
  step: AmendStep,
): Promise<{
  readonly appended: Appended<'amend'>;
  readonly seal: Members;
  readonly plan: Digest;
}> {
  const { seal, body } = await amendBodyOf(ledger, step);
  const requestId = `amend:${body.to}`;
  return { appended: await ledger.append({ kind: 'amend', requestId, body }), seal, plan: body.to };
}
