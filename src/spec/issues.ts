/** Issues of shapes in the words of this project: what was expected, what was found, how to mend it. */
import type { Json } from '../base/canonical.ts';
import type { AnyShape, Issue } from '../base/shape.ts';
import { type Finding, nearestWord, quoted, type SpecPath } from './finding.ts';
import { knownKeys } from './known-keys.ts';
import { isMapping, valueAt } from './source.ts';

/** What was validated: the schema and the value as the user wrote it. */
export interface Subject {
  readonly schema: AnyShape;
  readonly value: Json;
}

/**
 * All issues of one validation as findings, in the order the shape reports them.
 * @example issueFindings([{ code: 'unrecognized_keys', keys: ['nmae'], path: [], message: '' }], { schema: specSchema, value: {} })[0].mend // => 'Did you mean "name"?'
 */
export function issueFindings(issues: readonly Issue[], subject: Subject): Finding[] {
  return issues.flatMap((issue) => findingsOf(issue, [], subject));
}

function stepsOf(path: readonly PropertyKey[]): SpecPath {
  return path.map((step) => (typeof step === 'number' ? step : String(step)));
}

function findingsOf(issue: Issue, base: SpecPath, subject: Subject): Finding[] {
  const path = [...base, ...stepsOf(issue.path)];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(key, path, subject));
    case 'invalid_union':
      return unionFindings(issue, path, subject);
    case 'invalid_type':
      return [typeFinding([issue.expected], path, subject)];
    case 'invalid_value':
      return [valueFinding(issue.values.map(String), path, subject)];
    case 'invalid_key':
      return [keyFinding(issue, path)];
    case 'too_small':
      return [
        sizeFinding(
          issue.origin,
          [issue.inclusive === false ? '>' : '>=', issue.minimum],
          path,
          subject,
        ),
      ];
    case 'too_big':
      return [
        sizeFinding(
          issue.origin,
          [issue.inclusive === false ? '<' : '<=', issue.maximum],
          path,
          subject,
        ),
      ];
    case 'invalid_format':
    case 'custom':
      return [
        {
          code: 'value-invalid',
          path,
          message: `${sentence(issue.message)} Got ${describeValue(valueAt(subject.value, path))}.`,
          mend: 'Write a value of the expected form.',
        },
      ];
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

/**
 * A value as messages show it.
 * @example describeValue('abc') // => 'the text "abc"'
 */
export function describeValue(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string')
    return `the text "${value.length > 60 ? `${value.slice(0, 57)}...` : value}"`;
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'boolean') return `${value}`;
  return Array.isArray(value) ? 'a list' : 'a mapping';
}

const expectations: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'null',
};

function typeFinding(expected: readonly string[], path: SpecPath, subject: Subject): Finding {
  const wanted = joinOr([...new Set(expected.map((each) => expectations[each] ?? each))]);
  const found = valueAt(subject.value, path);
  const key = path.at(-1);
  if (found === undefined && key !== undefined) {
    return {
      code: 'missing-key',
      path,
      message: `The key "${key}" is missing; expected ${wanted}.`,
      mend: `Add "${key}" here.`,
    };
  }
  return {
    code: 'wrong-type',
    path,
    message: `Expected ${wanted}, got ${describeValue(found)}.`,
    mend: `Write ${wanted}.`,
  };
}

