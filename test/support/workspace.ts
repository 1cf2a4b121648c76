/** Small generated experiments in folders of their own, run by `fixtures/hosts/small-host.mjs`. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, liftgate, linesOf, projectFolder } from './cli.ts';

/** Cases by id, or all of them. */
export type CaseList = true | readonly string[];

/** What the host does with a cell of one case. */
export type Behaviour =
  | 'die'
  | 'die-once'
  | 'hang'
  | 'garbage'
  | 'twice'
  | 'other-cell'
  | 'nan'
  | 'unknown-measure'
  | 'wait'
  | 'deaf';

/** A surface: the cases in which each measure is 1 (a measure not named is 0 everywhere), and what else the host does with it. */
export interface SmallSurface {
  readonly scores?: Readonly<Record<string, CaseList>>;
  readonly behave?: Readonly<Record<string, Behaviour>>;
  /** Active time in ms by case; 5 where none is given. */
  readonly took?: Readonly<Record<string, number>>;
  /** Cost of each execution in dollars, 0 unless given; null is unknown. */
  readonly usd?: number | null;
  /** What the artifact says beside its scores, by case. */
  readonly says?: Readonly<Record<string, string>>;
  /** Scores that differ from call to call: by cell key, by seed, or wrong from the second call for a case on. */
  readonly noise?: 'coin' | 'seed' | 'tires';
  /** Tokens of each execution, unknown unless given. */
  readonly tokens?: number | null;
}

/** A fault of the whole host. */
export type HostMode =
  | 'well'
  | 'missing'
  | 'always-pass'
  | 'always-fail'
  | 'agent-throws'
  | 'scorer-throws'
  | 'swallow';

export interface CaseRow {
  readonly id: string;
  readonly family: string;
  readonly split: 'train' | 'final';
  readonly text: string;
  /** Further fields that `where` conditions can read. */
  readonly [field: string]: unknown;
}

type Members = Readonly<Record<string, unknown>>;

export interface SmallOptions {
  readonly name?: string;
  readonly cases?: readonly CaseRow[];
  readonly baseline?: SmallSurface;
  readonly candidates?: Readonly<Record<string, SmallSurface>>;
  readonly placebo?: SmallSurface;
  readonly mode?: HostMode;
  readonly claim?: Members;
  readonly limits?: Members;
  readonly measures?: Members;
  /** Members of the spec that replace the ones written here. */
  readonly spec?: Members;
}

/** Final cases c1, c2, ... of one unit each, after two development cases. */
export function smallCases(units: number, prefix = 'c'): CaseRow[] {
  const row = (id: string, split: CaseRow['split']): CaseRow => ({
    id,
    family: `family-${id}`,
    split,
    text: `the text of ${id}`,
  });
  const final = Array.from({ length: units }, (_, index) => row(`${prefix}${index + 1}`, 'final'));
  return [row(`${prefix}-d1`, 'train'), row(`${prefix}-d2`, 'train'), ...final];
}

const controls = [
  { id: 'ceiling', surface: { skill: 'truth.json' }, expect: { right: { min: 1 } } },
  { id: 'floor', surface: { skill: 'empty.json' }, expect: { right: { max: 0 } } },
  { id: 'broken-agent', fault: 'agent-throw', expect: { class: 'agentError' } },
  { id: 'dead-host', fault: 'host-exit', expect: { class: 'infrastructureFault' } },
  { id: 'broken-scorer', fault: 'scorer-throw', expect: { class: 'evaluatorFailure' } },
];

/** Controls by id. */
export function chosenControls(...ids: string[]): readonly Members[] {
  return controls.filter((control) => ids.includes(control.id));
}

/** Right in every case. */
export const allRight: SmallSurface = { scores: { right: true } };

export const rightMeasure = { kind: 'binary', role: 'primary', direction: 'higher' };
export const liftGate = { gate: 'lift', measure: 'right', threshold: 0 };

function measuresOf({ measures = { right: rightMeasure } }: SmallOptions): Members {
  return measures;
}

/** Ids of measures a gate names, wherever it names them. */
function readBy(gate: Members): unknown[] {
  const probe = gate['probe'];
  const inside = typeof probe === 'object' && probe !== null ? Object.values(probe) : [];
  const objectives = gate['objectives'];
  const several = Array.isArray(objectives) ? objectives.flatMap(readBy) : [];
  return [gate['measure'], gate['proxy'], gate['truth'], ...inside, ...several];
}

/** Gated measures with a range besides `right`: controls must show that their scorer can tell values apart. */
function gatedBeside(options: SmallOptions): string[] {
  const gates = options.spec?.['gates'];
  const read = Array.isArray(gates) ? gates.flatMap(readBy) : [];
  return Object.entries(measuresOf(options)).flatMap(([id, measure]) => {
    const { kind } = measure as Members;
    const ranged = kind !== 'duration' && kind !== 'cost' && kind !== 'continuous';
    return id !== 'right' && ranged && read.includes(id) ? [id] : [];
  });
}

