/**
 * How often the sealed rules ship: the sealed methods, error levels and order of candidates on simulated units, before any is spent.
 *
 * A gate is decided as it will be on evidence, from what its world draws; a gate that a world says nothing about is taken to pass, so a
 * rate at a null is the highest these rules admit there. Candidates and measures are drawn apart unless their world joins them.
 */
import { measureOf } from '../analysis/evidence.ts';
import { rangeWidth } from '../analysis/unit-value.ts';
import { invariant } from '../base/errors.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { candidateIds } from '../spec/spec.ts';
import { uniformStream } from '../stats/draws.ts';
import type { Pool, PoolCall, ShardTask } from '../stats/pool.ts';
import { sum } from '../stats/summary.ts';
import { effectGates } from './effect.ts';
import { allGates } from './sealed-gates.ts';
import { LookSimulator } from './simulate-looks.ts';
import { type SimulatedGate, simulatedGate } from './simulated-gates.ts';
import { SimulatedOrder } from './simulated-order.ts';
import { type Drawers, type World, WorldDraw } from './simulated-world.ts';

/** Counts over replicates: how often any candidate shipped, each one did, and each gate cleared at the candidate's own error. */
export interface ShipCounts {
  readonly replicates: number;
  readonly any: number;
  readonly candidates: readonly number[];
  /** Of the candidate whose gates the world counts, in the order of `Simulator.gateNames`. */
  readonly gates: readonly number[];
  /** Units measured, over all replicates of a sequential design; null in a fixed one. */
  readonly units: number | null;
}

/** Simulates replicates of the sealed decision in a world. */
export class Simulator {
  readonly #seal: SealedExperiment;
  readonly #gates: readonly SimulatedGate[];
  readonly #candidates: number;
  readonly #order: SimulatedOrder;
  readonly #looks: LookSimulator | null;
  /** What is drawn of a world takes time to prepare and serves all its blocks. */
  readonly #draws = new WeakMap<World, WorldDraw>();

  constructor(seal: SealedExperiment) {
    this.#seal = seal;
    this.#gates = allGates(seal)
      .filter((gate) => gate.required)
      .flatMap((gate) => simulatedGate(seal, gate) ?? []);
    this.#candidates = candidateIds(seal.spec).length;
    this.#order = new SimulatedOrder(seal);
    this.#looks = seal.analysis.looks === undefined ? null : new LookSimulator(seal);
  }

  /** Names of the simulated gates, in the order of `ShipCounts.gates`. */
  get gateNames(): readonly string[] {
    return this.#looks?.gateNames ?? this.#gates.map(({ name }) => name);
  }

