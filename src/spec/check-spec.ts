/** Judging a document's value: its shape first, then the rules between its fields. */
import type { Json } from '../base/canonical.ts';
import { withRequiredGates, withShorthand } from './defaults.ts';
import type { Finding, SpecPath } from './finding.ts';
import { issueFindings } from './issues.ts';
import { specFindings } from './rules.ts';
import { isMapping } from './source.ts';
import { type ExperimentSpec, specSchema } from './spec.ts';

/**
 * Validates a document's value; the spec is absent when its shape is wrong.
 * @example checkValue({ liftgate: 2 }).findings[0].message // => 'Expected 1, got the number 2.'
 */
export function checkValue(source: Json): { spec?: ExperimentSpec; findings: Finding[] } {
  const value = withShorthand(source);
  const parsed = specSchema.safeParse(value);
  if (parsed.success) {
    const spec = withRequiredGates(parsed.data);
    return { spec, findings: specFindings(spec, parsed.data.gates.length) };
  }
  const findings = issueFindings(parsed.error.issues, { schema: specSchema, value });
  return { findings: [...findings, ...rulesBehind(findings, value)] };
}

/** Rules still speak when nothing but unknown keys is wrong with the shape. */
function rulesBehind(findings: readonly Finding[], value: Json): Finding[] {
  if (!findings.every(({ code }) => code === 'unknown-key')) return [];
  const mended = findings.reduce((rest, { path }) => without(rest, path), value);
  const parsed = specSchema.safeParse(mended);
  return parsed.success
    ? specFindings(withRequiredGates(parsed.data), parsed.data.gates.length)
    : [];
}

/** The value without one of its members. */
function without(value: Json, path: SpecPath): Json {
  const [step, ...rest] = path;
  const kept = (key: string | number, member: Json): Json[] => {
    if (key !== step) return [member];
    return rest.length === 0 ? [] : [without(member, rest)];
  };
  if (Array.isArray(value)) return value.flatMap((item, index) => kept(index, item));
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).flatMap(([key, member]) =>
    kept(key, member).map((each) => [key, each] as const),
  );
  return Object.fromEntries(entries);
}
