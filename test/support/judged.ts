/** Judgements of tables, and their gates by name. */
import type { Contribution } from '../../src/gate/gate.ts';
import { type CandidateJudgement, judgeEvidence } from '../../src/gate/judge.ts';
import { type EvidenceTable, evidenceOf } from './evidence.ts';

/** Judgement of one candidate of a table, `next` unless named. */
export function judged(table: EvidenceTable, candidate = 'next'): CandidateJudgement {
  const found = judgeEvidence(evidenceOf(table)).candidates.find(
    (each) => each.candidate === candidate,
  );
  if (found === undefined) throw new Error(`the table has no candidate ${candidate}`);
  return found;
}

/** Contribution of a gate by name. */
export function gateOf(judgement: CandidateJudgement, name: string): Contribution {
  const found = judgement.contributions.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no gate ${name}`);
  return found;
}
