/**
 * Audits of evaluators: how often a scorer accepted what people had rejected, and rejected what they had accepted.
 *
 *     {"type":"liftgate/evaluator-audit/v1","evaluator":"sha256:...","measure":"right",
 *      "falseAcceptances":{"count":1,"of":120},"falseRejections":{"count":3,"of":140}}
 *
 * `evaluator` is the tree digest of the scorer's files as a seal names it (`evaluator.tree`). `of` counts independent units whose
 * truth is bad for `falseAcceptances` and good for `falseRejections`. A future version changes the word in `type`.
 */
import { LiftgateError } from '../base/errors.ts';
import * as z from '../base/shape.ts';
import { readJson } from '../base/strict-json.ts';
import type { GateDeclaration } from './gates.ts';
import { digestSchema, idSchema, textSchema } from './words.ts';

const errorsSchema = z
  .strictObject({ count: z.int().min(0), of: z.int().min(1) })
  .refine(({ count, of }) => count <= of, 'more errors than units');

/** Recorded shape of an audit. */
export const evaluatorAuditSchema = z.strictObject({
  type: z.literal('liftgate/evaluator-audit/v1'),
  evaluator: digestSchema,
  measure: idSchema,
  falseAcceptances: errorsSchema,
  falseRejections: errorsSchema,
  note: textSchema.optional().describe('Who judged what, and when.'),
});
/** How often one scorer erred, in units by what they truly are. */
export type EvaluatorAudit = z.infer<typeof evaluatorAuditSchema>;

/** An audit as read, or what is wrong with it. */
export type AuditReading =
  | { readonly status: 'read'; readonly audit: EvaluatorAudit }
  | { readonly status: 'invalid'; readonly reason: string };

/**
 * Reads the bytes of an audit file.
 * @example readAudit('{}').status // => 'invalid'
 */
export function readAudit(bytes: Uint8Array | string): AuditReading {
  try {
    const parsed = evaluatorAuditSchema.safeParse(readJson(bytes));
    if (parsed.success) return { status: 'read', audit: parsed.data };
    const [issue] = parsed.error.issues;
    const at = issue?.path.join('.') ?? '';
    return { status: 'invalid', reason: `${at === '' ? '' : `${at}: `}${issue?.message ?? ''}` };
  } catch (error) {
    if (error instanceof LiftgateError) return { status: 'invalid', reason: error.message };
    throw error;
  }
}

/**
 * Paths of the audits that gates name, each once, in declared order.
 * @example auditPaths([]) // => []
 */
export function auditPaths(gates: readonly GateDeclaration[]): string[] {
  return [...new Set(gates.flatMap((gate) => (gate.gate === 'evaluator' ? [gate.audit] : [])))];
}
