/** A small sealed experiment with everything a run needs: seal, cases, surfaces, schedule, a clock that only moves when told, a journal in memory. */
import { type Digest, digestOf, digestOfValue } from '../../src/base/digest.ts';
import type { Clock, Host } from '../../src/run/host.ts';
import type { Journal, JournalLine } from '../../src/run/journal.ts';
import {
  type Cell,
  type ExecuteReply,
  type ExecuteRequest,
  executeReplySchema,
  type GradeReply,
  type GradeRequest,
  gradeReplySchema,
  type SurfaceWire,
} from '../../src/run/receipt.ts';
import type { Envelope } from '../../src/run/resume.ts';
import { planSchedule } from '../../src/run/schedule.ts';
import { type CaseIndex, caseIndexSchema, finalCases } from '../../src/spec/case-index.ts';
import {
  type SealedExperiment,
  sealDigest,
  sealSchema,
  surfaceDigest,
} from '../../src/spec/seal.ts';
import { baselineArm, candidateIds, specSchema } from '../../src/spec/spec.ts';
import type { Case } from '../../src/spec/units.ts';
import { evidenceOf } from '../support/evidence.ts';

export interface DeskOptions {
  readonly cases?: readonly Case[];
  readonly candidates?: readonly string[];
  readonly repeats?: number;
  readonly attempts?: number;
  readonly retry?: readonly string[];
  readonly concurrency?: number;
  readonly measures?: Readonly<Record<string, unknown>>;
  readonly controls?: readonly unknown[];
  readonly budget?: { readonly usd?: number; readonly wallMinutes?: number };
  readonly limits?: Readonly<Record<string, number>>;
  readonly caseRules?: Readonly<Record<string, unknown>>;
  readonly model?: string;
}

export interface Desk {
  readonly seal: SealedExperiment;
  readonly experimentDigest: Digest;
  readonly index: CaseIndex;
  readonly cases: ReadonlyMap<string, Case>;
  readonly development: readonly Case[];
  readonly surfaces: ReadonlyMap<string, SurfaceWire>;
  readonly schedule: readonly Cell[];
  readonly envelope: Envelope;
}

/** A case whose host behaves as told; right when the surface says `yes`. */
export function caseOf(id: string, behave = 'well', split: Case['split'] = 'final'): Case {
  const input = { text: `mail ${id}`, behave };
  return {
    id,
    unit: `unit-${id}`,
    split,
    row: 1,
    fields: { id, ...input, says: 'yes' },
    input,
    expected: { says: 'yes' },
  };
}

export function casesOf(count: number, behave = 'well', split: Case['split'] = 'final'): Case[] {
  return Array.from({ length: count }, (_, at) => ({
    ...caseOf(`c${String(at + 1).padStart(2, '0')}`, behave, split),
    row: at + 1,
  }));
}

export function surfaceOf(text: string): SurfaceWire {
  return {
    kind: 'bundle',
    components: { skill: { text } },
    digest: surfaceDigest({ skill: digestOf(text) }),
  };
}

export function deskOf(options: DeskOptions = {}): Desk {
  const cases = options.cases ?? casesOf(4);
  const candidates = options.candidates ?? ['next'];
  const surfaces = new Map<string, SurfaceWire>([
    [baselineArm, surfaceOf('no')],
    ...candidates.map((id, at) => [id, surfaceOf(at === 0 ? 'yes' : `yes ${at}`)] as const),
  ]);
  const index = indexOf(cases);
  const { seal } = evidenceOf({
    cases: cases.map(({ id, unit, split }) => ({ id, unit, split, cells: {} })),
    candidates,
    repeats: options.repeats ?? 1,
    attempts: options.attempts ?? 3,
    ...(options.measures === undefined ? {} : { measures: options.measures }),
  });
  const sealed = sealedWith(seal, options, surfaces);
  const final = cases.filter((each) => each.split === 'final');
  return {
    seal: sealed,
    experimentDigest: sealDigest(sealed),
    index,
    cases: new Map(final.map((each) => [each.id, each])),
    development: cases.filter((each) => each.split !== 'final'),
    surfaces,
    schedule: [
      ...planSchedule({
        cases: finalCases(index),
        arms: [baselineArm, ...candidateIds(sealed.spec)],
        repeats: sealed.spec.repeats,
        casesDigest: sealed.digests.cases,
      }),
    ],
    envelope: { ledger: 'ledger', expose: digestOf('expose'), fence: 'fence-1' },
  };
}

function indexOf(cases: readonly Case[]): CaseIndex {
  return caseIndexSchema.parse({
    type: 'liftgate/cases/v1',
    rules: [],
    rows: cases.map((each, at) => ({
      row: at + 1,
      id: each.id,
      unit: each.unit,
      split: each.split,
      excluded: null,
      applies: [],
      inputDigest: digestOfValue(each.input),
      expectedDigest: digestOfValue(each.expected),
    })),
  });
}

