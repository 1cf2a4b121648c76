/** Random sequences of ledger requests, a plain model of what each must give, and an interpreter that runs them on any ledger. */
import fc from 'fast-check';
import { LiftgateError } from '../../src/base/errors.ts';
import type { EntryRequest } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { ExperimentState, LedgerState } from '../../src/ledger/projection.ts';
import { formatUnits } from '../../src/ledger/units-object.ts';
import {
  alphaNano,
  bytesOf,
  digestNamed,
  exposeBody,
  outcomeBody,
  unitsNamed,
} from './ledger-story.ts';

const experiments = ['a', 'b'] as const;
const unitIds = ['u-1', 'u-2', 'u-3', 'u-4', 'u-5'] as const;

/** One request about experiment `x`; `repeat` sends the last one again (the first time: a reservation); `units` is a non-empty subset of five ids. */
export interface Operation {
  readonly verb:
    | 'plan'
    | 'final'
    | 'reserve'
    | 'release'
    | 'expose'
    | 'attempt'
    | 'journal'
    | 'outcome'
    | 'abort'
    | 'void'
    | 'develop'
    | 'repeat';
  readonly x: (typeof experiments)[number];
  readonly units: readonly string[];
}

const verbs = [
  'plan',
  'final',
  'reserve',
  'release',
  'expose',
  'attempt',
  'journal',
  'outcome',
  'abort',
  'void',
  'develop',
  'repeat',
] as const;

/** Verbs that bring an experiment on its way. */
const forward = ['plan', 'final', 'reserve', 'expose', 'outcome', 'void'] as const;

/** Sequences in which every verb has a fair chance to be allowed. */
export const operationsArbitrary: fc.Arbitrary<Operation[]> = fc.array(
  fc.record({
    verb: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...forward) },
      { weight: 1, arbitrary: fc.constantFrom(...verbs) },
    ),
    x: fc.constantFrom(...experiments),
    units: fc.subarray([...unitIds], { minLength: 1, maxLength: 2 }),
  }),
  { minLength: 20, maxLength: 60, size: 'max' },
);

const planBytes = (x: string) => bytesOf(`plan of ${x}\n`);
const planOf = (x: string) => digestNamed(`plan of ${x}\n`);

function sealRequest(operation: Operation, requestId: string): EntryRequest {
  const { verb, x } = operation;
  const text = verb === 'plan' ? planBytes(x) : bytesOf(`final of ${x} with ${requestId}\n`);
  const plan = verb === 'plan' ? null : planOf(x);
  const stage = verb === 'plan' ? 'plan' : 'final';
  return {
    kind: 'seal',
    requestId,
    body: {
      experimentId: x,
      sealDigest: digestNamed(new TextDecoder().decode(text)),
      size: text.length,
      stage,
      plan,
    },
  };
}

function unitsRequest(operation: Operation, requestId: string): EntryRequest {
  const stored = formatUnits(unitsNamed(operation.units));
  const set = {
    experimentId: operation.x,
    population: 'mails',
    unitCount: stored.count,
    unitsRoot: stored.root,
    unitsObject: stored.object,
  };
  return operation.verb === 'develop'
    ? { kind: 'develop', requestId, body: { ...set, reason: 'search' } }
    : {
        kind: 'reserve',
        requestId,
        body: { ...set, plan: planOf(operation.x), family: 'mails', slot: 0, alphaNano },
      };
}

/** Numbers of the entries a request refers to; 0, which is genesis, when there is none. */
function numbersOf(experiment: ExperimentState | undefined) {
  return {
    reserve: experiment?.reservation?.seq ?? 0,
    expose: experiment?.exposure?.seq ?? 0,
    outcome: experiment?.outcome?.seq ?? 0,
    attempt: experiment?.exposure?.attempt ?? 1,
    journal: {
      lines: experiment?.exposure?.journal.lines ?? 0,
      digest: experiment?.exposure?.journal.digest ?? planOf('nobody'),
    },
    final: experiment?.finals.at(-1)?.digest ?? planOf('nobody'),
  };
}

