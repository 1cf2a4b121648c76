/** A small experiment folder and its runs in process: 12 final mails, 4 of development, two candidates, four controls. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gateRunner } from '../../src/host/gate-runner.ts';
import { openHost } from '../../src/host/open-host.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import type { Host } from '../../src/run/host.ts';
import type { EngineIdentity } from '../../src/spec/seal.ts';
import { engineIdentity } from '../../src/store/engine.ts';
import { type LoadedExperiment, loadExperiment } from '../../src/store/experiment-folder.ts';
import { type RunOptions, type RunResult, runToDecision } from '../../src/store/run-experiment.ts';
import { openRunFolder, type RunFolder, readRunFiles } from '../../src/store/run-folder.ts';
import { ledgerView } from '../../src/verify/reading.ts';
import type { LedgerView } from '../../src/verify/verify.ts';
import { StillClock } from '../run/desk.ts';
import { wholeFiles } from './forgery.ts';

export const mailsExperiment = `liftgate: 1
name: mails
claim:
  use: comparison
  decision: Use the new rule
  population: {id: mails, description: Mails of one week}
  samplingFrame: every mail of the week
  unit: family
  generalization: new-units
  minimumEffect: 0.1
cases: {file: cases.jsonl, id: id, expected: [label]}
splits: {by: field, field: split}
arms:
  baseline: {surface: {rule: rules/old.txt}}
  candidates:
    new: {surface: {rule: rules/new.txt}}
    same: {surface: {rule: rules/same.txt}}
host:
  module: host.mjs
  trustInProcess: true
  concurrency: 1
  limits: {wallMs: 5000, maxCostUsd: 0.01}
measures:
  right: {kind: binary, role: primary, direction: higher}
  harm: {kind: binary, role: critical, direction: lower}
budget: {usd: 5}
controls:
  - {id: ceiling, surface: {rule: rules/all.txt}, cells: 2, expect: {right: {min: 1}}}
  - {id: floor, surface: {rule: rules/none.txt}, cells: 2, expect: {right: {max: 0}, harm: {min: 1}}}
  - {id: dead, fault: host-exit, expect: {class: infrastructureFault}}
  - {id: scorer, fault: scorer-throw, expect: {class: evaluatorFailure}}
gates:
  - {gate: lift, measure: right, threshold: 0}
`;

function mailLine(n: number): string {
  const split = n > 12 ? 'train' : 'final';
  const flaky = n === 5 ? { flaky: true } : {};
  return `${JSON.stringify({ id: `m${n}`, family: `f${n}`, split, n, ...flaky, label: 'yes' })}\n`;
}

const hostSource = new URL('../fixtures/hosts/mail-host.mjs', import.meta.url);

/** Files of the experiment folder by path. */
export function mailsFiles(): Record<string, string> {
  return {
    'experiment.yaml': mailsExperiment,
    'cases.jsonl': Array.from({ length: 16 }, (_, at) => mailLine(at + 1)).join(''),
    'host.mjs': readFileSync(hostSource, 'utf8'),
    'rules/old.txt': '2',
    'rules/new.txt': '12',
    'rules/same.txt': '3',
    'rules/all.txt': '99',
    'rules/none.txt': '0',
  };
}

/** Writes files below a folder; null removes one. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | null>>): void {
  for (const [path, text] of Object.entries(files)) {
    const full = join(folder, path);
    mkdirSync(dirname(full), { recursive: true });
    if (text === null) rmSync(full);
    else writeFileSync(full, text);
  }
}

/** Writes the experiment with some files replaced and loads it. */
export function mailsIn(
  folder: string,
  changes: Readonly<Record<string, string | null>> = {},
): Promise<LoadedExperiment> {
  writeFiles(folder, { ...mailsFiles(), ...changes });
  return loadExperiment(folder);
}

let identity: EngineIdentity | undefined;

/** Identity of the engine, read once. */
export function engine(): EngineIdentity {
  identity ??= engineIdentity();
  return identity;
}

/** Ports of a run that repeats byte for byte: a clock that stands still and counted fences. */
export function runPorts(
  loaded: LoadedExperiment,
  ledger: Ledger,
  changes: Partial<RunOptions> = {},
): RunOptions {
  let fences = 0;
  return {
    loaded,
    ledger,
    engine: engine(),
    clock: new StillClock(),
    signal: new AbortController().signal,
    write: true,
    openHost: () => openHost(loaded),
    gateRunner: gateRunner(),
    folderPath: () => join(loaded.folder, 'run'),
    openFolder: openRunFolder,
    fence: () => {
      fences += 1;
      return String(fences).padStart(32, '0');
    },
    ...changes,
  };
}

/** A settled run as verification reads it. */
export interface SettledRun {
  readonly loaded: LoadedExperiment;
  readonly ledger: Ledger;
  readonly folder: string;
  readonly files: Map<string, Uint8Array>;
  readonly view: LedgerView;
  readonly result: Extract<RunResult, { status: 'decided' }>;
}

export interface SettleOptions {
  readonly folder: string;
  readonly files?: Readonly<Record<string, string | null>>;
  readonly ledger?: Ledger;
  readonly ports?: Partial<RunOptions>;
}

/** Result of a run that must have been decided. */
export function decided(result: RunResult): SettledRun['result'] {
  if (result.status !== 'decided') throw new Error(`the run ended as ${result.status}`);
  return result;
}

/** Runs the experiment to its recorded outcome. */
export async function settledRun(options: SettleOptions): Promise<SettledRun> {
  const loaded = await mailsIn(options.folder, options.files);
  const ledger = options.ledger ?? memoryLedger();
  const result = decided(await runToDecision(runPorts(loaded, ledger, options.ports)));
  const files = wholeFiles(readRunFiles(result.folder));
  return {
    loaded,
    ledger,
    folder: result.folder,
    files,
    view: await ledgerView(ledger),
    result,
  };
}

/** A host that tells of every request before it answers. */
export function watchedHost(host: Host, seen: (cellKey: string) => void): Host {
  return {
    adapter: host.adapter,
    hello: () => host.hello(),
    execute: (request, call) => {
      seen(request.cellKey);
      return host.execute(request, call);
    },
    grade: (request, call) => host.grade(request, call),
    close: () => host.close(),
  };
}

/** A run folder in memory that lives as long as the object: what was written stays when a run dies. */
export function memoryFolder(path = 'memory'): RunFolder {
  const files = new Map<string, Uint8Array>();
  const encode = (bytes: Uint8Array | string): Uint8Array =>
    typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes.slice();
  return {
    path,
    read: (name) => files.get(name) ?? null,
    write: (name, bytes) => {
      files.set(name, encode(bytes));
    },
    openLog: (name, keep) => {
      files.set(name, (files.get(name) ?? new Uint8Array()).slice(0, keep));
      return {
        append: (line) => {
          const before = files.get(name) ?? new Uint8Array();
          files.set(name, new Uint8Array(Buffer.concat([before, encode(line)])));
          return Promise.resolve();
        },
        close: () => Promise.resolve(),
      };
    },
    files: () => new Map(files),
    lock: () => () => undefined,
  };
}
