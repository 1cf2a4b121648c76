/** Two small pictures: the improvements of all units side by side, and a distribution of times. Text stands beside them in HTML. */
import { html, type Markup } from './html-text.ts';
import { signedNumber } from './verdict-lines.ts';
import type { DifferencesView } from './view-differences.ts';

/** Most columns a picture has; more units are drawn by every k-th of their sorted values, the outermost always. */
const mostColumns = 500;

/**
 * Values to draw of a sorted list: all of them, or evenly spaced ones with the first and the last.
 * @example drawnValues([1, 2, 3, 4, 5], 3) // => [1, 3, 5]
 */
export function drawnValues(sorted: readonly number[], most = mostColumns): number[] {
  if (sorted.length <= most) return [...sorted];
  const step = (sorted.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, at) => sorted[Math.floor(at * step + 0.5)] ?? 0);
}

interface Bar {
  readonly from: number;
  readonly count: number;
  readonly value: number;
}

/** Runs of equal values: a binary measure of 5,000 units is three bars. */
function barsOf(values: readonly number[]): Bar[] {
  const bars: Bar[] = [];
  values.forEach((value, at) => {
    const last = bars.at(-1);
    if (last !== undefined && last.value === value) {
      bars[bars.length - 1] = { ...last, count: last.count + 1 };
    } else {
      bars.push({ from: at, count: 1, value });
    }
  });
  return bars;
}

const height = 100;

function barPicture(bar: Bar, largest: number): Markup {
  const size = Number(((Math.abs(bar.value) / largest) * (height / 2)).toFixed(2));
  const y = bar.value > 0 ? height / 2 - size : height / 2;
  const name = bar.value > 0 ? 'better' : 'worse';
  return html`<rect class="${name}" x="${bar.from}" y="${y}" width="${bar.count}" height="${size}"/>`;
}

/** All units of a measure from worst to best: bars below the middle got worse, above it better. */
export function unitPlot(differences: DifferencesView): Markup {
  const { units, worse, equal, better, measure } = differences;
  const values = drawnValues(units.map((each) => each.improvement));
  const least = units[0]?.improvement ?? 0;
  const most = units.at(-1)?.improvement ?? 0;
  const largest = Math.max(Math.abs(least), Math.abs(most));
  const bars = barsOf(values).filter((bar) => bar.value !== 0);
  const label = `${measure} by unit from ${signedNumber(least)} to ${signedNumber(most)}: ${worse} worse, ${equal} equal, ${better} better`;
  return html`<div class="unit-plot"><svg role="img" aria-label="${label}" viewBox="0 0 ${Math.max(1, values.length)} ${height}" preserveAspectRatio="none" width="100%" height="80">${bars.map((bar) => barPicture(bar, largest))}<line class="zero" x1="0" x2="${Math.max(1, values.length)}" y1="50" y2="50"/></svg>
<div class="ends"><span>worst ${signedNumber(least)}</span><span>${units.length} units, sorted</span><span>best ${signedNumber(most)}</span></div></div>`;
}

/** Counts by bin as bars that share one scale of values; the tallest fills the height. */
export function binPlot(bins: readonly number[], label: string): Markup {
  const tallest = Math.max(1, ...bins);
  const bars = bins.flatMap((count, at) => {
    const size = Number(((count / tallest) * 30).toFixed(2));
    return count === 0
      ? []
      : [html`<rect class="bin" x="${at}" y="${30 - size}" width="1" height="${size}"/>`];
  });
  return html`<svg class="bins" role="img" aria-label="${label}" viewBox="0 0 ${Math.max(1, bins.length)} 30" preserveAspectRatio="none" width="100%" height="30">${bars}</svg>`;
}
