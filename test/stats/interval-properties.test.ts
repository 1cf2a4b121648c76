/** Properties of every interval of counts: paired outcomes, one rate, two independent rates. */
import fc from 'fast-check';
import { describe } from 'vitest';
import { type PairedCounts, pairedRiskDifferenceInterval } from '../../src/stats/paired-binary.ts';
import { exactUnconditionalInterval } from '../../src/stats/paired-binary-exact.ts';
import {
  agrestiMinInterval,
  bonettPriceInterval,
  conditionalExactInterval,
  newcombePairedInterval,
  pairedWaldInterval,
} from '../../src/stats/paired-binary-intervals.ts';
import {
  agrestiCoullInterval,
  clopperPearsonInterval,
  jeffreysInterval,
  midPInterval,
  wilsonContinuityInterval,
  wilsonInterval,
} from '../../src/stats/proportion.ts';
import {
  agrestiCaffoInterval,
  meeInterval,
  miettinenNurminenInterval,
  newcombeInterval,
  type TwoProportions,
  twoProportionWaldInterval,
} from '../../src/stats/two-proportions.ts';
import { propertiesOf, type Row } from '../support/interval-properties.ts';

const cell = fc.nat({ max: 40 });

describe('intervals of paired outcomes', () => {
  const estimate = ({ both, onlyCandidate, onlyBaseline, neither }: PairedCounts): number =>
    (onlyCandidate - onlyBaseline) / (both + onlyCandidate + onlyBaseline + neither);
  const newcombe = (
    method: 'newcombe-8' | 'newcombe-9-continuity' | 'newcombe-10' | 'newcombe-10-continuity',
  ): Row<PairedCounts> => ({
    interval: (counts, level) => newcombePairedInterval(counts, { level, method }),
    estimate,
  });
  propertiesOf<PairedCounts>(
    {
      arbitrary: fc
        .record({ both: cell, onlyCandidate: cell, onlyBaseline: cell, neither: cell })
        .filter((counts) => Object.values(counts).some((count) => count > 0)),
      swap: (counts) => ({
        ...counts,
        onlyCandidate: counts.onlyBaseline,
        onlyBaseline: counts.onlyCandidate,
      }),
      // Success renamed failure and the arms swapped: the same differences.
      reorder: (counts) => ({ ...counts, both: counts.neither, neither: counts.both }),
      mirror: (value) => -value,
    },
    {
      'tango-score': { interval: pairedRiskDifferenceInterval, estimate },
      'newcombe-8': newcombe('newcombe-8'),
      'newcombe-9-continuity': newcombe('newcombe-9-continuity'),
      'newcombe-10': newcombe('newcombe-10'),
      'newcombe-10-continuity': newcombe('newcombe-10-continuity'),
      'bonett-price': { interval: bonettPriceInterval },
      'agresti-min': { interval: agrestiMinInterval },
      wald: {
        interval: (counts, level) => pairedWaldInterval(counts, { level, continuity: false }),
        estimate,
      },
      'wald-continuity': {
        interval: (counts, level) => pairedWaldInterval(counts, { level, continuity: true }),
        estimate,
      },
      'conditional-exact': { interval: conditionalExactInterval, estimate },
    },
    60,
  );
});

describe('the exact unconditional interval of paired outcomes', () => {
  const few = fc.nat({ max: 8 });
  propertiesOf<PairedCounts>(
    {
      arbitrary: fc
        .record({ both: few, onlyCandidate: few, onlyBaseline: few, neither: few })
        .filter((counts) => Object.values(counts).some((count) => count > 0)),
      swap: (counts) => ({
        ...counts,
        onlyCandidate: counts.onlyBaseline,
        onlyBaseline: counts.onlyCandidate,
      }),
      reorder: (counts) => ({ ...counts, both: counts.neither, neither: counts.both }),
      mirror: (value) => -value,
    },
    {
      'exact-unconditional': {
        interval: exactUnconditionalInterval,
        estimate: ({ both, onlyCandidate, onlyBaseline, neither }) =>
          (onlyCandidate - onlyBaseline) / (both + onlyCandidate + onlyBaseline + neither),
      },
    },
    40,
  );
});

describe('intervals of one rate', () => {
  interface Rate {
    readonly successes: number;
    readonly units: number;
  }
  const estimate = ({ successes, units }: Rate): number => successes / units;
  propertiesOf<Rate>(
    {
      arbitrary: fc
        .record({ successes: cell, failures: cell })
        .filter(({ successes, failures }) => successes + failures > 0)
        .map(({ successes, failures }) => ({ successes, units: successes + failures })),
      swap: ({ successes, units }) => ({ successes: units - successes, units }),
      reorder: (rate) => ({ ...rate }),
      mirror: (value) => 1 - value,
    },
    {
      'clopper-pearson': { interval: clopperPearsonInterval, estimate },
      wilson: { interval: wilsonInterval, estimate },
      'wilson-continuity': { interval: wilsonContinuityInterval, estimate },
      // Drawn to one half: an extreme rate may lie outside the open-ended form, the closed one ends at it.
      jeffreys: {
        interval: (rate, level) => jeffreysInterval(rate, { level, closedEnds: true }),
        estimate,
      },
      'jeffreys-open-ends': {
        interval: (rate, level) => jeffreysInterval(rate, { level, closedEnds: false }),
      },
      'agresti-coull': { interval: agrestiCoullInterval, estimate },
      'mid-p': { interval: midPInterval, estimate },
    },
    60,
  );
});

describe('intervals of two independent rates', () => {
  const estimate = ({ candidate, baseline }: TwoProportions): number =>
    candidate.successes / candidate.units - baseline.successes / baseline.units;
  const arm = fc
    .record({ successes: cell, failures: cell })
    .filter(({ successes, failures }) => successes + failures > 0)
    .map(({ successes, failures }) => ({ successes, units: successes + failures }));
  const flipped = ({ successes, units }: { successes: number; units: number }) => ({
    successes: units - successes,
    units,
  });
  propertiesOf<TwoProportions>(
    {
      arbitrary: fc.record({ candidate: arm, baseline: arm }),
      swap: ({ candidate, baseline }) => ({ candidate: baseline, baseline: candidate }),
      // Success renamed failure turns the difference about, the other arm first turns it back.
      reorder: ({ candidate, baseline }) => ({
        candidate: flipped(baseline),
        baseline: flipped(candidate),
      }),
      mirror: (value) => -value,
    },
    {
      'miettinen-nurminen': { interval: miettinenNurminenInterval, estimate },
      mee: { interval: meeInterval, estimate },
      newcombe: {
        interval: (groups, level) => newcombeInterval(groups, { level, continuity: false }),
        estimate,
      },
      'newcombe-continuity': {
        interval: (groups, level) => newcombeInterval(groups, { level, continuity: true }),
        estimate,
      },
      'agresti-caffo': { interval: agrestiCaffoInterval },
      wald: { interval: twoProportionWaldInterval, estimate },
    },
    40,
  );
});
