/** Sealed evidence from compact tables: a minimal final seal, its case index and one receipt per attempt. */

import type { Evidence } from '../../src/analysis/evidence.ts';
import { type Digest, digestOf } from '../../src/base/digest.ts';
import type { GateReplies } from '../../src/run/gate-reply.ts';
import type { ArmProvenance } from '../../src/run/provenance.ts';
import type { ControlResult, ReceiptLine } from '../../src/run/receipt.ts';
import { cellId, planSchedule } from '../../src/run/schedule.ts';
import type { Amendment } from '../../src/spec/amendment.ts';
import { type CaseIndex, caseIndexSchema, finalCases } from '../../src/spec/case-index.ts';
import { resolvedMethods, sealedLooks } from '../../src/spec/design.ts';
import { autoTableVersion, bettingTruncation } from '../../src/spec/inference.ts';
import { type SealedExperiment, sealSchema, sealType } from '../../src/spec/seal.ts';
import { seedLabels, seedRule } from '../../src/spec/seeds.ts';
import { armIds, type ExperimentSpec, specSchema } from '../../src/spec/spec.ts';
import { sketchOf } from '../../src/spec/units.ts';
import {
  type Attempt,
  attemptsOf,
  type CellTable,
  designDigest,
  evaluatorTree,
  lineOf,
} from './evidence-lines.ts';

export type { Attempt, CellTable };

export interface CaseTable {
  readonly id: string;
  readonly unit: string;
  readonly split?: 'train' | 'selection' | 'final';
  readonly applies?: readonly string[];
  /** Text of the input that a sketch is made of; no sketch without it. */
  readonly text?: string;
  /** Cells by arm; an array of cells under an arm is one cell per repeat. */
  readonly cells: Readonly<Record<string, CellTable | { readonly repeats: readonly CellTable[] }>>;
}

export interface EvidenceTable {
  readonly cases: readonly CaseTable[];
  readonly candidates?: readonly string[];
  /** Whether there is a placebo arm, called `placebo`. */
  readonly placebo?: boolean;
  readonly repeats?: number;
  readonly measures?: Readonly<Record<string, unknown>>;
  readonly gates?: readonly unknown[];
  readonly claim?: Readonly<Record<string, unknown>>;
  readonly inference?: Readonly<Record<string, unknown>>;
  readonly multiplicity?: unknown;
  readonly stopping?: unknown;
  readonly maxLostShare?: number;
  readonly attempts?: number;
  readonly budgetUsd?: number;
  readonly controls?: readonly ControlResult[] | null;
  readonly controlLines?: readonly ReceiptLine[] | null;
  readonly declaredControls?: readonly string[];
  readonly audits?: readonly unknown[];
  readonly concurrency?: number;
  readonly confirmatory?: boolean;
  readonly amendments?: readonly Amendment[];
  /** What custom gates said. */
  readonly replies?: GateReplies;
  readonly provenance?: readonly ArmProvenance[];
  readonly excluded?: readonly string[];
  readonly surfaces?: Readonly<Record<string, string>>;
}

const always = [{ gate: 'completeness' }, { gate: 'controls' }, { gate: 'provenance' }];

/** One binary primary measure. */
export const rightMeasure = { kind: 'binary', role: 'primary', direction: 'higher' } as const;

