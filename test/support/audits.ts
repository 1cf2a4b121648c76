/** Audit reports of the scorer that the tables of evidence were made with, as a seal holds them. */
import { evaluatorTree } from './evidence-lines.ts';

interface Errors {
  readonly count: number;
  readonly of: number;
}

/** One report with false acceptances and false rejections; further members replace its own. */
export function auditOf(
  accepted: Errors,
  rejected: Errors,
  more: Readonly<Record<string, unknown>> = {},
) {
  const audit = {
    type: 'liftgate/evaluator-audit/v1',
    evaluator: evaluatorTree,
    measure: 'right',
    falseAcceptances: accepted,
    falseRejections: rejected,
    ...more,
  };
  return [{ path: 'audit.json', size: 1, sha256: '0'.repeat(64), audit }];
}
