/** Evidence of a recorded run: what `run` decides from and `verify` decides from again, made by one function. */
import type { Evidence } from '../analysis/evidence.ts';
import type { Digest } from '../base/digest.ts';
import type { RunInfo } from '../report/run-facts.ts';
import { controlResults } from '../run/control-results.ts';
import { checkProvenance } from '../run/provenance.ts';
import type { ReceiptLine } from '../run/receipt.ts';
import type { CaseIndex } from '../spec/case-index.ts';
import type { SealedExperiment } from '../spec/seal.ts';

export interface RecordedRun {
  /** Stage `final`. */
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
  readonly lines: readonly ReceiptLine[];
  readonly controlLines: readonly ReceiptLine[];
  readonly expose: Digest;
  /** Fence of the last right to dispatch. */
  readonly fence: string;
}

/** Evidence of a run under its own exposure. */
export function runEvidence(run: RecordedRun): Evidence {
  const { seal, index, lines, controlLines } = run;
  return {
    seal,
    index,
    lines,
    controls: controlResults(seal, index, controlLines),
    confirmatory: true,
    provenance: checkProvenance({ seal, index, lines }),
  };
}

/** Facts of a run that its receipts show: the first start and the last end. */
export function runInfo(run: RecordedRun): RunInfo {
  const starts = run.lines.map((line) => line.receipt.timing.startedAt).sort();
  const ends = run.lines.map((line) => line.receivedAt).sort();
  return {
    expose: run.expose,
    fence: run.fence,
    startedAt: starts[0] ?? null,
    endedAt: ends.at(-1) ?? null,
  };
}
