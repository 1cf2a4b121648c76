import { beforeAll, describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/base/canonical.ts';
import { digestOf } from '../../src/base/digest.ts';
import { merkleRoot } from '../../src/base/merkle.ts';
import { formatSeal, parseSeal, sealDigest, treeDigest } from '../../src/spec/seal.ts';
import {
  bindSeal,
  formatCaseIndex,
  formatCellPlan,
  formatUnits,
  planSeal,
  surfaceDigestOf,
} from '../../src/spec/seal-plan.ts';
import { splitUnits } from '../../src/spec/split-units.ts';
import { refusedBy } from '../support/refused-by.ts';
import { mailsExperiment } from '../support/run.ts';
import { type Sealed, sealedMails, sealsOf } from '../support/seal-input.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let sealed: Sealed;

beforeAll(async () => {
  sealed = await sealedMails(await makeFolder());
});

describe('planSeal', () => {
  test('names units, cases and cells by objects whose bytes it hands out', () => {
    const { seal, objects } = planSeal(sealed.input);
    const digests = objects.map(digestOf);
    expect(digests).toContain(seal.units.object);
    expect(digests).toContain(seal.development?.object);
    expect(digests).toContain(seal.dataset.cases.object);
    expect(digests).toContain(seal.cells.planObject);
    expect(new Set(digests).size).toBe(digests.length);
  });

  test('counts units and binds their list by root and object', () => {
    const { final, development } = splitUnits(sealed.input);
    const { units } = sealed.plan;
    expect([units.count, sealed.plan.development?.count]).toEqual([12, 4]);
    expect(units.root).toBe(merkleRoot(final.map((unit) => canonicalText(unit))));
    expect(units.object).toBe(digestOf(formatUnits(final)));
    expect(development.map((unit) => unit.id)).toEqual(['f13', 'f14', 'f15', 'f16']);
  });

  test('has no development member when no case is for development', () => {
    const cases = sealed.input.cases.filter((each) => each.split === 'final');
    expect(planSeal({ ...sealed.input, cases }).seal.development).toBe(null);
  });

  test('writes error levels as people would: 1 - 0.95 is 0.05', () => {
    expect(sealed.plan.analysis.errorLevels).toEqual({ lift: 0.025, rate: 0.05 });
    expect(sealed.plan.analysis.alphaNano).toBe(50_000_000);
    expect(sealed.plan.cells.plannedCount).toBe(36);
  });

  test('writes a seal that its own reader accepts', () => {
    for (const seal of [sealed.plan, sealed.final]) {
      expect(parseSeal(new TextEncoder().encode(formatSeal(seal)))).toEqual(seal);
    }
  });

  test('lists a model and a program as unpinned, each once and sorted', async () => {
    const text = mailsExperiment.replace(
      'same: {surface: {rule: rules/same.txt}}',
      'same: {surface: {rule: rules/same.txt}, pins: {model: m-1}}',
    );
    const { input } = await sealedMails(await makeFolder(), { 'experiment.yaml': text });
    const { unpinned } = planSeal({ ...input, hostPrograms: ['node', 'node'] }).seal;
    expect(unpinned).toContain('model m-1 as served to the host');
    expect(unpinned.filter((each) => each === 'program node')).toHaveLength(1);
    expect(unpinned).toEqual(unpinned.toSorted());
  });

  test('lists one file under two names once', () => {
    const [only] = sealed.input.evaluator;
    if (only === undefined) throw new Error('the host is sealed');
    const twice = planSeal({ ...sealed.input, evaluator: [only, only] }).seal;
    expect(twice.evaluator).toEqual(sealed.plan.evaluator);
    expect(twice.evaluator.tree).toBe(treeDigest([only]));
  });
});

describe('bindSeal', () => {
  test('adds the candidates and nothing else, and names its plan', () => {
    const { plan, final, input } = sealed;
    const bound = bindSeal(plan, sealDigest(plan), input.arms);
    expect(bound).toEqual(final);
    expect({ ...bound, stage: 'plan', plan: null, arms: plan.arms }).toEqual(plan);
    expect(bound.arms.map(({ id, boundAt }) => [id, boundAt])).toEqual([
      ['baseline', 'plan'],
      ['new', 'final'],
      ['same', 'final'],
    ]);
  });

  test('keeps the sealed baseline even when other bytes are handed in', () => {
    const { plan, input } = sealed;
    const other = input.arms['new'];
    if (other === undefined) throw new Error('there is a candidate');
    const bound = bindSeal(plan, sealDigest(plan), { ...input.arms, baseline: other });
    expect(bound.arms[0]).toEqual(plan.arms[0]);
  });

  test('binds a plan only', () => {
    const { final } = sealed;
    expect(refusedBy(() => bindSeal(final, sealDigest(final), {}))).toContain(
      'internal: Liftgate broke its own rule: only a plan is bound',
    );
  });
});

describe('surfaceDigestOf', () => {
  test('knows components by name and bytes, not by path', () => {
    const surface = sealed.input.arms['new']?.surface ?? {};
    const moved = Object.fromEntries(
      Object.entries(surface).map(([name, file]) => [name, { ...file, path: 'elsewhere' }]),
    );
    expect(surfaceDigestOf(moved)).toBe(surfaceDigestOf(surface));
    expect(surfaceDigestOf(surface)).toBe(sealed.final.arms[1]?.surfaceDigest);
  });
});

describe('formatCellPlan', () => {
  test('lists final cases by code units, whatever the order of the rows', () => {
    const { spec, index } = sealed.input;
    const reversed = { ...index, rows: index.rows.toReversed() };
    expect(formatCellPlan(spec, reversed)).toBe(formatCellPlan(spec, index));
    expect(JSON.parse(formatCellPlan(spec, index))).toMatchObject({
      type: 'liftgate/cells/v1',
      arms: 3,
      repeats: 1,
      cases: ['m1', 'm10', 'm11', 'm12', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8', 'm9'],
    });
    expect(digestOf(formatCaseIndex(index))).toBe(sealed.plan.dataset.cases.object);
  });
});

describe('seeds and digests', () => {
  test('do not move when the engine changes', () => {
    const engine = { ...sealed.input.engine, version: '9', build: digestOf('other') };
    expect(sealsOf({ ...sealed.input, engine }).plan.digests).toEqual(sealed.plan.digests);
  });
});
