/** JSON as hosts send it: read strictly, with half surrogate pairs mended. */
import type { Json } from '../base/canonical.ts';
import { LiftgateError } from '../base/errors.ts';
import { decodeUtf8, readJson } from '../base/strict-json.ts';

/** A surrogate pair, half of one, or any other escape. */
const escapePattern =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\[\s\S]/g;

/**
 * Reads one JSON value of a host.
 *
 * Half a surrogate pair, the mark of a text cut in the middle of a character, becomes U+FFFD as in every UTF-8 encoder: a
 * candidate's text must not be able to turn its own cell into a fault. Everything else the strict reader refuses stays refused.
 *
 * @throws {LiftgateError} json-invalid
 * @example readWireJson('{"says": "cut \\ud83d"}') // => { says: 'cut \ufffd' }
 */
export function readWireJson(input: Uint8Array | string): Json {
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  try {
    return readJson(text);
  } catch (error) {
    if (reasonOf(error) !== 'E_SURROGATE') throw error;
    return readJson(text.toWellFormed().replace(escapePattern, mended));
  }
}

function mended(escaped: string): string {
  return /^\\u[dD]/.test(escaped) && escaped.length === 6 ? '\\ufffd' : escaped;
}

/**
 * Why a value was refused, as the strict reader and the canonical writer name it.
 * @example reasonOf(new Error('other')) // => undefined
 */
export function reasonOf(error: unknown): unknown {
  return error instanceof LiftgateError ? error.details['reason'] : undefined;
}
