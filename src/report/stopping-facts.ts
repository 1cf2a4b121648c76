/** What a decision of a sequential design records of its looks: where it fell, what was spent, what was saved. */
import { type Evidence, primaryMeasure } from '../analysis/evidence.ts';
import * as z from '../base/shape.ts';
import { decisionSchema, shownNumber } from '../gate/gate.ts';
import { spentError } from '../gate/look-error.ts';
import type { SealedCandidate, SealedJudgement, TakenLook } from '../gate/sequential.ts';
import { sequentialOf } from '../spec/stopping.ts';
import { roundSignificant } from '../stats/rounding.ts';

/**
 * Recorded shape of the looks behind a decision; `spent` and `whole` are one-sided errors of the lift before candidates share it.
 *
 * ended: `ship` and `hold` fell at the look; `last-look` left need_more_work on all units; `not-reached` was judged on the whole plan
 * because the run ended before a look was complete.
 */
export const stoppingFactsSchema = z.strictObject({
  rule: z.enum(['group-sequential', 'anytime']),
  look: z.int(),
  of: z.int(),
  units: z.int(),
  planned: z.int(),
  saved: z.int().describe('Units of which no cell was dispatched.'),
  ended: z.enum(['ship', 'hold', 'last-look', 'not-reached']),
  error: z.strictObject({ spent: z.number(), whole: z.number() }),
  looks: z.array(
    z.strictObject({
      look: z.int(),
      units: z.int(),
      decision: decisionSchema,
      spent: z.number(),
      wealth: z.number().nullable(),
    }),
  ),
});
/** The looks behind the decision about one candidate. */
export type StoppingFacts = z.infer<typeof stoppingFactsSchema>;

/** The looks behind a candidate's decision; null in a fixed design. */
export function stoppingFacts(
  evidence: Evidence,
  { looks }: Pick<SealedJudgement, 'looks'>,
  { candidate, look }: SealedCandidate,
): StoppingFacts | null {
  const { seal } = evidence;
  const rule = sequentialOf(seal.spec)?.rule;
  if (look === null || rule === undefined) return null;
  const measure = primaryMeasure(seal) ?? '';
  const whole = seal.analysis.errorLevels.lift;
  const spentAt = (at: TakenLook['look']): number =>
    roundSignificant(spentError(seal, at, { measure, error: whole }));
  const own = looks.flatMap(({ look: taken, findings }) => {
    const found = findings.find((each) => each.candidate === candidate);
    if (found === undefined) return [];
    const { decision, wealth } = found;
    const at = { look: taken.number, units: taken.units.size };
    return [{ ...at, decision, spent: spentAt(taken), wealth }];
  });
  const measured = new Set(evidence.lines.map(({ cell }) => cell.unit)).size;
  return {
    rule,
    look: look.number,
    of: look.of,
    units: look.units.size,
    planned: seal.units.count,
    saved: seal.units.count - measured,
    ended: endedBy(own.at(-1), look.number),
    error: { spent: spentAt(look), whole },
    looks: own,
  };
}

function endedBy(
  last: StoppingFacts['looks'][number] | undefined,
  look: number,
): StoppingFacts['ended'] {
  if (last === undefined || last.look !== look) return 'not-reached';
  if (last.decision === 'need_more_work') return 'last-look';
  return last.decision === 'ship' ? 'ship' : 'hold';
}

/**
 * The look of a decision in a few words, for its one reason; empty in a fixed design.
 * @example lookText({ look: 2, of: 3, units: 40, planned: 60 }) // => 'look 2 of 3 (40 of 60 units)'
 */
export function lookText({
  look,
  of,
  units,
  planned,
}: Pick<StoppingFacts, 'look' | 'of' | 'units' | 'planned'>): string {
  return `look ${look} of ${of} (${units} of ${planned} units)`;
}

/** The looks of a decision as sentences; empty in a fixed design. */
export function stoppingText(facts: StoppingFacts | undefined): string {
  if (facts === undefined) return '';
  const { rule, ended, error, saved } = facts;
  const where =
    ended === 'not-reached'
      ? 'The run ended before a look was complete, so the whole plan was judged'
      : `Decided at ${lookText(facts)}, rule ${rule}`;
  const spent =
    rule === 'anytime'
      ? `the error ${shownNumber(error.whole)} holds at every unit at once`
      : `spent ${shownNumber(error.spent)} of the error ${shownNumber(error.whole)}`;
  const wealth = facts.looks.at(-1)?.wealth ?? null;
  const bet = wealth === null ? '' : `; log wealth ${shownNumber(wealth)}`;
  return `${where}: ${spent}${bet}; ${saved} units were not measured.`;
}
