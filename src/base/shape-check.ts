/** Conditions on a value that is of the right kind already. */
import { endsAll, endsSome, type Fault, type Finding } from './shape-issue.ts';

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

interface Progress {
  readonly found: Finding[];
  /** Where the findings of this value start. */
  readonly start: number;
}

/** Checks in their order: after a fault of another kind only lengths still say something, after the gravest nothing does. */
export function runChecks(
  checks: readonly ShapeCheck[],
  value: unknown,
  { found, start }: Progress,
): void {
  for (const check of checks) {
    const ofLength = check.kind === 'shortest' || check.kind === 'longest';
    const worthIt = ofLength ? !endsAll(found, start) && hasLength(value) : !endsSome(found, start);
    if (worthIt && !passes(check, value)) found.push(findingOf(check, value));
  }
}

function hasLength(value: unknown): value is { readonly length: number } {
  if (typeof value === 'string') return true;
  return typeof value === 'object' && value !== null && Reflect.get(value, 'length') !== undefined;
}

/** Whether a value of the kind that the condition is for meets it. */
export function passes(check: ShapeCheck, value: unknown): boolean {
  switch (check.kind) {
    case 'least':
      return (value as number) > check.bound || (check.inclusive && value === check.bound);
    case 'most':
      return (value as number) < check.bound || (check.inclusive && value === check.bound);
    case 'shortest':
      return lengthOf(value as string) >= check.bound;
    case 'longest':
      return lengthOf(value as string) <= check.bound;
    case 'pattern':
      return check.pattern.test(value as string);
    case 'test':
      return check.test(value as never);
  }
}

/** Texts are as long as they have code points, so that every character counts once. */
function lengthOf(value: { readonly length: number } | string): number {
  if (typeof value !== 'string' || !/[\uD800-\uDBFF]/.test(value)) return value.length;
  return value.length - (value.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

function findingOf(check: ShapeCheck, input: unknown): Finding {
  const own = check.kind === 'pattern' || check.kind === 'test' ? { text: check.text } : {};
  const ends = check.kind === 'test' ? check.ends : 'nothing';
  return { fault: faultOf(check, input), input, ends, ...own, path: [] };
}

function faultOf(check: ShapeCheck, input: unknown): Fault {
  switch (check.kind) {
    case 'least':
      return tooSmall('number', check.bound, check.inclusive);
    case 'most':
      return tooBig('number', check.bound, check.inclusive);
    case 'shortest':
      return tooSmall(originOf(input), check.bound, true);
    case 'longest':
      return tooBig(originOf(input), check.bound, true);
    case 'pattern':
      return { code: 'invalid_format', format: 'regex', pattern: `${check.pattern}` };
    case 'test':
      return { code: 'custom' };
  }
}

function tooSmall(origin: string, minimum: number, inclusive: boolean): Fault {
  return { code: 'too_small', origin, minimum, inclusive };
}

function tooBig(origin: string, maximum: number, inclusive: boolean): Fault {
  return { code: 'too_big', origin, maximum, inclusive };
}

function originOf(value: unknown): string {
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? 'array' : 'unknown';
}
