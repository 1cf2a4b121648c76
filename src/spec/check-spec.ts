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
  const parsed = specSchema.safeParse(value, { reportInput: true });
  if (parsed.success) {
    const spec = withRequiredGates(parsed.data);
    return { spec, findings: specFindings(spec, parsed.data.gates.length) };
  }
  const findings = issueFindings(parsed.error.issues, { schema: specSchema, value });
  return { findings: [...findings, ...rulesBehind(findings, value)] };
}

/** Rules still speak when nothing but unknown keys is wrong with the shape. */
function rulesBehind(findings: readonly Finding[], value: Json): Finding[] {
  if (!findings.every((finding) => finding.code === 'unknown-key')) return [];
  const pruned = findings.reduce((rest, finding) => without(rest, finding.path), value);
  const parsed = specSchema.safeParse(pruned);
  return parsed.success
    ? specFindings(withRequiredGates(parsed.data), parsed.data.gates.length)
    : [];
}

function without(value: Json, path: SpecPath): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === step ? without(item, rest) : item));
  }
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).filter(([key]) => rest.length > 0 || key !== step);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, key === step ? without(item, rest) : item]),
  );
}
