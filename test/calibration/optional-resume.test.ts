/**
 * A run of 30 units that somebody stops whenever its partial receipts look bad, and finishes whenever they look good, over and over on
 * fresh units. Nobody's candidate is better than the baseline: every ship is false.
 *
 * Stopping early can only lose ships: partial receipts never ship, the seal fixes which units count, and units of a stopped run stay
 * spent. Who does decide on partial receipts as if they were a plan of their own ships falsely more often, as the last test shows.
 */
import { describe, expect, test } from 'vitest';
import type { Decision } from '../../src/gate/gate.ts';
import { judgeSealed } from '../../src/gate/sequential.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { reserveUnits } from '../../src/ledger/reserve.ts';
import { uniformStream } from '../../src/stats/draws.ts';
import { binaryCases, type CaseTable, evidenceOf } from '../support/evidence.ts';
import {
  alphaNano,
  countingPorts,
  exposeBody,
  recordFinal,
  recordPlan,
  unitsNamed,
} from '../support/ledger-story.ts';
import { evidenceAt, group, unitIds } from '../support/looks.ts';
import { testSeed } from '../support/statistics.ts';

const planned = 30;
const peeks = [10, 20] as const;
/** A unit wins with 0.2 and loses with 0.2. */
const rate = 0.2;
const runs = 20_000;

/** Outcomes of the units so far. */
interface Counts {
  readonly gains: number;
  readonly losses: number;
  readonly seen: number;
}

/** Units that were seen and, behind them, units that never ran. */
function casesOf({ gains, losses, seen }: Counts, of: number): CaseTable[] {
  const ran = binaryCases({ gains, losses, both: seen - gains - losses });
  const rest = Array.from({ length: of - seen }, (_, at): CaseTable => {
    const id = `v${String(at).padStart(3, '0')}`;
    return { id, unit: id, cells: { baseline: null, next: null } };
  });
  return [...ran, ...rest];
}

const known = new Map<string, Decision>();

/** What the sealed rules of a plan of so many units say. */
function decisionOn(counts: Counts, of = planned): Decision {
  const key = `${counts.gains} ${counts.losses} ${counts.seen} ${of}`;
  const found =
    known.get(key) ??
    judgeSealed(evidenceOf({ cases: casesOf(counts, of) })).candidates[0]?.decision;
  if (found === undefined) throw new Error('there is one candidate');
  known.set(key, found);
  return found;
}

/** Counts at the peeks and at the end of one run. */
function drawRun(uniform: () => number): Counts[] {
  const found: Counts[] = [];
  let [gains, losses] = [0, 0];
  for (let seen = 1; seen <= planned; seen += 1) {
    const drawn = uniform();
    if (drawn < rate) gains += 1;
    else if (drawn < 2 * rate) losses += 1;
    if (seen === planned || peeks.some((peek) => peek === seen))
      found.push({ gains, losses, seen });
  }
  return found;
}

/** Whether a run ships, by what its owner does with what there is to see. */
type Owner = (seen: readonly Counts[]) => boolean;

const finished: Owner = (seen) => seen.slice(-1).every((end) => decisionOn(end) === 'ship');
const stopsWhenBehind: Owner = (seen) =>
  seen.slice(0, -1).every(({ gains, losses }) => gains > losses) && finished(seen);
const stopsUnlessSure: Owner = (seen) =>
  seen.slice(0, -1).every(({ gains, losses }) => gains - losses >= 4) && finished(seen);
/** Takes each part of the run for a plan of its own. */
const decidesOnParts: Owner = (seen) =>
  seen.some((counts) => decisionOn(counts, counts.seen) === 'ship');

function shareOf(owner: Owner): number {
  const uniform = uniformStream(testSeed(1), 'runs');
  let ships = 0;
  for (let run = 0; run < runs; run += 1) if (owner(drawRun(uniform))) ships += 1;
  return ships / runs;
}

