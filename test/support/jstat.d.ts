/** The few functions of jstat the cross-checks call; the package ships no types. */
declare module 'jstat' {
  export const jStat: {
    readonly normal: {
      cdf(x: number, mean: number, sd: number): number;
      inv(p: number, mean: number, sd: number): number;
    };
    readonly studentt: { cdf(x: number, df: number): number; inv(p: number, df: number): number };
    readonly beta: {
      cdf(x: number, a: number, b: number): number;
      inv(p: number, a: number, b: number): number;
    };
    readonly binomial: { cdf(k: number, n: number, p: number): number };
  };
}
