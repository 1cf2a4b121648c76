/** What all shapes share: reading a value and checking it, and the wrappers that say what happens when it is missing. */
import { passes, runChecks, type ShapeCheck } from './shape-check.ts';
import { type Finding, type Issue, issueOf } from './shape-issue.ts';

/** What a shape reads a value as. */
export type Infer<Of> = Of extends { readonly output: infer Output } ? Output : never;

/** As much of a shape as the shapes around it need. */
export interface AnyShape {
  /** The type alone; there is no such member. */
  readonly output: unknown;
  readonly absence: Absence;
  readonly mayLack: boolean;
  read(value: unknown, found: Finding[]): unknown;
  accepts(value: unknown): boolean;
}

/** What reading gives: the value in its shape, or everything that is wrong with it. */
export type Reading<Output> =
  | { readonly success: true; readonly data: Output; readonly error?: undefined }
  | { readonly success: false; readonly data?: undefined; readonly error: ShapeError };

/** Everything that is wrong with a value, in the order of the shape. */
export interface ShapeError {
  readonly issues: readonly Issue[];
}

/** What a missing member leads to: a fault, nothing, or a value in its place. */
type Absence = 'fault' | 'nothing' | 'default';

export abstract class Shape<Output> implements AnyShape {
  /** The type alone; there is no such member. */
  declare readonly output: Output;
  declare readonly description: string | undefined;
  declare readonly checks: readonly ShapeCheck[];
  declare readonly absence: Absence;
  /** Whether the member may be missing from what was read too. */
  declare readonly mayLack: boolean;

  /** What most shapes have stands once, so that a thousand of them are made in no time whenever a program starts. */
  static {
    const usual = { description: undefined, checks: [], absence: 'fault', mayLack: false } as const;
    Object.assign(Shape.prototype, usual);
  }

  /** Reads a value of this kind before its checks; faults are added to `found`. */
  protected abstract take(value: unknown, found: Finding[]): unknown;

  /** Whether a value is of this kind and reading it changes nothing, before its checks. */
  protected abstract fits(value: unknown): boolean;

  /**
   * Whether plain data (own enumerable members, arrays without holes) has this shape with nothing to be filled in or left out, so that
   * what would be read is equal to the value itself. Notes no faults and makes no copy.
   */
  accepts(value: unknown): boolean {
    return this.fits(value) && this.meets(value);
  }

  /** Whether a value of this kind passes the checks. */
  meets(value: unknown): boolean {
    for (const check of this.checks) if (!passes(check, value)) return false;
    return true;
  }

  read(value: unknown, found: Finding[]): unknown {
    const start = found.length;
    const output = this.take(value, found);
    if (this.checks.length > 0) runChecks(this.checks, output, { found, start });
    return output;
  }

  /** Reads a value: never throws. */
  safeParse(value: unknown): Reading<Output> {
    const found: Finding[] = [];
    const data = this.read(value, found);
    if (found.length > 0) return { success: false, error: { issues: found.map(issueOf) } };
    return { success: true, data: data as Output };
  }

  /**
   * Reads plain data that nobody else holds, such as what was just parsed: as `safeParse`, but a value that has the shape already is
   * given back itself instead of a copy, its members in their own order.
   */
  readOwned(value: unknown): Reading<Output> {
    return this.accepts(value) ? { success: true, data: value as Output } : this.safeParse(value);
  }

  /** Reads a value that is known to fit. @throws {TypeError} when it does not */
  parse(value: unknown): Output {
    const { success, data, error } = this.safeParse(value);
    if (success) return data;
    throw new TypeError(
      error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'),
    );
  }

  /** The same shape, explained; the text stands in JSON Schemas and in tables of fields. */
  describe(description: string): this {
    return this.with({ description });
  }

  /** The same shape with one more condition. */
  refine(test: (value: Output) => boolean, text?: string): this {
    return this.checked({ kind: 'test', test, text, ends: 'nothing' });
  }

  optional(): OptionalShape<this> {
    return new OptionalShape(this);
  }

  nullable(): NullableShape<this> {
    return new NullableShape(this);
  }

  /** A missing value is read as this one, unchecked. */
  default(value: Infer<this>): DefaultShape<this> {
    return new DefaultShape(this, value, false);
  }

  /** A missing value is read as if this one were written. */
  prefault(value: object): DefaultShape<this> {
    return new DefaultShape(this, value, true);
  }

  protected checked(check: ShapeCheck): this {
    return this.with({ checks: [...this.checks, check] });
  }

  private with(changes: {
    readonly description?: string;
    readonly checks?: readonly ShapeCheck[];
  }): this {
    return Object.assign(Object.create(Object.getPrototypeOf(this)), this, changes);
  }
}

/** A shape that reads what another reads, and more. */
export abstract class Wrapper<Inner extends AnyShape, Output> extends Shape<Output> {
  declare readonly inner: Inner;

  constructor(inner: Inner) {
    super();
    this.inner = inner;
  }
}

/** A member that may be missing. */
export class OptionalShape<Inner extends AnyShape> extends Wrapper<
  Inner,
  Infer<Inner> | undefined
> {
  override readonly absence: Absence;
  override readonly mayLack = true;

  constructor(inner: Inner) {
    super(inner);
    this.absence = inner.absence === 'default' ? 'default' : 'nothing';
  }

  protected take(value: unknown, found: Finding[]): unknown {
    if (value !== undefined) return this.inner.read(value, found);
    if (this.absence === 'nothing') return undefined;
    const own: Finding[] = [];
    const output = this.inner.read(undefined, own);
    return own.length > 0 ? undefined : output;
  }

  protected fits(value: unknown): boolean {
    return value === undefined ? this.absence === 'nothing' : this.inner.accepts(value);
  }
}

/** A value or null. */
export class NullableShape<Inner extends AnyShape> extends Wrapper<Inner, Infer<Inner> | null> {
  override readonly absence: Absence;
  override readonly mayLack: boolean;

  constructor(inner: Inner) {
    super(inner);
    this.absence = inner.absence;
    this.mayLack = inner.mayLack;
  }

  protected take(value: unknown, found: Finding[]): unknown {
    return value === null ? null : this.inner.read(value, found);
  }

  protected fits(value: unknown): boolean {
    return value === null || this.inner.accepts(value);
  }
}

/** A value with something in its place when it is missing: as it is, or read like what is written. */
export class DefaultShape<Inner extends AnyShape> extends Wrapper<
  Inner,
  Exclude<Infer<Inner>, undefined>
> {
  override readonly absence = 'default';
  readonly preset: unknown;
  readonly isRead: boolean;

  constructor(inner: Inner, preset: unknown, isRead: boolean) {
    super(inner);
    this.preset = preset;
    this.isRead = isRead;
  }

  protected take(value: unknown, found: Finding[]): unknown {
    const given = value === undefined ? this.fresh() : value;
    return value === undefined && !this.isRead ? given : this.inner.read(given, found);
  }

  protected fits(value: unknown): boolean {
    return value !== undefined && this.inner.accepts(value);
  }

  /** A copy, so that nobody who changes what was read changes the shape. */
  private fresh(): unknown {
    if (Array.isArray(this.preset)) return [...this.preset];
    return typeof this.preset === 'object' && this.preset !== null
      ? { ...this.preset }
      : this.preset;
  }
}
