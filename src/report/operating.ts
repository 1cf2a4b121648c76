/** The operating characteristics of a design, for programs and as lines for people. */
import { shownNumber } from '../gate/gate.ts';
import { type GateCoverage, gateCoverage } from '../gate/gate-coverage.ts';
import {
  type FalseShip,
  falseShipRates,
  isBeyondLimit,
  type SimulatedRate,
} from '../gate/null-scenarios.ts';
import type { CandidatePilot } from '../gate/pilot.ts';
import { expectedSpending, type PlanDesign } from '../gate/plan-world.ts';
import { type PowerPlan, planPower } from '../gate/power-plan.ts';
import type { SimulationOptions } from '../gate/simulate.ts';
import { type Assumptions, mergedAssumptions } from '../spec/assumptions.ts';

/** What simulated decisions say about a sealed design; `seed` and `simulations` make them again. */
export interface OperatingCharacteristics {
  /** Simulated decisions of each scenario. */
  readonly simulations: number;
  readonly seed: string;
  /** Scenarios that were simulated, each step of a search among them, and decisions in all. */
  readonly scenarios: number;
  readonly decisions: number;
  readonly falseShip: readonly FalseShip[];
  readonly power: PowerPlan | null;
  /** Units that a fixed design of this size measures; only of a sequential one. */
  readonly plannedUnits?: number;
  /** Every gate: drawn with what is assumed, or taken to pass and why. */
  readonly gates: readonly GateCoverage[];
  /** What was stated or measured, and where: in the power gate, a file, a pilot. */
  readonly assumed: Assumptions;
  /** Which candidate of the pilot each was read from, and what is assumed of it; only with a pilot. */
  readonly pilot?: readonly CandidatePilot[];
  /** Dollars and minutes of the whole run, as far as they are stated. */
  readonly expected: { readonly usd: number | null; readonly minutes: number | null };
}

/** Simulates the sealed decision over the scenario grids and at the planned effect; what a pilot says holds in place of the assumptions. */
export async function operatingCharacteristics(
  { pilot, ...plain }: PlanDesign & { readonly pilot?: readonly CandidatePilot[] },
  options: SimulationOptions,
): Promise<OperatingCharacteristics> {
  const sealed = plain.seal.decision.gates.find((each) => each.gate === 'power')?.assume;
  const read = pilot?.map((each) => ({
    ...each,
    assumptions: mergedAssumptions(sealed ?? {}, each.assumptions),
  }));
  const assumptions =
    read?.[0]?.assumptions ?? mergedAssumptions(sealed ?? {}, plain.assumptions ?? {});
  const candidates = readApart(read)?.map((each) => each.assumptions);
  const design = { ...plain, assumptions, ...(candidates && { candidates }) };
  let scenarios = 0;
  let decisions = 0;
  const counting = {
    ...options,
    onScenarios: (simulated: number, decided: number): void => {
      scenarios += simulated;
      decisions += decided;
      options.onScenarios?.(simulated, decided);
    },
  };
  const falseShip = await falseShipRates(design, counting);
  const power = await planPower(design, counting);
  return {
    simulations: options.replicates,
    seed: options.seed,
    scenarios,
    decisions,
    falseShip,
    power,
    ...(design.seal.analysis.looks && { plannedUnits: design.seal.units.count }),
    gates: gateCoverage(design),
    assumed: assumptions,
    ...(read && { pilot: read }),
    expected: expectedSpending(design),
  };
}

/** Candidates that were read from several ones of a pilot; from a single one, all have the same assumptions. */
function readApart(
  pilot: readonly CandidatePilot[] | undefined,
): readonly CandidatePilot[] | undefined {
  return new Set(pilot?.map(({ from }) => from)).size > 1 ? pilot : undefined;
}

/** The characteristics as lines. */
export function operatingLines({
  simulations,
  falseShip,
  power,
  plannedUnits,
  gates,
  assumed,
  pilot,
  expected,
}: OperatingCharacteristics): string[] {
  return [
    `How often these rules ship a candidate that is no better (${simulations} simulated decisions a scenario, the worst one shown):`,
    ...falseShip.map(falseShipLine),
    ...(power === null
      ? ['Power: not simulated for this design (no lift gate, or too few units).']
      : powerLines(power)),
    ...(plannedUnits === undefined ? [] : savedLines({ falseShip, power, plannedUnits })),
    ...coverageLines(gates),
    ...assumedLines(assumed),
    ...pilotLines(pilot),
    ...expectedLines(expected),
  ];
}

function assumedLines({ measures, ...rest }: Assumptions): string[] {
  const others = Object.entries(rest).map(([key, value]) => `  ${key}: ${shownAssumption(value)}`);
  const lines = [...measureLines(measures), ...others];
  return lines.length === 0 ? [] : ['Stated or measured:', ...lines];
}

function measureLines(measures: Assumptions['measures'] = {}): string[] {
  return Object.entries(measures).flatMap(([id, found]) => {
    const parts = Object.entries(found).map(([key, value]) => `${key} ${shownNumber(value ?? 0)}`);
    return parts.length === 0 ? [] : [`  ${id}: ${parts.join(', ')}`];
  });
}

/** Where each candidate was read; what was read, besides the first one's above, where candidates were read apart. */
function pilotLines(pilot: readonly CandidatePilot[] = []): string[] {
  const apart = readApart(pilot) !== undefined;
  return pilot.flatMap(({ candidate, from, assumptions }, at) => [
    candidate === from
      ? `Measures and spending of "${candidate}": from the pilot's candidate of that name`
      : `Measures and spending of "${candidate}", of which the pilot has no candidate: from its first, "${from}"`,
    ...(apart && at > 0 ? candidateLines(assumptions) : []),
  ]);
}

