/**
 * Forest plots: per measure one axis, a row per candidate with interval and estimate, and lines for what gates compare with.
 *
 * Plain SVG in percentages, so that nothing is distorted or too small at any width. Shape and words carry what colour does: a filled
 * dot cleared its gate, a square breached it, a ring is open or only shown.
 */
import type { Estimate } from '../analysis/estimate.ts';
import { shownNumber } from '../gate/gate.ts';
import { exp } from '../stats/elementary.ts';
import { html, isolated, type Markup } from './html-text.ts';
import { signedNumber } from './verdict-lines.ts';
import type { Mark, MeasureRow, MeasureView } from './view-measures.ts';

/** Part of the improvement scale that an axis covers, lower < upper. */
export interface Span {
  readonly lower: number;
  readonly upper: number;
}

/** What is left free on each side of the outermost value, as a share of the axis. */
const padding = 0.06;

/**
 * Axis of a measure: everything drawn on it, zero included, with room on both sides.
 * @example axisSpan([-0.5, 0.5]) // => { lower: -0.56, upper: 0.56 }
 */
export function axisSpan(values: readonly number[]): Span {
  const lower = Math.min(0, ...values);
  const upper = Math.max(0, ...values);
  const width = upper - lower;
  if (width === 0) return { lower: -1, upper: 1 };
  return { lower: lower - padding * width, upper: upper + padding * width };
}

/**
 * Place of a value on an axis in percent, with two decimals.
 * @example axisPlace(0, { lower: -1, upper: 3 }) // => '25%'
 */
export function axisPlace(value: number, { lower, upper }: Span): string {
  const share = (100 * (value - lower)) / (upper - lower);
  return `${Number(Math.min(100, Math.max(0, share)).toFixed(2))}%`;
}

function tickStep(width: number): number {
  const rough = width / 4;
  const exponent = rough.toExponential().split('e')[1] ?? '0';
  const unit = Number(`1e${exponent}`);
  const factor = [1, 2, 5, 10].find((each) => each * unit >= rough) ?? 10;
  return factor * unit;
}

/**
 * Round values on an axis, zero among them where the axis holds it.
 * @example axisTicks({ lower: -0.56, upper: 0.56 }) // => [-0.5, 0, 0.5]
 */
export function axisTicks({ lower, upper }: Span): number[] {
  const step = tickStep(upper - lower);
  const first = Math.floor(lower / step) + 1;
  const count = Math.max(0, Math.floor(upper / step) - first + 1);
  return Array.from({ length: count }, (_, at) => Number(((first + at) * step).toPrecision(6)));
}

function spanOf({ marks, rows }: MeasureView): Span {
  const intervals = rows.flatMap(({ estimate }) =>
    estimate === null ? [] : [estimate.interval.lower, estimate.interval.upper, estimate.value],
  );
  return axisSpan([...marks.map((mark) => mark.value), ...intervals]);
}

const markWords: Readonly<Record<Mark['kind'], string>> = {
  threshold: 'threshold',
  margin: 'largest tolerated loss',
  'minimum-effect': 'minimum effect',
};

function verticalLine(value: number, span: Span, name: string): Markup {
  const x = axisPlace(value, span);
  return html`<line class="${name}" x1="${x}" x2="${x}" y1="0" y2="100%"/>`;
}

function pointOf(estimate: Estimate, span: Span, finding: string | null): Markup {
  const x = axisPlace(estimate.value, span);
  if (finding === 'breached') {
    return html`<rect class="point breached" x="${x}" y="12" width="12" height="12" transform="translate(-6 0)"/>`;
  }
  const name = finding === 'cleared' ? 'point cleared' : 'point open';
  return html`<circle class="${name}" cx="${x}" cy="18" r="6"/>`;
}

function intervalPicture(estimate: Estimate, span: Span, row: MeasureRow): Markup {
  const from = axisPlace(estimate.interval.lower, span);
  const to = axisPlace(estimate.interval.upper, span);
  return html`<line class="interval" x1="${from}" x2="${to}" y1="18" y2="18"/>
<line class="interval" x1="${from}" x2="${from}" y1="11" y2="25"/>
<line class="interval" x1="${to}" x2="${to}" y1="11" y2="25"/>${pointOf(estimate, span, row.finding)}`;
}

