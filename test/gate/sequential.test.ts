/** Looks: their errors against the reference, what is decided at them, and what no crash, order or optional stop may change. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atLook, looksOf } from '../../src/analysis/look.ts';
import { lookError, spentError } from '../../src/gate/look-error.ts';
import { judgeSealed, LookLatch, type SealedJudgement } from '../../src/gate/sequential.ts';
import { groupSequentialBounds } from '../../src/stats/group-sequential.ts';
import { type JournalStep, lookFaults, lookRecord } from '../../src/verify/check-looks.ts';
import { type CaseTable, evidenceOf } from '../support/evidence.ts';
import {
  anytime,
  evidenceAt,
  group,
  inOrder,
  type Kind,
  repeated,
  stoppings,
  unitIds,
} from '../support/looks.ts';
import { readReference } from '../support/reference.ts';

/** `look: decisions` of every look that was taken. */
function taken({ looks }: SealedJudgement): string[] {
  return looks.map(
    ({ look, findings }) =>
      `${look.number}: ${findings.map(({ candidate, decision }) => `${candidate} ${decision}`)}`,
  );
}

/** A list of numbers of a reference case. */
function numbersIn(of: unknown, key: string): number[] {
  const found: unknown = Object(of)[key];
  return Array.isArray(found) ? found.map(Number) : [];
}

describe('lookError', () => {
  test.each(
    readReference('sequential.json').cases.filter(
      ({ method, name }) => method === 'groupSequential' && /spending(OF|Pocock)-5/.test(name),
    ),
  )('is the nominal error of $name at its looks', ({ input, expected }) => {
    const shares = numbersIn(input, 'infoRates');
    const spending = input['design'] === 'spendingOF' ? 'obrien-fleming' : 'pocock';
    const looks = shares.map((share) => Math.round(share * 50));
    const stopping = group(looks, `lan-demets-${spending}`);
    const { seal, index } = evidenceAt(repeated(50, 'tie'), { stopping });
    const error = Number(input['alpha']);
    const own = looksOf({ seal, index });
    const nominal = own.map((look) =>
      lookError(seal, look, { measure: 'right', guarantee: 'asymptotic', error }),
    );
    const bounds = groupSequentialBounds({
      design: spending === 'pocock' ? 'spending-pocock' : 'spending-obrien-fleming',
      information: shares,
      significanceLevel: error,
    });
    numbersIn(expected, 'criticalZ').forEach((z, at) => {
      expect(bounds.criticalZ[at]).toBeCloseTo(z, 6);
      expect(nominal[at]).toBe(Math.max(1e-15, bounds.nominalP[at] ?? 0));
    });
    const spent = own.map((look) => spentError(seal, look, { measure: 'right', error }));
    numbersIn(expected, 'cumulativeAlpha').forEach((value, at) => {
      expect(spent[at]).toBeCloseTo(value, 8);
    });
  });

  test('of finite-sample bounds adds up to the whole error, so that no joint law is needed', () => {
    const { seal, index } = evidenceAt(repeated(40, 'tie'), { stopping: group([10, 25, 40]) });
    const errors = looksOf({ seal, index }).map((look) =>
      lookError(seal, look, { measure: 'right', guarantee: 'finite-sample', error: 0.025 }),
    );
    expect(errors.reduce((total, each) => total + each, 0)).toBeCloseTo(0.025, 10);
    expect(Math.min(...errors)).toBeGreaterThan(0);
  });

  test('follows the units a measure applies to, and reads a look without new ones as the one before', () => {
    const ids = unitIds(30);
    const cases = inOrder(repeated(30, 'gain')).map((each) => {
      const at = ids.indexOf(each.id);
      return { ...each, applies: at < 10 || at >= 20 ? ['right'] : [] };
    });
    const { seal, index } = evidenceOf({ cases, stopping: group([10, 20, 30], 'pocock') });
    const [first, second, third] = looksOf({ seal, index });
    const error = (look = first): number =>
      lookError(seal, look, { measure: 'right', guarantee: 'asymptotic', error: 0.025 });
    expect(first?.applicable.get('right')).toEqual([10, 10, 20]);
    expect(error(second)).toBe(error(first));
    expect(error(third)).toBeCloseTo(error(first), 12);
    const two = groupSequentialBounds({
      design: 'pocock',
      looks: 2,
      significanceLevel: 0.025,
      sides: 1,
    });
    expect(error()).toBeCloseTo(two.nominalP[0] ?? 0, 10);
  });

  test('is whole without a look and at any time', () => {
    const request = { measure: 'right', guarantee: 'finite-sample', error: 0.025 } as const;
    const fixed = evidenceAt(repeated(4, 'tie'), {});
    expect(lookError(fixed.seal, undefined, request)).toBe(0.025);
    const any = evidenceAt(repeated(4, 'tie'), { stopping: anytime([2, 4]) });
    expect(lookError(any.seal, looksOf(any)[0], request)).toBe(0.025);
  });
});

