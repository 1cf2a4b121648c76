import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { parseTar, type TarMember } from '../../src/base/tar.ts';
import {
  checkpointOf,
  formatSignedCheckpoint,
  signCheckpoint,
} from '../../src/ledger/checkpoint.ts';
import {
  type Bundle,
  bundledLedger,
  formatBundle,
  gatherBundle,
  parseBundle,
} from '../../src/verify/bundle.ts';
import { checkBundle, repacked, smallMails, textOf, tinyBundle } from '../support/bundles.ts';
import { bytesOf } from '../support/ledger-story.ts';
import { type SettledRun, settledRun } from '../support/run.ts';
import { plainSigner } from '../support/signers.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
let run: SettledRun;
let full: Bundle;
let tiny: Uint8Array;

beforeAll(async () => {
  run = await settledRun({ folder: await folder(), files: smallMails });
  full = await gatherBundle(run.files, run.ledger, new Map());
  tiny = formatBundle(await tinyBundle());
});

/** Whether a bundle is refused with one of our errors and exit code 41 or 42. */
function isRefused(archive: Uint8Array): boolean {
  try {
    parseBundle(archive, 'x');
    return false;
  } catch (error) {
    return error instanceof LiftgateError && [41, 42].includes(error.exitCode);
  }
}

const paths = (archive: Uint8Array): string[] => parseTar(archive, 'x').map(({ path }) => path);

describe('formatBundle', () => {
  test('holds index, ledger and run, sorted, and no object that no entry names', async () => {
    await run.ledger.putObject(bytesOf('nobody names me\n'));
    const again = await gatherBundle(run.files, run.ledger, new Map());
    expect(formatBundle(again)).toEqual(formatBundle(full));
    const found = paths(formatBundle(full));
    expect(found).toEqual([...found].sort());
    expect(found[0]).toBe('bundle.json');
    expect(found.filter((path) => path.startsWith('ledger/log/'))).toHaveLength(
      run.view.entries.length,
    );
    expect(found.filter((path) => path.startsWith('run/'))).toHaveLength(run.files.size);
  });

  test('takes a run apart and together again', () => {
    const bytes = formatBundle(full);
    const parsed = parseBundle(bytes, 'x');
    expect(formatBundle(parsed)).toEqual(bytes);
    expect([...parsed.run.keys()].sort()).toEqual([...run.files.keys()].sort());
    expect(parsed.entries.map(({ entryId }) => entryId)).toEqual(
      run.view.entries.map(({ entryId }) => entryId),
    );
  });

  test('needs a manifest, which only a settled run has', () => {
    const unsettled = new Map(full.run);
    unsettled.delete('manifest.json');
    expect(() => formatBundle({ ...full, run: unsettled })).toThrow(
      'The run folder has no manifest.json.',
    );
  });
});

describe('parseBundle', () => {
  test('refuses every change of a single byte, in the lowest and in another bit', () => {
    expect(isRefused(tiny)).toBe(false);
    const missed = Array.from(tiny.keys()).filter((at) => {
      const byte = tiny[at] ?? 0;
      return (
        !isRefused(tiny.with(at, byte ^ 1)) || !isRefused(tiny.with(at, byte ^ (2 << (at % 7))))
      );
    });
    expect(tiny.length).toBeGreaterThan(8000);
    expect(missed).toEqual([]);
  });

  test('refuses it at every length but its own', () => {
    const cuts = Array.from(tiny.keys()).filter((size) => !isRefused(tiny.subarray(0, size)));
    expect(cuts).toEqual([]);
    expect(isRefused(Buffer.concat([tiny, Uint8Array.of(0)]))).toBe(true);
    expect(isRefused(Buffer.concat([tiny, tiny]))).toBe(true);
  });

  test('refuses members that are dropped, doubled or swapped, whatever the index says', () => {
    const chunks = chunksOf(tiny);
    const end = tiny.subarray(tiny.length - 1024);
    const built = (parts: readonly Uint8Array[]) => Buffer.concat([...parts, end]);
    expect(isRefused(built(chunks))).toBe(false);
    const accepted = chunks.flatMap((chunk, at) => {
      const without = chunks.filter((_, other) => other !== at);
      const doubled = [...chunks.slice(0, at), chunk, ...chunks.slice(at)];
      const swapped = [...without.slice(0, at + 1), chunk, ...without.slice(at + 1)];
      const last = at === chunks.length - 1;
      return [without, doubled, ...(last ? [] : [swapped])].filter(
        (each) => !isRefused(built(each)),
      );
    });
    expect(chunks.length).toBeGreaterThan(5);
    expect(accepted).toEqual([]);
  });

  const stray = (path: string): TarMember => ({ path, bytes: bytesOf('{}\n') });
  const changes: [string, (members: readonly TarMember[]) => readonly TarMember[], string][] = [
    ['a file no run has', (all) => [...all, stray('run/notes.txt')], 'run/notes.txt is no file'],
    [
      'a file below a run',
      (all) => [...all, stray('run/a/seal.json')],
      'run/a/seal.json is no file',
    ],
    [
      'a file elsewhere',
      (all) => [...all, stray('ledger/README.md')],
      'ledger/README.md is no file',
    ],
    [
      'an object under a wrong name',
      (all) => [...all, stray(`ledger/objects/${'0'.repeat(64)}`)],
      'is no file of a bundle',
    ],
    [
      'an object that nobody names',
      (all) => [
        ...all,
        stray('ledger/objects/ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356'),
      ],
      'no entry names the object',
    ],
    [
      'an object too few',
      (all) => all.filter(({ path }) => !path.startsWith('ledger/objects/')),
      'is missing',
    ],
    [
      'a gap in the ledger',
      (all) => all.filter(({ path }) => path !== 'ledger/log/00000000.json'),
      'entry 0 of the ledger is missing',
    ],
    [
      'a ledger without its tail',
      (all) => all.filter(({ path }) => !/00000001|objects/.test(path)),
      'its index does not say what it holds',
    ],
    [
      'a checkpoint that is none',
      (all) => [...all, stray('ledger/checkpoints/00000002.txt')],
      'no checkpoint',
    ],
    [
      'a checkpoint of a strange kind',
      (all) => [...all, stray('ledger/checkpoints/00000002.pdf')],
      'is no file',
    ],
  ];
  test.each(changes)('refuses %s, though the index lists it', (_what, change, said) => {
    expect(() => parseBundle(repacked(tiny, change), 'x')).toThrow(said);
  });

  test('refuses a checkpoint of another size than its name says', async () => {
    const { entries } = parseBundle(tiny, 'x');
    const checkpoint = checkpointOf(entries);
    const note = formatSignedCheckpoint(checkpoint, [
      await signCheckpoint(checkpoint, plainSigner('ci')),
    ]);
    const named = (size: number) => ({
      path: `ledger/checkpoints/0000000${size}.txt`,
      bytes: bytesOf(note),
    });
    expect(
      parseBundle(
        repacked(tiny, (all) => [...all, named(2)]),
        'x',
      ).notes.size,
    ).toBe(1);
    expect(() =>
      parseBundle(
        repacked(tiny, (all) => [...all, named(1)]),
        'x',
      ),
    ).toThrow('This checkpoint covers 2 entries, its name says otherwise.');
  });
});

