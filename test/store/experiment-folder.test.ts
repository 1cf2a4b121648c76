import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { finalCases } from '../../src/spec/case-index.ts';
import { materialOf } from '../../src/spec/seal.ts';
import { loadExperiment, openExperimentFolder } from '../../src/store/experiment-folder.ts';
import { changed, smallExperiment } from '../spec/small-experiment.ts';
import { at, caseLine, caseLines, refusal, useFolder, write, writeSmall } from './small-folder.ts';

useFolder();

describe('loadExperiment', () => {
  test('returns everything the experiment names as plain values', async () => {
    writeSmall();
    const loaded = await loadExperiment(at('e'));
    expect(loaded.folder).toBe(at('e'));
    expect(loaded.file).toBe(at('e', 'experiment.yaml'));
    expect(loaded.specSource).toEqual(materialOf('experiment.yaml', Buffer.from(smallExperiment)));
    expect([...loaded.materialsByPath.keys()].sort()).toEqual([
      'cases.jsonl',
      'half.txt',
      'host.mjs',
      'new.txt',
      'old.txt',
      'truth.txt',
    ]);
    expect(loaded.materialsByPath.get('old.txt')).toEqual({
      bytes: new Uint8Array(Buffer.from('old')),
      material: materialOf('old.txt', Buffer.from('old')),
    });
    expect(loaded.caseFiles).toEqual(['cases.jsonl']);
    expect(loaded.hostFiles).toEqual(['host.mjs']);
    expect(loaded.hostPrograms).toEqual(['node']);
    expect(loaded.unbound).toEqual([]);
    expect(loaded.cases.map(({ id, split }) => `${id} ${split}`)).toEqual([
      'c1 final',
      'c2 final',
      'c3 train',
    ]);
    expect(finalCases(loaded.index).map(({ id }) => id)).toEqual(['c1', 'c2']);
  });

  test('gives the same digests wherever the folder lies and by whatever path it is named', async () => {
    writeSmall();
    const first = await loadExperiment(at('e', 'experiment.yaml'));
    write('deep/er/marker', '');
    for (const name of [
      'experiment.yaml',
      'cases.jsonl',
      'old.txt',
      'new.txt',
      'truth.txt',
      'half.txt',
      'host.mjs',
    ]) {
      write(`deep/er/e/${name}`, readFileSync(at('e', name), 'utf8'));
    }
    symlinkSync(at('deep', 'er', 'e'), at('link'));
    const second = await loadExperiment(at('link'));
    expect(second.index).toEqual(first.index);
    expect(second.specSource).toEqual(first.specSource);
    expect([...second.materialsByPath]).toEqual([...first.materialsByPath]);
  });

  test('reads experiment.json where there is no YAML', async () => {
    writeSmall();
    const { spec } = await loadExperiment(at('e'));
    rmSync(at('e', 'experiment.yaml'));
    write('e/experiment.json', JSON.stringify(spec));
    const loaded = await loadExperiment(at('e'));
    expect(loaded.file).toBe(at('e', 'experiment.json'));
    expect(loaded.spec).toEqual(spec);
  });

  test.each([
    ['an empty folder', 'e', 'e/experiment.yaml'],
    ['no folder', 'nothing', 'nothing'],
  ])('says that there is no experiment file in %s', async (_name, path, where) => {
    mkdirSync(at('e'));
    await expect(loadExperiment(at(path))).rejects.toMatchObject({
      code: 'file-unreadable',
      message: 'There is no experiment file here.',
      where: { file: at(where) },
      mend: 'Name an experiment file, or a folder that holds experiment.yaml.',
    });
  });

  test('tells all missing files at once, each where the experiment names it', async () => {
    writeSmall(smallExperiment, ['cases.jsonl', 'old.txt', 'new.txt', 'truth.txt', 'host.mjs']);
    const mend = 'Create it, or correct the path; paths are relative to the experiment folder.';
    expect(await refusal()).toEqual(
      [
        ['11:15 cases.file', 'cases.jsonl'],
        ['17:32 arms.baseline.surface.prompt', 'old.txt'],
        ['19:29 arms.candidates.new.surface.prompt', 'new.txt'],
        ['30:37 controls[0].surface.prompt', 'truth.txt'],
        ['21:18 host.worker[1]', 'host.mjs'],
      ].map(
        ([where, name]) =>
          `e/experiment.yaml:${where} [file-missing]\n  The file "${name}" does not exist.\n  ${mend}`,
      ),
    );
  });

  test('counts the problems in its message and attaches them', async () => {
    writeSmall(smallExperiment, ['old.txt', 'new.txt']);
    await expect(loadExperiment(at('e'))).rejects.toMatchObject({
      code: 'spec-invalid',
      exitCode: 40,
      message: 'The experiment has 2 problems.',
      mend: 'Mend what is listed, then run "liftgate check" again.',
    });
  });

  test('tells problems of the spec, of files and of rows together', async () => {
    writeSmall(changed(['min: 0, max: 5', 'min: 5, max: 0']), ['old.txt']);
    write('e/cases.jsonl', `${caseLines}${caseLine(1, 'final').replace('text 1', 'text 9')}`);
    expect((await refusal()).map((text) => text.split('\n')[0])).toEqual([
      'e/experiment.yaml:25:38 measures.polite.max [measure-range]',
      'e/experiment.yaml:17:32 arms.baseline.surface.prompt [file-missing]',
      'e/cases.jsonl:4:1 [case-twice]',
    ]);
  });

  test('names a misspelt field once, at the spec, not once per row', async () => {
    writeSmall(changed(['unit: family', 'unit: famly']));
    expect(await refusal()).toEqual([
      'e/experiment.yaml:8:9 claim.unit [field-unknown]\n  No row has the field "famly".\n  Did you mean "family"?',
    ]);
  });

  test('judges the design by the cases', async () => {
    writeSmall(changed(['generalization: new-units', 'generalization: fixed-roster']));
    expect((await refusal())[0]).toMatch(
      /^e\/experiment\.yaml:34:5 gates\[0\] \[too-few-repeats\]\n {2}The gate "lift:right" is about a fixed roster/,
    );
  });

  test('holds the cap against one attempt per planned cell and controls', async () => {
    writeSmall(changed(['{usd: 5}', '{usd: 0.1}']));
    expect(await refusal()).toEqual([
      'e/experiment.yaml:28:15 budget.usd [budget-too-small]\n  budget.usd is 0.1, but one attempt at each of 22 cells (4 planned, 18 of controls) may cost 0.22.\n  Raise budget.usd, lower host.limits.maxCostUsd, or plan fewer cells.',
    ]);
    writeSmall(changed(['  limits: {maxCostUsd: 0.01}\n', '']));
    expect((await refusal())[0]).toContain('budget.usd [budget-without-limit]');
  });

  test('accepts open candidates before a search, and nothing else that is missing', async () => {
    writeSmall(smallExperiment, ['new.txt']);
    const loaded = await loadExperiment(at('e'), { candidates: 'open' });
    expect(loaded.unbound).toEqual(['new']);
    writeSmall(smallExperiment);
    rmSync(at('e', 'old.txt'));
    expect(await refusal({ candidates: 'open' })).toHaveLength(1);
  });
});

