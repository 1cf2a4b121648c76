/** `liftgate/stats`: the statistical methods by name. */
export * from './agreement.ts';
export {
  type BettingOptions,
  bettingBounds,
  bettingLowerBound,
  bettingTruncation,
  bettingUpperBound,
} from './betting.ts';
export * from './betting-sequence.ts';
export {
  type BootstrapBounds,
  type BootstrapOptions,
  type BootstrapOrigin,
  bootstrapTBounds,
  tBootstrapTBounds,
} from './bootstrap.ts';
export * from './bootstrap-interval.ts';
export {
  type BcaShares,
  type BootstrapLaw,
  bcaShares,
  type LawMoments,
  type LawSource,
} from './bootstrap-law.ts';
export type { BootstrapStatistic } from './bootstrap-statistic.ts';
export {
  chiSquareCdf,
  chiSquareQuantile,
  chiSquareUpper,
  chiSquareUpperQuantile,
  fCdf,
  fQuantile,
  fUpper,
  fUpperQuantile,
  type RatioDegrees,
} from './chi-square.ts';
export {
  type ClusterBootstrap,
  type ClusterBootstrapOptions,
  clusterBootstrapBounds,
  clusterSignFlipTest,
  type WildClusterOptions,
  type WildClusterTest,
  type WildWeights,
  wildClusterTest,
} from './cluster-resampling.ts';
export {
  type ClusterDesignEffect,
  type ClusteredTTest,
  type ClusterVariance,
  clusterDesignEffect,
  clusteredMeanBounds,
  clusteredMeanInterval,
  clusteredTTest,
  clusterVariance,
  type UnitCases,
  type UnitTotals,
  unitMeans,
  unitTotals,
} from './clustered.ts';
export {
  type ChiSquareTest,
  type ClusteredCounts,
  type ClusteredMcnemar,
  clusteredMcnemar,
  clusteredRiskDifferenceBounds,
  clusteredRiskDifferenceInterval,
  type EffectiveTango,
  effectiveTangoBounds,
} from './clustered-binary.ts';
export { type CoinSums, coinSums, type ThreeProbabilities } from './coin-sums.ts';
export { type DecimalGrid, decimalGrid } from './decimal-grid.ts';
export {
  type Binomial,
  betaCdf,
  betaQuantile,
  betaUpper,
  betaUpperQuantile,
  binomialCdf,
  binomialQuantile,
  binomialUpper,
  normalCdf,
  normalQuantile,
  normalUpper,
  normalUpperQuantile,
  tCdf,
  tQuantile,
  tUpper,
  tUpperQuantile,
} from './distribution.ts';
export {
  type ArmStandardized,
  armStandardizedDifference,
  cliffsDelta,
  type PairedOddsRatio,
  pairedDominance,
  pairedOddsRatio,
  type StandardizedDifference,
  standardizedDifference,
} from './effect-size.ts';
export { exp, expm1, log, log1p } from './elementary.ts';
export { type RosterBounds, rosterBounds } from './fixed-roster.ts';
export * from './group-sequential.ts';
export {
  type Bounds,
  errorPerSide,
  type Guarantee,
  type Indeterminate,
  type Interval,
  type IntervalMethod,
  indeterminate,
  isIndeterminate,
} from './interval.ts';
export * from './intraclass.ts';
export { commonFactor, jointDivisor } from './joint-normal.ts';
export {
  type MaxTOptions,
  type MaxTResult,
  maxTAdjust,
  maxTLowerBounds,
} from './max-t.ts';
export { meanDifferenceBounds, meanDifferenceInterval } from './mean-difference.ts';
export {
  benjaminiHochbergAdjust,
  benjaminiYekutieliAdjust,
  bonferroniAdjust,
  type HolmStep,
  hochbergAdjust,
  holmAdjust,
  holmByBounds,
  holmSidakAdjust,
  hommelAdjust,
  type StepDownFamily,
  sidakAdjust,
  simesGlobalP,
  stepDownByBounds,
} from './multiplicity.ts';
export {
  type NoncentralitySearch,
  type NoncentralT,
  noncentralityAt,
  noncentralTCdf,
  noncentralTUpper,
} from './noncentral-t.ts';
export * from './normal-sequence.ts';
export {
  type DiscordantCounts,
  type McnemarTest,
  mcnemarExact,
  type PairedCounts,
  pairedRiskDifferenceBounds,
  pairedRiskDifferenceInterval,
  tangoStatistic,
} from './paired-binary.ts';
export {
  type ExactClearance,
  exactUnconditionalBounds,
  exactUnconditionalClears,
  exactUnconditionalInterval,
  exactUnconditionalLower,
} from './paired-binary-exact.ts';
export {
  agrestiMinInterval,
  bonettPriceInterval,
  conditionalExactInterval,
  type NewcombePairedMethod,
  newcombePairedInterval,
  pairedWaldInterval,
} from './paired-binary-intervals.ts';
export {
  type McnemarAsymptoticTest,
  mcnemarAsymptotic,
  mcnemarMidP,
  type NoninferiorityTest,
  pairedNoninferiorityTest,
} from './paired-binary-tests.ts';
export {
  type DurationSummary,
  durationSummary,
  harrellDavis,
  type NearestRank,
  nearestRank,
  type Percent,
  type PercentileType,
  percentile,
  type QuantileOptions,
  type QuantileRanks,
  quantileRanks,
} from './percentile.ts';
export type * from './pool.ts';
export {
  type DetectableEffect,
  type DetectableEffectOptions,
  detectableEffect,
  type PairedTPowerOptions,
  type PairedTUnits,
  type PairedTUnitsOptions,
  type PlannedUnits,
  type ProportionPowerOptions,
  pairedTPower,
  pairedTUnits,
  plannedUnits,
  proportionPower,
  type RequiredUnits,
  type RequiredUnitsOptions,
  requiredUnits,
  type Sides,
} from './power.ts';
export {
  type ArcsineOptions,
  arcsineUnits,
  type ClusteredPlan,
  type ClusteredPlanOptions,
  clusteredPlan,
  type DesignEffectOptions,
  designEffect,
  designEffectOfSizes,
  type SimulatedPower,
  type SimulatedPowerOptions,
  type SizesDesignEffect,
  simulatedPower,
  type TwoProportionOptions,
  type TwoProportionUnits,
  twoProportionUnits,
} from './power-design.ts';
export {
  type AllTiedOptions,
  allTiedUnits,
  type DiscordantRates,
  type McnemarPowerOptions,
  type McnemarRule,
  type McnemarSearch,
  type McnemarSearchOptions,
  type McnemarTestKind,
  type McnemarUnits,
  type McnemarUnitsOptions,
  mcnemarPower,
  mcnemarSearch,
  mcnemarUnits,
  type TangoDecisionOptions,
  type TangoPowerOptions,
  tangoPower,
} from './power-paired-binary.ts';
export {
  type ExactUnitsOptions,
  exactUnconditionalPower,
  exactUnconditionalUnits,
} from './power-paired-binary-exact.ts';
export {
  agrestiCoullInterval,
  clopperPearsonInterval,
  clopperPearsonLower,
  clopperPearsonUpper,
  jeffreysInterval,
  midPInterval,
  type ProportionCounts,
  wilsonContinuityInterval,
  wilsonInterval,
} from './proportion.ts';
export {
  type RandomStream,
  type ResamplingStream,
  randomStream,
  resamplingStream,
} from './random.ts';
export {
  type HodgesLehmann,
  hodgesLehmann,
  type SignedRankTest,
  type SignTest,
  signedRankTest,
  signTest,
  type ZeroRule,
} from './rank.ts';
export * from './reliability.ts';
export * from './resample-shards.ts';
export {
  median,
  medianDeviation,
  type RobustSummary,
  robustSummary,
  type TrimmedMean,
  type TrimmedMeanOptions,
  trimmedMean,
  trimmedMeanInterval,
} from './robust.ts';
export { roundSignificant, significantDigits } from './rounding.ts';
export {
  type BoundedClaim,
  type FallbackStep,
  fallbackProcedure,
  fixedSequenceAdjust,
  holmLowerBounds,
  intersectionUnionP,
  type WeightedClaim,
} from './several-claims.ts';
export * from './sign-e-process.ts';
export {
  monteCarloP,
  type SignFlipDraws,
  type SignFlipTest,
  signFlipInterval,
  signFlipMonteCarlo,
  signFlipTest,
} from './sign-flip.ts';
export { type BetaPoint, type BetaShape, erfc, logGamma } from './special.ts';
export {
  type Description,
  describeValues,
  descriptiveQuantile,
  type Moments,
  moments,
  sum,
} from './summary.ts';
export {
  type EquivalenceOptions,
  type EquivalenceTest,
  equivalenceTest,
  type PairedTOptions,
  pairedTTest,
  pooledTTest,
  type TTest,
  type TwoArms,
  welchTTest,
} from './t-test.ts';
export {
  agrestiCaffoInterval,
  meeInterval,
  miettinenNurminenInterval,
  newcombeInterval,
  type TwoProportions,
  twoProportionWaldInterval,
} from './two-proportions.ts';
