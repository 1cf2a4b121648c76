/** Small experiments of the rows `weights: case` and `fixed-roster` and of a fixed sequence, run, recorded and verified in process. */
import { describe, expect, test } from 'vitest';
import { renderSummary } from '../../src/report/markdown.ts';
import { type PlanReport, planLines, planReport } from '../../src/report/plan.ts';
import { sealInput } from '../../src/store/seal-experiment.ts';
import { checkRun } from '../../src/verify/verify.ts';
import { failures } from '../support/forgery.ts';
import {
  engine,
  mailsExperiment,
  mailsFiles,
  type SettledRun,
  settledRun,
} from '../support/run.ts';
import { sealedMails, sealsOf } from '../support/seal-input.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();

function experiment(...changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the fixture does not hold ${from}`);
    return text.replace(from, () => to);
  }, mailsExperiment);
}

/** Final mails m1..m36, so many to a family, and four of development. */
function mails(perFamily: number): string {
  return Array.from({ length: 40 }, (_, at) => {
    const split = at < 36 ? 'final' : 'train';
    const family = at < 36 ? `f${at % (36 / perFamily)}` : `d${at}`;
    return `${JSON.stringify({ id: `m${at + 1}`, family, split, n: at + 1, label: 'yes' })}\n`;
  }).join('');
}

function shown({ result }: SettledRun) {
  return result.document.decisions.map(({ candidate, decision, step, improvement, reason }) => {
    const interval = improvement?.interval;
    return {
      candidate,
      decision,
      step: `${step.step} of ${step.of} at 1/${step.divisor}`,
      method: improvement?.method,
      improvement: `${improvement?.value.toFixed(4)} (${interval?.lower.toFixed(4)} .. ${interval?.upper.toFixed(4)})`,
      n: improvement?.n,
      reason,
    };
  });
}

function verified({ files, view }: SettledRun) {
  return failures(checkRun(files, view));
}

const rules = { 'rules/old.txt': '8', 'rules/new.txt': '34', 'rules/same.txt': '9' };
const byCase = ['gates:\n', 'inference: {weights: case}\ngates:\n'] as const;
const fixedOrder = ['host:\n', 'multiplicity: {sequence: [same, new]}\nhost:\n'] as const;

function planned({ loaded }: SettledRun): PlanReport {
  return planReport(sealsOf(sealInput(loaded, engine())).plan, loaded.index);
}

/** A host whose answers waver between repeats: the cell key decides, so that a run repeats byte for byte. */
const waveringHost = mailsFiles()['host.mjs']?.replace(
  "const polite = input.n <= most ? 'yes' : 'no';",
  "const wavers = most < 90 && /[0-3]$/.test(request.cellKey);\n  const polite = input.n <= most && !wavers ? 'yes' : 'no';",
);

describe('an experiment that weighs cases', () => {
  test('decides by the effective number of cases, and verifies', async () => {
    const files = { ...rules, 'cases.jsonl': mails(3), 'experiment.yaml': experiment(byCase) };
    const run = await settledRun({ folder: await makeFolder(), files });
    const n = { units: 12, pairs: 36, cells: 72 };
    expect(shown(run)).toEqual([
      {
        candidate: 'new',
        decision: 'ship',
        step: '1 of 2 at 1/2',
        method: 'tango-effective-n',
        improvement: '0.7222 (0.4512 .. 0.8683)',
        n: { ...n, discordant: 26 },
        reason:
          'right improves by 0.7222 (0.4512 .. 0.8683) over 12 units and every required gate passed',
      },
      {
        candidate: 'same',
        decision: 'need_more_work',
        step: '2 of 2 at 1/2',
        method: 'tango-effective-n',
        improvement: '0.0278 (-0.1379 .. 0.2046)',
        n: { ...n, discordant: 1 },
        reason: 'lift:right: the interval -0.1379 .. 0.2046 includes 0',
      },
    ]);
    expect(run.result.seal.analysis.estimand).toBe(
      'mean improvement across cases, units as clusters, weights: case',
    );
    expect(verified(run)).toEqual([]);
    expect(planned(run).canShip).toBe(true);
  });
});

describe('the plan of a score weighed by cases', () => {
  test('finds receipts that would ship, although equal differences carry no interval', async () => {
    const text = experiment(byCase, [
      'kind: binary, role: primary',
      'kind: score, min: 0, max: 1, role: primary',
    ]);
    const files = { ...rules, 'cases.jsonl': mails(3), 'experiment.yaml': text };
    const { plan, loaded } = await sealedMails(await makeFolder(), files);
    const report = planReport(plan, loaded.index);
    expect(report.methods[0]).toMatchObject({
      measure: 'right',
      row: 'weights: case',
      method: 'cr2',
    });
    expect(report.canShip).toBe(true);
  });
});

describe('an experiment with a fixed roster', () => {
  test('decides by the noise of repeats, and verifies', async () => {
    const text = experiment(
      ['generalization: new-units', 'generalization: fixed-roster'],
      ['gates:\n', 'repeats: 4\ngates:\n'],
      ['{usd: 5}', '{usd: 50}'],
    );
    const files = {
      ...rules,
      'cases.jsonl': mails(6),
      'experiment.yaml': text,
      'host.mjs': waveringHost ?? '',
    };
    const run = await settledRun({ folder: await makeFolder(), files });
    const [next, same] = run.result.document.decisions;
    expect(next).toMatchObject({
      decision: 'ship',
      improvement: {
        method: 'roster-t',
        estimand: 'mean improvement of the listed units',
        n: { units: 6, pairs: 144 },
      },
    });
    expect(next?.improvement?.value).toBeLessThan(26 / 36);
    expect(same?.decision).not.toBe('ship');
    expect(run.result.seal.analysis.estimand).toBe(
      'mean improvement of the listed units, weights: unit',
    );
    expect(planned(run).canShip).toBe(true);
    expect(verified(run)).toEqual([]);
  });
});

describe('an experiment with a fixed sequence', () => {
  test('ships nothing behind the candidate that does not clear, and verifies', async () => {
    const files = { ...rules, 'cases.jsonl': mails(1), 'experiment.yaml': experiment(fixedOrder) };
    const run = await settledRun({ folder: await makeFolder(), files });
    const n = { units: 36, pairs: 36, cells: 72 };
    expect(shown(run)).toEqual([
      {
        candidate: 'new',
        decision: 'need_more_work',
        step: '2 of 2 at 1/1',
        method: 'tango-score',
        improvement: '0.7222 (0.5562 .. 0.8415)',
        n: { ...n, discordant: 26 },
        reason:
          'lift:right: the lower bound 0.5562 is above 0, but the fixed sequence stopped at "same" before this candidate',
      },
      {
        candidate: 'same',
        decision: 'need_more_work',
        step: '1 of 2 at 1/1',
        method: 'tango-score',
        improvement: '0.0278 (-0.0713 .. 0.1417)',
        n: { ...n, discordant: 1 },
        reason: 'lift:right: the interval -0.07132 .. 0.1417 includes 0',
      },
    ]);
    const summary = renderSummary(run.result.document, run.result.seal);
    expect(summary).toContain(
      'Place 2 of 2 in the fixed sequence, at the full error: it or one before it did not clear.',
    );
    expect(planned(run)).toMatchObject({
      canShip: true,
      errorLevels: { lift: 0.025, perCandidate: 0.025 },
    });
    expect(planLines(planned(run))).toContain(
      'one-sided error of lift and no-regression: 0.025, for the first of 2 in the fixed sequence 0.025',
    );
    expect(verified(run)).toEqual([]);
  });
});
