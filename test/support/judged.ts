/** Judgements of tables, and their gates by name. */
import type { FurtherUnits } from '../../src/gate/further-units.ts';
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

/** What is planned for a table whose spec asks for the power of the gates themselves; the first plan unless one is named. */
export function ownPlan(table: EvidenceTable, gate?: string): FurtherUnits {
  const evidence = evidenceOf(table);
  const { seal } = evidence;
  const power = { further: 'simulated' } as const;
  const asked = { ...evidence, seal: { ...seal, spec: { ...seal.spec, power } } };
  const plans = judgeEvidence(asked).candidates[0]?.furtherUnits ?? [];
  const found = gate === undefined ? plans[0] : plans.find((each) => each.gate === gate);
  if (found === undefined) throw new Error('nothing was planned');
  return found;
}
