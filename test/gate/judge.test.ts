import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../src/analysis/evidence.ts';
import type { Decision } from '../../src/gate/gate.ts';
import { judgeEvidence } from '../../src/gate/judge.ts';
import { allGates } from '../../src/gate/sealed-gates.ts';
import type { OutcomeClass } from '../../src/spec/spec.ts';
import {
  binaryCases,
  type CaseTable,
  type CellTable,
  type EvidenceTable,
  evidenceOf,
  rightMeasure,
} from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { refusedBy } from '../support/refused-by.ts';

function decisionsOf(evidence: Evidence): Decision[] {
  return judgeEvidence(evidence).candidates.map((each) => each.decision);
}

const pairKinds = fc.constantFrom('gain', 'loss', 'both', 'neither');
const pairs = fc.array(pairKinds, { minLength: 1, maxLength: 14 });

function casesOf(kinds: readonly string[]): CaseTable[] {
  return kinds.map((kind, at) => ({
    id: `u${String(at).padStart(2, '0')}`,
    unit: `u${String(at).padStart(2, '0')}`,
    cells: {
      baseline: kind === 'loss' || kind === 'both' ? 1 : 0,
      next: kind === 'gain' || kind === 'both' ? 1 : 0,
    },
  }));
}

/** The pair after a candidate failure turned into a success. */
function improved(kind: string): string {
  if (kind === 'loss') return 'both';
  return kind === 'neither' ? 'gain' : kind;
}

