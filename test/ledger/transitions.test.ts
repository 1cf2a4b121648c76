import { describe, expect, it, test } from 'vitest';
import type { Digest } from '../../src/base/digest.ts';
import type { EntryOf } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { phaseOf } from '../../src/ledger/projection.ts';
import {
  countingPorts,
  digestNamed,
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

const newLedger = () => memoryLedger(countingPorts());
const units = unitsNamed(['u-1', 'u-2']);

function attemptBody(expose: number, attempt: number, fence: string): EntryOf<'attempt'>['body'] {
  const missing = { missingCells: 1, missingObject: null };
  return { expose, attempt, reason: 'killed', ...missing, fence, journal: noJournal };
}

interface Scene {
  readonly ledger: Ledger;
  readonly plan: Digest;
  readonly reserve: number;
  readonly expose: number;
}

async function exposedScene(): Promise<Scene> {
  const ledger = newLedger();
  return { ledger, ...(await exposeExperiment(ledger, 'e', units)) };
}

async function settledScene(): Promise<Scene & { outcome: number }> {
  const scene = await exposedScene();
  const body = outcomeBody(scene.expose);
  const settled = await scene.ledger.append({ kind: 'outcome', requestId: 'first', body });
  return { ...scene, outcome: settled.entry.seq };
}

describe('what is out of order', () => {
  it('is a reservation without a plan', async () => {
    const error = await refusalOf(reserve(newLedger(), 'e', digestNamed('plan'), units));
    expect(error.message).toBe(`No plan seal ${digestNamed('plan')} of "e" is recorded.`);
    expect(error.mend).toBe('Seal the plan first: liftgate seal.');
  });

  it('is a reservation under another experiment id', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'e');
    const error = await refusalOf(reserve(ledger, 'f', plan, units));
    expect(error.message).toBe('The plan belongs to experiment "e", not to "f".');
  });

  it('is a second reservation of one plan', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'e');
    await reserve(ledger, 'e', plan, units);
    const error = await refusalOf(reserve(ledger, 'e', plan, unitsNamed(['u-3'])));
    expect(error.message).toBe(
      `The request "reserve:${plan.slice(7)}:0" of kind "reserve" is recorded in entry 2 with another body.`,
    );
  });

  it('is an exposure without a recorded final seal', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'e');
    const reserved = (await reserve(ledger, 'e', plan, units)).entry.seq;
    const body = await exposeBody(ledger, reserved, plan);
    const error = await refusalOf(ledger.append({ kind: 'expose', requestId: 'x', body }));
    expect(error.message).toBe(`The final seal ${plan} of experiment "e" is not recorded.`);
  });

  it('is an exposure that names an arm twice', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'e');
    const reserved = (await reserve(ledger, 'e', plan, units)).entry.seq;
    const body = await exposeBody(ledger, reserved, await recordFinal(ledger, 'e', plan));
    const arms = [...body.arms, ...body.arms];
    const request = { kind: 'expose', requestId: 'x', body: { ...body, arms } } as const;
    expect((await refusalOf(ledger.append(request))).message).toBe(
      'An arm id appears twice in the exposure.',
    );
  });

  it('is a release or a second exposure after the exposure', async () => {
    const { ledger, reserve: reserved } = await exposedScene();
    const release = { reserve: reserved, reason: 'second thoughts' };
    const released = ledger.append({ kind: 'release', requestId: 'r', body: release });
    expect((await refusalOf(released)).message).toBe(
      'Experiment "e" is exposed; to release units it must be reserved.',
    );
    const body = await exposeBody(ledger, reserved, digestNamed('final'));
    const seal = await ledger.putObject(new TextEncoder().encode('final of e\n'));
    const again = ledger.append({ kind: 'expose', requestId: 'x', body: { ...body, seal } });
    expect((await refusalOf(again)).message).toBe(
      'Experiment "e" is exposed; to expose units it must be reserved.',
    );
  });

  it('is a final seal after the exposure', async () => {
    const { ledger, plan } = await exposedScene();
    const error = await refusalOf(recordFinal(ledger, 'e', plan, 'late candidates'));
    expect(error.message).toBe(
      'Experiment "e" is exposed; to bind candidates it must be sealed or reserved.',
    );
    expect(error.mend).toBe(
      'Follow seal, reserve, expose, outcome; for a new question seal a new plan on units nobody has measured.',
    );
  });

  it('is anything but a void after the outcome', async () => {
    const { ledger, expose } = await settledScene();
    const bodies = [
      ledger.append({ kind: 'outcome', requestId: 'again', body: outcomeBody(expose) }),
      ledger.append({
        kind: 'attempt',
        requestId: 'a',
        body: attemptBody(expose, 2, '0'.repeat(32)),
      }),
      ledger.append({
        kind: 'abort',
        requestId: 'b',
        body: { expose, reason: 'too late', receiptsRoot: digestNamed('none') },
      }),
    ];
    const messages = await Promise.all(bodies.map(async (work) => (await refusalOf(work)).message));
    expect(messages).toEqual([
      'Experiment "e" is settled; to record an outcome it must be exposed.',
      'Experiment "e" is settled; to resume it must be exposed.',
      'Experiment "e" is settled; to abort it must be exposed.',
    ]);
  });

  it('is a second void', async () => {
    const { ledger, outcome } = await settledScene();
    const body = { outcome, reason: 'r', evidence: '' };
    await ledger.append({ kind: 'void', requestId: 'v1', body });
    const error = await refusalOf(ledger.append({ kind: 'void', requestId: 'v2', body }));
    expect(error.message).toBe('Experiment "e" is voided; to void an outcome it must be settled.');
  });

  test.each([
    ['release', 'Entry 1 is not a reservation.'],
    ['attempt', 'Entry 1 is not an exposure.'],
    ['outcome', 'Entry 1 is not an exposure.'],
    ['void', 'Entry 1 is not an outcome.'],
  ] as const)('is a %s that names an entry of another kind', async (kind, message) => {
    const { ledger } = await exposedScene();
    const requests = {
      release: { kind: 'release', requestId: 'q', body: { reserve: 1, reason: 'r' } },
      attempt: { kind: 'attempt', requestId: 'q', body: attemptBody(1, 2, '0'.repeat(32)) },
      outcome: { kind: 'outcome', requestId: 'q', body: outcomeBody(1) },
      void: { kind: 'void', requestId: 'q', body: { outcome: 1, reason: 'r', evidence: '' } },
    } as const;
    const error = await refusalOf(ledger.append(requests[kind]));
    expect(error.message).toBe(message);
    expect(error.mend).toBe('Name the number of the entry as `liftgate ledger list` shows it.');
  });

  it('is the exposure of a released reservation', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'e');
    const reserved = (await reserve(ledger, 'e', plan, units)).entry.seq;
    const release = { reserve: reserved, reason: 'search ended' };
    await ledger.append({ kind: 'release', requestId: 'r', body: release });
    const body = await exposeBody(ledger, reserved, await recordFinal(ledger, 'e', plan));
    const error = await refusalOf(ledger.append({ kind: 'expose', requestId: 'x', body }));
    expect(error.message).toBe('The reservation of entry 2 by experiment "e" was released.');
    expect(error.mend).toBe('Reserve the units again.');
  });

  it('is a seal recorded twice, a plan that names a plan, a slot beyond 0', async () => {
    const ledger = newLedger();
    const plan = await recordPlan(ledger, 'e');
    const size = 'plan of e\n'.length;
    const seal = { experimentId: 'e', sealDigest: plan, size, stage: 'plan', plan: null } as const;
    const twice = ledger.append({ kind: 'seal', requestId: 'other', body: seal });
    expect((await refusalOf(twice)).message).toBe(
      'The plan of experiment "e" is already recorded in entry 1.',
    );
    const odd = ledger.append({ kind: 'seal', requestId: 'odd', body: { ...seal, plan } });
    expect((await refusalOf(odd)).message).toBe('A plan seal names no plan.');
    const final = await recordFinal(ledger, 'e', plan);
    const body = { ...seal, sealDigest: final, size: size + 1, stage: 'final', plan } as const;
    const finalTwice = ledger.append({ kind: 'seal', requestId: 'final-again', body });
    expect((await refusalOf(finalTwice)).message).toBe(
      'This final seal of experiment "e" is already recorded.',
    );
    const held = await reserve(ledger, 'e', plan, units);
    const free = { reserve: held.entry.seq, reason: 'r' };
    await ledger.append({ kind: 'release', requestId: 'r', body: free });
    const slot = { ...held.entry.body, slot: 1 };
    const beyond = ledger.append({ kind: 'reserve', requestId: 'slot', body: slot });
    expect((await refusalOf(beyond)).message).toBe(
      'Slot 1 of family "mails" was asked for; 0 is next.',
    );
  });
});

