/** The fewest units that reach the target power under looks, held against the sealed design of that size. */
import { describe, expect, test } from 'vitest';
import { pairedLaw, sampler } from '../../src/gate/outcome-law.ts';
import { planPower, powerAt } from '../../src/gate/power-plan.ts';
import { simulatedSeal } from '../../src/gate/power-seal.ts';
import { scaledLooks } from '../../src/gate/power-search.ts';
import { judgeSealed } from '../../src/gate/sequential.ts';
import { simulatedInPlace } from '../../src/gate/simulate.ts';
import { LookSimulator } from '../../src/gate/simulate-looks.ts';
import { operatingCharacteristics, operatingLines } from '../../src/report/operating.ts';
import { uniformStream } from '../../src/stats/draws.ts';
import { anytime, evidenceAt, group, type Kind, repeated } from '../support/looks.ts';
import { upTo } from '../support/two-measures.ts';

const seed = '5e'.repeat(32);
const replicates = 600;
const looks = [20, 40, 60];
const spread = { measures: { right: { discordance: 0.4 } } };
const lawThere = pairedLaw({ mean: 0.25, discordance: 0.4, width: 1 });

const tableOf = (stopping: unknown) => ({
  stopping,
  claim: { use: 'comparison', minimumEffect: 0.25 },
});

function designOf(units: number, stopping: unknown) {
  const { seal, index } = evidenceAt(repeated(units, 'tie'), tableOf(stopping));
  return { seal, index, assumptions: spread };
}

const kindOf = (value: number): Kind => (value > 0 ? 'gain' : value < 0 ? 'loss' : 'tie');

describe('units for the target under looks', () => {
  test.each([
    ['group-sequential', group],
    ['anytime', anytime],
  ] as const)(
    '%s: reach it as sealed designs of that size, and one unit fewer does not',
    async (_, rule) => {
      const small = designOf(60, rule(looks));
      const plan = await planPower(small, { replicates, seed, pool: simulatedInPlace });
      const units = Number(plan?.unitsForTarget);
      // Bisected to within 2 %, which is one unit here.
      expect(units).toBeGreaterThan(20);
      expect(units).toBeLessThan(100);
      expect(plan?.there?.looks).toEqual(looks.map((at) => Math.round((at * units) / 60)));
      const directly = (size: number, drawnFrom: string): number => {
        const sealed = designOf(size, rule(scaledLooks(small.seal, size) ?? []));
        const options = { replicates, seed: drawnFrom };
        return powerAt(sealed, 0.25, options)?.ship.rate ?? Number.NaN;
      };
      const found = plan?.there?.ship.rate ?? 0;
      expect(found).toBeGreaterThanOrEqual(0.8);
      // The same draws: only that shares of looks are rounded to whole units tells the two apart.
      expect(Math.abs(directly(units, seed) - found)).toBeLessThanOrEqual(0.005);
      expect(directly(units - 1, seed)).toBeLessThan(0.805);
      const error = Math.sqrt((0.8 * 0.2) / replicates);
      const other = '77'.repeat(32);
      expect(Math.abs(directly(units, other) - found)).toBeLessThan(4 * Math.SQRT2 * error);
      expect(directly(units - 1, other)).toBeLessThan(0.8 + 4 * error);
    },
  );

  test.each([
    ['group-sequential', group],
    ['anytime', anytime],
  ] as const)(
    '%s: units of another size are decided as evidence of a design of that size',
    (_, rule) => {
      const { seal } = designOf(60, rule(looks));
      const simulator = new LookSimulator(seal);
      const units = 47;
      const stopping = rule(scaledLooks(seal, units) ?? []);
      if (lawThere === null) throw new Error('there is one');
      const pairs = upTo(units, () => 1);
      const world = { measures: [{ measure: 'right', law: lawThere, correlation: 0, pairs }] };
      const draw = sampler(lawThere);
      let shipped = 0;
      for (let at = 0; at < 20; at += 1) {
        const label = `evidence ${at}`;
        const stream = uniformStream(seed, label);
        const kinds = pairs.map(() => kindOf(draw(stream)));
        const [judged] = judgeSealed(evidenceAt(kinds, tableOf(stopping))).candidates;
        const found = simulator.run(world, { replicates: 1, seed, label });
        expect(found.any).toBe(judged?.decision === 'ship' ? 1 : 0);
        expect(found.units).toBe(judged?.look?.units.size);
        shipped += found.any;
      }
      expect(shipped).toBeGreaterThan(4);
      expect(shipped).toBeLessThan(19);
    },
  );

  test('come with their looks and their Monte Carlo error, in the plan and in a refusal', async () => {
    const { seal, index, assumptions } = designOf(24, group([8, 16, 24]));
    const options = { replicates: 100, seed, pool: simulatedInPlace };
    const found = await operatingCharacteristics({ seal, index, assumptions }, options);
    expect(operatingLines(found).join('\n')).toMatch(
      / {2}units for 80 % power at that improvement: \d+, with looks at \d+, \d+, \d+; there [\d.]+ % \(Monte Carlo error [\d.]+ %, [\d.]+ units measured on average\) ship/,
    );
    const gates = [
      { gate: 'lift', measure: 'right' },
      { gate: 'power', target: 0.8, atEffect: 0.25, required: true, assume: spread },
    ];
    const refused = evidenceAt(repeated(24, 'tie'), { ...tableOf(group([8, 16, 24])), gates });
    await expect(simulatedSeal(refused, { seed, file: 'experiment.yaml' })).rejects.toMatchObject({
      code: 'design-refused',
      mend: expect.stringMatching(
        /^Plan \d+ units, with looks at the same shares of them, or seal/,
      ),
    });
  });

  test('tries no size at which the looks could not be sealed', () => {
    const { seal } = designOf(60, group(looks));
    expect(scaledLooks(seal, 60)).toEqual(looks);
    expect(scaledLooks(seal, 6)).toEqual([2, 4, 6]);
    expect([0, 1, 2, 3, 4].map((units) => scaledLooks(seal, units))).toEqual(upTo(5, () => null));
  });
});