function specOf(table: EvidenceTable): ExperimentSpec {
  const candidates = table.candidates ?? ['next'];
  const arm = (id: string) => ({ surface: { skill: `${id}.yaml` } });
  return specSchema.parse({
    liftgate: 1,
    name: 'tables',
    claim: {
      use: 'certification',
      decision: 'Replace the skill',
      population: { id: 'tables', description: 'Units of a table' },
      samplingFrame: 'as written',
      unit: 'unit',
      generalization: 'new-units',
      ...table.claim,
    },
    cases: { files: [{ path: 'cases.jsonl' }], id: 'id' },
    splits: { by: 'field', field: 'split' },
    admission: [...new Set(table.excluded ?? [])].map((id) => ({
      id,
      keep: { field: id, op: 'ne', value: null },
    })),
    arms: {
      baseline: arm('baseline'),
      candidates: Object.fromEntries(candidates.map((id) => [id, arm(id)])),
      ...(table.placebo === true ? { placebo: arm('placebo') } : {}),
    },
    multiplicity: table.multiplicity ?? (candidates.length > 1 ? 'holm' : 'none'),
    host: {
      worker: ['node', 'host.mjs'],
      limits: { maxCostUsd: 0.05 },
      concurrency: table.concurrency ?? 1,
    },
    repeats: table.repeats ?? 1,
    measures: table.measures ?? { right: rightMeasure },
    inference: { resamples: 1000, ...table.inference },
    ...(table.stopping === undefined ? {} : { stopping: table.stopping }),
    loss: { maxLostShare: table.maxLostShare ?? 0 },
    attempts: { max: table.attempts ?? 3 },
    controls: (table.declaredControls ?? ['dead-host']).map((id) => ({
      id,
      fault: 'host-exit',
      expect: { class: 'infrastructureFault' },
    })),
    gates: [...(table.gates ?? [{ gate: 'lift', measure: 'right' }]), ...always],
  });
}

function indexOf(table: EvidenceTable, spec: ExperimentSpec): CaseIndex {
  const excluded = table.excluded ?? [];
  return caseIndexSchema.parse({
    type: 'liftgate/cases/v1',
    rules: spec.admission.map((rule) => rule.id),
    rows: [
      ...excluded.map((rule, at) => ({ row: at + 1, excluded: rule })),
      ...table.cases.map((each, at) => ({
        row: excluded.length + at + 1,
        id: each.id,
        unit: each.unit,
        split: each.split ?? 'final',
        excluded: null,
        applies: each.applies ?? Object.keys(spec.measures),
        inputDigest: digestOf(`input ${each.id}`),
        expectedDigest: digestOf(`expected ${each.id}`),
        ...(each.text === undefined ? {} : { sketch: sketchOf({ text: each.text }) }),
      })),
    ],
  });
}

/** Cases digest of every table: fixed, so that seeds and unit order depend on unit ids alone. */
export const casesDigest = digestOf('cases of the tables');
function surfaceOf(table: EvidenceTable, arm: string): Digest {
  return digestOf(table.surfaces?.[arm] ?? `surface ${arm}`);
}

function sealOf(table: EvidenceTable, spec: ExperimentSpec, index: CaseIndex): SealedExperiment {
  const { level } = spec.inference;
  const looks = sealedLooks(spec, index);
  const root = digestOf('set');
  const tree = { materials: [], tree: digestOf('tree') };
  const roles = { baseline: 'baseline', placebo: 'placebo' } as const;
  return sealSchema.parse({
    type: sealType,
    experimentId: spec.name,
    stage: 'final',
    plan: digestOf('plan'),
    previous: null,
    amendments: table.amendments ?? [],
    spec,
    specSource: { path: 'experiment.yaml', size: 1, sha256: '0'.repeat(64) },
    claim: { ...spec.claim, direction: 'higher' },
    units: {
      count: 1,
      root,
      object: root,
      family: 'tables',
      skeletonVersion: 's',
      fingerprintVersion: 'f',
    },
    development: null,
    arms: armIds(spec).map((id) => ({
      id,
      role: id === 'baseline' || id === 'placebo' ? roles[id] : 'candidate',
      ...tree,
      surfaceDigest: surfaceOf(table, id),
      pins: { model: null, packages: [] },
      boundAt: id === 'baseline' || id === 'placebo' ? 'plan' : 'final',
    })),
    evaluator: {
      materials: [],
      tree: evaluatorTree,
      judges: [],
      scoreScale: 'declared',
      ...(table.audits === undefined ? {} : { audits: table.audits }),
    },
    controls: [],
    dataset: { ...tree, cases: { count: index.rows.length, root, object: root } },
    cells: { replicates: spec.repeats, plannedCount: 0, planObject: root, orderSeedRule: 'rule' },
    analysis: {
      estimand: 'mean improvement',
      level,
      errorLevels: {
        lift: Number(((1 - level) / 2).toPrecision(12)),
        rate: Number((1 - level).toPrecision(12)),
      },
      alphaNano: 0,
      autoTable: autoTableVersion,
      ...(looks === null ? {} : { looks }),
      methods: resolvedMethods(spec, index),
      bettingTruncation,
      resamples: spec.inference.resamples,
      missingData: 'rule',
    },
    decision: { gates: spec.gates, multiplicity: spec.multiplicity, ties: 'code units' },
    limits: {
      maxAttempts: spec.attempts.max,
      budget: { usd: table.budgetUsd ?? null, wallMinutes: null },
      deadline: null,
    },
    disclosure: 'per-unit',
    digests: { design: designDigest, cases: casesDigest },
    seeds: { rule: seedRule, labels: [...seedLabels] },
    engine: {
      name: 'liftgate',
      version: '0',
      build: root,
      statistics: {},
      rng: { algorithm: 'a', version: '1' },
      nodeMajor: 20,
      unicode: '15',
    },
    host: { adapter: 'worker', version: null, receiptKeys: [] },
    unpinned: [],
  });
}

