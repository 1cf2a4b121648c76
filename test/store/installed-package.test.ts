import { rmSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { treeDigest } from '../../src/spec/seal.ts';
import { loadExperiment } from '../../src/store/experiment-folder.ts';
import { parsePin } from '../../src/store/installed-package.ts';
import { changed } from '../spec/small-experiment.ts';
import { at, caseLine, refusal, useFolder, write, writeSmall } from './small-folder.ts';

useFolder();

function writePackage(folder: string, name: string, version: string): void {
  write(`${folder}/package.json`, JSON.stringify({ name, version }));
  write(
    `${folder}/data/rows.json`,
    JSON.stringify([
      { text: 'a', family: 'u1', label: 1 },
      { text: 'b', family: 'u2', label: 0 },
    ]),
  );
  write(`${folder}/index.js`, 'module.exports = 1;');
  write(`${folder}/node_modules/inner/package.json`, '{}');
}

describe('parsePin', () => {
  test.each([
    ['sentiment@5.0.2', 'sentiment', 'sentiment', '5.0.2'],
    ['sentiment-2=sentiment@2.1.0', 'sentiment-2', 'sentiment', '2.1.0'],
    ['@a/b@1.0.0-rc.1', '@a/b', '@a/b', '1.0.0-rc.1'],
    ['x=@a/b@1.0.0', 'x', '@a/b', '1.0.0'],
  ])('%s', (pin, installedAs, name, version) => {
    expect(parsePin(pin)).toEqual({ installedAs, name, version });
  });
});

describe('readInstalledPackage through loadExperiment', () => {
  const withPackage = changed(
    [
      'cases: {file: cases.jsonl, id: id, expected: [label]}',
      'cases:\n  files: [{package: rows@1.2.3, path: data/rows.json, set: {split: final, id: "rows-{row}"}}, {path: cases.jsonl}]\n  id: id\n  expected: [label]',
    ],
    [
      'baseline: {surface: {prompt: old.txt}}',
      'baseline: {surface: {prompt: old.txt}, pins: {packages: [other=rows@1.0.0]}}',
    ],
    ['worker: [node, host.mjs]', 'worker: [node, host.mjs]\n  packages: [rows@1.2.3]'],
  );

  /** The case file of the folder with other units than the package's rows. */
  function writeAll(): void {
    writeSmall(withPackage);
    write('e/cases.jsonl', [4, 5, 6].map((number) => caseLine(number, 'train')).join(''));
    writePackage('node_modules/rows', 'rows', '1.2.3');
    writePackage('node_modules/other', 'rows', '1.0.0');
  }

  test('are found by walking up and digested file by file without their own dependencies', async () => {
    writeAll();
    const { packages, caseFiles, materialsByPath, rows } = await loadExperiment(at('e'));
    expect([...packages.keys()]).toEqual(['rows@1.2.3', 'other=rows@1.0.0']);
    const rowsPackage = packages.get('rows@1.2.3');
    expect(rowsPackage?.materials.map(({ path }) => path)).toEqual([
      'data/rows.json',
      'index.js',
      'package.json',
    ]);
    expect(rowsPackage?.tree).toBe(treeDigest(rowsPackage?.materials ?? []));
    expect(packages.get('other=rows@1.0.0')?.name).toBe('other');
    expect(caseFiles).toEqual(['package:rows@1.2.3/data/rows.json', 'cases.jsonl']);
    expect(materialsByPath.get('package:rows@1.2.3/data/rows.json')?.material.path).toBe(
      'package:rows@1.2.3/data/rows.json',
    );
    expect(rows.map(({ row, fields }) => `${row} ${String(fields['id'])}`)).toEqual([
      '1 rows-1',
      '2 rows-2',
      '3 c4',
      '4 c5',
      '5 c6',
    ]);
  });

  test('prefer the nearest node_modules', async () => {
    writeAll();
    writePackage('e/node_modules/rows', 'rows', '1.2.3');
    write('e/node_modules/rows/more.js', '');
    const { packages } = await loadExperiment(at('e'));
    expect(packages.get('rows@1.2.3')?.folder).toBe(at('e', 'node_modules', 'rows'));
  });

  test.each<[name: string, spoil: () => void, expected: string]>([
    [
      'a package that is not installed',
      () => rmSync(at('node_modules', 'other'), { recursive: true }),
      'e/experiment.yaml:20:60 arms.baseline.pins.packages[0] [package-missing]\n  The package "other" is not installed.\n  Install rows@1.0.0 under the name other where the experiment can import it.',
    ],
    [
      'another version',
      () => write('node_modules/other/package.json', '{"name": "rows", "version": "1.0.1"}'),
      'e/experiment.yaml:20:60 arms.baseline.pins.packages[0] [package-version]\n  Expected rows@1.0.0 under "other", got rows@1.0.1.\n  Install the version that is pinned, or pin the version that is installed.',
    ],
    [
      'a manifest that cannot be read',
      () => write('node_modules/other/package.json', '{'),
      'e/experiment.yaml:20:60 arms.baseline.pins.packages[0] [package-version]\n  Expected rows@1.0.0 under "other", got unreadable@unknown.\n  Install the version that is pinned, or pin the version that is installed.',
    ],
    [
      'a package with a symbolic link',
      () => symlinkSync('index.js', at('node_modules', 'other', 'data', 'link.js')),
      'e/experiment.yaml:20:60 arms.baseline.pins.packages[0] [package-link]\n  The package "other" holds the symbolic link "data/link.js".\n  Install it from a registry, so that all its bytes lie in its own folder.',
    ],
    [
      'a case file the package does not have',
      () => rmSync(at('node_modules', 'rows', 'data', 'rows.json')),
      'e/experiment.yaml:12:39 cases.files[0].path [file-missing]\n  The file "package:rows@1.2.3/data/rows.json" does not exist.\n  Create it, or correct the path; paths are relative to the experiment folder.',
    ],
  ])('refuse %s', async (_name, spoil, expected) => {
    writeAll();
    spoil();
    expect((await refusal())[0]).toBe(expected);
  });
});
