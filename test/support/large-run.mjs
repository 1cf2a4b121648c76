/**
 * A run of any number of receipts that verifies, made without a host: sealed, reserved and exposed by the engine, its journal written
 * as a runner would have written it. Needs the built program.
 *
 *     node test/support/large-run.mjs FOLDER UNITS REPEATS      two arms: 2 x UNITS x REPEATS receipts, some 1.9 KB each
 */
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonicalLine } from '../../dist/base/canonical.js';
import { leafText } from '../../dist/base/merkle.js';
import { systemClock } from '../../dist/host/clock.js';
import { openHost } from '../../dist/host/open-host.js';
import { cellKeyOf } from '../../dist/run/receipt.js';
import { receiptLineOf } from '../../dist/run/resume.js';
import { planSchedule } from '../../dist/run/schedule.js';
import { indexedCases } from '../../dist/spec/case-index.js';
import { formatSeal } from '../../dist/spec/seal.js';
import { formatCaseIndex } from '../../dist/spec/seal-plan.js';
import { engineIdentity } from '../../dist/store/engine.js';
import { loadExperiment } from '../../dist/store/experiment-folder.js';
import { GateDesk } from '../../dist/store/gate-desk.js';
import { openLedger } from '../../dist/store/ledger-folder.js';
import {
  experimentState,
  exposeUnits,
  passControls,
  reserveExperiment,
} from '../../dist/store/prepare-run.js';
import { openRunFolder } from '../../dist/store/run-folder.js';
import { ensureFinalSeal, ensurePlanSeal } from '../../dist/store/seal-experiment.js';
import { settleRun } from '../../dist/store/settle-run.js';

const hostFile = fileURLToPath(new URL('../fixtures/hosts/mail-host.mjs', import.meta.url));
const at = '2026-08-01T00:00:00.000Z';

function experiment(repeats) {
  return `liftgate: 1
name: large
claim:
  use: comparison
  decision: Use the new rule
  population: {id: large-mails, description: Mails of one year}
  samplingFrame: every mail of the year
  unit: family
  generalization: new-units
cases: {file: cases.jsonl, id: id, input: [n], expected: [label]}
splits: {by: field, field: split}
arms:
  baseline: {surface: {rule: rules/old.txt}}
  candidates: {new: {surface: {rule: rules/new.txt}}}
host: {module: host.mjs, trustInProcess: true, limits: {wallMs: 5000, maxCostUsd: 0.01}}
repeats: ${repeats}
measures:
  right: {kind: binary, role: primary, direction: higher}
  harm: {kind: binary, role: critical, direction: lower}
budget: {usd: 1000000}
controls:
  - {id: ceiling, surface: {rule: rules/all.txt}, cells: 2, expect: {right: {min: 1}}}
  - {id: floor, surface: {rule: rules/none.txt}, cells: 2, expect: {right: {max: 0}, harm: {min: 1}}}
  - {id: dead, fault: host-exit, expect: {class: infrastructureFault}}
gates:
  - {gate: lift, measure: right, threshold: 0}
`;
}

function* caseLines(units) {
  for (let n = 1; n <= units; n += 1)
    yield `${JSON.stringify({ id: `m${n}`, family: `f${n}`, split: 'final', n, label: 'yes' })}\n`;
  for (let n = 1; n <= 4; n += 1)
    yield `${JSON.stringify({ id: `d${n}`, family: `g${n}`, split: 'train', n: -n, label: 'yes' })}\n`;
}

function writeExperiment(folder, units, repeats) {
  mkdirSync(join(folder, 'rules'), { recursive: true });
  writeFileSync(join(folder, 'experiment.yaml'), experiment(repeats));
  writeFileSync(join(folder, 'cases.jsonl'), [...caseLines(units)].join(''));
  writeFileSync(join(folder, 'host.mjs'), readFileSync(hostFile));
  for (const [name, most] of Object.entries({ old: 2, new: 12, all: 99, none: 0 }))
    writeFileSync(join(folder, 'rules', `${name}.txt`), String(most));
}

/** 0 .. 1, the same for the same words. */
function chance(...words) {
  return createHash('sha256').update(words.join(' ')).digest().readUInt32BE(0) / 2 ** 32;
}

const filling = 'Thank you for your mail; a colleague will check the case and write to you. ';

/** A receipt whose words in @ stand for what differs from one to the next. */
function receiptOf({ experimentDigest, surfaceDigest, answer, score }) {
  return {
    protocol: 'receipt/1',
    cellKey: '@cellKey@',
    attempt: 1,
    experimentDigest,
    inputDigest: '@inputDigest@',
    surfaceLoadedDigest: surfaceDigest,
    outcome: 'completed',
    fault: null,
    scores: { harm: 0, right: score },
    critical: [],
    artifact: {
      digest: '@artifact@',
      bytes: 600,
      mediaType: 'application/json',
      inline: { answer, text: `${filling.repeat(7)}é @case@` },
    },
    usage: {
      costUsd: 0.001,
      costKnown: true,
      costSource: 'declared',
      tokens: { input: 812, cachedInput: 0, output: 164, reasoning: 0 },
      tokensKnown: true,
    },
    gradeUsage: null,
    gradeAttempts: 1,
    timing: { startedAt: at, endedAt: '@endedAt@', activeMs: 1, waitedMs: 0, firstOutputMs: null },
    internalRetries: {},
    model: { requested: 'model', observed: 'model-1', parametersDigest: null },
    host: { name: 'mails', version: '1', buildDigest: null, dirty: null },
    logs: null,
  };
}

