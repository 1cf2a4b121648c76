import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { LiftgateError, type Problem } from '../../src/base/errors.ts';
import {
  asLiftgateError,
  createOutput,
  failureDocument,
  failureText,
  type Sink,
  table,
} from '../../src/cli/print.ts';

/** A sink that keeps what is written and acknowledges it only when told to. */
function slowSink(): { sink: Sink; texts: string[]; release: () => void } {
  const texts: string[] = [];
  const waiting: (() => void)[] = [];
  return {
    texts,
    sink: {
      write: (text, done) => {
        texts.push(text);
        waiting.push(() => done());
        return true;
      },
    },
    release: () => {
      for (const done of waiting.splice(0)) done();
    },
  };
}

function printed(json: boolean): { stdout: string[]; stderr: string[] } {
  const [stdout, stderr] = [slowSink(), slowSink()];
  const output = createOutput({ json, stdout: stdout.sink, stderr: stderr.sink });
  output.line('a result');
  output.note('a remark');
  output.document({ answer: 42 });
  return { stdout: stdout.texts, stderr: stderr.texts };
}

describe('createOutput', () => {
  test('prints lines to stdout, remarks to stderr and no document for people', () => {
    expect(printed(false)).toEqual({ stdout: ['a result\n'], stderr: ['a remark\n'] });
  });

  test('prints nothing but the document to stdout under --json', () => {
    const { stdout, stderr } = printed(true);
    expect(stderr).toEqual(['a result\n', 'a remark\n']);
    expect(stdout).toHaveLength(1);
    expect(JSON.parse(stdout.join(''))).toEqual({ answer: 42 });
    expect(stdout.join('').endsWith('}\n')).toBe(true);
  });

  test('shows control characters of files and hosts instead of sending them to the terminal', () => {
    const [stdout, stderr] = [slowSink(), slowSink()];
    const output = createOutput({ json: false, stdout: stdout.sink, stderr: stderr.sink });
    output.line('unit\t\u001b[31mred');
    output.note('two\nlines\u009b2J');
    expect([stdout.texts, stderr.texts]).toEqual([
      ['unit\t⟨U+001B⟩[31mred\n'],
      ['two\nlines⟨U+009B⟩2J\n'],
    ]);
  });

  test('flushes only when both streams have taken everything', async () => {
    const [stdout, stderr] = [slowSink(), slowSink()];
    const output = createOutput({ json: false, stdout: stdout.sink, stderr: stderr.sink });
    output.line('a result');
    output.note('a remark');
    let flushed = false;
    const flush = output.flush().then(() => {
      flushed = true;
    });
    stdout.release();
    await new Promise((resolve) => setImmediate(resolve));
    expect(flushed).toBe(false);
    stderr.release();
    await flush;
    expect(flushed).toBe(true);
  });
});

describe('failureText', () => {
  test('says where, which, what and how to mend', () => {
    const error = new LiftgateError('seal-drift', 'The file changed.', {
      where: { file: 'e.yaml', line: 3, column: 7, path: 'arms' },
      mend: 'Put it back.',
    });
    expect(failureText(error)).toBe(
      'e.yaml:3:7 arms [seal-drift]\n  The file changed.\n  Put it back.',
    );
  });

  test('leaves out the place and the mend when there is none', () => {
    expect(failureText(new LiftgateError('usage', 'No.'))).toBe('[usage]\n  No.');
  });

  test('repeats what a failed host wrote to standard error', () => {
    const details = { stderr: 'no licence found\nbye\n' };
    const error = new LiftgateError('host-unreachable', 'Gone.', { mend: 'Start it.', details });
    expect(failureText(error)).toBe(
      '[host-unreachable]\n  Gone.\n  Start it.\n  The host wrote to standard error:\n    no licence found\n    bye',
    );
    expect(failureDocument(error)).toMatchObject({ error: { hostWrote: details.stderr } });
  });

  test.each([
    [1, '1 problem found; nothing was done.'],
    [2, '2 problems found; nothing was done.'],
  ])('lists %i problems one after another and counts them', (count, last) => {
    const problem: Problem = {
      code: 'no-measure',
      where: { file: 'e.yaml' },
      message: 'M.',
      mend: 'D.',
    };
    const problems = Array.from({ length: count }, () => problem);
    const text = failureText(new LiftgateError('spec-invalid', 'Bad.', { problems }));
    const each = 'e.yaml [no-measure]\n  M.\n  D.\n';
    expect(text).toBe(`${each.repeat(count)}${last}`);
  });
});

describe('failureDocument', () => {
  test('holds the code, the exit code and every problem with its place', () => {
    const problems: Problem[] = [
      {
        code: 'no-measure',
        where: { file: 'e.yaml', line: 1, column: 2 },
        message: 'M.',
        mend: 'D.',
      },
    ];
    const error = new LiftgateError('spec-invalid', 'Bad.', {
      where: { file: 'e.yaml' },
      mend: 'Mend it.',
      problems,
    });
    expect(failureDocument(error)).toEqual({
      error: {
        code: 'spec-invalid',
        exitCode: 40,
        message: 'Bad.',
        mend: 'Mend it.',
        where: { file: 'e.yaml', line: null, column: null, path: null },
        hostWrote: null,
        problems: [
          {
            code: 'no-measure',
            message: 'M.',
            mend: 'D.',
            where: { file: 'e.yaml', line: 1, column: 2, path: null },
          },
        ],
      },
    });
  });

  test('says null where nothing is known', () => {
    const document = failureDocument(new LiftgateError('internal', 'Oh.'));
    const { error } = z.object({ error: z.record(z.string(), z.unknown()) }).parse(document);
    expect(error).toEqual({
      code: 'internal',
      exitCode: 70,
      message: 'Oh.',
      mend: null,
      where: { file: null, line: null, column: null, path: null },
      hostWrote: null,
      problems: [],
    });
  });
});

describe('asLiftgateError', () => {
  test('passes our own failures through', () => {
    const own = new LiftgateError('usage', 'No.');
    expect(asLiftgateError(own)).toBe(own);
  });

  test.each([
    ['an error', new TypeError('x is not a function'), 'TypeError: x is not a function'],
    ['a text', 'oops', 'oops'],
    ['undefined', undefined, 'undefined'],
  ])('takes %s for a bug of ours: exit 70 and a request to report it', (_, thrown, shown) => {
    const error = asLiftgateError(thrown);
    expect(error.code).toBe('internal');
    expect(error.exitCode).toBe(70);
    expect(error.message).toContain(`Liftgate failed unexpectedly: ${shown}`);
    expect(error.mend).toBe('Please report this with the command you ran.');
    expect(error.cause).toBe(thrown);
  });
});

describe('table', () => {
  test('pads every column but the last to its widest cell', () => {
    const rows = [
      ['entry', 'kind', 'id'],
      ['0', 'genesis', 'a'],
    ];
    expect(table(rows)).toEqual(['entry  kind     id', '0      genesis  a']);
  });

  test('is empty for no rows', () => {
    expect(table([])).toEqual([]);
  });
});
