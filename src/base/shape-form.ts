/**
 * Forms: what canonical text of values in one shape looks like while they have the same members, as regular expressions. Recorded
 * lines resemble each other, and the engine of regular expressions goes through a line many times faster than any walk over its value.
 *
 * A form is made from a value that was read the careful way. It says yes only to texts that are the canonical text of a value which
 * the shape accepts: members stand in the order of the example, which is proved; strings, numbers and words are written as in RFC
 * 8785; what an expression cannot say of a member is tested on the value behind it. It says no too often rather than too seldom (to
 * numbers of more than 14 digits, to escapes where lengths count), and then the careful reader has the word.
 *
 * Alternatives within a form do not begin alike and no loop can take over the characters of another, so that a text is refused in time
 * proportional to its length.
 */
import { compareCodeUnits } from './canonical.ts';
import { ArrayShape, isPlainData, ObjectShape, RecordShape } from './shape-compound.ts';
import { type AnyShape, Shape } from './shape-core.ts';
import {
  anyScalar,
  fixedSource,
  impossibleCharacters,
  isBareWrapper,
  keySource,
  wordSource,
} from './shape-source.ts';
import { JsonShape, TaggedShape } from './shape-union.ts';

/** Longest text that is compared with forms, in characters; also the longest expression. */
const longestText = 32_768;
/** Lists of objects longer than this have no form. */
const longestList = 16;

type Key = string | number;

/** What is tested on the value at a place. */
interface Rest {
  readonly way: readonly Key[];
  holds(value: unknown): boolean;
}

/** A list or an object of a form as it stood in the example, and the one it stands in: none for the first. */
interface Part {
  readonly example: object;
  readonly within: number;
  readonly key: Key;
}

/** Place of a value that may be another one in another line. */
interface Leaf {
  readonly part: number;
  readonly key: Key;
}

/** What is written along an example. */
interface Writing {
  /** The expression, with `leafMark` in front of every leaf and a closing bracket behind it. */
  readonly source: string;
  readonly rests: readonly Rest[];
  readonly parts: readonly Part[];
  readonly leaves: readonly Leaf[];
}

interface Form extends Writing {
  readonly pattern: RegExp;
  /** The same pattern, giving the texts of the leaves. */
  readonly leafPattern: RegExp;
  /** The form of the line that followed when a line was in this form last. */
  next: Form | undefined;
}

/** No name and no expression holds it. */
const leafMark = '\u0002';

function patternOf(source: string, opening: '(' | '(?:'): RegExp {
  return new RegExp(source.replaceAll(leafMark, opening));
}

/** No form: a member that stands elsewhere in the text, a list that is too long. */
class Formless extends Error {}

/** Writes one form along one value. */
class FormWriter {
  readonly rests: Rest[] = [];
  readonly parts: Part[] = [];
  readonly leaves: Leaf[] = [];
  private readonly way: Key[] = [];
  private readonly around: number[] = [];

  of(shape: AnyShape, value: unknown): string {
    const fixed = shape instanceof ObjectShape ? undefined : fixedSource(shape);
    if (fixed !== undefined) return this.leaf(fixed, value);
    if (isBareWrapper(shape)) return value === null ? 'null' : this.of(shape.inner, value);
    if (shape instanceof JsonShape && shape.checks.length === 0) return this.json(value);
    const nested = this.nested(shape, value);
    if (nested === undefined) {
      this.rest((each) => shape.accepts(each));
      return this.json(value);
    }
    if (shape instanceof Shape && shape.checks.length > 0) this.rest((each) => shape.meets(each));
    return nested;
  }

  private rest(holds: Rest['holds']): void {
    this.rests.push({ way: [...this.way], holds });
  }

  private nested(shape: AnyShape, value: unknown): string | undefined {
    if (shape instanceof ArrayShape && Array.isArray(value)) {
      const item = fixedSource(shape.element);
      if (item !== undefined) return this.leaf(`\\[(?:${item}(?:,${item})*)?\\]`, value);
      return this.list(value, (each) => this.of(shape.element, each));
    }
    if (!isPlainData(value)) return undefined;
    if (shape instanceof RecordShape)
      return this.members(value, (each) => this.of(shape.value, each));
    if (shape instanceof TaggedShape) return this.tagged(shape, value);
    return shape instanceof ObjectShape && !shape.loose ? this.object(shape, value) : undefined;
  }

