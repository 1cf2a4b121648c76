import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { decideAgain, type WhatIf } from '../../src/serve/what-if.ts';
import { refusalOf } from '../support/refusal.ts';
import { type SettledRun, settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let run: SettledRun;
beforeAll(async () => {
  run = await settledRun({ folder: await makeFolder() });
});

function again(rule: string, file = 'rule.yaml'): Promise<WhatIf> {
  return decideAgain(run.folder, { bytes: new TextEncoder().encode(rule), file });
}

function refused(rule: string, file?: string) {
  return refusalOf(again(rule, file));
}

const findingOf = (found: WhatIf, name: string) =>
  found.decision.decisions[0]?.contributions.find((each) => each.name === name)?.finding;

describe('a run decided again', () => {
  test('under its own rule has the same findings and still does not ship', async () => {
    const found = await again('{}');
    expect(found.changed).toEqual([]);
    expect(found.recorded[0]).toEqual({ candidate: 'new', decision: 'ship' });
    const { contributions } = run.result.document.decisions[0] ?? {};
    expect(found.decision.decisions[0]?.contributions).toEqual(contributions);
    expect(found.decision.decisions[0]).toMatchObject({
      decision: 'need_more_work',
      cap: 'not-confirmatory',
      reason: 'not-confirmatory: exploratory, decided under another rule than the sealed one',
    });
    expect(found.decision.verdict).toMatchObject({ evidence: 'not-confirmatory', exitCode: 21 });
  });

  test('under a stricter rule shows what it would find, with what it changes', async () => {
    const found = await again(
      'claim: {minimumEffect: null}\ninference: {level: 0.99}\ngates: [{gate: lift, measure: right, threshold: 0.8}]\n',
    );
    expect(found.stamp).toBe('exploratory');
    expect(found.changed.map(({ path, sealed, tried }) => [path, sealed, tried])).toEqual([
      ['claim.minimumEffect', '0.1', null],
      ['gates', expect.stringContaining('"threshold":0}'), null],
      ['gates', null, expect.stringContaining('"threshold":0.8}')],
      ['inference.level', '0.95', '0.99'],
    ]);
    expect(findingOf(found, 'lift:right')).not.toBe('cleared');
    // Two candidates in Holm's order, none rejected: each is shown at half the error.
    const [estimate] = found.decision.decisions.map((each) => each.improvement);
    expect(estimate?.interval.level).toBe(0.995);
  });

  test('holds where the other rule is broken', async () => {
    const found = await again(
      'gates: [{gate: rate, measure: right, arm: candidate, max: 0.1}]\nclaim: {minimumEffect: null}\n',
    );
    expect(findingOf(found, 'rate:candidate:right')).toBe('breached');
    expect(found.decision.decisions[0]?.decision).toBe('hold');
    expect(found.decision.verdict.exitCode).toBe(20);
  });

  test.each([
    ['inference: {level: 0.8}\n'],
    ['inference: {level: 0.999}\n'],
    [
      'gates: [{gate: rate, measure: right, arm: candidate, min: 0.01}]\nclaim: {minimumEffect: null}\n',
    ],
    [
      'gates: [{gate: lift, measure: right, threshold: 0, required: false}, {gate: rate, measure: right, arm: candidate, min: 0.01}]\nclaim: {minimumEffect: null}\n',
    ],
    ['multiplicity: {sequence: [same, new]}\n'],
    ['loss: {maxLostShare: 0.5}\n'],
  ])('never ships under %s', async (rule) => {
    const { decision } = await again(rule);
    expect(decision.decisions.map((each) => each.decision)).not.toContain('ship');
    expect(decision.verdict.exitCode).not.toBe(0);
  });

  test('leaves the folder and the ledger as they are', async () => {
    const files = () =>
      readdirSync(run.folder)
        .sort()
        .map((name) => [name, digestOf(readFileSync(join(run.folder, name)))]);
    const [before, entries] = [files(), (await run.ledger.entries()).length];
    await again('inference: {level: 0.9}');
    expect(files()).toEqual(before);
    expect(await run.ledger.entries()).toHaveLength(entries);
  });
});

describe('another rule', () => {
  test.each<[string, string, { line: number; column: number }, RegExp]>([
    ['host: {}\n', 'unknown-key', { line: 1, column: 1 }, /^host is no part of a rule/],
    [
      'inference: {level: 0.9}\nclaim: {unit: x}\n',
      'unknown-key',
      { line: 2, column: 9 },
      /^claim\.unit/,
    ],
    ['inference: {level: 2}\n', 'out-of-range', { line: 1, column: 20 }, /2/],
    [
      'gates: [{gate: lift, measure: wrong}]\n',
      'unknown-measure',
      { line: 1, column: 31 },
      /wrong/,
    ],
    ['[]\n', 'unknown-key', { line: 1, column: 1 }, /no mapping/],
    [
      'loss: {maxLostShare: 0, maxLostShare: 1}\n',
      'yaml-invalid',
      { line: 1, column: 25 },
      /twice/,
    ],
  ])('%s is refused by its place', async (rule, code, where, message) => {
    const error = await refused(rule);
    expect(error.exitCode).toBe(40);
    const [problem] = error.problems;
    expect(problem?.message).toMatch(message);
    expect(problem?.where).toMatchObject({ file: 'rule.yaml', ...where });
    expect(problem?.code).toBe(code);
  });

  test('may be strict JSON', async () => {
    expect((await again('{"inference":{"level":0.9}}', 'rule.json')).changed).toHaveLength(1);
    expect((await refused('{"loss":1,"loss":2}', 'rule.json')).exitCode).toBe(40);
  });
});
