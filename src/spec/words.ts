/** Spellings shared by the recorded shapes: ids, field names, digests, comparisons. */
import { type Digest, digestPattern, isDigest } from '../base/digest.ts';
import * as z from '../base/shape.ts';

/** Ids of experiments, arms, measures, controls and rules. */
export const idSchema = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
    'an id starts with a letter and has at most 64 letters, digits, _ . -',
  );

/** Name of a field of a case. */
export const fieldNameSchema = z.string().min(1).max(128);

/** Prose a reader needs; never empty. */
export const textSchema = z.string().min(1).max(4000);

export const digestSchema = z.custom<Digest>(
  isDigest,
  'expected sha256: and 64 lower-case hex digits',
  digestPattern,
);

/** UTC time with milliseconds as recorded: `2026-01-01T00:00:00.000Z`. */
export const timeSchema = z
  .string()
  .regex(
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/,
    'expected UTC time such as 2026-01-01T00:00:00.000Z',
  );

/** Path of a named file relative to its experiment folder: POSIX separators, never absolute, never upward. */
export const relativePathSchema = z
  .string()
  .min(1)
  .max(512)
  .refine((path) => !/^\/|^[A-Za-z]:|\\/.test(path), 'use a relative path with forward slashes')
  .refine(
    (path) => !path.split('/').includes('..'),
    'the path must stay inside the experiment folder',
  )
  .refine(
    (path) => !/\/\/|\/$|(?:^|\/)\.(?:\/|$)/.test(path),
    'write the path without ./, doubled or closing slashes, so that one file has one name',
  )
  .refine((path) => path === path.normalize('NFC'), 'the path must be in Unicode form NFC');

/** An installed package with its exact version, `name@version`, or `alias=name@version` when installed under an alias. */
export const packagePinSchema = z
  .string()
  .regex(
    /^(?:(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*=)?(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*@\d+\.\d+\.\d+[0-9A-Za-z.+-]*$/,
    'expected name@version or alias=name@version with an exact version',
  );

/** A value of a case that a rule can be compared with. */
export const scalarSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type Scalar = z.infer<typeof scalarSchema>;

/** A declared condition on one field of a case; a missing field counts as null. */
export const conditionSchema = z.strictObject({
  field: fieldNameSchema.describe('Field of the case; a missing one counts as null.'),
  op: z
    .enum(['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in'])
    .describe('How the field is compared; lt, le, gt and ge hold between two numbers only.'),
  value: z
    .union([scalarSchema, z.array(scalarSchema)])
    .describe('What it is compared with; a list for the operator in.'),
});
export type Condition = z.infer<typeof conditionSchema>;

/**
 * Whether a case's field satisfies a condition. Order comparisons hold only between two numbers.
 * @example meets({ field: 'n', op: 'gt', value: 2 }, { n: 3 }) // => true
 */
export function meets(condition: Condition, fields: Readonly<Record<string, unknown>>): boolean {
  const found = Object.hasOwn(fields, condition.field) ? fields[condition.field] : null;
  const { op, value } = condition;
  switch (op) {
    case 'eq':
      return found === value;
    case 'ne':
      return found !== value;
    case 'in':
      return Array.isArray(value) && value.some((item) => item === found);
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return typeof found === 'number' && typeof value === 'number' && ordered(op, found, value);
  }
}

function ordered(op: 'lt' | 'le' | 'gt' | 'ge', found: number, value: number): boolean {
  switch (op) {
    case 'lt':
      return found < value;
    case 'le':
      return found <= value;
    case 'gt':
      return found > value;
    case 'ge':
      return found >= value;
  }
}
