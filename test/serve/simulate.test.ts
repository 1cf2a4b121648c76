import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operatingLines } from '../../src/report/operating.ts';
import { parseAssumptions, simulateExperiment } from '../../src/serve/simulate.ts';
import { loadExperiment } from '../../src/store/experiment-folder.ts';
import { projectFolder } from '../support/cli.ts';

const desk = join(projectFolder, 'experiments/refund-desk');
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const quick = { simulations: 100, workers: 0 } as const;

describe('parseAssumptions', () => {
  test('reads what the power gate may state, and names the member that it cannot', () => {
    expect(parseAssumptions(bytes({ lossRate: 0.01 }), 'a.json')).toEqual({ lossRate: 0.01 });
    for (const [wrong, path] of [
      [{ lossRate: 1 }, 'lossRate'],
      [{ measures: { right: { discordance: -1 } } }, 'measures.right.discordance'],
      [{ measures: { right: { spread: 1 } } }, 'measures.right'],
      [{ usdPerCell: { baseline: 1 } }, 'usdPerCell.candidate'],
    ] as const) {
      let caught: unknown;
      try {
        parseAssumptions(bytes(wrong), 'a.json');
      } catch (error) {
        caught = error;
      }
      expect(caught).toMatchObject({ code: 'spec-invalid', where: { file: 'a.json' } });
      expect(JSON.stringify(caught)).toContain(path.split('.')[0]);
    }
    expect(() => parseAssumptions(new TextEncoder().encode('{"a":1,"a":2}'), 'a.json')).toThrow();
  });
});

describe('simulateExperiment', () => {
  test('refuses a pilot that measured final units of the design', async () => {
    const loaded = await loadExperiment(desk);
    const [run] = readdirSync(join(desk, 'runs'));
    const pilot = join(desk, 'runs', run ?? '');
    await expect(simulateExperiment({ loaded, ...quick, pilot })).rejects.toMatchObject({
      code: 'design-refused',
      exitCode: 40,
      message: expect.stringMatching(/^The pilot measured \d+ cases of final units of this design/),
    });
  });

  test('prints what is stated, what it costs, and every gate that is taken to pass', async () => {
    const loaded = await loadExperiment(desk);
    const assume = {
      usdPerCell: { baseline: 0.002, candidate: 0.003, deviation: 0.001 },
      msPerCell: 600,
      measures: { fields_right: { discordance: 0.6, correlation: 0.4 } },
    };
    const decisions: number[] = [];
    const found = await simulateExperiment({
      loaded,
      ...quick,
      assume,
      onProgress: (done) => decisions.push(done),
    });
    // 96 cells of the baseline and 4 x 96 of candidates, besides the controls.
    expect(found.expected.usd).toBeGreaterThan(96 * 0.002 + 4 * 96 * 0.003);
    expect(found.expected.minutes).toBeGreaterThan(0);
    expect(found.assumed).toEqual(assume);
    expect(found.scenarios).toBeGreaterThan(30);
    expect(found.decisions).toBeGreaterThan(30 * 100);
    expect(decisions.at(-1)).toBeGreaterThan(decisions[0] ?? 0);
    const lines = operatingLines(found).join('\n');
    expect(lines).toContain('Planned with: 60 % of pairs differ, as stated');
    expect(lines).toContain('  critical:claims_act: no rate of "claims_act" is stated');
    expect(lines).toContain('  fields_right: discordance 0.6, correlation 0.4');
    expect(lines).toMatch(/Expected of the whole run, each cell once: [\d.]+ USD, [\d.]+ minutes/);
  }, 60_000);
});
