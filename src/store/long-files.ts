/** Files of runs and bundles on disk: short ones are read at once, long ones piece by piece when their bytes are asked for. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import type { ByteSource, Content, PartedFile } from '../base/content.ts';
import { LiftgateError } from '../base/errors.ts';

/** Longest file, and longest part of one, that is held in memory; a piece of a longer one is as long. */
export const heldBytes = 1 << 20;

/** Where some bytes of a file lie. */
interface FilePart {
  readonly path: string;
  /** Length of the whole file when it was found; one of another length has been changed since. */
  readonly size: number;
  readonly from: number;
  readonly length: number;
}

/**
 * Bytes of a file that is no symbolic link.
 * @param size  its length when it was found
 * @throws {LiftgateError} run-invalid  while a long one is read: when it is of another length by then, no file any more, or unreadable
 */
export function fileContent(path: string, size: number): Content {
  return size <= heldBytes
    ? readFileSync(path)
    : sourceOf({ path, size, from: 0, length: size }, constants.O_NOFOLLOW);
}

function sourceOf(part: FilePart, flags = 0): ByteSource {
  return { length: part.length, chunks: () => piecesOf(part, flags) };
}

function changed(path: string): LiftgateError {
  return new LiftgateError('run-invalid', 'The file changed while it was read.', {
    where: { file: path },
    mend: 'Wait until nothing writes to it any more, then verify again.',
  });
}

/** Runs some work on an open file and closes it; whatever the system refuses is told with the file. */
function* piecesOf({ path, size, from, length }: FilePart, flags: number): Generator<Uint8Array> {
  const file = opened(path, flags);
  try {
    if (!isFileOf(file, size)) throw changed(path);
    const buffer = Buffer.allocUnsafe(Math.min(heldBytes, length));
    for (let at = 0; at < length; ) {
      const got = readSync(file, buffer, 0, Math.min(buffer.length, length - at), from + at);
      if (got === 0) throw changed(path);
      yield buffer.subarray(0, got);
      at += got;
    }
    if (!isFileOf(file, size)) throw changed(path);
  } finally {
    closeSync(file);
  }
}

function isFileOf(file: number, size: number): boolean {
  const stat = fstatSync(file);
  return stat.isFile() && stat.size === size;
}

function opened(path: string, flags: number): number {
  try {
    // A FIFO that took the place of the file must not keep the reader waiting.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  } catch (cause) {
    throw new LiftgateError('run-invalid', `The file cannot be read: ${String(cause)}.`, {
      where: { file: path },
      mend: 'Make it readable, and leave it in its place while it is read.',
      cause,
    });
  }
}

/**
 * Works on the parts of a file: short ones come out of a piece that is held, long ones are read when their bytes are asked for.
 * @throws {LiftgateError} run-invalid  when the file is of another length than it was found with
 */
export function withParts<Result>(
  path: string,
  size: number,
  work: (file: PartedFile) => Result,
): Result {
  const file = opened(path, 0);
  try {
    if (!isFileOf(file, size)) throw changed(path);
    return work({ length: size, part: partReader(file, path, size) });
  } finally {
    closeSync(file);
  }
}

function partReader(file: number, path: string, size: number): PartedFile['part'] {
  const held = Buffer.allocUnsafe(heldBytes);
  let [start, end] = [0, 0];
  const hold = (from: number): void => {
    [start, end] = [from, from];
    while (end < size && end - start < heldBytes) {
      const got = readSync(file, held, end - start, heldBytes - (end - start), end);
      if (got === 0) throw changed(path);
      end += got;
    }
  };
  return (from, wanted) => {
    const length = Math.max(0, Math.min(wanted, size - from));
    if (length > heldBytes) return sourceOf({ path, size, from, length });
    if (from < start || from + length > end) hold(from);
    return new Uint8Array(held.subarray(from - start, from - start + length));
  };
}
