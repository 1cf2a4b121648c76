/** Tables of two measures that should move together. */
import { type CaseTable, rightMeasure } from './evidence.ts';

/** One binary guardrail. */
export const guardrail = { kind: 'binary', role: 'guardrail', direction: 'higher' } as const;

/** A list of so many values. */
export function upTo<Value>(count: number, value: (at: number) => Value): Value[] {
  return Array.from({ length: count }, (_, at) => value(at));
}

/** The measure that is optimized, and what it stands for. */
export const both = { right: rightMeasure, truth: guardrail };

/** Units by what proxy and truth gain: 1, 0 or -1. */
export function gains(
  ...units: readonly (readonly [count: number, proxy: number, truth: number])[]
) {
  const values = (gain: number): readonly [number, number] =>
    gain > 0 ? [0, 1] : gain < 0 ? [1, 0] : [1, 1];
  const drawn = units.flatMap(([count, proxy, truth]) =>
    upTo(count, () => [proxy, truth] as const),
  );
  return drawn.map(([proxy, truth], at): CaseTable => {
    const id = `u${String(at).padStart(3, '0')}`;
    const [right, own] = [values(proxy), values(truth)];
    return {
      id,
      unit: id,
      cells: {
        baseline: { scores: { right: right[0], truth: own[0] } },
        next: { scores: { right: right[1], truth: own[1] } },
      },
    };
  });
}