describe('files', () => {
  test('refuses links that lead out of the folder and follows those that stay', async () => {
    writeSmall(smallExperiment, ['old.txt', 'new.txt']);
    write('secret.txt', 'secret');
    symlinkSync(at('secret.txt'), at('e', 'old.txt'));
    symlinkSync('truth.txt', at('e', 'new.txt'));
    expect(await refusal()).toEqual([
      'e/experiment.yaml:17:32 arms.baseline.surface.prompt [file-outside-folder]\n  The file "old.txt" is a link that leads out of its folder.\n  Copy the file into the folder: what lies outside cannot be sealed.',
    ]);
  });

  test('refuses a folder in place of a file', async () => {
    writeSmall(smallExperiment, ['old.txt']);
    mkdirSync(at('e', 'old.txt'));
    expect(await refusal()).toEqual([
      'e/experiment.yaml:17:32 arms.baseline.surface.prompt [file-unreadable]\n  "old.txt" is not a file.\n  Name a single file.',
    ]);
  });

  test('seals words of the command that name files, and only those', async () => {
    writeSmall(
      changed([
        '[node, host.mjs]',
        '[node, --no-warnings, ./host.mjs, rules, strict]\n  files: [old.txt]',
      ]),
    );
    write('e/rules', 'r');
    const loaded = await loadExperiment(at('e'));
    expect(loaded.hostFiles).toEqual(['host.mjs', 'rules', 'old.txt']);
    expect(loaded.hostPrograms).toEqual(['node']);
  });

  test.each(['/opt/host.mjs', '../host.py'])(
    'refuses the script %s outside the folder',
    async (word) => {
      writeSmall(changed(['[node, host.mjs]', `[node, ${word}]`]));
      expect(await refusal()).toEqual([
        `e/experiment.yaml:21:18 host.worker[1] [file-outside-folder]\n  The command's file "${word}" does not lie in the experiment folder.\n  Copy it into the folder and name it by its relative path, so that it can be sealed.`,
      ]);
    },
  );

  test('reads the module of a module host', async () => {
    writeSmall(changed(['worker: [node, host.mjs]', 'module: host.mjs\n  trustInProcess: true']));
    expect((await loadExperiment(at('e'))).hostFiles).toEqual(['host.mjs']);
    writeSmall(changed(['worker: [node, host.mjs]', 'module: gone.mjs\n  trustInProcess: true']));
    expect((await refusal())[0]).toContain('e/experiment.yaml:21:11 host.module [file-missing]');
  });
});