describe('judgeSealed', () => {
  test('stops at the look that clears, and nothing behind it changes the decision', () => {
    const kinds = [...repeated(20, 'gain'), ...repeated(20, 'loss')] as const;
    for (const stopping of [group([10, 20, 40], 'pocock'), anytime([10, 20, 40])]) {
      const judged = judgeSealed(evidenceAt(kinds, { stopping }));
      expect(taken(judged)).toEqual(['1: next ship']);
      expect(judged.candidates[0]?.look?.units.size).toBe(10);
      expect(judged.candidates[0]?.decision).toBe('ship');
    }
  });

  test('judges a run that ended before a look on its whole plan', () => {
    const evidence = evidenceAt(repeated(30, 'gain'), { stopping: group([6, 20, 30]) });
    const kept = new Set(unitIds(30).slice(0, 12));
    const lines = evidence.lines.filter(({ cell }) => kept.has(cell.unit));
    const judged = judgeSealed({ ...evidence, lines });
    expect(taken(judged)).toEqual(['1: next need_more_work']);
    expect(judged.candidates[0]?.look?.number).toBe(3);
    expect(judged.candidates[0]?.decision).toBe('need_more_work');
  });

  test('keeps the first decision of each candidate while others go on, and Holm shares the error at every look', () => {
    const ids = unitIds(40);
    const cases = ids.map((id, at): CaseTable => {
      const cells = { baseline: 0, early: 1, late: at % 2 === 0 ? 1 : 0, worse: 0 };
      return { id, unit: id, cells: at < 20 ? { ...cells, baseline: 0 } : cells };
    });
    const evidence = evidenceOf({
      cases,
      candidates: ['early', 'late'],
      stopping: group([10, 20, 40], 'pocock'),
    });
    const judged = judgeSealed(evidence);
    expect(taken(judged)).toEqual(['1: early ship,late need_more_work', '2: late ship']);
    const [early, late] = judged.candidates;
    expect([early?.look?.number, late?.look?.number]).toEqual([1, 2]);
    const whole = (look = 0): number =>
      lookError(evidence.seal, looksOf(evidence)[look], {
        measure: 'right',
        guarantee: 'asymptotic',
        error: 0.0125,
      });
    expect(early?.contributions[0]?.errorLevel).toBeCloseTo(whole(0), 10);
    expect(late?.contributions[0]?.errorLevel).toBeGreaterThan(whole(1));
  });

  test('holds for harm at the first look, and for a violation of a critical measure', () => {
    const harmed = judgeSealed(
      evidenceAt(repeated(30, 'loss'), { stopping: group([10, 30], 'pocock') }),
    );
    expect(taken(harmed)).toEqual(['1: next hold']);
    const ids = unitIds(20);
    const cases = ids.map((id, at) => ({
      id,
      unit: id,
      cells: {
        baseline: { scores: { right: 0, harm: 0 } },
        next: { scores: { right: 1, harm: at === 3 ? 1 : 0 } },
      },
    }));
    const critical = judgeSealed(
      evidenceOf({
        cases,
        measures: {
          right: { kind: 'binary', role: 'primary', direction: 'higher' },
          harm: { kind: 'binary', role: 'critical', direction: 'lower' },
        },
        gates: [
          { gate: 'lift', measure: 'right' },
          { gate: 'critical', measure: 'harm' },
        ],
        stopping: anytime([5, 20]),
      }),
    );
    expect(taken(critical)).toEqual(['1: next hold']);
  });

  test('gives a candidate up for futility at the error of the rule, and says so', () => {
    const stopping = { ...group([20, 40, 60], 'pocock'), futility: { error: 0.1 } };
    const claim = { use: 'comparison', minimumEffect: 0.4 };
    const kinds = Array.from(
      { length: 60 },
      (_, at): Kind => (at % 5 === 0 ? 'gain' : at % 7 === 0 ? 'loss' : 'tie'),
    );
    const judged = judgeSealed(evidenceAt(kinds, { stopping, claim }));
    expect(taken(judged)).toEqual(['1: next hold']);
    const [lift] = judged.candidates[0]?.contributions ?? [];
    expect(lift?.finding).toBe('breached');
    expect(lift?.flags.some((flag) => flag === 'futile' || flag === 'smaller-than-useful')).toBe(
      true,
    );
    const without = judgeSealed(
      evidenceAt(
        kinds.map((kind) => (kind === 'loss' ? 'tie' : kind)),
        { stopping: group([20, 40, 60]), claim: { use: 'comparison' } },
      ),
    );
    expect(without.looks.length).toBeGreaterThan(1);
  });
});

