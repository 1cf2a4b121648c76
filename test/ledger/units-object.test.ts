import { describe, expect, it, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { LiftgateError } from '../../src/base/errors.ts';
import { merkleRoot } from '../../src/base/merkle.ts';
import { formatUnits, parseUnits, unitsProblem, unitsRoot } from '../../src/ledger/units-object.ts';
import { bytesOf, unitsNamed } from '../support/ledger-story.ts';

const units = unitsNamed(['u-1', 'u-2']);

describe('formatUnits and parseUnits', () => {
  it('are inverse; the object is canonical JSON with a line feed, the root covers each record', () => {
    const stored = formatUnits(units);
    const [first, second] = ['u-1', 'u-2'].map(
      (id) => `{"fingerprints":["${digestOf(id)}"],"id":"${id}","skeleton":"${id}"}`,
    );
    expect(new TextDecoder().decode(stored.bytes)).toBe(`[${first},${second}]\n`);
    expect(stored.object).toBe(digestOf(stored.bytes));
    expect(stored.root).toBe(merkleRoot([first ?? '', second ?? '']));
    expect(stored.count).toBe(2);
    expect(parseUnits(stored.bytes)).toEqual(units);
    expect(unitsRoot(units)).toBe(stored.root);
  });

  it('do not depend on the order of members', () => {
    const turned = units.map(({ id, skeleton, fingerprints }) => ({ fingerprints, skeleton, id }));
    expect(formatUnits(turned).object).toBe(formatUnits(units).object);
  });

  test.each([
    ['a bad id', unitsNamed(['u-1 ']), 'The unit id "u-1 " cannot name a unit (E_ID_SPACE).'],
    [
      'a false skeleton',
      [{ id: 'U-1', skeleton: 'U-1', fingerprints: [] }],
      'Unit "U-1" is recorded with the skeleton "U-1"; it is "u-1".',
    ],
    [
      'a wrong order',
      unitsNamed(['u-1', 'u-2']).reverse(),
      'Unit "u-1" does not follow "u-2": units are sorted by id and appear once.',
    ],
    [
      'a repeated unit',
      [...unitsNamed(['u-1']), ...unitsNamed(['u-1'])],
      'Unit "u-1" does not follow "u-1": units are sorted by id and appear once.',
    ],
    [
      'a repeated fingerprint',
      [{ id: 'u-1', skeleton: 'u-1', fingerprints: [digestOf('a'), digestOf('a')] }],
      'The fingerprints of unit "u-1" are not sorted or appear twice.',
    ],
  ])('refuse %s', (_, list, message) => {
    expect(unitsProblem(list)).toBe(message);
    expect(() => formatUnits(list)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message,
        mend: 'Build the list with unitRecords, which normalizes and sorts.',
      }),
    );
  });

  it('refuse every proper prefix and any other spelling of the stored bytes', () => {
    const { bytes } = formatUnits(units);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => parseUnits(bytes.subarray(0, length))).toThrow(LiftgateError);
    }
    expect(() => parseUnits(bytesOf('[ ]\n'))).toThrow(/not the canonical form/);
    expect(() => parseUnits(bytesOf('[{"id":"u-1"}]\n'))).toThrow(
      /^A unit has not the shape \{fingerprints, id, skeleton\}: /,
    );
  });
});
