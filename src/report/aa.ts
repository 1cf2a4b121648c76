/** What an A/A run found, for programs and as lines for people: exploratory, recorded nowhere, never an outcome. */
import type { Evidence } from '../analysis/evidence.ts';
import { rowsOf } from '../base/rows.ts';
import { AaRedraws, AaTally } from '../gate/aa.ts';
import { type AaNoise, type AaPlace, aaLevel, aaNoise, aaOutputs } from '../gate/aa-noise.ts';
import { customGates } from '../gate/custom.ts';
import { effectGates } from '../gate/effect.ts';
import { type Decision, shownNumber } from '../gate/gate.ts';
import type { AaDesign } from '../spec/aa-design.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { seedHex } from '../spec/seeds.ts';
import type { OutcomeClass } from '../spec/spec.ts';
import { type Interval, isIndeterminate } from '../stats/interval.ts';
import { clopperPearsonInterval } from '../stats/proportion.ts';

/** Decisions of the sealed rules on copies of the baseline. */
export interface AaDecisions {
  readonly decisions: number;
  /** Decisions in which any candidate ships. */
  readonly ships: number;
  /** Clopper and Pearson's interval of the ship rate; null without a decision. */
  readonly rate: Interval | null;
  /** Decisions about the first candidate. */
  readonly of: Readonly<Record<Decision, number>>;
  /** What each gate said of the first candidate, as counts. */
  readonly gates: readonly {
    readonly gate: string;
    readonly required: boolean;
    readonly cleared: number;
    readonly breached: number;
  }[];
}

/** Something to look at before final units are spent. */
export interface AaNote {
  readonly code:
    | 'above-nominal'
    | 'place-matters'
    | 'answers-alike'
    | 'cells-without-outcome'
    | 'few-units'
    | 'copies-may-ship'
    | 'gates-not-run';
  readonly text: string;
}

export interface AaReport {
  readonly stamp: 'exploratory';
  readonly experiment: string;
  readonly units: Pick<AaDesign, 'development' | 'measured' | 'planned'>;
  readonly rounds: { readonly asked: number; readonly complete: number };
  readonly cells: {
    readonly planned: number;
    readonly settled: number;
    /** Attempts by outcome class. */
    readonly attempts: Readonly<Partial<Record<OutcomeClass, number>>>;
  };
  /** Why dispatch ended before every cell was tried; null when it did not. */
  readonly stoppedBy: string | null;
  /** Controls included; what has no known cost at its reserved maximum. */
  readonly spentUsd: number;
  /** Error at which the rules may ship a candidate that is no better; null where a copy of the baseline may ship rightly. */
  readonly nominal: number | null;
  /** One decision for each complete round, as it was run. */
  readonly measured: AaDecisions;
  /** Orders of the arms drawn again over the same answers; null where none were asked for or no round is complete. */
  readonly redrawn: (AaDecisions & { readonly seed: string }) | null;
  readonly outputs: { readonly blocks: number; readonly equal: number };
  readonly noise: readonly AaNoise[];
  readonly notes: readonly AaNote[];
}

/** What was measured of an A/A run. */
export interface AaMeasured {
  readonly plan: SealedExperiment;
  readonly design: AaDesign;
  /** Rounds asked for. */
  readonly asked: number;
  /** Evidence of each round that was begun; at least one. */
  readonly rounds: readonly Evidence[];
  readonly cells: { readonly planned: number; readonly settled: number };
  readonly stoppedBy: string | null;
  readonly spentUsd: number;
}

/** How orders of the arms are drawn again. */
export interface AaDrawing {
  /** Redraws in all; they take turns among the complete rounds. */
  readonly redraws: number;
  /** Called after each redraw, with how many are done; it may stop the work by throwing. */
  readonly onRedraw: (done: number) => Promise<void> | void;
}

