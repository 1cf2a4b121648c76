/** A plain model of what each ledger request must give: tables instead of entries. */
import { endsFamily, type Operation, policyNano } from './ledger-operations.ts';

type ModelPhase = 'none' | 'sealed' | 'reserved' | 'exposed' | 'settled' | 'aborted' | 'voided';

/** What a unit is, told by plain bookkeeping. */
export type ModelUnit = 'free' | 'held' | 'exposed' | 'development' | 'retired' | 'leaked';

/** The rules in the shortest words: tables instead of entries. */
export class LedgerModel {
  private readonly phases = new Map<string, ModelPhase>();
  private readonly finals = new Map<string, number>();
  private readonly owned = new Map<string, readonly string[]>();
  private readonly busy = new Set<string>();
  private readonly leaked = new Set<string>();
  private readonly retired = new Set<string>();
  private familyRetired = false;
  private alphaNano = Number.POSITIVE_INFINITY;
  private readonly keys: boolean[] = [];
  private readonly units = new Map<string, ModelUnit>();
  private lastAccepted = false;
  private steps = 0;

  /** Whether the operation must be accepted; carries it out when it is. */
  step(operation: Operation): boolean {
    this.steps += 1;
    if (operation.verb === 'repeat' && this.steps > 1) return this.lastAccepted;
    this.lastAccepted = this.allows(operation);
    if (this.lastAccepted) this.carryOut(operation);
    return this.lastAccepted;
  }

  private phase(x: string): ModelPhase {
    return this.phases.get(x) ?? 'none';
  }

  private unit(id: string): ModelUnit {
    return this.units.get(id) ?? 'free';
  }

  /** What is known of a unit, the narrowest answer first. */
  status(id: string): ModelUnit {
    if (this.leaked.has(id)) return 'leaked';
    const ended = this.familyRetired && this.unit(id) === 'exposed';
    return ended || this.retired.has(id) ? 'retired' : this.unit(id);
  }

  /** Whether units of the family are held or were exposed. */
  private isClaimed(): boolean {
    return [...this.phases.values()].some((phase) => phase !== 'none' && phase !== 'sealed');
  }

  private allowsKey(x: string, units: readonly string[]): boolean {
    const anyValid = this.keys.includes(true);
    return x === 'a' ? units.length === 1 || !anyValid : anyValid;
  }

  private allowsRetirement(units: readonly string[]): boolean {
    if (!endsFamily(units)) return units.every((id) => this.unit(id) !== 'held');
    return !this.familyRetired && ![...this.units.values()].includes('held');
  }

  private allows({ verb, x, units }: Operation): boolean {
    const phase = this.phase(x);
    switch (verb) {
      case 'plan':
        return phase === 'none';
      case 'final':
        return phase === 'sealed' || phase === 'reserved';
      case 'reserve':
      case 'repeat':
        return (
          phase === 'sealed' &&
          !this.familyRetired &&
          units.every((id) => this.status(id) === 'free')
        );
      case 'release':
        return phase === 'reserved';
      case 'expose':
        return (
          phase === 'reserved' &&
          (this.finals.get(x) ?? 0) > 0 &&
          !(this.owned.get(x) ?? []).some((id) => this.leaked.has(id))
        );
      case 'attempt':
      case 'journal':
      case 'outcome':
      case 'abort':
        return phase === 'exposed';
      case 'void':
        return phase === 'settled';
      case 'develop':
        return units.every((id) => this.unit(id) !== 'held' && !this.busy.has(id));
      case 'policy':
        return !this.isClaimed() || policyNano(x) <= this.alphaNano;
      case 'leak':
        return true;
      case 'retire':
        return this.allowsRetirement(units);
      case 'amend':
        return phase === 'sealed' || phase === 'reserved';
      case 'key':
        return this.allowsKey(x, units);
    }
  }

  private carryOut({ verb, x, units }: Operation): void {
    switch (verb) {
      case 'plan':
        this.phases.set(x, 'sealed');
        return;
      case 'final':
        this.finals.set(x, (this.finals.get(x) ?? 0) + 1);
        return;
      case 'reserve':
      case 'repeat':
        this.phases.set(x, 'reserved');
        this.owned.set(x, units);
        this.mark(units, 'held');
        return;
      case 'release':
        this.phases.set(x, 'sealed');
        this.mark(this.owned.get(x) ?? [], 'free');
        return;
      case 'expose':
        this.phases.set(x, 'exposed');
        for (const id of this.owned.get(x) ?? []) this.busy.add(id);
        this.mark(this.owned.get(x) ?? [], 'exposed');
        return;
      case 'attempt':
      case 'journal':
        return;
      case 'outcome':
      case 'abort':
        this.phases.set(x, verb === 'outcome' ? 'settled' : 'aborted');
        for (const id of this.owned.get(x) ?? []) this.busy.delete(id);
        return;
      case 'void':
        this.phases.set(x, 'voided');
        return;
      case 'develop':
        this.mark(
          units.filter((id) => this.unit(id) === 'free'),
          'development',
        );
        return;
      case 'amend':
        this.finals.set(x, 0);
        return;
      case 'policy':
      case 'leak':
      case 'retire':
      case 'key':
        this.keepUp({ verb, x, units });
    }
  }

  private mark(units: readonly string[], as: ModelUnit): void {
    for (const id of units) this.units.set(id, as);
  }

  private keepUp({ verb, x, units }: Pick<Operation, 'verb' | 'x' | 'units'>): void {
    if (verb === 'policy') this.alphaNano = policyNano(x);
    else if (verb === 'leak') for (const id of units) this.leaked.add(id);
    else if (verb === 'key' && x === 'a') this.keys.push(true);
    else if (verb === 'key') this.keys[this.keys.lastIndexOf(true)] = false;
    else if (endsFamily(units)) this.familyRetired = true;
    else for (const id of units) this.retired.add(id);
  }
}
