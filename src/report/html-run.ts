/** The part of the HTML report about the run as a whole: sizes, latency, cost, faults, provenance, what cannot be checked. */
import { shownNumber } from '../gate/gate.ts';
import { funnelHead, stageRows } from './html-candidate.ts';
import { dataTable, digestText, type Fragment, html, isolated, type Markup } from './html-text.ts';
import { binPlot } from './unit-plot.ts';
import type { ReportView } from './view.ts';
import { type AmendmentView, followedText, seenText } from './view-amendments.ts';
import type { LatencyView } from './view-latency.ts';
import type { CostView, TokensView } from './view-usage.ts';

function section(id: string, title: string, content: Fragment): Markup {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>\n`;
}

/** Units, cases, repeats, cells and attempts, each apart. */
export function countsSection({ counts, rows }: ReportView): Markup {
  const shown: readonly (readonly [number, string])[] = [
    [counts.inputRows, 'input rows'],
    [counts.units, 'final units: n counts these'],
    [counts.cases, 'final cases'],
    [counts.repeats, counts.repeats === 1 ? 'repeat of a case' : 'repeats of each case'],
    [counts.arms, 'arms'],
    [counts.plannedCells, 'planned cells'],
    [counts.settledCells, 'settled cells'],
    [counts.attempts, 'attempts'],
  ];
  return section(
    'counts',
    'From rows to units',
    html`<ul class="counts">${shown.map(([count, name]) => html`<li><strong>${count}</strong>${name}</li>`)}</ul>
${dataTable({ caption: 'From input rows to final cases', head: funnelHead, rows: stageRows('rows', rows) })}`,
  );
}

function timeText(ms: number | null): string {
  return ms === null ? 'unknown' : `${shownNumber(ms)} ms`;
}

const populationWords: Readonly<Record<LatencyView['population'], string>> = {
  completed: 'completed',
  safeRefusal: 'refused safely',
  agentError: 'failed',
  limitExceeded: 'stopped at a limit (times are lower bounds)',
};

function latencyRow(each: LatencyView): Fragment[] {
  const at = (percent: number): string => {
    const found = each.percentiles.find((percentile) => percentile.percent === percent);
    if (found === undefined) return 'unknown';
    return found.resolved ? timeText(found.valueMs) : `max ${timeText(found.valueMs)}`;
  };
  const label = `Times of ${each.arm}, ${populationWords[each.population]}: from ${timeText(each.minMs)} to ${timeText(each.maxMs)}, half at most ${at(50)}`;
  return [
    html`${each.arm}: ${populationWords[each.population]}`,
    `${each.known} known, ${each.unknown} unknown`,
    timeText(each.minMs),
    at(50),
    at(95),
    at(99),
    timeText(each.maxMs),
    each.known === 0 ? 'nothing timed' : binPlot(each.bins, label),
  ];
}

/** Latency by arm and population. */
export function latencySection({ latency }: ReportView): Markup {
  const { populations, missing, edgesMs } = latency;
  const first = edgesMs[0];
  const last = edgesMs.at(-1);
  const scale =
    first === undefined || last === undefined
      ? 'No cell was timed.'
      : `Bars share one logarithmic scale from ${timeText(first)} to ${timeText(last)}.`;
  const lost = missing.map(({ arm, cells }) => `${cells} of ${arm}`).join(', ');
  return section(
    'latency',
    'Latency',
    html`<p class="note">Active time of each settled cell's last attempt. Percentiles by nearest rank: each is a time that was measured; where too few were, a percentile is shown as the maximum (p95 needs 20 times, p99 needs 100). ${scale}</p>
${dataTable({
  caption: 'Latency by arm and population',
  head: ['arm and population', 'cells', 'min', 'p50', 'p95', 'p99', 'max', 'distribution'],
  rows: populations.map(latencyRow),
})}<p>${lost === '' ? 'No cell ended without an outcome.' : `Cells that ended without an outcome are in no row: ${lost}.`}</p>`,
  );
}

function costText({ knownUsd, known, unknown }: CostView): string {
  if (known + unknown === 0) return 'none reported';
  const rest = unknown === 0 ? '' : `; unknown for ${unknown}`;
  return known === 0
    ? `unknown for ${unknown} attempts`
    : `${shownNumber(knownUsd)} USD known for ${known}${rest}`;
}

function tokensText({ input, cachedInput, output, reasoning, known, unknown }: TokensView): string {
  if (known === 0) return `unknown for ${unknown} attempts`;
  const rest = unknown === 0 ? '' : `; unknown for ${unknown}`;
  return `${input} in, ${cachedInput} cached, ${output} out, ${reasoning} reasoning, known for ${known}${rest}`;
}

/** Cost and tokens by arm; the unknown is counted, never taken for zero. */
export function costSection({ usage, run }: ReportView): Markup {
  const { knownUsd, unknownCells } = run.cost;
  return section(
    'cost',
    'Cost',
    html`<p>${shownNumber(knownUsd)} USD known in all; ${unknownCells} cells of unknown cost.</p>
${dataTable({
  caption: 'Cost and tokens by arm',
  head: ['arm', 'attempts', 'execution', 'grading', 'tokens'],
  rows: usage.map((each) => [
    each.arm,
    each.attempts,
    costText(each.execution),
    costText(each.grading),
    tokensText(each.tokens),
  ]),
})}`,
  );
}

/** Outcome classes by arm, and faults by class, code and arm. */
export function faultsSection({ usage, run }: ReportView): Markup {
  const faults =
    run.faults.length === 0
      ? html`<p>No attempt ended in a fault.</p>`
      : dataTable({
          caption: 'Faults by class and arm',
          head: ['class', 'arm', 'code', 'attempts'],
          rows: run.faults.map((each) => [
            each.class,
            each.arm,
            isolated(each.code ?? 'no code'),
            each.count,
          ]),
        });
  return section(
    'faults',
    'Outcomes and faults',
    html`${dataTable({
      caption: 'How attempts ended, by arm',
      head: ['arm', 'attempts', 'classes'],
      rows: usage.map((each) => [
        each.arm,
        each.attempts,
        each.classes.map((found) => `${found.count} ${found.class}`).join(', ') || 'none',
      ]),
    })}${faults}`,
  );
}

function controlsTable({ controls }: ReportView): Markup {
  if (controls === null || controls.length === 0) return html`<p>No control was run.</p>`;
  return dataTable({
    caption: 'Controls',
    head: ['control', 'classified as declared', 'cells', 'reason'],
    rows: controls.map(({ id, passed, cells, reason }) => [
      id,
      passed ? 'yes' : 'no',
      cells,
      isolated(reason),
    ]),
  });
}

function armsTable({ arms }: ReportView): Markup {
  return dataTable({
    caption: 'What ran, by arm',
    head: ['arm', 'ran what was sealed', 'surface', 'files', 'pinned'],
    rows: arms.map((arm) => [
      `${arm.arm} (${arm.role})`,
      isolated([arm.consistency, ...arm.reasons].join('; ')),
      digestText(arm.surfaceDigest),
      isolated(arm.files.join(', ') || 'none'),
      isolated([arm.model ?? 'no model', ...arm.packages].join(', ')),
    ]),
  });
}

function hostsTable({ hosts }: ReportView): Markup {
  return dataTable({
    caption: 'Hosts that answered',
    head: ['host', 'version', 'build', 'changed since its commit', 'receipts'],
    rows: hosts.map((host) => [
      isolated(host.name),
      isolated(host.version),
      digestText(host.buildDigest),
      host.dirty === null ? 'unknown' : String(host.dirty),
      host.receipts,
    ]),
  });
}

function digestList(view: ReportView): Markup {
  const { run, engine } = view;
  const shown: readonly (readonly [string, Fragment])[] = [
    ['final seal', digestText(run.sealDigest)],
    ['plan seal', digestText(run.planDigest)],
    ['design', digestText(run.designDigest)],
    ['cases', digestText(run.casesDigest)],
    ['dataset', digestText(view.datasetTree)],
    ['evaluator', digestText(view.evaluatorTree)],
    ['receipts', html`${run.receipts}, root ${digestText(run.receiptsRoot)}`],
    ['exposure', digestText(run.expose)],
    ['fence', html`<code>${run.fence ?? 'none'}</code>`],
    ['engine', html`liftgate ${engine.version}, build ${digestText(engine.build)}`],
    ['started', run.startedAt ?? 'unknown'],
    ['ended', run.endedAt ?? 'unknown'],
  ];
  return html`<dl class="facts">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** Controls, arms, hosts and digests. */
export function provenanceSection(view: ReportView): Markup {
  return section(
    'provenance',
    'Provenance',
    html`<h3>Controls</h3>${controlsTable(view)}<h3>Arms</h3>${armsTable(view)}<h3>Hosts</h3>${hostsTable(view)}<h3>Digests</h3>${digestList(view)}`,
  );
}

/** Digests in a list that opens; nothing for none. */
function digestsOf(title: string, digests: readonly string[]): Markup {
  if (digests.length === 0) return html``;
  const items = digests.map((each) => html`<li>${digestText(each)}</li>`);
  return html`<details><summary>${title}</summary><div><ul>${items}</ul></div></details>`;
}

function amendmentRow(amendment: AmendmentView): Fragment[] {
  const { at, reason, changed, exposures, finals, declared } = amendment;
  const pointers = changed.map((each) => html`<li><code>${each}</code></li>`);
  const told = declared.map((each) => html`<li>${isolated(each)}</li>`);
  return [
    html`<time>${at}</time>`,
    isolated(reason),
    html`<ul>${pointers}</ul>${followedText(amendment)}`,
    html`${seenText(amendment)}${digestsOf('exposures seen', exposures)}${digestsOf('final seals seen', finals)}`,
    told.length === 0 ? 'nothing' : html`<ul>${told}</ul>`,
  ];
}

/** What was changed in the plan before the exposure, when, why, and who had seen what; nothing for a plan as first sealed. */
export function amendmentsSection({ amendments }: ReportView): Markup {
  if (amendments.length === 0) return html``;
  return section(
    'amendments',
    'Amendments of the plan',
    html`<p class="note">Before the exposure the plan was replaced. Times and declarations are those of whoever amended; what had been exposed by then the ledger holds itself.</p>
${dataTable({
  caption: 'Amendments of the plan, oldest first',
  head: ['when', 'why', 'changed', 'seen by then', 'declared'],
  rows: amendments.map(amendmentRow),
})}`,
  );
}

/** What neither the run nor its verification can show. */
export function uncheckedSection(view: ReportView): Markup {
  return section(
    'unchecked',
    'What cannot be checked',
    html`<ul>${view.uncheckable.map((each) => html`<li>${isolated(each)}</li>`)}</ul>`,
  );
}
