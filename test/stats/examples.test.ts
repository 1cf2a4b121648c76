import { readdirSync } from 'node:fs';
import * as argumentChecks from '../../src/stats/arguments.ts';
import * as stats from '../../src/stats/index.ts';
import * as meanDifference from '../../src/stats/mean-difference.ts';
import * as resampling from '../../src/stats/resampling.ts';
import * as special from '../../src/stats/special.ts';
import { exampleTests } from '../support/examples.ts';

const names = Object.keys(stats);
const scope = { ...stats, ...special, ...resampling, ...meanDifference, ...argumentChecks };

for (const file of readdirSync(new URL('../../src/stats/', import.meta.url))) {
  if (file !== 'index.ts') exampleTests(`src/stats/${file}`, { names, scope });
}