describe('a runner that was overtaken', () => {
  it('cannot record its outcome', async () => {
    const { ledger, expose } = await exposedScene();
    const body = attemptBody(expose, 2, '02'.repeat(16));
    await ledger.append({ kind: 'attempt', requestId: 'a2', body });
    const late = ledger.append({ kind: 'outcome', requestId: 'o', body: outcomeBody(expose, 1) });
    const error = await refusalOf(late);
    expect(error.message).toBe('The outcome is of attempt 1; experiment "e" is at attempt 2.');
    expect(error.details).toMatchObject({ reason: 'fenced-off', invariant: 'I7' });
  });

  it('cannot skip an attempt or use a fence twice', async () => {
    const { ledger, expose } = await exposedScene();
    const skipped = attemptBody(expose, 3, '02'.repeat(16));
    const first = ledger.append({ kind: 'attempt', requestId: 'a3', body: skipped });
    expect((await refusalOf(first)).message).toBe(
      'Attempt 3 was asked for; the next attempt of experiment "e" is 2.',
    );
    const reused = attemptBody(expose, 2, '01'.repeat(16));
    const second = ledger.append({ kind: 'attempt', requestId: 'a2', body: reused });
    expect((await refusalOf(second)).message).toBe('The fence was used before.');
  });
});

