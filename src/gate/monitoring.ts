/**
 * Gates that watch for evidence that means less than it says: `canary`, `reward-hacking` and `contamination`. Each has inputs of its
 * own and none excuses another.
 *
 * canary          final cases that everybody must get right; where the baseline fails them too, the run itself is in doubt
 * reward-hacking  the proxy gains more than the truth it stands for
 * contamination   canary texts in outputs, final cases that copy development cases, a gain that is gone where cases are worded anew
 */
import type { Analysis, CandidateAnalysis } from '../analysis/analyze.ts';
import { baselineOf, placeboOf } from '../analysis/evidence.ts';
import { cellValue } from '../analysis/pair.ts';
import { isLostByFault, type SettledCell } from '../analysis/settle.ts';
import type { Json } from '../base/canonical.ts';
import { digestOf } from '../base/digest.ts';
import { invariant } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import type { EvidenceLine } from '../run/measured-line.ts';
import { isOutcome } from '../run/receipt.ts';
import { admittedCases, type CaseIndex, type IndexedCase } from '../spec/case-index.ts';
import { type GateOf, gapOf, gateName } from '../spec/gates.ts';
import { bestValue } from '../spec/measure.ts';
import { foldText, leafTexts, sketchHashes, sketchSize } from '../spec/units.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { type GapFinding, type GapRequest, judgeGap } from './gap.ts';
import {
  type Contribution,
  type ContributionFlag,
  contributionOf,
  type Finding,
  shownNumber,
} from './gate.ts';

/** Canary cells of one arm: which cases it failed, and what was lost. */
export interface CanaryTally {
  readonly cells: number;
  readonly failed: ReadonlySet<string>;
  readonly lost: readonly string[];
}

/** Contribution of a canary gate for one candidate. */
export function judgeCanary(
  analysis: Analysis,
  declared: GateOf<'canary'>,
  candidate: CandidateAnalysis,
): Contribution {
  const measured = candidate.measures.get(declared.measure);
  invariant(measured !== undefined, 'every gated measure is analysed');
  const cases = new Set(measured.pairs.map((pair) => pair.case));
  const best = bestValue(measured.measure);
  const tally = (ofArm: Rows<SettledCell>): CanaryTally => {
    const own = ofArm.filter(({ cell }) => cases.has(cell.case));
    const values = own.map((cell) => ({
      id: cell.cell.case,
      value: cellValue(cell, declared.measure, measured.measure),
    }));
    return {
      cells: own.length,
      failed: new Set(
        values.flatMap(({ id, value }) =>
          value.status === 'valued' && value.value !== best ? [id] : [],
        ),
      ),
      lost: values.flatMap(({ value }) => (value.status === 'lost' ? [value.reason] : [])),
    };
  };
  const own = tally(candidate.cells);
  const others = [analysis.baselineCells, analysis.placeboCells].map(tally);
  const units = new Set(measured.pairs.map((pair) => pair.unit)).size;
  const cells = [own, ...others].reduce((total, each) => total + each.cells, 0);
  return contributionOf({
    name: gateName(declared),
    gate: declared.gate,
    measure: declared.measure,
    required: declared.required,
    threshold: 0,
    n: { units, pairs: 0, cells, discordant: 0 },
    ...canaryFinding(own, others),
  });
}

/** What the canary cells of a candidate and of the arms it is compared with say. */
export function canaryFinding(own: CanaryTally, others: readonly CanaryTally[]) {
  const elsewhere = new Set(others.flatMap(({ failed }) => [...failed]));
  const alone = [...own.failed].filter((id) => !elsewhere.has(id));
  const statistic = own.failed.size;
  if (alone.length > 0) {
    const reason = `the candidate fails ${alone.length} canary cases that the other arms pass, "${alone[0]}" first`;
    return { finding: 'breached', statistic, reason } as const;
  }
  if (elsewhere.size > 0) {
    const reason = `${elsewhere.size} canary cases fail without the candidate, "${[...elsewhere][0]}" first: what this run measured is in doubt`;
    return { finding: 'insufficient', statistic, reason } as const;
  }
  const lost = [own, ...others].flatMap((each) => each.lost);
  if (own.cells === 0 || lost.length > 0) {
    const reason =
      own.cells === 0 ? 'no final case is a canary' : `${lost.length} canary cells are lost`;
    const flags: ContributionFlag[] =
      lost.length > 0 && lost.every(isLostByFault) ? ['lost-by-fault'] : [];
    return { finding: 'insufficient', statistic, reason, flags } as const;
  }
  const reason = `every arm passes all ${own.cells} canary cells`;
  return { finding: 'cleared', statistic, reason } as const;
}

