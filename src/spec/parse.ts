/**
 * Reading an experiment file: YAML 1.2 or, for names ending in `.json`, JSON. Validates once, here; below this door functions
 * trust the type. All problems come at once, each with file, line, column, path and the mend.
 *
 * YAML is read strictly: core schema, converted from the node tree so that what people read is what is sealed. Directives, tags,
 * anchors, aliases, several documents, keys that are not text, duplicate keys, rounded or non-finite numbers and lone surrogates
 * are refused. This file is the only door to `yaml`, which is loaded when the first YAML file is read.
 */
import type { Document, Node, Pair, Scalar, YAMLError, YAMLMap } from 'yaml';
import { type Json, maximumDepth } from '../base/canonical.ts';
import type { Place, Problem } from '../base/errors.ts';
import { decodeUtf8, objectOf } from '../base/strict-json.ts';
import { checkValue } from './check-spec.ts';
import { hasShortCases, shortCasesPath } from './defaults.ts';
import { type Finding, formatPath, type SpecPath } from './finding.ts';
import { problemOfError, readJsonSource } from './json-source.ts';
import {
  PlaceFinder,
  positionOf,
  type SourceDocument,
  type SourceReading,
  type Span,
} from './source.ts';
import type { ExperimentSpec } from './spec.ts';

/** What reading an experiment file gives. */
export interface SpecReading {
  /** The experiment with every default filled in; absent when the shape is wrong. */
  readonly spec?: ExperimentSpec | undefined;
  /** Everything that is wrong with it; an experiment with problems is refused. */
  readonly problems: readonly Problem[];
  /** Place of a dotted path in the file; paths that only defaults created take the place of what encloses them. */
  placeOf(path: string, at?: 'key' | 'value'): Place;
}

/**
 * Reads and checks an experiment file.
 *
 * Never throws because of the file's content: every fault is a problem. `yaml` is loaded only for files that need it.
 *
 * @param bytes  the file as read
 * @param file   its name, shown in problems; `.json` selects the strict JSON reader
 * @example (await readSpec(new TextEncoder().encode('hello'), 'a.yaml')).problems[0]?.code // => 'wrong-type'
 */
export async function readSpec(bytes: Uint8Array, file: string): Promise<SpecReading> {
  const reading = file.toLowerCase().endsWith('.json')
    ? readJsonSource(bytes, file)
    : await readYamlSource(bytes, file);
  if (reading.status === 'refused') {
    return { problems: reading.problems, placeOf: (path) => ({ file, path }) };
  }
  return checkDocument(reading.document, file);
}

function checkDocument(document: SourceDocument, file: string): SpecReading {
  const finder = new PlaceFinder(file, document);
  const short = hasShortCases(document.value);
  const placeOf = (path: string, at?: 'key' | 'value'): Place =>
    finder.placeOf(short ? shortCasesPath(path) : path, at);
  const { spec, findings } = checkValue(document.value);
  const problems = findings.map((finding) => locate(finding, placeOf));
  return { spec, problems: inFileOrder(problems), placeOf };
}

function locate(finding: Finding, placeOf: SpecReading['placeOf']): Problem {
  const { code, message, mend } = finding;
  return { code, where: placeOf(formatPath(finding.path), finding.at), message, mend };
}

/** Problems sorted by place; several at one place keep the order they were found in. */
function inFileOrder(problems: readonly Problem[]): Problem[] {
  return [...problems].sort(
    (first, second) =>
      (first.where.line ?? 0) - (second.where.line ?? 0) ||
      (first.where.column ?? 0) - (second.where.column ?? 0),
  );
}

/** Why a YAML text is refused. */
export type YamlReason =
  | 'E_SYNTAX'
  | 'E_DUPLICATE_KEY'
  | 'E_YAML_KEY'
  | 'E_YAML_ALIAS'
  | 'E_YAML_TAG'
  | 'E_YAML_DIRECTIVE'
  | 'E_YAML_MULTI'
  | 'E_NONFINITE'
  | 'E_UNSAFE_INTEGER'
  | 'E_UNDERFLOW'
  | 'E_SURROGATE'
  | 'E_DEPTH';

