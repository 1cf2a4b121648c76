/** Holds the two seals of a run against each other, and the case index and everything derived from it against the final one. */
import { canonicalText, compareCodeUnits } from '../base/canonical.ts';
import { digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { merkleRoot } from '../base/merkle.ts';
import { readRecorded } from '../base/strict-json.ts';
import { admittedCases, caseIndexSchema, finalCases } from '../spec/case-index.ts';
import { designDigests, resolvedMethods, sealedLooks } from '../spec/design.ts';
import { gateFiles } from '../spec/gates.ts';
import { formatSeal, parseSeal, type SealedExperiment, sealDigest } from '../spec/seal.ts';
import { formatCellPlan } from '../spec/seal-plan.ts';
import { chainFaults } from './check-amendments.ts';
import { type Finding, faultsOf, findingOf } from './checklist.ts';
import type { Reading } from './reading.ts';
import { type RunFiles, runFile, runFileNames } from './record.ts';

/** Plan and final seal. */
export function checkSeals(files: RunFiles, read: Reading): Finding {
  const plan = parseSeal(runFile(files, runFileNames.plan), runFileNames.plan);
  const seal = parseSeal(runFile(files, runFileNames.seal), runFileNames.seal);
  const faults: string[] = [];
  if (plan.stage !== 'plan' || seal.stage !== 'final')
    faults.push('the stages are not plan and final');
  if (seal.plan !== sealDigest(plan)) faults.push('the final seal names another plan');
  const unbound = { ...seal, stage: plan.stage, plan: plan.plan, arms: plan.arms };
  if (formatSeal(unbound) !== formatSeal(plan))
    faults.push('the final seal differs from its plan beyond the candidates');
  const kept = seal.arms.every(
    (arm, at) => arm.role === 'candidate' || canonicalText(arm) === canonicalText(plan.arms[at]),
  );
  faults.push(...chainFaults(plan));
  if (!kept) faults.push('the baseline or the placebo differs between plan and final seal');
  if (read.manifest !== undefined && read.manifest.seal !== sealDigest(seal))
    faults.push('the manifest names another seal');
  if (faults.length === 0) Object.assign(read, { plan, seal });
  return findingOf(faults, sealDigest(seal));
}

/** Case index, roots, design digests, resolved methods. */
export function checkCases(files: RunFiles, seal: SealedExperiment, read: Reading): Finding {
  const bytes = runFile(files, runFileNames.cases);
  const parsed = readRecorded(bytes, caseIndexSchema, { file: runFileNames.cases });
  if (!parsed.success) return { faults: ['the case index does not have its shape'] };
  const index = parsed.data;
  const rows = admittedCases(index);
  const { cases } = seal.dataset;
  const digests = designDigests({
    spec: seal.spec,
    index,
    baseline: baselineOf(seal),
    placebo: seal.arms.find((arm) => arm.role === 'placebo'),
    evaluator: seal.evaluator.materials.map((material) => material.sha256),
    gateFiles: (seal.decision.materials ?? []).map((material) => material.sha256),
    controls: Object.fromEntries(
      seal.controls.map((control) => [control.id, control.surfaceDigest]),
    ),
  });
  const units = new Set(finalCases(index).map((each) => each.unit)).size;
  const tests: [boolean, string][] = [
    [digestOf(bytes) === cases.object, 'the case index has another digest than sealed'],
    [
      rows.length === cases.count &&
        merkleRoot(rows.map((row) => canonicalText(row))) === cases.root,
      'the cases have another root',
    ],
    [
      digestOf(formatCellPlan(seal.spec, index)) === seal.cells.planObject,
      'the planned cells differ',
    ],
    [canonicalText(digests) === canonicalText(seal.digests), 'the design digests differ'],
    [
      canonicalText(resolvedMethods(seal.spec, index)) === canonicalText(seal.analysis.methods),
      'the resolved methods differ',
    ],
    [
      canonicalText(seal.decision.gates) === canonicalText(seal.spec.gates),
      'the sealed gates are not those of the spec',
    ],
    [
      canonicalText(gateFiles(seal.spec.gates).sort(compareCodeUnits)) ===
        canonicalText((seal.decision.materials ?? []).map(({ path }) => path)),
      'the sealed files of custom gates are not those that the gates name',
    ],
    [
      canonicalText(sealedLooks(seal.spec, index)) === canonicalText(seal.analysis.looks ?? null),
      'the sealed looks are not those of the spec',
    ],
    [units === seal.units.count, 'the number of final units differs'],
  ];
  read.index = index;
  return findingOf(faultsOf(tests), `${rows.length} cases, ${units} final units`);
}

function baselineOf(seal: SealedExperiment): SealedExperiment['arms'][number] {
  const baseline = seal.arms.find((arm) => arm.role === 'baseline');
  if (baseline !== undefined) return baseline;
  throw new LiftgateError('seal-invalid', 'The seal names no baseline.');
}