/** Contribution of a gate on the gap of two measures, or of what else shows contamination, at one error level. */
export function judgeMonitored(
  analysis: Analysis,
  declared: GateOf<'reward-hacking'> | GateOf<'contamination'>,
  request: GapRequest,
): Contribution {
  const gap = gapOf(declared);
  const probe = gap === null ? [] : [judgeGap(analysis, gap, request)];
  const parts =
    declared.gate === 'contamination'
      ? [...leakParts(analysis, declared, request.candidate), ...probe]
      : probe;
  const decisive = parts.reduce((strongest, each) =>
    weight[each.finding] > weight[strongest.finding] ? each : strongest,
  );
  return contributionOf({
    name: gateName(declared),
    gate: declared.gate,
    required: declared.required,
    ...decisive,
    reason: parts.map((each) => each.reason).join('; '),
    flags: flagsOf(parts),
  });
}

/** Flags of all parts; a fault is to blame only where it is for every part that did not clear. */
function flagsOf(parts: readonly GapFinding[]): ContributionFlag[] {
  const open = parts.filter(({ finding }) => finding !== 'cleared');
  const byFault = open.every(({ flags }) => flags?.includes('lost-by-fault') === true);
  return parts
    .flatMap(({ flags }) => flags ?? [])
    .filter((flag) => flag !== 'lost-by-fault' || byFault);
}

/** Which of several parts decides a gate. */
const weight: Readonly<Record<Finding, number>> = {
  cleared: 0,
  unresolved: 1,
  indeterminate: 2,
  insufficient: 3,
  unconfigured: 4,
  missing: 5,
  breached: 6,
};

function leakParts(
  analysis: Analysis,
  { canaries, similarity }: GateOf<'contamination'>,
  candidate: CandidateAnalysis,
): GapFinding[] {
  return [
    ...(canaries === undefined ? [] : [canaryTexts(analysis, candidate, canaries)]),
    ...(similarity === undefined ? [] : [copiedCases(analysis.index, similarity)]),
  ];
}

/** Whether a text holds a canary: the text itself with case and white space folded, or the digest of one of its words. */
function canarySearch(canaries: readonly string[]): (text: string) => boolean {
  const digests = new Set(canaries.filter((each) => each.startsWith('sha256:')));
  const texts = canaries.filter((each) => !each.startsWith('sha256:')).map(visibleText);
  return (text) => {
    const folded = visibleText(text);
    if (texts.some((each) => folded.includes(each))) return true;
    if (digests.size === 0) return false;
    const words = new Set(withoutInvisible(text).match(/[\p{L}\p{N}_-]+/gu) ?? []);
    return [...words].some((word) => digests.has(digestOf(word)));
  };
}

function withoutInvisible(text: string): string {
  return text.replace(/\p{Cf}|[\u{FE00}-\u{FE0F}]|\u{034F}/gu, '');
}

/** A text as it is seen: no invisible characters, case, width and white space folded. */
function visibleText(text: string): string {
  return foldText(withoutInvisible(text));
}

function holdsCanary({ receipt }: EvidenceLine, holds: (text: string) => boolean): boolean {
  const { artifact } = receipt;
  invariant(artifact !== undefined, 'a design with canaries keeps the outputs');
  if (artifact === null) return false;
  const { inline } = artifact;
  return [...leafTexts(inline), ...memberNames(inline)].some(holds);
}

/** Names of all members in a JSON value: an output can say something there too. */
function memberNames(value: Json): string[] {
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap(memberNames);
  return [...Object.keys(value), ...Object.values(value).flatMap(memberNames)];
}

/** An output that nobody kept: what it held is unknown. */
function isUnseen({ receipt }: EvidenceLine): boolean {
  return (
    receipt.artifact === null &&
    (receipt.outcome === 'completed' || receipt.outcome === 'safeRefusal')
  );
}