function joinOr(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

function valueFinding(known: readonly string[], path: SpecPath, subject: Subject): Finding {
  const found = valueAt(subject.value, path);
  const key = path.at(-1);
  const wanted = known.length === 1 ? `${known[0]}` : `one of ${quoted(known)}`;
  if (found === undefined && key !== undefined) {
    return {
      code: 'missing-key',
      path,
      message: `The key "${key}" is missing; expected ${wanted}.`,
      mend: `Add "${key}" here.`,
    };
  }
  const near = typeof found === 'string' ? nearestWord(found, known) : null;
  return {
    code: 'value-unknown',
    path,
    message: `Expected ${wanted}, got ${describeValue(found)}.`,
    mend: near === null ? `Write ${wanted}.` : `Did you mean "${near}"?`,
  };
}

function keyFinding(issue: Issue & { code: 'invalid_key' }, path: SpecPath): Finding {
  return {
    code: 'key-invalid',
    path,
    at: 'key',
    message: `The name "${path.at(-1)}" cannot be used: ${issue.issues[0]?.message ?? issue.message}.`,
    mend: 'Choose another name.',
  };
}

/** Keys of other systems that people try here, with what to write instead. */
const hints: Readonly<Record<string, string>> = {
  'critical.margin':
    'A critical gate has no margin: one violation breaches it. Declare maxRate if a rate is tolerated.',
  'lift.margin': 'A lift gate has a threshold; a margin belongs to a no-regression gate.',
  'no-regression.threshold':
    'A no-regression gate has a margin: the largest loss tolerated, positive.',
};

function unknownKey(key: string, path: SpecPath, subject: Subject): Finding {
  const known = knownKeys(subject.schema, subject.value, path);
  const parent = valueAt(subject.value, path);
  const near = nearestWord(key, known);
  const gate = isMapping(parent) && typeof parent['gate'] === 'string' ? parent['gate'] : '';
  const hint = hints[`${gate}.${key}`];
  const suggestion =
    near === null ? `Known keys here: ${known.join(', ')}.` : `Did you mean "${near}"?`;
  return {
    code: 'unknown-key',
    path: [...path, key],
    at: 'key',
    message: `The key "${key}" is not known here.`,
    mend: hint ?? suggestion,
  };
}

const sizes: Readonly<Record<string, string>> = {
  string: 'text of length',
  array: 'a list of length',
  record: 'a mapping of size',
};

function sizeFinding(
  origin: string,
  [sign, bound]: readonly [string, number | bigint],
  path: SpecPath,
  subject: Subject,
): Finding {
  const found = valueAt(subject.value, path);
  const size =
    typeof found === 'string' || Array.isArray(found) ? ` of length ${found.length}` : '';
  const wanted = `${sizes[origin] ?? 'a number'} ${sign} ${bound}`;
  return {
    code: 'out-of-range',
    path,
    message: `Expected ${wanted}, got ${describeValue(found)}${size}.`,
    mend: `Write ${wanted}.`,
  };
}

function unionFindings(
  issue: Issue & { code: 'invalid_union' },
  path: SpecPath,
  subject: Subject,
): Finding[] {
  const first = issue.errors[0];
  if (first === undefined) return [discriminatorFinding(issue, path, subject)];
  const rooted = issue.errors.every((branch) =>
    branch.every((each) => each.path.length === 0 && isShape(each)),
  );
  if (rooted) return [shapeFinding(issue.errors.flat(), path, subject)];
  const nearest = issue.errors.reduce(
    (best, branch) => (cost(branch) < cost(best) ? branch : best),
    first,
  );
  return nearest.flatMap((each) => findingsOf(each, path, subject));
}

function isShape(issue: Issue): boolean {
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}

/** How far a branch of a union is from what was written; the nearest branch explains the fault best. */
function cost(branch: readonly Issue[]): number {
  let sum = 0;
  for (const issue of branch) {
    if (issue.code === 'unrecognized_keys') sum += 5 * issue.keys.length;
    else if (isShape(issue) && issue.path.length === 0) sum += 1000;
    else if (issue.code === 'invalid_type' && issue.input === undefined) sum += 10;
    else sum += 1;
  }
  return sum;
}

function shapeFinding(issues: readonly Issue[], path: SpecPath, subject: Subject): Finding {
  const words = issues.flatMap((each) =>
    each.code === 'invalid_value' ? each.values.map(String) : [],
  );
  const types = issues.flatMap((each) => (each.code === 'invalid_type' ? [each.expected] : []));
  if (words.length === 0) return typeFinding(types, path, subject);
  const finding = valueFinding(words, path, subject);
  const shapes = [...new Set(types.map((each) => expectations[each] ?? each))];
  if (shapes.length === 0) return finding;
  const message = `Expected one of ${quoted(words)} or ${joinOr(shapes)}, got ${describeValue(valueAt(subject.value, path))}.`;
  return finding.code === 'missing-key' ? finding : { ...finding, message };
}

function discriminatorFinding(
  issue: Issue & { code: 'invalid_union' },
  path: SpecPath,
  subject: Subject,
): Finding {
  const known = (issue.options ?? []).map(String);
  return valueFinding(known, path, subject);
}
