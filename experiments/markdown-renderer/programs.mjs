// The renderers an arm can name: each turns Markdown into HTML.
import { readFileSync } from 'node:fs';

const PROGRAMS = {
  marked:
    ({ marked }, options) =>
    (text) =>
      marked.parse(text, options),
  showdown: ({ default: showdown }, options) => {
    const converter = new showdown.Converter(options);
    return (text) => converter.makeHtml(text);
  },
  commonmark: ({ HtmlRenderer, Parser }, options) => {
    const [parser, renderer] = [new Parser(options), new HtmlRenderer(options)];
    return (text) => renderer.render(parser.parse(text));
  },
  'pass-through': () => (text) => text,
};

/**
 * Reads an arm file, `{"program", "package", "version", "options"}`, and loads what it names; `package` is the name it is
 * installed under. Throws when the program is unknown or another version is installed than the one named.
 */
export async function loadProgram(armText) {
  const arm = JSON.parse(armText);
  if (!Object.hasOwn(PROGRAMS, arm.program)) {
    throw new Error(
      `program: expected one of ${Object.keys(PROGRAMS).join(', ')}; got ${JSON.stringify(arm.program)}`,
    );
  }
  return PROGRAMS[arm.program](await loadPackage(arm), arm.options);
}

function loadPackage({ package: name, version }) {
  if (name === null) return null;
  const installed = installedVersion(name);
  if (installed !== version) {
    throw new Error(
      `${name}: the arm names version ${version}, installed is ${installed}; install the named version`,
    );
  }
  return import(name);
}

// Not every package exports its package.json, so it is read beside the file that the name resolves to.
function installedVersion(name) {
  const folder = `/node_modules/${name}/`;
  const entry = import.meta.resolve(name);
  const manifest = `${entry.slice(0, entry.lastIndexOf(folder))}${folder}package.json`;
  return JSON.parse(readFileSync(new URL(manifest), 'utf8')).version;
}
