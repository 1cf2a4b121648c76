/** Receipt lines of evidence tables: what an attempt gave, in few words. */
import { canonicalText, type Json } from '../../src/base/canonical.ts';
import { type Digest, digestOf, digestOfValue } from '../../src/base/digest.ts';
import { cellKeyOf, type ReceiptLine, receiptLineSchema } from '../../src/run/receipt.ts';
import type { OutcomeClass } from '../../src/spec/spec.ts';

/** What one attempt gave: scores and class; a bare number scores the measure `right`. */
export interface Attempt {
  readonly outcome?: OutcomeClass;
  readonly scores?: Readonly<Record<string, number | null>>;
  readonly critical?: readonly string[] | null;
  /** Members that replace those of a usage of one known cent without tokens. */
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly gradeUsage?: Readonly<Record<string, unknown>>;
  /** The artifact, none unless given. */
  readonly output?: Json;
  /** Members that replace those of a timing of one second by position. */
  readonly timing?: Readonly<Record<string, unknown>>;
  readonly receivedAt?: string;
}

/** One cell: its score of `right`, one attempt, several attempts, the class of one fault, or null when it never ran. */
export type CellTable = number | Attempt | readonly Attempt[] | OutcomeClass | null;

/** Digests that every line of a table shares. */
export const designDigest = digestOf('design of the tables');
export const evaluatorTree = digestOf('evaluator');

/** Attempts of a cell. */
export function attemptsOf(cell: CellTable): readonly Attempt[] {
  if (cell === null) return [];
  if (typeof cell === 'number') return [{ scores: { right: cell } }];
  if (typeof cell === 'string') return [{ outcome: cell }];
  return isList(cell) ? cell : [cell];
}

function isList(cell: Attempt | readonly Attempt[]): cell is readonly Attempt[] {
  return Array.isArray(cell);
}

/** Where a line belongs. */
export interface LinePlace {
  readonly unit: string;
  readonly case: string;
  readonly arm: string;
  readonly repeat: number;
  readonly position: number;
  readonly surface: Digest;
}

function artifactOf(output: Json | undefined) {
  if (output === undefined) return null;
  const bytes = canonicalText(output).length;
  return { digest: digestOfValue(output), bytes, mediaType: 'application/json', inline: output };
}

/** The receipt line of one attempt. */
export function lineOf(place: LinePlace, attempt: Attempt, number: number): ReceiptLine {
  const outcome = attempt.outcome ?? 'completed';
  const graded = outcome === 'completed' || outcome === 'safeRefusal';
  const { unit, case: caseId, arm, repeat, surface } = place;
  const cellKey = cellKeyOf({
    designDigest,
    caseId,
    repeat,
    surfaceDigest: surface,
    attempt: number,
  });
  const [minute, second] = [Math.floor(place.position / 60), place.position % 60].map((each) =>
    String(each % 60).padStart(2, '0'),
  );
  const hour = String(Math.floor(place.position / 3600)).padStart(2, '0');
  const at = `2026-08-01T${hour}:${minute}:${second}.000Z`;
  return receiptLineSchema.parse({
    v: 1,
    ledger: null,
    expose: null,
    fence: null,
    cell: { unit, case: caseId, arm, repeat },
    position: place.position,
    armDigest: surface,
    evaluatorTree,
    receivedAt: attempt.receivedAt ?? at,
    receipt: {
      protocol: 'receipt/1',
      cellKey,
      attempt: number,
      experimentDigest: digestOf('seal'),
      inputDigest: digestOf(`input ${caseId}`),
      surfaceLoadedDigest: surface,
      outcome,
      fault: null,
      scores: attempt.scores ?? {},
      critical:
        attempt.critical === undefined
          ? graded
            ? []
            : null
          : (attempt.critical?.map((id) => ({ id })) ?? null),
      artifact: artifactOf(attempt.output),
      usage: { costUsd: 0.01, costKnown: true, ...attempt.usage },
      gradeUsage: attempt.gradeUsage ?? null,
      gradeAttempts: graded && attempt.scores !== undefined ? 1 : 0,
      timing: { startedAt: at, endedAt: at, activeMs: 1, ...attempt.timing },
      internalRetries: {},
      model: null,
      host: { name: 'table', version: '1' },
      logs: null,
    },
  });
}
