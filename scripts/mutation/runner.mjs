// A Stryker test runner that bundles the tests once and runs them in its own process: a mutant costs the tests that reach it and
// nothing else, where starting vitest's workers costs a third of a second each time.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { rolldown } from 'rolldown';
import { collectInto } from './vitest-in-process.mjs';

/** Tests slower than this in the first run, mostly simulations, judge no mutant: that can only lower the score. */
const slowestMs = 2500;

const shim = join(import.meta.dirname, 'vitest-in-process.mjs');

class InProcessRunner {
  constructor() {
    globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {};
    /** What the changed source reads and writes: the active mutant, how often it was reached, by which test. */
    this.state = globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE];
    this.loads = 0;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  /** One bundle beside the helpers of the tests, which look for their data from there. */
  async init() {
    const folder = join(process.cwd(), 'test/support');
    const entry = join(folder, 'mutation-entry.mjs');
    const files = process.env.MUTATION_TESTS.split(',');
    writeFileSync(
      entry,
      files.map((file) => `import ${JSON.stringify(join(process.cwd(), file))};`).join('\n'),
    );
    this.bundle = join(folder, 'mutation-bundle.mjs');
    // Kept for the runner that follows one whose mutant never ended.
    this.times = join(folder, 'mutation-times.json');
    const build = await rolldown({
      input: entry,
      platform: 'node',
      // The package says its files have no effects of their own; declaring tests is one.
      treeshake: false,
      external: ['fast-check', 'zod', 'yaml', shim],
      resolve: { alias: { vitest: shim } },
      logLevel: 'silent',
    });
    await build.write({ file: this.bundle, format: 'esm' });
    await build.close();
  }

  async load() {
    this.tests = [];
    collectInto(this.tests);
    this.loads += 1;
    await import(`${pathToFileURL(this.bundle).href}?load=${this.loads}`);
  }

  async dryRun() {
    this.state.activeMutant = undefined;
    this.state.hitCount = undefined;
    await this.load();
    const results = await this.runTests(this.tests, { bail: false });
    const spent = results.map(({ name, timeSpentMs }) => [name, timeSpentMs]);
    writeFileSync(this.times, JSON.stringify(spent));
    const failed = ({ status }) => status === TestStatus.Failed;
    return {
      status: DryRunStatus.Complete,
      tests: results.filter((result) => failed(result) || result.timeSpentMs <= slowestMs),
      mutantCoverage: this.state.mutantCoverage,
    };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, mutantActivation, disableBail }) {
    this.state.hitCount = 0;
    this.state.hitLimit = hitLimit;
    if (mutantActivation === 'static') {
      this.state.activeMutant = activeMutant.id;
      const failure = await this.reload();
      if (failure !== undefined) return toMutantRunResult(failure);
    } else if (this.tests === undefined) {
      this.state.activeMutant = undefined;
      await this.load();
    }
    this.state.activeMutant = activeMutant.id;
    const wanted = testFilter === undefined ? undefined : new Set(testFilter);
    this.spent ??= new Map(JSON.parse(readFileSync(this.times, 'utf8')));
    const cost = ({ name }) => this.spent.get(name) ?? 0;
    const tests = this.tests
      .filter(({ name }) => wanted === undefined || wanted.has(name))
      .filter((test) => cost(test) <= slowestMs)
      .sort((one, other) => cost(one) - cost(other));
    const results = await this.runTests(tests, { bail: !disableBail });
    const limited = determineHitLimitReached(this.state.hitCount, hitLimit);
    if (mutantActivation === 'static') this.tests = undefined;
    return toMutantRunResult(limited ?? { status: DryRunStatus.Complete, tests: results });
  }

  /** Loads the module under a mutant of its own constants; a file that no longer loads is a failed test. */
  async reload() {
    try {
      await this.load();
      return undefined;
    } catch (error) {
      this.tests = undefined;
      const failed = { id: 'load', name: 'load', timeSpentMs: 0, status: TestStatus.Failed };
      return {
        status: DryRunStatus.Complete,
        tests: [{ ...failed, failureMessage: String(error) }],
      };
    }
  }

  async runTests(tests, { bail }) {
    const results = [];
    for (const { name, run } of tests) {
      this.state.currentTestId = name;
      const started = performance.now();
      const result = { id: name, name, status: TestStatus.Success };
      try {
        await run();
      } catch (error) {
        result.status = TestStatus.Failed;
        result.failureMessage = String(error?.message ?? error).slice(0, 500);
      }
      result.timeSpentMs = performance.now() - started;
      results.push(result);
      if (bail && result.status === TestStatus.Failed) break;
    }
    this.state.currentTestId = undefined;
    return results;
  }

  dispose() {
    if (this.bundle !== undefined) rmSync(this.bundle, { force: true });
  }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, 'in-process', InProcessRunner),
];