const mends: Record<YamlReason, string> = {
  E_SYNTAX: 'Write one YAML 1.2 document, indented with spaces.',
  E_DUPLICATE_KEY: 'Keep one of the two keys.',
  E_YAML_KEY: 'Write the key as text; put numbers, true, false and null in quotes.',
  E_YAML_ALIAS: 'Write the value out where it is used: what is read is what is sealed.',
  E_YAML_TAG: 'Remove the tag and write the plain value.',
  E_YAML_DIRECTIVE: 'Remove the line; the file is read as YAML 1.2.',
  E_YAML_MULTI: 'Keep one document per file and remove the other "---".',
  E_NONFINITE: 'Use a number that fits a double.',
  E_UNSAFE_INTEGER: 'Write integers beyond 9007199254740991 as text, in quotes.',
  E_UNDERFLOW: 'Use a number that does not round to zero.',
  E_SURROGATE: 'Write the character itself or a complete pair of escapes.',
  E_DEPTH: `Nest at most ${maximumDepth} levels.`,
};

const deepText = `The document nests deeper than ${maximumDepth} levels`;

const reasonsByCode: Readonly<Record<string, YamlReason>> = {
  DUPLICATE_KEY: 'E_DUPLICATE_KEY',
  MULTIPLE_DOCS: 'E_YAML_MULTI',
  BAD_ALIAS: 'E_YAML_ALIAS',
  BAD_DIRECTIVE: 'E_YAML_DIRECTIVE',
  RESOURCE_EXHAUSTION: 'E_DEPTH',
};

/** Reads one YAML document with the offsets of its members, or everything that keeps it from being read. */
export async function readYamlSource(bytes: Uint8Array, file: string): Promise<SourceReading> {
  let text: string;
  try {
    text = decodeUtf8(bytes, { file, errorCode: 'yaml-invalid' });
  } catch (error) {
    return { status: 'refused', problems: [problemOfError(error, file)] };
  }
  const tree = new YamlTree(await import('yaml'), text, file);
  const value = tree.read();
  return tree.problems.length > 0
    ? { status: 'refused', problems: tree.problems }
    : { status: 'read', document: { value, text, spans: tree.spans } };
}

type Yaml = typeof import('yaml');

class YamlTree {
  readonly problems: Problem[] = [];
  readonly spans = new Map<string, Span>();
  private readonly yaml: Yaml;
  private readonly text: string;
  private readonly file: string;

  constructor(yaml: Yaml, text: string, file: string) {
    this.yaml = yaml;
    this.text = text;
    this.file = file;
  }

  read(): Json {
    const document = this.parse();
    if (document === null) return null;
    const faults = [...document.errors, ...document.warnings];
    for (const fault of faults.filter((each) => each.code !== 'TAG_RESOLVE_FAILED')) {
      this.refuse(reasonsByCode[fault.code] ?? 'E_SYNTAX', this.faultText(fault), fault.pos[0]);
    }
    this.directives(document);
    if (document.contents === null) {
      if (this.problems.length === 0) this.refuse('E_SYNTAX', 'The file holds no document', 0);
      return null;
    }
    const value = this.node(document.contents, [], null);
    // Tags are reported where they stand; a fault without such a node must not get lost.
    const lost = faults[0];
    if (lost !== undefined && this.problems.length === 0) {
      this.refuse('E_YAML_TAG', this.faultText(lost), lost.pos[0]);
    }
    return value;
  }

  private faultText(fault: YAMLError): string {
    if (fault.code === 'DUPLICATE_KEY') {
      const key = /^[^\s:]+/.exec(this.text.slice(fault.pos[0]))?.[0] ?? '';
      return `The key ${key} appears twice`;
    }
    if (fault.code === 'RESOURCE_EXHAUSTION') return deepText;
    if (fault.code === 'MULTIPLE_DOCS') return 'A second document starts here';
    return (fault.message.split('\n')[0] ?? fault.message).replace(/[.:]$/, '');
  }

  private parse(): Document.Parsed | null {
    try {
      return this.yaml.parseDocument(this.text, {
        version: '1.2',
        schema: 'core',
        uniqueKeys: true,
        merge: false,
        intAsBigInt: true,
        prettyErrors: false,
        logLevel: 'error',
      });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.refuse('E_DEPTH', deepText, 0);
      return null;
    }
  }

  private directives(document: Document.Parsed): void {
    const { yaml, tags } = document.directives;
    const own = Object.keys(tags).some((handle) => handle !== '!!');
    if (yaml.explicit === true || own) {
      const line = /^%/m.exec(this.text);
      this.refuse('E_YAML_DIRECTIVE', 'The file starts with a directive', line?.index ?? 0);
    }
  }

