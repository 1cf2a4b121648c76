/** Random changes of a bundle: none crashes the reader, none is accepted. `npm run soak` runs 100,000 of them. */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { wholeBytes } from '../../src/base/content.ts';
import { LiftgateError } from '../../src/base/errors.ts';
import type { TarMember } from '../../src/base/tar.ts';
import { type Bundle, formatBundle, gatherBundle, parseBundle } from '../../src/verify/bundle.ts';
import { checkBundle, repacked, smallMails, tinyBundle } from '../support/bundles.ts';
import { bytesOf } from '../support/ledger-story.ts';
import { type ByteEdit, editedBytes, strangeBytes } from '../support/mutations.ts';
import { settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
const soak = process.env['LIFTGATE_SOAK'] === '1';
const rawRuns = soak ? 100_000 : 2_000;
const repackedRuns = soak ? 5_000 : 60;

let tiny: Uint8Array;
let full: Bundle;
let archive: Uint8Array;

beforeAll(async () => {
  tiny = formatBundle(await tinyBundle());
  const run = await settledRun({ folder: await folder(), files: smallMails });
  full = await gatherBundle(run.files, run.ledger, new Map());
  archive = formatBundle(full);
});

/** One edit at a place, given as a share of the length. */
interface Edit {
  readonly kind: ByteEdit['kind'];
  readonly at: number;
  readonly length: number;
  readonly bytes: Uint8Array;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('flip', 'put', 'cut', 'copy', 'insert'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.oneof(fc.integer({ min: 1, max: 16 }), fc.constantFrom(512, 1024, 1536)),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 8 }),
    fc.constantFrom(...strangeBytes).map(bytesOf),
  ),
});

function edited(bytes: Uint8Array, { kind, at, length, bytes: given }: Edit): Uint8Array {
  const from = Math.min(bytes.length - 1, Math.floor(at * bytes.length));
  return editedBytes(bytes, { kind, from, length, given });
}

/** The exit code of the refusal; null when the bytes are taken. */
function refusalOf(bytes: Uint8Array): number | null {
  try {
    parseBundle(bytes, 'x');
    return null;
  } catch (error) {
    if (error instanceof LiftgateError) return error.exitCode;
    throw error;
  }
}

describe('parseBundle', () => {
  test('refuses whatever edits make of its bytes, with 41 or 42', { timeout: 3_600_000 }, () => {
    let changed = 0;
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        const bytes = edits.reduce(edited, tiny);
        if (Buffer.compare(bytes, tiny) === 0) return;
        changed += 1;
        expect([41, 42]).toContain(refusalOf(bytes));
      }),
      { seed: 20261130, numRuns: rawRuns },
    );
    expect(changed).toBeGreaterThan(rawRuns * 0.9);
  });
});

describe('the run in a bundle', () => {
  test('is never confirmed after an edit of any file, though the index was made to fit and the head is pinned', {
    timeout: 3_600_000,
  }, async () => {
    const pin = { size: full.entries.length, head: full.entries.at(-1)?.entryId ?? 'sha256:' };
    expect((await checkBundle(parseBundle(archive, 'x'), { pin })).exitCode).toBe(0);
    let reached = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(10_000), edit, async (which, change) => {
        const bytes = repacked(archive, (members) => withEdit(members, which, change));
        if (Buffer.compare(bytes, archive) === 0 || refusalOf(bytes) !== null) return;
        reached += 1;
        const found = await checkBundle(parseBundle(bytes, 'x'), { pin });
        expect(found.ok).toBe(false);
        expect(found.checks.flatMap(({ problems }) => problems)).not.toEqual([]);
      }),
      { seed: 20261130, numRuns: repackedRuns },
    );
    expect(reached).toBeGreaterThan(repackedRuns * 0.1);
  });
});

/** The members with one of them edited. */
function withEdit(members: readonly TarMember[], which: number, change: Edit): TarMember[] {
  return members.map((member, at) =>
    at === which % members.length
      ? { ...member, bytes: edited(wholeBytes(member.bytes), change) }
      : member,
  );
}
