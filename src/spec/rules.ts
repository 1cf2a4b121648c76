/** Rules between the fields of a spec: everything that can be judged before a single case is read. */
import type { Finding } from './finding.ts';
import type { ExperimentSpec } from './spec.ts';

/** All findings about one spec, in the order of its members. */
export function specFindings(spec: ExperimentSpec): Finding[] {
  void spec;
  return [];
}
