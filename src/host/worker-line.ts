/** Lines a worker writes to standard output. */
import { type Hello, helloSchema } from '../run/receipt.ts';
import { readWireJson } from './wire-json.ts';

/** What a line is; `garbage` breaks the protocol. */
export type HostLine =
  | { readonly kind: 'hello'; readonly hello: Hello }
  | { readonly kind: 'sign'; readonly cellKey: string | null }
  | { readonly kind: 'answer'; readonly cellKey: unknown; readonly value: unknown }
  | { readonly kind: 'garbage'; readonly detail: string };

/**
 * Reads one line. Its JSON is read strictly: NaN, repeated members and rounded integers are no JSON.
 * @example readHostLine(Buffer.from('ready')).kind // => 'garbage'
 */
export function readHostLine(bytes: Uint8Array): HostLine {
  const value = jsonObjectOf(bytes);
  if (typeof value === 'string') return garbage(value);
  switch (value['kind']) {
    case 'hello': {
      const parsed = helloSchema.safeParse(value);
      return parsed.success
        ? { kind: 'hello', hello: parsed.data }
        : garbage('the hello line is malformed');
    }
    case 'heartbeat':
      return { kind: 'sign', cellKey: textOf(value['cellKey']) };
    case 'log':
      return { kind: 'sign', cellKey: null };
    case 'execute':
    case 'grade':
      return { kind: 'answer', cellKey: value['cellKey'], value };
    default:
      return garbage('a line on standard output is neither an answer, a heartbeat nor a log');
  }
}

function garbage(detail: string): HostLine {
  return { kind: 'garbage', detail };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The object of a line, or what is wrong with it. */
function jsonObjectOf(bytes: Uint8Array): Readonly<Record<string, unknown>> | string {
  const problem = 'a line on standard output is no JSON object';
  try {
    const value = readWireJson(bytes);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return problem;
    return { ...value };
  } catch (error) {
    return error instanceof Error ? `${problem}: ${error.message}` : problem;
  }
}
