/**
 * Failures of Liftgate. Three channels, never mixed: `Problem` lists come from reading a spec and are shown all at once;
 * `LiftgateError` stops the work; `invariant` marks a bug of ours. A gate that holds is none of these.
 */

/** Every error code with the exit code of its command (DESIGN 10). docs/refusals.md is compared with this one. */
export const errorExitCodes = {
  usage: 64,
  'trust-invalid': 64,
  internal: 70,
  interrupted: 130,
  'file-unreadable': 40,
  'json-invalid': 40,
  'yaml-invalid': 40,
  'value-not-canonical': 40,
  'spec-invalid': 40,
  'design-refused': 40,
  'cases-invalid': 40,
  'stats-argument-invalid': 40,
  'secret-missing': 40,
  'seal-missing': 41,
  'seal-drift': 41,
  'seal-invalid': 41,
  'secret-wrong': 41,
  'receipt-invalid': 41,
  'run-invalid': 41,
  'signature-invalid': 41,
  'signature-missing': 41,
  'ledger-conflict': 42,
  'ledger-damaged': 42,
  'ledger-unsafe': 42,
  'ledger-busy': 42,
  'controls-failed': 31,
  'host-unreachable': 32,
} as const;

/** Closed set of error codes, kebab-case. */
export type ErrorCode = keyof typeof errorExitCodes;

/** Every code of a problem that `check` can list beside the error codes. docs/refusals.md says what each means and how to mend it. */
export const problemCodes = [
  // The form of the file.
  'missing-key',
  'unknown-key',
  'wrong-type',
  'value-unknown',
  'value-invalid',
  'out-of-range',
  'key-invalid',
  'name-twice',
  'condition-value',
  // Files and packages it names.
  'file-missing',
  'file-outside-folder',
  'package-missing',
  'package-version',
  'package-link',
  // Cases and units.
  'cases-empty',
  'row-not-object',
  'set-field-exists',
  'field-unknown',
  'field-missing',
  'field-not-text',
  'field-shown-and-hidden',
  'case-twice',
  'id-invalid',
  'unit-alias',
  'unit-in-two-splits',
  'unit-renamed',
  'unit-copied',
  'split-unknown',
  'shares-sum',
  'no-final-units',
  // Arms, host and budget.
  'no-candidate',
  'candidate-id-reserved',
  'surface-empty',
  'multiplicity-missing',
  'sequence-incomplete',
  'module-host-untrusted',
  'budget-without-limit',
  'budget-too-small',
  // Measures.
  'no-measure',
  'several-primary',
  'unknown-measure',
  'measure-range',
  'failure-value',
  'failure-rewarded',
  'critical-not-binary',
  'measure-applies-nowhere',
  // Controls.
  'control-expects-nothing',
  'control-proves-nothing',
  'control-missing',
  'control-bounds',
  'control-class',
  'control-without-cases',
  // Gates and the claim.
  'gate-role',
  'gate-not-optional',
  'guardrail-ungated',
  'placebo-missing',
  'placebo-ungated',
  'canary-measure',
  'gap-measures',
  'contamination-empty',
  'audit-invalid',
  'gate-module-invalid',
  'gate-interval-invalid',
  'rate-not-binary',
  'rate-limit',
  'latency-not-duration',
  'latency-limit',
  'budget-gate-without-cap',
  'accuracy-alone',
  'lift-below-zero',
  'out-of-reach',
  'margin-too-wide',
  'level-too-low',
  'minimum-effect-without-primary',
  'minimum-effect-below-threshold',
  'power-effect-missing',
  'power-effect-too-small',
  // Looks of a sequential design.
  'looks-invalid',
  'futility-without-effect',
  'stopping-discloses',
  // Methods and their floors.
  'method-unavailable',
  'too-few-units',
  'one-unit-dominates',
  'few-degrees-of-freedom',
  'too-few-repeats',
] as const;
/** Code of a problem that is no error by itself, kebab-case. */
export type ProblemCode = (typeof problemCodes)[number];

/** Where something is wrong; `line` and `column` count from 1, `path` is a dotted path into the document. */
export interface Place {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly path?: string | undefined;
}

/**
 * One finding about a spec or a case file; the reader collects all of them before anything stops. A ledger's findings name the
 * invariant that does not hold (`I1` to `I16`).
 */
export interface Problem {
  readonly code: ProblemCode | ErrorCode | `I${number}`;
  readonly where: Place;
  readonly message: string;
  readonly mend: string;
}

export interface LiftgateErrorOptions {
  readonly where?: Place | undefined;
  readonly mend?: string | undefined;
  readonly cause?: unknown;
  readonly problems?: readonly Problem[] | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * One failure that stops the work: what is wrong, where, and how to mend it.
 * @example new LiftgateError('ledger-conflict', 'The unit is spent.', { mend: 'Take another one.' }).exitCode // => 42
 */
export class LiftgateError extends Error {
  readonly code: ErrorCode;
  readonly where: Place | undefined;
  readonly mend: string | undefined;
  readonly problems: readonly Problem[];
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: LiftgateErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'LiftgateError';
    this.code = code;
    this.where = options.where;
    this.mend = options.mend;
    this.problems = options.problems ?? [];
    this.details = options.details ?? {};
  }

  /** Exit code of the process that ends with this error. */
  get exitCode(): number {
    return errorExitCodes[this.code];
  }
}

/**
 * Stops with `internal` (exit 70) when something we rely on does not hold.
 * @throws {LiftgateError} internal
 */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) {
    throw new LiftgateError('internal', `Liftgate broke its own rule: ${message}`, {
      mend: 'Please report this with the command you ran.',
    });
  }
}

/**
 * A place as people and editors read it.
 * @example formatPlace({ file: 'a.yaml', line: 3, column: 7, path: 'claim.use' }) // => 'a.yaml:3:7 claim.use'
 */
export function formatPlace(place: Place): string {
  let position = place.file ?? '';
  if (place.line !== undefined) position += `:${place.line}:${place.column ?? 1}`;
  return [position, place.path ?? ''].filter((part) => part !== '').join(' ');
}

/**
 * A problem in the three lines every Liftgate message has: where and code, what, how to mend.
 * @example formatProblem({ code: 'unknown-key', where: { file: 'a.yaml' }, message: 'M.', mend: 'D.' })
 * // => 'a.yaml [unknown-key]\n  M.\n  D.'
 */
export function formatProblem(problem: Problem): string {
  const head = [formatPlace(problem.where), `[${problem.code}]`]
    .filter((part) => part !== '')
    .join(' ');
  return `${head}\n  ${problem.message}\n  ${problem.mend}`;
}
