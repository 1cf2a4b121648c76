/**
 * Unit, case and split.
 *
 * unit   the independent source (incident, customer, task family) that contributes one observation to inference; n counts units
 * case   one task; several cases may share a unit; a case belongs to exactly one unit and one split
 * split  `train` (optimizer reads), `selection` (optimizer chooses), `final` (held back; produces the reported lift)
 */
import { canonicalText, compareCodeUnits, type Json } from '../base/canonical.ts';
import { type Digest, digestHex, digestOf, keyedDigest } from '../base/digest.ts';
import * as z from '../base/shape.ts';
import {
  conditionSchema,
  fieldNameSchema,
  idSchema,
  packagePinSchema,
  relativePathSchema,
  textSchema,
} from './words.ts';

export const splitSchema = z.enum(['train', 'selection', 'final']);
export type Split = z.infer<typeof splitSchema>;

/** One file of cases: JSON lines or a JSON array of objects, in the experiment folder or in an installed package. */
export const caseFileSchema = z.strictObject({
  package: packagePinSchema
    .optional()
    .describe('Installed package that holds the file; default: the experiment folder.'),
  path: relativePathSchema.describe('JSON lines, or a JSON array of objects.'),
  set: z
    .record(fieldNameSchema, z.string())
    .optional()
    .describe('Fields added to every row; {row} stands for the row number from 1.'),
});
export type CaseFile = z.infer<typeof caseFileSchema>;

export const casesSchema = z.strictObject({
  files: z.array(caseFileSchema).min(1).describe('Files of cases, read in this order.'),
  id: fieldNameSchema.describe('Field that names the case.'),
  input: z
    .array(fieldNameSchema)
    .optional()
    .describe('Fields shown to execute; default: all but id, unit, split and expected.'),
  expected: z.array(fieldNameSchema).default([]).describe('Fields shown to grade only.'),
});
export type Cases = z.infer<typeof casesSchema>;

export const splitsSchema = z.discriminatedUnion('by', [
  z.strictObject({
    by: z.literal('field').describe('How units are divided into train, selection and final.'),
    field: fieldNameSchema.describe('Field that says train, selection or final.'),
  }),
  z.strictObject({
    by: z.literal('hash').describe('How units are divided into train, selection and final.'),
    salt: textSchema.describe('Makes the division this one and no other.'),
    final: z.number().min(0).max(1).describe('Share of units that is held back and measured.'),
    selection: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe('Share an optimizer chooses by; the three shares sum to 1.'),
    train: z.number().min(0).max(1).default(0).describe('Share an optimizer reads.'),
  }),
]);
export type Splits = z.infer<typeof splitsSchema>;

const ruleIdSchema = idSchema.describe('Name of the rule in the funnel.');

/** A rule that keeps or drops rows before the split check; every exclusion is named by its id in the funnel. */
export const admissionRuleSchema = z.union([
  z.strictObject({ id: ruleIdSchema, keep: conditionSchema }),
  z.strictObject({
    id: ruleIdSchema,
    unique: z.strictObject({
      field: fieldNameSchema.describe('Rows after the first with an equal text here are dropped.'),
      normalize: z
        .enum(['none', 'whitespace-case', 'words'])
        .default('none')
        .describe('What two texts may differ in: nothing, case and white space, or all but words.'),
    }),
  }),
]);
export type AdmissionRule = z.infer<typeof admissionRuleSchema>;

/** One row as read, before admission. `row` counts from 1 over all files, in file order. */
export interface CaseRow {
  readonly row: number;
  readonly file: string;
  readonly line: number;
  /** Column of the row in its line, from 1; absent for rows that fill a line. */
  readonly column?: number | undefined;
  readonly fields: { readonly [field: string]: Json };
}

/** One admitted case. `input` goes to execute, `expected` to grade only; `fields` feed `where` and admission. */
export interface Case {
  readonly id: string;
  readonly unit: string;
  readonly split: Split;
  readonly row: number;
  readonly fields: { readonly [field: string]: Json };
  readonly input: { readonly [field: string]: Json };
  readonly expected: { readonly [field: string]: Json };
}

export type UnitIdReason = 'E_ID_EMPTY' | 'E_ID_LONG' | 'E_ID_NOT_NFC' | 'E_ID_SPACE' | 'E_ID_CHAR';

const mostIdBytes = 256;

/** Visible ASCII with single spaces inside. What it means needs no tables of Unicode, which take a short command milliseconds to make. */
const plainId = /^[!-~]+(?: [!-~]+)*$/;

/**
 * Why an id cannot name a unit or a case, or null when it can. Ids are refused, never repaired.
 * @example unitIdProblem('u-1 ') // => 'E_ID_SPACE'
 */
export function unitIdProblem(id: string): UnitIdReason | null {
  if (id.length <= mostIdBytes && plainId.test(id)) return null;
  if (id === '') return 'E_ID_EMPTY';
  if (!id.isWellFormed() || /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/u.test(id)) return 'E_ID_CHAR';
  if (/[^\S ]|[\p{Zl}\p{Zp}]/u.test(id) || /(?! )\p{Zs}/u.test(id)) return 'E_ID_CHAR';
  if (id !== id.normalize('NFC')) return 'E_ID_NOT_NFC';
  if (/^ | $| {2}/.test(id)) return 'E_ID_SPACE';
  if (new TextEncoder().encode(id).length > mostIdBytes) return 'E_ID_LONG';
  return null;
}

/** Version word of `skeletonOf`, recorded in every seal. */
export const skeletonVersion = 'skeleton/1';

/**
 * What two spellings of one unit share: width, case, ligatures and invisible characters folded.
 * @example skeletonOf('STRASSE') === skeletonOf('straße') // => true
 */
