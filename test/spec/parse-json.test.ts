import { expect, test, vi } from 'vitest';
import { readSpec } from '../../src/spec/parse.ts';

vi.mock('yaml', () => {
  throw new Error('yaml was loaded');
});

test('reading JSON never loads the YAML package', async () => {
  const reading = await readSpec(new TextEncoder().encode('{"liftgate": 1}'), 'e.json');
  expect(reading.problems.map((problem) => problem.code)).toContain('missing-key');
  await expect(readSpec(new TextEncoder().encode('liftgate: 1'), 'e.yaml')).rejects.toThrow();
});
