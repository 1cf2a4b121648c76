import { beforeAll, describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/base/canonical.ts';
import { openHost } from '../../src/host/open-host.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import type { Host } from '../../src/run/host.ts';
import type { LoadedExperiment } from '../../src/store/experiment-folder.ts';
import { type RunOptions, type RunResult, runToDecision } from '../../src/store/run-experiment.ts';
import type { RunFolder } from '../../src/store/run-folder.ts';
import { ledgerView } from '../../src/verify/reading.ts';
import { checkRun } from '../../src/verify/verify.ts';
import { failures, journalOf } from '../support/forgery.ts';
import { mailsExperiment, mailsFiles, mailsIn, memoryFolder, runPorts } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let loaded: LoadedExperiment;

/** Few cells, so that a run has few steps to die at. */
const fewer = {
  'experiment.yaml': mailsExperiment
    .replace(/ {4}same: .*\n/, '')
    .replaceAll('cells: 2', 'cells: 1'),
  'rules/old.txt': '0',
  'cases.jsonl': (mailsFiles()['cases.jsonl'] ?? '').replace(/.*"m(?:7|8|9|10|11|12)".*\n/g, ''),
};

beforeAll(async () => {
  loaded = await mailsIn(await makeFolder(), fewer);
});

class Killed extends Error {}

type Timing = 'before' | 'after';

/** Counts the durable steps of a run and dies at one of them: just before it takes effect, or just after. */
class Deaths {
  steps = 0;
  private readonly at: number;
  private readonly timing: Timing;
  private dead = false;

  constructor(at: number, timing: Timing) {
    this.at = at;
    this.timing = timing;
  }

  async step<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    if (this.dead) throw new Killed();
    const dies = this.steps === this.at;
    this.steps += 1;
    this.dead = dies;
    if (dies && this.timing === 'before') throw new Killed();
    const result = await work();
    if (dies) throw new Killed();
    return result;
  }

  stepNow(work: () => void): void {
    if (this.dead) throw new Killed();
    const dies = this.steps === this.at;
    this.steps += 1;
    this.dead = dies;
    if (!(dies && this.timing === 'before')) work();
    if (dies) throw new Killed();
  }
}

function mortalLedger(ledger: Ledger, deaths: Deaths): Ledger {
  return {
    state: () => ledger.state(),
    append: (request) => deaths.step(() => ledger.append(request)),
    object: (digest) => ledger.object(digest),
    putObject: (bytes) => deaths.step(() => ledger.putObject(bytes)),
    entries: () => ledger.entries(),
    verify: (pin) => ledger.verify(pin),
  };
}

function mortalFolder(folder: RunFolder, deaths: Deaths): RunFolder {
  return {
    ...folder,
    write: (name, bytes) => deaths.stepNow(() => folder.write(name, bytes)),
    openLog: (name, keep) => {
      const log = folder.openLog(name, keep);
      return {
        append: (line) => deaths.step(() => log.append(line)),
        close: () => log.close(),
      };
    },
  };
}

/** The world outside the process: what survives its death. */
interface World {
  readonly ledger: Ledger;
  readonly folder: RunFolder;
  /** Cell keys of final cells, in the order they were executed. */
  readonly executed: string[];
  fences: number;
}

function newWorld(): World {
  return { ledger: memoryLedger(), folder: memoryFolder(), executed: [], fences: 0 };
}

function watched(host: Host, world: World): Host {
  const final = new Set(
    loaded.cases.filter((each) => each.split === 'final').map((each) => each.id),
  );
  return {
    ...host,
    execute: (request, call) => {
      if (final.has(request.caseId)) world.executed.push(request.cellKey);
      return host.execute(request, call);
    },
  };
}

function ports(world: World, deaths: Deaths): RunOptions {
  return runPorts(loaded, mortalLedger(world.ledger, deaths), {
    openFolder: () => mortalFolder(world.folder, deaths),
    openHost: async () => watched(await openHost(loaded), world),
    fence: () => {
      world.fences += 1;
      return String(world.fences).padStart(32, '0');
    },
  });
}

async function runUntil(world: World, deaths: Deaths): Promise<RunResult | 'killed'> {
  try {
    return await runToDecision(ports(world, deaths));
  } catch (error) {
    if (error instanceof Killed) return 'killed';
    throw error;
  }
}

const never = Number.POSITIVE_INFINITY;

/** What must hold of a world once a second process has finished the job. */
async function faultsOf(world: World, verdict: unknown): Promise<string[]> {
  const result = await runUntil(world, new Deaths(never, 'before'));
  if (result === 'killed' || result.status !== 'decided') return ['the second run did not settle'];
  const lines = journalOf(world.folder.files());
  const receipts = lines.flatMap((line) => (line.kind === 'receipt' ? [line.line] : []));
  const outcomes = receipts.filter((line) => line.receipt.outcome === 'completed');
  const cells = outcomes.map(({ cell }) => `${cell.case} ${cell.arm}`);
  const twice = world.executed.length - new Set(world.executed).size;
  const verification = checkRun(world.folder.files(), await ledgerView(world.ledger));
  return [
    ...(canonicalText(result.document.verdict.decisions) === canonicalText(verdict)
      ? []
      : ['the verdict differs']),
    ...(new Set(cells).size === cells.length ? [] : ['a settled cell was executed again']),
    ...(twice === 0 ? [] : [`${twice} attempts were sent twice`]),
    ...failures(verification),
  ];
}

describe('a run that dies at any durable step', () => {
  test.each<Timing>(['before', 'after'])(
    'settles on the second call with the same verdict, no settled cell repeated, and verifies (dying %s the step takes effect)',
    async (timing) => {
      const whole = newWorld();
      const counted = new Deaths(never, timing);
      const clean = await runUntil(whole, counted);
      if (clean === 'killed' || clean.status !== 'decided') throw new Error('the clean run failed');
      const { decisions } = clean.document.verdict;
      expect(decisions.map((each) => each.decision)).toEqual(['ship']);
      expect(counted.steps).toBeGreaterThan(40);
      const faults: string[] = [];
      for (let at = 0; at < counted.steps; at += 1) {
        const world = newWorld();
        const first = await runUntil(world, new Deaths(at, timing));
        if (first !== 'killed') faults.push(`step ${at}: the run survived`);
        faults.push(...(await faultsOf(world, decisions)).map((text) => `step ${at}: ${text}`));
      }
      expect(faults).toEqual([]);
    },
  );

  test('settles even when every process dies at its eleventh step', async () => {
    const world = newWorld();
    let ended: RunResult | 'killed' = 'killed';
    let processes = 0;
    while (ended === 'killed' && processes < 200) {
      processes += 1;
      ended = await runUntil(world, new Deaths(10, 'after'));
    }
    expect(ended).toMatchObject({ status: 'decided', exitCode: 0 });
    expect(processes).toBeGreaterThan(5);
    expect(failures(checkRun(world.folder.files(), await ledgerView(world.ledger)))).toEqual([]);
  });
});
