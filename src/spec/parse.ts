/**
 * Reading an experiment file: YAML 1.2 or, for names ending in `.json`, JSON. Validates once, here; below this door functions
 * trust the type. All problems come at once, each with file, line, column, path and the mend.
 */
import type { Json } from '../base/canonical.ts';
import type { Place, Problem } from '../base/errors.ts';
import { hasShortCases, shortCasesPath, withRequiredGates, withShorthand } from './defaults.ts';
import { type Finding, formatPath, type SpecPath } from './finding.ts';
import { issueFindings } from './issues.ts';
import { readJsonSource } from './json-source.ts';
import { specFindings } from './rules.ts';
import { isMapping, PlaceFinder, type SourceDocument, type SourceReading } from './source.ts';
import { type ExperimentSpec, specSchema } from './spec.ts';

/** What reading an experiment file gives. */
export interface SpecReading {
  /** The experiment with every default filled in; absent when the shape is wrong. */
  readonly spec?: ExperimentSpec | undefined;
  /** Everything that is wrong with it; an experiment with problems is refused. */
  readonly problems: readonly Problem[];
  /** Place of a dotted path in the file; paths that only defaults created take the place of what encloses them. */
  placeOf(path: string, at?: 'key' | 'value'): Place;
}

/**
 * Reads and checks an experiment file.
 *
 * Never throws because of the file's content: every fault is a problem. `yaml` is loaded only for files that need it.
 *
 * @param bytes  the file as read
 * @param file   its name, shown in problems; `.json` selects the strict JSON reader
 * @example (await readSpec(new TextEncoder().encode('hello'), 'a.yaml')).problems[0]?.code // => 'wrong-type'
 */
export async function readSpec(bytes: Uint8Array, file: string): Promise<SpecReading> {
  const reading = await readSource(bytes, file);
  if (reading.status === 'refused') {
    return { problems: reading.problems, placeOf: (path) => ({ file, path }) };
  }
  return checkDocument(reading.document, file);
}

/** Reads a file into a document by its name. */
async function readSource(bytes: Uint8Array, file: string): Promise<SourceReading> {
  if (file.toLowerCase().endsWith('.json')) return readJsonSource(bytes, file);
  const { readYamlSource } = await import('./yaml-source.ts');
  return readYamlSource(bytes, file);
}

function checkDocument(document: SourceDocument, file: string): SpecReading {
  const finder = new PlaceFinder(file, document);
  const short = hasShortCases(document.value);
  const placeOf = (path: string, at?: 'key' | 'value'): Place =>
    finder.placeOf(short ? shortCasesPath(path) : path, at);
  const { spec, findings } = checkValue(document.value);
  const problems = findings.map((finding) => locate(finding, placeOf));
  return { spec, problems: inFileOrder(problems), placeOf };
}

function locate(finding: Finding, placeOf: SpecReading['placeOf']): Problem {
  const { code, message, mend } = finding;
  return { code, where: placeOf(formatPath(finding.path), finding.at), message, mend };
}

/** Problems sorted by place; several at one place keep the order they were found in. */
function inFileOrder(problems: readonly Problem[]): Problem[] {
  return [...problems].sort(
    (first, second) =>
      (first.where.line ?? 0) - (second.where.line ?? 0) ||
      (first.where.column ?? 0) - (second.where.column ?? 0),
  );
}

/** Validates a document's value: shape first, then the rules between fields. */
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
