import { beforeAll, describe, expect, test } from 'vitest';
import { formatProblem } from '../../src/base/errors.ts';
import { parseReceiptFile, type ReceiptFile } from '../../src/interop/receipt-file.ts';
import { cellKeyOf } from '../../src/run/receipt.ts';
import { sealDigest } from '../../src/spec/seal.ts';
import { runFile, runFileNames } from '../../src/verify/record.ts';
import { refusalOf } from '../support/refusal.ts';
import { type SettledRun, settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let run: SettledRun;

beforeAll(async () => {
  run = await settledRun({ folder: await makeFolder() });
});

function read(text: string): ReceiptFile {
  const { seal } = run.result;
  return parseReceiptFile(text, { file: 'r.jsonl', seal, index: run.loaded.index });
}

function recorded(name: string): string {
  return new TextDecoder().decode(runFile(run.files, name));
}

async function problemsOf(text: string): Promise<string[]> {
  const error = await refusalOf(Promise.resolve().then(() => read(text)));
  expect([error.code, error.exitCode, error.where?.file]).toEqual([
    'receipt-invalid',
    41,
    'r.jsonl',
  ]);
  return error.problems.map(formatProblem);
}

const mend =
  '  Write {"case", "arm", "repeat", "outcome", "scores", "critical"} with a planned case, arm and repeat.';

describe('parseReceiptFile', () => {
  test('takes a hand-written line for a claim without ledger, host or digests of its own', () => {
    const { lines, controlLines, handWritten } = read(
      '{"case": "m1", "arm": "new", "scores": {"right": 1}}\n\n',
    );
    expect([lines.length, controlLines.length, handWritten]).toEqual([1, 0, true]);
    const [line] = lines;
    const { seal } = run.result;
    const armDigest = seal.arms.find((arm) => arm.id === 'new')?.surfaceDigest;
    expect(line).toMatchObject({
      ledger: null,
      expose: null,
      fence: null,
      cell: { unit: 'f1', case: 'm1', arm: 'new', repeat: 0 },
      armDigest,
    });
    expect(line?.receipt).toMatchObject({
      outcome: 'completed',
      attempt: 1,
      scores: { right: 1 },
      critical: null,
      inputDigest: null,
      surfaceLoadedDigest: null,
      gradeAttempts: 1,
      experimentDigest: sealDigest(seal),
    });
    expect(line?.receipt.usage.costKnown).toBe(false);
    expect(line?.receipt.cellKey).toBe(
      cellKeyOf({
        designDigest: seal.digests.design,
        caseId: 'm1',
        repeat: 0,
        surfaceDigest: line?.armDigest ?? 'sha256:',
        attempt: 1,
      }),
    );
  });

  test('a failed hand-written cell was never graded', () => {
    const [line] = read('{"case":"m1","arm":"new","outcome":"agentError"}').lines;
    expect(line?.receipt).toMatchObject({ outcome: 'agentError', scores: {}, gradeAttempts: 0 });
  });

  test('reads the journal of a run: receipts are kept, dispatches are not', () => {
    const { lines, handWritten } = read(recorded(runFileNames.journal));
    expect(lines.length).toBe(run.result.document.run.receipts);
    expect(handWritten).toBe(false);
    expect(lines.every((line) => line.fence !== null)).toBe(true);
  });

  test('keeps the receipts of controls apart', () => {
    const { lines, controlLines } = read(
      recorded(runFileNames.controls) + recorded(runFileNames.journal),
    );
    expect(controlLines.map((line) => line.cell.arm)).toEqual([
      'ceiling',
      'ceiling',
      'floor',
      'floor',
      'dead',
      'dead',
      'scorer',
    ]);
    expect(lines.length).toBe(run.result.document.run.receipts);
  });

  test('an empty file holds nothing', () => {
    expect(read('')).toEqual({ lines: [], controlLines: [], handWritten: false });
    expect(read('\n \n\r\n')).toEqual({ lines: [], controlLines: [], handWritten: false });
  });

  test('names every bad line at once, with what is wrong and how to mend it', async () => {
    const text = [
      '{"case":"m1","arm":"new"}',
      'no JSON',
      '{"case":"m99","arm":"new"}',
      '{"case":"m1","arm":"third"}',
      '{"case":"m13","arm":"new"}',
      '{"case":"m1","arm":"new","repeat":1}',
      '{"case":"m1","arm":"new","scores":{"right":"1"}}',
      '{"case":"m1","arm":"new","score":1}',
      '{"case":"m1","arm":"new","arm":"same"}',
    ].join('\n');
    const unplanned = (line: number): string =>
      `r.jsonl:${line}:1 [receipt-invalid]\n  The line names a cell that is not planned.\n${mend}`;
    const problems = await problemsOf(text);
    expect(problems.length).toBe(8);
    expect(problems[0]).toMatch(/^r\.jsonl:2:\d+ \[receipt-invalid\]\n/);
    expect(problems.slice(1, 5)).toEqual([unplanned(3), unplanned(4), unplanned(5), unplanned(6)]);
    expect(problems[5]).toBe(
      `r.jsonl:7:1 scores.right [receipt-invalid]\n  The line is no receipt: Invalid input: expected number, received string.\n${mend}`,
    );
    expect(problems[6]).toBe(
      `r.jsonl:8:1 [receipt-invalid]\n  The line is no receipt: Unrecognized key: "score".\n${mend}`,
    );
    expect(problems[7]).toMatch(
      /^r\.jsonl:9:\d+ \[receipt-invalid\]\n {2}The member "arm" appears twice/,
    );
  });

  test('a score that is no finite number is refused where it stands', async () => {
    const [problem] = await problemsOf('{"case":"m1","arm":"new","scores":{"right":1e999}}');
    expect(problem).toMatch(/^r\.jsonl:1:\d+ \[receipt-invalid\]/);
  });
});