  /**
   * Runs replicates on the stream of this seed and label.
   * @param seed  64 hex digits
   */
  run(
    world: World,
    {
      replicates,
      seed,
      label,
    }: { readonly replicates: number; readonly seed: string; readonly label: string },
  ): ShipCounts {
    if (this.#looks !== null) {
      return { replicates, ...this.#looks.run(world, { replicates, seed, label }) };
    }
    const draw = this.#draws.get(world) ?? new WorldDraw(this.#seal, world, this.#candidates);
    this.#draws.set(world, draw);
    const uniform = uniformStream(seed, label);
    let any = 0;
    const candidates = new Array<number>(this.#candidates).fill(0);
    const gates = new Array<number>(this.#gates.length).fill(0);
    for (let replicate = 0; replicate < replicates; replicate += 1) {
      const drawn = draw.next(uniform);
      const ships = this.#judge(drawn, { counts: gates, of: world.counted ?? 0 });
      let shipped = false;
      for (let at = 0; at < ships.length; at += 1) {
        if (ships[at] !== true) continue;
        shipped = true;
        candidates[at] = (candidates[at] ?? 0) + 1;
      }
      if (shipped) any += 1;
    }
    return { replicates, any, candidates, gates, units: null };
  }

  /** Ships as seen and with every loss counted against its candidate, and loses no more than is allowed. */
  #judge(
    drawn: readonly Drawers[],
    { counts, of }: { readonly counts: number[]; readonly of: number },
  ): boolean[] {
    const whole = drawn.map((each) => this.#answers(each, 1, false));
    whole[of]?.forEach((passed, at) => {
      if (passed) counts[at] = (counts[at] ?? 0) + 1;
    });
    const ships = this.#shipping(drawn, whole, false);
    if (!ships.includes(true) || drawn.every(({ lost }) => lost === null)) return ships;
    const filled = drawn.map((each) => this.#answers(each, 1, true));
    const shipsFilled = this.#shipping(drawn, filled, true);
    return ships.map((each, at) => each && shipsFilled[at] === true && this.#isComplete(drawn[at]));
  }

  #answers({ replicate }: Drawers, divisor: number, filled: boolean): boolean[] {
    return this.#gates.map((gate) => gate.clears(replicate, divisor, filled));
  }

  /** @param whole  what each gate says of each candidate at the whole error */
  #shipping(
    drawn: readonly Drawers[],
    whole: readonly (readonly boolean[])[],
    filled: boolean,
  ): boolean[] {
    const passes = (at: number, divisor: () => number): boolean => {
      const replicate = drawn[at]?.replicate;
      if (replicate === undefined || whole[at]?.includes(false) !== false) return false;
      const isUseful = (by: number): boolean =>
        this.#gates.every((gate) => gate.useful(replicate, by, filled));
      // What is not too small at the whole error is not at a part of it.
      return isUseful(1) || isUseful(divisor());
    };
    if (drawn.length === 1) return [passes(0, () => 1)];
    const clears = (at: number, divisor: number): boolean => {
      const replicate = drawn[at]?.replicate;
      const wholly = whole[at]?.every((each, gate) => each || !this.#gates[gate]?.bound) === true;
      if (divisor === 1 || !wholly || replicate === undefined) return wholly;
      return this.#gates.every((gate) => !gate.bound || gate.clears(replicate, divisor, filled));
    };
    const tests = () =>
      drawn.map(({ replicate }) =>
        this.#gates.flatMap((gate) => gate.joint?.(replicate, filled) ?? []),
      );
    return this.#order
      .places({ clears, tests })
      .map(({ rejected, divisor }, index) => rejected && passes(index, divisor));
  }

  /** Whether a candidate and its baseline lost no more than allowed, of cells and of each gated measure's values. */
  #isComplete(drawers: Drawers | undefined): boolean {
    if (drawers === undefined || drawers.lost === null) return true;
    const { replicate, lost } = drawers;
    const cells = lost.candidate.length + lost.baseline.length;
    const most = this.#seal.spec.loss.maxLostShare;
    if ((countOf(lost.candidate) + countOf(lost.baseline)) / cells > most) return false;
    return [...replicate.measures.values(), ...replicate.own.values()].every((measure) => {
      const values = measure.lostValues();
      const isFillable = values === 0 || rangeWidth(measureOf(this.#seal, measure.measure)) > 0;
      return isFillable && values / (2 * measure.pairs) <= most;
    });
  }
}

function countOf(cells: Uint8Array): number {
  let total = 0;
  for (const cell of cells) total += cell;
  return total;
}

/** A world to simulate; the label names its stream. */
export interface SimulationJob {
  readonly world: World;
  readonly label: string;
}

/** How worlds are simulated. */
export interface SimulationOptions {
  /** Simulated decisions of each world. */
  readonly replicates: number;
  /** 64 hex digits. */
  readonly seed: string;
  readonly pool: Pool;
  readonly call?: PoolCall;
  /** Told how many worlds are simulated, and decisions in all of them together. */
  readonly onScenarios?: (simulated: number, decisions: number) => void;
}
/** Replicates of one block: each block has its own stream, so that the counts do not depend on who computes it. */
const blockSize = 250;

interface SimulationInput {
  readonly seal: SealedExperiment;
  readonly jobs: readonly SimulationJob[];
  readonly replicates: number;
  readonly seed: string;
}

const blocksOf = (replicates: number): number => Math.ceil(replicates / blockSize);

/** One block of one job: any, units measured (-1 where every unit is), then each candidate, then each gate. */
export const simulationTask: ShardTask = (input) => {
  const { seal, jobs, replicates, seed } = input as SimulationInput;
  const simulator = new Simulator(seal);
  const blocks = blocksOf(replicates);
  return (shard) => {
    const job = jobs[Math.floor(shard / blocks)];
    invariant(job !== undefined, 'every block belongs to a job');
    const block = shard % blocks;
    const size = Math.min(blockSize, replicates - block * blockSize);
    const options = { replicates: size, seed, label: `${job.label}/${block}` };
    const { any, units, candidates, gates } = simulator.run(job.world, options);
    return Float64Array.from([any, units ?? -1, ...candidates, ...gates]);
  };
};

/** A pool of nobody: every block here and now. */
export const simulatedInPlace: Pool = {
  run: ({ input, shards }) => {
    const run = simulationTask(input);
    return Promise.resolve(Array.from({ length: shards }, (_, shard) => run(shard)));
  },
  close: () => Promise.resolve(),
};

/** Simulates worlds on a pool; the counts are the same for any number of workers. */
export async function simulateWorlds(
  seal: SealedExperiment,
  jobs: readonly SimulationJob[],
  { replicates, seed, pool, call, onScenarios }: SimulationOptions,
): Promise<readonly ShipCounts[]> {
  onScenarios?.(jobs.length, jobs.length * replicates);
  const blocks = blocksOf(replicates);
  const input: SimulationInput = { seal, jobs, replicates, seed };
  const estimatedMs = jobs.reduce(
    (total, { world }) => total + replicates * millisecondsOf(seal, world),
    0,
  );
  const results = await pool.run(
    { task: 'simulation', input, shards: jobs.length * blocks, estimatedMs },
    call,
  );
  return countsOf(input, results);
}

/** The same in the thread that calls, all at once. */
export function simulateHere(
  seal: SealedExperiment,
  jobs: readonly SimulationJob[],
  { replicates, seed }: Pick<SimulationOptions, 'replicates' | 'seed'>,
): readonly ShipCounts[] {
  const input: SimulationInput = { seal, jobs, replicates, seed };
  const run = simulationTask(input);
  const shards = jobs.length * blocksOf(replicates);
  return countsOf(
    input,
    Array.from({ length: shards }, (_, shard) => run(shard)),
  );
}

function countsOf(
  { seal, jobs, replicates }: SimulationInput,
  results: readonly Float64Array[],
): readonly ShipCounts[] {
  const blocks = blocksOf(replicates);
  const count = candidateIds(seal.spec).length;
  return jobs.map((_, index) => {
    const own = results.slice(index * blocks, (index + 1) * blocks);
    const total = (at: number): number => own.reduce((found, block) => found + (block[at] ?? 0), 0);
    const length = own[0]?.length ?? 0;
    const all = Array.from({ length }, (_each, at) => total(at));
    return {
      replicates,
      any: all[0] ?? 0,
      units: seal.analysis.looks === undefined ? null : (all[1] ?? 0),
      candidates: all.slice(2, 2 + count),
      gates: all.slice(2 + count),
    };
  });
}

/** What a decision takes, roughly: only whether threads are worth starting hangs on it. */
function millisecondsOf(seal: SealedExperiment, { measures, loss }: World): number {
  const methods = new Set(effectGates(seal).map(({ method }) => method));
  const perPair = methods.has('t-bootstrap-t')
    ? 0.03
    : methods.has('betting-fixed-n') || loss !== undefined
      ? 0.0001
      : methods.has('tango-score') || methods.has('exact-unconditional')
        ? 0.000005
        : 0.002;
  const pairs = measures.reduce((total, each) => total + sum(each.pairs), 0);
  return pairs * perPair * candidateIds(seal.spec).length;
}