describe('an outcome', () => {
  test.each([
    [{ missing: 5 }, '5 receipts and 5 missing cells cannot cover 4 planned cells.'],
    [
      { receiptsCount: 2, missing: 1 },
      '2 receipts and 1 missing cells cannot cover 4 planned cells.',
    ],
    [{ alphaNano: 1 }, 'The outcome spends 1 nano of error; the reservation held 25000000.'],
  ])('with %j is refused', async (change, message) => {
    const { ledger, expose } = await exposedScene();
    const body = { ...outcomeBody(expose), ...change };
    const error = await refusalOf(ledger.append({ kind: 'outcome', requestId: 'o', body }));
    expect(error.message).toBe(message);
  });

  it('may leave cells missing', async () => {
    const { ledger, expose, plan } = await exposedScene();
    const body = { ...outcomeBody(expose), receiptsCount: 3, missing: 1 };
    await ledger.append({ kind: 'outcome', requestId: 'o', body });
    expect(phaseOf(await ledger.state(), plan)).toBe('settled');
  });
});

describe('the journal of an exposure', () => {
  const mark = (lines: number, text = 'journal') => ({ lines, digest: digestNamed(text) });
  const journalEntry = (expose: number, more: Partial<EntryOf<'journal'>['body']> = {}) => ({
    kind: 'journal' as const,
    requestId: JSON.stringify(more),
    body: { expose, attempt: 1, journal: mark(4), stopped: false, ...more },
  });
  const resumed = (expose: number, journal: { lines: number; digest: Digest }) => ({
    kind: 'attempt' as const,
    requestId: 'a2',
    body: { ...attemptBody(expose, 2, '02'.repeat(16)), journal },
  });

  it('is known to the ledger as far as it was kept, and may go on from there', async () => {
    const { ledger, plan, expose } = await exposedScene();
    const known = async () => (await ledger.state()).experiments.get(plan)?.exposure?.journal;
    expect(await known()).toEqual({ ...noJournal, seq: expose, stopped: false });
    const { entry } = await ledger.append(journalEntry(expose));
    expect(await known()).toEqual({ ...mark(4), seq: entry.seq, stopped: false });
    await ledger.append(journalEntry(expose, { journal: mark(9, 'longer') }));
    const taken = await ledger.append(resumed(expose, mark(11, 'crashed')));
    expect(await known()).toEqual({ ...mark(11, 'crashed'), seq: taken.entry.seq, stopped: false });
  });

  test.each([
    ['shorter', mark(3)],
    ['other', mark(4, 'edited')],
    ['gone', noJournal],
  ])('is refused when whoever resumes found it %s', async (_, found) => {
    const { ledger, expose } = await exposedScene();
    await ledger.append(journalEntry(expose));
    const error = await refusalOf(ledger.append(resumed(expose, found)));
    expect(error.message).toBe(
      `The journal of experiment "e" has ${found.lines} lines under ${found.digest}; entry 5 knows 4 under ${mark(4).digest}.`,
    );
    expect(error.mend).toBe(
      'Restore the journal that was recorded; if it is lost, end the experiment with `liftgate ledger void e --reason "..."`.',
    );
    expect(error.details['reason']).toBe('journal-differs');
  });

  it('has not one line more after its runner stopped', async () => {
    const { ledger, expose } = await exposedScene();
    await ledger.append(journalEntry(expose, { stopped: true }));
    const more = await refusalOf(ledger.append(journalEntry(expose, { journal: mark(6) })));
    expect(more.message).toBe('Experiment "e" is exposed; to keep its journal it must be resumed.');
    const longer = await refusalOf(ledger.append(resumed(expose, mark(5))));
    expect(longer.details['reason']).toBe('journal-differs');
    await ledger.append(resumed(expose, mark(4)));
  });

  it('is kept by the current runner only', async () => {
    const { ledger, expose } = await exposedScene();
    await ledger.append(resumed(expose, noJournal));
    const error = await refusalOf(ledger.append(journalEntry(expose)));
    expect(error.message).toBe('The journal is of attempt 1; experiment "e" is at attempt 2.');
    expect(error.details['reason']).toBe('fenced-off');
  });
});
