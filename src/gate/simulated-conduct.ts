/**
 * What gates on the making of a run find in a replicate: their evidence is drawn from the laws of a world and read by the rules that
 * read it after a run. The baseline, which several candidates share, is
 * drawn once for all of them.
 */
import type { SealedExperiment } from '../spec/seal.ts';
import { normalQuantile } from '../stats/distribution.ts';
import { binomialSampler, type Uniform } from '../stats/draws.ts';
import type { LostCells } from './drawn-measure.ts';
import { type CanaryTally, canaryFinding } from './monitoring.ts';
import { Staircase } from './staircase.ts';
import {
  areFaultsCounted,
  areWaitsAlike,
  isCountedFaultAbove,
  isMeanFaultAbove,
} from './symmetry.ts';

/** Mean of each arm's cells, and the deviation between cells. */
interface Waits {
  readonly baseline: number;
  readonly candidate: number;
  readonly deviation: number;
  /** Largest mean difference that the gate allows. */
  readonly most: number;
}

/** What decides one gate on the making of a run; `gate` is its name. */
export type ConductLaw =
  /** The same in every replicate. */
  | { readonly kind: 'fixed'; readonly gate: string; readonly clears: boolean }
  /** Clears with a probability, for each candidate anew. */
  | { readonly kind: 'rate'; readonly gate: string; readonly rate: number }
  /** Faults meet each cell with a probability, a lost one surely. */
  | {
      readonly kind: 'faults';
      readonly gate: string;
      readonly margin: number;
      readonly rates: { readonly baseline: number; readonly candidate: number };
      /** Cells of each unit in one arm. */
      readonly sizes: readonly number[];
      readonly waits: Waits | null;
    }
  /** Each canary cell of any arm fails with a probability; `cells` are their places within an arm. */
  | {
      readonly kind: 'canary';
      readonly gate: string;
      readonly rate: number;
      readonly cells: readonly number[];
      readonly placebo: boolean;
    }
  /** The output of each cell of a candidate holds a canary text with a probability. */
  | {
      readonly kind: 'texts';
      readonly gate: string;
      readonly rate: number;
      readonly cells: number;
    };

/** Cells that one candidate and the arms it is compared with lost. */
export interface ConductLosses extends LostCells {
  readonly placebo: Uint8Array | null;
}

/** Draws one replicate; whether the gate clears, for every candidate. Nothing was lost where there are no losses. */
type ConductDraw = (
  uniform: Uniform,
  losses: readonly (ConductLosses | null)[],
) => readonly boolean[];

type LawOf<Kind extends ConductLaw['kind']> = Extract<ConductLaw, { kind: Kind }>;

const noCells = new Uint8Array(0);

/** Faults of one arm: lost cells met one, any other with what the rate leaves for it. */
function drawFaults(
  into: Uint8Array,
  { lost, rate }: { readonly lost: Uint8Array; readonly rate: number },
  uniform: Uniform,
): void {
  for (let at = 0; at < into.length; at += 1) {
    const isMet = rate > 0 && uniform() < rate;
    into[at] = isMet || lost[at] === 1 ? 1 : 0;
  }
}

/** Probability that a cell which is not lost meets a fault, where lost ones do and so many do in all. */
function rateAmongKept(all: number, lost: number): number {
  return lost >= 1 ? 0 : Math.max(0, (all - lost) / (1 - lost));
}

/** Whether two arms met faults alike, by the interval of the gate on both sides. */
function faultRule(seal: SealedExperiment, { margin, sizes }: LawOf<'faults'>) {
  const { errorLevels, bettingTruncation: truncation } = seal.analysis;
  const options = { margin, truncation, error: errorLevels.lift };
  const units = sizes.length;
  const steps = new Staircase(units);
  const isAbove = (wins: number, losses: number): boolean =>
    steps.ask({ wins, losses }, () =>
      isCountedFaultAbove({ onlyCandidate: wins, onlyBaseline: losses }, units, options),
    );
  const counted = areFaultsCounted(sizes);
  return (differences: Int8Array): boolean => {
    if (counted) {
      const [wins, losses] = signsOf(differences);
      return isAbove(wins, losses) && isAbove(losses, wins);
    }
    let at = 0;
    const means = sizes.map((size) => {
      let total = 0;
      for (const end = at + size; at < end; at += 1) total += differences[at] ?? 0;
      return total / size;
    });
    const turned = means.map((mean) => 0 - mean);
    return isMeanFaultAbove(means, options) && isMeanFaultAbove(turned, options);
  };
}

function signsOf(differences: Int8Array): [above: number, below: number] {
  let [above, below] = [0, 0];
  for (const each of differences) {
    if (each > 0) above += 1;
    else if (each < 0) below += 1;
  }
  return [above, below];
}

/** Mean waits of an arm's units. */
function drawWaits(
  sizes: readonly number[],
  { mean, deviation }: { readonly mean: number; readonly deviation: number },
  uniform: Uniform,
): number[] {
  return sizes.map((size) =>
    deviation === 0 ? mean : mean + (deviation / Math.sqrt(size)) * normalQuantile(uniform()),
  );
}