/** Improvement and interval in words, with level, n and method. */
export function estimateText({ value, interval, n, method, guarantee }: Estimate): string {
  const bounds = `${signedNumber(interval.lower)} .. ${signedNumber(interval.upper)}`;
  return `${signedNumber(value)} (${bounds}) at level ${shownNumber(interval.level)}, n = ${n.units} units, ${method}, ${guarantee}`;
}

/** A log ratio as what the candidate takes of the baseline, smallest bound first. */
function ratioText({ value, interval }: Estimate, direction: MeasureView['direction']): string {
  const turned = direction === 'lower' ? -1 : 1;
  const ratios = [interval.lower, interval.upper].map((bound) => exp(turned * bound));
  const bounds = `${shownNumber(Math.min(...ratios))} .. ${shownNumber(Math.max(...ratios))}`;
  return `candidate / baseline ${shownNumber(exp(turned * value))} (${bounds})`;
}

function rowText(row: MeasureRow, measure: MeasureView): string {
  if (row.estimate === null) return `no interval: ${row.reason ?? 'unknown'}`;
  const shown = estimateText(row.estimate);
  return measure.scale === 'difference'
    ? shown
    : `${shown}; ${ratioText(row.estimate, measure.direction)}`;
}

function standing({ gate, finding }: MeasureRow): string {
  return gate === null || finding === null ? 'no gate reads its interval' : `${gate}: ${finding}`;
}

function plotRow(row: MeasureRow, measure: MeasureView, span: Span): Markup {
  const text = rowText(row, measure);
  const label = `${row.candidate}, ${measure.measure}: ${text}; ${standing(row)}`;
  const lines = measure.marks.map((mark) => verticalLine(mark.value, span, `mark ${mark.kind}`));
  const drawn = row.estimate === null ? html`` : intervalPicture(row.estimate, span, row);
  return html`<li class="plot-row">
<div class="plot-label"><strong>${isolated(row.candidate)}</strong> <span class="standing">${standing(row)}</span><br><span class="numbers">${text}</span></div>
<svg class="forest" role="img" aria-label="${label}" width="100%" height="36">
<line class="track" x1="0" x2="100%" y1="18" y2="18"/>${verticalLine(0, span, 'zero')}${lines}${drawn}</svg>
</li>\n`;
}

function tickAnchor(place: string): string {
  const percent = Number(place.slice(0, -1));
  if (percent < 8) return 'start';
  return percent > 92 ? 'end' : 'middle';
}

function axisPicture(span: Span): Markup {
  const ticks = axisTicks(span).map((tick) => {
    const x = axisPlace(tick, span);
    return html`<line class="tick" x1="${x}" x2="${x}" y1="0" y2="6"/><text x="${x}" y="20" text-anchor="${tickAnchor(x)}">${signedNumber(tick)}</text>`;
  });
  return html`<div class="plot-axis"><div></div><svg class="axis" aria-hidden="true" width="100%" height="24"><line class="track" x1="0" x2="100%" y1="0" y2="0"/>${ticks}</svg></div>`;
}

function markKey(mark: Mark): Markup {
  return html`<li><svg aria-hidden="true" width="14" height="16"><line class="mark ${mark.kind}" x1="7" x2="7" y1="0" y2="16"/></svg> ${markWords[mark.kind]} ${signedNumber(mark.value)} (${mark.gate})</li>`;
}

function scaleWords({ scale, direction }: MeasureView): string {
  const better = `${direction} is better`;
  return scale === 'log-ratio'
    ? `log ratio of candidate and baseline, ${better}; above 0 the candidate is better`
    : `difference with the direction applied, ${better}; above 0 the candidate is better`;
}

/**
 * The forest plot of one measure as a figure: rows, axis, and a key of the lines with their values.
 * @param measure  a measure view; an axis is drawn even when no row has an interval
 */
export function forestPlot(measure: MeasureView): Markup {
  const span = spanOf(measure);
  const key =
    measure.marks.length === 0
      ? html`<p class="note">No gate compares its interval with a value.</p>`
      : html`<ul class="key" aria-label="Lines of ${measure.measure}">${measure.marks.map(markKey)}</ul>`;
  return html`<figure class="measure">
<figcaption><h3>${measure.measure} <span class="role">${measure.role}</span></h3><p class="note">${measure.kind}; ${scaleWords(measure)}</p></figcaption>
<ul class="plot" aria-label="Intervals of ${measure.measure}">${measure.rows.map((row) => plotRow(row, measure, span))}</ul>
${axisPicture(span)}${key}
</figure>\n`;
}
