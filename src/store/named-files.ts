/** Files a spec names: read once and at once, inside the experiment folder only, with a problem instead of an exception. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Problem } from '../base/errors.ts';
import { type Material, materialOf } from '../spec/seal.ts';

/** One named file: its bytes and what a seal says of it. */
export interface NamedFile {
  readonly bytes: Uint8Array;
  readonly material: Material;
}

/** Why a file cannot be used, without its place. */
export type FileFault = Pick<Problem, 'code' | 'message' | 'mend'>;

/** A named file, or why it cannot be used; `absent` marks a file that simply does not exist. */
export type FileReading =
  | { readonly status: 'read'; readonly file: NamedFile }
  | { readonly status: 'refused'; readonly fault: FileFault; readonly absent: boolean };

function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/**
 * Whether a real path lies in a real folder.
 * @example liesIn('/a', '/ab') // => false
 */
export function liesIn(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/**
 * Reads a file below a folder.
 * @param folder  real path of the folder no symbolic link may lead out of
 * @param path    relative POSIX path inside it, already checked by the schema
 * @param name    path recorded in the material
 */
export function readNamedFile(folder: string, path: string, name = path): FileReading {
  const full = join(folder, path);
  try {
    const real = realpathSync.native(full);
    if (!liesIn(folder, real)) {
      return refused(
        'file-outside-folder',
        `The file "${name}" is a link that leads out of its folder.`,
        {
          mend: 'Copy the file into the folder: what lies outside cannot be sealed.',
        },
      );
    }
    if (!statSync(real).isFile()) {
      return refused('file-unreadable', `"${name}" is not a file.`, {
        mend: 'Name a single file.',
      });
    }
    const bytes = new Uint8Array(readFileSync(real));
    return { status: 'read', file: { bytes, material: materialOf(name, bytes) } };
  } catch (error) {
    const absent = ['ENOENT', 'ENOTDIR'].includes(systemCode(error));
    return absent
      ? refused('file-missing', `The file "${name}" does not exist.`, {
          mend: 'Create it, or correct the path; paths are relative to the experiment folder.',
          absent,
        })
      : refused('file-unreadable', `The file "${name}" cannot be read (${systemCode(error)}).`, {
          mend: 'Make it readable for the user who runs this command.',
        });
  }
}

function refused(
  code: Problem['code'],
  message: string,
  { mend, absent = false }: { readonly mend: string; readonly absent?: boolean },
): FileReading {
  return { status: 'refused', fault: { code, message, mend }, absent };
}

/** Whether a path below the folder names a regular file, links followed. */
export function isFile(folder: string, path: string): boolean {
  try {
    return statSync(join(folder, path)).isFile();
  } catch {
    return false;
  }
}