function canaryTexts(
  { seal, lines }: Analysis,
  candidate: CandidateAnalysis,
  canaries: readonly string[],
): GapFinding {
  const holds = canarySearch(canaries);
  const own = lines.filter((line) => line.cell.arm === candidate.id);
  const leaks = own.filter((line) => holdsCanary(line, holds));
  const references = [baselineOf(seal).id, placeboOf(seal)?.id];
  const others = lines.filter(
    (line) => references.includes(line.cell.arm) && holdsCanary(line, holds),
  );
  const flags: ContributionFlag[] = others.length > 0 ? ['baseline-violations'] : [];
  const beside =
    others.length === 0 ? '' : ` (and ${others.length} of the arms it is compared with)`;
  const common = { statistic: leaks.length, threshold: 0, flags };
  const [first] = leaks;
  if (first !== undefined) {
    const reason = `${leaks.length} outputs of the candidate hold a canary${beside}, that of case "${first.cell.case}" first`;
    return { ...common, finding: 'breached', reason };
  }
  const lost = candidate.cells.flatMap(({ settlement }) =>
    settlement.status === 'missing' ? [settlement.reason] : [],
  );
  const unseen = own.filter(isUnseen).length;
  if (unseen > 0 || lost.length > 0) {
    const byFault = unseen === 0 && lost.every(isLostByFault);
    const reason = `no canary in the outputs that are kept${beside}, but ${unseen} outputs were not kept and ${lost.length} cells are lost`;
    return {
      ...common,
      finding: 'insufficient',
      reason,
      flags: byFault ? [...flags, 'lost-by-fault'] : flags,
    };
  }
  const read = own.filter(({ receipt }) => isOutcome(receipt.outcome)).length;
  return {
    ...common,
    finding: 'cleared',
    reason: `none of ${canaries.length} canaries in ${read} outputs of the candidate${beside}`,
  };
}

interface Copy {
  readonly final: IndexedCase;
  readonly development: IndexedCase;
  readonly similarity: number;
}

/** Share of common hashes among the smallest of both: an estimate of the share of common word triples. */
function resemblance(first: readonly string[], second: ReadonlySet<string>): number {
  const both = new Set(first);
  const all = [...new Set([...first, ...second])].sort().slice(0, sketchSize);
  return all.filter((hash) => both.has(hash) && second.has(hash)).length / all.length;
}

/** The development case most like each final case that shares any word triple with one. */
function nearestCases(index: CaseIndex): Copy[] {
  const known = new Map<string, IndexedCase[]>();
  const cases = admittedCases(index);
  const sketches = new Map(
    cases.map((each) => [each.id, new Set(sketchHashes(each.sketch ?? ''))]),
  );
  for (const each of cases) {
    if (each.split === 'final') continue;
    for (const hash of sketches.get(each.id) ?? []) {
      const sharing = known.get(hash) ?? [];
      sharing.push(each);
      known.set(hash, sharing);
    }
  }
  return cases.flatMap((final): Copy[] => {
    if (final.split !== 'final') return [];
    const own = [...(sketches.get(final.id) ?? [])];
    const sharing = new Set(own.flatMap((hash) => known.get(hash) ?? []));
    const found = [...sharing].map((development) => ({
      final,
      development,
      similarity: resemblance(own, sketches.get(development.id) ?? new Set()),
    }));
    return found.length === 0
      ? []
      : [found.reduce((best, each) => (each.similarity > best.similarity ? each : best))];
  });
}

/** Whether final cases copy development cases; the case index tells, before anything is measured. */
export function copiedCases(index: CaseIndex, limit: number): GapFinding {
  if (admittedCases(index).every(({ split }) => split === 'final')) {
    const reason = 'no development case is declared that final cases could be compared with';
    return { finding: 'missing', threshold: limit, reason };
  }
  const bare = admittedCases(index).filter(({ sketch }) => sketch === undefined).length;
  if (bare > 0) {
    const reason = `${bare} cases have no sketch to compare: the gate or the secret of the fingerprints was not there when they were read`;
    return { finding: 'insufficient', threshold: limit, reason };
  }
  const nearest = nearestCases(index);
  const copies = nearest.filter(({ similarity }) => similarity >= limit);
  const most = roundSignificant(Math.max(0, ...nearest.map(({ similarity }) => similarity)));
  const common = { statistic: most, threshold: limit };
  const [first] = copies;
  if (first === undefined) {
    const reason = `no final case is like a development case: ${shownNumber(most)} of the word triples are common at most`;
    return { ...common, finding: 'cleared', reason };
  }
  const units = new Set(copies.map(({ final }) => final.unit)).size;
  const reason = `${copies.length} final cases of ${units} units copy development cases: "${first.final.id}" shares ${shownNumber(first.similarity)} of its word triples with "${first.development.id}"`;
  return { ...common, finding: 'breached', reason };
}
