/** The calculators as commands: words, options and examples; what computes them is loaded only when called. */
import type { Calculator } from './calculator/calculate.ts';

type Option = readonly [flags: string, text: string, preset?: string];

/** One calculator as a command. */
export interface CalculatorKind {
  /** Name and words, as commander reads them. */
  readonly words: string;
  readonly does: string;
  readonly example: string;
  readonly options: readonly Option[];
  readonly load: () => Promise<Calculator>;
}

/** A command whose subcommands are calculators. */
export interface CalculatorGroup {
  readonly name: string;
  readonly does: string;
  readonly kinds: readonly CalculatorKind[];
}

const level: Option = ['--level <p>', 'coverage wanted of both bounds together', '0.95'];
const threshold: Option = ['--threshold <d>', 'what the lower bound must clear', '0'];
const file: Option = ['--file <path>', 'data, see the example'];
const values: readonly Option[] = [
  ['--values <list>', 'numbers with commas between them'],
  ['--file <path>', 'or a file of numbers'],
];
const resampling: readonly Option[] = [
  ['--seed <word>', 'seed of the resampling', 'liftgate'],
  ['--resamples <count>', 'resamples where no exact law is known', '10000'],
];
const sides: Option = ['--sides <1|2>', 'one direction or both', '1'];
const power: Option = ['--power <p>', 'power wanted', '0.8'];
const rates: readonly Option[] = [
  ['--gain <p>', 'share of units that only the candidate gets right'],
  ['--loss <p>', 'share of units that only the baseline gets right'],
];
const units: Option = ['--n <units>', 'number of units; left out: find it'];
const limit: Option = ['--limit <units>', 'most units to look at', '1000'];

const statsKinds: readonly CalculatorKind[] = [
  {
    words: 'paired-binary <gains> <losses>',
    does: 'difference of two rates on the same units, every interval and test',
    example: 'liftgate stats paired-binary 15 5 --n 76',
    options: [
      ['--n <units>', 'all units, the tied ones included'],
      ['--both <units>', 'units where both arms are right'],
      level,
      threshold,
      ['--finite-sample', 'decide by the exact unconditional bound'],
    ],
    load: async () => (await import('./commands/stats-paired.ts')).pairedBinary,
  },
  {
    words: 'proportion <successes> <units>',
    does: 'one rate',
    example: 'liftgate stats proportion 19 20 --min 0.7',
    options: [
      level,
      ['--min <p>', 'least rate to be shown'],
      ['--max <p>', 'largest rate to be shown'],
    ],
    load: async () => (await import('./commands/stats-rates.ts')).proportion,
  },
  {
    words: 'two-proportions <successes> <units> <baseline-successes> <baseline-units>',
    does: 'difference of two independent rates, the candidate first',
    example: 'liftgate stats two-proportions 56 70 48 80',
    options: [level],
    load: async () => (await import('./commands/stats-rates.ts')).twoProportions,
  },
  {
    words: 'mean',
    does: 'mean difference, one number per unit',
    example: 'liftgate stats mean --values 0.1,0.4,-0.2,0.3,0.5,0.2',
    options: [...values, level, ...resampling],
    load: async () => (await import('./commands/stats-values.ts')).mean,
  },
  {
    words: 'bounded',
    does: 'mean of values with declared bounds, right at every number of units',
    example: 'liftgate stats bounded --values 0.5,0,0.25,1 --min -1 --max 1',
    options: [
      ...values,
      ['--min <value>', 'least value possible'],
      ['--max <value>', 'largest value possible'],
      level,
      ['--truncation <share>', 'largest share of the stake in one bet', '0.95'],
    ],
    load: async () => (await import('./commands/stats-values.ts')).bounded,
  },
  {
    words: 'clustered',
    does: 'pooled difference of several cases per unit',
    example: 'liftgate stats clustered --file units.jsonl  # lines: {"unit":"u1","difference":1}',
    options: [file, ['--kind <score|binary>', 'binary: differences -1, 0, 1', 'score'], level],
    load: async () => (await import('./commands/stats-units.ts')).clustered,
  },
  {
    words: 'percentile',
    does: 'percentiles, and whether there are values enough for them',
    example: 'liftgate stats percentile --file durations.txt --percent 50,95,99',
    options: [...values, ['--percent <list>', 'percentages with commas between them', '50,95,99']],
    load: async () => (await import('./commands/stats-values.ts')).percentile,
  },
  {
    words: 'agreement',
    does: 'agreement of two or more raters on the same units',
    example:
      'liftgate stats agreement --file ratings.jsonl  # lines: {"first":4,"second":5} or {"ratings":[4,5,null]}',
    options: [
      file,
      ['--kind <number|category>', 'what a rating is', 'number'],
      ['--measure <name>', 'measure that the interval is for', 'lin'],
      level,
      ...resampling,
    ],
    load: async () => (await import('./commands/stats-raters.ts')).agreement,
  },
];

