/** Rules about cases, splits and the host as declared. */
import type { Finding, SpecPath } from './finding.ts';
import type { ExperimentSpec } from './spec.ts';
import type { Splits } from './units.ts';
import type { Condition } from './words.ts';

/**
 * Findings about case fields and admission rules.
 * @example caseFindings({ cases: { input: ['label'], expected: ['label'] }, admission: [] })[0].code // => 'field-shown-and-hidden'
 */
export function caseFindings(spec: ExperimentSpec): Finding[] {
  const { cases, admission } = spec;
  const findings: Finding[] = [];
  (cases.input ?? []).forEach((field, index) => {
    if (!cases.expected.includes(field)) return;
    findings.push({
      code: 'field-shown-and-hidden',
      path: ['cases', 'input', index],
      message: `The field "${field}" is shown to execute and also expected of it.`,
      mend: 'Take it out of cases.input: what is expected goes to the grader only.',
    });
  });
  const ids = admission.map((rule) => rule.id);
  admission.forEach((rule, index) => {
    if (ids.indexOf(rule.id) !== index) {
      findings.push(twice('admission rule', rule.id, ['admission', index, 'id']));
    }
    if ('keep' in rule)
      findings.push(...conditionFindings(rule.keep, ['admission', index, 'keep']));
  });
  return findings;
}

/**
 * A second bearer of one name.
 * @example twice('gate', 'lift:right', ['gates', 1]).code // => 'name-twice'
 */
export function twice(what: string, name: string, path: SpecPath): Finding {
  return {
    code: 'name-twice',
    path,
    message: `A second ${what} is called "${name}".`,
    mend: 'Give each its own name.',
  };
}

/**
 * Whether a condition's value can be compared by its operator.
 * @example conditionFindings({ field: 'n', op: 'in', value: 3 }, ['where']).length // => 1
 */
export function conditionFindings(condition: Condition, path: SpecPath): Finding[] {
  const { op, value } = condition;
  const list = Array.isArray(value);
  const order = op !== 'eq' && op !== 'ne' && op !== 'in';
  if (op === 'in' ? list : !list && (!order || typeof value === 'number')) return [];
  const singular = order ? 'a number' : 'a single value';
  const wanted = op === 'in' ? 'a list of values' : singular;
  return [
    {
      code: 'condition-value',
      path: [...path, 'value'],
      message: `The operator "${op}" compares with ${wanted}.`,
      mend: list ? 'Use the operator in, or write one value.' : `Write ${wanted}.`,
    },
  ];
}

/** Shares below this distance from 1 count as 1: they are decimals people wrote. */
const shareTolerance = 1e-9;

/**
 * Findings about splits by hash; splits by field are judged row by row.
 * @example splitFindings({ by: 'hash', salt: 's', final: 0.5, selection: 0, train: 0.4 })[0].code // => 'shares-sum'
 */
export function splitFindings(splits: Splits): Finding[] {
  if (splits.by === 'field') return [];
  const sum = splits.final + splits.selection + splits.train;
  const findings: Finding[] = [];
  if (Math.abs(sum - 1) > shareTolerance) {
    findings.push({
      code: 'shares-sum',
      path: ['splits'],
      message: `The shares of final, selection and train must sum to 1, got ${Number(sum.toPrecision(12))}.`,
      mend: 'Change one share, so that every unit falls into exactly one split.',
    });
  }
  if (splits.final === 0) {
    findings.push({
      code: 'no-final-units',
      path: ['splits', 'final'],
      message: 'A final share of 0 leaves nothing to measure.',
      mend: 'Give final a share above 0.',
    });
  }
  return findings;
}

/**
 * Findings about the host.
 * @example hostFindings({ host: { module: 'host.mjs', trustInProcess: false }, claim: { use: 'development' } }) // => []
 */
export function hostFindings(spec: ExperimentSpec): Finding[] {
  const { host, claim } = spec;
  if ('worker' in host || host.trustInProcess || claim.use === 'development') return [];
  return [
    {
      code: 'module-host-untrusted',
      path: ['host', 'module'],
      message: `A ${claim.use} runs this host inside the engine's own process, where it could change what is recorded.`,
      mend: 'Use a worker host, or declare trustInProcess: true so that the report says so.',
    },
  ];
}