function candidateLines({ measures, usdPerCell, tokensPerCell }: Assumptions): string[] {
  const spent = Object.entries({ usdPerCell, tokensPerCell }).flatMap(([key, value]) =>
    value === undefined ? [] : [`  ${key}: ${shownAssumption(value)}`],
  );
  return [...measureLines(measures), ...spent];
}

/** A number, or the members of an assumption with theirs. */
function shownAssumption(value: number | object = 0): string {
  if (typeof value === 'number') return shownNumber(value);
  const members: readonly [string, number | object][] = Object.entries(value);
  return members.map(([key, each]) => `${key} ${shownAssumption(each)}`).join(', ');
}

function expectedLines({ usd, minutes }: OperatingCharacteristics['expected']): string[] {
  if (usd === null && minutes === null) return [];
  const cost = usd === null ? [] : [`${shownNumber(usd)} USD`];
  const time = minutes === null ? [] : [`${shownNumber(minutes)} minutes`];
  return [`Expected of the whole run, each cell once: ${[...cost, ...time].join(', ')}`];
}

function coverageLines(gates: readonly GateCoverage[]): string[] {
  const drawn = gates.filter(({ simulated }) => simulated).map(({ gate }) => gate);
  const passed = gates.filter(({ simulated }) => !simulated);
  const assumed = gates.filter(({ simulated, why }) => simulated && why !== '');
  return [
    `Simulated gates: ${drawn.length === 0 ? 'none' : drawn.join(', ')}`,
    ...assumed.map(({ gate, why }) => `  ${gate}: ${why}`),
    ...(passed.length === 0 ? [] : ['Not simulated, and taken to pass in the power above:']),
    ...passed.map(({ gate, why }) => `  ${gate}: ${why}`),
  ];
}

/** Units a sequential design leaves unmeasured on average, where its candidate is no better and where it is better as planned. */
function savedLines({
  falseShip,
  power,
  plannedUnits,
}: Pick<OperatingCharacteristics, 'falseShip' | 'power'> & {
  readonly plannedUnits: number;
}): string[] {
  const saved = (rate: SimulatedRate | undefined | null): string =>
    rate?.meanUnits === undefined ? 'unknown' : shownNumber(plannedUnits - rate.meanUnits);
  const better = power?.rows.map(({ ship }) => saved(ship)).join(', ') ?? '';
  return [
    `Units saved on average against the fixed design of ${plannedUnits}: ${saved(falseShip[0]?.worst)} at the worst null${better === '' ? '' : `; ${better} at the planned improvement`}.`,
    '  Looks are simulated on paired differences alone: no cell is lost, gates on one arm and on conduct pass.',
  ];
}

function falseShipLine(rate: FalseShip): string {
  const { gate, grid, guarantee, nominal, limit, worst } = rate;
  if (worst === null) return `  ${gate}, ${grid} grid: no scenario at this number of units`;
  const verdict =
    limit === null
      ? `nominal ${shownPercent(nominal)}`
      : `nominal ${shownPercent(nominal)}, limit ${shownPercent(limit)}`;
  const over = isBeyondLimit(rate) ? '; ABOVE THE LIMIT' : '';
  return `  ${gate}, ${grid} grid: ${shownRate(worst)} (${verdict}, ${guarantee}) at ${worst.scenario}${over}`;
}

function powerLines({
  candidate,
  effect,
  target,
  rows,
  planned,
  minimumDetectableEffect,
  unitsForTarget,
  there,
}: PowerPlan): string[] {
  const smallest =
    minimumDetectableEffect === null
      ? `  no effect is found with ${shownPercent(target)} power`
      : `  smallest effect found with ${shownPercent(target)} power: ${shownNumber(minimumDetectableEffect)}`;
  if (effect === null)
    return ['Power: the design names no effect (claim.minimumEffect, or a power gate).', smallest];
  if (rows.length === 0) {
    return [
      `Power: an improvement of ${shownNumber(effect)} does not exceed the lift threshold, so no number of units would do.`,
      smallest,
    ];
  }
  return [
    `Power at an improvement of ${shownNumber(effect)}:`,
    ...rows.map(({ candidate: better, assumption, ship, gates }) => {
      const alone =
        gates.length < 2
          ? ''
          : `; alone ${gates.map(({ gate, rate }) => `${gate} ${shownPercent(rate)}`).join(', ')}`;
      const whose = better === undefined ? '' : `${better}: `;
      return `  ${whose}${shownRate(ship)} ship when ${assumption}${alone}`;
    }),
    `Planned ${candidate === undefined ? '' : `for ${candidate} `}with: ${planned}`,
    smallest,
    unitsLine({ target, unitsForTarget, ...(there && { there }) }),
  ];
}

function unitsLine({
  target,
  unitsForTarget,
  there,
}: Pick<PowerPlan, 'target' | 'unitsForTarget' | 'there'>): string {
  if (unitsForTarget === 'more' || unitsForTarget === null || there === undefined) {
    return `  no number of units that was tried reaches ${shownPercent(target)} power at that improvement`;
  }
  const looks = there.looks === undefined ? '' : `, with looks at ${there.looks.join(', ')}`;
  return `  units for ${shownPercent(target)} power at that improvement: ${unitsForTarget}${looks}; there ${shownRate(there.ship)} ship`;
}

function shownPercent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}

function shownRate({ rate, standardError, meanUnits }: SimulatedRate): string {
  const measured =
    meanUnits === undefined ? '' : `, ${shownNumber(meanUnits)} units measured on average`;
  return `${shownPercent(rate)} (Monte Carlo error ${shownPercent(standardError)}${measured})`;
}