/** The usual controls; the ceiling scores 1 in every gated measure, the floor 0. */
function usualControls(options: SmallOptions): readonly Members[] {
  const beside = gatedBeside(options);
  const bounds = (bound: string, value: number): Members =>
    Object.fromEntries(beside.map((id) => [id, { [bound]: value }]));
  return controls.map((control) => {
    if (control.id === 'ceiling')
      return { ...control, expect: { ...control.expect, ...bounds('min', 1) } };
    if (control.id === 'floor')
      return { ...control, expect: { ...control.expect, ...bounds('max', 0) } };
    return control;
  });
}

/** A surface with a list for every declared measure. */
function fullSurface(options: SmallOptions, surface: SmallSurface): Members {
  const { scores = {}, behave = {}, ...spent } = surface;
  const scored = Object.entries(measuresOf(options)).filter(([, measure]) => !isTimed(measure));
  return {
    scores: Object.fromEntries(scored.map(([id]) => [id, scores[id] ?? []])),
    behave,
    ...spent,
  };
}

/** Whether nobody scores a measure: its value is the execution's time. */
function isTimed(measure: unknown): boolean {
  return typeof measure === 'object' && measure !== null && 'kind' in measure
    ? measure.kind === 'duration'
    : false;
}

function specOf(options: SmallOptions, candidates: readonly string[]): Members {
  const { name = 'small', mode = 'well', claim = {}, limits = {} } = options;
  const surface = (id: string): Members => ({ surface: { skill: `${id}.json` } });
  return {
    liftgate: 1,
    name,
    claim: {
      use: 'certification',
      decision: 'Use the new skill',
      population: { id: 'texts', description: 'All texts' },
      samplingFrame: 'generated texts',
      unit: 'family',
      generalization: 'new-units',
      ...claim,
    },
    cases: { file: 'cases.jsonl', id: 'id', input: ['text'] },
    splits: { by: 'field', field: 'split' },
    arms: {
      baseline: surface('baseline'),
      candidates: Object.fromEntries(candidates.map((id) => [id, surface(id)])),
      ...(options.placebo === undefined ? {} : { placebo: surface('placebo') }),
    },
    multiplicity: candidates.length > 1 ? 'holm' : 'none',
    host: { worker: ['node', 'host.mjs', mode], limits: { wallMs: 20_000, ...limits } },
    measures: measuresOf(options),
    controls: usualControls(options),
    gates: [liftGate],
    ...options.spec,
  };
}

/** An experiment folder in a workspace. */
export class SmallExperiment {
  readonly workspace: string;
  readonly name: string;
  readonly folder: string;

  constructor(workspace: string, options: SmallOptions = {}) {
    this.workspace = workspace;
    this.name = options.name ?? 'small';
    this.folder = join(workspace, this.name);
    mkdirSync(this.folder, { recursive: true });
    copyFileSync(
      join(projectFolder, 'test/fixtures/hosts/small-host.mjs'),
      join(this.folder, 'host.mjs'),
    );
    this.write(options);
  }

  /** Writes spec, cases and surfaces anew. */
  write(options: SmallOptions): void {
    const { cases = smallCases(8), baseline = {}, candidates = { new: allRight } } = options;
    const ids = Object.keys(candidates);
    this.writeJson('experiment.yaml', specOf({ name: this.name, ...options }, ids));
    this.writeText('cases.jsonl', cases.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const all = ['right', ...gatedBeside(options)].map((id) => [id, true] as const);
    const truth = { scores: Object.fromEntries(all) };
    const { placebo } = options;
    const neutral = placebo === undefined ? {} : { placebo };
    const surfaces = { ...candidates, ...neutral, baseline, truth, empty: {} };
    for (const [id, surface] of Object.entries(surfaces))
      this.writeJson(`${id}.json`, fullSurface(options, surface));
  }

  writeText(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  writeJson(name: string, value: unknown): void {
    this.writeText(name, `${JSON.stringify(value, null, 1)}\n`);
  }

  /** Text of a file, empty when it does not exist. */
  text(name: string): string {
    const path = join(this.folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  /** `liftgate COMMAND NAME ...` in the workspace. */
  call(command: string, ...words: string[]): Promise<Ended> {
    return liftgate(this.workspace, command, this.name, ...words);
  }

  /** `liftgate run NAME --seal --out NAME/run ...`. */
  run(...words: string[]): Promise<Ended> {
    return this.call('run', '--seal', '--out', `${this.name}/run`, ...words);
  }

  verify(...words: string[]): Promise<Ended> {
    return liftgate(this.workspace, 'verify', `${this.name}/run`, ...words);
  }

  /** Kinds of the ledger's entries in order, from `liftgate ledger list`. */
  async ledgerKinds(): Promise<string[]> {
    const { stdout } = await liftgate(this.workspace, 'ledger', 'list');
    return linesOf(stdout)
      .slice(1)
      .map((line) => line.split(/ +/)[1] ?? '');
  }

  /** Case ids of every execution on final cases, in the order the host saw them, with the key of each attempt. */
  executions(): { readonly cellKey: string; readonly caseId: string }[] {
    return linesOf(this.text('executed.log')).map((line) => {
      const [cellKey = '', caseId = ''] = line.split(' ');
      return { cellKey, caseId };
    });
  }

  /** Processes the host was started as. */
  hostPids(): number[] {
    return linesOf(this.text('pids.log')).map(Number);
  }
}
