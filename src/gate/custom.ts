/**
 * The `custom` gate: a rule in code that the caller brings along, sealed by its bytes.
 *
 * Its code runs elsewhere, before anything is decided; here its recorded reply becomes a contribution. The reply is bound to the
 * digest of the input that this evidence gives, so that an answer about other evidence fits nowhere. Like every gate it can lower a
 * decision and never raise it; a fault in the place of an answer is insufficient evidence, lost by fault.
 */
import { type Analysis, analyzeEvidence } from '../analysis/analyze.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { GateFault, GateQuestion, GateReplies, RecordedAnswer } from '../run/gate-reply.ts';
import { type GateDeclaration, type GateOf, gateName } from '../spec/gates.ts';
import { type CustomRequest, customQuestion } from './custom-input.ts';
import {
  type Contribution,
  type ContributionParts,
  contributionOf,
  type Decision,
  type Finding,
} from './gate.ts';

/** What a decision of a custom gate is found to be; `decisionOf` reads the decision itself. */
function findingOfDecision(decision: Decision): Finding {
  switch (decision) {
    case 'ship':
      return 'cleared';
    case 'need_more_work':
      return 'unresolved';
    case 'hold':
    case 'model_ceiling':
    case 'arch_ceiling':
      return 'breached';
  }
}

const faultWords: Readonly<Record<GateFault['code'], string>> = {
  'no-answer': 'its code gave no answer',
  threw: 'its code threw',
  malformed: 'its code answered in another form',
  unsteady: 'its code said two things of the same input',
};

function answered(answer: RecordedAnswer): Omit<ContributionParts, 'name' | 'gate' | 'required'> {
  const { decision, reason, value, bound, threshold, n } = answer;
  return {
    finding: findingOfDecision(decision),
    reason,
    statistic: bound ?? value,
    threshold,
    n: n === null ? null : { units: n, pairs: 0, cells: 0, discordant: 0 },
    answer,
  };
}

/** Contribution of a custom gate from the reply to its question. */
export function judgeCustom(
  request: CustomRequest,
  replies: GateReplies | undefined,
): Contribution {
  const { declared } = request;
  const [only, ...others] = declared.measures;
  const common = {
    name: gateName(declared),
    gate: declared.gate,
    required: declared.required,
    measure: others.length === 0 ? (only ?? null) : null,
  };
  const question = customQuestion(request);
  if (!('digest' in question)) {
    const { measure, why } = question;
    const reason =
      why === 'no-unit'
        ? `not asked: no unit has a value of "${measure}"`
        : `not asked: "${measure}" has no range to fill its losses from`;
    return contributionOf({ ...common, finding: 'insufficient', reason });
  }
  const reply = replies?.(question);
  if (reply === undefined) {
    const reason = 'its code was not run on this evidence';
    return contributionOf({ ...common, finding: 'insufficient', reason });
  }
  if (reply.status === 'answered') return contributionOf({ ...common, ...answered(reply.answer) });
  const { code, detail, attempts } = reply.fault;
  const often = attempts === 1 ? '' : ` after ${attempts} attempts`;
  return contributionOf({
    ...common,
    finding: 'insufficient',
    reason: `${faultWords[code]}${often}${detail === '' ? '' : `: ${detail}`}`,
    flags: ['lost-by-fault'],
  });
}

/** The custom gates among some. */
export function customGates(gates: readonly GateDeclaration[]): GateOf<'custom'>[] {
  return gates.filter((gate) => gate.gate === 'custom');
}

/** Replies in the place of code that is not run: nothing objects, so that the other gates are seen. */
export const unobjected: GateReplies = () => {
  const numbers = { value: null, bound: null, threshold: null, n: null };
  const reason = 'its code is not run here and taken not to object';
  return { status: 'answered', answer: { decision: 'ship', reason, ...numbers } };
};

/** Whether a seal has custom gates. */
export function hasCustomGates({ decision }: Evidence['seal']): boolean {
  return customGates(decision.gates).length > 0;
}

/** Whether counting the losses of a custom gate's measures against the candidate gives it another input. */
function loses({ declared, candidate }: CustomRequest): boolean {
  return declared.measures.some((id) => (candidate.measures.get(id)?.sample.lost.length ?? 0) > 0);
}

function questionsOf(analysis: Analysis): GateQuestion[] {
  return customGates(analysis.seal.decision.gates).flatMap((declared) =>
    analysis.candidates.flatMap((candidate) => {
      const request = { declared, analysis, candidate };
      const seen = customQuestion({ ...request, filled: false });
      const filled = loses({ ...request, filled: true })
        ? customQuestion({ ...request, filled: true })
        : seen;
      return [seen, filled].filter((each) => 'digest' in each);
    }),
  );
}

/** Every question that judging this evidence puts to custom gates, each once; none without such a gate. */
export function gateQuestions(evidence: Evidence): GateQuestion[] {
  if (!hasCustomGates(evidence.seal)) return [];
  const found = new Map(
    questionsOf(analyzeEvidence(evidence)).map((each) => [each.digest, each] as const),
  );
  return [...found.values()];
}
