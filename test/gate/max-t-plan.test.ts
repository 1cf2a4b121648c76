/** `multiplicity: max-t` in a plan: simulated units are judged as the sealed decision judges them. */
import { describe, expect, test } from 'vitest';
import { composeDecision } from '../../src/gate/compose.ts';
import { judgeEvidence } from '../../src/gate/judge.ts';
import { falseShipRates } from '../../src/gate/null-scenarios.ts';
import { recomputedPower, simulatedSeal } from '../../src/gate/power-seal.ts';
import { Simulator, simulatedInPlace } from '../../src/gate/simulate.ts';
import { type World, WorldDraw } from '../../src/gate/simulated-world.ts';
import { uniformStream } from '../../src/stats/draws.ts';
import { type EvidenceTable, evidenceOf, rightMeasure } from '../support/evidence.ts';
import { unitIds } from '../support/looks.ts';
import { guardrail, upTo } from '../support/two-measures.ts';

const seed = 'd7'.repeat(32);

function known<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error('there is one');
  return value;
}

describe('max-t', () => {
  const units = 30;
  const ids = ['a', 'b', 'c'];
  const table = (improvements: readonly (readonly number[])[]): EvidenceTable => ({
    cases: unitIds(units).map((id, at) => ({
      id,
      unit: id,
      cells: Object.fromEntries([
        ['baseline', { scores: { right: 1 } }],
        ...ids.map((candidate, place) => [
          candidate,
          { scores: { right: 1 + (improvements[place]?.[at] ?? 0) } },
        ]),
      ]),
    })),
    candidates: ids,
    measures: { right: { kind: 'score', min: 0, max: 2, role: 'primary', direction: 'higher' } },
    claim: { minimumEffect: 0.12 },
    multiplicity: 'max-t',
  });
  const worldOf = (candidates: number, mean: number): World => ({
    measures: [
      {
        measure: 'right',
        law: { kind: 'triangular', mean, deviation: 0.25 },
        correlation: 0,
        pairs: upTo(units, () => 1),
      },
    ],
    joint: { measures: 0, candidates, unitOf: upTo(units, (at) => at) },
  });

  test.each([0, 0.7, 0.95])(
    'ships whom the sealed decision ships of the same units, correlation %d',
    (stated) => {
      const { seal } = evidenceOf(table([]));
      const simulator = new Simulator(seal);
      let [shipped, open] = [0, 0];
      for (let at = 0; at < 10; at += 1) {
        const world = worldOf(stated, 0.37);
        const label = `max-t ${stated} ${at}`;
        const drawn = new WorldDraw(seal, world, ids.length).next(uniformStream(seed, label));
        const rows = drawn.map(({ replicate }) =>
          known(replicate.measures.get('right'))
            .sample()
            .units.map(({ improvement }) => improvement),
        );
        const judged = judgeEvidence(evidenceOf(table(rows))).candidates;
        const decided = judged.map(
          ({ contributions }) => composeDecision(contributions) === 'ship',
        );
        const found = simulator.run(world, { replicates: 1, seed, label });
        expect(found.candidates.map((each) => each === 1)).toEqual(decided);
        expect(judged[0]?.correction?.applied).toMatch(stated === 0 ? /max-t|holm/ : /max-t/);
        shipped += decided.filter((each) => each).length;
        open += decided.filter((each) => !each).length;
      }
      expect(Math.min(shipped, open)).toBeGreaterThan(2);
    },
  );

  test('has more power than Holm where candidates are alike, none to speak of where they are not', () => {
    const rateOf = (multiplicity: string, candidates: number) => {
      const { seal } = evidenceOf({ ...table([]), multiplicity });
      const options = { replicates: 100, seed, label: 'power' };
      return new Simulator(seal).run(worldOf(candidates, 0.37), options).candidates[0] ?? 0;
    };
    expect(rateOf('max-t', 0.95)).toBeGreaterThan(rateOf('holm', 0.95) + 20);
    expect(Math.abs(rateOf('max-t', 0) - rateOf('holm', 0))).toBeLessThan(17);
  });

  test('is held to its nulls with candidates that are drawn apart and alike', async () => {
    const cases = upTo(60, (at) => ({
      id: `c${at}`,
      unit: `c${at}`,
      cells: Object.fromEntries(['baseline', ...ids].map((arm) => [arm, 1])),
    }));
    const gates = [{ gate: 'lift', measure: 'right' }];
    const { seal, index } = evidenceOf({ cases, candidates: ids, gates, multiplicity: 'max-t' });
    const options = { replicates: 200, seed, pool: simulatedInPlace };
    const [regular] = await falseShipRates({ seal, index }, options, ['regular']);
    expect(regular?.worst?.scenario).toMatch(/, correlation of candidates 0(\.5|\.9)?$/);
    expect(regular?.worst?.rate).toBeLessThan(0.035 + 2 * known(regular?.worst).standardError);
  });
});

describe('a seal whose power rests on what belongs together', () => {
  test('is recomputed as it was sealed', async () => {
    const assume = {
      joint: { measures: 0.5, candidates: 0.5 },
      measures: { right: { discordance: 0.4 } },
    };
    const { seal, index } = evidenceOf({
      candidates: ['next', 'second'],
      measures: { right: rightMeasure, kind: guardrail },
      cases: upTo(40, (at) => {
        const cell = { scores: { right: 1, kind: 1 } };
        return {
          id: `c${at}`,
          unit: `c${at}`,
          cells: { baseline: cell, next: cell, second: cell },
        };
      }),
      multiplicity: 'max-t',
      gates: [
        { gate: 'lift', measure: 'right' },
        { gate: 'no-regression', measure: 'kind', margin: 0.2 },
        { gate: 'power', target: 0.5, atEffect: 0.45, required: true, assume },
      ],
    });
    const sealed = await simulatedSeal({ seal, index }, { seed, file: 'experiment.yaml' });
    expect(sealed.analysis.power).toMatchObject({ target: 0.5, accepted: false });
    expect(recomputedPower({ seal: sealed, index }, seed)?.verdict).toBe('equal');
  });
});
