/** Splits a byte stream into lines of bounded length. */

const lineFeed = 10;

/** Longest line either side may send: 4 MiB without the line feed. */
export const lineLimitBytes = 4_194_304;

/** A line above this many times the limit is not waited for. */
const endlessFactor = 16;

/** End of a long line that is kept, in bytes. */
const keptTailBytes = 65_536;

/** A line longer than the limit: its length, and of its bytes only the start and the end. */
export class LongLine {
  /** Bytes without the line feed. */
  readonly length: number;
  private readonly start: Buffer;
  private readonly end: Buffer;

  constructor(length: number, start: Buffer, end: Buffer) {
    this.length = length;
    this.start = start;
    this.end = end;
  }

  /** Whether the kept bytes hold a text as a JSON string. */
  names(text: string): boolean {
    const quoted = `"${text}"`;
    return this.start.includes(quoted) || this.end.includes(quoted);
  }
}

/** Collects chunks and hands out complete lines without their line feed. */
export class LineReader {
  private readonly limit: number;
  private parts: Buffer[] = [];
  private held = 0;
  private tail: Buffer = Buffer.alloc(0);

  /** @param limit  longest line in bytes, >= 1 */
  constructor(limit = lineLimitBytes) {
    this.limit = limit;
  }

  /**
   * Lines completed by a chunk.
   * @returns null as soon as a line is longer than 16 times the limit; the reader is of no use then
   */
  push(chunk: Buffer): (Buffer | LongLine)[] | null {
    const lines: (Buffer | LongLine)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      if (!this.hold(chunk.subarray(start, end))) return null;
      lines.push(this.take());
      start = end + 1;
    }
    return this.hold(chunk.subarray(start)) ? lines : null;
  }

  /** Whether bytes of an unfinished line are waiting. */
  get unfinished(): boolean {
    return this.held > 0;
  }

  private take(): Buffer | LongLine {
    const kept = Buffer.concat(this.parts);
    const line = this.held > this.limit ? new LongLine(this.held, kept, this.tail) : kept;
    this.parts = [];
    this.held = 0;
    this.tail = Buffer.alloc(0);
    return line;
  }

  private hold(part: Buffer): boolean {
    const room = Math.max(this.limit - this.held, 0);
    this.held += part.length;
    if (part.length > 0 && room > 0) this.parts.push(part.subarray(0, room));
    if (part.length > room) {
      this.tail = Buffer.concat([this.tail, part.subarray(room)]).subarray(-keptTailBytes);
    }
    return this.held <= this.limit * endlessFactor;
  }
}
