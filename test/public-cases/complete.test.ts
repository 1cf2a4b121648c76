/** Every public case is either the subject of a test that names it, or listed here with the reason why it is none of ours. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { publicCases } from '../support/public-cases.ts';

const outside: Readonly<Record<string, string>> = {
  'PB-62':
    'No cell is ever served from a cache: a receipt holds the time its own execution took, also after a resume.',
};

const tests = new URL('../', import.meta.url);

/** The ids in the titles of tests, and in the lists of `test.each` whose title is the id. */
function named(): Set<string> {
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(new URL(name, tests), 'utf8'));
  const titles = texts.flatMap(
    (text) => text.match(/\b(?:test|it)(?:\.each)?\([^\n]*|\]\)\([^\n]*/g) ?? [],
  );
  const continued = texts.flatMap((text) => text.match(/^ +'PB-\d\d: [^\n]*/gm) ?? []);
  return new Set([...titles, ...continued].flatMap((text) => text.match(/PB-\d\d/g) ?? []));
}

test('every public case has its test or its reason', () => {
  const found = named();
  const ids = publicCases.map(({ id }) => id);
  expect(ids).toHaveLength(47);
  expect(ids.filter((id) => !found.has(id) && outside[id] === undefined)).toEqual([]);
  expect(Object.keys(outside).filter((id) => found.has(id) || !ids.includes(id))).toEqual([]);
});
