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
import { anyScalar, fixedSource, isBareWrapper, keySource, wordSource } from './shape-source.ts';
import { JsonShape, TaggedShape } from './shape-union.ts';

/** Longest text that is compared with forms, in characters; also the longest expression. */
const longestText = 32_768;
/** Lists of objects longer than this have no form. */
const longestList = 16;

/** What is tested on the value at a place. */
interface Rest {
  readonly way: readonly (string | number)[];
  holds(value: unknown): boolean;
}

interface Form {
  readonly source: string;
  readonly pattern: RegExp;
  readonly rests: readonly Rest[];
}

/** No form: a member that stands elsewhere in the text, a list that is too long. */
class Formless extends Error {}

/** Writes one form along one value. */
class FormWriter {
  readonly rests: Rest[] = [];
  private readonly way: (string | number)[] = [];

  of(shape: AnyShape, value: unknown): string {
    const fixed = fixedSource(shape);
    if (fixed !== undefined) return fixed;
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
      if (item !== undefined) return `\\[(?:${item}(?:,${item})*)?\\]`;
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
    return anyScalar;
  }

  private list(items: readonly unknown[], sourceOf: (item: unknown) => string): string {
    if (items.length > longestList) throw new Formless();
    return `\\[${items.map((item, at) => this.within(at, () => sourceOf(item))).join(',')}\\]`;
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
    const sources = keys.map((key) => {
      const source = this.within(key, () => sourceOf(value[key], key));
      return `${keySource(key)}${source}`;
    });
    return `\\{${sources.join(',')}\\}`;
  }

  private within(step: string | number, work: () => string): string {
    this.way.push(step);
    const source = work();
    this.way.pop();
    return source;
  }
}

/** The form of a value that its shape accepts; undefined when there is none. */
function formOf(shape: AnyShape, value: unknown): Pick<Form, 'source' | 'rests'> | undefined {
  const writer = new FormWriter();
  try {
    const source = `^${writer.of(shape, value)}\\n$`;
    return source.length > longestText ? undefined : { source, rests: writer.rests };
  } catch (error) {
    if (error instanceof Formless) return undefined;
    throw error;
  }
}

/** Whether a test holds at its place, which every text of the form has. */
function holdsAt({ way, holds }: Rest, value: unknown): boolean {
  let inner = value;
  for (const step of way) inner = (inner as Readonly<Record<string | number, unknown>>)[step];
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

/** The forms of one shape that were met. */
class KnownForms {
  private readonly forms: Form[] = [];
  private examples = 0;

  /** The value of a line in one of the forms; undefined for any other line. */
  read(text: string): unknown {
    const { forms } = this;
    for (let at = 0; at < forms.length; at += 1) {
      const form = forms[at];
      if (form?.pattern.test(text) !== true) continue;
      this.prefer(at);
      const value = parsed(text);
      const holds = value !== undefined && form.rests.every((rest) => holdsAt(rest, value));
      return holds ? value : undefined;
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
    const pattern = new RegExp(form.source);
    if (pattern.test(text)) this.forms.push({ ...form, pattern });
  }
}

const known = new WeakMap<AnyShape, KnownForms>();

/**
 * Reads a line, decoded from UTF-8, in a form of its shape that was met before: canonical, and accepted by the shape.
 * @returns the value, or undefined when no form fits, which says nothing about the line
 */
export function readInForm(shape: AnyShape, text: string): unknown {
  return text.length > longestText ? undefined : known.get(shape)?.read(text);
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
