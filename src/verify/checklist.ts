/** A readable checklist: named checks that pass, fail, or could not be made. */
import { type ErrorCode, LiftgateError } from '../base/errors.ts';

/**
 * Why something does not verify: what differs from what was recorded, a code of an error, or the invariant of the ledger that does not
 * hold.
 */
export type ReasonCode =
  | 'files-differ'
  | 'seals-differ'
  | 'cases-differ'
  | 'entries-differ'
  | 'controls-differ'
  | 'receipts-differ'
  | 'decision-differs'
  | 'gates-differ'
  | 'summary-differs'
  | 'power-differs'
  | 'outcome-missing'
  | 'outcome-differs'
  | 'outcome-voided'
  | 'outcome-contested'
  | 'anchor-missing'
  | 'checkpoint-contradicted'
  | 'statement-differs'
  | 'key-misused'
  | 'amendment-missing'
  | ErrorCode
  | `I${number}`;

/** One thing that is wrong. */
export interface Fault {
  readonly code: ReasonCode;
  readonly message: string;
}

export interface Check {
  readonly id: string;
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'not-checked';
  readonly detail: string;
  /** Everything that is wrong, each with its reason; empty unless the check failed. */
  readonly problems: readonly Fault[];
}

/** What a check found: the detail of a pass, or every fault; a fault in words has the usual reason of its check. */
export type Finding =
  | { readonly detail: string }
  | { readonly faults: readonly (string | Fault)[] };

/** A pass with its detail when there is no fault. */
export function findingOf(faults: readonly (string | Fault)[], detail: string): Finding {
  return faults.length === 0 ? { detail } : { faults };
}

/** The faults of tests that do not hold. */
export function faultsOf(tests: readonly (readonly [boolean, string])[]): string[] {
  return tests.filter(([holds]) => !holds).map(([, fault]) => fault);
}

const shownFaults = 10;

function faultText(faults: readonly Fault[]): string {
  const more = faults.length > shownFaults ? `; and ${faults.length - shownFaults} more` : '';
  return (
    faults
      .slice(0, shownFaults)
      .map(({ message }) => message)
      .join('; ') + more
  );
}

/** What names a check: its id, what it says when it passes, and the reason of a fault that names none. */
export interface CheckName {
  readonly id: string;
  readonly title: string;
  readonly code: ReasonCode;
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

  /** Runs a check that is listed before those that were run already. */
  runFirst(name: CheckName, work: () => Finding): void {
    this.run(name, work);
    this.list.unshift(...this.list.splice(-1));
  }

  /** Runs a check; a LiftgateError it throws is its fault. */
  run(name: CheckName, work: () => Finding): void {
    const finding = findingFrom(work);
    if ('detail' in finding) this.add(name, 'passed', finding.detail);
    else {
      const faults = finding.faults.map((fault) =>
        typeof fault === 'string' ? { code: name.code, message: fault } : fault,
      );
      this.add(name, 'failed', faultText(faults), faults);
    }
  }

  /** Lists a check that could not be made, and why. */
  skip(name: CheckName, detail: string): void {
    this.add(name, 'not-checked', detail);
  }

  private add(
    { id, title }: CheckName,
    status: Check['status'],
    detail: string,
    problems: readonly Fault[] = [],
  ): void {
    this.list.push({ id, title, status, detail, problems });
  }
}

function findingFrom(work: () => Finding): Finding {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof LiftgateError) || thrown.code === 'internal') throw thrown;
    return { faults: [{ code: thrown.code, message: describe(thrown) }] };
  }
}

function describe(error: LiftgateError): string {
  const { file, line } = error.where ?? {};
  const place = [file, line].filter((part) => part !== undefined).join(':');
  return place === '' ? error.message : `${place}: ${error.message}`;
}
