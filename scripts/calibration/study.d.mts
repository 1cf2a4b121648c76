import type * as stats from '../../src/stats/index.ts';

/** The functions under study, built or in source. */
export type Kernel = typeof stats;

/** Worst cell of one row of the interval table on one grid. */
export interface CalibrationSummary {
  readonly row: string;
  readonly guarantee: 'finite-sample' | 'asymptotic';
  readonly grid: string;
  readonly cells: number;
  /** One-sided error the bound is asked for. */
  readonly nominal: number;
  readonly worst: string;
  /** One-sided miss of the worst cell. */
  readonly miss: number;
  /** Trials behind it; null where it was enumerated. */
  readonly trials: number | null;
  /** What the miss may reach; null where it is only printed. */
  readonly limit: number | null;
  readonly holds: boolean | null;
}

export interface CalibrationOptions {
  readonly small: boolean;
  readonly trials: number;
  /** 64 hex digits. */
  readonly seed: string;
}

export declare function calibrationStudy(
  kernel: Kernel,
  options: CalibrationOptions,
): CalibrationSummary[];
export declare function calibrationTable(summaries: readonly CalibrationSummary[]): string;
