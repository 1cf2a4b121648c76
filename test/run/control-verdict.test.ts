import { describe, expect, test } from 'vitest';
import { judgeFault, judgeSurface } from '../../src/run/control-verdict.ts';
import { type Receipt, receiptSchema } from '../../src/run/receipt.ts';
import { faultReport } from '../../src/run/replies.ts';

const digest = `sha256:${'0'.repeat(64)}`;

/** Receipt of an attempt that never came to an outcome. */
function crashed(detail: string): Receipt {
  return receiptSchema.parse({
    protocol: 'receipt/1',
    cellKey: '0'.repeat(64),
    attempt: 1,
    experimentDigest: digest,
    inputDigest: null,
    surfaceLoadedDigest: null,
    outcome: 'infrastructureFault',
    fault: faultReport('hostCrash', 'agent', detail),
    scores: {},
    critical: null,
    artifact: null,
    usage: { costUsd: null, costKnown: false },
    gradeUsage: null,
    gradeAttempts: 0,
    timing: {
      startedAt: '2026-08-01T00:00:00.000Z',
      endedAt: '2026-08-01T00:00:00.000Z',
      activeMs: null,
    },
    internalRetries: {},
    model: null,
    host: { name: 'host', version: '1' },
    logs: null,
  });
}

function lostReason(detail: string): string {
  const cells = [{ receipt: crashed(detail), applies: () => true }];
  const control = { id: 'known-pass', surface: {}, cells: 1, expect: {} };
  return judgeSurface({}, control, cells).reason;
}

describe('judgeSurface', () => {
  test('says what the first lost cell died of', () => {
    expect(lostReason('it exited with code 1')).toBe(
      '1 of 1 cells ended without an outcome (infrastructureFault, hostCrash: it exited with code 1)',
    );
  });

  test('keeps a detail on one line, without control characters, at most 200 characters long', () => {
    expect(lostReason(' two\nlines \u001b[31m\u202e ')).toMatch(/hostCrash: two lines \[31m\)$/);
    expect(lostReason('x'.repeat(300))).toMatch(/hostCrash: x{200}\)$/);
    expect(lostReason('\n')).toMatch(/\(infrastructureFault, hostCrash\)$/);
  });
});

describe('judgeFault', () => {
  test('says why a fault was taken for another', () => {
    const control = {
      id: 'thrown',
      fault: 'agent-throw' as const,
      expect: { class: 'agentError' as const },
    };
    const seen = { receipt: crashed('it exited with code 1'), after: null };
    expect(judgeFault(control, seen).reason).toBe(
      'the fault agent-throw was classified as infrastructureFault (hostCrash: it exited with code 1), expected agentError',
    );
  });
});
