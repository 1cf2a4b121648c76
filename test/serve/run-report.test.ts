import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { canonicalLine } from '../../src/base/canonical.ts';
import { digestOfContent } from '../../src/base/content.ts';
import { digestOf } from '../../src/base/digest.ts';
import { LiftgateError } from '../../src/base/errors.ts';
import { formatDecision, parseDecision } from '../../src/report/decision.ts';
import { renderHtml } from '../../src/report/html.ts';
import { readReport } from '../../src/serve/run-report.ts';
import { parseSeal } from '../../src/spec/seal.ts';
import { readRunFiles } from '../../src/store/run-folder.ts';
import { type SettledRun, settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let run: SettledRun;
beforeAll(async () => {
  run = await settledRun({ folder: await makeFolder() });
});

/** A copy of the run with one file rewritten; null removes it. */
async function changed(name: string, change: (text: string) => string | null): Promise<string> {
  const folder = await makeFolder();
  cpSync(run.folder, folder, { recursive: true });
  const text = change(readFileSync(join(folder, name), 'utf8'));
  if (text === null) rmSync(join(folder, name));
  else writeFileSync(join(folder, name), text);
  return folder;
}

function refusal(folder: string): LiftgateError {
  try {
    readReport(folder);
  } catch (thrown) {
    if (thrown instanceof LiftgateError) return thrown;
    throw thrown;
  }
  throw new Error('the folder was read');
}

describe('readReport', () => {
  test('reads a run into a view with artifacts, controls and hosts, and leaves every byte as it is', () => {
    const before = [...readRunFiles(run.folder)].map(([name, bytes]) => [
      name,
      digestOfContent(bytes),
    ]);
    const { view, document, runDigest } = readReport(run.folder);
    expect(formatDecision(document)).toBe(formatDecision(run.result.document));
    expect(view.headline).toBe('new may ship');
    expect(view.counts).toMatchObject({ units: 12, cases: 12, plannedCells: 36, settledCells: 36 });
    expect(view.controls?.map((each) => [each.id, each.passed])).toEqual([
      ['ceiling', true],
      ['floor', true],
      ['dead', true],
      ['scorer', true],
    ]);
    expect(view.arms.map((arm) => arm.consistency)).toEqual([
      'consistent',
      'consistent',
      'consistent',
    ]);
    expect(view.hosts.reduce((total, host) => total + host.receipts, 0)).toBe(view.counts.attempts);
    expect(runDigest).toBe(digestOf(readFileSync(join(run.folder, 'manifest.json'))));
    renderHtml(view);
    expect(
      [...readRunFiles(run.folder)].map(([name, bytes]) => [name, digestOfContent(bytes)]),
    ).toEqual(before);
  });

  test('refuses receipts that the decision was not made from', async () => {
    const folder = await changed('journal.jsonl', (text) => {
      const lines = text.trimEnd().split('\n');
      const at = lines.findLastIndex((line) => line.includes('"scores":{"harm":0,"right":1}'));
      lines[at] = (lines[at] ?? '').replace('"right":1}', '"right":0}');
      return `${lines.join('\n')}\n`;
    });
    const error = refusal(folder);
    expect(error.code).toBe('run-invalid');
    expect(error.message).toBe(
      'The decision was not made from what lies beside it: it names other bytes than the receipts in journal.jsonl.',
    );
  });

  test('refuses the seal of another run', async () => {
    const folder = await changed('seal.json', (text) =>
      text.replace('"samplingFrame":"every mail of the week"', '"samplingFrame":"every mail"'),
    );
    expect(refusal(folder).message).toContain('other bytes than the seal in seal.json');
  });

  test('refuses a seal in the form of another version, which would contradict every digest of it', async () => {
    const seal = parseSeal(readFileSync(join(run.folder, 'seal.json')));
    const { loss: _, ...spec } = seal.spec;
    const text = canonicalLine({ ...seal, spec });
    const folder = await changed('seal.json', () => text);
    const document = parseDecision(readFileSync(join(folder, 'decision.json')));
    const facts = { ...document.run, sealDigest: digestOf(text) };
    writeFileSync(join(folder, 'decision.json'), formatDecision({ ...document, run: facts }));
    const error = refusal(folder);
    expect(error.message).toBe('The seal was written in the form of another version.');
    expect(error.mend).toContain(`liftgate ${seal.engine.version}, build sha256:`);
  });

  test.each(['journal.jsonl', 'cases.json', 'controls.jsonl', 'seal.json', 'decision.json'])(
    'names %s when it is missing',
    async (name) => {
      const error = refusal(await changed(name, () => null));
      expect([error.code, error.message]).toEqual([
        'run-invalid',
        `The run folder has no ${name}.`,
      ]);
    },
  );

  test('refuses a case index of another shape', async () => {
    const error = refusal(await changed('cases.json', () => '{"rows":[]}\n'));
    expect(error.message).toBe('The case index does not have the shape of one.');
  });
});
