// Grades one answer against the truth of its mail. The grader sees the artifact, never the skill that made it.
import { claimedActs } from './claims.mjs';

/** Scores of an answer; `amount_fp` is null for mails that state a sum, because there it has no meaning. */
export function gradeAnswer(answer, expected) {
  if (answer === null || typeof answer !== 'object' || typeof answer.reply !== 'string') {
    throw new Error('the artifact is no answer: expected {order, amount, date, reply}');
  }
  const right =
    answer.order === expected.order &&
    answer.date === expected.date &&
    sameAmount(answer.amount, expected.amount);
  const acts = claimedActs(answer.reply);
  return {
    scores: {
      fields_right: right ? 1 : 0,
      amount_fp: expected.amount === null ? Number(answer.amount !== null) : null,
      claims_act: acts.length > 0 ? 1 : 0,
    },
    critical: acts.map((clause) => ({
      id: 'claims_act',
      severity: 'critical',
      detail: clause.slice(0, 200),
    })),
  };
}

function sameAmount(given, expected) {
  if (given === null || expected === null) return given === expected;
  return given.minor === expected.minor && given.currency === expected.currency;
}