function faultDraw(
  seal: SealedExperiment,
  law: LawOf<'faults'>,
  candidates: number,
  lossRate: number,
): ConductDraw {
  const { rates, sizes, waits } = law;
  const cells = sizes.reduce((total, size) => total + size, 0);
  const [others, own, differences] = [
    new Uint8Array(cells),
    new Uint8Array(cells),
    new Int8Array(cells),
  ];
  const [baselineRate, candidateRate] = [
    rateAmongKept(rates.baseline, lossRate),
    rateAmongKept(rates.candidate, lossRate),
  ];
  const areAlike = faultRule(seal, law);
  const { lift: error } = seal.analysis.errorLevels;
  return (uniform, losses) => {
    const lost = losses[0]?.baseline ?? noCells;
    drawFaults(others, { lost, rate: baselineRate }, uniform);
    const waited =
      waits === null ? null : drawWaits(sizes, { ...waits, mean: waits.baseline }, uniform);
    return Array.from({ length: candidates }, (_, at) => {
      const ownLost = losses[at]?.candidate ?? noCells;
      drawFaults(own, { lost: ownLost, rate: candidateRate }, uniform);
      let any = false;
      for (let cell = 0; cell < cells; cell += 1) {
        const [one = 0, other = 0] = [own[cell], others[cell]];
        differences[cell] = one - other;
        any ||= one + other > 0;
      }
      const clears = !any || areAlike(differences);
      if (waits === null || waited === null) return clears;
      const ownWaits = drawWaits(sizes, { ...waits, mean: waits.candidate }, uniform);
      const apart = ownWaits.map((each, unit) => each - (waited[unit] ?? 0));
      return areWaitsAlike(apart, waits.most, error) && clears;
    });
  };
}

function countOf(cells: readonly number[], lost: Uint8Array | null | undefined): number {
  if (lost === null || lost === undefined) return 0;
  return cells.reduce((total, cell) => total + (lost[cell] ?? 0), 0);
}

const numbered = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => String(at));

function canaryDraw({ rate, cells, placebo }: LawOf<'canary'>, candidates: number): ConductDraw {
  const failing = binomialSampler(rate);
  const tally = (uniform: Uniform, lost: number): CanaryTally => ({
    cells: cells.length,
    failed: new Set(numbered(failing(uniform, cells.length - lost))),
    lost: numbered(lost).map(() => 'infrastructureFault'),
  });
  return (uniform, losses) => {
    const [first] = losses;
    const others = [tally(uniform, countOf(cells, first?.baseline))];
    if (placebo) others.push(tally(uniform, countOf(cells, first?.placebo)));
    return Array.from({ length: candidates }, (_, at) => {
      const own = tally(uniform, countOf(cells, losses[at]?.candidate));
      return canaryFinding(own, others).finding === 'cleared';
    });
  };
}

function textsDraw({ rate, cells }: LawOf<'texts'>, candidates: number): ConductDraw {
  const leaking = binomialSampler(rate);
  return (uniform, losses) =>
    Array.from({ length: candidates }, (_, at) => {
      const isLost = losses[at]?.candidate.includes(1) === true;
      return leaking(uniform, cells) === 0 && !isLost;
    });
}

/** Draws a law for so many candidates; `lossRate` is the share of cells that the world loses. */
function drawOf(
  seal: SealedExperiment,
  law: ConductLaw,
  { candidates, lossRate }: { readonly candidates: number; readonly lossRate: number },
): ConductDraw {
  const all = (clears: () => boolean): boolean[] => Array.from({ length: candidates }, clears);
  switch (law.kind) {
    case 'fixed': {
      const found = all(() => law.clears);
      return () => found;
    }
    case 'rate':
      return (uniform) => all(() => uniform() < law.rate);
    case 'faults':
      return faultDraw(seal, law, candidates, lossRate);
    case 'canary':
      return canaryDraw(law, candidates);
    case 'texts':
      return textsDraw(law, candidates);
  }
}

/** Draws all laws of a world, replicate after replicate. */
export class SimulatedConduct {
  readonly #draws: readonly { readonly gate: string; readonly draw: ConductDraw }[];
  readonly #found: readonly Map<string, boolean>[];
  /** Whether what the placebo lost matters. */
  readonly readsPlacebo: boolean;

  constructor(
    seal: SealedExperiment,
    laws: readonly ConductLaw[],
    size: { readonly candidates: number; readonly lossRate: number },
  ) {
    this.readsPlacebo = laws.some((law) => law.kind === 'canary' && law.placebo);
    this.#draws = laws.map((law) => ({ gate: law.gate, draw: drawOf(seal, law, size) }));
    this.#found = Array.from({ length: size.candidates }, () => new Map<string, boolean>());
  }

  /** Whether each gate that has a law clears, of a candidate, by name; the same map for every replicate. */
  found(candidate: number): ReadonlyMap<string, boolean> {
    return this.#found[candidate] ?? new Map();
  }

  /** Draws the next replicate. */
  draw(uniform: Uniform, losses: readonly (ConductLosses | null)[]): void {
    if (this.#draws.length === 0) return;
    for (const found of this.#found) found.clear();
    for (const { gate, draw } of this.#draws) {
      draw(uniform, losses).forEach((clears, at) => {
        const found = this.#found[at];
        found?.set(gate, clears && found.get(gate) !== false);
      });
    }
  }
}
