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

/** Rules still speak when nothing but unknown keys and gates of a later version is wrong with the shape. */
function rulesBehind(findings: readonly Finding[], value: Json): Finding[] {
  if (!findings.every(({ code }) => code === 'unknown-key' || code === 'gate-unavailable'))
    return [];
  const mended = findings.reduce((rest, { code, path }) => {
    if (code === 'unknown-key') return changedAt(rest, path, () => undefined);
    // A gate that is always there anyway keeps the numbers of those behind it.
    const name = `unavailable-${path[1] ?? 0}`;
    return changedAt(rest, path.slice(0, -1), () => ({ gate: 'completeness', name }));
  }, value);
  const parsed = specSchema.safeParse(mended);
  return parsed.success
    ? specFindings(withRequiredGates(parsed.data), parsed.data.gates.length)
    : [];
}

/** The value with one member replaced, or left out where `change` gives nothing. */
function changedAt(value: Json, path: SpecPath, change: () => Json | undefined): Json {
  const [step, ...rest] = path;
  const kept = (key: string | number, member: Json): Json[] => {
    if (key !== step) return [member];
    const changed = rest.length === 0 ? change() : changedAt(member, rest, change);
    return changed === undefined ? [] : [changed];
  };
  if (Array.isArray(value)) return value.flatMap((item, index) => kept(index, item));
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).flatMap(([key, member]) =>
    kept(key, member).map((each) => [key, each] as const),
  );
  return Object.fromEntries(entries);
}