function sealedWith(
  seal: SealedExperiment,
  options: DeskOptions,
  surfaces: ReadonlyMap<string, SurfaceWire>,
): SealedExperiment {
  const { spec } = seal;
  return sealSchema.parse({
    ...seal,
    spec: specSchema.parse({
      ...spec,
      cases: { files: spec.cases.files, id: 'id', expected: ['says'], ...options.caseRules },
      controls: options.controls ?? [],
      attempts: { max: options.attempts ?? 3, ...(options.retry && { retry: options.retry }) },
      budget: options.budget ?? {},
      host: {
        worker: ['node', 'host.mjs'],
        concurrency: options.concurrency ?? 1,
        limits: { wallMs: 5000, silenceMs: 5000, ...options.limits },
      },
    }),
    limits: {
      ...seal.limits,
      budget: {
        usd: options.budget?.usd ?? null,
        wallMinutes: options.budget?.wallMinutes ?? null,
      },
    },
    arms: seal.arms.map((arm) => ({
      ...arm,
      surfaceDigest: surfaces.get(arm.id)?.digest ?? null,
      pins: { ...arm.pins, model: options.model ?? null },
    })),
  });
}

/** A clock that moves by sleeping only; every sleep is noted. */
export class StillClock implements Clock {
  readonly sleeps: number[] = [];
  private ms = 0;

  now(): string {
    return new Date(Date.UTC(2026, 7, 1) + this.ms).toISOString();
  }

  elapsedMs(): number {
    return this.ms;
  }

  advance(ms: number): void {
    this.ms += ms;
  }

  sleep(ms: number): Promise<void> {
    this.sleeps.push(ms);
    this.ms += ms;
    return Promise.resolve();
  }
}

export class MemoryJournal implements Journal {
  readonly lines: JournalLine[] = [];

  append(line: JournalLine): Promise<void> {
    this.lines.push(line);
    return Promise.resolve();
  }
}

export type ExecuteScript = (request: ExecuteRequest) => Promise<object> | object;

/** A host of a test: what it was asked, and answers changed by scripts. */
export class ScriptedHost implements Host {
  readonly adapter = 'module';
  readonly executions: ExecuteRequest[] = [];
  readonly gradings: GradeRequest[] = [];
  onExecute: ExecuteScript = () => ({});
  onGrade: (request: GradeRequest) => Promise<object> | object = () => ({});
  inFlight = 0;
  mostInFlight = 0;

  hello(): ReturnType<Host['hello']> {
    return Promise.resolve({
      kind: 'hello',
      protocols: ['cell/1'],
      host: { name: 'scripted', version: '1', buildDigest: null, dirty: null },
      supports: ['execute', 'grade'],
      honoursSeed: false,
    });
  }

  async execute(request: ExecuteRequest): Promise<ExecuteReply> {
    this.executions.push(request);
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    try {
      const changes = await this.onExecute(request);
      return { ...executedReply(request), ...changes };
    } finally {
      this.inFlight -= 1;
    }
  }

  async grade(request: GradeRequest): Promise<GradeReply> {
    this.gradings.push(request);
    const changes = await this.onGrade(request);
    return { ...gradedReply(request), ...changes };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A completed execution that says what its surface says. */
export function executedReply(request: ExecuteRequest): ExecuteReply {
  return executeReplySchema.parse({
    protocol: 'receipt/1',
    kind: 'execute',
    cellKey: request.cellKey,
    attempt: request.attempt,
    experimentDigest: request.experimentDigest,
    inputDigest: digestOfValue(request.input),
    surfaceLoadedDigest: request.surface.digest,
    outcome: 'completed',
    artifact: {
      mediaType: 'text/plain',
      inline: request.surface.components['skill']?.text ?? '',
    },
    usage: { costUsd: 0.001, costKnown: true, costSource: 'declared' },
    timing: {
      startedAt: '2026-08-01T00:00:00.000Z',
      endedAt: '2026-08-01T00:00:00.005Z',
      activeMs: 5,
    },
  });
}

export function gradedReply(request: GradeRequest): GradeReply {
  return gradeReplySchema.parse({
    protocol: 'receipt/1',
    kind: 'grade',
    cellKey: request.cellKey,
    attempt: request.attempt,
    experimentDigest: request.experimentDigest,
    outcome: 'completed',
    scores: { right: request.artifact.inline === request.expected['says'] ? 1 : 0 },
    critical: [],
  });
}

/** An infrastructure fault as a reply's changes. */
export function faulted(code = 'network', retryAfterMs: number | null = null): object {
  return {
    outcome: 'infrastructureFault',
    artifact: null,
    fault: { code, phase: 'agent', retryAfterMs, detail: '' },
  };
}

export const quiet: AbortSignal = new AbortController().signal;