describe('the run in a bundle', () => {
  test('verifies from the bundle alone, with the same decision', async () => {
    const found = await checkBundle(parseBundle(formatBundle(full), 'x'));
    expect(found.checks.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(found.document).toEqual(run.result.document);
  });

  test('without the tail of its ledger still verifies, and is refused with a pin', async () => {
    await run.ledger.append({
      kind: 'void',
      requestId: 'void',
      body: { outcome: run.view.entries.at(-1)?.entry.seq ?? -1, reason: 'bug', evidence: '' },
    });
    const whole = await gatherBundle(run.files, run.ledger, new Map());
    const voided = await checkBundle(whole);
    expect(voided.exitCode).toBe(41);
    expect(voided.checks.flatMap(({ problems }) => problems).map(({ code }) => code)).toEqual([
      'outcome-voided',
    ]);
    const head = whole.entries.at(-1)?.entryId ?? 'sha256:';
    const pin = { size: whole.entries.length, head };
    const shortened = parseBundle(formatBundle(full), 'x');
    expect((await checkBundle(shortened)).exitCode).toBe(0);
    const pinned = await checkBundle(shortened, { pin });
    expect(pinned.exitCode).toBe(42);
    expect(pinned.checks.flatMap(({ problems }) => problems)).toEqual([
      { code: 'I6', message: `The pin knows ${pin.size} entries, the ledger has ${pin.size - 1}.` },
    ]);
  });

  test('lies in a ledger that takes no entries', async () => {
    const ledger = bundledLedger(full);
    await expect(ledger.putObject(bytesOf('x'))).rejects.toThrow('A bundle takes no entries.');
    const request = {
      kind: 'void',
      requestId: 'v',
      body: { outcome: 0, reason: 'x', evidence: '' },
    } as const;
    await expect(ledger.append(request)).rejects.toThrow(LiftgateError);
    expect((await ledger.entries()).length).toBe(full.entries.length);
  });
});

describe('check_bundle.py', () => {
  const checker = join(import.meta.dirname, '../support/check_bundle.py');

  async function checked(archive: Uint8Array, ...words: string[]): Promise<string> {
    const file = join(await folder(), 'x.tar');
    writeFileSync(file, archive);
    try {
      return execFileSync('python3', [checker, file, ...words], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    } catch (error) {
      return String(Reflect.get(Object(error), 'stderr'));
    }
  }

  test('agrees on chain, root, seal and verdict', async () => {
    const { report } = await viewOfFull();
    expect(await checked(formatBundle(full), `${report.entries}:${report.head}`)).toBe(
      `mails: ship; seal ${run.result.document.run.sealDigest}\n` +
        `${report.entries} entries, head ${report.head}, root ${report.root}\n`,
    );
  });

  test.each([
    ['a changed decision', 'run/decision.json', 'run/decision.json differs'],
    ['a changed entry', 'ledger/log/00000002.json', 'the chain breaks'],
    ['a changed manifest', 'run/manifest.json', 'refused'],
  ])('refuses %s though the index fits', async (_what, path, said) => {
    const changed = repacked(formatBundle(full), (all) =>
      all.map((each) =>
        each.path === path
          ? {
              path,
              bytes: bytesOf(textOf(each).replace(/[0-8](?=[^0-9]*$)/, '9')),
            }
          : each,
      ),
    );
    expect(await checked(changed)).toContain(said);
  });

  test('refuses another ledger than the pin knows', async () => {
    const said = await checked(formatBundle(full), `2:sha256:${'0'.repeat(64)}`);
    expect(said).toContain('the ledger is not the one of the pin');
  });

  async function viewOfFull() {
    return { report: await bundledLedger(full).verify() };
  }
});

/** Header and content of every member. */
function chunksOf(archive: Uint8Array): Uint8Array[] {
  let at = 0;
  return parseTar(archive, 'x').map(({ bytes }) => {
    const from = at;
    at += 512 + Math.ceil(bytes.length / 512) * 512;
    return archive.subarray(from, at);
  });
}
