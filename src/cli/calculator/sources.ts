/** Where each method of an interval comes from and what it promises. */
import type { Guarantee, IntervalMethod } from '../../stats/interval.ts';

/** Author and year, and the guarantee. */
export interface MethodSource {
  readonly guarantee: Guarantee;
  readonly source: string;
}

function asymptotic(source: string): MethodSource {
  return { guarantee: 'asymptotic', source };
}

function finiteSample(source: string): MethodSource {
  return { guarantee: 'finite-sample', source };
}

/** Every method a calculator shows. */
export const methodSources = {
  'tango-score': asymptotic('Tango 1998'),
  'exact-unconditional': finiteSample('Buehler 1957'),
  'newcombe-8': asymptotic('Newcombe 1998'),
  'newcombe-9-continuity': asymptotic('Newcombe 1998'),
  'newcombe-10': asymptotic('Newcombe 1998'),
  'bonett-price': asymptotic('Bonett & Price 2012'),
  'agresti-min': asymptotic('Agresti & Min 2005'),
  wald: asymptotic('Newcombe 1998'),
  'conditional-exact': asymptotic('Fagerland et al. 2014; right at 0 alone'),
  'clopper-pearson': finiteSample('Clopper & Pearson 1934'),
  wilson: asymptotic('Wilson 1927'),
  jeffreys: asymptotic('Brown, Cai & DasGupta 2001'),
  'agresti-coull': asymptotic('Agresti & Coull 1998'),
  'mid-p': asymptotic('Berry & Armitage 1995'),
  'miettinen-nurminen': asymptotic('Miettinen & Nurminen 1985'),
  mee: asymptotic('Mee 1984'),
  newcombe: asymptotic('Newcombe 1998'),
  'agresti-caffo': asymptotic('Agresti & Caffo 2000'),
  't-bootstrap-t': asymptotic('Student 1908; Efron & Tibshirani 1993'),
  t: asymptotic('Student 1908'),
  'bootstrap-t': asymptotic('Efron & Tibshirani 1993'),
  'trimmed-t': asymptotic('Tukey & McLaughlin 1963'),
  'hodges-lehmann': asymptotic('Hodges & Lehmann 1963'),
  'sign-flip': asymptotic('Hartigan 1969'),
  'bootstrap-bca': asymptotic('Efron 1987'),
  'bootstrap-percentile': asymptotic('Davison & Hinkley 1997'),
  'betting-fixed-n': finiteSample('Waudby-Smith & Ramdas 2024'),
  cr2: asymptotic('Bell & McCaffrey 2002'),
  'tango-effective-n': asymptotic('Tango 1998; Rao & Scott 1992'),
} as const satisfies Partial<Readonly<Record<IntervalMethod, MethodSource>>>;

/** A method that a calculator can show. */
export type ShownMethod = keyof typeof methodSources;
