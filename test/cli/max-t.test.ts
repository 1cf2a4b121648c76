/** `multiplicity: max-t` through the whole program: recorded with its correction, told in the summary, replayed by verify. */
import { describe, expect, test } from 'vitest';
import { parseDecision } from '../../src/report/decision.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { liftGate, SmallExperiment, type SmallSurface, smallCases } from '../support/workspace.ts';

const folder = temporaryFolders();
const ids = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `c${from + at}`);

/** Right in the cases from 1 to 12 the baseline fails, or nearly there. */
const candidates: Record<string, SmallSurface> = {
  first: { scores: { right: ids(1, 12) } },
  second: { scores: { right: ids(2, 14) } },
};

async function experimentWith(gates: readonly unknown[]): Promise<SmallExperiment> {
  return new SmallExperiment(await folder(), {
    cases: smallCases(30),
    candidates,
    spec: { multiplicity: 'max-t', gates },
  });
}

describe.concurrent('multiplicity: max-t', () => {
  test('is sealed, recorded with what divided the error, shown, and replayed bit for bit', async () => {
    const experiment = await experimentWith([liftGate]);
    const planned = await experiment.call('plan', '--simulations', '0');
    expect(planned.stdout).toContain(
      "Holm's order 0.0125; max-T gives it more where candidates are correlated",
    );
    const ran = await experiment.run();
    expect(ran.exitCode).toBe(0);
    const text = experiment.text('run/decision.json');
    const { decisions } = parseDecision(Buffer.from(text), 'decision.json');
    const [first, second] = decisions;
    expect(first?.correction).toMatchObject({ applied: 'max-t' });
    expect(first?.correction?.smallestCorrelation).toBeGreaterThan(0.5);
    // The second gains in more units; neither clears more whole divisors than the other, so the first comes first.
    expect(first?.step).toMatchObject({ rejected: true, step: 1, of: 2 });
    expect(first?.step.divisor).toBeGreaterThan(1.3);
    expect(first?.step.divisor).toBeLessThan(1.9);
    expect(second?.step).toEqual({ rejected: true, step: 2, divisor: 1, of: 2 });
    expect(experiment.text('run/summary.md')).toContain(
      'Step 1 of 2 by max-T: the required gates are differences over the same units',
    );
    expect((await experiment.verify()).exitCode).toBe(0);
    const divisor = String(first?.step.divisor);
    expect(text).toContain(`"divisor":${divisor}`);
    experiment.writeText(
      'run/decision.json',
      text.replace(`"divisor":${divisor}`, '"divisor":1.5'),
    );
    expect((await experiment.verify()).exitCode).toBe(41);
  });

  test('says in the summary why Holm applied', async () => {
    const rate = { gate: 'rate', measure: 'right', arm: 'candidate', min: 0.05 };
    const experiment = await experimentWith([liftGate, rate]);
    const planned = await experiment.call('plan', '--simulations', '0');
    expect(planned.stdout).toMatch(
      /for the first of 2 in Holm's order 0\.0125; there is no max-T: the gate rate:\S+ has no joint law over candidates\n/,
    );
    expect((await experiment.run()).exitCode).toBe(0);
    expect(experiment.text('run/summary.md')).toMatch(
      /Holm step 1 of 2: .* Holm in place of max-T: the gate rate:\S+ has no joint law over candidates\./,
    );
    expect((await experiment.verify()).exitCode).toBe(0);
  });
});
