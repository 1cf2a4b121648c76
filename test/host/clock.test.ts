import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/host/clock.ts';

describe('systemClock', () => {
  test('tells UTC with milliseconds', () => {
    expect(systemClock.now()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('never runs backwards', () => {
    const first = systemClock.elapsedMs();
    expect(systemClock.elapsedMs()).toBeGreaterThanOrEqual(first);
  });

  test('wakes from any sleep as soon as the signal aborts', async () => {
    const stop = new AbortController();
    const asleep = systemClock.sleep(1e12, stop.signal);
    stop.abort();
    await expect(asleep).resolves.toBeUndefined();
    await expect(systemClock.sleep(1e12, stop.signal)).resolves.toBeUndefined();
  });

  test('wakes by itself', async () => {
    const started = systemClock.elapsedMs();
    await systemClock.sleep(5, new AbortController().signal);
    expect(systemClock.elapsedMs() - started).toBeGreaterThan(3);
  });
});
