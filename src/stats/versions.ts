/** Version words of everything that can move a number; sealed, so that a change of method is visible as drift. */

/** Methods of the decision path by version. */
export const statisticsVersions = {
  'tango-score': '1',
  'exact-unconditional': '1',
  'mcnemar-exact': '1',
  'betting-fixed-n': '1',
  t: '1',
  't-bootstrap-t': '1',
  cr2: '1',
  'tango-effective-n': '1',
  'roster-t': '1',
  'clopper-pearson': '1',
  'order-statistic': '1',
  'holm-by-bounds': '1',
  'fixed-sequence': '1',
  'max-t': '1',
  'group-sequential': '1',
  'betting-sequence': '1',
  rounding: '12-significant-digits',
} as const;

/** Generators: audited draws (orders, shuffles) by seedrandom's ARC4, resampling by sfc32. */
export const rngVersion = { algorithm: 'arc4 (seedrandom) / sfc32', version: '1' } as const;
