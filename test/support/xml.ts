/** A strict reader of plain XML: elements, attributes and the entities everybody knows; whatever else it meets makes it throw. */

export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlNode[];
  text: string;
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#10;': '\n',
  '&#9;': '\t',
  '&amp;': '&',
};

function plain(text: string): string {
  return text.replace(/&[^;]*;?/g, (entity) => {
    const found = entities[entity];
    if (found === undefined) throw new Error(`not an entity: ${entity}`);
    return found;
  });
}

function nodeOf(name: string, attributes: string): XmlNode {
  const pairs = [...attributes.matchAll(/\s([a-z]+)="([^"<]*)"/g)];
  return {
    name,
    attributes: Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, plain(value)])),
    children: [],
    text: '',
  };
}

function addToken(open: XmlNode[], token: RegExpExecArray): void {
  const [, close, name = '', attributes = '', empty, text] = token;
  const parent = open.at(-1);
  if (parent === undefined) throw new Error('something follows the end');
  if (text !== undefined) {
    parent.text += plain(text);
  } else if (close === '/') {
    if (open.pop()?.name !== name) throw new Error(`${name} is closed and was not open`);
  } else {
    const node = nodeOf(name, attributes);
    parent.children.push(node);
    if (empty === '') open.push(node);
  }
}

/** Reads a document with its declaration; the result holds the root element as its only child. */
export function readXml(xml: string): XmlNode {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!xml.startsWith(head)) throw new Error('no XML declaration');
  const document = nodeOf('', '');
  const open = [document];
  const tokens = /<(\/?)([a-z-]+)((?:\s[a-z]+="[^"<]*")*)(\/?)>|([^<]+)/gy;
  let at = head.length;
  while (at < xml.length) {
    tokens.lastIndex = at;
    const token = tokens.exec(xml);
    if (token === null) throw new Error(`not XML: ${xml.slice(at, at + 40)}`);
    addToken(open, token);
    at = tokens.lastIndex;
  }
  if (open.length !== 1) throw new Error('an element is still open');
  return document;
}
