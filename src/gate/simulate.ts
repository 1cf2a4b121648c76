/**
 * How often the sealed rules ship: the sealed methods, error levels and order of candidates on simulated units, before any is spent.
 *
 * The gates on a paired difference (lift, no-regression, latency by ratio) are simulated as they will be decided. Every other gate is taken to
 * pass, so a rate at a null is the highest these rules admit there. Candidates are drawn independently of each other.
 */

import { measureOf } from '../analysis/evidence.ts';
import { rangeWidth, type Sample } from '../analysis/unit-value.ts';
import { invariant } from '../base/errors.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { candidateIds } from '../spec/spec.ts';
import { holmByBounds } from '../stats/multiplicity.ts';
import type { Pool, PoolCall, ShardTask } from '../stats/pool.ts';
import { randomStream } from '../stats/random.ts';
import { sum } from '../stats/summary.ts';
import { type EffectGate, effectGates, effectLevel } from './effect.ts';
import { type Discordance, type Drawn, drawerOf, type PairLaw } from './outcome-law.ts';

/** What a simulation assumes of one measure of every candidate. */
export interface MeasureWorld {
  readonly measure: string;
  readonly law: PairLaw;
  /** Correlation of two pairs of one unit, in [0, 1]. */
  readonly correlation: number;
  /** Pairs of each unit, in any order. */
  readonly pairs: readonly number[];
}

/** Worlds of the simulated measures; a gate on a measure without a world is taken to clear. */
export interface World {
  readonly measures: readonly MeasureWorld[];
}

/** Counts over replicates: how often any candidate shipped, each one did, and each gate cleared at the candidate's own error. */
export interface ShipCounts {
  readonly replicates: number;
  readonly any: number;
  readonly candidates: readonly number[];
  readonly gates: readonly number[];
}

/** A gate and the answers it gave already, by number of units and divisor. */
interface SimulatedGate {
  readonly gate: EffectGate;
  /** Whether the lower bound lies above the threshold, and the upper one below the minimum effect. */
  readonly below: Map<string, KnownAnswers>;
  readonly above: Map<string, KnownAnswers>;
}

type Replicate = ReadonlyMap<string, Drawn>;

/** Simulates replicates of the sealed decision in a world. */
export class Simulator {
  readonly #seal: SealedExperiment;
  readonly #gates: readonly SimulatedGate[];
  readonly #candidates: number;
  readonly #sequence: boolean;

  constructor(seal: SealedExperiment) {
    this.#seal = seal;
    this.#gates = effectGates(seal)
      .filter((gate) => gate.required && gate.gate !== 'neutral-control')
      .map((gate) => ({ gate, below: new Map(), above: new Map() }));
    this.#candidates = candidateIds(seal.spec).length;
    this.#sequence = typeof seal.decision.multiplicity !== 'string';
  }

