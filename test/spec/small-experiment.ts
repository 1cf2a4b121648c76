/** A small experiment that has no problem, as text; tests change single places of it. */
import { formatProblem } from '../../src/base/errors.ts';
import { readSpec } from '../../src/spec/parse.ts';
import type { ExperimentSpec } from '../../src/spec/spec.ts';

export const smallExperiment = `liftgate: 1
name: small
claim:
  use: certification
  decision: Use the new prompt
  population: {id: mails, description: All mails}
  samplingFrame: mails of one week
  unit: family
  generalization: new-units
  minimumEffect: 0.1
cases: {file: cases.jsonl, id: id, expected: [label]}
splits: {by: field, field: split}
admission:
  - {id: labelled, keep: {field: label, op: ne, value: null}}
  - {id: distinct, unique: {field: text, normalize: whitespace-case}}
arms:
  baseline: {surface: {prompt: old.txt}}
  candidates:
    new: {surface: {prompt: new.txt}}
host:
  worker: [node, host.mjs]
  limits: {maxCostUsd: 0.01}
measures:
  right: {kind: binary, role: primary, direction: higher}
  polite: {kind: score, min: 0, max: 5, role: guardrail, direction: higher}
  harm: {kind: binary, role: critical, direction: lower}
  duration_ms: {kind: duration, role: reported, direction: lower}
budget: {usd: 5}
controls:
  - {id: ceiling, surface: {prompt: truth.txt}, expect: {right: {min: 1}}}
  - {id: dead, fault: host-exit, expect: {class: infrastructureFault}}
  - {id: half, surface: {prompt: half.txt}, expect: {right: {min: 0.1, max: 0.5}, polite: {min: 1, max: 2}, harm: {min: 1}}}
gates:
  - {gate: lift, measure: right, threshold: 0}
  - {gate: no-regression, measure: polite, margin: 0.5}
  - {gate: power, atEffect: 0.2}
`;

/** The small experiment with each first text replaced by the second; every first text must occur. */
export function changed(...changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the fixture does not hold ${from}`);
    return text.replace(from, () => to);
  }, smallExperiment);
}

const encoder = new TextEncoder();

/** Problems of an experiment text as people see them. */
export async function problemTexts(text: string, file = 'e.yaml'): Promise<string[]> {
  const { problems } = await readSpec(encoder.encode(text), file);
  return problems.map(formatProblem);
}

/** The spec of a text that has no problem. */
export async function specOf(text: string): Promise<ExperimentSpec> {
  const { spec, problems } = await readSpec(encoder.encode(text), 'e.yaml');
  if (spec === undefined || problems.length > 0) {
    throw new Error(problems.map(formatProblem).join('\n'));
  }
  return spec;
}

/** A change of the small experiment and the exact texts that refuse it. */
export type RefusedRow = readonly [
  name: string,
  changes: readonly (readonly [from: string, to: string])[],
  expected: readonly string[],
];