const loadPower = async () => import('./commands/power.ts');

const powerKinds: readonly CalculatorKind[] = [
  {
    words: 'paired-binary',
    does: 'paired outcomes: power at --n, else units',
    example: 'liftgate power paired-binary --gain 0.2 --loss 0.1 --n 200',
    options: [...rates, units, threshold, level, power, limit],
    load: async () => (await loadPower()).pairedBinaryPower,
  },
  {
    words: 'noninferiority',
    does: 'paired outcomes no worse than a margin: power at --n, else units',
    example: 'liftgate power noninferiority --margin 0.05 --gain 0.05 --loss 0.05',
    options: [
      ['--margin <d>', 'largest loss tolerated, above 0'],
      ...rates,
      units,
      level,
      power,
      limit,
    ],
    load: async () => (await loadPower()).noninferiorityPower,
  },
  {
    words: 'paired-t',
    does: 'mean difference: power at --n, else units',
    example: 'liftgate power paired-t --effect 0.5',
    options: [['--effect <d>', 'mean over standard deviation'], units, sides, level, power],
    load: async () => (await loadPower()).pairedTPowerAnswer,
  },
  {
    words: 'units',
    does: 'units for a mean difference of known spread',
    example: 'liftgate power units --standard-deviation 0.25 --effect 0.1',
    options: [
      ['--standard-deviation <s>', 'of the differences'],
      ['--effect <d>', 'mean difference to be found'],
      threshold,
      level,
      power,
    ],
    load: async () => (await loadPower()).unitsPower,
  },
  {
    words: 'detectable',
    does: 'smallest effect that a number of units detects',
    example: 'liftgate power detectable --n 50',
    options: [['--n <units>', 'number of units'], sides, level, power],
    load: async () => (await loadPower()).detectablePower,
  },
  {
    words: 'two-proportions',
    does: 'units per arm for two independent rates',
    example: 'liftgate power two-proportions --candidate 0.75 --baseline 0.5',
    options: [['--candidate <p>', 'its rate'], ['--baseline <p>', 'its rate'], level, power],
    load: async () => (await loadPower()).twoProportionsPower,
  },
  {
    words: 'clustered',
    does: 'what several cases per unit cost',
    example: 'liftgate power clustered --cases 120 --mean-size 10 --icc 0.05',
    options: [
      ['--cases <count>', 'independent cases that would do'],
      ['--mean-size <count>', 'cases per unit'],
      ['--icc <p>', 'correlation of cases within a unit'],
      ['--size-variation <v>', 'standard deviation over mean of the sizes', '0'],
    ],
    load: async () => (await loadPower()).clusteredPower,
  },
];

/** `stats` and `power` with their kinds. */
export const calculatorGroups: readonly CalculatorGroup[] = [
  { name: 'stats', does: 'intervals and tests from counts or values', kinds: statsKinds },
  { name: 'power', does: 'power and number of units of a design', kinds: powerKinds },
];