  private object(
    shape: ObjectShape<Readonly<Record<string, AnyShape>>>,
    value: Readonly<Record<string, unknown>>,
    pinned?: string,
  ): string {
    return this.members(value, (each, key) => {
      const member = shape.shape[key];
      if (member === undefined) throw new Formless();
      return key === pinned ? wordSource(each) : this.of(member, each);
    });
  }

  /** The word that chooses stands in the form as it is: another one would choose another shape. */
  private tagged(
    shape: TaggedShape<ObjectShape<Readonly<Record<string, AnyShape>>>>,
    value: Readonly<Record<string, unknown>>,
  ): string | undefined {
    const option = shape.optionFor(value[shape.tag]);
    if (option === undefined || option.loose) return undefined;
    if (option.checks.length > 0) this.rest((each) => option.meets(each));
    return this.object(option, value, shape.tag);
  }

  private json(value: unknown): string {
    if (Array.isArray(value)) return this.list(value, (each) => this.json(each));
    if (isPlainData(value)) return this.members(value, (each) => this.json(each));
    return this.leaf(anyScalar, value);
  }

  /** What has only one text stands in the example already. */
  private leaf(source: string, value: unknown): string {
    const isScalar = typeof value !== 'object' || value === null;
    if (isScalar && source === wordSource(value)) return source;
    this.leaves.push({ part: this.around.at(-1) ?? -1, key: this.way.at(-1) ?? '' });
    return `${leafMark}${source})`;
  }

  private part(example: object, work: () => string): string {
    this.parts.push({ example, within: this.around.at(-1) ?? -1, key: this.way.at(-1) ?? '' });
    this.around.push(this.parts.length - 1);
    const source = work();
    this.around.pop();
    return source;
  }

  private list(items: readonly unknown[], sourceOf: (item: unknown) => string): string {
    if (items.length > longestList) throw new Formless();
    const sources = () => items.map((item, at) => this.within(at, () => sourceOf(item)));
    return this.part([...items], () => `\\[${sources().join(',')}\\]`);
  }

  private members(
    value: Readonly<Record<string, unknown>>,
    sourceOf: (member: unknown, key: string) => string,
  ): string {
    const keys = Object.keys(value);
    const sorted = keys.every(
      (key, at) => at === 0 || compareCodeUnits(keys[at - 1] ?? '', key) < 0,
    );
    // A member named __proto__ is nothing that a shape keeps.
    if (!sorted || keys.includes('__proto__')) throw new Formless();
    const member = (key: string) =>
      `${keySource(key)}${this.within(key, () => sourceOf(value[key], key))}`;
    return this.part({ ...value }, () => `\\{${keys.map(member).join(',')}\\}`);
  }

  private within(step: Key, work: () => string): string {
    this.way.push(step);
    const source = work();
    this.way.pop();
    return source;
  }
}

/** The form of a value that its shape accepts; undefined when there is none. */
function formOf(shape: AnyShape, value: unknown): Writing | undefined {
  const writer = new FormWriter();
  try {
    const source = `^${writer.of(shape, value)}\\n$`;
    const { rests, parts, leaves } = writer;
    return source.length > longestText ? undefined : { source, rests, parts, leaves };
  } catch (error) {
    if (error instanceof Formless) return undefined;
    throw error;
  }
}

/** A list or an object, of which it was seen that it has the keys it is asked for. */
type Container = Record<Key, unknown>;

/** Whether a test holds at its place, which every text of the form has. */
function holdsAt({ way, holds }: Rest, value: unknown): boolean {
  let inner = value;
  for (const step of way) inner = (inner as Readonly<Container>)[step];
  return holds(inner);
}

/** Lines that are read the careful way before forms are made: a few lines are read sooner than a form is made. */
const firstLines = 128;
/** Forms of one shape at most, and examples that are looked at for another one. */
const mostForms = 24;
const mostExamples = 256;

/** What a text in a form stands for; undefined for control characters, which its classes may let through. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of a leaf whose text holds no escape; a long text is a part of the line. */
function leafValue(text: string): unknown {
  const first = text.charAt(0);
  if (first === '"') return text.slice(1, -1);
  return first === '-' || (first >= '0' && first <= '9') ? Number(text) : JSON.parse(text);
}

