/**
 * Executes the `@example` lines of doc comments: `<expression> // => <value>`, the value optionally followed by
 * `to N digits`, which compares N significant digits.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

interface Example {
  readonly expression: string;
  readonly value: string;
  readonly digits: number | undefined;
}

function commentText(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*(\/\*\*|\*\/|\* ?)/, '').replace(/\*\/\s*$/, ''))
    .join('\n');
}

/** The examples of one source text, and the exported functions that have none. */
export function readExamples(source: string): { examples: Example[]; without: string[] } {
  const examples: Example[] = [];
  const without: string[] = [];
  for (const [, comment = '', name] of source.matchAll(
    /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\s*export (?:async )?function (\w+)/g,
  )) {
    const parts = commentText(comment).split('@example').slice(1);
    if (parts.length === 0) without.push(name ?? '');
    for (const part of parts) {
      const [expression = '', rest = ''] = (part.split('\n@')[0] ?? '').split('// =>');
      const [value = '', digits] = rest.trim().split(/ to (\d+) digits$/);
      examples.push({
        expression: expression.trim(),
        value: value.replaceAll('\n//', '\n').trim(),
        digits: digits === undefined ? undefined : Number(digits),
      });
    }
  }
  return { examples, without };
}

function evaluate(expression: string, scope: Readonly<Record<string, unknown>>): unknown {
  return new Function(...Object.keys(scope), `'use strict'; return (${expression});`)(
    ...Object.values(scope),
  );
}

/** `names` must each have an example where the file exports them; `scope` holds what the examples may use. */
export interface ExampleNames {
  readonly names: readonly string[];
  readonly scope: Readonly<Record<string, unknown>>;
}

/** Declares one test per example of a source file. */
export function exampleTests(path: string, { names, scope }: ExampleNames): void {
  const source = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const { examples, without } = readExamples(source);
  describe(`examples of ${path}`, () => {
    test('every public function has one', () => {
      expect(without.filter((name) => names.includes(name))).toEqual([]);
      const functions = [...source.matchAll(/^export (async )?function /gm)].length;
      const documented = new Set(
        [...source.matchAll(/\*\/\s*export (?:async )?function (\w+)/g)].map((match) => match[1]),
      );
      expect(documented.size).toBe(functions);
    });
    for (const { expression, value, digits } of examples) {
      test(expression, () => {
        const got = evaluate(expression, scope);
        if (digits === undefined) expect(got).toEqual(evaluate(value, scope));
        else expect(Number(got).toPrecision(digits)).toBe(Number(value).toPrecision(digits));
      });
    }
  });
}
