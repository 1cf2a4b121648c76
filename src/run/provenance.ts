/** Provenance: whether what ran is what was sealed, by arm, from digests both sides computed. */
import { canonicalText } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import type { Rows } from '../base/rows.ts';
import { type CaseIndex, finalCases } from '../spec/case-index.ts';
import { type SealedArm, type SealedExperiment, sealDigest } from '../spec/seal.ts';
import type { EvidenceLine, MeasuredReceipt } from './measured-line.ts';
import { isOutcome } from './receipt.ts';

/** What the receipts of one arm prove. */
export interface ArmProvenance {
  readonly arm: string;
  readonly consistency: 'consistent' | 'inconsistent' | 'unverified';
  /** What contradicts the seal, else what could not be checked; empty when consistent. */
  readonly reasons: readonly string[];
}

interface Findings {
  readonly contradictions: Map<string, number>;
  readonly unknowns: Map<string, number>;
  checks: number;
}

interface Sealed {
  readonly experimentDigest: Digest;
  readonly evaluatorTree: Digest;
  readonly inputs: ReadonlyMap<string, Digest>;
  readonly firstHost: string | null;
}

/**
 * Holds every receipt's own digests against the seal.
 *
 * A check exists only where both sides are known. `inconsistent`: a surface, input, experiment, evaluator, pinned model or host
 * identity, or the version of a pinned package that it reports, differs in any receipt of the arm. `unverified`: nothing differs, but an outcome does not say which surface or input the
 * host loaded, a pinned model was not observed, or the arm has no outcome at all. Faults prove nothing about the agent: only what
 * they do report is held against the seal.
 *
 * @returns one entry per sealed arm, in the seal's order
 * @example checkProvenance({ seal, index, lines: [] })[0].consistency // => 'unverified'
 */
export function checkProvenance(parts: {
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
  readonly lines: Rows<EvidenceLine>;
}): ArmProvenance[] {
  const { seal, index, lines } = parts;
  const first = lines.find((line) => isOutcome(line.receipt.outcome));
  const sealed: Sealed = {
    experimentDigest: sealDigest(seal),
    evaluatorTree: seal.evaluator.tree,
    inputs: new Map(finalCases(index).map((each) => [each.id, each.inputDigest])),
    firstHost: first === undefined ? null : canonicalText(first.receipt.host),
  };
  return seal.arms.map((arm) =>
    armProvenance(
      arm,
      lines.filter((line) => line.cell.arm === arm.id),
      sealed,
    ),
  );
}

function armProvenance(arm: SealedArm, lines: Rows<EvidenceLine>, sealed: Sealed): ArmProvenance {
  const findings: Findings = { contradictions: new Map(), unknowns: new Map(), checks: 0 };
  for (const line of lines) {
    checkEngine(findings, arm, line, sealed);
    checkHost(findings, arm, line, sealed);
  }
  const contradictions = reasonsOf(findings.contradictions, lines.length);
  if (contradictions.length > 0) {
    return { arm: arm.id, consistency: 'inconsistent', reasons: contradictions };
  }
  const unknowns = reasonsOf(findings.unknowns, lines.length);
  if (findings.checks === 0) unknowns.push('no receipt could be held against the seal');
  return {
    arm: arm.id,
    consistency: unknowns.length > 0 ? 'unverified' : 'consistent',
    reasons: unknowns,
  };
}

/** What the engine wrote beside the receipt and the host echoed. */
function checkEngine(findings: Findings, arm: SealedArm, line: EvidenceLine, sealed: Sealed): void {
  const { receipt } = line;
  if (line.evaluatorTree !== sealed.evaluatorTree)
    count(findings.contradictions, 'graded by another evaluator than the sealed one');
  if (receipt.experimentDigest !== sealed.experimentDigest)
    count(findings.contradictions, 'recorded for another seal');
  if (arm.surfaceDigest !== null && line.armDigest !== arm.surfaceDigest)
    count(findings.contradictions, 'recorded for another surface than the sealed one');
}

function checkHost(findings: Findings, arm: SealedArm, line: EvidenceLine, sealed: Sealed): void {
  const { receipt } = line;
  const outcome = isOutcome(receipt.outcome);
  const input = sealed.inputs.get(line.cell.case) ?? null;
  compare(findings, {
    what: 'surface',
    loaded: receipt.surfaceLoadedDigest,
    sealed: arm.surfaceDigest,
    outcome,
  });
  compare(findings, { what: 'input', loaded: receipt.inputDigest, sealed: input, outcome });
  if (arm.pins.model !== null) {
    const loaded = receipt.model?.observed ?? null;
    compare(findings, { what: 'model', loaded, sealed: arm.pins.model, outcome });
  }
  checkPackages(findings, arm, receipt);
  if (outcome && canonicalText(receipt.host) !== sealed.firstHost)
    count(findings.contradictions, 'answered by another host than the first outcome');
}

/**
 * Packages by what the host says it loaded. Their bytes are held against the seal before a run starts, so a host that reports none
 * contradicts nothing; one that reports some has to name every pinned one.
 */
function checkPackages(findings: Findings, { pins }: SealedArm, receipt: MeasuredReceipt): void {
  if (receipt.packages === undefined) return;
  for (const { name } of pins.packages) {
    const { imported, version } = pinnedPackage(name);
    const loaded = Object.hasOwn(receipt.packages, imported) ? receipt.packages[imported] : null;
    compare(findings, {
      what: `version of package ${imported}`,
      loaded: loaded ?? null,
      sealed: version,
      outcome: isOutcome(receipt.outcome),
    });
  }
}

/** The name a pinned package is imported under, and its version: `old=@scope/name@1.2.3` is `old` in 1.2.3. */
function pinnedPackage(pin: string): { imported: string; version: string } {
  const at = pin.lastIndexOf('@');
  const [imported = ''] = pin.slice(0, at).split('=');
  return { imported, version: pin.slice(at + 1) };
}

function compare(
  findings: Findings,
  check: {
    readonly what: string;
    readonly loaded: string | null;
    readonly sealed: string | null;
    readonly outcome: boolean;
  },
): void {
  const { what, loaded, sealed, outcome } = check;
  if (loaded === null || sealed === null) {
    if (outcome) count(findings.unknowns, `no known ${what} to compare`);
    return;
  }
  findings.checks += 1;
  if (loaded !== sealed) count(findings.contradictions, `ran another ${what} than the sealed one`);
}

function count(found: Map<string, number>, reason: string): void {
  found.set(reason, (found.get(reason) ?? 0) + 1);
}

function reasonsOf(found: ReadonlyMap<string, number>, receipts: number): string[] {
  return [...found].map(([reason, times]) => `${reason} (${times} of ${receipts} receipts)`);
}
