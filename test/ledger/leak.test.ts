/** Units that became known outside: nobody reserves them again, and whoever holds them cannot expose them. */
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { formatUnits } from '../../src/ledger/units-object.ts';
import {
  countingPorts,
  exposeBody,
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

describe('a leak', () => {
  async function leak(ledger: Ledger, ids: readonly string[], content?: (id: string) => string) {
    const stored = formatUnits(unitsNamed(ids, content));
    const set = { unitCount: stored.count, unitsRoot: stored.root, unitsObject: stored.object };
    await ledger.putObject(stored.bytes);
    const body = { population: 'mails', ...set, source: 'forum', reason: 'posted' };
    return ledger.append({ kind: 'leak', requestId: `leak:${ids.join()}`, body });
  }

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
});