/** Exact probability that a run which nobody stops ships. */
function exactRate(): number {
  const factorials = [1];
  for (let k = 1; k <= planned; k += 1) factorials.push(k * (factorials[k - 1] ?? 1));
  const factorial = (k: number): number => factorials[k] ?? 1;
  let total = 0;
  for (let gains = 0; gains <= planned; gains += 1) {
    for (let losses = 0; losses < gains && gains + losses <= planned; losses += 1) {
      if (decisionOn({ gains, losses, seen: planned }) !== 'ship') continue;
      const tied = planned - gains - losses;
      const ways = factorial(planned) / factorial(gains) / factorial(losses) / factorial(tied);
      total += ways * rate ** (gains + losses) * (1 - 2 * rate) ** tied;
    }
  }
  return total;
}

describe('a run that is stopped and resumed by somebody who looks', () => {
  const error = 3 * Math.sqrt((0.025 * 0.975) / runs);

  test('ships falsely as often as its rules when nobody stops it', () => {
    const exact = exactRate();
    expect(exact).toBeLessThanOrEqual(0.025);
    expect(exact).toBeGreaterThan(0.005);
    expect(Math.abs(shareOf(finished) - exact)).toBeLessThan(error);
  });

  test('ships falsely less often for every set of units that is spent, whatever is stopped', () => {
    const honest = shareOf(finished);
    for (const owner of [stopsWhenBehind, stopsUnlessSure]) {
      const share = shareOf(owner);
      expect(share).toBeLessThanOrEqual(honest);
      expect(share).toBeGreaterThan(0);
    }
  });

  test('never ships on part of its units, however good they look', () => {
    for (const seen of [1, 10, 20, 29]) {
      expect(decisionOn({ gains: seen, losses: 0, seen })).not.toBe('ship');
    }
    expect(decisionOn({ gains: planned, losses: 0, seen: planned })).toBe('ship');
  });

  test('would ship falsely far more often if its owner chose when to decide', () => {
    expect(shareOf(decidesOnParts)).toBeGreaterThan(1.5 * shareOf(finished));
  });

  test('ships between two sealed looks only what the look before it shipped', () => {
    const uniform = uniformStream(testSeed(2), 'looks');
    const order = unitIds(planned);
    const shippedEarly = Array.from({ length: 40 }, () => {
      const kinds = Array.from({ length: planned }, () => (uniform() < 0.6 ? 'gain' : 'tie'));
      const whole = evidenceAt(kinds, { stopping: group([10, 20, planned], 'pocock') });
      const shipsAfter = (seen: number): boolean => {
        const units = new Set(order.slice(0, seen));
        const lines = whole.lines.filter(({ cell }) => units.has(cell.unit));
        return judgeSealed({ ...whole, lines }).candidates[0]?.decision === 'ship';
      };
      const atLook = shipsAfter(10);
      expect(shipsAfter(15)).toBe(atLook);
      expect(shipsAfter(9)).toBe(false);
      return atLook;
    });
    expect(shippedEarly).toContain(true);
    expect(shippedEarly).toContain(false);
  });

  test('leaves its units spent: no other plan may reserve them', async () => {
    const ledger = memoryLedger(countingPorts());
    const units = unitsNamed(Array.from({ length: planned }, (_, at) => `u-${at}`));
    const wanted = { family: 'mails', population: 'mails', units, alphaNano };
    const plan = await recordPlan(ledger, 'first');
    const { entry } = await reserveUnits(ledger, { ...wanted, experimentId: 'first', plan });
    const final = await recordFinal(ledger, 'first', plan);
    const body = await exposeBody(ledger, entry.seq, final);
    await ledger.append({ kind: 'expose', requestId: 'x:first', body });
    const again = await recordPlan(ledger, 'second');
    await expect(
      reserveUnits(ledger, { ...wanted, experimentId: 'second', plan: again }),
    ).rejects.toMatchObject({ code: 'ledger-conflict' });
  });
});
