/**
 * Gates in code: what the module of a custom gate exports, what it is given and what it answers. This is the entry point
 * `liftgate/gate`; it imports nothing, for a gate runs apart from the engine.
 *
 *     import { defineGate } from 'liftgate/gate';
 *     export default defineGate(({ measures, options }) => ({ decision: 'ship', reason: 'calm' }));
 */

/** One unit of a measure: means over its complete pairs, on the measure's own scale. */
export interface GateUnit {
  readonly unit: string;
  readonly baseline: number;
  readonly candidate: number;
  /** Mean improvement: candidate minus baseline with the direction applied; of durations and costs that of the logarithms. */
  readonly improvement: number;
  /** Complete pairs, 1 or more. */
  readonly pairs: number;
}

/** An interval of a measure's mean improvement by the sealed inference, on the scale of the units' improvements. */
export type GateInterval =
  | {
      readonly status: 'estimated';
      /** Coverage that was asked for; under several looks all of them have it together. */
      readonly level: number;
      readonly value: number;
      readonly lower: number;
      readonly upper: number;
      /** Method it was computed by, and what that promises. */
      readonly method: string;
      readonly guarantee: 'finite-sample' | 'asymptotic';
    }
  | {
      /** This evidence carries no interval: too little of it, or no spread. */
      readonly status: 'insufficient' | 'indeterminate';
      readonly level: number;
      readonly reason: string;
    };

/** A measure as a gate is given it. */
export interface GateMeasure {
  readonly kind: string;
  readonly role: string;
  readonly direction: 'higher' | 'lower';
  /** Declared range of its values; null when unbounded. */
  readonly range: { readonly lower: number; readonly upper: number } | null;
  /** Units with a value, 1 or more, in the sealed order. */
  readonly units: readonly GateUnit[];
  /** Pairs planned for it. */
  readonly plannedPairs: number;
  /** Values that are lost, by arm. */
  readonly lost: { readonly baseline: number; readonly candidate: number };
  /** The intervals that its spec asks for, in their order there; absent where it asks for none. */
  readonly intervals?: readonly GateInterval[];
}

/** What a gate is given: deeply frozen, and the same for the same evidence. */
export interface GateInput<Options = Readonly<Record<string, unknown>>> {
  readonly type: 'liftgate/gate-input/v1';
  /** Name of the gate. */
  readonly gate: string;
  readonly candidate: string;
  /** The sealed level, a probability such as 0.95; how a gate spends it is its own matter. */
  readonly level: number;
  /** The look it is asked at; null in a fixed design. */
  readonly look: { readonly number: number; readonly of: number } | null;
  /** Final units of the design, at a look those up to it. */
  readonly plannedUnits: number;
  /** The measures it declares, by id. */
  readonly measures: Readonly<Record<string, GateMeasure>>;
  /** Cells of each arm by how they ended: `completed`, `agentError`, `infrastructureFault`, `not-run`, ... */
  readonly cells: {
    readonly baseline: Readonly<Record<string, number>>;
    readonly candidate: Readonly<Record<string, number>>;
  };
  /** Its sealed options. */
  readonly options: Options;
}

/** What a gate answers, a plain object; numbers are finite, and those it does not have are left out or null. */
export interface GateAnswer {
  readonly decision: 'ship' | 'hold' | 'need_more_work' | 'model_ceiling' | 'arch_ceiling';
  /** One sentence of 1 to 500 characters. */
  readonly reason: string;
  /** What was estimated. */
  readonly value?: number | null;
  /** The bound of it that was held against the threshold. */
  readonly bound?: number | null;
  readonly threshold?: number | null;
  /** Units it rests on, at most those it was given. */
  readonly n?: number | null;
}

/** A gate as its module exports it. */
export interface DefinedGate<Options = Readonly<Record<string, unknown>>> {
  readonly type: 'liftgate/gate/v1';
  readonly decide: (input: GateInput<Options>) => GateAnswer;
}

/**
 * Defines a gate in code: the default export of the module that a spec names with `{gate: custom, module: ...}`.
 *
 * The function is asked about one candidate at a time, twice each, in processes without files, network modules, clock or chance. It
 * answers at once, not by a promise. Its answer can lower a decision and never raise it: `ship` only means that it does not object.
 *
 * @param decide  from the input alone to one of the five decisions
 * @returns       a frozen value for the engine
 * @throws {TypeError}  when `decide` is no function
 * @example defineGate(() => ({ decision: 'hold', reason: 'not on a Friday' })).decide({}).decision // => 'hold'
 */
export function defineGate<Options = Readonly<Record<string, unknown>>>(
  decide: (input: GateInput<Options>) => GateAnswer,
): DefinedGate<Options> {
  if (typeof decide !== 'function') throw new TypeError('defineGate takes a function');
  return Object.freeze({ type: 'liftgate/gate/v1', decide } as const);
}
