/** The clock of the machine. */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../run/host.ts';

/** Longest delay a timer of the platform can hold. */
const longestTimerMs = 2_147_483_647;

/**
 * Wall-clock time in UTC and a monotonic clock. `sleep` resolves after the time or as soon as the signal aborts; it never rejects.
 */
export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(ms, longestTimerMs));
      // One listener per waiting cell is no leak.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    }),
};
