/**
 * Critical values for a planned, small number of looks at a normal statistic: constant (Pocock), falling (O'Brien-Fleming) or
 * from an error-spending function. Probabilities come from the recursion over looks: the density of the score among paths that
 * have not crossed, carried from look to look by Gauss-Legendre quadrature.
 */
import { LiftgateError } from '../base/errors.ts';
import { requireCount, requireOneOf, requireOpenProbability } from './arguments.ts';
import { cosSin } from './characteristic-function.ts';
import { chordRoot } from './chord-root.ts';
import { normalUpper, normalUpperQuantile } from './distribution.ts';
import { log } from './elementary.ts';
import { fallingRoot } from './monotone-root.ts';
import { normalDensity } from './special.ts';

/** Constant or falling bounds at equally spaced looks, or at those of `information`: `looks` from 1 to 30. */
export interface ShapedDesign {
  readonly design: 'pocock' | 'obrien-fleming';
  readonly looks: number;
  /** Share of the final information at each look, rising in (0, 1] to 1; as many as `looks`. */
  readonly information?: readonly number[];
  /** The whole error of the `sides` together, in (0, 1). */
  readonly significanceLevel: number;
  readonly sides: 1 | 2;
}

/** One-sided bounds that spend the error as information comes in: `information` rises in (0, 1] and ends at 1. */
export interface SpendingDesign {
  readonly design: 'spending-obrien-fleming' | 'spending-pocock';
  readonly information: readonly number[];
  readonly significanceLevel: number;
}

const designs: readonly (ShapedDesign['design'] | SpendingDesign['design'])[] = [
  'pocock',
  'obrien-fleming',
  'spending-obrien-fleming',
  'spending-pocock',
];

/** The bounds of a design, look by look. */
export interface GroupSequentialBounds {
  /** The one number behind a shaped design; absent for spending. */
  readonly constant?: number;
  readonly criticalZ: readonly number[];
  /** The p-value each critical value stands for, if it were the only look. */
  readonly nominalP: readonly number[];
  /** Probability under the null of crossing first at each look. */
  readonly stageError: readonly number[];
  /** Running total of `stageError`. */
  readonly cumulativeError: readonly number[];
}

const nodeCount = 96;
/** Standard deviations below 0 at which a one-sided path is no longer followed. */
const farBelow = 9;

interface Rule {
  readonly nodes: Float64Array;
  readonly weights: Float64Array;
}

