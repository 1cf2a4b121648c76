/** Splits a byte stream into lines of bounded length. */

const lineFeed = 10;

/** Longest line either side may send: 4 MiB without the line feed. */
export const lineLimitBytes = 4_194_304;

/** Collects chunks and hands out complete lines without their line feed. */
export class LineReader {
  private readonly limit: number;
  private parts: Buffer[] = [];
  private held = 0;

  /** @param limit  longest line in bytes, >= 1 */
  constructor(limit = lineLimitBytes) {
    this.limit = limit;
  }

  /**
   * Lines completed by a chunk.
   * @returns null as soon as a line is longer than the limit; the reader is of no use then
   */
  push(chunk: Buffer): Buffer[] | null {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      if (!this.hold(chunk.subarray(start, end))) return null;
      lines.push(Buffer.concat(this.parts));
      this.parts = [];
      this.held = 0;
      start = end + 1;
    }
    return this.hold(chunk.subarray(start)) ? lines : null;
  }

  /** Whether bytes of an unfinished line are waiting. */
  get unfinished(): boolean {
    return this.held > 0;
  }

  private hold(part: Buffer): boolean {
    this.held += part.length;
    if (part.length > 0) this.parts.push(part);
    return this.held <= this.limit;
  }
}