const kindArbitrary = fc.constantFrom<Kind>('gain', 'loss', 'tie');
const designs = fc.record({
  kinds: fc.array(kindArbitrary, { minLength: 24, maxLength: 24 }),
  stopping: fc.constantFrom(...stoppings),
});

describe('looks taken one after another', () => {
  test('in any pattern of crashes and in any order of receipts say what all receipts say at the end', () => {
    fc.assert(
      fc.property(
        designs,
        fc.infiniteStream(fc.nat()),
        fc.array(fc.nat({ max: 4 }), { maxLength: 6 }),
        ({ kinds, stopping }, numbers, crashes) => {
          const claim = { use: 'comparison', minimumEffect: 0.3 };
          const evidence = evidenceAt(kinds, { stopping, claim });
          const whole = judgeSealed(evidence);
          const shuffled = [...evidence.lines].sort(() => (Number(numbers.next().value) % 3) - 1);
          expect(judgeSealed({ ...evidence, lines: shuffled }).looks).toEqual(whole.looks);
          // Every process starts anew: it knows nothing but the receipts of the looks that were over.
          for (const crash of [...crashes, whole.looks.length - 1]) {
            const latch = new LookLatch();
            const seen = whole.looks.slice(0, crash + 1).map(({ look }) => {
              const sofar = shuffled.filter(({ cell }) => look.units.has(cell.unit));
              return latch.take({ ...evidence, lines: sofar }, look);
            });
            expect(seen.map(lookRecord)).toEqual(whole.looks.slice(0, crash + 1).map(lookRecord));
          }
        },
      ),
      { numRuns: 40, seed: 7 },
    );
  });

  test('never ship a candidate without a single gain, whatever it lost: losses earn nothing', () => {
    fc.assert(
      fc.property(
        designs.map(({ kinds, stopping }) => ({
          stopping,
          kinds: kinds.map((kind): Kind => (kind === 'gain' ? 'loss' : kind)),
        })),
        ({ kinds, stopping }) => {
          const claim = { use: 'comparison', minimumEffect: 0.3 };
          const judged = judgeSealed(evidenceAt(kinds, { stopping, claim }));
          for (const { findings } of judged.looks) {
            for (const { decision, wealth } of findings) {
              expect(decision).not.toBe('ship');
              expect(wealth ?? 0).toBe(0);
            }
          }
        },
      ),
      { numRuns: 60, seed: 8 },
    );
  });
});

describe('lookFaults', () => {
  const evidence = evidenceAt([...repeated(4, 'tie'), ...repeated(20, 'gain')], {
    stopping: group([8, 16, 24], 'pocock'),
  });
  const { looks } = judgeSealed(evidence);
  const measured = looks.at(-1)?.look.units ?? new Set();
  const journal = ((): JournalStep[] => {
    const ids = unitIds(24).filter((id) => measured.has(id));
    return ids.flatMap((unit, at): JournalStep[] => {
      const receipts = evidence.lines
        .filter(({ cell }) => cell.unit === unit)
        .map(({ cell }): JournalStep => ({ kind: 'receipt', cell }));
      const ended = looks.filter(({ look }) => look.units.size === at + 1);
      return [
        ...receipts,
        ...ended.map((each) => ({ ...lookRecord(each), fence: null, at: 'then' })),
      ];
    });
  })();

  test('finds nothing wrong with a journal as it was written', () => {
    expect(looks.length).toBe(2);
    expect(lookFaults(journal, looks)).toEqual([]);
  });

  test('finds a look left out, one told otherwise, and cells on the wrong side of one', () => {
    const without = journal.filter((line) => line.kind !== 'look');
    expect(lookFaults(without, looks)[0]).toBe(
      'the journal records 0 looks, its receipts lead to 2',
    );
    const told = journal.map((line) =>
      line.kind === 'look' && line.look === 1 ? { ...line, decides: true } : line,
    );
    expect(lookFaults(told, looks)).toContain('look 1 says something else than its receipts');
    const [first, ...rest] = journal;
    if (first === undefined) throw new Error('the journal has lines');
    expect(lookFaults([...rest, first], looks).at(-1)).toContain(
      'stands after the look that decided',
    );
    const last = journal.at(-2);
    if (last === undefined) throw new Error('the journal has lines');
    expect(lookFaults([last, ...journal.toSpliced(-2, 1)], looks)[0]).toContain(
      'stands before look 1, which comes first',
    );
    expect(lookFaults(journal, [])[0]).toContain('the journal records 2 looks');
  });
});

test('evidence at a look plans no further than its units', () => {
  const evidence = evidenceAt(repeated(12, 'gain'), { stopping: anytime([4, 12]) });
  const [first] = looksOf(evidence);
  if (first === undefined) throw new Error('the design has looks');
  const seen = atLook(evidence, first);
  expect(new Set(seen.lines.map(({ cell }) => cell.unit))).toEqual(
    new Set(unitIds(12).slice(0, 4)),
  );
});
