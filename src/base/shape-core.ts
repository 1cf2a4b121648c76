/** What all shapes share: reading a value and checking it, and the wrappers that say what happens when it is missing. */
import { type Fault, type Finding, type Issue, issueOf } from './shape-issue.ts';

/** What a shape reads a value as. */
export type Infer<Of> = Of extends { readonly output: infer Output } ? Output : never;

/** As much of a shape as the shapes around it need. */
export interface AnyShape {
  /** The type alone; there is no such member. */
  readonly output: unknown;
  readonly absence: Absence;
  readonly mayLack: boolean;
  read(value: unknown, found: Finding[]): unknown;
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

/** A condition on a value of the right kind. */
export type ShapeCheck =
  | { readonly kind: 'least' | 'most'; readonly bound: number; readonly inclusive: boolean }
  | { readonly kind: 'shortest' | 'longest'; readonly bound: number }
  | { readonly kind: 'pattern'; readonly pattern: RegExp; readonly text: string | undefined }
  | {
      readonly kind: 'test';
      readonly test: (value: never) => boolean;
      readonly text: string | undefined;
      readonly ends: Finding['ends'];
    };

export abstract class Shape<Output> implements AnyShape {
  /** The type alone; there is no such member. */
  declare readonly output: Output;
  readonly description: string | undefined;
  readonly checks: readonly ShapeCheck[] = [];
  readonly absence: Absence = 'fault';
  /** Whether the member may be missing from what was read too. */
  readonly mayLack: boolean = false;

  /** Reads a value of this kind before its checks; faults are added to `found`. */
  protected abstract take(value: unknown, found: Finding[]): unknown;

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

/** Notes a fault of the value itself. */
export function note(
  found: Finding[],
  fault: Fault,
  input: unknown,
  ends: Finding['ends'] = 'most',
): void {
  found.push({ fault, input, ends, path: [] });
}

/** Puts a key or place in front of the paths of what was found below it. */
export function lead(step: string | number, found: readonly Finding[], from: number): void {
  for (let at = from; at < found.length; at += 1) found[at]?.path.unshift(step);
}

interface Progress {
  readonly found: Finding[];
  /** Where the findings of this value start. */
  readonly start: number;
}

/** Whether something was found after which a value is not worth more checks. */
export function endsSome(found: readonly Finding[], from: number): boolean {
  for (let at = from; at < found.length; at += 1) if (found[at]?.ends !== 'nothing') return true;
  return false;
}

function endsAll(found: readonly Finding[], from: number): boolean {
  for (let at = from; at < found.length; at += 1) if (found[at]?.ends === 'all') return true;
  return false;
}

/** Checks in their order: after a fault of another kind only lengths still say something, after the gravest nothing does. */
function runChecks(
  checks: readonly ShapeCheck[],
  value: unknown,
  { found, start }: Progress,
): void {
  for (const check of checks) {
    const ofLength = check.kind === 'shortest' || check.kind === 'longest';
    if (ofLength ? !endsAll(found, start) && hasLength(value) : !endsSome(found, start)) {
      runCheck(check, value, found);
    }
  }
}

function hasLength(value: unknown): value is { readonly length: number } {
  if (typeof value === 'string') return true;
  return typeof value === 'object' && value !== null && Reflect.get(value, 'length') !== undefined;
}

function runCheck(check: ShapeCheck, value: unknown, found: Finding[]): void {
  switch (check.kind) {
    case 'least':
    case 'most':
      checkBound(check, value as number, found);
      return;
    case 'shortest':
    case 'longest':
      checkLength(check, value as { readonly length: number }, found);
      return;
    case 'pattern':
      if (!check.pattern.test(value as string)) {
        const fault = {
          code: 'invalid_format',
          format: 'regex',
          pattern: `${check.pattern}`,
        } as const;
        found.push({ fault, input: value, ends: 'nothing', text: check.text, path: [] });
      }
      return;
    case 'test':
      if (!check.test(value as never)) {
        found.push({
          fault: { code: 'custom' },
          input: value,
          ends: check.ends,
          text: check.text,
          path: [],
        });
      }
  }
}

function checkBound(
  check: ShapeCheck & { kind: 'least' | 'most' },
  value: number,
  found: Finding[],
): void {
  const { kind, bound, inclusive } = check;
  if (inclusive && value === bound) return;
  if (kind === 'least' && !(value > bound)) {
    note(
      found,
      { code: 'too_small', origin: 'number', minimum: bound, inclusive },
      value,
      'nothing',
    );
  }
  if (kind === 'most' && !(value < bound)) {
    note(found, { code: 'too_big', origin: 'number', maximum: bound, inclusive }, value, 'nothing');
  }
}

/** Texts are as long as they have code points, so that every character counts once. */
function lengthOf(value: { readonly length: number } | string): number {
  if (typeof value !== 'string' || !/[\uD800-\uDBFF]/.test(value)) return value.length;
  return value.length - (value.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

function checkLength(
  { kind, bound }: ShapeCheck & { kind: 'shortest' | 'longest' },
  value: { readonly length: number } | string,
  found: Finding[],
): void {
  const origin = typeof value === 'string' ? 'string' : Array.isArray(value) ? 'array' : 'unknown';
  const length = lengthOf(value);
  if (kind === 'shortest' && !(length >= bound)) {
    note(found, { code: 'too_small', origin, minimum: bound, inclusive: true }, value, 'nothing');
  }
  if (kind === 'longest' && !(length <= bound)) {
    note(found, { code: 'too_big', origin, maximum: bound, inclusive: true }, value, 'nothing');
  }
}

/** A shape that reads what another reads, and more. */
export abstract class Wrapper<Inner extends AnyShape, Output> extends Shape<Output> {
  readonly inner: Inner;

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

  /** A copy, so that nobody who changes what was read changes the shape. */
  private fresh(): unknown {
    if (Array.isArray(this.preset)) return [...this.preset];
    return typeof this.preset === 'object' && this.preset !== null
      ? { ...this.preset }
      : this.preset;
  }
}
