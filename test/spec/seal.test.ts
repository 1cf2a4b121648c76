import { beforeAll, describe, expect, test } from 'vitest';
import { canonicalLine } from '../../src/base/canonical.ts';
import { digestOf } from '../../src/base/digest.ts';
import { LiftgateError } from '../../src/base/errors.ts';
import {
  formatSeal,
  materialOf,
  parseSeal,
  type SealedExperiment,
  sealDigest,
  surfaceDigest,
  treeDigest,
} from '../../src/spec/seal.ts';
import { refusedBy } from '../support/refused-by.ts';
import { sealedMails } from '../support/seal-input.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const encoder = new TextEncoder();
let plan: SealedExperiment;
let final: SealedExperiment;

beforeAll(async () => {
  ({ plan, final } = await sealedMails(await makeFolder()));
});

/** Whether stored bytes are refused as a seal, or read as another seal than the recorded digest names. */
function isNoticed(bytes: Uint8Array, recorded: string): boolean {
  try {
    return sealDigest(parseSeal(bytes)) !== recorded;
  } catch (error) {
    if (error instanceof LiftgateError) return error.code === 'seal-invalid';
    throw error;
  }
}

describe('parseSeal', () => {
  test('reads back what formatSeal wrote, at both stages', () => {
    for (const seal of [plan, final]) {
      const bytes = encoder.encode(formatSeal(seal));
      expect(parseSeal(bytes)).toEqual(seal);
      expect(formatSeal(parseSeal(bytes))).toBe(formatSeal(seal));
      expect(sealDigest(seal)).toBe(digestOf(bytes));
    }
  });

  test('every single-byte change is refused or gives another digest', () => {
    const bytes = encoder.encode(formatSeal(final));
    const recorded = sealDigest(final);
    const places = Array.from(bytes.keys()).filter((at) => at % 17 === 0 || at > bytes.length - 40);
    const missed = places.flatMap((at) =>
      [1, 0x80].filter((bit) => !isNoticed(bytes.with(at, (bytes[at] ?? 0) ^ bit), recorded)),
    );
    expect(places.length).toBeGreaterThan(450);
    expect(missed).toEqual([]);
  });

  test('every byte of the stored seal reaches its digest', () => {
    const bytes = encoder.encode(formatSeal(final));
    const recorded = digestOf(bytes);
    const missed = Array.from(bytes.keys()).filter(
      (at) => digestOf(bytes.with(at, (bytes[at] ?? 0) ^ 1)) === recorded,
    );
    expect(missed).toEqual([]);
  });

  test('every proper prefix and suffix is refused', () => {
    const text = formatSeal(final);
    const cuts = Array.from({ length: 60 }, (_, k) => 1 + Math.floor((k * text.length) / 60));
    const accepted = cuts.flatMap((at) =>
      [text.slice(0, at), text.slice(at)].filter((part) => {
        try {
          parseSeal(encoder.encode(part));
          return part.length < text.length;
        } catch (error) {
          return !(error instanceof LiftgateError && error.code === 'seal-invalid');
        }
      }),
    );
    expect(accepted).toEqual([]);
  });

  const changes: [string, (seal: Record<string, unknown>) => unknown, string][] = [
    [
      'a missing member',
      ({ claim: _claim, ...rest }) => rest,
      'seal-invalid: The seal does not have the shape liftgate/seal/v1: Invalid input: expected object, received undefined. Restore the sealed file, or seal the experiment again under this version.',
    ],
    [
      'an unknown member',
      (seal) => ({ ...seal, threshold: 0 }),
      'seal-invalid: The seal does not have the shape liftgate/seal/v1: Unrecognized key: "threshold". Restore the sealed file, or seal the experiment again under this version.',
    ],
    [
      'another version',
      (seal) => ({ ...seal, type: 'liftgate/seal/v2' }),
      'seal-invalid: The seal does not have the shape liftgate/seal/v1: Invalid input: expected "liftgate/seal/v1". Restore the sealed file, or seal the experiment again under this version.',
    ],
  ];
  test.each(changes)('refuses %s', (_what, change, said) => {
    const value = change(JSON.parse(formatSeal(final)) as Record<string, unknown>);
    expect(refusedBy(() => parseSeal(encoder.encode(canonicalLine(value))))).toBe(said);
  });

  test.each([
    [
      're-indented',
      (text: string) => JSON.stringify(JSON.parse(text), null, 2),
      'it was re-indented',
    ],
    ['CRLF', (text: string) => text.replace('\n', '\r\n'), 'line ends were converted to CRLF'],
    ['without its line feed', (text: string) => text.trimEnd(), 'the last line feed is missing'],
    ['merged', (text: string) => `<<<<<<< a\n${text}`, 'it holds merge markers'],
    [
      'replaced by a pointer',
      () => 'version https://git-lfs.github.com/spec/v1\n',
      'it is a Git LFS pointer',
    ],
  ])('says of a seal that was %s what happened to it', (_what, convert, said) => {
    const refusal = refusedBy(() => parseSeal(encoder.encode(convert(formatSeal(final)))));
    expect(refusal).toContain('seal-invalid: The bytes are not the canonical form');
    expect(refusal).toContain(`(${said})`);
  });
});

describe('treeDigest', () => {
  test('is the digest of the canonical array sorted by path, in any order given', () => {
    const files = ['b', 'a', 'C'].map((path) => materialOf(path, encoder.encode(path)));
    const sorted = files.toSorted((first, second) => (first.path < second.path ? -1 : 1));
    expect(treeDigest(files)).toBe(digestOf(canonicalLine(sorted).trimEnd()));
    expect(treeDigest(files.toReversed())).toBe(treeDigest(files));
    expect(treeDigest(files.slice(1))).not.toBe(treeDigest(files));
  });
});

describe('materialOf', () => {
  test('holds what sha256sum and wc print', () => {
    expect(materialOf('x', encoder.encode('abc'))).toEqual({
      path: 'x',
      size: 3,
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    });
  });
});

describe('surfaceDigest', () => {
  test('covers names and bytes of the components in no order', () => {
    const [one, two] = [digestOf('1'), digestOf('2')];
    const digest = surfaceDigest({ a: one, b: two });
    expect(surfaceDigest({ b: two, a: one })).toBe(digest);
    expect(surfaceDigest({ a: two, b: one })).not.toBe(digest);
    expect(surfaceDigest({ a: one })).not.toBe(digest);
    expect(digest).toBe(digestOf(`{"components":{"a":"${one}","b":"${two}"},"kind":"bundle"}`));
  });
});

describe('the two stages', () => {
  test('differ in stage, plan and the arms of candidates alone', () => {
    const keys = Object.keys(final) as (keyof SealedExperiment)[];
    const differing = keys.filter((key) => canonicalLine(plan[key]) !== canonicalLine(final[key]));
    expect(differing.sort()).toEqual(['arms', 'plan', 'stage']);
    expect(final.plan).toBe(sealDigest(plan));
    expect(plan.arms.map((arm) => [arm.id, arm.surfaceDigest === null])).toEqual([
      ['baseline', false],
      ['new', true],
      ['same', true],
    ]);
    expect(final.arms[0]).toEqual(plan.arms[0]);
    expect(final.arms.every((arm) => arm.surfaceDigest !== null)).toBe(true);
  });
});