  /** Names of the simulated gates, in the order of `ShipCounts.gates`. */
  get gateNames(): readonly string[] {
    return this.#gates.map(({ gate }) => gate.name);
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
    const stream = randomStream(seed, label);
    const drawers = world.measures.map((each) => ({
      measure: each.measure,
      draw: drawerOf({ ...each, width: rangeWidth(measureOf(this.#seal, each.measure)) }),
    }));
    let any = 0;
    const candidates = new Array<number>(this.#candidates).fill(0);
    const gates = new Array<number>(this.#gates.length).fill(0);
    for (let replicate = 0; replicate < replicates; replicate += 1) {
      const samples = candidates.map(
        () => new Map(drawers.map(({ measure, draw }) => [measure, draw(stream)])),
      );
      const shipped = this.#judge(samples, gates);
      shipped.forEach((ships, index) => {
        if (ships) candidates[index] = (candidates[index] ?? 0) + 1;
      });
      if (shipped.includes(true)) any += 1;
    }
    return { replicates, any, candidates, gates };
  }

  /** Which candidates ship; counts the gates the first candidate clears at the whole error. */
  #judge(samples: readonly Replicate[], gateCounts: number[]): boolean[] {
    const divisors = this.#sequence ? [1] : samples.map((_, index) => index + 1);
    const clears = samples.map((each, candidate) => {
      const whole = this.#gates.map((gate) => this.#clears(gate, each, 1));
      if (candidate === 0) {
        whole.forEach((passed, index) => {
          if (passed) gateCounts[index] = (gateCounts[index] ?? 0) + 1;
        });
      }
      // Who fails at an error fails at every smaller one that Holm would ask for.
      let cleared = !whole.includes(false);
      return divisors.map((divisor) => {
        cleared &&= divisor === 1 || this.#gates.every((gate) => this.#clears(gate, each, divisor));
        return cleared;
      });
    });
    if (this.#sequence) {
      const stop = clears.findIndex(([whole]) => whole !== true);
      return clears.map(
        (_, index) => (stop < 0 || index < stop) && this.#isUseful(samples[index], 1),
      );
    }
    return holmByBounds(clears).map(
      ({ rejected, divisor }, index) => rejected && this.#isUseful(samples[index], divisor),
    );
  }

  #clears({ gate, below }: SimulatedGate, replicate: Replicate, divisor: number): boolean {
    const drawn = replicate.get(gate.measureId);
    if (drawn === undefined) return true;
    const decide = () => this.#decides(gate, drawn.sample(), divisor);
    return drawn.counts === null
      ? decide()
      : answersOf(below, drawn.units, divisor).ask(drawn.counts, decide);
  }

  #decides(gate: EffectGate, sample: Sample, divisor: number): boolean {
    return effectLevel(this.#seal, gate, sample, this.#seal.analysis.errorLevels.lift / divisor)
      .clears;
  }

  /** False where a lift that clears is wholly below the smallest useful effect: that breaches. */
  #isUseful(replicate: Replicate | undefined, divisor: number): boolean {
    return this.#gates.every(({ gate, above }) => {
      const drawn = replicate?.get(gate.measureId);
      const { minimumEffect } = gate;
      if (drawn === undefined || minimumEffect === null) return true;
      const decide = () => {
        const sample = drawn.sample();
        const total = sum(sample.units.map(({ improvement }) => improvement));
        if (total >= minimumEffect * sample.units.length) return false;
        return this.#decides({ ...gate, threshold: -minimumEffect }, mirrored(sample), divisor);
      };
      if (drawn.counts === null) return !decide();
      const { wins, losses } = drawn.counts;
      return !answersOf(above, drawn.units, divisor).ask({ wins: losses, losses: wins }, decide);
    });
  }
}

function answersOf(known: Map<string, KnownAnswers>, units: number, divisor: number): KnownAnswers {
  const key = `${units} ${divisor}`;
  const found = known.get(key) ?? new KnownAnswers();
  known.set(key, found);
  return found;
}

/** The sample with every improvement's sign turned: its lower bound is minus the upper bound. */
function mirrored(sample: Sample): Sample {
  const turned = (value: number) => (value === 0 ? 0 : -value);
  const units = sample.units.map((each) => ({
    ...each,
    improvement: turned(each.improvement),
    values: each.values.map((value) => ({ ...value, improvement: turned(value.improvement) })),
  }));
  return { ...sample, units };
}

/**
 * Answers known already of a rule that only wins and losses of a number of units decide: with more wins or fewer losses it holds as well,
 * the other way it fails as well (DESIGN promise 11).
 */
class KnownAnswers {
  #holding: readonly Discordance[] = [];
  #failing: readonly Discordance[] = [];

  ask({ wins, losses }: Discordance, decide: () => boolean): boolean {
    if (this.#holding.some((each) => each.wins <= wins && each.losses >= losses)) return true;
    if (this.#failing.some((each) => each.wins >= wins && each.losses <= losses)) return false;
    const holds = decide();
    if (holds) {
      const kept = this.#holding.filter((each) => each.wins < wins || each.losses > losses);
      this.#holding = [...kept, { wins, losses }];
    } else {
      const kept = this.#failing.filter((each) => each.wins > wins || each.losses < losses);
      this.#failing = [...kept, { wins, losses }];
    }
    return holds;
  }
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

/** One block of one job: any, then each candidate, then each gate. */
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
    const { any, candidates, gates } = simulator.run(job.world, options);
    return Float64Array.from([any, ...candidates, ...gates]);
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
  { replicates, seed, pool, call }: SimulationOptions,
): Promise<readonly ShipCounts[]> {
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
  const count = candidateIds(seal.spec).length;
  return jobs.map((_, index) => {
    const own = results.slice(index * blocks, (index + 1) * blocks);
    const total = (at: number): number => own.reduce((found, block) => found + (block[at] ?? 0), 0);
    const length = own[0]?.length ?? 0;
    const all = Array.from({ length }, (_each, at) => total(at));
    return {
      replicates,
      any: all[0] ?? 0,
      candidates: all.slice(1, 1 + count),
      gates: all.slice(1 + count),
    };
  });
}

/** What a decision takes, roughly: only whether threads are worth starting hangs on it. */
function millisecondsOf(seal: SealedExperiment, { measures }: World): number {
  const methods = new Set(effectGates(seal).map(({ method }) => method));
  const perPair = methods.has('t-bootstrap-t')
    ? 0.03
    : methods.has('tango-score') || methods.has('exact-unconditional')
      ? 0.0002
      : 0.005;
  const pairs = measures.reduce((total, each) => total + sum(each.pairs), 0);
  return pairs * perPair * candidateIds(seal.spec).length;
}
