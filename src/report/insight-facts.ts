/** The shapes of the insight report: what it is made from and what it shows. */

/** Level of every interval of the report. */
export const insightLevel = 0.95;

/** What one cell gave, as one rater saw it. */
export interface InsightRecord {
  readonly case: string;
  readonly unit: string;
  readonly arm: string;
  readonly repeat: number;
  readonly rater: string | null;
  readonly outcome: string;
  readonly scores: Readonly<Record<string, number | null>>;
  readonly usd: number | null;
  readonly ms: number | null;
  readonly strata: Readonly<Record<string, string>>;
  readonly split: string | null;
  readonly input: string | null;
}

/** Where an input was used. */
export type InsightInput = Pick<InsightRecord, 'case' | 'split' | 'input'>;

/** A decision that a gate recorded about a candidate. */
export interface RecordedDecision {
  readonly source: string;
  readonly candidate: string;
  readonly decision: string;
  readonly reason: string;
}

/** Everything the report is made from. */
export interface InsightSource {
  readonly records: readonly InsightRecord[];
  /** Inputs beyond those of the records. */
  readonly inputs: readonly InsightInput[];
  readonly decisions: readonly RecordedDecision[];
  /** The arm that others are compared with. */
  readonly baseline: string;
  /** Measures of which less is better; the others count as better when higher. */
  readonly lower: ReadonlySet<string>;
  /** The measure that cost is held against; null without any. */
  readonly quality: string | null;
}

/** Values of one measure in one arm, one per unit. */
export interface Distribution {
  readonly measure: string;
  readonly arm: string;
  readonly units: number;
  readonly mean: number;
  readonly standardDeviation: number | null;
  readonly quantiles: readonly [number, number, number, number, number];
  /** Counts in ten equal parts between the least and the greatest value of the measure over all arms. */
  readonly bins: readonly number[];
}

/** Improvement of an arm over the baseline over the units that both have. */
export interface Difference {
  readonly measure: string;
  readonly arm: string;
  /** `key=value`, or null for all records. */
  readonly stratum: string | null;
  readonly units: number;
  readonly improvement: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
  readonly method: string;
  /** Why there is no interval. */
  readonly without: string | null;
}

/** An arm's place between cost and quality. */
export interface FrontierPoint {
  readonly arm: string;
  readonly measure: string;
  readonly quality: number;
  readonly usd: number;
  readonly cells: number;
  /** No other arm is at least as good for at most the money and better in one of them. */
  readonly efficient: boolean;
}

/** How often the cells of an arm ended in each way. */
export interface FailureRow {
  readonly arm: string;
  readonly cells: number;
  readonly classes: readonly { readonly outcome: string; readonly count: number }[];
}

/** Agreement of several raters on one measure. */
export interface RaterAgreement {
  readonly measure: string;
  readonly raters: readonly string[];
  readonly cells: number;
  /** Krippendorff's alpha: nominal for 0 and 1 alone, else interval. */
  readonly alpha: number | null;
  readonly metric: 'nominal' | 'interval';
  readonly observedAgreement: number | null;
  /** Cohen's kappa, of two raters of 0 and 1. */
  readonly kappa: number | null;
}

/** Inputs that occur in more than one split. */
export interface SharedInputs {
  readonly inputs: number;
  readonly shared: readonly {
    readonly splits: readonly string[];
    readonly cases: readonly string[];
  }[];
  readonly leftOut: number;
}

/** Rank correlation of two measures' improvements over units. */
export interface Association {
  readonly arm: string;
  readonly first: string;
  readonly second: string;
  readonly units: number;
  readonly spearman: number;
  readonly lower: number | null;
  readonly upper: number | null;
}

/** The whole report; a list is empty, or a member null, where its inputs do not exist. */
export interface InsightView {
  readonly type: 'liftgate/insight/v1';
  readonly baseline: string;
  readonly arms: readonly string[];
  readonly records: number;
  readonly units: number;
  readonly decisions: readonly RecordedDecision[];
  readonly distributions: readonly Distribution[];
  readonly differences: readonly Difference[];
  readonly strata: readonly Difference[];
  readonly frontier: readonly FrontierPoint[];
  readonly failures: readonly FailureRow[];
  readonly agreement: readonly RaterAgreement[];
  readonly sharedInputs: SharedInputs | null;
  readonly associations: readonly Association[];
  readonly recommendations: readonly string[];
}
