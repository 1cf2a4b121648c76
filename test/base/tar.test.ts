import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wholeBytes } from '../../src/base/content.ts';
import { formatTar, parseTar } from '../../src/base/tar.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
const members = [
  { path: 'b/two.txt', bytes: new TextEncoder().encode('two\n') },
  { path: 'a.json', bytes: new TextEncoder().encode('x'.repeat(512)) },
  { path: 'c', bytes: new Uint8Array() },
];

describe('formatTar', () => {
  test('writes what tar opens, sorted by path and without a time', async () => {
    const at = await folder();
    writeFileSync(join(at, 'x.tar'), formatTar(members));
    const listed = execFileSync('tar', ['-tvf', 'x.tar', '--numeric-owner', '--utc'], {
      cwd: at,
      encoding: 'utf8',
    });
    expect(listed.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      '-rw-r--r-- 0/0 512 1970-01-01 00:00 a.json',
      '-rw-r--r-- 0/0 4 1970-01-01 00:00 b/two.txt',
      '-rw-r--r-- 0/0 0 1970-01-01 00:00 c',
      '',
    ]);
    execFileSync('tar', ['-xf', 'x.tar'], { cwd: at });
    expect(readFileSync(join(at, 'b/two.txt'), 'utf8')).toBe('two\n');
  });

  test('gives the same bytes for the same files in any order', () => {
    expect(formatTar([...members].reverse())).toEqual(formatTar(members));
  });

  test.each(['', '/a', 'a/', 'a//b', '../a', 'a/./b', 'a/..', 'ä', 'a b', 'x'.repeat(100)])(
    'has no place for the path "%s"',
    (path) => {
      expect(() => formatTar([{ path, bytes: new Uint8Array() }])).toThrow(
        'a path fits an archive',
      );
    },
  );
});

describe('parseTar', () => {
  test('reads back what was written', () => {
    const paths = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,5}(\/[a-z0-9_-]{1,5}){0,2}$/));
    fc.assert(
      fc.property(paths, fc.uint8Array({ maxLength: 1200 }), (names, bytes) => {
        const given = names.map((path, at) => ({ path, bytes: bytes.subarray(at) }));
        const read = parseTar(formatTar(given), 'x.tar');
        expect(
          new Map(
            read.map(({ path, bytes: held }) => [
              path,
              Buffer.from(wholeBytes(held)).toString('hex'),
            ]),
          ),
        ).toEqual(
          new Map(given.map((each) => [each.path, Buffer.from(each.bytes).toString('hex')])),
        );
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  test('refuses what GNU tar writes of the same files, naming the byte', async () => {
    const at = await folder();
    writeFileSync(join(at, 'a.json'), 'x');
    execFileSync('tar', ['--format=ustar', '-cf', 'x.tar', 'a.json'], { cwd: at });
    expect(() => parseTar(readFileSync(join(at, 'x.tar')), 'x.tar')).toThrow(
      'This is no bundle as it was made: a file header is not spelt as it must be, byte 0.',
    );
  });

  const archive = formatTar(members);
  const chunk = (from: number, to: number) => archive.subarray(from, to);
  const refusals: [string, Uint8Array, string][] = [
    ['nothing', new Uint8Array(), 'header is not spelt'],
    ['no end', chunk(0, 2560), 'header is not spelt'],
    ['half an end', chunk(0, 3072), 'not the 1024 zeros'],
    ['more than the end', Buffer.concat([archive, new Uint8Array(512)]), 'not the 1024 zeros'],
    ['a file cut off', chunk(0, 700), 'a.json is cut off'],
    [
      'two files in another order',
      Buffer.concat([chunk(1024, 2048), chunk(0, 1024), chunk(2048, 3584)]),
      'a.json stands twice or in another place',
    ],
    [
      'a file twice',
      Buffer.concat([chunk(0, 1024), chunk(0, 3584)]),
      'a.json stands twice or in another place',
    ],
    ['padding that is not zero', archive.with(2047, 1), 'b/two.txt is cut off, or followed'],
  ];
  test.each(refusals)('refuses %s', (_what, bytes, said) => {
    expect(() => parseTar(bytes, 'x.tar')).toThrow(said);
  });
});
