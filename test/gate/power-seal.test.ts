import { describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { judgeEvidence } from '../../src/gate/judge.ts';
import { recomputedPower, simulatedSeal } from '../../src/gate/power-seal.ts';
import type { SealedPower } from '../../src/spec/seal.ts';
import { binaryCases, type EvidenceTable, evidenceOf } from '../support/evidence.ts';

const at = { seed: '7e'.repeat(32), file: 'e.yaml' };

/** Units of one case each; the spec's own key `power` is put in afterwards, as no table has it. */
function designOf(units: number, table: Partial<EvidenceTable>, accept = false) {
  const { seal, index } = evidenceOf({
    cases: binaryCases({ gains: 0, losses: 0, both: units }),
    ...table,
  });
  const spec = accept ? { ...seal.spec, power: { accept: 'underpowered' as const } } : seal.spec;
  return { seal: { ...seal, spec }, index };
}

const lift = { gate: 'lift', measure: 'right' };
const power = { gate: 'power', target: 0.8, atEffect: 0.2, required: true };

describe('simulatedSeal', () => {
  test('keeps the power that a required gate reached', async () => {
    const sealed = await simulatedSeal(designOf(120, { gates: [lift, power] }), at);
    expect(sealed.analysis.power).toMatchObject({ target: 0.8, atEffect: 0.2, accepted: false });
    expect(sealed.analysis.power?.rate).toBeGreaterThan(0.9);
    expect(sealed.analysis.power?.standardError).toBeLessThan(0.01);
  });

  test('refuses a required power gate that cannot reach its target, with the units that would do', async () => {
    const refusal = simulatedSeal(designOf(20, { gates: [lift, power] }), at);
    await expect(refusal).rejects.toMatchObject({
      code: 'design-refused',
      exitCode: 40,
      where: { file: 'e.yaml', path: 'gates' },
    });
    await expect(refusal).rejects.toThrow(
      /^These rules would ship [\d.]+ % of candidates that are better by 0\.2, when 10 % of pairs change beyond the effect, both ways alike; the target is 80 %\.$/,
    );
    const caught: unknown = await refusal.catch((error: unknown) => error);
    const mend = caught instanceof LiftgateError ? (caught.mend ?? '') : '';
    const [, units] =
      /^Plan (\d+) units, or seal it as it is with `power: \{accept: underpowered\}`/.exec(mend) ??
      [];
    expect(Number(units)).toBeGreaterThan(40);
    const enough = await simulatedSeal(
      designOf(Math.ceil(1.1 * Number(units)), { gates: [lift, power] }),
      at,
    );
    expect(enough.analysis.power?.accepted).toBe(false);
  });

  test('refuses a certification without a power gate at its minimum effect, and nothing that names an optional one', async () => {
    const small = { gates: [lift], claim: { minimumEffect: 0.1 } };
    await expect(simulatedSeal(designOf(20, small), at)).rejects.toMatchObject({
      code: 'design-refused',
      where: { path: 'claim.minimumEffect' },
    });
    const optional = { ...small, gates: [lift, { ...power, required: false }] };
    for (const table of [
      { ...small, claim: { minimumEffect: 0.1, use: 'comparison' } },
      optional,
      { gates: [lift] },
      // At its own threshold no design has power.
      { gates: [{ ...lift, threshold: 0.1 }], claim: { minimumEffect: 0.1 } },
    ]) {
      const sealed = await simulatedSeal(designOf(20, table), at);
      expect(sealed.analysis).not.toHaveProperty('power');
    }
  });

  test('seals a design that accepts less, and every decision under it says so', async () => {
    const table = { gates: [lift, power] };
    const sealed = await simulatedSeal(designOf(20, table, true), at);
    expect(sealed.analysis.power).toMatchObject({ accepted: true, simulations: 2000 });
    const cases = binaryCases({ gains: 12, losses: 0, both: 8 });
    const evidence = { ...evidenceOf({ cases, ...table }), seal: sealed };
    const [judgement] = judgeEvidence(evidence).candidates;
    const found = judgement?.contributions.find(({ gate }) => gate === 'power');
    expect(judgement?.decision).toBe('ship');
    expect(found).toMatchObject({
      finding: 'cleared',
      required: true,
      threshold: 0.8,
      statistic: sealed.analysis.power?.rate,
      flags: ['simulated-by-plan', 'underpowered'],
    });
    expect(found?.reason).toMatch(
      /^simulated before sealing, the rules ship [\d.]+ % \(Monte Carlo error [\d.]+ %\) of candidates better by 0\.2, when .*: below the target of 80 %, which the spec accepts$/,
    );
  });

  test('takes what the gate itself states in place of the default assumption', async () => {
    const assume = { measures: { right: { discordance: 0.2 } } };
    const stated = await simulatedSeal(designOf(60, { gates: [lift, { ...power, assume }] }), at);
    expect(stated.analysis.power?.assumption).toBe('20 % of pairs differ, as stated');
    const noisy = { measures: { right: { discordance: 0.9 } } };
    await expect(
      simulatedSeal(designOf(60, { gates: [lift, { ...power, assume: noisy }] }), at),
    ).rejects.toThrow(/90 % of pairs differ, as stated/);
  });

  test('refuses a required power gate where no gate reads a difference', async () => {
    const rate = { gate: 'rate', measure: 'right', arm: 'candidate', min: 0.9 };
    await expect(simulatedSeal(designOf(60, { gates: [rate, power] }), at)).rejects.toMatchObject({
      code: 'design-refused',
      message: expect.stringMatching(/^Power at an improvement of 0\.2 cannot be simulated/),
    });
  });
});

describe('recomputedPower', () => {
  async function sealedWith(
    units: number,
    change: (found: SealedPower) => Partial<SealedPower> = () => ({}),
  ) {
    const design = designOf(units, { gates: [lift, power] }, true);
    const seal = await simulatedSeal(design, at);
    const { power: found } = seal.analysis;
    if (found === undefined) throw new Error('the gate demands power');
    const analysis = { ...seal.analysis, power: { ...found, ...change(found) } };
    return recomputedPower({ ...design, seal: { ...seal, analysis } }, at.seed);
  }

  test.each([20, 120])('finds what was sealed for %i units, number for number', async (units) => {
    expect(await sealedWith(units)).toMatchObject({ verdict: 'equal' });
  });

  test('tells what another build may draw from what nobody draws', async () => {
    const moved = (by: number) => sealedWith(20, ({ rate }) => ({ rate: rate + by }));
    expect((await moved(0.01))?.verdict).toBe('within-error');
    expect((await moved(0.2))?.verdict).toBe('different');
  });

  test('holds the assumption and the missed target to the simulation', async () => {
    for (const change of [{ assumption: 'all is well' }, { accepted: false }])
      expect((await sealedWith(20, () => change))?.verdict).toBe('different');
    // Nobody accepted what misses its target.
    const design = designOf(20, { gates: [lift, power] }, true);
    const seal = await simulatedSeal(design, at);
    const { power: _, ...spec } = seal.spec;
    expect(recomputedPower({ ...design, seal: { ...seal, spec } }, at.seed)?.verdict).toBe(
      'different',
    );
  });

  test('has nothing to say of a seal without power', () => {
    expect(recomputedPower(designOf(20, { gates: [lift] }), at.seed)).toBeNull();
  });
});
