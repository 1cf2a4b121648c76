/** Calls read without the parser against the parser itself: the same options and places, or left to it. */
import { Command } from 'commander';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frequent } from '../../src/cli/frequent.ts';
import { declared } from '../../src/cli/subcommand.ts';
import { plainCall } from '../../src/cli/words.ts';

type Name = keyof typeof frequent;

interface Call {
  readonly options: Readonly<Record<string, unknown>>;
  readonly places: readonly string[];
}

/** What the parser makes of a call: options and places, or null where it shows help, a version, or what is wrong. */
function parsedCall(name: Name, words: readonly string[]): Call | null {
  let call: Call | null = null;
  const program = new Command('liftgate').version('1.0.0').exitOverride();
  program.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  declared(program, frequent[name]).action((places: string | string[], options: object) => {
    call = { options: { ...options }, places: [places].flat() };
  });
  try {
    program.parse([name, ...words], { from: 'user' });
  } catch {
    return null;
  }
  return call;
}

const names = Object.keys(frequent) as Name[];

/** Every option, spelt out and broken off, and words that have a meaning of their own. */
const vocabulary = [
  ...names.flatMap((name) => frequent[name].options.flatMap(({ flags }) => flags.split(' '))),
  ...[
    '--json=1',
    '--ledger=there',
    '--ledger=',
    '--format=html',
    '--format=a=b',
    '--pin=1:=',
    '--led',
  ],
  ...[
    'html',
    'junit',
    'github',
    'json',
    'help',
    'verify',
    'there',
    '',
    '-',
    '--',
    '-h',
    '-V',
    '-j',
  ],
  ...['--help', '--version', '--no-json', '--withoutLedger', '--__proto__', '--constructor', '-5'],
];

describe('plainCall', () => {
  test.each(names)('reads a call of %s as the parser does, or leaves it to it', (name) => {
    const words = fc.array(fc.oneof(fc.constantFrom(...vocabulary), fc.string()), {
      maxLength: 6,
    });
    let read = 0;
    const property = fc.property(words, (each) => {
      const call = plainCall(frequent[name], each);
      if (call === null) return;
      read += 1;
      expect(call).toEqual(parsedCall(name, each));
    });
    fc.assert(property, { numRuns: 500, seed: 46 });
    expect(read).toBeGreaterThan(10);
  });

  test.each(names)('takes every option of %s that is given as its help says', (name) => {
    const { options, words: usage } = frequent[name];
    const places = usage.split(' ').slice(1);
    for (const { flags, choices } of options) {
      const [long = '', takes] = flags.split(' ');
      const value = choices?.[0] ?? 'word';
      const given = takes === undefined ? [[long]] : [[long, value], [`${long}=${value}`]];
      for (const each of given) {
        const call = plainCall(frequent[name], [...places, ...each]);
        expect(call).not.toBeNull();
        expect(call).toEqual(parsedCall(name, [...places, ...each]));
        expect(call).toEqual(plainCall(frequent[name], [...each, ...places]));
      }
    }
  });

  test.each([
    ['an unknown option', ['run', '--nope']],
    ['a broken-off option', ['run', '--led', 'there']],
    ['an option without its word', ['run', '--ledger']],
    ['an option with an empty word', ['run', '--ledger=']],
    ['an option before another in place of its word', ['run', '--ledger', '--json']],
    ['an option that is named twice', ['run', '--ledger', 'a', '--ledger', 'b']],
    ['a word for an option that takes none', ['run', '--json=1']],
    ['help', ['run', '--help']],
    ['a version', ['run', '-V']],
    ['what stands behind two hyphens', ['run', '--', '--json']],
    ['a single hyphen', ['-']],
    ['no place', ['--json']],
  ])('leaves %s to the parser', (_, words) => {
    expect(plainCall(frequent.verify, words)).toBeNull();
  });

  test('leaves a place too many, and a word that is no choice, to the parser', () => {
    expect(plainCall(frequent.check, ['one', 'two'])).toBeNull();
    expect(plainCall(frequent.report, ['run', '--format', 'pdf'])).toBeNull();
    expect(plainCall(frequent.report, ['one', 'two'])).toEqual({
      options: { format: 'markdown' },
      places: ['one', 'two'],
    });
  });
});
