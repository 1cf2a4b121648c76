/** What `liftgate stats` and `liftgate power` print for people, and how they refuse, on the built binary. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { documentOf, type Ended, liftgate, linesOf } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();

let place: string;

beforeAll(async () => {
  place = await folder();
});

function refused(ended: Ended): string[] {
  expect(ended.exitCode).toBe(64);
  expect(ended.stdout).toBe('');
  return linesOf(ended.stderr);
}

describe.concurrent('for people', () => {
  test('the example of the help prints method, guarantee, source and the verdict', async () => {
    const ended = await liftgate(place, 'stats', 'paired-binary', '15', '5', '--n', '76');
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toBe('');
    const lines = linesOf(ended.stdout);
    expect(lines[0]).toBe(
      'Paired risk difference, candidate - baseline: 15 gains and 5 losses in 76 units.',
    );
    expect(lines).toContain(
      '* tango-score          [0.0175922, 0.248947]  asymptotic     Tango 1998',
    );
    expect(lines).toContain(
      '  exact-unconditional  [0.0144024, 0.259131]  finite-sample  Buehler 1957',
    );
    expect(lines).toContain(
      "Clears 0 at one-sided error 0.025: Tango's lower bound must lie above 0 and McNemar's exact pGreater at or below the error.",
    );
  });

  test.each([
    ['0.02', '', 'Does not clear 0.02'],
    ['0.014', '', 'Clears 0.014'],
    ['0', '--finite-sample', 'Clears 0 '],
  ])('threshold %s %s is decided by the exact bound', async (threshold, flag, verdict) => {
    const words = [
      '15',
      '5',
      '--n',
      '76',
      '--threshold',
      threshold,
      ...(flag === '' ? [] : [flag]),
    ];
    const { stdout } = await liftgate(place, 'stats', 'paired-binary', ...words);
    expect(stdout).toContain('\n* exact-unconditional ');
    expect(stdout).toContain(`\n${verdict}`);
    expect(stdout).toContain('the exact unconditional lower bound must lie above the threshold.\n');
  });

  test('what has no number says so with its reason', async () => {
    const { stdout, exitCode } = await liftgate(place, 'stats', 'mean', '--values', '0,0,0');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('* t-bootstrap-t   indeterminate (constant-differences) ');
  });

  test.each(['stats', 'power'])(
    '%s --help lists its kinds, each with an example',
    async (group) => {
      const { stdout } = await liftgate(place, group, '--help');
      const kinds = [
        ...(stdout.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z-]+) \[options\]/gm),
      ];
      expect(kinds.length).toBeGreaterThanOrEqual(7);
      for (const [, kind = ''] of kinds) {
        const help = await liftgate(place, group, kind, '--help');
        expect(help.stdout).toContain(`Example:\n  $ liftgate ${group} ${kind} `);
      }
    },
  );
});

describe.concurrent('wrong arguments exit 64 and say how to mend them', () => {
  test.each([
    ['stats paired-binary 15 5', '--n is missing.'],
    ['stats paired-binary 15 x --n 76', 'LOSSES must be a number, got "x".'],
    ['stats paired-binary 15 5 --n 10', '--n 10 is less than the pairs it should hold.'],
    [
      'stats paired-binary 15 5 --n 76 --threshold 2',
      '--threshold must lie between -1 and 1, got 2.',
    ],
    [
      'stats paired-binary 15 5 --n 6000 --finite-sample',
      '--finite-sample is offered up to 5000 units.',
    ],
    [
      'stats paired-binary 15 5 --n 76 --level 95',
      'level must be a probability strictly between 0 and 1, got 95',
    ],
    ['stats proportion 0 0', 'UNITS must be at least 1.'],
    ['stats proportion 1 2 --min 0.1 --max 0.2', '--min and --max cannot both be given.'],
    ['stats proportion 21 20', 'units - successes must be a whole number of at least 0, got -1'],
    ['stats mean', 'The values must be given once, with --values or --file.'],
    ['stats mean --values 1,,2', '--values must be a number, got "".'],
    ['stats clustered', '--file is missing.'],
    ['stats clustered --file x --kind share', '--kind must be one of score, binary, got "share".'],
    ['power paired-t --effect 0.5 --sides 3', '--sides must be 1 or 2, got 3.'],
    ['power paired-binary --loss 0.1', '--gain is missing.'],
  ])('%s', async (words, message) => {
    const lines = refused(await liftgate(place, ...words.split(' ')));
    expect(lines[0]).toBe('[usage]');
    expect(lines[1]).toBe(`  ${message}`);
    expect(lines[2]).toMatch(/^ {2}\S.*\.$/);
    expect(lines).toHaveLength(3);
  });

  test.each([
    ['units.jsonl', '{"difference":1}\n', 'clustered', 'units.jsonl:1 names no unit.'],
    ['half.jsonl', '{"unit":"a"}\n', 'clustered', 'half.jsonl:1 has no number "difference".'],
    [
      'text.jsonl',
      '{"first":1,"second":2}\n7\n',
      'agreement',
      'text.jsonl:2 is not a JSON object.',
    ],
    ['empty.txt', '\n', 'mean', 'empty.txt holds no data.'],
    ['word.txt', '1\n2 x\n', 'mean', 'word.txt:2 must be a number, got "x".'],
  ])('a file such as %s holding %j', async (file, text, kind, message) => {
    writeFileSync(join(place, file), text);
    const lines = refused(await liftgate(place, 'stats', kind, '--file', file));
    expect(lines).toContain(`  ${message}`);
  });

  test('a file that is not there is unreadable, exit 40', async () => {
    const ended = await liftgate(place, 'stats', 'mean', '--file', 'nowhere.txt');
    expect(ended.exitCode).toBe(40);
    expect(linesOf(ended.stderr)[0]).toBe('nowhere.txt [file-unreadable]');
  });

  test('--json gives the refusal as the one document', async () => {
    const ended = await liftgate(place, 'stats', 'paired-binary', '15', '5', '--json');
    expect(ended.exitCode).toBe(64);
    expect(documentOf(ended)).toMatchObject({
      error: { code: 'usage', exitCode: 64, message: '--n is missing.' },
    });
  });
});
