/** Every resample of a small sample, each multiset once with the number of orders it can come in. */

/** Sum and sum of squares of one resample. */
export interface Resample {
  readonly total: number;
  readonly squares: number;
}

/** Rows of Pascal's triangle up to `size`, exact in doubles. */
function binomialTable(size: number): readonly (readonly number[])[] {
  const rows: number[][] = [[1]];
  for (let row = 1; row <= size; row += 1) {
    const above = rows[row - 1] ?? [];
    rows.push(Array.from({ length: row + 1 }, (_, at) => (above[at - 1] ?? 0) + (above[at] ?? 0)));
  }
  return rows;
}

/**
 * Visits every multiset of n values drawn from n, with its multinomial weight; the weights add up to n^n.
 *
 * For the values 0 and 1 there are three visits: totals 0, 1, 2 with weights 1, 2, 1.
 *
 * @param values  n numbers; the cost is C(2n − 1, n) visits: 6,435 for n = 8
 * @param visit   called with the resample and its weight, a whole number
 */
export function enumerateResamples(
  values: Float64Array,
  visit: (resample: Resample, weight: number) => void,
): void {
  const choose = binomialTable(values.length);
  const descend = (
    index: number,
    left: number,
    sofar: Resample & { readonly weight: number },
  ): void => {
    const value = values[index] ?? 0;
    if (index === values.length - 1) {
      const total = sofar.total + left * value;
      visit({ total, squares: sofar.squares + left * value * value }, sofar.weight);
      return;
    }
    for (let times = left; times >= 0; times -= 1) {
      descend(index + 1, left - times, {
        total: sofar.total + times * value,
        squares: sofar.squares + times * value * value,
        weight: sofar.weight * (choose[left]?.[times] ?? 0),
      });
    }
  };
  descend(0, values.length, { total: 0, squares: 0, weight: 1 });
}

/**
 * Visits every way n units can be drawn n times, as the number of times each was drawn, with its multinomial weight.
 *
 * @param n      number of units ≥ 1; the cost is C(2n − 1, n) visits: 6,435 for 8 units, 92,378 for 10
 * @param visit  called with the counts, which are changed afterwards, and the weight; the weights add up to n^n
 */
export function enumerateCounts(
  n: number,
  visit: (counts: Uint32Array, weight: number) => void,
): void {
  const choose = binomialTable(n);
  const counts = new Uint32Array(n);
  const descend = (unit: number, left: number, weight: number): void => {
    if (unit === n - 1) {
      counts[unit] = left;
      visit(counts, weight);
      return;
    }
    for (let times = left; times >= 0; times -= 1) {
      counts[unit] = times;
      descend(unit + 1, left - times, weight * (choose[left]?.[times] ?? 0));
    }
  };
  descend(0, n, 1);
}
