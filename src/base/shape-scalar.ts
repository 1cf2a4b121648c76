/** Shapes of single values: texts, numbers, choices. */
import type { ShapeCheck } from './shape-check.ts';
import { Shape } from './shape-core.ts';
import { type Finding, note, type Primitive } from './shape-issue.ts';

export class StringShape extends Shape<string> {
  protected take(value: unknown, found: Finding[]): unknown {
    if (!this.fits(value)) note(found, { code: 'invalid_type', expected: 'string' }, value);
    return value;
  }

  protected fits(value: unknown): boolean {
    return typeof value === 'string';
  }

  /** At least so many characters, counted as code points. */
  min(bound: number): this {
    return this.checked({ kind: 'shortest', bound });
  }

  max(bound: number): this {
    return this.checked({ kind: 'longest', bound });
  }

  regex(pattern: RegExp, text?: string): this {
    return this.checked({ kind: 'pattern', pattern, text });
  }
}

/** Finite numbers; whole ones only up to 2^53 - 1, beyond which a number may have been rounded. */
export class NumberShape extends Shape<number> {
  declare readonly whole: boolean;

  constructor(whole: boolean) {
    super();
    this.whole = whole;
  }

  protected take(value: unknown, found: Finding[]): unknown {
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      note(found, { code: 'invalid_type', expected: 'number' }, value);
    } else if (this.whole && !Number.isInteger(value)) {
      note(found, { code: 'invalid_type', expected: 'int' }, value, 'all');
    } else if (this.whole && !Number.isSafeInteger(value)) noteUnsafe(value, found);
    return value;
  }

  protected fits(value: unknown): boolean {
    return this.whole ? Number.isSafeInteger(value) : Number.isFinite(value);
  }

  min(bound: number): this {
    return this.checked({ kind: 'least', bound, inclusive: true });
  }

  max(bound: number): this {
    return this.checked({ kind: 'most', bound, inclusive: true });
  }

  gt(bound: number): this {
    return this.checked({ kind: 'least', bound, inclusive: false });
  }

  lt(bound: number): this {
    return this.checked({ kind: 'most', bound, inclusive: false });
  }

  positive(): this {
    return this.gt(0);
  }
}

function noteUnsafe(value: number, found: Finding[]): void {
  const shared = { origin: 'int', inclusive: true } as const;
  if (value > 0) {
    note(found, { code: 'too_big', maximum: Number.MAX_SAFE_INTEGER, ...shared }, value, 'nothing');
  } else {
    note(
      found,
      { code: 'too_small', minimum: Number.MIN_SAFE_INTEGER, ...shared },
      value,
      'nothing',
    );
  }
}

export class BooleanShape extends Shape<boolean> {
  protected take(value: unknown, found: Finding[]): unknown {
    if (!this.fits(value)) note(found, { code: 'invalid_type', expected: 'boolean' }, value);
    return value;
  }

  protected fits(value: unknown): boolean {
    return typeof value === 'boolean';
  }
}

export class NullShape extends Shape<null> {
  protected take(value: unknown, found: Finding[]): unknown {
    if (!this.fits(value)) note(found, { code: 'invalid_type', expected: 'null' }, value);
    return value;
  }

  protected fits(value: unknown): boolean {
    return value === null;
  }
}

/** Nothing fits: for lists that are always empty. */
export class NeverShape extends Shape<never> {
  protected take(value: unknown, found: Finding[]): unknown {
    note(found, { code: 'invalid_type', expected: 'never' }, value);
    return value;
  }

  protected fits(): boolean {
    return false;
  }
}

/** Any value at all, but it has to be there. */
export class UnknownShape extends Shape<unknown> {
  protected take(value: unknown): unknown {
    return value;
  }

  protected fits(): boolean {
    return true;
  }
}

/** One of some words or numbers. */
abstract class ChoiceShape<Word extends Primitive> extends Shape<Word> {
  declare readonly values: readonly Word[];

  constructor(values: readonly Word[]) {
    super();
    this.values = values;
  }

  protected take(value: unknown, found: Finding[]): unknown {
    if (!this.fits(value)) note(found, { code: 'invalid_value', values: this.values }, value);
    return value;
  }

  protected fits(value: unknown): boolean {
    for (const each of this.values) if (each === value) return true;
    return false;
  }
}

/** A word of a list. */
export class EnumShape<Word extends string> extends ChoiceShape<Word> {
  get options(): readonly Word[] {
    return this.values;
  }
}

/** One word, number or truth value, or one of a few that mean the same kind of thing. */
export class LiteralShape<Word extends Primitive> extends ChoiceShape<Word> {
  /** The first of them. */
  get value(): Word {
    const [first] = this.values;
    if (first === undefined) throw new TypeError('a literal without a value');
    return first;
  }
}

/** Reads a value as it is, by a test of its own. */
export class CustomShape<Output> extends Shape<Output> {
  readonly test: (value: unknown) => boolean;
  override readonly checks: readonly ShapeCheck[];
  /** What the texts look like that fit; nothing else fits then. */
  readonly pattern: RegExp | undefined;

  /** @param test  whether a value fits; @param text  what was expected */
  constructor(test: (value: unknown) => boolean, text: string, pattern?: RegExp) {
    super();
    this.test = test;
    this.pattern = pattern;
    this.checks = [{ kind: 'test', test, text, ends: 'all' }];
  }

  protected take(value: unknown): unknown {
    return value;
  }

  protected fits(): boolean {
    return true;
  }
}