export function skeletonOf(id: string): string {
  if (plainId.test(id)) return id.toLowerCase();
  return id
    .normalize('NFKC')
    .replace(/\p{Cf}|[\u{FE00}-\u{FE0F}]|\u{034F}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replace(/ +/g, ' ');
}

/** Version word of `fingerprintOf` without a secret, recorded in the seal. */
export const fingerprintVersion = 'fingerprint/1';

/** Version word of `fingerprintOf` with a secret: HMAC-SHA-256 of the same bytes. */
export const keyedFingerprintVersion = 'fingerprint-hmac/1';

/**
 * What shows that two sets of fingerprints were made with one secret, without telling it.
 * @example fingerprintKey(new Uint8Array(16)).length // => 71
 */
export function fingerprintKey(secret: Uint8Array): Digest {
  return keyedDigest(secret, `liftgate/${keyedFingerprintVersion}`);
}

/**
 * Digest of a case's input with strings folded (NFKC, lower case, white space collapsed): a renamed copy keeps its fingerprint.
 * @param ignore  top-level fields left out, such as ids and dates
 * @param secret  makes it a keyed digest: short contents cannot be guessed from it
 * @example fingerprintOf({ mail: 'A  b' }) === fingerprintOf({ mail: 'a B' }) // => true
 */
export function fingerprintOf(
  input: { readonly [field: string]: Json },
  ignore: readonly string[] = [],
  secret?: Uint8Array,
): Digest {
  const kept = Object.entries(input).filter(([key]) => !ignore.includes(key));
  const text = canonicalText(foldJson(Object.fromEntries(kept)));
  return secret === undefined ? digestOf(text) : keyedDigest(secret, text);
}

/** Hashes of a sketch, each of 12 hex digits: what two sketches estimate then errs by about 0.05. */
export const sketchSize = 64;
const sketchDigits = 12;
/** Words that stand together in one piece of a text. */
const sketchWords = 3;

/**
 * Sketch of a case's input: the 64 smallest hashes of its word triples, ascending, without a gap. It tells how much of their text two
 * inputs share; made without a secret it lets a guess of the text be tried.
 * @example sketchOf({ mail: 'one two' }).length // => 12
 */
export function sketchOf(
  input: { readonly [field: string]: Json },
  ignore: readonly string[] = [],
  secret?: Uint8Array,
): string {
  const texts = Object.entries(input).flatMap(([key, value]) =>
    ignore.includes(key) ? [] : leafTexts(value),
  );
  const words = normalizeText(texts.join(' '), 'words').split(' ');
  const count = Math.max(1, words.length - sketchWords + 1);
  const pieces = Array.from({ length: count }, (_, at) =>
    words.slice(at, at + sketchWords).join(' '),
  );
  const hashes = [...new Set(pieces)].map((piece) =>
    digestHex(secret === undefined ? digestOf(piece) : keyedDigest(secret, piece)).slice(
      0,
      sketchDigits,
    ),
  );
  return hashes.sort(compareCodeUnits).slice(0, sketchSize).join('');
}

/**
 * Hashes of a sketch.
 * @example sketchHashes(sketchOf({ mail: 'one two' })).length // => 1
 */
export function sketchHashes(sketch: string): string[] {
  const count = Math.floor(sketch.length / sketchDigits);
  return Array.from({ length: count }, (_, at) =>
    sketch.slice(at * sketchDigits, (at + 1) * sketchDigits),
  );
}

/**
 * Every text in a JSON value, numbers and truth values as they are written; names of members are not among them.
 * @example leafTexts({ a: ['x', 1], b: null }) // => ['x', '1']
 */
export function leafTexts(value: Json): string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap(leafTexts);
  if (typeof value === 'object') return Object.values(value).flatMap(leafTexts);
  return [String(value)];
}

function foldJson(value: Json): Json {
  if (typeof value === 'string') return foldText(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(foldJson);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, foldJson(member)]));
}

/**
 * Text with width, case and white space folded: the `whitespace-case` normalization of `unique`.
 * @example foldText('  Good,\tCASE ') // => 'good, case'
 */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** How `unique` compares texts; `words` also drops everything but letters and digits. */
export type UniqueNormalization = 'none' | 'whitespace-case' | 'words';

/**
 * A text as `unique` compares it.
 * @example normalizeText('  Good,  CASE! ', 'words') // => 'good case'
 */
export function normalizeText(text: string, how: UniqueNormalization): string {
  switch (how) {
    case 'none':
      return text;
    case 'whitespace-case':
      return foldText(text);
    case 'words':
      return text
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim();
  }
}

/** What a reservation stores of one unit. */
export interface UnitRecord {
  readonly id: string;
  readonly skeleton: string;
  readonly fingerprints: readonly Digest[];
}

/**
 * Units of the given cases with their fingerprint sets, sorted by id in code units.
 * @example unitRecords([{ unit: 'U1', input: {} }]).map((each) => each.skeleton) // => ['u1']
 */
export function unitRecords(
  cases: readonly Case[],
  ignore: readonly string[] = [],
  secret?: Uint8Array,
): UnitRecord[] {
  const prints = new Map<string, Set<Digest>>();
  for (const each of cases) {
    const known = prints.get(each.unit) ?? new Set<Digest>();
    known.add(fingerprintOf(each.input, ignore, secret));
    prints.set(each.unit, known);
  }
  return [...prints.entries()]
    .sort(([first], [second]) => compareCodeUnits(first, second))
    .map(([id, fingerprints]) => ({
      fingerprints: [...fingerprints].sort(compareCodeUnits),
      id,
      skeleton: skeletonOf(id),
    }));
}