/** Judges what was measured, draws its orders again, and says what it shows of the host. */
export async function aaReport(
  measured: AaMeasured,
  { redraws, onRedraw }: AaDrawing,
): Promise<AaReport> {
  const { plan, design, rounds, asked } = measured;
  // A round that was cut short is no decision of the design; its answers are noise like any.
  const complete = measured.stoppedBy === null ? rounds : rounds.slice(0, -1);
  const tally = new AaTally();
  for (const round of complete) tally.add(round);
  const seed = seedHex(plan.digests.cases, 'aa');
  const again = new AaTally();
  const draws = complete.map((round) => new AaRedraws(round, design.planned));
  for (let number = 0; draws.length > 0 && number < redraws; number += 1) {
    const drawn = draws[number % draws.length]?.draw(seed, number);
    if (drawn !== undefined) again.add(drawn);
    await onRedraw(number + 1);
  }
  const { development, measured: units, planned } = design;
  const report = {
    stamp: 'exploratory' as const,
    experiment: plan.experimentId,
    units: { development, measured: units, planned },
    rounds: { asked, complete: complete.length },
    cells: { ...measured.cells, attempts: attemptsOf(rounds) },
    stoppedBy: measured.stoppedBy,
    spentUsd: measured.spentUsd,
    nominal: asksForGain(plan) ? plan.analysis.errorLevels.lift : null,
    measured: decisionsOf(tally),
    redrawn: again.decisions === 0 ? null : { ...decisionsOf(again), seed },
    outputs: aaOutputs(rounds),
    noise: aaNoise(rounds, seed),
  };
  return { ...report, notes: [...notesOf(report), ...unrunGates(plan)] };
}

function attemptsOf(rounds: readonly Evidence[]): AaReport['cells']['attempts'] {
  const found: Partial<Record<OutcomeClass, number>> = {};
  for (const { receipt } of rowsOf(...rounds.map(({ lines }) => lines)))
    found[receipt.outcome] = (found[receipt.outcome] ?? 0) + 1;
  return found;
}

/** Whether a copy of the baseline cannot rightly ship: a required gate asks for more than no difference. */
function asksForGain(plan: SealedExperiment): boolean {
  return (
    effectGates(plan).some(({ required, threshold }) => required && threshold >= 0) ||
    plan.decision.gates.some(({ gate, required }) => required && gate === 'pareto')
  );
}

function decisionsOf({ decisions, ships, of, gates }: AaTally): AaDecisions {
  const rate = clopperPearsonInterval({ successes: ships, units: decisions }, aaLevel);
  return { decisions, ships, rate: isIndeterminate(rate) ? null : rate, of, gates };
}

function notesOf(report: Omit<AaReport, 'notes'>): AaNote[] {
  const { units, cells, nominal, redrawn, outputs, noise, stoppedBy } = report;
  const notes: AaNote[] = [];
  const lower = redrawn?.rate?.lower ?? 0;
  if (nominal !== null && lower > nominal) {
    notes.push({
      code: 'above-nominal',
      text: `Copies of the baseline ship in more than ${percent(lower)} of the redraws, and the rules allow ${percent(nominal)}: with noise like this they ship too often.`,
    });
  }
  for (const { measure, place } of noise) {
    if (place === null || place.adjusted > 1 - aaLevel) continue;
    notes.push({
      code: 'place-matters',
      text: `"${measure}": ${placeText(place)}. Something is carried over between calls; the balanced order of the arms keeps it from favouring one, and it adds noise.`,
    });
  }
  if (outputs.blocks > 0 && outputs.equal === outputs.blocks) {
    notes.push({
      code: 'answers-alike',
      text: `Every block gave equal outputs (${outputs.blocks} of ${outputs.blocks}): the host is deterministic, or answers from a cache that a candidate may not have. Nothing about noise is learnt from this.`,
    });
  }
  if (cells.settled < cells.planned) {
    const why = stoppedBy === null ? '' : `; dispatch ended early (${stoppedBy})`;
    notes.push({
      code: 'cells-without-outcome',
      text: `${cells.planned - cells.settled} of ${cells.planned} cells have no outcome${why}.`,
    });
  }
  if (units.measured < units.planned) {
    notes.push({
      code: 'few-units',
      text: `${units.measured} units were measured and ${units.planned} are planned: redraws draw units with replacement, so their rates are those of ${units.planned} units like these ${units.measured}.`,
    });
  }
  if (nominal === null) {
    notes.push({
      code: 'copies-may-ship',
      text: 'No required gate asks for a gain, so a copy of the baseline may ship rightly: the ship rate is no error here.',
    });
  }
  return notes;
}

