/**
 * Another rule for recorded evidence: the sealed spec with some of its deciding members replaced. What was measured, and of whom,
 * stays; only how it is decided changes.
 */
import { canonicalText, type Json } from '../base/canonical.ts';
import { LiftgateError, type Problem } from '../base/errors.ts';
import type { CaseIndex } from './case-index.ts';
import { checkValue } from './check-spec.ts';
import { formatPath } from './finding.ts';
import { readJsonSource } from './json-source.ts';
import { readYamlSource } from './parse.ts';
import type { SealedExperiment } from './seal.ts';
import { sealedRules } from './seal-plan.ts';
import { isMapping, PlaceFinder, type SourceDocument } from './source.ts';

/** Members that say how evidence is decided, each with whether it is replaced whole or by its own members. */
const deciding: Readonly<Record<string, 'whole' | 'members'>> = {
  claim: 'members',
  gates: 'whole',
  inference: 'members',
  loss: 'members',
  multiplicity: 'whole',
};

/** The only member of a claim that decides anything. */
const decidingClaim = 'minimumEffect';

/** One member that the other rule sets. */
export interface ChangedMember {
  /** Path in the spec, for example `inference.level`. */
  readonly path: string;
  /** Canonical JSON of the sealed and of the tried value; null where there is none. */
  readonly sealed: string | null;
  readonly tried: string | null;
}

/** A seal whose deciding members are another rule's. */
export interface OtherRule {
  readonly seal: SealedExperiment;
  readonly changed: readonly ChangedMember[];
}

function refused(problems: readonly Problem[], file: string): LiftgateError {
  return new LiftgateError('spec-invalid', `${file} is no other rule for this run.`, {
    where: { file },
    mend: 'Mend what is listed; the file may hold gates, inference, loss, multiplicity and claim.minimumEffect.',
    problems,
  });
}

function strangeMembers(value: { readonly [key: string]: Json }): string[] {
  const strange = Object.keys(value).filter((key) => !Object.hasOwn(deciding, key));
  const { claim } = value;
  const ofClaim = isMapping(claim) ? Object.keys(claim).filter((key) => key !== decidingClaim) : [];
  return [...strange, ...ofClaim.map((key) => `claim.${key}`)];
}

/** The sealed spec with the file's members in place of its own; null takes a member of a mapping away. */
function merged(
  sealed: { readonly [key: string]: Json },
  change: { readonly [key: string]: Json },
): { [key: string]: Json } {
  const result: { [key: string]: Json } = { ...sealed };
  for (const [key, value] of Object.entries(change)) {
    const own = result[key];
    if (deciding[key] === 'members' && isMapping(own) && isMapping(value)) {
      const members = Object.entries({ ...own, ...value }).filter(([, member]) => member !== null);
      result[key] = Object.fromEntries(members);
    } else result[key] = value;
  }
  return result;
}

/** Items of a list that only one of the two has; their order decides nothing. */
function changedItems(
  path: string,
  sealed: readonly Json[],
  tried: readonly Json[],
): ChangedMember[] {
  const [own, other] = [sealed.map(canonicalText), tried.map(canonicalText)];
  return [
    ...own
      .filter((each) => !other.includes(each))
      .map((each) => ({ path, sealed: each, tried: null })),
    ...other
      .filter((each) => !own.includes(each))
      .map((each) => ({ path, sealed: null, tried: each })),
  ];
}

function changedMembers(
  sealed: { readonly [key: string]: Json },
  tried: { readonly [key: string]: Json },
): ChangedMember[] {
  const shown = (value: Json | undefined): string | null =>
    value === undefined ? null : canonicalText(value);
  return Object.entries(deciding).flatMap(([key, kind]): ChangedMember[] => {
    const [own, other] = [sealed[key], tried[key]];
    if (Array.isArray(own) && Array.isArray(other)) return changedItems(key, own, other);
    if (kind === 'whole' || !isMapping(own) || !isMapping(other)) {
      const member = { path: key, sealed: shown(own), tried: shown(other) };
      return member.sealed === member.tried ? [] : [member];
    }
    return [...new Set([...Object.keys(own), ...Object.keys(other)])].flatMap((name) => {
      const member = {
        path: `${key}.${name}`,
        sealed: shown(own[name]),
        tried: shown(other[name]),
      };
      return member.sealed === member.tried ? [] : [member];
    });
  });
}

async function readSource(bytes: Uint8Array, file: string): Promise<SourceDocument> {
  const reading = file.toLowerCase().endsWith('.json')
    ? readJsonSource(bytes, file)
    : await readYamlSource(bytes, file);
  if (reading.status === 'read') return reading.document;
  throw refused(reading.problems, file);
}

/**
 * Reads another rule and puts it into a seal. The result is no seal: nothing names its digest, and no ledger records it.
 *
 * @param bytes  YAML or, by the name `.json`, JSON: a mapping with any of gates, inference, loss, multiplicity and
 *               claim.minimumEffect; members of inference, loss and claim replace the sealed ones one by one
 * @throws {LiftgateError} spec-invalid  with every problem and its place
 */
export async function otherRule(
  sealed: { readonly seal: SealedExperiment; readonly index: CaseIndex },
  { bytes, file }: { readonly bytes: Uint8Array; readonly file: string },
): Promise<OtherRule> {
  const document = await readSource(bytes, file);
  const finder = new PlaceFinder(file, document);
  const { value } = document;
  const strange = isMapping(value) ? strangeMembers(value) : [''];
  if (!isMapping(value) || strange.length > 0) {
    const problems = strange.map((path) => ({
      code: 'unknown-key' as const,
      where: finder.placeOf(path, 'key'),
      message: path === '' ? 'The file holds no mapping.' : `${path} is no part of a rule.`,
      mend: 'A rule may change gates, inference, loss, multiplicity and claim.minimumEffect; evidence stays as it was measured.',
    }));
    throw refused(problems, file);
  }
  const { seal, index } = sealed;
  const own = JSON.parse(canonicalText(seal.spec)) as { readonly [key: string]: Json };
  const tried = merged(own, value);
  const { spec, findings } = checkValue(tried);
  if (spec === undefined || findings.length > 0) {
    const problems = findings.map(({ code, message, mend, path, at }) => ({
      code,
      where: finder.placeOf(formatPath(path), at),
      message,
      mend,
    }));
    throw refused(problems, file);
  }
  const rules = sealedRules(spec, index, seal.decision.materials ?? []);
  return {
    seal: {
      ...seal,
      spec,
      claim: { ...seal.claim, ...spec.claim },
      analysis: rules.analysis,
      decision: rules.decision,
    },
    changed: changedMembers(
      own,
      JSON.parse(canonicalText(spec)) as { readonly [key: string]: Json },
    ),
  };
}
