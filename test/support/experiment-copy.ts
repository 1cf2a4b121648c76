/** Copies of the committed experiments, inside the project so that they find its installed packages, and removed afterwards. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll } from 'vitest';
import { projectFolder } from './cli.ts';

/** Returns a maker of workspaces `.demo-test-*` in the project; they vanish with the test file. */
export function projectWorkspaces(): () => string {
  const made: string[] = [];
  afterAll(() => {
    for (const folder of made) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(join(projectFolder, '.demo-test-'));
    made.push(folder);
    return folder;
  };
}

/** Copies an experiment without its runs and seals into a folder of the same name. */
export function copyExperiment(name: string, workspace: string): string {
  const to = join(workspace, name);
  cpSync(join(projectFolder, 'experiments', name), to, {
    recursive: true,
    filter: (path) => !/[\\/]runs(?:[\\/]|$)|\.seal\.json$/.test(relative(projectFolder, path)),
  });
  return to;
}

/** Rewrites a file; every first text must occur in it and is replaced everywhere. */
export function rewrite(path: string, ...changes: readonly (readonly [string, string])[]): void {
  const text = changes.reduce(
    (before, [from, to]) => {
      if (!before.includes(from)) throw new Error(`${path} does not hold ${from}`);
      return before.replaceAll(from, to);
    },
    readFileSync(path, 'utf8'),
  );
  writeFileSync(path, text);
}