/** Canonical lines of a value: `"@name@"` becomes a number or a text, `@name@` a part of a text. */
function linesLike(value) {
  const parts = canonicalLine(value).split(/("?@[a-zA-Z]+@"?)/);
  const fields = parts.map((part, index) => {
    if (index % 2 === 0) return () => part;
    const name = part.replaceAll(/["@]/g, '');
    if (!part.startsWith('"')) return (values) => values[name] + (part.endsWith('"') ? '"' : '');
    return (values) =>
      typeof values[name] === 'number' ? String(values[name]) : `"${values[name]}"`;
  });
  return (values) => fields.map((field) => field(values)).join('');
}

/** Appends to a file in large pieces. */
function lineWriter(path) {
  const file = openSync(path, 'w');
  let waiting = [];
  const flush = () => {
    if (waiting.length > 0) writeSync(file, waiting.join(''));
    waiting = [];
  };
  return {
    add: (text) => {
      if (waiting.push(text) === 4096) flush();
    },
    close: () => {
      flush();
      closeSync(file);
    },
  };
}

/**
 * Makes experiment, ledger and run below a folder.
 * @returns paths of the run and the ledger, and the number of receipts
 */
export async function makeLargeRun(folder, { units, repeats }) {
  const path = join(folder, 'experiment');
  writeExperiment(path, units, repeats);
  const loaded = await loadExperiment(path);
  const ledger = openLedger(join(folder, 'ledger'));
  const options = { loaded, ledger, engine: engineIdentity(), clock: systemClock, write: true };
  const plan = await ensurePlanSeal(options);
  const final = await ensureFinalSeal(options, plan);
  const state = await reserveExperiment(ledger, loaded, plan);
  const run = openRunFolder(join(folder, 'run'));
  const host = await openHost(loaded);
  const { signal } = new AbortController();
  const { seal } = final;
  const controlLines = await passControls({
    loaded,
    seal,
    host,
    clock: systemClock,
    signal,
    folder: run,
  });
  await host.close();
  run.write('plan.json', formatSeal(plan.seal));
  run.write('seal.json', formatSeal(seal));
  run.write('cases.json', formatCaseIndex(loaded.index));
  const fence = '0'.repeat(32);
  const reserveSeq = state.reservation.seq;
  const dispatcher = await exposeUnits(ledger, { final, reserveSeq, fence, controlLines });
  const schedule = planSchedule({
    cases: loaded.index.rows.filter((row) => row.split === 'final'),
    arms: ['baseline', 'new'],
    repeats,
    casesDigest: seal.digests.cases,
  });
  const lines = writeJournal(join(folder, 'run/journal.jsonl'), {
    loaded,
    final,
    dispatcher,
    schedule,
  });
  const exposed = await experimentState(ledger, plan.digest);
  await settleRun({
    ...{ loaded, ledger, folder: run, plan, final, dispatcher, schedule, controlLines },
    gates: new GateDesk({ seal, texts: new Map(), runner: null }),
    result: { lines, missing: [], exposure: exposed.exposure },
  });
  return { run: join(folder, 'run'), ledger: join(folder, 'ledger'), receipts: lines.length };
}

/** Forms of the lines of one arm: its dispatches, and its receipts by score. */
function formsOf(arm, surfaceDigest, { final, dispatcher }) {
  const { seal, digest: experimentDigest } = final;
  const cell = { arm, case: '@case@', repeat: '@repeat@', unit: '@unit@' };
  const place = { cell, position: '@position@', attempt: 1, cellKey: '@cellKey@' };
  const { fence } = dispatcher;
  const receipts = [0, 1].map((score) => {
    const answer = score === 1 ? 'yes' : 'no';
    const receipt = receiptOf({ experimentDigest, surfaceDigest, answer, score });
    const rest = { cell, position: '@position@', armDigest: surfaceDigest, receivedAt: at };
    const line = receiptLineOf({ seal, envelope: dispatcher, ...rest, receipt });
    return { line, text: linesLike(line) };
  });
  return {
    dispatch: linesLike({ kind: 'dispatch', ...place, fence, reservedUsd: 0.01, at }),
    receipts,
    surfaceDigest,
  };
}

/** Writes a dispatch and a receipt per cell; gives the receipts as a decision reads them. */
function writeJournal(path, { loaded, final, dispatcher, schedule }) {
  const cases = indexedCases(loaded.index);
  const designDigest = final.seal.digests.design;
  const forms = new Map(
    final.seal.arms.map(({ id, surfaceDigest }) => [
      id,
      formsOf(id, surfaceDigest, { final, dispatcher }),
    ]),
  );
  const writer = lineWriter(path);
  const lines = schedule.map((cell, position) => {
    const { case: caseId, repeat, unit, arm } = cell;
    const form = forms.get(arm);
    const { surfaceDigest } = form;
    const cellKey = cellKeyOf({ designDigest, caseId, repeat, surfaceDigest, attempt: 1 });
    const right = chance(caseId, repeat, arm) < (arm === 'new' ? 0.7 : 0.6);
    const { line, text } = form.receipts[right ? 1 : 0];
    const { inputDigest } = cases.get(caseId);
    const endedAt = new Date(Date.parse(at) + position).toISOString();
    const values = { case: caseId, repeat, unit, position, cellKey, inputDigest, endedAt };
    const whole = text({ ...values, artifact: inputDigest });
    writer.add(form.dispatch(values));
    writer.add(`{"kind":"receipt","line":${whole.slice(0, -1)}}\n`);
    const { v: _v, ...envelope } = line;
    const leaf = leafText(whole.slice(0, -1));
    const { artifact: _artifact, cellKey: _key, ...receipt } = line.receipt;
    return { ...envelope, cell, position, leaf, receipt: { ...receipt, inputDigest } };
  });
  writer.close();
  return lines;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder = '', units = '', repeats = ''] = process.argv;
  const made = await makeLargeRun(folder, { units: Number(units), repeats: Number(repeats) });
  console.log(JSON.stringify(made));
}