describe('judgeEvidence', () => {
  test('asks for more work with 10 repeats of one unit', () => {
    const cases = [{ id: 'a', unit: 'a', cells: { baseline: 0, next: 1 } }];
    const found = judged({ cases, repeats: 10, claim: { use: 'comparison' } });
    expect(found.decision).toBe('need_more_work');
    expect(gateOf(found, 'lift:right').flags).toEqual(['one-unit']);
  });

  test('caps hand-written receipts at need_more_work, a hold included', () => {
    expect(judged({ cases: binaryCases({ gains: 10 }), confirmatory: false }).decision).toBe(
      'need_more_work',
    );
    expect(judged({ cases: binaryCases({ losses: 10 }), confirmatory: false })).toMatchObject({
      decision: 'need_more_work',
      capped: true,
    });
  });

  test('caps a development claim at need_more_work and lets its hold stand', () => {
    const claim = { use: 'development' };
    expect(judged({ cases: binaryCases({ gains: 10 }), claim })).toMatchObject({
      decision: 'need_more_work',
      capped: true,
    });
    expect(judged({ cases: binaryCases({ losses: 10 }), claim })).toMatchObject({
      decision: 'hold',
      capped: false,
    });
  });

  test('refuses a seal that is not final', () => {
    const evidence = evidenceOf({ cases: binaryCases({ gains: 10 }) });
    expect(
      refusedBy(() => judgeEvidence({ ...evidence, seal: { ...evidence.seal, stage: 'plan' } })),
    ).toBe(
      'seal-invalid: A decision needs a seal of stage "final", got "plan". Bind the candidates first: `run`, or `seal --candidates`.',
    );
  });

  test('never ships less for a candidate failure turned into a success, nor more for the reverse', () => {
    for (const minimumEffect of [undefined, 0.15]) {
      const claim = minimumEffect === undefined ? {} : { minimumEffect };
      fc.assert(
        fc.property(pairs, fc.nat(), (kinds, at) => {
          const index = at % kinds.length;
          const better = kinds.map((kind, place) => (place === index ? improved(kind) : kind));
          const [before] = decisionsOf(evidenceOf({ cases: casesOf(kinds), claim }));
          const [after] = decisionsOf(evidenceOf({ cases: casesOf(better), claim }));
          if (before === 'ship') expect(after).toBe('ship');
          if (after !== 'ship') expect(before).not.toBe('ship');
        }),
        { seed: 11, numRuns: 150 },
      );
    }
  });

  test('ships every table of gains and losses up to 9 units that a worse one ships', () => {
    const ships = (gains: number, losses: number, ties: number): boolean =>
      judged({ cases: binaryCases({ gains, losses, both: ties }) }).decision === 'ship';
    for (let units = 2; units <= 9; units += 1) {
      for (let gains = 0; gains <= units; gains += 1) {
        for (let losses = 0; gains + losses < units; losses += 1) {
          const ties = units - gains - losses;
          if (ships(gains, losses, ties)) expect(ships(gains + 1, losses, ties - 1)).toBe(true);
        }
      }
    }
  });

  test('gives the same for any order of receipts, rows and repeats of the same call', () => {
    fc.assert(
      fc.property(pairs, (kinds) => {
        const evidence = evidenceOf({ cases: casesOf(kinds) });
        const turned = {
          ...evidence,
          lines: [...evidence.lines].reverse(),
          index: { ...evidence.index, rows: [...evidence.index.rows].reverse() },
        };
        expect(judgeEvidence(turned).candidates).toEqual(judgeEvidence(evidence).candidates);
      }),
      { seed: 12, numRuns: 40 },
    );
  });

  test('changes nothing but names when the candidates are renamed in the same order', () => {
    const table = (first: string, second: string): EvidenceTable => ({
      candidates: [first, second],
      measures: { right: { ...rightMeasure, kind: 'score', min: 0, max: 1 } },
      cases: Array.from({ length: 24 }, (_, at) => ({
        id: `u${at}`,
        unit: `u${at}`,
        cells: { baseline: 0.2, [first]: 0.2 + (at % 5) / 10, [second]: (at % 3) / 10 },
      })),
    });
    const plain = judgeEvidence(evidenceOf(table('a', 'b'))).candidates;
    const renamed = judgeEvidence(evidenceOf(table('x', 'y'))).candidates;
    expect(renamed.map((each) => each.contributions)).toEqual(
      plain.map((each) => each.contributions),
    );
    expect(renamed.map((each) => [each.decision, each.step])).toEqual(
      plain.map((each) => [each.decision, each.step]),
    );
  });

  test('turns the sign of every estimate when the arms are swapped', () => {
    fc.assert(
      fc.property(pairs, (kinds) => {
        const swapped = kinds.map((kind) =>
          kind === 'gain' ? 'loss' : kind === 'loss' ? 'gain' : kind,
        );
        const [plain, turned] = [kinds, swapped].map(
          (each) => gateOf(judged({ cases: casesOf(each) }), 'lift:right').estimate,
        );
        if (plain === null || plain === undefined || turned === null || turned === undefined) {
          expect(kinds).toHaveLength(1);
          return;
        }
        expect(turned.value).toBe(0 - plain.value);
        expect(turned.interval.lower).toBe(0 - plain.interval.upper);
      }),
      { seed: 13, numRuns: 60 },
    );
  });

  test('reads nothing of a reported measure into a decision', () => {
    const score = fc.constantFrom(0, 1, null);
    const measures = { right: rightMeasure, note: { ...rightMeasure, role: 'reported' } };
    fc.assert(
      fc.property(pairs, fc.array(score, { minLength: 28, maxLength: 28 }), (kinds, notes) => {
        const withNotes = (flip: boolean): EvidenceTable => ({
          measures,
          cases: casesOf(kinds).map((each, at) => {
            const noted = (arm: 'baseline' | 'next', place: number): CellTable => {
              const note = notes[place] ?? null;
              return {
                scores: {
                  right: Number(each.cells[arm]),
                  note: flip && note !== null ? 1 - note : note,
                },
              };
            };
            return {
              ...each,
              cells: { baseline: noted('baseline', 2 * at), next: noted('next', 2 * at + 1) },
            };
          }),
        });
        const [plain] = judgeEvidence(evidenceOf(withNotes(false))).candidates;
        const [flipped] = judgeEvidence(evidenceOf(withNotes(true))).candidates;
        expect(flipped).toEqual(plain);
      }),
      { seed: 14, numRuns: 60 },
    );
  });

  test('never turns anything else into hold or ship by losing cells to an outage', () => {
    const fault = fc.constantFrom<OutcomeClass>(
      'infrastructureFault',
      'evaluatorFailure',
      'cancelled',
    );
    const losses = fc.array(fc.option(fault, { freq: 1, nil: undefined }), {
      minLength: 28,
      maxLength: 28,
    });
    fc.assert(
      fc.property(pairs, losses, fc.constantFrom(0, 0.2, 0.6), (kinds, lost, maxLostShare) => {
        const cases = casesOf(kinds);
        const broken = cases.map((each, at) => ({
          ...each,
          cells: {
            baseline: lost[2 * at] ?? each.cells['baseline'] ?? null,
            next: lost[2 * at + 1] ?? each.cells['next'] ?? null,
          },
        }));
        const [whole] = decisionsOf(evidenceOf({ cases, maxLostShare }));
        const [left] = decisionsOf(evidenceOf({ cases: broken, maxLostShare }));
        if (whole !== 'hold') expect(left).not.toBe('hold');
        if (whole !== 'ship') expect(left).not.toBe('ship');
      }),
      { seed: 15, numRuns: 300 },
    );
  });

  test('never turns hold into ship by one more gate', () => {
    const extra = [
      { gate: 'no-regression', measure: 'right', margin: 0.05 },
      { gate: 'no-regression', measure: 'right', margin: 0.5, required: false },
      { gate: 'lift', measure: 'right', threshold: -0.3 },
      { gate: 'power' },
    ];
    fc.assert(
      fc.property(pairs, fc.constantFrom(...extra), (kinds, gate) => {
        const gates = [{ gate: 'lift', measure: 'right' }];
        const [plain] = decisionsOf(evidenceOf({ cases: casesOf(kinds), gates }));
        const [more] = decisionsOf(evidenceOf({ cases: casesOf(kinds), gates: [...gates, gate] }));
        if (plain === 'hold') expect(more).toBe('hold');
        if (plain !== 'ship') expect(more).not.toBe('ship');
      }),
      { seed: 16, numRuns: 100 },
    );
  });

  test('decides units of several pairs by the betting bound in the sealed order', () => {
    const cases = Array.from({ length: 96 }, (_, at): CaseTable => {
      const id = `c${String(at).padStart(2, '0')}`;
      return {
        id,
        unit: `f${Math.floor(at / 4)}`,
        cells: { baseline: at % 4 === 0 ? 1 : 0, next: 1 },
      };
    });
    const found = judged({ cases });
    const lift = gateOf(found, 'lift:right');
    expect(lift.n).toEqual({ units: 24, pairs: 96, cells: 192, discordant: 72 });
    expect(lift.estimate).toMatchObject({
      method: 'betting-fixed-n',
      guarantee: 'finite-sample',
      value: 0.75,
    });
    expect(found.decision).toBe('ship');
  });
});

describe('allGates', () => {
  test('adds what is always required, once', () => {
    const measures = {
      right: rightMeasure,
      acts: { kind: 'binary', role: 'critical', direction: 'lower' },
    };
    const { seal } = evidenceOf({ measures, cases: [] });
    const bare = { ...seal, decision: { ...seal.decision, gates: [] } };
    expect(allGates(bare).map((gate) => gate.gate)).toEqual([
      'critical',
      'completeness',
      'controls',
      'provenance',
    ]);
    expect(allGates(bare).every((gate) => gate.required)).toBe(true);
    expect(allGates({ ...bare, decision: { ...bare.decision, gates: allGates(bare) } })).toEqual(
      allGates(bare),
    );
  });
});