/** Gates whose code an A/A run does not run. */
function unrunGates({ decision }: SealedExperiment): AaNote[] {
  const own = customGates(decision.gates).filter(({ required }) => required);
  if (own.length === 0) return [];
  const names = own.map(({ name }) => `"${name}"`).join(', ');
  const text = `The code of ${names} is not run here and taken not to object: the ship rate is that of the other gates.`;
  return [{ code: 'gates-not-run', text }];
}

const percent = (share: number): string => `${shownNumber(Number((100 * share).toPrecision(3)))} %`;

/** What was measured and how often copies of the baseline ship, as lines. */
export function aaLines(report: AaReport): string[] {
  const { units, rounds, cells, measured, redrawn, nominal } = report;
  const attempts = Object.entries(cells.attempts).map(([name, count]) => `${count} ${name}`);
  return [
    `A/A of ${report.experiment}, exploratory: the baseline as its own candidate. Nothing is recorded, no final unit is touched.`,
    `Measured: ${units.measured} of ${units.development} development units (${units.planned} final units are planned), ${rounds.complete} of ${rounds.asked} rounds, ${cells.settled} of ${cells.planned} cells; attempts: ${attempts.join(', ') || 'none'}; ${shownNumber(report.spentUsd)} USD at most`,
    `Shipped as run: ${rateText(measured)}`,
    ...(redrawn === null
      ? []
      : [
          `Shipped with the order of the arms drawn again: ${rateText(redrawn)}${nominal === null ? '' : `; allowed ${percent(nominal)}`}`,
          `  decisions about the first candidate: ${Object.entries(redrawn.of)
            .filter(([, count]) => count > 0)
            .map(([decision, count]) => `${decision} ${percent(count / redrawn.decisions)}`)
            .join(', ')}`,
          ...redrawn.gates.map(
            ({ gate, required, cleared, breached }) =>
              `  ${gate}${required ? '' : ' (optional)'}: cleared ${percent(cleared / redrawn.decisions)}, breached ${percent(breached / redrawn.decisions)}`,
          ),
        ]),
    ...noiseLines(report),
    ...report.notes.map(({ text }) => `Note: ${text}`),
  ];
}

function rateText({ ships, decisions, rate }: AaDecisions): string {
  if (rate === null) return 'no decision, no round is complete';
  return `${ships} of ${decisions} (${100 * aaLevel} % exact interval ${percent(rate.lower)} .. ${percent(rate.upper)})`;
}

function noiseLines({ noise, outputs }: AaReport): string[] {
  return [
    `Noise between calls that should agree (${outputs.equal} of ${outputs.blocks} blocks gave equal outputs):`,
    ...noise.flatMap((each) => {
      const { measure, scale, units, blocks, tied, differing } = each;
      if (units === 0) return [`  ${measure}: no two values of one block`];
      const { interval } = differing;
      const share =
        interval === null
          ? ''
          : ` (${percent(interval.lower)} .. ${percent(interval.upper)} of units)`;
      return [
        `  ${measure}${scale === 'log' ? ' (logarithms)' : ''}: ${blocks - tied} of ${blocks} blocks differ, in ${differing.units} of ${units} units${share}; deviation of a cell ${shown(each.cellDeviation)}, of a unit's difference ${shown(each.unitDeviation)}`,
        ...(each.place === null ? [] : [`    ${placeText(each.place)}`]),
      ];
    }),
  ];
}

const shown = (value: number | null): string => (value === null ? 'unknown' : shownNumber(value));

function placeText({ units, difference, interval, p, adjusted }: AaPlace): string {
  const bounds =
    interval === null ? '' : ` (${shownNumber(interval.lower)} .. ${shownNumber(interval.upper)})`;
  return `later calls differ from the first of their block by ${shownNumber(difference)}${bounds}, ${units} units, sign-flip p ${shownNumber(p)}, for all measures ${shownNumber(adjusted)}`;
}
