/** Progress of a run: a bar with rate and time left on a terminal, a plain line now and then elsewhere. */

export interface ProgressState {
  /** Cells with a final outcome, earlier sessions included. */
  readonly settled: number;
  /** Cells that ended without one. */
  readonly lost: number;
  readonly planned: number;
  /** Attempts without an outcome. */
  readonly faults: number;
  /** Time of this session. */
  readonly elapsedMs: number;
}

export interface ProgressTarget {
  readonly isTerminal: boolean;
  readonly columns: number;
  write(text: string): void;
}

/** Plain lines of a whole run, beside the first. */
const plainSteps = 10;
const barEveryMs = 100;

/** Whole seconds, minutes with seconds below an hour, hours with minutes above. */
function duration(exactSeconds: number): string {
  const seconds = Math.ceil(exactSeconds);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}m${seconds % 60}s`
    : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}

/**
 * One line of progress.
 *
 * @param before  cells that were done when this session began; they count as done and say nothing about its rate
 * @example progressText({ settled: 50, lost: 0, planned: 100, faults: 1, elapsedMs: 5000 })
 * // => '50/100 cells, 10.0/s, 5s left, 1 fault'
 */
export function progressText(state: ProgressState, before = 0): string {
  const { settled, lost, planned, faults, elapsedMs } = state;
  const done = settled + lost;
  const rate = elapsedMs > 0 ? ((done - before) * 1000) / elapsedMs : 0;
  const open = planned - done;
  const left = open === 0 ? '0s' : rate > 0 ? duration(open / rate) : '?';
  return [
    `${settled}/${planned} cells`,
    `${rate.toFixed(1)}/s`,
    `${left} left`,
    ...(lost === 0 ? [] : [`${lost} lost`]),
    ...(faults === 0 ? [] : [`${faults} fault${faults === 1 ? '' : 's'}`]),
  ].join(', ');
}

/** Cells this run is done with. */
function doneOf({ settled, lost }: ProgressState): number {
  return settled + lost;
}

/** Draws states as they come; `finish` ends the bar's line. */
export function createProgress(target: ProgressTarget): {
  show(state: ProgressState): void;
  finish(): void;
} {
  let lastMs = Number.NEGATIVE_INFINITY;
  let lastStep = -1;
  let drawn = false;
  let before: number | null = null;
  const bar = (state: ProgressState): void => {
    if (state.elapsedMs - lastMs < barEveryMs && doneOf(state) < state.planned) return;
    lastMs = state.elapsedMs;
    const text = progressText(state, before ?? 0);
    const width = Math.max(0, Math.min(40, target.columns - text.length - 4));
    const full = state.planned === 0 ? width : Math.floor((width * doneOf(state)) / state.planned);
    target.write(`\r\u001B[K[${'#'.repeat(full)}${'.'.repeat(width - full)}] ${text}`);
    drawn = true;
  };
  const plain = (state: ProgressState): void => {
    const done = doneOf(state);
    const step = state.planned === 0 ? plainSteps : Math.floor((plainSteps * done) / state.planned);
    if (step <= lastStep) return;
    lastStep = step;
    target.write(`${progressText(state, before ?? 0)}\n`);
  };
  return {
    show: (state) => {
      before ??= doneOf(state);
      if (target.isTerminal) bar(state);
      else plain(state);
    },
    finish: () => {
      if (drawn) target.write('\n');
    },
  };
}
