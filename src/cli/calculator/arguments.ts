/** Words and options of a calculator as numbers and lists; whatever cannot be read is wrong usage (exit 64). */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { digestHex, digestOf } from '../../base/digest.ts';
import { LiftgateError } from '../../base/errors.ts';

/** What a calculator is given: words in order, options by name, the folder that files are relative to. */
export interface Given {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly cwd: string;
}

const numberPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A number as people write it. @throws {LiftgateError} usage */
export function readNumber(name: string, text: string): number {
  const value = numberPattern.test(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(value)) return value;
  throw new LiftgateError('usage', `${name} must be a number, got "${text}".`, {
    mend: `Write ${name} as a decimal number such as 12 or 0.05.`,
  });
}

/** The words of the call as numbers, each under its name. @throws {LiftgateError} usage */
export function wordNumbers(given: Given, names: readonly string[]): readonly number[] {
  return names.map((name, index) => readNumber(name, given.words[index] ?? ''));
}

function optionText({ options }: Given, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The flag of an option as it is typed, `meanSize` as `--mean-size`. */
function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The number of an option that may be left out. @throws {LiftgateError} usage */
export function optionalNumber(given: Given, name: string): number | undefined {
  const text = optionText(given, name);
  return text === undefined ? undefined : readNumber(flagOf(name), text);
}

/** The number of an option. @throws {LiftgateError} usage  if it is missing or no number */
export function optionNumber(given: Given, name: string): number {
  const value = optionalNumber(given, name);
  if (value !== undefined) return value;
  throw new LiftgateError('usage', `${flagOf(name)} is missing.`, {
    mend: `Add ${flagOf(name)} with a number; --help shows an example.`,
  });
}

/** The sides of a test, 1 or 2. @throws {LiftgateError} usage */
export function optionSides(given: Given): 1 | 2 {
  const sides = optionNumber(given, 'sides');
  if (sides === 1 || sides === 2) return sides;
  throw new LiftgateError('usage', `--sides must be 1 or 2, got ${sides}.`, {
    mend: 'Write --sides 1 for a claim in one direction, --sides 2 for any difference.',
  });
}

/** One word out of a closed list. @throws {LiftgateError} usage */
export function optionWord<Word extends string>(
  given: Given,
  name: string,
  words: readonly Word[],
): Word {
  const text = optionText(given, name);
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  const list = words.join(', ');
  throw new LiftgateError('usage', `${flagOf(name)} must be one of ${list}, got "${text ?? ''}".`, {
    mend: `Write ${flagOf(name)} with one of: ${list}.`,
  });
}

/** A list written with commas. */
export function commaList(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

/** Seed of the resampling: the SHA-256 of the word given with `--seed`. */
export function optionSeed(given: Given): string {
  return digestHex(digestOf(optionText(given, 'seed') ?? ''));
}

/** The text of the file that `--file` names. @throws {LiftgateError} usage, file-unreadable */
export async function fileText(given: Given): Promise<{ file: string; text: string }> {
  const file = optionText(given, 'file');
  if (file === undefined) {
    throw new LiftgateError('usage', '--file is missing.', {
      mend: 'Add --file with the path of the data; --help shows an example.',
    });
  }
  try {
    return { file, text: await readFile(resolve(given.cwd, file), 'utf8') };
  } catch (cause) {
    throw new LiftgateError('file-unreadable', `${file} cannot be read.`, {
      where: { file },
      mend: 'Check the path; it is relative to the folder you are in.',
      cause,
    });
  }
}

/** Numbers from `--values 1,2,3` or from `--file`, where commas, spaces and line ends part them. @throws {LiftgateError} usage */
export async function readValues(given: Given): Promise<readonly number[]> {
  const listed = optionText(given, 'values');
  if ((listed === undefined) === (optionText(given, 'file') === undefined)) {
    throw new LiftgateError('usage', 'The values must be given once, with --values or --file.', {
      mend: 'Write --values 0.1,0.2,-0.3 or --file values.txt.',
    });
  }
  if (listed !== undefined) return commaList(listed).map((part) => readNumber('--values', part));
  const { file, text } = await fileText(given);
  const values = text.split('\n').flatMap((line, index) =>
    line
      .split(/[\s,;]+/)
      .filter((part) => part !== '')
      .map((part) => readNumber(`${file}:${index + 1}`, part)),
  );
  if (values.length === 0) refuseEmpty(file);
  return values;
}

function refuseEmpty(file: string): never {
  throw new LiftgateError('usage', `${file} holds no data.`, {
    where: { file },
    mend: 'Give at least one value; --help shows an example.',
  });
}

/** Objects of a JSON-lines file with the place each stands at. @throws {LiftgateError} usage, file-unreadable */
export async function readObjects(
  given: Given,
): Promise<readonly { readonly place: string; readonly value: Record<string, unknown> }[]> {
  const { file, text } = await fileText(given);
  const objects = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const place = `${file}:${index + 1}`;
    return [{ place, value: objectOf(line, place) }];
  });
  if (objects.length === 0) refuseEmpty(file);
  return objects;
}

function objectOf(line: string, place: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return Object.fromEntries(Object.entries(value));
  } catch {
    // Said below, like any other line that is not an object.
  }
  throw new LiftgateError('usage', `${place} is not a JSON object.`, {
    mend: 'Write one JSON object per line; --help shows an example.',
  });
}

/** A finite number in a field of an object. @throws {LiftgateError} usage */
export function fieldNumber(
  { place, value }: { readonly place: string; readonly value: Record<string, unknown> },
  field: string,
): number {
  const found = value[field];
  if (typeof found === 'number' && Number.isFinite(found)) return found;
  throw new LiftgateError('usage', `${place} has no number "${field}".`, {
    mend: `Give every line a finite number in "${field}".`,
  });
}
