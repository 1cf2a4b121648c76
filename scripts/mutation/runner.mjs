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
  MutantRunStatus,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import fc from 'fast-check';
import { rolldown } from 'rolldown';
import { isSampled } from './sample.mjs';
import { collectInto } from './vitest-in-process.mjs';

/** Tests that take more processor time in the first run, mostly simulations, judge no mutant: that can only lower the score. */
const slowestMs = 1000;

/** Processor time of all tests of one mutant, counted in the times of the first run; the others do not judge it, which too can only lower the score. */
const judgingMs = 1500;

/** Processor time a test may take under a mutant; time that other programs take does not count against it. */
function allowedMs(firstMs) {
  return 300 + 4 * firstMs;
}

function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Stops a test that runs on and on. The changed source asks at every change which of them is active, in every loop: each
 * 16,384th question looks at the clock.
 */
class Deadline {
  constructor(state) {
    this.at = Number.POSITIVE_INFINITY;
    this.passed = false;
    let active;
    let asked = 0;
    Object.defineProperty(state, 'activeMutant', {
      configurable: true,
      get: () => {
        asked += 1;
        if ((asked & 16_383) === 0) this.check();
        return active;
      },
      set: (id) => {
        active = id;
      },
    });
  }

  start(ms) {
    this.passed = false;
    this.at = processorMs() + ms;
  }

  stop() {
    this.at = Number.POSITIVE_INFINITY;
  }

  check() {
    if (processorMs() <= this.at) return;
    this.passed = true;
    throw new Error('The test takes four times as long as before.');
  }
}

const shim = join(import.meta.dirname, 'vitest-in-process.mjs');

class InProcessRunner {
  constructor() {
    globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {};
    /** What the changed source reads and writes: the active mutant, how often it was reached, by which test. */
    this.state = globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE];
    this.deadline = new Deadline(this.state);
    /** Of each test, how often it judged and how often it noticed: the likeliest to notice within a second comes first. */
    this.record = new Map();
    this.loads = 0;
    // The first counterexample is enough: nobody reads the smallest.
    fc.configureGlobal({ endOnFailure: true });
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
    if (!isSampled(activeMutant.id))
      return { status: MutantRunStatus.Error, errorMessage: 'not in the sample' };
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
      .map((test) => ({ test, price: cost(test) * this.rarity(test.name) }))
      .sort((one, other) => one.price - other.price)
      .map(({ test }) => test);
    let spent = 0;
    const judging = tests.filter((test) => {
      spent += cost(test);
      return spent <= judgingMs;
    });
    const results = await this.runTests(judging, { bail: !disableBail, cost });
    const limited = this.limitOf(results, hitLimit);
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

  rarity(name) {
    const { judged, noticed } = this.record.get(name) ?? { judged: 0, noticed: 0 };
    return (judged + 2) / (noticed + 1);
  }

  remember({ name, status }) {
    const { judged, noticed } = this.record.get(name) ?? { judged: 0, noticed: 0 };
    const failed = status === TestStatus.Failed ? 1 : 0;
    this.record.set(name, { judged: judged + 1, noticed: noticed + failed });
  }

  limitOf(results, hitLimit) {
    if (results.at(-1)?.late)
      return { status: DryRunStatus.Timeout, reason: 'four times the time of the first run' };
    return determineHitLimitReached(this.state.hitCount, hitLimit);
  }

  async runTests(tests, { bail, cost }) {
    const results = [];
    for (const { name, run } of tests) {
      this.state.currentTestId = name;
      const started = processorMs();
      if (cost !== undefined) this.deadline.start(allowedMs(cost({ name })));
      const result = { id: name, name, status: TestStatus.Success };
      try {
        await run();
      } catch (error) {
        result.status = TestStatus.Failed;
        result.failureMessage = String(error?.message ?? error).slice(0, 500);
      }
      result.timeSpentMs = processorMs() - started;
      this.deadline.stop();
      // A test that expects an error is content with that of the deadline.
      if (cost !== undefined && this.deadline.passed) {
        result.status = TestStatus.Failed;
        result.late = true;
      }
      if (cost !== undefined) this.remember(result);
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
