/** Identity of cases and units: odd ids, two spellings of one unit, a case told twice, a unit in two splits under one or two names. */
import { compareCodeUnits } from '../base/canonical.ts';
import type { Problem } from '../base/errors.ts';
import { likenessOf, shownId } from '../spec/lookalike.ts';
import {
  type Case,
  type CaseRow,
  fingerprintOf,
  skeletonOf,
  type UnitIdReason,
  unitIdProblem,
} from '../spec/units.ts';

/** A case with the row it came from. */
export interface RowCase {
  readonly source: CaseRow;
  readonly each: Case;
}

const reasons: Record<UnitIdReason, string> = {
  E_ID_EMPTY: 'it is empty',
  E_ID_LONG: 'it is longer than 256 bytes of UTF-8',
  E_ID_NOT_NFC: 'it is not in Unicode form NFC',
  E_ID_SPACE: 'it has a space at an end or two in a row',
  E_ID_CHAR: 'it has a control, invisible, private or unassigned character or an odd space',
};

/** What identity depends on besides the rows. */
export interface IdentityRules {
  readonly generalization: 'new-units' | 'fixed-roster';
  /** Input fields that fingerprints leave out. */
  readonly ignore: readonly string[];
}

/**
 * All identity problems of the admitted rows, in row order.
 * @example identityProblems({ generalization: 'new-units', ignore: [] }, []) // => []
 */
export function identityProblems(rules: IdentityRules, rows: readonly RowCase[]): Problem[] {
  const check = new IdentityCheck(rules);
  for (const row of rows) check.add(row);
  check.copies();
  return check.problems;
}

class IdentityCheck {
  readonly problems: Problem[] = [];
  private readonly rules: IdentityRules;
  private readonly cases = new Map<string, RowCase>();
  private readonly units = new Map<string, RowCase>();
  /** First row of each spelling, by skeleton and by likeness. */
  private readonly spellings = new Map<string, RowCase>();
  /** First row of each content, held back and not. */
  private readonly contents = {
    final: new Map<string, RowCase>(),
    other: new Map<string, RowCase>(),
  };
  /** Contents of each final unit, with its first row. */
  private readonly shown = new Map<string, { first: RowCase; prints: Set<string> }>();
  private readonly reported = new Set<string>();

  constructor(rules: IdentityRules) {
    this.rules = rules;
  }

  add(row: RowCase): void {
    this.spelling('case', row.each.id, row);
    if (row.each.unit !== row.each.id) this.spelling('unit', row.each.unit, row);
    this.twice(row);
    this.alias(row);
    if (this.rules.generalization !== 'new-units') return;
    this.splits(row);
    this.renamed(row);
  }

  private spelling(what: 'case' | 'unit', id: string, row: RowCase): void {
    const reason = unitIdProblem(id);
    if (reason === null || !this.once(`${what} ${id}`)) return;
    this.report(row, {
      code: 'id-invalid',
      message: `The ${what} id "${printable(id)}" cannot be used: ${reasons[reason]} (${reason}).`,
      mend: 'Change it in the case file; ids are never repaired, so that two files cannot mean different units by one id.',
    });
  }

  private twice(row: RowCase): void {
    const { id, split } = row.each;
    const first = this.cases.get(id);
    if (first === undefined) {
      this.cases.set(id, row);
      return;
    }
    const where = `${first.source.file}:${first.source.line}`;
    const splits =
      first.each.split === split ? '' : `, there in "${first.each.split}", here in "${split}"`;
    this.report(row, {
      code: 'case-twice',
      message: `Case "${id}" already stands at ${where}${splits}.`,
      mend: 'Give every case its own id, or drop the copy with an admission rule {unique: {field: ...}}.',
    });
  }

  private alias(row: RowCase): void {
    const { unit } = row.each;
    const [skeleton, likeness] = [skeletonOf(unit), likenessOf(unit)];
    const first = this.spellings.get(skeleton) ?? this.spellings.get(likeness);
    if (first === undefined) this.spellings.set(skeleton, row).set(likeness, row);
    else if (first.each.unit !== unit && this.once(`alias ${unit}`)) {
      this.report(row, {
        code: 'unit-alias',
        message: `Unit ${shownId(unit)} is another spelling of unit ${shownId(first.each.unit)} at ${first.source.file}:${first.source.line} (E_UNIT_ALIAS).`,
        mend: 'Spell one unit one way; give different units ids that differ by more than case, width, invisible characters or letters that look alike.',
      });
    }
  }

  private splits(row: RowCase): void {
    const { unit, split } = row.each;
    const first = this.units.get(unit);
    if (first === undefined) this.units.set(unit, row);
    else if (first.each.split !== split && this.once(`splits ${unit}`)) {
      this.report(row, {
        code: 'unit-in-two-splits',
        message: `Unit "${unit}" is in "${first.each.split}" (${first.source.file}:${first.source.line}) and in "${split}".`,
        mend: 'Keep it in one split; if the cases come from different sources, give them different unit ids.',
      });
    }
  }

  /** The ledger refuses the same at reservation; here it costs nothing yet. */
  private renamed(row: RowCase): void {
    const { unit, split, input } = row.each;
    const { final, other } = this.contents;
    const [own, opposite] = split === 'final' ? [final, other] : [other, final];
    const print = fingerprintOf(input, this.rules.ignore);
    if (!own.has(print)) own.set(print, row);
    if (split === 'final') this.note(unit, print, row);
    const copy = opposite.get(print);
    if (copy === undefined || copy.each.unit === unit || !this.once(`renamed ${unit}`)) return;
    const there = `"${copy.each.split}" (${copy.source.file}:${copy.source.line})`;
    this.report(row, {
      code: 'unit-renamed',
      message: `Unit "${unit}" in "${split}" shows what unit "${copy.each.unit}" shows in ${there}: a copy under another id is the same unit.`,
      mend: 'Drop one with an admission rule {unique: {field: ...}}, or keep both in one split.',
    });
  }

  private note(unit: string, print: string, row: RowCase): void {
    const known = this.shown.get(unit);
    if (known === undefined) this.shown.set(unit, { first: row, prints: new Set([print]) });
    else known.prints.add(print);
  }

  /** One source copied under many ids would count as many units, and n would be what somebody wrote. */
  copies(): void {
    const originals = new Map<string, RowCase>();
    for (const [unit, { first, prints }] of this.shown) {
      const whole = [...prints].sort(compareCodeUnits).join(' ');
      const original = originals.get(whole);
      if (original === undefined) originals.set(whole, first);
      else {
        const { source, each } = original;
        this.report(first, {
          code: 'unit-copied',
          message: `Final unit "${unit}" shows exactly what final unit "${each.unit}" shows (${source.file}:${source.line}): copies never count twice toward n.`,
          mend: 'Drop one with an admission rule {unique: {field: ...}}, or give both the same unit id.',
        });
      }
    }
  }

  private once(key: string): boolean {
    if (this.reported.has(key)) return false;
    this.reported.add(key);
    return true;
  }

  private report(row: RowCase, problem: Omit<Problem, 'where'>): void {
    const { file, line, column } = row.source;
    this.problems.push({ ...problem, where: { file, line, column: column ?? 1 } });
  }
}

/** An id with everything invisible written as an escape. */
function printable(id: string): string {
  const escaped = id.replace(/[^\P{C} ]|[^\S ]|[\p{Zs}](?<! )/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
  return escaped.length > 80 ? `${escaped.slice(0, 77)}...` : escaped;
}