function repeatsOf(
  cell: CellTable | { readonly repeats: readonly CellTable[] } | undefined,
  repeats: number,
): readonly CellTable[] {
  if (cell !== null && typeof cell === 'object' && 'repeats' in cell) return cell.repeats;
  return Array.from({ length: repeats }, () => cell ?? null);
}

function linesOf(table: EvidenceTable, seal: SealedExperiment, index: CaseIndex): ReceiptLine[] {
  const lines: ReceiptLine[] = [];
  const positions = new Map(
    planSchedule({
      cases: finalCases(index),
      arms: armIds(seal.spec),
      repeats: seal.spec.repeats,
      casesDigest: seal.digests.cases,
    }).map((cell, position) => [cellId(cell), position]),
  );
  for (const each of table.cases) {
    if ((each.split ?? 'final') !== 'final') continue;
    for (const arm of seal.arms.map(({ id }) => id)) {
      repeatsOf(each.cells[arm], table.repeats ?? 1).forEach((cell, repeat) => {
        const surface = surfaceOf(table, arm);
        const position = positions.get(cellId({ unit: '', case: each.id, arm, repeat })) ?? 0;
        const place = { unit: each.unit, case: each.id, arm, repeat, position, surface };
        attemptsOf(cell).forEach((attempt, at) => {
          lines.push(lineOf(place, attempt, at + 1));
        });
      });
    }
  }
  return lines;
}

/** Result of a control that was classified as declared. */
export function passedControl(id: string): ControlResult {
  return { id, passed: true, reason: 'as declared', cells: 1, classes: {}, means: {} };
}

/** Evidence of a table; what is left out is a sound certification run of one candidate `next`. */
export function evidenceOf(
  table: EvidenceTable,
): Evidence & { readonly lines: readonly ReceiptLine[] } {
  const spec = specOf(table);
  const index = indexOf(table, spec);
  const seal = sealOf(table, spec, index);
  const declared = table.declaredControls ?? ['dead-host'];
  return {
    seal,
    index,
    lines: linesOf(table, seal, index),
    controls: table.controls === undefined ? declared.map(passedControl) : table.controls,
    controlLines: table.controlLines === undefined ? [] : table.controlLines,
    confirmatory: table.confirmatory ?? true,
    ...(table.replies === undefined ? {} : { replies: table.replies }),
    provenance:
      table.provenance ??
      seal.arms.map(({ id }) => ({ arm: id, consistency: 'consistent', reasons: [] })),
  };
}

/** Units of one binary pair each, `u001`, `u002`, ...: gains first, then losses, then tied passes and tied failures. */
export function binaryCases(counts: {
  readonly gains?: number;
  readonly losses?: number;
  readonly both?: number;
  readonly neither?: number;
}): CaseTable[] {
  const kinds: readonly (readonly [number, number, number])[] = [
    [counts.gains ?? 0, 0, 1],
    [counts.losses ?? 0, 1, 0],
    [counts.both ?? 0, 1, 1],
    [counts.neither ?? 0, 0, 0],
  ];
  const pairs = kinds.flatMap(([count, baseline, next]) =>
    Array.from({ length: count }, () => ({ baseline, next })),
  );
  return pairs.map((cells, at) => {
    const id = `u${String(at + 1).padStart(3, '0')}`;
    return { id, unit: id, cells };
  });
}
