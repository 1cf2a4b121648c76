/** Liftgate: seal, reserve, run, decide and verify a comparison of a baseline with candidates. */

export type { Estimate } from './analysis/estimate.ts';
export type { Evidence } from './analysis/evidence.ts';
export type { Funnel } from './analysis/funnel.ts';
export { type ErrorCode, LiftgateError } from './base/errors.ts';
export type { Contribution, Decision } from './gate/gate.ts';
export { moduleHost } from './host/module.ts';
export { replayHost } from './host/replay.ts';
export { workerHost } from './host/worker.ts';
export type { LedgerEntry } from './ledger/entry.ts';
export type { Ledger } from './ledger/ledger.ts';
export { memoryLedger } from './ledger/memory-ledger.ts';
export { decide } from './report/decision.ts';
export { renderSummary as renderReport } from './report/markdown.ts';
export type { Host } from './run/host.ts';
export type { Cell, Receipt } from './run/receipt.ts';
export type { Claim } from './spec/claim.ts';
export type { GateDeclaration as Gate } from './spec/gates.ts';
export type { Measure } from './spec/measure.ts';
export type { SealedExperiment } from './spec/seal.ts';
export type { ExperimentSpec } from './spec/spec.ts';
export type { Interval } from './stats/interval.ts';
export { loadExperiment } from './store/experiment-folder.ts';
export { openLedger } from './store/ledger-folder.ts';
export { runExperiment } from './store/run-experiment.ts';
