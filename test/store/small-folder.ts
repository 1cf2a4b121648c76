/** A temporary experiment folder: `useFolder` in a test file makes a fresh one around every test. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { formatProblem, LiftgateError } from '../../src/base/errors.ts';
import { loadExperiment, type OpenOptions } from '../../src/store/experiment-folder.ts';
import { smallExperiment } from '../spec/small-experiment.ts';

let root = '';

/** Makes a fresh folder before and removes it after every test of the file. */
export function useFolder(): void {
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'liftgate-folder-')));
  });
  afterEach(() => rmSync(root, { recursive: true }));
}

/** Real path below the temporary folder. */
export function at(...parts: readonly string[]): string {
  return join(root, ...parts);
}

/** Writes a file below the temporary folder. */
export function write(path: string, content: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
}

/** One case of its own unit as a line. */
export function caseLine(number: number, split: string): string {
  return `${JSON.stringify({ id: `c${number}`, family: `u${number}`, split, text: `text ${number}`, label: number % 2 })}\n`;
}

export const caseLines = [1, 2, 3]
  .map((number) => caseLine(number, number === 3 ? 'train' : 'final'))
  .join('');

/** Writes the small experiment into e/. */
export function writeSmall(text = smallExperiment, without: readonly string[] = []): void {
  const files: Record<string, string> = {
    'experiment.yaml': text,
    'cases.jsonl': caseLines,
    'old.txt': 'old',
    'new.txt': 'new',
    'truth.txt': 'truth',
    'half.txt': 'half',
    'host.mjs': 'export {};',
  };
  for (const [name, content] of Object.entries(files)) {
    if (!without.includes(name)) write(`e/${name}`, content);
  }
}

/** Problem texts with the temporary folder taken out. */
export async function refusal(options?: OpenOptions): Promise<string[]> {
  try {
    await loadExperiment(at('e'), options);
  } catch (error) {
    if (error instanceof LiftgateError && error.code === 'spec-invalid') {
      return error.problems.map((problem) => formatProblem(problem).replaceAll(`${root}/`, ''));
    }
    throw error;
  }
  return [];
}
