/**
 * The characteristic function φ of a list of values with probabilities, from + − × alone, so that what is computed from it has
 * the same bits on every platform.
 *
 * Low frequencies turn most values by little: those values enter through their power sums, one pass for all frequencies, and
 * only values far out are turned one by one. What is given is φ − 1, for a million draws would cost φ six digits.
 */

/** π/2 in three parts; whole multiples below 2^20 of the first two are exact. */
const halfPiHigh = 1.5707963267341256;
const halfPiMiddle = 6.077100506303966e-11;
const halfPiLow = 2.0222662487959506e-21;
const inverseHalfPi = 2 / Math.PI;

/** Cosine and sine of one angle. */
export interface CosSin {
  cos: number;
  sin: number;
}

function sinSeries(x: number, square: number): number {
  const tail = 1 - (square / 272) * (1 - square / 342);
  const far = 1 - (square / 110) * (1 - (square / 156) * (1 - (square / 210) * tail));
  return (
    x * (1 - (square / 6) * (1 - (square / 20) * (1 - (square / 42) * (1 - (square / 72) * far))))
  );
}

function cosSeries(square: number): number {
  const tail = 1 - (square / 240) * (1 - square / 306);
  const far = 1 - (square / 90) * (1 - (square / 132) * (1 - (square / 182) * tail));
  return 1 - (square / 2) * (1 - (square / 12) * (1 - (square / 30) * (1 - (square / 56) * far)));
}

/**
 * Writes cosine and sine of an angle into `into` and returns it; about one unit in the last place.
 *
 * @param angle  in radians, |angle| up to about a million
 * @param into   is overwritten: the loops that call this allocate nothing
 * @example cosSin(Math.PI / 3, { cos: 0, sin: 0 }).cos // => 0.5 to 14 digits
 * @see NIST DLMF 4.19.1, 4.19.2 (the power series, on |angle| ≤ π/4 after reduction)
 */
export function cosSin(angle: number, into: CosSin): CosSin {
  const turns = Math.floor(angle * inverseHalfPi + 0.5);
  const rest = angle - turns * halfPiHigh - turns * halfPiMiddle - turns * halfPiLow;
  const square = rest * rest;
  const sine = sinSeries(rest, square);
  const cosine = cosSeries(square);
  const quarter = turns - 4 * Math.floor(turns / 4);
  const swapped = quarter === 1 || quarter === 3;
  const cos = swapped ? sine : cosine;
  const sin = swapped ? cosine : sine;
  into.cos = quarter === 1 || quarter === 2 ? 0 - cos : cos;
  into.sin = quarter >= 2 ? 0 - sin : sin;
  return into;
}

/** A complex number. */
export interface Complex {
  readonly real: number;
  readonly imaginary: number;
}