describe('openExperimentFolder', () => {
  test('gives problems instead of throwing, and no files where the shape is wrong', async () => {
    writeSmall('liftgate: 1\n');
    const reading = await openExperimentFolder(at('e'));
    expect(reading.files).toBeUndefined();
    expect(reading.problems.map(({ code }) => code)).toContain('missing-key');
    await expect(loadExperiment(at('e'))).rejects.toMatchObject({ code: 'spec-invalid' });
  });

  test('gives the files beside the problems of the rules', async () => {
    writeSmall(changed(['min: 0, max: 5', 'min: 5, max: 0']));
    const reading = await openExperimentFolder(at('e'));
    expect(reading.problems.map(({ code }) => code)).toEqual(['measure-range']);
    expect(reading.files?.rows).toHaveLength(3);
  });
});

describe('the committed experiments', () => {
  test('refund-desk has 24 final families of four mails and its worked example holds', async () => {
    const loaded = await loadExperiment('experiments/refund-desk');
    expect(loaded.spec.name).toBe('refund-desk');
    const final = finalCases(loaded.index);
    expect(final).toHaveLength(96);
    expect(new Set(final.map(({ unit }) => unit)).size).toBe(24);
  });

  test('sentiment reads 3,003 rows, drops 3 unlabelled and 28 doubles, and holds back 1,989 units', async () => {
    const { index, cases } = await loadExperiment('experiments/sentiment');
    const excluded = index.rows.map((row) => row.excluded ?? '');
    expect(index.rows).toHaveLength(3003);
    expect(excluded.filter((rule) => rule === 'labelled')).toHaveLength(3);
    expect(excluded.filter((rule) => rule === 'distinct')).toHaveLength(28);
    expect(cases).toHaveLength(2972);
    expect(new Set(finalCases(index).map(({ unit }) => unit)).size).toBe(1989);
  });
});
