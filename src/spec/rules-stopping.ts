/** Rules about stopping early: looks that exist, and combinations under which the promised error would not hold. */
import { type CaseIndex, finalCases } from './case-index.ts';
import type { Finding, SpecPath } from './finding.ts';
import { gateName } from './gates.ts';
import type { ExperimentSpec } from './spec.ts';
import { mostGroupLooks, plannedLooks, type Sequential, sequentialOf } from './stopping.ts';

/** Units below which no look says anything: one unit carries no inference about new ones. */
const fewestUnits = 2;

/**
 * Findings about the stopping rule that need no case.
 * @example stoppingFindings({ gates: [], claim: {} }) // => []
 */
export function stoppingFindings(spec: ExperimentSpec): Finding[] {
  const rule = sequentialOf(spec);
  if (rule === null) return [];
  return [
    ...disclosureFindings(spec),
    ...futilityFindings(rule, spec),
    ...(rule.rule === 'anytime' ? anytimeFindings(spec) : []),
  ];
}

/** A run that stops early tells by its length what ship or not would keep to itself. */
function disclosureFindings({ disclosure }: ExperimentSpec): Finding[] {
  if (disclosure !== 'gate-bit') return [];
  return [
    {
      code: 'stopping-discloses',
      path: ['disclosure'],
      message:
        'Where a run stops tells the search side at which look a candidate was given up, more than ship or not.',
      mend: 'Write stopping: fixed, or leave disclosure out: the units are then measured once.',
    },
  ];
}

function futilityFindings({ futility }: Sequential, { claim, gates }: ExperimentSpec): Finding[] {
  const hasLift = gates.some((gate) => gate.gate === 'lift');
  if (futility === undefined || (claim.minimumEffect !== undefined && hasLift)) return [];
  return [
    {
      code: 'futility-without-effect',
      path: ['stopping', 'futility'],
      message:
        'The futility rule gives a lift up when claim.minimumEffect is ruled out, and there is no lift gate or no minimum effect.',
      mend: 'Declare claim.minimumEffect and a lift gate, or remove the futility rule.',
    },
  ];
}

/** Bounds for a number of units fixed in advance do not hold at whatever unit a run stops; rate and latency say so by their method. */
function anytimeFindings({ gates }: ExperimentSpec): Finding[] {
  return gates.flatMap((gate, index): Finding[] =>
    gate.gate !== 'critical' || gate.maxRate === undefined
      ? []
      : [
          {
            code: 'method-unavailable',
            path: ['gates', index, 'maxRate'],
            message: `The gate "${gateName(gate)}" bounds a rate by a number of units fixed in advance, and an anytime run stops at any.`,
            mend: 'Leave maxRate out, so that one violation breaches, or write rule: group-sequential.',
          },
        ],
  );
}

/**
 * Findings about the looks of a spec with its cases: at least two, rising from 2 units, the last one with all.
 * @example lookFindings({}, { type: 'liftgate/cases/v1', rules: [], rows: [] }) // => []
 */
export function lookFindings(spec: ExperimentSpec, index: CaseIndex): Finding[] {
  const rule = sequentialOf(spec);
  const units = new Set(finalCases(index).map((each) => each.unit)).size;
  if (rule === null || units === 0) return [];
  const looks = plannedLooks(rule, units);
  const path: SpecPath = ['stopping', 'looks'];
  const found = (message: string, mend: string): Finding[] => [
    { code: 'looks-invalid', path, message, mend },
  ];
  if (looks.some((look, at) => look <= (looks[at - 1] ?? 0))) {
    return found(
      `Looks must rise from one to the next; they are at ${looks.join(', ')} units.`,
      'List each look once, in the order of its units.',
    );
  }
  if (looks.at(-1) !== units) {
    return found(
      `The last look is at ${looks.at(-1)} units, and ${units} final units are planned.`,
      `End the list with ${units}: units behind the last look would be spent and never decide.`,
    );
  }
  if (looks.length < 2 || (looks[0] ?? 0) < fewestUnits) {
    return found(
      `A sequential design has at least two looks, the first at ${fewestUnits} units or more; it has ${looks.length}, at ${looks.join(', ')} of ${units} units.`,
      'Add final units, look earlier, or write stopping: fixed.',
    );
  }
  if (rule.rule === 'group-sequential' && looks.length > mostGroupLooks) {
    return found(
      `A group-sequential design has at most ${mostGroupLooks} looks; it has ${looks.length}.`,
      'Look less often, or write rule: anytime.',
    );
  }
  return [];
}
