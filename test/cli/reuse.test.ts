/** Reuse of final units from the command line: a policy, two measurements of the same units, what they cost. */
import { expect, test } from 'vitest';
import { liftgate, linesOf } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { allRight, SmallExperiment, type SmallOptions, smallCases } from '../support/workspace.ts';

const folder = temporaryFolders();

/** Development units differ between the two experiments, final units do not. */
function looked(workspace: string, name: string, options: SmallOptions): SmallExperiment {
  return new SmallExperiment(workspace, { name, cases: smallCases(24), ...options });
}

const sealed = (level: number) => ({ inference: { level }, disclosure: 'gate-bit' });

test('units are measured again in the next slot, at its level, until one ships', async () => {
  const place = await folder();
  const first = looked(place, 'first', {
    candidates: { new: { scores: { right: ['c1'] } } },
    spec: sealed(0.975),
  });
  const words = ['ledger', 'policy', 'texts', '--alpha-slots', '2', '--alpha', '0.05'];
  expect((await liftgate(place, ...words)).stdout).toContain(
    'texts: alpha-slots, recorded in entry 1',
  );
  expect((await first.run()).exitCode).toBe(21);

  const loose = looked(place, 'loose', { spec: sealed(0.95) });
  const refused = await loose.run();
  expect(refused.exitCode).toBe(42);
  expect(refused.stderr).toContain('slot 1 of family "texts" has 25000000.');
  expect(refused.stderr).toContain('Declare inference.level: 0.975, or higher, and seal again');

  const second = looked(place, 'second', { candidates: { new: allRight }, spec: sealed(0.975) });
  const shipped = await second.run();
  expect(shipped.exitCode).toBe(0);
  const { stdout } = await liftgate(place, 'ledger', 'budget');
  expect(linesOf(stdout).slice(0, 4)).toEqual([
    'family  policy       error  spent  held  left  looks',
    'texts   alpha-slots  0.05   0.05   0     0     2 of 2',
    'texts: units 0 free, 0 held, 0 exposed, 24 retired',
    '  next look: none, every slot is taken',
  ]);

  const third = looked(place, 'third', { spec: sealed(0.99) });
  const late = await third.run();
  expect(late.exitCode).toBe(42);
  expect(late.stderr).toContain('retired since experiment "second" measured them');
});