  private refuse(reason: YamlReason, what: string, offset: number, path: SpecPath = []): null {
    const where = { file: this.file, ...positionOf(this.text, offset) };
    const message = `${what} (${reason}).`;
    const known = this.problems.some(
      (each) =>
        each.where.line === where.line &&
        each.where.column === where.column &&
        each.message.endsWith(`(${reason}).`),
    );
    if (!known) {
      this.problems.push({
        code: 'yaml-invalid',
        where: path.length === 0 ? where : { ...where, path: formatPath(path) },
        message,
        mend: mends[reason],
      });
    }
    return null;
  }

  private node(node: Node, path: SpecPath, key: number | null): Json {
    const start = node.range?.[0] ?? 0;
    this.spans.set(formatPath(path), { key, value: start });
    if (path.length >= maximumDepth && !this.yaml.isScalar(node))
      return this.refuse('E_DEPTH', deepText, start);
    if (!this.plain(node, start, path)) return null;
    if (this.yaml.isMap(node)) return this.map(node, path);
    if (this.yaml.isSeq(node))
      return node.items.map((item, index) => this.item(item, [...path, index], start));
    if (this.yaml.isScalar(node)) return this.scalar(node, path, start);
    return this.refuse('E_SYNTAX', 'A value that is neither mapping, list nor scalar', start, path);
  }

  private item(item: unknown, path: SpecPath, start: number): Json {
    return this.yaml.isNode(item)
      ? this.node(item, path, null)
      : this.refuse('E_SYNTAX', 'An unreadable list item', start, path);
  }

  /** Refuses aliases, anchors and tags of any node, keys included. */
  private plain(node: Node, start: number, path: SpecPath): boolean {
    if (this.yaml.isAlias(node)) {
      this.refuse('E_YAML_ALIAS', `The alias *${node.source} stands for another part`, start, path);
      return false;
    }
    if ('anchor' in node && node.anchor !== undefined) {
      this.refuse('E_YAML_ALIAS', `The anchor &${node.anchor} marks a part for reuse`, start, path);
    }
    if (node.tag !== undefined) {
      this.refuse('E_YAML_TAG', `The tag ${node.tag} changes what the value means`, start, path);
      return false;
    }
    return true;
  }

  private map(node: YAMLMap, path: SpecPath): Json {
    const members = new Map<string, Json>();
    for (const pair of node.items) {
      const name = this.keyOf(pair, node.range?.[0] ?? 0, path);
      if (name === null) continue;
      const inner = [...path, name.text];
      if (this.yaml.isNode(pair.value))
        members.set(name.text, this.node(pair.value, inner, name.start));
      else {
        this.spans.set(formatPath(inner), { key: name.start, value: name.start });
        members.set(name.text, null);
      }
    }
    return objectOf(members);
  }

  private keyOf(pair: Pair, outer: number, path: SpecPath): { text: string; start: number } | null {
    const key = pair.key;
    const start = this.yaml.isNode(key) ? (key.range?.[0] ?? outer) : outer;
    if (this.yaml.isNode(key) && !this.plain(key, start, path)) return null;
    if (!this.yaml.isScalar(key) || typeof key.value !== 'string') {
      return this.refuse('E_YAML_KEY', 'A key that is not plain text', start, path);
    }
    if (key.value === '__proto__') {
      return this.refuse('E_YAML_KEY', 'The key __proto__ has a meaning of its own', start, path);
    }
    if (!key.value.isWellFormed()) {
      return this.refuse('E_SURROGATE', 'A key with a lone surrogate', start, path);
    }
    return { text: key.value, start };
  }

  private scalar(node: Scalar, path: SpecPath, start: number): Json {
    const value = node.value;
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') {
      return value.isWellFormed()
        ? value
        : this.refuse('E_SURROGATE', 'A text with a lone surrogate', start, path);
    }
    const literal = node.source ?? String(value);
    if (typeof value === 'bigint') {
      const whole = Number(value);
      return Number.isSafeInteger(whole)
        ? whole
        : this.refuse('E_UNSAFE_INTEGER', `The integer ${literal} would be rounded`, start, path);
    }
    if (typeof value !== 'number') {
      return this.refuse('E_YAML_TAG', 'A value of a type that JSON does not have', start, path);
    }
    if (!Number.isFinite(value))
      return this.refuse('E_NONFINITE', `The number ${literal} is not finite`, start, path);
    if (value === 0 && /[1-9]/.test(literal.split(/[eE]/)[0] ?? ''))
      return this.refuse('E_UNDERFLOW', `The number ${literal} rounds to zero`, start, path);
    return value;
  }
}
