import { describe } from 'vitest';
import * as d from '../../src/stats/distribution.ts';
import { type ReferenceMethod, referenceTests } from '../support/reference.ts';

interface Point {
  readonly x: number;
  readonly p: number;
  readonly q: number;
  readonly df: number;
  readonly a: number;
  readonly b: number;
  readonly k: number;
  readonly n: number;
}

function over(compute: (point: Point) => number): ReferenceMethod {
  return { compute: (input) => ({ values: input.points.map(compute) }) };
}

describe('distributions', () => {
  referenceTests('distributions.json', {
    methods: {
      'normal.cdf': over(({ x }) => d.normalCdf(x)),
      'normal.sf': over(({ x }) => d.normalUpper(x)),
      'normal.ppf': over(({ p }) => d.normalQuantile(p)),
      'normal.isf': over(({ q }) => d.normalUpperQuantile(q)),
      't.cdf': over(({ x, df }) => d.tCdf(x, df)),
      't.sf': over(({ x, df }) => d.tUpper(x, df)),
      't.ppf': over(({ p, df }) => d.tQuantile(p, df)),
      't.isf': over(({ q, df }) => d.tUpperQuantile(q, df)),
      'beta.cdf': over(({ x, a, b }) => d.betaCdf(x, { a, b })),
      'beta.sf': over(({ x, a, b }) => d.betaUpper(x, { a, b })),
      'beta.ppf': over(({ p, a, b }) => d.betaQuantile(p, { a, b })),
      'beta.isf': over(({ q, a, b }) => d.betaUpperQuantile(q, { a, b })),
      'binomial.cdf': over(({ k, n, p }) => d.binomialCdf(k, { trials: n, probability: p })),
      'binomial.sf': over(({ k, n, p }) => d.binomialUpper(k, { trials: n, probability: p })),
      'binomial.ppf': over(({ q, n, p }) => d.binomialQuantile(q, { trials: n, probability: p })),
    },
    leftOutMethods: [
      'F.cdf', 'F.sf', 'F.ppf', 'F.isf', 'chi2.cdf', 'chi2.sf', 'chi2.ppf', 'chi2.isf',
    ],
  });
});
