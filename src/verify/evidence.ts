/** Evidence of a recorded run: what `run` decides from and `verify` decides from again, made by one function. */
import type { Evidence } from '../analysis/evidence.ts';
import { canonicalText } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import type { Rows } from '../base/rows.ts';
import { strongerOf } from '../gate/compose.ts';
import type { Decision } from '../gate/gate.ts';
import type { DecisionDocument } from '../report/decision.ts';
import { orderedLines, type RunInfo } from '../report/run-facts.ts';
import { controlResults } from '../run/control-results.ts';
import type { GateReplies } from '../run/gate-reply.ts';
import type { EvidenceLine } from '../run/measured-line.ts';
import { checkProvenance } from '../run/provenance.ts';
import { type ControlResult, isOutcome, type ReceiptLine } from '../run/receipt.ts';
import type { CaseIndex } from '../spec/case-index.ts';
import type { SealedExperiment } from '../spec/seal.ts';

export interface RecordedRun {
  /** Stage `final`. */
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
  readonly lines: Rows<EvidenceLine>;
  readonly controlLines: readonly ReceiptLine[];
  readonly expose: Digest;
  /** Fence of the last right to dispatch. */
  readonly fence: string;
  /** What the code of custom gates said; absent where there is none. */
  readonly replies?: GateReplies | undefined;
}

/** Evidence of a run under its own exposure; the order of the receipts changes nothing. */
export function runEvidence(run: RecordedRun): Evidence {
  const { seal, index, controlLines } = run;
  const controls = controlResults(seal, index, controlLines);
  const conduct = (some: Rows<EvidenceLine>): Pick<Evidence, 'controls' | 'provenance'> => ({
    controls: heldToHost(controls, { lines: some, controlLines }),
    provenance: checkProvenance({ seal, index, lines: some }),
  });
  const lines = orderedLines(run.lines);
  const own = { seal, index, lines, ...conduct(lines), controlLines, confirmatory: true, conduct };
  return run.replies === undefined ? own : { ...own, replies: run.replies };
}

/** Controls prove something about the host they ran on: a control whose outcomes came from another host than the cells' has failed. */
function heldToHost(
  results: readonly ControlResult[],
  { lines, controlLines }: Pick<RecordedRun, 'lines' | 'controlLines'>,
): ControlResult[] {
  const hosts = outcomeHosts(lines);
  return results.map((result) => {
    const own = outcomeHosts(controlLines.filter((line) => line.cell.arm === result.id));
    if (hosts.size === 0 || [...own].every((host) => hosts.has(host))) return result;
    return { ...result, passed: false, reason: 'it ran on another host than the cells' };
  });
}

function outcomeHosts(lines: Rows<EvidenceLine>): ReadonlySet<string> {
  const hosts = new Set<string>();
  for (const { receipt } of lines)
    if (isOutcome(receipt.outcome)) hosts.add(canonicalText(receipt.host));
  return hosts;
}

/** The strongest decision of a document, or ship when any candidate ships: what the ledger's outcome entry says. */
export function overallDecision({ decisions }: DecisionDocument): Decision {
  const found = decisions.map((each) => each.decision);
  return found.includes('ship') ? 'ship' : found.reduce(strongerOf, 'need_more_work');
}

/** Facts of a run that its receipts show: the first start and the last end. */
export function runInfo(run: RecordedRun): RunInfo {
  let startedAt: string | null = null;
  let endedAt: string | null = null;
  for (const { receipt, receivedAt } of run.lines) {
    const start = receipt.timing.startedAt;
    if (startedAt === null || start < startedAt) startedAt = start;
    if (endedAt === null || receivedAt > endedAt) endedAt = receivedAt;
  }
  return {
    expose: run.expose,
    fence: run.fence,
    startedAt,
    endedAt,
  };
}
