/** Places that are written to by name: folders that are made, files that are written. What can be neither is refused, never waited for. */
import { existsSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { LiftgateError } from '../base/errors.ts';

/**
 * Makes a folder with everything above it that is missing, one after another: made by a recursive call, a folder below /proc keeps
 * Node trying for ever.
 *
 * @returns the first folder that was made, or undefined when all of them were there
 * @throws the error of the file system, also when something else stands there
 */
export function makeFolder(path: string): string | undefined {
  const missing: string[] = [];
  let at = resolve(path);
  for (; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const each of missing) makeOne(each);
  // Something else than a folder is refused as the file system refuses it.
  if (!statSync(path).isDirectory()) mkdirSync(path);
  return missing[0];
}

/** Another process may make it at the same time. */
function makeOne(path: string): void {
  try {
    mkdirSync(path);
  } catch (cause) {
    if (!(statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)) throw cause;
  }
}

/**
 * Refuses to write over what is no plain file: a FIFO without a reader would be waited for, a device would be replaced.
 * @throws {LiftgateError} usage
 */
export function refuseOddFile(path: string, shown = path): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  throw new LiftgateError('usage', `This is ${kindOf(found)}, no plain file.`, {
    where: { file: shown },
    mend: 'Name a new file, or one that may be replaced; without --out it goes to standard output where the command can print it.',
  });
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a FIFO';
  return found.isSocket() ? 'a socket' : 'a device';
}
