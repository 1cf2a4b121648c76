import { LiftgateError } from '../../src/base/errors.ts';
import * as amendment from '../../src/spec/amendment.ts';
import { readCaseRows } from '../../src/spec/case-rows.ts';
import * as check from '../../src/spec/check-spec.ts';
import * as content from '../../src/spec/content-rules.ts';
import * as defaults from '../../src/spec/defaults.ts';
import * as finding from '../../src/spec/finding.ts';
import * as gates from '../../src/spec/gates.ts';
import * as inference from '../../src/spec/inference.ts';
import * as issues from '../../src/spec/issues.ts';
import * as jsonSource from '../../src/spec/json-source.ts';
import { knownKeys } from '../../src/spec/known-keys.ts';
import * as measure from '../../src/spec/measure.ts';
import { claimFindings, specFindings } from '../../src/spec/rules.ts';
import { accuracyFindings } from '../../src/spec/rules-accuracy.ts';
import * as ruleContent from '../../src/spec/rules-content.ts';
import * as controls from '../../src/spec/rules-controls.ts';
import * as ruleGates from '../../src/spec/rules-gates.ts';
import { measureFindings } from '../../src/spec/rules-measures.ts';
import * as source from '../../src/spec/source.ts';
import * as spec from '../../src/spec/spec.ts';
import * as units from '../../src/spec/units.ts';
import * as words from '../../src/spec/words.ts';
import { exampleTests } from '../support/examples.ts';
import { smallExperiment, specOf } from './small-experiment.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const small = await specOf(smallExperiment);
const design: inference.DeclaredDesign = {
  measure: { kind: 'binary', scale: 1, role: 'primary', direction: 'higher' },
  inference: inference.inferenceSchema.parse({}),
  generalization: 'new-units',
  units: 24,
  pairsPerUnit: 1,
  threshold: 0,
};

const files: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  amendment: { ...amendment },
  'case-rows': { readCaseRows, TextEncoder },
  'check-spec': { ...check },
  'content-rules': { ...content, spec: small },
  defaults: { ...defaults },
  finding: { ...finding },
  gates: { ...gates },
  inference: { ...inference, design },
  issues: { ...issues, specSchema: spec.specSchema },
  'json-source': { ...jsonSource, LiftgateError, encode },
  'known-keys': { knownKeys, specSchema: spec.specSchema },
  measure: { ...measure },
  rules: { claimFindings, specFindings, spec: small },
  'rules-accuracy': { accuracyFindings },
  'rules-content': { ...ruleContent },
  'rules-controls': { ...controls },
  'rules-gates': { ...ruleGates },
  'rules-measures': { measureFindings },
  source: { ...source },
  spec: { ...spec },
  units: { ...units },
  words: { ...words },
};

for (const [file, scope] of Object.entries(files)) {
  const names = Object.keys(scope).filter((name) => typeof scope[name] === 'function');
  exampleTests(`src/spec/${file}.ts`, { names, scope });
}
