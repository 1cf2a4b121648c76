/** Random sequences of ledger requests, and an interpreter that runs them on any ledger. */
import fc from 'fast-check';
import { canonicalLine } from '../../src/base/canonical.ts';
import { type Digest, digestOf } from '../../src/base/digest.ts';
import { LiftgateError } from '../../src/base/errors.ts';
import type { EntryRequest } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { ExperimentState, LedgerState } from '../../src/ledger/projection.ts';
import { formatUnits } from '../../src/ledger/units-object.ts';
import { keyBodyOf } from './ledger-keys.ts';
import { amendBodyOf, planSealOf } from './ledger-plans.ts';
import {
  alphaNano,
  bytesOf,
  digestNamed,
  exposeBody,
  outcomeBody,
  unitsNamed,
} from './ledger-story.ts';
import { seededSigner } from './signers.ts';

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
    | 'policy'
    | 'leak'
    | 'retire'
    | 'amend'
    | 'key'
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
  'policy',
  'leak',
  'retire',
  'amend',
  'key',
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

const planBytes = (x: string) => bytesOf(canonicalLine(planSealOf(x)));
const planOf = (x: string) => digestOf(planBytes(x));

/** The plan of an experiment as it was amended last; the first one while it is unknown. */
function currentPlan(state: LedgerState, x: string): Digest {
  const own = state.experiments.values().filter((each) => each.experimentId === x);
  return own.find(({ phase }) => phase !== 'amended')?.plan ?? planOf(x);
}

function sealRequest(operation: Operation, requestId: string, current: Digest): EntryRequest {
  const { verb, x } = operation;
  const text = verb === 'plan' ? planBytes(x) : bytesOf(`final of ${x} with ${requestId}\n`);
  const plan = verb === 'plan' ? null : current;
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

function unitsRequest(operation: Operation, requestId: string, plan: Digest): EntryRequest {
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
        body: { ...set, plan, family: 'mails', slot: 0, alphaNano },
      };
}

/** Units whose retirement is that of the whole family. */
export const endsFamily = (units: readonly string[]) => units.join() === 'u-1,u-5';

/** Error that a policy of an experiment's choice allows: enough for every reservation here. */
export const policyNano = (x: string) => (x === 'a' ? 30_000_000 : 60_000_000);

function withdrawal({ verb, units }: Operation, requestId: string): EntryRequest {
  const stored = formatUnits(unitsNamed(units));
  const set = {
    ...{ population: 'mails', unitCount: stored.count },
    ...{ unitsRoot: stored.root, unitsObject: stored.object },
  };
  if (verb === 'leak')
    return { kind: 'leak', requestId, body: { ...set, source: 'forum', reason: 'r' } };
  const listed = endsFamily(units) ? null : set;
  return { kind: 'retire', requestId, body: { family: 'mails', units: listed, reason: 'r' } };
}

/** `a` introduces a key, `b` revokes the last valid one; two units: the new key signs for itself. */
async function keyRequest(
  state: LedgerState,
  { x, units }: Operation,
  requestId: string,
): Promise<EntryRequest> {
  const all = state.keys.values();
  const last = all.findLastIndex(({ ended }) => ended === null);
  const signer = (number: number) => seededSigner(`key-${number}`, number);
  const key = signer(x === 'a' ? all.length : Math.max(last, 0));
  const by = x === 'b' || units.length === 2 || last < 0 ? key : signer(last);
  const step = { op: x === 'a' ? ('add' as const) : ('revoke' as const), key, by };
  return { kind: 'key', requestId, body: await keyBodyOf('ab'.repeat(16), step) };
}

async function amendRequest(
  ledger: Ledger,
  { x }: Operation,
  requestId: string,
): Promise<EntryRequest> {
  const from = currentPlan(await ledger.state(), x);
  const before = JSON.parse(new TextDecoder().decode((await ledger.object(from)) ?? planBytes(x)));
  const step = { from, before, change: { gates: requestId } };
  return { kind: 'amend', requestId, body: (await amendBodyOf(ledger, step)).body };
}

function policyRequest({ x }: Operation, requestId: string): EntryRequest {
  const body = { family: 'mails', mode: 'one-shot' as const, alphaNano: policyNano(x) };
  const more = { retireOnShip: true, requireSignature: false, requireAnchor: false };
  return { kind: 'policy', requestId, body: { ...body, weights: [], ...more } };
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
  const state = await ledger.state();
  const plan = currentPlan(state, operation.x);
  const now = numbersOf(state.experiments.get(plan));
  switch (operation.verb) {
    case 'policy':
      return policyRequest(operation, requestId);
    case 'leak':
    case 'retire':
      return withdrawal(operation, requestId);
    case 'amend':
      return amendRequest(ledger, operation, requestId);
    case 'key':
      return keyRequest(state, operation, requestId);
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
      return sealRequest(operation, requestId, plan);
    case 'reserve':
    case 'develop':
    case 'repeat':
      return unitsRequest(operation, requestId, plan);
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
 * @param name    start of their request ids, another one for operations that follow others on one ledger
 */
export async function runOperations(
  ledger: () => Ledger,
  operations: readonly Operation[],
  watch: (operation: Operation, given: Answer, state: LedgerState) => void = () => undefined,
  name = 'request',
): Promise<Answer[]> {
  const answers: Answer[] = [];
  let last: EntryRequest | null = null;
  for (const [index, operation] of operations.entries()) {
    const requestId = `${name}-${index}`;
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
