/** Decides from receipts in a file: confirmatory only when each of them names an exposure and a fence of the given ledger. */
import type { Evidence } from '../analysis/evidence.ts';
import { type Digest, isDigest } from '../base/digest.ts';
import type { Rows } from '../base/rows.ts';
import type { ReceiptFile } from '../interop/receipt-file.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Exposure } from '../ledger/projection.ts';
import { type DecisionDocument, decide } from '../report/decision.ts';
import { orderedLines, type RunInfo, receiptsRoot } from '../report/run-facts.ts';
import type { EvidenceLine } from '../run/measured-line.ts';
import { checkProvenance } from '../run/provenance.ts';
import type { ReceiptLine } from '../run/receipt.ts';
import type { CaseIndex } from '../spec/case-index.ts';
import { type EngineIdentity, type SealedExperiment, sealDigest } from '../spec/seal.ts';
import { bindSeal, planSeal } from '../spec/seal-plan.ts';
import { lineFaults } from '../verify/check-lines.ts';
import { runEvidence, runInfo } from '../verify/evidence.ts';
import type { LoadedExperiment } from './experiment-folder.ts';
import type { GateDesk } from './gate-desk.ts';
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

/**
 * The decision on receipts from a file; hand-written and foreign ones are analysed and never ship.
 *
 * Receipts count as a run's own only once its outcome is recorded and not voided: its root binds their bytes, and nothing else would
 * show that none was dropped or changed.
 */
export async function decideReceiptFile(parts: {
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
  readonly receipts: ReceiptFile;
  readonly ledger: Ledger;
  /** Asks the custom gates about these receipts. */
  readonly gates: GateDesk;
}): Promise<DecisionDocument> {
  const { seal, index, receipts, ledger, gates } = parts;
  const decideWith = async (given: Evidence, info: RunInfo): Promise<DecisionDocument> => {
    await gates.askAll(given);
    return decide({ ...given, replies: gates.replies }, info);
  };
  const { controlLines } = receipts;
  const lines = orderedLines(receipts.lines);
  const own = receipts.handWritten ? null : await ownExposure(ledger, seal, lines);
  if (own !== null) {
    const { entryId, fence } = own.exposure;
    const run = { seal, index, lines, controlLines, expose: entryId, fence };
    const evidence = runEvidence(run);
    // A file without the recorded control lines says nothing about the controls; it does not say that they failed.
    const none = { controls: null, controlLines: null };
    const unknown = {
      ...{ ...evidence, ...none },
      conduct: (some: Rows<EvidenceLine>) => ({
        controls: null,
        provenance: checkProvenance({ seal, index, lines: some }),
      }),
    };
    const recorded = own.controlsRoot === receiptsRoot(controlLines);
    const given = controlLines.length > 0 && recorded ? evidence : unknown;
    return decideWith(given, runInfo(run));
  }
  const provenance = checkProvenance({ seal, index, lines });
  const controls = { controls: null, controlLines: null };
  const evidence = { seal, index, lines, ...controls, confirmatory: false, provenance };
  return decideWith(evidence, { expose: null, fence: null, startedAt: null, endedAt: null });
}

interface OwnExposure {
  readonly exposure: Exposure;
  /** Root over the control receipts of the run; an outcome of an earlier form binds none. */
  readonly controlsRoot: Digest | undefined;
}

/** The exposure whose recorded outcome rests on exactly these receipts; null when there is none. */
async function ownExposure(
  ledger: Ledger,
  seal: SealedExperiment,
  lines: Rows<ReceiptLine>,
): Promise<OwnExposure | null> {
  const { plan } = seal;
  const { experiments, chain } = await ledger.state();
  const state = isDigest(plan) ? experiments.get(plan) : undefined;
  if (state === undefined || state.phase !== 'settled') return null;
  const { exposure, outcome } = state;
  if (exposure === null || exposure.body.seal !== sealDigest(seal)) return null;
  if (outcome === null || outcome.body.receiptsRoot !== receiptsRoot(lines)) return null;
  const fences = exposure.rights.map((right) => right.fence);
  const held = { seal, ledger: chain.ledger ?? '', expose: exposure.entryId, fences };
  if (lineFaults(lines, held).length > 0) return null;
  return { exposure, controlsRoot: outcome.body.controlsRoot };
}
