/** Rules about gates that ask whether the evidence itself can be trusted. */
import type { Finding } from './finding.ts';
import type { ExperimentSpec } from './spec.ts';

/**
 * Findings about gates on a placebo.
 * @example evidenceGateFindings({ arms: {}, gates: [{ gate: 'neutral-control' }] })[0].code // => 'placebo-missing'
 */
export function evidenceGateFindings(spec: ExperimentSpec): Finding[] {
  return placeboFindings(spec);
}

/** A placebo that no gate reads costs cells for nothing, and a gate on a placebo needs one. */
function placeboFindings({ arms, gates }: ExperimentSpec): Finding[] {
  const index = gates.findIndex(({ gate }) => gate === 'neutral-control');
  if (index >= 0 && arms.placebo === undefined) {
    return [
      {
        code: 'placebo-missing',
        path: ['gates', index],
        message:
          'A neutral-control gate holds the candidate against arms.placebo, and none is declared.',
        mend: 'Declare arms: {placebo: {surface: {...}}}, a change that should change nothing, or remove the gate.',
      },
    ];
  }
  if (index >= 0 || arms.placebo === undefined) return [];
  return [
    {
      code: 'placebo-ungated',
      path: ['arms', 'placebo'],
      message: 'The placebo runs in every block, and no gate reads it.',
      mend: 'Add {gate: neutral-control, measure: ...} on the primary measure, or remove the placebo.',
    },
  ];
}
