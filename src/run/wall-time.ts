/** How long a run took, from what its receipts say of time. */
import type { Rows } from '../base/rows.ts';
import { roundSignificant } from '../stats/rounding.ts';
import type { EvidenceLine } from './measured-line.ts';

const timePattern =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?(?:Z|([+-])(\d\d):(\d\d))$/;

/**
 * Milliseconds since 1970 of an ISO 8601 time with seconds and a zone, or null for any other text. Days are counted by the Gregorian
 * calendar from March on, so that the leap day ends a year.
 * @example instantMs('1970-01-02T01:00:00+01:00') // => 86400000
 */
export function instantMs(text: string): number | null {
  const found = timePattern.exec(text);
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map(Number);
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  const shift = month < 3 ? 1 : 0;
  const years = year - shift;
  const ofYear = Math.floor((153 * (month + 12 * shift - 3) + 2) / 5) + day - 1;
  const leaps = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  const days = 365 * years + leaps + ofYear - 719_468;
  const zone = (Number(found[9] ?? 0) * 60 + Number(found[10] ?? 0)) * (found[8] === '-' ? -1 : 1);
  const minutes = (days * 24 + hour) * 60 + minute - zone;
  return (minutes * 60 + second) * 1000 + Number(found[7] ?? 0) * 1000;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** From the start of an attempt as its host tells it to the engine's receipt of it. */
function spanOf({ receipt, receivedAt }: EvidenceLine): Span | null {
  const from = instantMs(receipt.timing.startedAt);
  const to = instantMs(receivedAt);
  return from === null || to === null || to < from ? null : { from, to };
}

/** Time that is covered by at least one span. */
function covered(spans: readonly Span[]): number {
  let total = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { from, to } of [...spans].sort((first, second) => first.from - second.from)) {
    total += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return total;
}

/**
 * Minutes that a run took: each session from the start of its first attempt to its last receipt, and the time in which controls ran.
 * What lies between two sessions is not counted.
 *
 * @param lines     receipts of cells; a session is what has one fence
 * @param controls  receipts of the controls
 * @returns 0 for none; null when one of them has no readable times, or ends before it starts
 * @example wallMinutesOf([], []) // => 0
 */
export function wallMinutesOf(
  lines: Rows<EvidenceLine>,
  controls: Rows<EvidenceLine>,
): number | null {
  const sessions = new Map<string | null, Span>();
  for (const line of lines) {
    const span = spanOf(line);
    if (span === null) return null;
    const known = sessions.get(line.fence) ?? span;
    const from = Math.min(known.from, span.from);
    sessions.set(line.fence, { from, to: Math.max(known.to, span.to) });
  }
  const ofControls = controls.map(spanOf).flatMap((span) => (span === null ? [] : [span]));
  if (ofControls.length < controls.length) return null;
  const ms = covered([...sessions.values()]) + covered(ofControls);
  return roundSignificant(ms / 60_000);
}
