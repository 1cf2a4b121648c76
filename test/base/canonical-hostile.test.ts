/** The writer of canonical JSON against a slow one, on values that were made to be written wrongly. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalText, compareCodeUnits } from '../../src/base/canonical.ts';
import { LiftgateError } from '../../src/base/errors.ts';
import { slowVerdict } from '../support/slow-canonical.ts';

function verdictOf(value: unknown): string {
  try {
    return canonicalText(value);
  } catch (error) {
    if (error instanceof LiftgateError) return String(error.details['reason']);
    throw error;
  }
}

const plainTexts = fc.constantFrom(
  '',
  'a',
  'b',
  'x"y',
  '\\',
  '\n',
  'é',
  '\u{1f600}',
  '\u2028',
  '\x7f',
);
const oddTexts = fc.constantFrom('\ud800', 'x\udc00', '\udc00\ud800');
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1, -1, 2 ** 53, -(2 ** 53), 1e21, 1e-7, 5e-324),
);
const noJson = fc.constantFrom<unknown>(
  undefined,
  Symbol('s'),
  1n,
  () => 1,
  new Date(0),
  /x/,
  new Map(),
  new Uint8Array(1),
  new Boolean(true),
  Object.create({ a: 1 }),
  Object.assign([1], { more: 1 }),
  new Array(2),
);
const names = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom('a', 'b', 'c', 'd', '1', '10', '9', 'toJSON', '__proto__', ''),
  },
  { weight: 1, arbitrary: fc.constantFrom('\ud800', '\u{1f600}', '\ufb33', '"', 'constructor') },
);
/** How a member is put into its object. */
const ways = fc.oneof(
  { weight: 40, arbitrary: fc.constant('plain' as const) },
  { weight: 1, arbitrary: fc.constantFrom('getter', 'hidden', 'symbol', 'frozen') },
);
const { anyObject, hostile } = fc.letrec<{ anyObject: object; hostile: unknown }>((tie) => ({
  hostile: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 6, arbitrary: fc.oneof(plainTexts, numbers, fc.boolean(), fc.constant(null)) },
    { weight: 4, arbitrary: tie('anyObject') },
    { weight: 2, arbitrary: fc.array(tie('hostile'), { maxLength: 3 }) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        { weight: 4, arbitrary: plainTexts },
        oddTexts,
        noJson,
        fc.constantFrom(NaN, Infinity, -Infinity),
      ),
    },
  ),
  anyObject: fc
    .tuple(
      fc.array(fc.tuple(names, tie('hostile'), ways), { maxLength: 5 }),
      fc.constantFrom('as drawn', 'in order', 'in order', 'no prototype', 'in itself'),
    )
    .map(([drawn, how]) => objectFrom(drawn, how)),
}));

function objectFrom(drawn: readonly (readonly [string, unknown, string])[], how: string): object {
  const object: object = how === 'no prototype' ? Object.create(null) : {};
  const ordered = how === 'as drawn' ? drawn : drawn.toSorted(([a], [b]) => compareCodeUnits(a, b));
  for (const [key, value, way] of ordered) {
    Object.defineProperty(object, way === 'symbol' ? Symbol(key) : key, {
      configurable: true,
      enumerable: way !== 'hidden',
      ...(way === 'getter' ? { get: () => value } : { value, writable: way !== 'frozen' }),
    });
  }
  if (how === 'in itself' && drawn.length === 4) Object.assign(object, { e: [object] });
  return object;
}

/** An object that shows another one of its faces at every question. */
function fickle(faces: readonly object[], next: () => number): object {
  const face = () => faces[next() % faces.length] ?? {};
  return new Proxy(
    {},
    {
      ownKeys: () => Reflect.ownKeys(face()),
      get: (_, key) => Reflect.get(face(), key),
      has: (_, key) => Reflect.has(face(), key),
      getOwnPropertyDescriptor: (_, key) => {
        const found = Object.getOwnPropertyDescriptor(face(), key);
        return found && { ...found, configurable: true };
      },
    },
  );
}

describe('canonicalText', () => {
  test('has the text of the slow writer for any value, and refuses what that one refuses', () => {
    const verdicts = new Map<string, number>();
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 4 }), (values) => {
        // One after another, since names and what follows them are remembered.
        for (const value of values) {
          const verdict = verdictOf(value);
          expect(verdict).toBe(slowVerdict(value));
          const kind = verdict.startsWith('E_') ? verdict : 'text';
          verdicts.set(kind, (verdicts.get(kind) ?? 0) + 1);
        }
      }),
      { seed: 31, numRuns: 3000 },
    );
    expect([...verdicts.keys()].sort()).toEqual(
      ['E_CYCLE', 'E_NONFINITE', 'E_SURROGATE', 'E_TYPE', 'text'].sort(),
    );
    for (const count of verdicts.values()) expect(count).toBeGreaterThan(50);
  });

  test('never contradicts itself on an object that answers otherwise each time', () => {
    let texts = 0;
    fc.assert(
      fc.property(
        fc.infiniteStream(fc.nat(4)),
        fc.array(anyObject, { minLength: 5 }),
        (draws, faces) => {
          const next = () => draws.next().value ?? 0;
          const text = verdictOf({ a: fickle(faces, next), b: 1 });
          if (text.startsWith('E_')) return;
          texts += 1;
          expect(canonicalText(JSON.parse(text))).toBe(text);
        },
      ),
      { seed: 32, numRuns: 1500 },
    );
    expect(texts).toBeGreaterThan(150);
  });

  test('forgets no order that it learned when other names come in between', () => {
    const long = 'n'.repeat(100);
    const values = [
      { a: { b: 1, c: '' }, d: '"' },
      { a: { c: 1, d: 2 }, d: [] },
      { a: {}, b: 'x', d: 'y' },
      { [long]: { [`${long}a`]: 'x', [`${long}b`]: { a: 1 } }, z: 'x' },
      { d: 1, a: 2 },
      { a: 'x', d: { b: 'y' } },
    ];
    for (let turn = 0; turn < 3; turn += 1) {
      for (const value of [...values, ...values.toReversed()])
        expect(canonicalText(value)).toBe(slowVerdict(value));
    }
  });

  test('writes names beyond those it remembers', () => {
    for (let name = 0; name < 5000; name += 1) {
      const key = `name ${name}`;
      expect(canonicalText({ [key]: 'x', z: name })).toBe(`{"${key}":"x","z":${name}}`);
    }
    expect(canonicalText({ 'name 1': { 'name 4999': 'x' } })).toBe('{"name 1":{"name 4999":"x"}}');
  });
});