/** Value and slope of the Legendre polynomial of degree n. */
function legendre(x: number, n: number): { readonly value: number; readonly slope: number } {
  let before = 1;
  let value = x;
  for (let k = 2; k <= n; k += 1) {
    const next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  return { value, slope: (n * (x * value - before)) / (x * x - 1) };
}

/** Gauss-Legendre on [−1, 1] by Newton's method from the cosine guess. */
function gaussLegendre(n: number): Rule {
  const nodes = new Float64Array(n);
  const weights = new Float64Array(n);
  for (let index = 0; index < n; index += 1) {
    let x = cosSin((Math.PI * (index + 0.75)) / (n + 0.5), { cos: 0, sin: 0 }).cos;
    for (let step = 0; step < 6; step += 1) {
      const { value, slope } = legendre(x, n);
      x -= value / slope;
    }
    const { slope } = legendre(x, n);
    nodes[index] = x;
    weights[index] = 2 / ((1 - x * x) * slope * slope);
  }
  return { nodes, weights };
}

/** Scores at nodes with weight × density among paths that have not crossed. */
interface Survivors {
  readonly scores: Float64Array;
  readonly mass: Float64Array;
  readonly information: number;
}

interface Look {
  readonly information: number;
  readonly critical: number;
  readonly sides: 1 | 2;
}

const start: Survivors = {
  scores: new Float64Array([0]),
  mass: new Float64Array([1]),
  information: 0,
};

/** Probability of crossing at this look among the survivors of the earlier ones. */
function crossing(before: Survivors, { information, critical, sides }: Look): number {
  const bound = critical * Math.sqrt(information);
  const step = Math.sqrt(information - before.information);
  let total = 0;
  before.scores.forEach((score, index) => {
    const mass = before.mass[index] ?? 0;
    total += mass * normalUpper((bound - score) / step);
    if (sides === 2) total += mass * normalUpper((bound + score) / step);
  });
  return total;
}

function survivors(
  before: Survivors,
  { information, critical, sides }: Look,
  rule: Rule,
): Survivors {
  const root = Math.sqrt(information);
  const upper = critical * root;
  const lower = sides === 2 ? 0 - upper : 0 - farBelow * root;
  const step = Math.sqrt(information - before.information);
  const half = (upper - lower) / 2;
  const scores = rule.nodes.map((node) => lower + half * (1 + node));
  const mass = scores.map((score, index) => {
    let density = 0;
    before.scores.forEach((from, at) => {
      density += (before.mass[at] ?? 0) * normalDensity((score - from) / step);
    });
    return (density / step) * half * (rule.weights[index] ?? 0);
  });
  return { scores, mass, information };
}

function stageErrors(looks: readonly Look[], rule: Rule): number[] {
  let state = start;
  return looks.map((look) => {
    const error = crossing(state, look);
    state = survivors(state, look, rule);
    return error;
  });
}

function added(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function looksOf({ design, looks, sides, information }: ShapedDesign, constant: number): Look[] {
  return Array.from({ length: looks }, (_, index) => {
    const seen = information?.[index] ?? index + 1;
    const whole = information === undefined ? looks : 1;
    return {
      information: seen / whole,
      critical: design === 'pocock' ? constant : constant * Math.sqrt(whole / seen),
      sides,
    };
  });
}

/** The constant at which the whole error is spent, between one look's and Bonferroni's. */
function shapedConstant(design: ShapedDesign, rule: Rule): number {
  const { significanceLevel, sides, looks } = design;
  const lower = normalUpperQuantile(significanceLevel / sides);
  if (looks === 1) return lower;
  const upper = normalUpperQuantile(significanceLevel / sides / looks);
  const excess = (constant: number): number =>
    added(stageErrors(looksOf(design, constant), rule)) - significanceLevel;
  return chordRoot(excess, { lower, upper, settled: 1e-15 });
}

function spentBy({ design, significanceLevel }: SpendingDesign, information: number): number {
  if (design === 'spending-pocock') return significanceLevel * log(1 + (Math.E - 1) * information);
  return 2 * normalUpper(normalUpperQuantile(significanceLevel / 2) / Math.sqrt(information));
}

function spendingLooks(design: SpendingDesign, rule: Rule): Look[] {
  let state = start;
  let spent = 0;
  return design.information.map((information) => {
    const wanted = spentBy(design, information) - spent;
    spent += wanted;
    const look = (z: number): Look => ({ information, critical: z, sides: 1 });
    const critical = fallingRoot((z) => crossing(state, look(z)) - wanted, {
      lower: -8,
      upper: 38,
    });
    state = survivors(state, look(critical), rule);
    return look(critical);
  });
}

function requireInformation(information: readonly number[]): void {
  const rises = information.every(
    (share, index) => share > (information[index - 1] ?? 0) && share <= 1,
  );
  if (rises && information.length > 0 && information[information.length - 1] === 1) return;
  throw new LiftgateError(
    'stats-argument-invalid',
    `information must rise from above 0 and end at 1, got ${information.join(', ')}`,
    { where: { path: 'information' }, mend: 'Give each look as a share of the final information.' },
  );
}

/**
 * The critical values of a group-sequential design.
 *
 * Critical values are right to about 1e-9. Cost: up to ten looks of 96 × 96 densities per step of the search, some 50 ms.
 *
 * @param design  shape with its number of looks, or spending function with its information shares
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example groupSequentialBounds({ design: 'pocock', looks: 2, significanceLevel: 0.05, sides: 2 }).constant
 * // => 2.1782720887 to 9 digits
 * @see Armitage, McPherson & Rowe (1969), JRSS A 132:235; Jennison & Turnbull (2000), Group Sequential Methods, chapters 2, 7, 19
 */
export function groupSequentialBounds(
  design: ShapedDesign | SpendingDesign,
): GroupSequentialBounds {
  requireOpenProbability('significanceLevel', design.significanceLevel);
  requireOneOf('design', design.design, designs);
  requireOneOf('sides', 'sides' in design ? design.sides : 1, [1, 2]);
  const rule = gaussLegendre(nodeCount);
  let looks: Look[];
  let constant: number | undefined;
  if ('looks' in design) {
    requireCount('looks', design.looks, 1);
    requireCount('30 - looks', 30 - design.looks);
    if (design.information !== undefined) {
      requireInformation(design.information);
      requireCount('information - looks', 0 - Math.abs(design.information.length - design.looks));
    }
    constant = shapedConstant(design, rule);
    looks = looksOf(design, constant);
  } else {
    requireInformation(design.information);
    looks = spendingLooks(design, rule);
  }
  const stageError = stageErrors(looks, rule);
  return {
    ...(constant === undefined ? {} : { constant }),
    criticalZ: looks.map(({ critical }) => critical),
    nominalP: looks.map(({ critical, sides }) => sides * normalUpper(critical)),
    stageError,
    cumulativeError: stageError.map((_, index) => added(stageError.slice(0, index + 1))),
  };
}
