/** Progress of a run: a bar with rate and time left on a terminal, a plain line now and then elsewhere. */

export interface ProgressState {
  readonly settled: number;
  readonly planned: number;
  readonly attempts: number;
  readonly faults: number;
  readonly elapsedMs: number;
}

export interface ProgressTarget {
  readonly isTerminal: boolean;
  readonly columns: number;
  write(text: string): void;
}

const plainEveryShare = 0.1;
const barEveryMs = 100;

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}m${Math.ceil(seconds % 60)}s`
    : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}

/**
 * One line of progress.
 * @example progressText({ settled: 50, planned: 100, attempts: 51, faults: 1, elapsedMs: 5000 })
 * // => '50/100 cells, 10.0/s, 5s left, 1 fault'
 */
export function progressText(state: ProgressState): string {
  const rate = state.elapsedMs > 0 ? (state.settled * 1000) / state.elapsedMs : 0;
  const left = rate > 0 ? duration((state.planned - state.settled) / rate) : '?';
  const faults =
    state.faults === 0 ? '' : `, ${state.faults} fault${state.faults === 1 ? '' : 's'}`;
  return `${state.settled}/${state.planned} cells, ${rate.toFixed(1)}/s, ${left} left${faults}`;
}

/** Draws states as they come; `finish` ends the bar's line. */
export function createProgress(target: ProgressTarget): {
  show(state: ProgressState): void;
  finish(): void;
} {
  let lastMs = Number.NEGATIVE_INFINITY;
  let lastShare = -1;
  let drawn = false;
  const bar = (state: ProgressState): void => {
    if (state.elapsedMs - lastMs < barEveryMs && state.settled < state.planned) return;
    lastMs = state.elapsedMs;
    const text = progressText(state);
    const width = Math.max(0, Math.min(40, target.columns - text.length - 4));
    const full = state.planned === 0 ? width : Math.floor((width * state.settled) / state.planned);
    target.write(`\r\u001B[K[${'#'.repeat(full)}${'.'.repeat(width - full)}] ${text}`);
    drawn = true;
  };
  const plain = (state: ProgressState): void => {
    const share = state.planned === 0 ? 1 : state.settled / state.planned;
    if (share - lastShare < plainEveryShare && (share < 1 || lastShare === 1)) return;
    lastShare = share;
    target.write(`${progressText(state)}\n`);
  };
  return {
    show: (state) => (target.isTerminal ? bar(state) : plain(state)),
    finish: () => {
      if (drawn) target.write('\n');
    },
  };
}
