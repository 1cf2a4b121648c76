/** A readable checklist: named checks that pass, fail, or could not be made. */
import { LiftgateError } from '../base/errors.ts';

export interface Check {
  readonly id: string;
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'not-checked';
  readonly detail: string;
}

/** What a check found: the detail of a pass, or every fault. */
export type Finding = { readonly detail: string } | { readonly faults: readonly string[] };

/** A pass with its detail when there is no fault. */
export function findingOf(faults: readonly string[], detail: string): Finding {
  return faults.length === 0 ? { detail } : { faults };
}

/** The faults of tests that do not hold. */
export function faultsOf(tests: readonly (readonly [boolean, string])[]): string[] {
  return tests.filter(([holds]) => !holds).map(([, fault]) => fault);
}

const shownFaults = 10;

function faultText(faults: readonly string[]): string {
  const more = faults.length > shownFaults ? `; and ${faults.length - shownFaults} more` : '';
  return faults.slice(0, shownFaults).join('; ') + more;
}

/** Collects checks in order; a check whose input could not be read is listed as not checked. */
export class Checklist {
  private readonly list: Check[] = [];

  get checks(): readonly Check[] {
    return this.list;
  }

  get failed(): boolean {
    return this.list.some((check) => check.status === 'failed');
  }

  /** Runs a check; a LiftgateError it throws is its fault. */
  run(id: string, title: string, work: () => Finding): boolean {
    try {
      const finding = work();
      const passed = 'detail' in finding;
      this.add({
        id,
        title,
        status: passed ? 'passed' : 'failed',
        detail: passed ? finding.detail : faultText(finding.faults),
      });
      return passed;
    } catch (thrown) {
      if (!(thrown instanceof LiftgateError) || thrown.code === 'internal') throw thrown;
      this.add({ id, title, status: 'failed', detail: describe(thrown) });
      return false;
    }
  }

  /** Lists a check that could not be made, and why. */
  skip(id: string, title: string, detail: string): void {
    this.add({ id, title, status: 'not-checked', detail });
  }

  private add(check: Check): void {
    this.list.push(check);
  }
}

function describe(error: LiftgateError): string {
  const { file, line } = error.where ?? {};
  const place = [file, line].filter((part) => part !== undefined).join(':');
  return place === '' ? error.message : `${place}: ${error.message}`;
}
