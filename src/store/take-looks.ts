/** Looks of a running sequential design: judged as verification will judge them, durable in the journal before anything else is dispatched. */

import { atLook, looksOf } from '../analysis/look.ts';
import { canonicalText } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import { LookLatch } from '../gate/sequential.ts';
import type { LookStops } from '../run/execute.ts';
import type { Clock } from '../run/host.ts';
import type { Journal, LookLine } from '../run/journal.ts';
import type { Cell, ReceiptLine } from '../run/receipt.ts';
import type { CaseIndex } from '../spec/case-index.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { lookRecord } from '../verify/check-looks.ts';
import { runEvidence } from '../verify/evidence.ts';
import type { GateDesk } from './gate-desk.ts';

/** A run that is to stop at its looks. */
export interface LookRun {
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
  readonly schedule: Rows<Cell>;
  readonly controlLines: readonly ReceiptLine[];
  readonly dispatcher: { readonly expose: Digest; readonly fence: string };
  readonly journal: Journal;
  /** Looks that the journal holds already. */
  readonly recorded: readonly LookLine[];
  readonly clock: Clock;
  readonly gates: GateDesk;
  readonly onNote?: (text: string) => void;
}

/**
 * Where execution pauses and what happens there; undefined for a fixed design.
 *
 * A look that the journal holds is judged again and must come out the same: the first decision stands.
 */
export function lookStops(run: LookRun): LookStops | undefined {
  const { seal, index, schedule, controlLines, dispatcher } = run;
  const looks = looksOf({ seal, index });
  if (looks.length === 0) return undefined;
  const latch = new LookLatch();
  return {
    ends: looks.map(({ units }) => schedule.filter(({ unit }) => units.has(unit)).length),
    take: async (at, lines) => {
      const look = looks[at];
      invariant(look !== undefined, 'execution pauses at sealed looks only');
      const { gates } = run;
      const { replies } = gates;
      const evidence = runEvidence({ seal, index, lines, controlLines, replies, ...dispatcher });
      await gates.ask(atLook(evidence, look));
      const record = lookRecord(latch.take(evidence, look));
      const known = run.recorded[at];
      if (known === undefined) {
        const { fence } = dispatcher;
        await run.journal.append({ ...record, fence, at: run.clock.now() });
      } else {
        refuseOther(known, { ...record, fence: known.fence, at: known.at });
      }
      const going = record.decides || look.number === look.of ? '' : '; going on';
      run.onNote?.(
        `Look ${look.number} of ${look.of}, ${look.units.size} units: ${said(record)}${going}.`,
      );
      return record.decides;
    },
  };
}

function said({ findings }: Pick<LookLine, 'findings'>): string {
  return findings.map(({ candidate, decision }) => `${candidate} ${decision}`).join(', ');
}

function refuseOther(known: LookLine, found: LookLine): void {
  if (canonicalText(known) === canonicalText(found)) return;
  throw new LiftgateError(
    'run-invalid',
    `Look ${known.look} was recorded with ${said(known)}, and its receipts say ${said(found)} or rest on other numbers.`,
    {
      mend: 'Restore the recorded journal; the first decision of a look stands.',
    },
  );
}
