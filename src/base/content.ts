/**
 * Bytes of a file that may be too long to be held: a byte string, or a source that gives them piece by piece. Whatever reads a file
 * once from its start takes either, so that there is one set of rules for short and for long files.
 */
import { type Digest, digestOf, runningDigest } from './digest.ts';

/** A file whose bytes are read as they are asked for. */
export interface ByteSource {
  /** Number of bytes. */
  readonly length: number;
  /** All bytes in order. A piece is good until the next one is asked for. */
  readonly chunks: () => Iterable<Uint8Array>;
}

/** Bytes of a file, in memory or not. */
export type Content = Uint8Array | ByteSource;

/**
 * The pieces of some bytes; those of a byte string are itself.
 * @example [...chunksOf(new Uint8Array(3))].length // => 1
 */
export function chunksOf(content: Content): Iterable<Uint8Array> {
  return content instanceof Uint8Array ? [content] : content.chunks();
}

/**
 * All bytes in memory.
 * @example wholeBytes({ length: 2, chunks: () => [Uint8Array.of(1), Uint8Array.of(2)] }) // => Uint8Array.of(1, 2)
 */
export function wholeBytes(content: Content): Uint8Array {
  if (content instanceof Uint8Array) return content;
  const bytes = new Uint8Array(content.length);
  let at = 0;
  for (const chunk of content.chunks()) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/**
 * SHA-256 of all bytes.
 * @example digestOfContent(new Uint8Array()) // => 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
 */
export function digestOfContent(content: Content): Digest {
  if (content instanceof Uint8Array) return digestOf(content);
  const running = runningDigest();
  for (const chunk of content.chunks()) running.add(chunk);
  return running.value();
}

const lineFeed = 0x0a;

/**
 * The lines of some bytes, each with its line feed; only the last one may be without. A line is good until the next one is asked for,
 * and only the open one is held, however the pieces are cut.
 * @example [...linesOf(new TextEncoder().encode('a\nb'))].length // => 2
 */
export function* linesOf(content: Content): Generator<Uint8Array, void> {
  let open: Uint8Array[] = [];
  for (const chunk of chunksOf(content)) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      const piece = chunk.subarray(from, end + 1);
      yield open.length === 0 ? piece : Buffer.concat([...open, piece]);
      open = [];
      from = end + 1;
    }
    // A copy: the next piece may come in the same place.
    if (from < chunk.length) open.push(new Uint8Array(chunk.subarray(from)));
  }
  if (open.length > 0) yield Buffer.concat(open);
}

/** Whether a line of {@link linesOf} is complete. */
export function isWholeLine(line: Uint8Array): boolean {
  return line[line.length - 1] === lineFeed;
}

/** A file of which any part can be taken. */
export interface PartedFile {
  readonly length: number;
  /** Bytes from a place on; fewer where the file ends. */
  readonly part: (from: number, length: number) => Content;
}

/** The parts of bytes in memory. */
export function partsOf(archive: Uint8Array | PartedFile): PartedFile {
  if (!(archive instanceof Uint8Array)) return archive;
  const part: PartedFile['part'] = (from, length) => archive.subarray(from, from + length);
  return { length: archive.length, part };
}

/**
 * Bytes that were read before and are read again: they must be the same ones.
 * @param refuse  called at their end when they are not
 */
export function checkedContent(
  source: ByteSource,
  digest: Digest,
  refuse: () => never,
): ByteSource {
  return {
    length: source.length,
    chunks: function* () {
      const running = runningDigest();
      for (const chunk of source.chunks()) {
        running.add(chunk);
        yield chunk;
      }
      if (running.value() !== digest) refuse();
    },
  };
}
