/**
 * Plain uncompressed tar archives (POSIX ustar) in exactly one spelling, so that equal files give equal bytes and `tar -xf` opens them.
 * Per file a header of 512 bytes, the bytes of the file, and zeros up to a multiple of 512; at the end 1,024 zeros and nothing more:
 *
 *     offset  bytes  content
 *          0    100  path, ASCII, at most 99 characters, filled with zeros
 *        100     24  "0000644" NUL "0000000" NUL "0000000" NUL       mode, user, group
 *        124     12  size, 11 octal digits, NUL
 *        136     12  "00000000000" NUL                               no time
 *        148      8  sum of the header's bytes (these eight as spaces), 6 octal digits, NUL, space
 *        156      1  "0"                                             a plain file
 *        257      8  "ustar" NUL "00"
 *        329     16  "0000000" NUL "0000000" NUL
 *
 * Every other byte of a header is zero. Paths stand in the order of their code units, each once. A reader refuses any other byte:
 * another order, owner, time, folder entries, links, padding or trailing bytes.
 */
import {
  type ByteSource,
  type Content,
  chunksOf,
  type PartedFile,
  partsOf,
  wholeBytes,
} from './content.ts';
import { invariant, LiftgateError } from './errors.ts';

/** One file of an archive. */
export interface TarMember {
  readonly path: string;
  readonly bytes: Content;
}

const block = 512;
const pathPattern = /^(?!.*(?:^|\/)\.{0,2}(?:\/|$))[A-Za-z0-9._/-]{1,99}$/;
const largestSize = 0o77777777777;

const padded = (size: number): number => Math.ceil(size / block) * block;

/** Header of a file of this name and size. */
function headerOf(path: string, size: number): Uint8Array {
  const header = new Uint8Array(block);
  const write = (at: number, text: string): void => header.set(Buffer.from(text, 'latin1'), at);
  write(0, path);
  write(100, '0000644\u00000000000\u00000000000\0');
  write(124, `${size.toString(8).padStart(11, '0')}\0`);
  write(136, '00000000000\0');
  write(148, ' '.repeat(8));
  write(156, '0');
  write(257, 'ustar\u000000');
  write(329, '0000000\u00000000000\0');
  const sum = header.reduce((total, byte) => total + byte, 0);
  write(148, `${sum.toString(8).padStart(6, '0')}\0 `);
  return header;
}

/**
 * The archive of some files.
 * @param members  in any order, no path twice; paths of at most 99 letters, digits and `._/-`, without empty, `.` or `..` parts
 * @example formatTar([]).length // => 1024
 */
export function formatTar(members: readonly TarMember[]): Uint8Array {
  return wholeBytes(tarContent(members));
}

/** The archive of some files, {@link formatTar} piece by piece: no more of a long file is held than its own pieces. */
export function tarContent(members: readonly TarMember[]): ByteSource {
  const sorted = [...members].sort((first, second) => (first.path < second.path ? -1 : 1));
  for (const [index, { path, bytes }] of sorted.entries()) {
    invariant(pathPattern.test(path) && sorted[index - 1]?.path !== path, 'a path fits an archive');
    invariant(bytes.length <= largestSize, 'a file fits an archive');
  }
  const length = sorted.reduce(
    (total, { bytes }) => total + block + padded(bytes.length),
    2 * block,
  );
  return { length, chunks: () => archiveChunks(sorted) };
}

function* archiveChunks(members: readonly TarMember[]): Generator<Uint8Array> {
  for (const { path, bytes } of members) {
    yield headerOf(path, bytes.length);
    yield* chunksOf(bytes);
    yield new Uint8Array(padded(bytes.length) - bytes.length);
  }
  yield new Uint8Array(2 * block);
}

/**
 * Reads an archive that {@link formatTar} wrote; formatting its members again gives the same bytes.
 * @param file  how messages call it
 * @throws {LiftgateError} run-invalid  with the place of the first byte that is not as it must be
 */
export function parseTar(bytes: Uint8Array | PartedFile, file: string): readonly TarMember[] {
  const archive = partsOf(bytes);
  const members: TarMember[] = [];
  let at = 0;
  while (wholeBytes(archive.part(at, 1))[0] !== 0) {
    const member = memberAt(archive, at, file);
    const before = members.at(-1)?.path;
    if (before !== undefined && before >= member.path) {
      throw refused(`${member.path} stands twice or in another place than its order`, at, file);
    }
    members.push(member);
    at += block + padded(member.bytes.length);
  }
  const isEnd = archive.length - at === 2 * block;
  if (!isEnd || wholeBytes(archive.part(at, 2 * block)).some((byte) => byte !== 0)) {
    throw refused('the end is not the 1024 zeros that close it', at, file);
  }
  return members;
}

function memberAt(archive: PartedFile, at: number, file: string): TarMember {
  const header = wholeBytes(archive.part(at, block));
  const text = Buffer.from(header).toString('latin1');
  const path = text.slice(0, 100).split('\0')[0] ?? '';
  const octal = text.slice(124, 135);
  const size = /^[0-7]{11}$/.test(octal) ? Number.parseInt(octal, 8) : 0;
  const expected = pathPattern.test(path) ? headerOf(path, size) : new Uint8Array(block);
  if (Buffer.compare(header, expected) !== 0) {
    throw refused('a file header is not spelt as it must be', at, file);
  }
  const end = at + block + padded(size);
  const filling = wholeBytes(archive.part(at + block + size, padded(size) - size));
  if (end > archive.length || filling.some((byte) => byte !== 0)) {
    throw refused(`${path} is cut off, or followed by bytes of no file`, at, file);
  }
  return { path, bytes: archive.part(at + block, size) };
}

function refused(what: string, at: number, file: string): LiftgateError {
  return new LiftgateError(
    'run-invalid',
    `This is no bundle as it was made: ${what}, byte ${at}.`,
    {
      where: { file },
      mend: 'Fetch the bundle again, byte for byte; it must not be repacked.',
    },
  );
}
