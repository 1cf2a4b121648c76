/** The sealed power of a recorded run, simulated again where a reader asks for it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { checkPower } from '../../src/verify/check-power.ts';
import { noDemands } from '../../src/verify/check-trust.ts';
import { checkRun } from '../../src/verify/verify.ts';
import { indexOf, sealOf } from '../support/forgery.ts';
import { mailsExperiment, type SettledRun, settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let run: SettledRun;

beforeAll(async () => {
  const gate = '  - {gate: power, target: 0.8, atEffect: 0.5, required: true}\n';
  const spec = `${mailsExperiment}${gate}power: {accept: underpowered}\n`;
  run = await settledRun({ folder: await makeFolder(), files: { 'experiment.yaml': spec } });
});

describe('checkPower', () => {
  test('is one of the checks on demand, and none without', () => {
    const { ok, checks } = checkRun(run.files, run.view, { ...noDemands, power: checkPower });
    expect(ok).toBe(true);
    const found = checks.find(({ id }) => id === 'power');
    expect(found?.status).toBe('passed');
    expect(found?.detail).toMatch(
      /^[\d.]+ % of 2000 simulated decisions ship at an improvement of 0\.5, as sealed$/,
    );
    expect(checkRun(run.files, run.view).checks.map(({ id }) => id)).not.toContain('power');
  });

  test('fails a run whose seal claims more power than its rules have', () => {
    const { status, problems, exitCode } = (() => {
      const found = checkRun(run.files, run.view, {
        ...noDemands,
        power: (seal, index) => {
          const { power } = seal.analysis;
          if (power === undefined) throw new Error('the seal holds power');
          const claimed = { ...power, rate: 0.95, standardError: 0.00487, accepted: false };
          return checkPower({ ...seal, analysis: { ...seal.analysis, power: claimed } }, index);
        },
      });
      const check = found.checks.find(({ id }) => id === 'power');
      return { status: check?.status, problems: check?.problems, exitCode: found.exitCode };
    })();
    expect({ status, exitCode }).toEqual({ status: 'failed', exitCode: 41 });
    expect(problems?.[0]?.code).toBe('power-differs');
    expect(problems?.[0]?.message).toMatch(
      /^sealed: 95 % of 2000 simulated decisions ship at an improvement of 0\.5, when .+, the target of 80 % reached; recomputed: [\d.]+ %, when .+$/,
    );
  });

  test('says that a seal holds none', () => {
    const seal = sealOf(run.files);
    const { power: _, ...analysis } = seal.analysis;
    expect(checkPower({ ...seal, analysis }, indexOf(run.files))).toEqual({
      detail: 'the seal holds no power: no gate or claim demanded any',
    });
  });
});

describe('further units by the power of the gates themselves', () => {
  test('are recorded with their cost, told in the summary, and computed again by whoever verifies', async () => {
    const spec = `${mailsExperiment}power: {further: simulated}\n`;
    const asked = await settledRun({
      folder: await makeFolder(),
      files: { 'experiment.yaml': spec, 'rules/new.txt': '5' },
    });
    const open = asked.result.document.decisions.flatMap((each) => each.furtherUnits);
    expect(open.length).toBeGreaterThan(0);
    for (const { method, atObserved } of open) {
      expect(method).toBe('exact');
      expect(atObserved.cost).toEqual({
        knownUsd: expect.any(Number),
        unknownCells: expect.any(Number),
      });
    }
    expect(new TextDecoder().decode(asked.files.get('summary.md'))).toContain(
      "What would settle it (power of each gate's own method, exact):",
    );
    expect(checkRun(asked.files, asked.view).ok).toBe(true);
  });
});
