import type { Kernel } from './study.d.mts';

/** False ships of one design at one size; rates are shares of the trials. */
export interface MaxTRow {
  readonly name: string;
  readonly units: number;
  readonly candidates: number;
  readonly like: 'equal' | 'unequal';
  readonly single: number;
  readonly holm: number;
  readonly maxT: number;
  /** Share of the trials with anybody to divide the error for in which the joint law did. */
  readonly law: number;
  readonly limit: number;
  /** Null where one candidate alone exceeds the limit. */
  readonly holds: boolean | null;
}

export interface MaxTOptions {
  readonly trials: number;
  /** 64 hex digits. */
  readonly seed: string;
  readonly sizes?: readonly number[];
}

export declare function maxTStudy(kernel: Kernel, options: MaxTOptions): MaxTRow[];
export declare function maxTTable(rows: readonly MaxTRow[]): string;
