import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/base/canonical.ts';
import { digestOf } from '../../src/base/digest.ts';
import { replayHost } from '../../src/host/replay.ts';
import { executeCells } from '../../src/run/execute.ts';
import type { Host } from '../../src/run/host.ts';
import type { ReceiptLine } from '../../src/run/receipt.ts';
import { freshState } from '../../src/run/resume.ts';
import {
  type Desk,
  deskOf,
  faulted,
  MemoryJournal,
  quiet,
  ScriptedHost,
  StillClock,
} from '../run/desk.ts';
import { exampleTests } from '../support/examples.ts';
import { executeRequest } from '../support/host-conformance.ts';

async function linesOf(desk: Desk, host: Host): Promise<readonly ReceiptLine[]> {
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

function receiptsOf(lines: readonly ReceiptLine[]): string {
  return canonicalText(lines.map((line) => line.receipt));
}

describe('replayHost', () => {
  test('gives the recorded receipts again: faults, regrades, refusals and missing grades included', async () => {
    const desk = deskOf();
    const host = new ScriptedHost();
    host.onExecute = ({ caseId, attempt }) => {
      if (caseId === 'c01' && attempt === 1) return faulted();
      return caseId === 'c02' ? { outcome: 'safeRefusal' } : {};
    };
    let failures = 0;
    host.onGrade = ({ caseId }) => {
      failures += 1;
      const fails = caseId === 'c03' || (caseId === 'c04' && failures % 2 === 1);
      return fails ? { outcome: 'evaluatorFailure', scores: {}, critical: null } : {};
    };
    const lines = await linesOf(desk, host);
    const classes = new Set(lines.map((line) => line.receipt.outcome));
    expect([...classes].sort()).toEqual([
      'completed',
      'evaluatorFailure',
      'infrastructureFault',
      'safeRefusal',
    ]);
    const replay = replayHost(lines, { designDigest: desk.seal.digests.design });
    expect(receiptsOf(await linesOf(desk, replay))).toBe(receiptsOf(lines));
  });

  test('grades equal artifacts of two arms in the order of the lines', async () => {
    const desk = deskOf();
    const host = new ScriptedHost();
    host.onExecute = () => ({ artifact: { mediaType: 'text/plain', inline: 'same' } });
    let right = 0;
    host.onGrade = () => {
      right = 1 - right;
      return { scores: { right } };
    };
    const lines = await linesOf(desk, host);
    const replay = replayHost(lines, { designDigest: desk.seal.digests.design });
    expect(receiptsOf(await linesOf(desk, replay))).toBe(receiptsOf(lines));
  });

  test('answers a cell nobody recorded with a fault', async () => {
    const desk = deskOf();
    const lines = await linesOf(desk, new ScriptedHost());
    const replay = replayHost(lines, { designDigest: desk.seal.digests.design });
    const reply = await replay.execute(executeRequest('well'), { signal: quiet });
    expect(reply).toMatchObject({
      outcome: 'infrastructureFault',
      fault: { code: 'notRecorded' },
    });
  });

  test('refuses to greet without any receipt', async () => {
    const replay = replayHost([], { designDigest: digestOf('design') });
    await expect(replay.hello()).rejects.toThrow('There is no recorded receipt to replay.');
  });
});

exampleTests('src/host/replay.ts', {
  names: ['replayHost'],
  scope: { replayHost, designDigest: digestOf('design') },
});
