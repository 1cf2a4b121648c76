import { describe, expect, test } from 'vitest';
import * as stats from '../../src/stats/index.ts';
import { computed, testSeed } from '../support/statistics.ts';

describe('liftgate/stats', () => {
  test('offers the methods under their public names', () => {
    const names = [
      'pairedRiskDifferenceInterval',
      'mcnemarExact',
      'meanDifferenceInterval',
      'bootstrapInterval',
      'wilsonInterval',
      'clopperPearsonInterval',
      'holmAdjust',
      'requiredUnits',
      'randomStream',
    ];
    expect(Object.keys(stats)).toEqual(expect.arrayContaining(names));
  });

  test('one example of every bound keeps its bits: a change here changes recorded decisions', () => {
    const table = { both: 33, onlyCandidate: 7, onlyBaseline: 2, neither: 8 };
    const list = [0.12, -0.05, 0.31, 0.22, 0.08, -0.14, 0.4, 0.02, 0.19, 0.27, -0.3];
    const resampling = { error: 0.025, seed: testSeed(11), resamples: 1000 };
    const betting = { range: { lower: -1, upper: 1 }, error: 0.025, truncation: 0.95 };
    expect({
      tango: stats.pairedRiskDifferenceBounds(table, 0.025),
      exact: stats.exactUnconditionalBounds(table, 0.025),
      mcnemar: stats.mcnemarExact(table).pGreater,
      t: stats.meanDifferenceBounds(list, 0.025),
      bootstrapT: computed(stats.bootstrapTBounds(list, resampling)).lower,
      betting: stats.bettingBounds(list, betting),
      clopperPearson: stats.clopperPearsonUpper({ successes: 3, units: 50 }, 0.05),
      wilson: computed(stats.wilsonInterval({ successes: 3, units: 50 }, 0.95)).upper,
    }).toMatchInlineSnapshot(`
      {
        "betting": {
          "lower": -0.2406500929973685,
          "upper": 0.3983377584122937,
        },
        "bootstrapT": -0.060487092511296345,
        "clopperPearson": 0.14783717636418128,
        "exact": {
          "lower": -0.023365497589111328,
          "upper": 0.2516965866088867,
        },
        "mcnemar": 0.08984375000000008,
        "t": {
          "lower": -0.03793808447417414,
          "upper": 0.2415744481105378,
        },
        "tango": {
          "lower": -0.020921835113530254,
          "upper": 0.23126685280480327,
        },
        "wilson": 0.1621709168883818,
      }
    `);
  });
});
