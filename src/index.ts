/** Liftgate: seal, reserve, run, decide and verify a comparison of a baseline with candidates. */

export type { Estimate } from './analysis/estimate.ts';
export type { Funnel } from './analysis/funnel.ts';
export { type ErrorCode, LiftgateError, type Problem, type ProblemCode } from './base/errors.ts';
export type { Contribution, Decision } from './gate/gate.ts';
export { type HostModule, moduleHost } from './host/module.ts';
export { type WorkerOptions, workerHost } from './host/worker.ts';
export type { LedgerEntry } from './ledger/entry.ts';
export type { Ledger } from './ledger/ledger.ts';
export { memoryLedger } from './ledger/memory-ledger.ts';
export type { DecisionDocument } from './report/decision.ts';
export type { PlanReport } from './report/plan.ts';
export type { Host } from './run/host.ts';
export type { Cell, Receipt } from './run/receipt.ts';
export {
  bundleRun,
  type DecideRequest,
  decide,
  planExperiment,
  type RunRequest,
  renderReport,
  replayHost,
  reserveUnits,
  runExperiment,
  type SealedDecision,
  type SealRequest,
  type SealResult,
  sealExperiment,
  verifyRun,
} from './serve/library.ts';
export type { Claim } from './spec/claim.ts';
export type { GateDeclaration as Gate } from './spec/gates.ts';
export type { Measure } from './spec/measure.ts';
export type { SealedExperiment } from './spec/seal.ts';
export type { ExperimentSpec } from './spec/spec.ts';
export type { Interval } from './stats/interval.ts';
export { type LoadedExperiment, loadExperiment } from './store/experiment-folder.ts';
export { openLedger } from './store/ledger-folder.ts';
export type { RunResult } from './store/run-experiment.ts';
export type { Verification } from './verify/verify.ts';
