/** The operating characteristics of a design, for programs and as lines for people. */
import { shownNumber } from '../gate/gate.ts';
import {
  type FalseShip,
  falseShipRates,
  isBeyondLimit,
  type SimulatedRate,
} from '../gate/null-scenarios.ts';
import { type PowerPlan, planPower } from '../gate/power-plan.ts';
import type { SimulationOptions } from '../gate/simulate.ts';
import type { CaseIndex } from '../spec/case-index.ts';
import type { SealedExperiment } from '../spec/seal.ts';

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
}

/** Simulates the sealed decision over the scenario grids and at the planned effect. */
export async function operatingCharacteristics(
  design: { readonly seal: SealedExperiment; readonly index: CaseIndex },
  options: SimulationOptions,
): Promise<OperatingCharacteristics> {
  let scenarios = 0;
  const counting = {
    ...options,
    onScenarios: (simulated: number): void => {
      scenarios += simulated;
    },
  };
  const falseShip = await falseShipRates(design, counting);
  const power = await planPower(design, counting);
  return {
    simulations: options.replicates,
    seed: options.seed,
    scenarios,
    decisions: scenarios * options.replicates,
    falseShip,
    power,
  };
}

/** The characteristics as lines. */
export function operatingLines({
  simulations,
  falseShip,
  power,
}: OperatingCharacteristics): string[] {
  return [
    `How often these rules ship a candidate that is no better (${simulations} simulated decisions a scenario, the worst one shown):`,
    ...falseShip.map(falseShipLine),
    ...(power === null
      ? ['Power: not simulated for this design (no lift gate, or too few units).']
      : powerLines(power)),
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
  effect,
  target,
  rows,
  planned,
  minimumDetectableEffect,
  unitsForTarget,
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
    ...rows.map(({ assumption, ship, gates }) => {
      const alone =
        gates.length < 2
          ? ''
          : `; alone ${gates.map(({ gate, rate }) => `${gate} ${shownPercent(rate)}`).join(', ')}`;
      return `  ${shownRate(ship)} ship when ${assumption}${alone}`;
    }),
    `Planned with: ${planned}`,
    smallest,
    unitsForTarget === 'more'
      ? `  more than 20000 units are needed for ${shownPercent(target)} power at that improvement`
      : `  units for ${shownPercent(target)} power at that improvement: ${unitsForTarget}`,
  ];
}

function shownPercent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}

function shownRate({ rate, standardError }: SimulatedRate): string {
  return `${shownPercent(rate)} (Monte Carlo error ${shownPercent(standardError)})`;
}
