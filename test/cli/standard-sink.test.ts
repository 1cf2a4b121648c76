/** What the built command line prints, whatever it is printed to. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Ended, liftgate, projectFolder, startProgram } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const bin = join(projectFolder, 'bin/liftgate.js');
const run = 'experiments/refund-desk/runs/33d19367904c';
/** More than a pipe holds. */
const long = ['report', run, '--format', 'html'];

/** Runs a line of shell in which `$0 $1` is the command line. */
function inShell(line: string, ...words: string[]): Promise<Ended> {
  const command = ['bash', '-c', line, process.execPath, bin, ...words] as const;
  return startProgram(projectFolder, [...command]).ended;
}

let page = '';
beforeAll(async () => {
  page = (await liftgate(projectFolder, ...long)).stdout;
  expect(page.length).toBeGreaterThan(200_000);
});

describe('what is printed', () => {
  test('goes to a file as it goes to a pipe', async () => {
    const file = join(await makeFolder(), 'page.html');
    const ended = await inShell(`"$0" "$1" ${long.join(' ')} > '${file}'`);
    expect(ended).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    expect(readFileSync(file, 'utf8')).toBe(page);
  });

  test('goes to a terminal', async () => {
    const words = `${process.execPath} ${bin} --version`;
    const { stdout, exitCode } = await inShell(`script -qec '${words}' /dev/null`);
    expect([stdout, exitCode]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+\r\n$/), 0]);
  });

  test('keeps results and remarks in the order they came in', async () => {
    const both = await inShell(`"$0" "$1" verify ${run} nowhere ${run} 2>&1`);
    const [result, failure] = ['RESULT confirmed', 'There is no run folder here.'];
    const places = [...both.stdout.matchAll(new RegExp(`${result}|${failure}`, 'g'))];
    expect(places.map(([found]) => found)).toEqual([result, failure, result]);
    expect(both.exitCode).toBe(41);
  });

  test('changes no exit code when its reader goes away', async () => {
    const first = await inShell(
      `"$0" "$1" ${long.join(' ')} | head -c 9; printf ' %s' "\${PIPESTATUS[0]}"`,
    );
    expect(first).toEqual({ stdout: '<!doctype 0', stderr: '', exitCode: 0 });
    const help = await inShell(`"$0" "$1" --help | true; printf '%s' "\${PIPESTATUS[0]}"`);
    expect(help).toEqual({ stdout: '0', stderr: '', exitCode: 0 });
  });

  test('goes nowhere when standard output is closed', async () => {
    expect(await inShell(`"$0" "$1" ${long.join(' ')} >&-`)).toEqual({
      stdout: '',
      stderr: '',
      exitCode: 0,
    });
  });

  test.each([['--help'], long])(
    'is a failure where there is no room for it: %s',
    async (...words) => {
      const { stderr, exitCode } = await inShell(`"$0" "$1" ${words.join(' ')} > /dev/full`);
      expect(stderr).toContain('ENOSPC');
      expect(exitCode).not.toBe(0);
    },
  );

  test('waits for the reader of a pipe that does not wait itself', async () => {
    const folder = await makeFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Standard output that refuses what does not fit; that it did is told on standard error, and only then is it read.
    const hook = `const fs = require('node:fs');
      fs.closeSync(1);
      fs.openSync(${JSON.stringify(pipe)}, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
      const { writeSync } = fs;
      fs.writeSync = (...given) => {
        try {
          return writeSync(...given);
        } catch (error) {
          writeSync(2, error.code);
          throw error;
        }
      };`;
    writeFileSync(join(folder, 'hook.cjs'), hook);
    const words = ['--require', join(folder, 'hook.cjs'), bin, ...long];
    const child = spawn(process.execPath, words, { cwd: projectFolder });
    const ended = once(child, 'close');
    const [told] = await once(child.stderr, 'data');
    expect(String(told)).toBe('EAGAIN');
    const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
    expect(await text(reader.stdout)).toBe(page);
    expect((await ended)[0]).toBe(0);
  });
});
