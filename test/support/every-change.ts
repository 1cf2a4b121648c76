/**
 * Every small change of some bytes, numbered: a number names a change for ever, so that an even share of them can be tried, and any one of
 * them again. Every single-bit flip, chosen bytes in the place of each, each byte lost, doubled, or something put before it, every
 * beginning and every end, and the lines (of an archive: its blocks) lost, doubled and in another order.
 */

/** One changed copy, and what was done to it. */
export interface Change {
  readonly what: string;
  readonly bytes: Uint8Array;
}

/** Changes in the order of their numbers. */
export interface Changes {
  readonly count: number;
  /** The change of a number below `count`. */
  at(number: number): Change;
}

const bytesIn = (text: string): readonly number[] => [...text].map((each) => each.charCodeAt(0));
/** White space, a digit and letters of hex and base64, signs of JSON, and bytes of no text. */
const placed = bytesIn(' \n09aA"+\0\u00ff');
const inserted = bytesIn(' \n\r0=');
const blockSize = 512;

/**
 * The changes of some bytes; some of them change nothing.
 * @param parts  what is moved about: lines by their line feeds, or blocks of 512 bytes
 */
export function changesOf(bytes: Uint8Array, parts: 'lines' | 'blocks'): Changes {
  const held = parts === 'lines' ? linesOf(bytes) : blocksOf(bytes);
  const families = [
    flips(bytes),
    strangers(bytes),
    insertions(bytes),
    lossesAndDoubles(bytes),
    cuts(bytes),
    orders(held),
    conversions(bytes),
  ];
  const count = families.reduce((total, each) => total + each.count, 0);
  return {
    count,
    at(number) {
      let rest = number;
      for (const family of families) {
        if (rest < family.count) return family.at(rest);
        rest -= family.count;
      }
      throw new RangeError(`there are ${count} changes, none has the number ${number}`);
    },
  };
}

const joined = (...pieces: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(Buffer.concat(pieces));

function flips(bytes: Uint8Array): Changes {
  return {
    count: 8 * bytes.length,
    at(number) {
      const [at, bit] = [Math.floor(number / 8), number % 8];
      const flipped = bytes.with(at, (bytes[at] ?? 0) ^ (1 << bit));
      return { what: `bit ${bit} of byte ${at} flipped`, bytes: flipped };
    },
  };
}

function strangers(bytes: Uint8Array): Changes {
  return {
    count: placed.length * bytes.length,
    at(number) {
      const [at, which] = [Math.floor(number / placed.length), number % placed.length];
      const byte = placed[which] ?? 0;
      return { what: `byte ${at} made ${byte}`, bytes: bytes.with(at, byte) };
    },
  };
}

function insertions(bytes: Uint8Array): Changes {
  return {
    count: inserted.length * (bytes.length + 1),
    at(number) {
      const [at, which] = [Math.floor(number / inserted.length), number % inserted.length];
      const byte = inserted[which] ?? 0;
      const made = joined(bytes.subarray(0, at), Uint8Array.of(byte), bytes.subarray(at));
      return { what: `byte ${byte} put before byte ${at}`, bytes: made };
    },
  };
}

function lossesAndDoubles(bytes: Uint8Array): Changes {
  return {
    count: 2 * bytes.length,
    at(number) {
      const at = number >> 1;
      if (number % 2 === 0) {
        const kept = joined(bytes.subarray(0, at), bytes.subarray(at + 1));
        return { what: `byte ${at} lost`, bytes: kept };
      }
      const more = joined(bytes.subarray(0, at + 1), bytes.subarray(at));
      return { what: `byte ${at} doubled`, bytes: more };
    },
  };
}

/** Every proper beginning, and every proper end. */
function cuts(bytes: Uint8Array): Changes {
  return {
    count: 2 * bytes.length,
    at(number) {
      const length = number >> 1;
      return number % 2 === 0
        ? { what: `cut to the first ${length} bytes`, bytes: bytes.subarray(0, length) }
        : { what: `cut to the last ${length} bytes`, bytes: bytes.subarray(bytes.length - length) };
    },
  };
}

/** Each part lost, doubled, at the end, at the start, and in the place of each of the next ones. */
function orders(parts: readonly Uint8Array[]): Changes {
  const reach = Math.min(8, Math.max(0, parts.length - 1));
  const kinds = 4 + reach;
  return {
    count: kinds * parts.length,
    at(number) {
      const [at, kind] = [Math.floor(number / kinds), number % kinds];
      const part = parts[at] ?? new Uint8Array();
      const without = parts.toSpliced(at, 1);
      const made = [
        { what: 'lost', order: without },
        { what: 'doubled', order: parts.toSpliced(at, 0, part) },
        { what: 'moved to the end', order: [...without, part] },
        { what: 'doubled at the end', order: [...parts, part] },
      ][kind];
      if (made !== undefined)
        return { what: `part ${at} ${made.what}`, bytes: joined(...made.order) };
      const other = (at + kind - 3) % parts.length;
      const swapped = parts.with(at, parts[other] ?? part).with(other, part);
      return { what: `parts ${at} and ${other} exchanged`, bytes: joined(...swapped) };
    },
  };
}

/** What editors, checkouts and copies do to a whole file. */
function conversions(bytes: Uint8Array): Changes {
  const text = Buffer.from(bytes).toString('latin1');
  const made: readonly (readonly [what: string, text: string])[] = [
    ['with CRLF', text.replaceAll('\n', '\r\n')],
    ['with CR', text.replaceAll('\n', '\r')],
    ['without line feeds', text.replaceAll('\n', '')],
    ['with a line feed more', `${text}\n`],
    ['with an empty line before', `\n${text}`],
    ['with an empty line between all', text.replaceAll('\n', '\n\n')],
    ['with a space at the ends of lines', text.replaceAll('\n', ' \n')],
    ['after a byte order mark', `\u00ef\u00bb\u00bf${text}`],
    ['twice', `${text}${text}`],
    ['backwards', [...text].reverse().join('')],
    ['in capitals', text.toUpperCase()],
    ['in small letters', text.toLowerCase()],
    ['in base64 for addresses', text.replaceAll('+', '-').replaceAll('/', '_')],
    ['without padding', text.replaceAll('=', '')],
  ];
  return {
    count: made.length,
    at(number) {
      const [what, changed] = made[number] ?? ['', text];
      return { what: `all ${what}`, bytes: new Uint8Array(Buffer.from(changed, 'latin1')) };
    },
  };
}

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    const next = end < 0 ? bytes.length : end + 1;
    lines.push(bytes.subarray(at, next));
    at = next;
  }
  return lines;
}

function blocksOf(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / blockSize) }, (_, at) =>
    bytes.subarray(at * blockSize, (at + 1) * blockSize),
  );
}
