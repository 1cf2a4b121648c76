import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { DecisionDocument, Host, Ledger, RunResult, Verification } from '../../src/index.ts';
import * as liftgate from '../../src/index.ts';
import { readExamples } from '../support/examples.ts';
import { mailsIn, settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const source = new URL('../../src/', import.meta.url);
const index = readFileSync(new URL('index.ts', source), 'utf8');
const makeFolder = temporaryFolders();

interface PublicFile {
  readonly path: string;
  /** Public values that the file exports, by their public name. */
  readonly values: readonly string[];
}

/** Files that the public entry takes values from. */
function publicFiles(): PublicFile[] {
  return [...index.matchAll(/^export \{([^}]*)\} from '\.\/([^']+)'/gm)].map(
    ([, names = '', path = '']) => ({
      path,
      values: names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && !name.startsWith('type ')),
    }),
  );
}

/** Names an example may use: the public ones, and a loaded experiment, an empty ledger and a settled run folder. */
async function scopeOf(): Promise<Record<string, unknown>> {
  const settled = await settledRun({ folder: await makeFolder() });
  const nothing = (): void => undefined;
  return {
    ...liftgate,
    loaded: await mailsIn(await makeFolder()),
    ledger: liftgate.memoryLedger(),
    folder: settled.folder,
    hello: {},
    execute: nothing,
    grade: nothing,
  };
}

async function evaluate(
  expression: string,
  scope: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const work = new Function(
    ...Object.keys(scope),
    `'use strict'; return (async () => (${expression}))();`,
  );
  return await work(...Object.values(scope));
}

describe('the public names', () => {
  test('are at most 45, types included', () => {
    const names = [...index.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
      list.split(',').filter((name) => name.trim() !== ''),
    );
    expect(names.length).toBeGreaterThanOrEqual(29);
    expect(names.length).toBeLessThanOrEqual(45);
  });

  test('hold every call of the job', () => {
    expect(Object.keys(liftgate).sort()).toEqual([
      'LiftgateError',
      'bundleRun',
      'decide',
      'loadExperiment',
      'memoryLedger',
      'moduleHost',
      'openLedger',
      'planExperiment',
      'renderReport',
      'replayHost',
      'reserveUnits',
      'runExperiment',
      'sealExperiment',
      'verifyRun',
      'workerHost',
    ]);
  });

  test('say in their types what they give', () => {
    expectTypeOf(liftgate.openLedger).returns.toEqualTypeOf<Ledger>();
    expectTypeOf(liftgate.runExperiment).returns.resolves.toEqualTypeOf<RunResult>();
    expectTypeOf(liftgate.decide).returns.resolves.toHaveProperty('document');
    expectTypeOf<
      Awaited<ReturnType<typeof liftgate.decide>>['document']
    >().toEqualTypeOf<DecisionDocument>();
    expectTypeOf(liftgate.verifyRun).returns.resolves.toEqualTypeOf<Verification>();
    expectTypeOf(liftgate.replayHost).returns.toEqualTypeOf<Host>();
  });

  test('take no level, threshold, estimate or interval from a caller: decide has receipts and nothing else', () => {
    expectTypeOf<Parameters<typeof liftgate.decide>[0]>().toHaveProperty('receipts').toBeString();
    expectTypeOf<keyof Parameters<typeof liftgate.decide>[0]>().toEqualTypeOf<
      'loaded' | 'ledger' | 'receipts' | 'file'
    >();
  });
});

for (const { path, values } of publicFiles()) {
  const text = readFileSync(new URL(path, source), 'utf8');
  const comments = text.replaceAll(/export class (\w+)/g, 'export function $1');
  describe(`examples of src/${path}`, () => {
    test.each(values)('%s has one', (name) => {
      const { without } = readExamples(comments);
      expect(comments).toMatch(new RegExp(`\\*/\\s*export (?:async )?function ${name}\\b`));
      expect(without).not.toContain(name);
    });
    const examples = readExamples(comments).examples.filter(({ expression }) =>
      values.some((name) => expression.includes(`${name}(`)),
    );
    test('there is one per public name', () => {
      expect(examples.length).toBeGreaterThanOrEqual(values.length);
    });
    test.each(examples)('$expression', async ({ expression, value }) => {
      const scope = await scopeOf();
      expect(await evaluate(expression, scope)).toEqual(await evaluate(value, scope));
    });
  });
}