/** Real and imaginary parts of a list of complex numbers. */
export interface ComplexList {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

/** Values and their probabilities. */
export interface Shares {
  readonly deviations: Float64Array;
  readonly shares: Float64Array;
}

/** Frequencies that are computed together. */
export const batchSize = 32;
/** Frequencies that share one pass over the values. */
export const lowFrequencies = 64;
/** Up to this angle at the highest of them a value enters through its powers. */
const powerAngle = 3;
/** What a power series may leave out, per value. */
const leftOut = 1e-18;

/** Values within reach of the power series, as coefficients of φ − 1; and the others. */
interface LowBand {
  /** Coefficient of (frequency × scale)^m, alternating signs taken in: even m real, odd m imaginary. */
  readonly coefficients: Float64Array;
  readonly scale: number;
  readonly far: Shares;
}

/** Σ share × (deviation / scale)^m of the near values, m = 1 .. order; two powers at a time, for each waits for the last. */
function powerSums(
  { deviations, shares }: Shares,
  { scale, near, order }: { readonly scale: number; readonly near: number; readonly order: number },
): Float64Array {
  const sums = new Float64Array(order + 2);
  for (let at = 0; at < deviations.length; at += 1) {
    const deviation = deviations[at] ?? 0;
    if (Math.abs(deviation) <= near) {
      const x = deviation / scale;
      const square = x * x;
      let odd = x * (shares[at] ?? 0);
      let even = x * odd;
      for (let m = 1; m <= order; m += 2) {
        sums[m] = (sums[m] ?? 0) + odd;
        sums[m + 1] = (sums[m + 1] ?? 0) + even;
        odd *= square;
        even *= square;
      }
    }
  }
  return sums;
}

function lowBand({ deviations, shares }: Shares, width: number): LowBand {
  const highest = (2 * Math.PI * lowFrequencies) / width;
  const near = powerAngle / highest;
  let scale = 0;
  let farCount = 0;
  for (const deviation of deviations) {
    const size = Math.abs(deviation);
    if (size <= near) scale = Math.max(scale, size);
    else farCount += 1;
  }
  const far = { deviations: new Float64Array(farCount), shares: new Float64Array(farCount) };
  let filled = 0;
  deviations.forEach((deviation, at) => {
    if (Math.abs(deviation) <= near) return;
    far.deviations[filled] = deviation;
    far.shares[filled] = shares[at] ?? 0;
    filled += 1;
  });
  if (scale === 0) return { coefficients: new Float64Array(2), scale: 1, far };
  let order = 1;
  for (let term = highest * scale; term > leftOut; term *= (highest * scale) / order) order += 1;
  const coefficients = powerSums({ deviations, shares }, { scale, near, order });
  let factorial = 1;
  for (let m = 1; m < coefficients.length; m += 1) {
    factorial *= m;
    const sign = m % 4 < 2 ? 1 : -1;
    coefficients[m] = (sign * (coefficients[m] ?? 0)) / factorial;
  }
  return { coefficients, scale, far };
}

/** φ − 1 of the near values at an angle per scale, by Horner's rule on its even and its odd powers. */
function nearPart(coefficients: Float64Array, angle: number): Complex {
  const square = angle * angle;
  let real = 0;
  let imaginary = 0;
  for (let m = coefficients.length - (coefficients.length % 2); m >= 2; m -= 2) {
    real = (real + (coefficients[m] ?? 0)) * square;
    imaginary = imaginary * square + (coefficients[m - 1] ?? 0);
  }
  return { real, imaginary: imaginary * angle };
}

/** Σ share × (e^{i k 2π d / width} − 1) for the batch of k that starts at `first`; angles of a lattice are reduced exactly. */
function turnedBatch(
  { deviations, shares }: Shares,
  {
    first,
    width,
    lattice,
  }: { readonly first: number; readonly width: number; readonly lattice: boolean },
): ComplexList {
  const real = new Float64Array(batchSize);
  const imaginary = new Float64Array(batchSize);
  const step: CosSin = { cos: 1, sin: 0 };
  const now: CosSin = { cos: 1, sin: 0 };
  const unit = (2 * Math.PI) / width;
  for (let at = 0; at < deviations.length; at += 1) {
    const deviation = deviations[at] ?? 0;
    const share = shares[at] ?? 0;
    cosSin(unit * deviation, step);
    const product = first * deviation;
    cosSin(unit * (lattice ? product - width * Math.floor(product / width) : product), now);
    let { cos, sin } = now;
    cos *= share;
    sin *= share;
    for (let k = 0; k < batchSize; k += 1) {
      real[k] = (real[k] ?? 0) + (cos - share);
      imaginary[k] = (imaginary[k] ?? 0) + sin;
      const turned = cos * step.cos - sin * step.sin;
      sin = cos * step.sin + sin * step.cos;
      cos = turned;
    }
  }
  return { real, imaginary };
}

/**
 * φ − 1 at the frequencies 2πk / width, in batches of 32 from a k that is given.
 *
 * @param values   values about their centre, with their probabilities, which add up to 1
 * @param options  width above 0; `lattice`: the width and all values are whole, and angles are reduced exactly
 * @example characteristicBatches({ deviations: new Float64Array([-1, 1]), shares: new Float64Array([0.5, 0.5]) },
 *   { width: 4, lattice: true })(1).real[1] // => -2 to 12 digits
 */
export function characteristicBatches(
  values: Shares,
  { width, lattice }: { readonly width: number; readonly lattice: boolean },
): (first: number) => ComplexList {
  const low = lowBand(values, width);
  return (first) => {
    if (first + batchSize - 1 > lowFrequencies)
      return turnedBatch(values, { first, width, lattice });
    const batch = turnedBatch(low.far, { first, width, lattice });
    for (let at = 0; at < batchSize; at += 1) {
      const near = nearPart(low.coefficients, ((2 * Math.PI * (first + at)) / width) * low.scale);
      batch.real[at] = (batch.real[at] ?? 0) + near.real;
      batch.imaginary[at] = (batch.imaginary[at] ?? 0) + near.imaginary;
    }
    return batch;
  };
}

/** Puts the entries of both lists into bit-reversed order. */
function reverseBits(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  let mirror = 0;
  for (let at = 1; at < size; at += 1) {
    let bit = size / 2;
    while (mirror >= bit) {
      mirror -= bit;
      bit /= 2;
    }
    mirror += bit;
    if (at < mirror) {
      const x = real[at] ?? 0;
      const y = imaginary[at] ?? 0;
      real[at] = real[mirror] ?? 0;
      imaginary[at] = imaginary[mirror] ?? 0;
      real[mirror] = x;
      imaginary[mirror] = y;
    }
  }
}

/** Replaces 2^k entries by Σ entry_j e^{2πi jk / 2^k}, in place. */
function transform(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  reverseBits(real, imaginary);
  const angle: CosSin = { cos: 1, sin: 0 };
  for (let half = 1; half < size; half *= 2) {
    for (let turn = 0; turn < half; turn += 1) {
      const { cos, sin } = cosSin((Math.PI * turn) / half, angle);
      for (let at = turn; at < size; at += 2 * half) {
        const other = at + half;
        const x = real[other] ?? 0;
        const y = imaginary[other] ?? 0;
        const turnedReal = x * cos - y * sin;
        const turnedImaginary = x * sin + y * cos;
        real[other] = (real[at] ?? 0) - turnedReal;
        imaginary[other] = (imaginary[at] ?? 0) - turnedImaginary;
        real[at] = (real[at] ?? 0) + turnedReal;
        imaginary[at] = (imaginary[at] ?? 0) + turnedImaginary;
      }
    }
  }
}

/**
 * The characteristic function of whole numbers at 2πk / N, k = 0 .. N − 1, by the fast Fourier transform; N is the smallest
 * power of two that is at least `frequencies`.
 *
 * @param values       whole numbers of any range, with their probabilities: modulo N, which changes no entry
 * @param frequencies  a number above 0
 * @example latticeSpectrum({ deviations: new Float64Array([0, 1]), shares: new Float64Array([0.5, 0.5]) }, 2).real // => new Float64Array([1, 0])
 * @see Cooley & Tukey (1965), Mathematics of Computation 19:297
 */
export function latticeSpectrum({ deviations, shares }: Shares, frequencies: number): ComplexList {
  let size = 1;
  while (size < frequencies) size *= 2;
  const real = new Float64Array(size);
  for (let at = 0; at < deviations.length; at += 1) {
    const value = deviations[at] ?? 0;
    const slot = value - size * Math.floor(value / size);
    real[slot] = (real[slot] ?? 0) + (shares[at] ?? 0);
  }
  const imaginary = new Float64Array(size);
  transform(real, imaginary);
  return { real, imaginary };
}