/** The value of a text from the texts of its leaves, which stand behind the whole. */
function built({ parts, leaves }: Form, texts: readonly string[]): unknown {
  const made: Container[] = [];
  for (const { example, within, key } of parts) {
    const copy = (Array.isArray(example) ? [...example] : { ...example }) as Container;
    const around = made[within];
    if (around !== undefined) around[key] = copy;
    made.push(copy);
  }
  for (let at = 0; at < leaves.length; at += 1) {
    const [leaf, text] = [leaves[at], texts[at + 1]];
    if (leaf === undefined || text === undefined) continue;
    const container = made[leaf.part];
    if (container !== undefined) container[leaf.key] = leafValue(text);
  }
  return made[0];
}

/** Whether the texts of leaves are their values: nothing is escaped, and no class took what no text may hold. */
function isLiteral(text: string): boolean {
  return !text.includes('\\') && !impossibleCharacters.some((each) => text.includes(each));
}

/** The value of a text that is in a form and passes what is tested besides; undefined for any other. */
function valueIn(form: Form, text: string, byLeaves: boolean): unknown {
  let value: unknown;
  if (byLeaves && form.parts.length > 0) {
    const texts = form.leafPattern.exec(text);
    if (texts !== null) value = built(form, texts);
  } else if (form.pattern.test(text)) value = parsed(text);
  const holds = value !== undefined && form.rests.every((rest) => holdsAt(rest, value));
  return holds ? value : undefined;
}

/** The forms of one shape that were met. */
class KnownForms {
  private readonly forms: Form[] = [];
  private examples = 0;
  private last: Form | undefined;

  /** The value of a line in one of the forms; undefined for any other line. */
  read(text: string, byLeaves: boolean): unknown {
    const { forms, last } = this;
    const guess = last?.next;
    const guessed = guess === undefined ? undefined : valueIn(guess, text, byLeaves);
    if (guessed !== undefined) {
      this.last = guess;
      return guessed;
    }
    for (const [at, form] of forms.entries()) {
      const value = form === guess ? undefined : valueIn(form, text, byLeaves);
      if (value === undefined) continue;
      this.prefer(at);
      this.last = form;
      if (last !== undefined) last.next = form;
      return value;
    }
    return undefined;
  }

  /** Forms that are met often come to stand at the front. */
  private prefer(at: number): void {
    const [before, found] = [this.forms[at - 1], this.forms[at]];
    if (before !== undefined && found !== undefined) {
      this.forms[at - 1] = found;
      this.forms[at] = before;
    }
  }

  /** Takes a line that was read the careful way as an example. */
  learn(shape: AnyShape, value: unknown, text: string): void {
    this.examples += 1;
    if (this.examples <= firstLines || this.examples > mostExamples) return;
    if (this.forms.length >= mostForms) return;
    const form = formOf(shape, value);
    if (form === undefined || this.forms.some(({ source }) => source === form.source)) return;
    const pattern = patternOf(form.source, '(?:');
    if (!pattern.test(text)) return;
    const leafPattern = patternOf(form.source, '(');
    this.forms.push({ ...form, pattern, leafPattern, next: undefined });
  }
}

const known = new WeakMap<AnyShape, KnownForms>();

/**
 * Reads a line, decoded from UTF-8, in a form of its shape that was met before: canonical, and accepted by the shape.
 * @param holdsText  whether texts of the value may be parts of the line and so keep all of it in memory: it is read in half the time
 * @returns the value, or undefined when no form fits, which says nothing about the line
 */
export function readInForm(shape: AnyShape, text: string, holdsText = false): unknown {
  const forms = text.length > longestText ? undefined : known.get(shape);
  return forms?.read(text, holdsText && isLiteral(text));
}

/** Remembers the form of a canonical line whose value the shape accepts. */
export function learnForm(shape: AnyShape, value: unknown, text: string): void {
  if (text.length > longestText) return;
  let forms = known.get(shape);
  if (forms === undefined) {
    forms = new KnownForms();
    known.set(shape, forms);
  }
  forms.learn(shape, value, text);
}
