/** The package this code was installed with: its folder and its version, known without loading the engine. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the code that runs: `src`, or `dist` once built. Every file that asks for it lies one folder below. */
export const sourceFolder = join(import.meta.dirname, '..');

/** Folder of the package: holds package.json, the built files and the templates. */
export const packageFolder = join(sourceFolder, '..');

let version: string | undefined;

/** Version word of package.json. */
export function engineVersion(): string {
  version ??= readVersion();
  return version;
}

function readVersion(): string {
  const text = readFileSync(join(packageFolder, 'package.json'), 'utf8');
  const found = /"version":\s*"([^"]+)"/.exec(text)?.[1];
  return found ?? 'unknown';
}
