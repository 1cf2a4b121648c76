import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { executeCells } from '../../src/run/execute.ts';
import { checkProvenance } from '../../src/run/provenance.ts';
import type { Receipt, ReceiptLine } from '../../src/run/receipt.ts';
import { freshState } from '../../src/run/resume.ts';
import { sealDigest } from '../../src/spec/seal.ts';
import { exampleTests } from '../support/examples.ts';
import {
  casesOf,
  type Desk,
  deskOf,
  faulted,
  MemoryJournal,
  quiet,
  ScriptedHost,
  StillClock,
} from './desk.ts';

async function linesOf(desk: Desk, host = new ScriptedHost()): Promise<readonly ReceiptLine[]> {
  const { lines } = await executeCells({
    ...desk,
    host,
    journal: new MemoryJournal(),
    resumed: freshState(desk.schedule),
    clock: new StillClock(),
    signal: quiet,
  });
  return lines;
}

/** Changes the receipt of one candidate cell. */
function withReceipt(lines: readonly ReceiptLine[], changes: Partial<Receipt>): ReceiptLine[] {
  const at = lines.findIndex((line) => line.cell.arm === 'next');
  return lines.map((line, index) =>
    index === at ? { ...line, receipt: { ...line.receipt, ...changes } } : line,
  );
}

const elsewhere = digestOf('elsewhere');

describe('packages a host reports', () => {
  const pin = { name: 'alias=@scope/reader@1.2.3', tree: elsewhere };
  const checked = async (packages: Readonly<Record<string, string>> | undefined) => {
    const desk = deskOf();
    const arms = desk.seal.arms.map((arm) => ({
      ...arm,
      pins: { ...arm.pins, packages: arm.id === 'next' ? [pin] : [] },
    }));
    const lines = await linesOf(desk);
    const changes = packages === undefined ? {} : { packages };
    const changed = lines.map((line) => ({ ...line, receipt: { ...line.receipt, ...changes } }));
    const experimentDigest = sealDigest({ ...desk.seal, arms });
    return checkProvenance({
      ...desk,
      seal: { ...desk.seal, arms },
      lines: changed.map((line) => ({ ...line, receipt: { ...line.receipt, experimentDigest } })),
    });
  };

  test.each([
    ['none', undefined, 'consistent', []],
    ['the pinned version', { alias: '1.2.3', other: '9.0.0' }, 'consistent', []],
    [
      'another version',
      { alias: '1.2.4' },
      'inconsistent',
      ['ran another version of package alias than the sealed one (4 of 4 receipts)'],
    ],
    [
      'others only',
      { other: '9.0.0' },
      'unverified',
      ['no known version of package alias to compare (4 of 4 receipts)'],
    ],
  ] as const)('%s', async (_name, packages, consistency, reasons) => {
    const [baseline, next] = await checked(packages);
    expect(baseline?.consistency).toBe('consistent');
    expect(next).toEqual({ arm: 'next', consistency, reasons });
  });
});

describe('checkProvenance', () => {
  test('is consistent when every receipt names what was sealed', async () => {
    const desk = deskOf();
    expect(checkProvenance({ ...desk, lines: await linesOf(desk) })).toEqual([
      { arm: 'baseline', consistency: 'consistent', reasons: [] },
      { arm: 'next', consistency: 'consistent', reasons: [] },
    ]);
  });

  test.each([
    [{ surfaceLoadedDigest: elsewhere }, 'ran another surface than the sealed one'],
    [{ inputDigest: elsewhere }, 'ran another input than the sealed one'],
    [{ experimentDigest: elsewhere }, 'recorded for another seal'],
    [
      { host: { name: 'other', version: '1', buildDigest: null, dirty: null } },
      'answered by another host than the first outcome',
    ],
  ])('is inconsistent when one receipt says %j', async (changes, reason) => {
    const desk = deskOf();
    const lines = withReceipt(await linesOf(desk), changes);
    const [baseline, next] = checkProvenance({ ...desk, lines });
    const changedHost = 'host' in changes && lines[0]?.cell.arm === 'next';
    expect(baseline?.consistency).toBe(changedHost ? 'inconsistent' : 'consistent');
    if (!changedHost) {
      expect(next).toEqual({
        arm: 'next',
        consistency: 'inconsistent',
        reasons: [`${reason} (1 of 4 receipts)`],
      });
    }
  });

  test.each([
    [{ surfaceLoadedDigest: null }, 'no known surface to compare'],
    [{ inputDigest: null }, 'no known input to compare'],
  ])('is unverified when one outcome says %j', async (changes, reason) => {
    const desk = deskOf();
    const [, next] = checkProvenance({ ...desk, lines: withReceipt(await linesOf(desk), changes) });
    expect(next).toEqual({
      arm: 'next',
      consistency: 'unverified',
      reasons: [`${reason} (1 of 4 receipts)`],
    });
  });

  test('asks nothing of attempts that faulted, but believes what they report', async () => {
    const desk = deskOf({ cases: casesOf(2) });
    const host = new ScriptedHost();
    host.onExecute = ({ attempt }) =>
      attempt === 1 ? { ...faulted(), surfaceLoadedDigest: null, inputDigest: null } : {};
    const lines = await linesOf(desk, host);
    expect(checkProvenance({ ...desk, lines }).map((each) => each.consistency)).toEqual([
      'consistent',
      'consistent',
    ]);
    const wrong = withReceipt(lines, { surfaceLoadedDigest: elsewhere });
    expect(wrong.find((line) => line.cell.arm === 'next')?.receipt.outcome).toBe(
      'infrastructureFault',
    );
    expect(checkProvenance({ ...desk, lines: wrong })[1]?.consistency).toBe('inconsistent');
  });

  test('holds a pinned model against the observed one', async () => {
    const desk = deskOf({ model: 'model-1' });
    const host = new ScriptedHost();
    const observed = (name: string | null) => () => ({
      model: { requested: 'model-1', observed: name, parametersDigest: null },
    });
    host.onExecute = observed('model-1');
    const check = async () =>
      checkProvenance({ ...desk, lines: await linesOf(desk, host) }).map(
        (each) => each.consistency,
      );
    expect(await check()).toEqual(['consistent', 'consistent']);
    host.onExecute = observed('model-2');
    expect(await check()).toEqual(['inconsistent', 'inconsistent']);
    host.onExecute = observed(null);
    expect(await check()).toEqual(['unverified', 'unverified']);
  });

  test('is inconsistent under another evaluator or arm digest', async () => {
    const desk = deskOf();
    const lines = await linesOf(desk);
    const graded = lines.map((line) => ({ ...line, evaluatorTree: elsewhere }));
    expect(checkProvenance({ ...desk, lines: graded })[0]?.reasons).toEqual([
      'graded by another evaluator than the sealed one (4 of 4 receipts)',
    ]);
    const armed = lines.map((line) => ({ ...line, armDigest: elsewhere }));
    expect(checkProvenance({ ...desk, lines: armed })[1]?.reasons).toEqual([
      'recorded for another surface than the sealed one (4 of 4 receipts)',
    ]);
  });

  test('is unverified without any receipt', () => {
    const desk = deskOf();
    expect(checkProvenance({ ...desk, lines: [] })).toEqual(
      ['baseline', 'next'].map((arm) => ({
        arm,
        consistency: 'unverified',
        reasons: ['no receipt could be held against the seal'],
      })),
    );
  });
});

exampleTests('src/run/provenance.ts', {
  names: ['checkProvenance'],
  scope: { checkProvenance, ...deskOf() },
});