async function laterRequest(
  ledger: Ledger,
  operation: Operation,
  requestId: string,
): Promise<EntryRequest> {
  const now = numbersOf((await ledger.state()).experiments.get(planOf(operation.x)));
  switch (operation.verb) {
    case 'release':
      return { kind: 'release', requestId, body: { reserve: now.reserve, reason: 'r' } };
    case 'expose': {
      const body = await exposeBody(ledger, now.reserve, now.final);
      return { kind: 'expose', requestId, body };
    }
    case 'attempt': {
      const fence = digestNamed(requestId).slice(7, 39);
      const body = { expose: now.expose, attempt: now.attempt + 1, reason: 'r', fence };
      return {
        kind: 'attempt',
        requestId,
        body: { ...body, missingCells: 0, missingObject: null, journal: now.journal },
      };
    }
    case 'journal': {
      const journal = { lines: now.journal.lines + 1, digest: digestNamed(requestId) };
      const body = { expose: now.expose, attempt: now.attempt, journal, stopped: false };
      return { kind: 'journal', requestId, body };
    }
    case 'outcome':
      return { kind: 'outcome', requestId, body: outcomeBody(now.expose, now.attempt) };
    case 'abort': {
      const body = { expose: now.expose, reason: 'r', receiptsRoot: planOf('none') };
      return { kind: 'abort', requestId, body };
    }
    case 'void':
      return { kind: 'void', requestId, body: { outcome: now.outcome, reason: 'r', evidence: '' } };
    case 'plan':
    case 'final':
      return sealRequest(operation, requestId);
    case 'reserve':
    case 'develop':
    case 'repeat':
      return unitsRequest(operation, requestId);
  }
}

async function storeObjects(ledger: Ledger, operation: Operation, requestId: string) {
  await ledger.putObject(planBytes(operation.x));
  await ledger.putObject(planBytes('nobody'));
  await ledger.putObject(bytesOf(`final of ${operation.x} with ${requestId}\n`));
  await ledger.putObject(formatUnits(unitsNamed(operation.units)).bytes);
}

/** What one operation gave: the number of its entry and whether it was replayed, or the code of its refusal. */
export interface Answer {
  readonly accepted: boolean;
  readonly text: string;
}

async function answer(ledger: Ledger, request: EntryRequest): Promise<Answer> {
  try {
    const { entry, entryId, replayed } = await ledger.append(request);
    return { accepted: true, text: `${entry.seq} ${entryId} ${replayed}` };
  } catch (error) {
    if (!(error instanceof LiftgateError)) throw error;
    return { accepted: false, text: `${error.code} ${error.message}` };
  }
}

/**
 * Runs operations one after another; `watch` sees each answer and the state after it.
 * @param ledger  called before each operation, so that a test can open the ledger anew
 */
export async function runOperations(
  ledger: () => Ledger,
  operations: readonly Operation[],
  watch: (operation: Operation, given: Answer, state: LedgerState) => void = () => undefined,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  let last: EntryRequest | null = null;
  for (const [index, operation] of operations.entries()) {
    const requestId = `request-${index}`;
    const current = ledger();
    await storeObjects(current, operation, requestId);
    const repeated: EntryRequest | null = operation.verb === 'repeat' ? last : null;
    const request: EntryRequest = repeated ?? (await laterRequest(current, operation, requestId));
    const given = await answer(current, request);
    answers.push(given);
    watch(operation, given, await current.state());
    last = request;
  }
  return answers;
}

type ModelPhase = 'none' | 'sealed' | 'reserved' | 'exposed' | 'settled' | 'aborted' | 'voided';

/** What a unit is, told by plain bookkeeping. */
export type ModelUnit = 'free' | 'held' | 'exposed' | 'development';

/** The rules in the shortest words: tables instead of entries. */
export class LedgerModel {
  private readonly phases = new Map<string, ModelPhase>();
  private readonly finals = new Map<string, number>();
  private readonly owned = new Map<string, readonly string[]>();
  private readonly busy = new Set<string>();
  readonly units = new Map<string, ModelUnit>();
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

  private allows({ verb, x, units }: Operation): boolean {
    const phase = this.phase(x);
    switch (verb) {
      case 'plan':
        return phase === 'none';
      case 'final':
        return phase === 'sealed' || phase === 'reserved';
      case 'reserve':
      case 'repeat':
        return phase === 'sealed' && units.every((id) => this.unit(id) === 'free');
      case 'release':
        return phase === 'reserved';
      case 'expose':
        return phase === 'reserved' && (this.finals.get(x) ?? 0) > 0;
      case 'attempt':
      case 'journal':
      case 'outcome':
      case 'abort':
        return phase === 'exposed';
      case 'void':
        return phase === 'settled';
      case 'develop':
        return units.every((id) => this.unit(id) !== 'held' && !this.busy.has(id));
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
    }
  }

  private mark(units: readonly string[], as: ModelUnit): void {
    for (const id of units) this.units.set(id, as);
  }
}
