/**
 * Shapes of recorded values: declared once, read at the door, printed as JSON Schema. The calls and the texts of faults are those of
 * zod 4, in so far as they are used here; a test holds every declared shape against zod. What differs is the price: declaring a
 * shape costs little more than the object that holds it, so that a command which reads one small file does not pay for all of them.
 *
 *     const point = strictObject({ name: string().min(1), at: array(number()).max(3).default([]) });
 *     point.safeParse({ name: 'a' }) // => { success: true, data: { name: 'a', at: [] } }
 *
 * A shape never changes the value it reads: objects and lists come out as new ones, members in declared order; only `readOwned`, for
 * values that were just parsed and that nobody else holds, gives back the value itself where it fits as it is. Unknown members of an
 * object are refused, and so are numbers that are not finite. Shapes are values: every call gives a new one.
 */
import {
  ArrayShape,
  type Members,
  type ObjectOf,
  ObjectShape,
  RecordShape,
} from './shape-compound.ts';
import type { AnyShape, Shape } from './shape-core.ts';
import type { Primitive } from './shape-issue.ts';
import {
  BooleanShape,
  CustomShape,
  EnumShape,
  LiteralShape,
  NeverShape,
  NullShape,
  NumberShape,
  StringShape,
  UnknownShape,
} from './shape-scalar.ts';
import { type JsonShape, jsonShape, TaggedShape, UnionShape } from './shape-union.ts';

export type { AnyShape, Infer as infer, Reading, Shape, ShapeError } from './shape-core.ts';
export type { Issue } from './shape-issue.ts';

/** A text. */
export function string(): StringShape {
  return new StringShape();
}

/** A finite number. */
export function number(): NumberShape {
  return new NumberShape(false);
}

/** A whole number of at most 2^53 - 1 either way. */
export function int(): NumberShape {
  return new NumberShape(true);
}

/** True or false. */
export function boolean(): BooleanShape {
  return new BooleanShape();
}

function nothing(): NullShape {
  return new NullShape();
}

export { nothing as null };

/** Any value. */
export function unknown(): UnknownShape {
  return new UnknownShape();
}

/** What no value fits. */
export function never(): NeverShape {
  return new NeverShape();
}

/** This word or number and no other, or one of a few. */
export function literal<const Word extends Primitive>(
  words: Word | readonly Word[],
): LiteralShape<Word> {
  return new LiteralShape(typeof words === 'object' && words !== null ? words : [words]);
}

function choice<const Word extends string>(words: readonly Word[]): EnumShape<Word> {
  return new EnumShape(words);
}

export { choice as enum };

/** A list of what fits one shape. */
export function array<Element extends AnyShape>(element: Element): ArrayShape<Element> {
  return new ArrayShape(element);
}

/** An object with these members and no others. */
export function strictObject<const Of extends Members>(shape: Of): ObjectShape<Of> {
  return new ObjectShape(shape);
}

/** An object with these members; others are kept as they are. */
export function looseObject<const Of extends Members>(
  shape: Of,
): ObjectShape<Of, ObjectOf<Of> & Readonly<Record<string, unknown>>> {
  return new ObjectShape(shape, true);
}

/** An object with any names of one shape and values of another. */
export function record<Value extends AnyShape>(
  key: Shape<string>,
  value: Value,
): RecordShape<Value> {
  return new RecordShape(key, value);
}

/** What fits one of several shapes; the first that fits reads it. */
export function union<const Options extends readonly AnyShape[]>(
  options: Options,
): UnionShape<Options[number]> {
  return new UnionShape(options);
}

/** One of several objects, told apart by the words that one member may have. */
export function discriminatedUnion<const Options extends readonly ObjectShape<Members>[]>(
  tag: string,
  options: Options,
): TaggedShape<Options[number]> {
  return new TaggedShape(tag, options);
}

/** Any JSON value, each of its numbers finite. */
export function json(): JsonShape {
  return jsonShape;
}

/** A value that a test recognises; with a pattern it takes the texts that match, all of them, and nothing else. */
export function custom<Output>(
  test: (value: unknown) => boolean,
  text: string,
  pattern?: RegExp,
): CustomShape<Output> {
  return new CustomShape(test, text, pattern);
}
