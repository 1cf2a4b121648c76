import { describe, expect } from 'vitest';
import { detectableEffect, pairedTPower, pairedTUnits, type Sides } from '../../src/stats/power.ts';
import {
  arcsineUnits,
  clusteredPlan,
  designEffect,
  designEffectOfSizes,
  twoProportionUnits,
} from '../../src/stats/power-design.ts';
import {
  type McnemarRule,
  mcnemarPower,
  mcnemarSearch,
  mcnemarUnits,
  tangoPower,
} from '../../src/stats/power-paired-binary.ts';
import { referenceTests } from '../support/reference.ts';

interface PowerInput {
  readonly alpha: number;
  readonly sided: Sides;
  readonly dz: number;
  readonly n: number;
  readonly p10: number;
  readonly p01: number;
}

const sideOf = ({ alpha, sided }: PowerInput) => ({ error: alpha / sided, sides: sided });
const ratesOf = ({ p10, p01 }: PowerInput) => ({ onlyCandidate: p10, onlyBaseline: p01 });

/** Power at the rates, and at equal rates with the same discordant share. */
function mcnemarFields(input: PowerInput, rule: McnemarRule): Record<string, number> {
  const half = (input.p10 + input.p01) / 2;
  const equal = { onlyCandidate: half, onlyBaseline: half };
  return {
    power: mcnemarPower({ units: input.n, rates: ratesOf(input), ...rule }),
    actualAlpha: mcnemarPower({ units: input.n, rates: equal, ...rule }),
  };
}

describe('power and sample size', () => {
  referenceTests('power.json', {
    methods: {
      pairedTPower: {
        compute: (input) => ({
          power: pairedTPower({
            units: input.n,
            standardizedEffect: input.dz,
            ...sideOf(input),
          }),
        }),
      },
      pairedTSampleSize: {
        compute: (input) => {
          const { dz, power } = input;
          const found = pairedTUnits({ standardizedEffect: dz, power, ...sideOf(input) });
          return {
            n: found.units,
            nFractional: found.fractional,
            nNormal: found.normal.units,
            nNormalFractional: found.normal.fractional,
          };
        },
      },
      publishedN: {
        compute: (input) => {
          const { dz, power } = input;
          return { n: pairedTUnits({ standardizedEffect: dz, power, ...sideOf(input) }).units };
        },
      },
      pairedTMde: {
        compute: (input) => {
          const { n, power } = input;
          const found = detectableEffect({ units: n, power, ...sideOf(input) });
          return { dz: found.standardizedEffect, dzNormal: found.normal };
        },
      },
      mcnemarSampleSize: {
        compute: (input) => {
          const rates = ratesOf(input);
          const { error, sides } = sideOf(input);
          const { power } = input;
          const { connor, miettinen } = mcnemarUnits({ rates, error, power });
          // The file's scan ends at 1,200 units and prints the power it found there.
          const limit = 1200;
          const found = mcnemarSearch({ rates, test: 'exact', error, sides, power, limit });
          return {
            connor: connor.units,
            connorFractional: connor.fractional,
            miettinen: miettinen.units,
            miettinenFractional: miettinen.fractional,
            exactFirstN: found.units,
            exactFirstNPower: found.power,
          };
        },
      },
      mcnemarExactPower: {
        compute: (input) => {
          const error = input.alpha / 2;
          return {
            exact: mcnemarFields(input, { test: 'exact', error, sides: 2 }),
            midP: mcnemarFields(input, { test: 'mid-p', error, sides: 2 }),
            asymptotic: mcnemarFields(input, { test: 'asymptotic', error, sides: 2 }),
            exactGreater: mcnemarFields(input, { test: 'exact', error: input.alpha, sides: 1 }),
          };
        },
      },
      publishedMcnemarPower: {
        compute: (input) => {
          expect(input.test).toBe('exactGreater');
          return mcnemarFields(input, { test: 'exact', error: input.alpha, sides: 1 });
        },
      },
      twoProportionSampleSize: {
        compute: (input) => {
          const found = twoProportionUnits({
            baseline: input.p1,
            candidate: input.p2,
            error: sideOf(input).error,
            power: input.power,
          });
          return {
            pooled: found.pooled.units,
            pooledFractional: found.pooled.fractional,
            arcsine: found.arcsine.units,
            arcsineFractional: found.arcsine.fractional,
            h: found.arcsineEffect,
          };
        },
      },
      publishedArcsineN: {
        compute: (input) => {
          const { error } = sideOf(input);
          return { nRounded: arcsineUnits({ effect: input.h, error, power: input.power }).units };
        },
      },
      noninferiorityPairedTPower: {
        compute: ({ trueDelta, margin, sd, n, alpha }) => ({
          power: pairedTPower({
            units: n,
            standardizedEffect: (trueDelta + margin) / sd,
            error: alpha,
            sides: 1,
          }),
        }),
      },
      noninferiorityTangoPower: {
        compute: (input) => ({
          power: tangoPower({
            units: input.n,
            rates: ratesOf(input),
            threshold: -input.margin,
            error: input.alpha,
          }),
        }),
      },
      clusterDesign: {
        compute: ({ meanClusterSize, icc, cv, nIndependent }) => {
          const deff = designEffect({
            meanSize: meanClusterSize,
            intraclassCorrelation: icc,
            sizeVariation: cv ?? 0,
          });
          const plan = clusteredPlan({
            independentCases: nIndependent,
            designEffect: deff,
            meanSize: meanClusterSize,
          });
          return {
            deff,
            nRequired: plan.cases,
            clusters: plan.units,
            effectiveN100: 100 / deff,
          };
        },
      },
      clusterDesignSizes: {
        compute: ({ sizes, icc }) => {
          const found = designEffectOfSizes(sizes, icc);
          return { deff: found.designEffect, effectiveN: found.effectiveCases };
        },
      },
    },
    leftOutMethods: [],
  });
});
