/** Decides from receipts in a file: confirmatory only when each of them names an exposure and a fence of the given ledger. */
import { isDigest } from '../base/digest.ts';
import type { ReceiptFile } from '../interop/receipt-file.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ExperimentState } from '../ledger/projection.ts';
import { type DecisionDocument, decide } from '../report/decision.ts';
import { receiptsRoot } from '../report/run-facts.ts';
import { checkProvenance } from '../run/provenance.ts';
import type { ReceiptLine } from '../run/receipt.ts';
import type { CaseIndex } from '../spec/case-index.ts';
import { type EngineIdentity, type SealedExperiment, sealDigest } from '../spec/seal.ts';
import { bindSeal, planSeal } from '../spec/seal-plan.ts';
import { lineFaults } from '../verify/check-lines.ts';
import { runEvidence, runInfo } from '../verify/evidence.ts';
import type { LoadedExperiment } from './experiment-folder.ts';
import { ensureFinalSeal, ensurePlanSeal, sealInput } from './seal-experiment.ts';

/** Final seal to decide under: the recorded one when the ledger has it, else one made from the files as they are. */
export async function decidingSeal(
  loaded: LoadedExperiment,
  ledger: Ledger,
  engine: EngineIdentity,
): Promise<SealedExperiment> {
  const { experiments } = await ledger.state();
  const isSealed = [...experiments.values()].some(
    (each) => each.experimentId === loaded.spec.name && each.finals.length > 0,
  );
  if (isSealed) {
    const options = { loaded, ledger, engine, write: false };
    return (await ensureFinalSeal(options, await ensurePlanSeal(options))).seal;
  }
  const input = sealInput(loaded, engine);
  const { seal } = planSeal(input);
  return bindSeal(seal, sealDigest(seal), input.arms);
}

/** The decision on receipts from a file; hand-written and foreign ones are analysed and never ship. */
export async function decideReceiptFile(parts: {
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
  readonly receipts: ReceiptFile;
  readonly ledger: Ledger;
}): Promise<DecisionDocument> {
  const { seal, index, receipts } = parts;
  const { lines, controlLines } = receipts;
  const state = receipts.handWritten ? null : await exposedUnder(parts.ledger, seal);
  if (state !== null && isOf(state, seal, lines) && state.exposure !== null) {
    const { entryId, fence } = state.exposure;
    const run = { seal, index, lines, controlLines, expose: entryId, fence };
    return decide(runEvidence(run), runInfo(run));
  }
  const provenance = checkProvenance({ seal, index, lines });
  const evidence = { seal, index, lines, controls: null, confirmatory: false, provenance };
  return decide(evidence, { expose: null, fence: null, startedAt: null, endedAt: null });
}

async function exposedUnder(
  ledger: Ledger,
  seal: SealedExperiment,
): Promise<ExperimentState | null> {
  const plan = seal.plan;
  if (!isDigest(plan)) return null;
  const state = (await ledger.state()).experiments.get(plan);
  return state?.exposure?.body.seal === sealDigest(seal) ? state : null;
}

function isOf(
  state: ExperimentState,
  seal: SealedExperiment,
  lines: readonly ReceiptLine[],
): boolean {
  const { exposure, outcome } = state;
  const [first] = lines;
  if (exposure === null || first?.ledger == null) return false;
  if (outcome !== null && outcome.body.receiptsRoot !== receiptsRoot(lines)) return false;
  const fences = exposure.rights.map((right) => right.fence);
  return (
    lineFaults(lines, { seal, ledger: first.ledger, expose: exposure.entryId, fences }).length === 0
  );
}
