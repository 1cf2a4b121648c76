import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  composeDecision,
  decisionOf,
  decisiveContribution,
  strongerOf,
} from '../../src/gate/compose.ts';
import {
  type Contribution,
  contributionOf,
  decisionSchema,
  findingSchema,
  statusOf,
} from '../../src/gate/gate.ts';
import { exampleTests } from '../support/examples.ts';

exampleTests('src/gate/compose.ts', { names: ['strongerOf'], scope: { strongerOf } });

function contribution(finding: Contribution['finding'], required = true): Contribution {
  return contributionOf({ name: finding, gate: 'lift', required, finding, reason: 'because' });
}

const findings = fc.constantFrom(...findingSchema.options);
const contributions = fc
  .array(fc.record({ finding: findings, required: fc.boolean() }))
  .map((list) => list.map((each) => contribution(each.finding, each.required)));
const decisions = fc.constantFrom(...decisionSchema.options);

describe('decisionOf', () => {
  test.each([
    ['cleared', 'ship'],
    ['breached', 'hold'],
    ['missing', 'hold'],
    ['unconfigured', 'hold'],
    ['unresolved', 'need_more_work'],
    ['indeterminate', 'need_more_work'],
    ['insufficient', 'need_more_work'],
  ] as const)(
    'a required %s gate leads to %s, an optional one moves nothing',
    (finding, decision) => {
      expect(decisionOf(contribution(finding))).toBe(decision);
      expect(decisionOf(contribution(finding, false))).toBe('ship');
    },
  );
});

describe('strongerOf', () => {
  test('orders arch_ceiling, model_ceiling, hold, need_more_work, ship', () => {
    const order = ['arch_ceiling', 'model_ceiling', 'hold', 'need_more_work', 'ship'] as const;
    order.forEach((first, at) => {
      for (const second of order.slice(at)) {
        expect(strongerOf(first, second)).toBe(first);
        expect(strongerOf(second, first)).toBe(first);
      }
    });
  });

  test('is associative with ship as neutral element', () => {
    fc.assert(
      fc.property(decisions, decisions, decisions, (first, second, third) => {
        expect(strongerOf(strongerOf(first, second), third)).toBe(
          strongerOf(first, strongerOf(second, third)),
        );
        expect(strongerOf('ship', first)).toBe(first);
      }),
      { seed: 1 },
    );
  });
});

describe('composeDecision', () => {
  test('holds when no required gate was asked', () => {
    expect(composeDecision([])).toBe('hold');
    expect(composeDecision([contribution('cleared', false)])).toBe('hold');
  });

  test('ships only if every required gate passes', () => {
    fc.assert(
      fc.property(contributions, (list) => {
        const required = list.filter((each) => each.required);
        const every = required.length > 0 && required.every((each) => each.status === 'pass');
        expect(composeDecision(list) === 'ship').toBe(every);
      }),
      { seed: 2 },
    );
  });

  test('does not depend on the order', () => {
    fc.assert(
      fc.property(contributions, (list) => {
        expect(composeDecision([...list].reverse())).toBe(composeDecision(list));
      }),
      { seed: 3 },
    );
  });

  test('never ships because a gate was added to a hold', () => {
    fc.assert(
      fc.property(contributions, findings, fc.boolean(), (list, finding, required) => {
        const more = composeDecision([...list, contribution(finding, required)]);
        if (list.some((each) => each.required) && composeDecision(list) === 'hold')
          expect(more).toBe('hold');
      }),
      { seed: 4 },
    );
  });
});

describe('decisiveContribution', () => {
  test('is the first one as strong as the decision, and none for a ship', () => {
    const list = [
      contribution('cleared'),
      contribution('unresolved'),
      contribution('breached'),
      contribution('missing'),
    ];
    expect(decisiveContribution(list, 'hold')?.finding).toBe('breached');
    expect(decisiveContribution(list, 'need_more_work')?.finding).toBe('unresolved');
    expect(decisiveContribution(list, 'ship')).toBeNull();
    expect(decisiveContribution([], 'hold')).toBeNull();
  });
});

describe('statusOf', () => {
  test.each([
    ['cleared', 'pass'],
    ['breached', 'fail'],
    ['unresolved', 'fail'],
    ['indeterminate', 'not_evaluated'],
    ['insufficient', 'not_evaluated'],
    ['missing', 'not_evaluated'],
    ['unconfigured', 'not_evaluated'],
  ] as const)('puts %s under %s', (finding, status) => {
    expect(statusOf(finding)).toBe(status);
  });
});
