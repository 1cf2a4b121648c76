/** The part of the HTML report about one candidate: its gates, what would settle it, its units, its funnel. */
import type { FunnelStage } from '../analysis/funnel.ts';
import { type Contribution, shownNumber } from '../gate/gate.ts';
import { dataTable, digestText, type Fragment, html, isolated, type Markup } from './html-text.ts';
import { unitPlot } from './unit-plot.ts';
import {
  furtherGate,
  furtherText,
  needEffect,
  needText,
  signedNumber,
  statisticText,
} from './verdict-lines.ts';
import type { CandidateView } from './view.ts';
import type {
  CellEvidence,
  DifferencesView,
  PairEvidence,
  Regression,
} from './view-differences.ts';

/** How many more regressed units are listed by id alone. */
const listedIds = 300;

function contributionRow(each: Contribution): Fragment[] {
  const { name, status, finding, required, threshold, errorLevel, n, reason } = each;
  const flags = each.flags.length === 0 ? '' : ` (${each.flags.join(', ')})`;
  return [
    required ? name : `${name} (optional)`,
    html`<span class="badge ${status}">${status}</span> ${finding}`,
    statisticText(each) || 'none',
    threshold === null ? 'none' : shownNumber(threshold),
    errorLevel === null ? 'none' : shownNumber(errorLevel),
    n === null ? 'none' : sampleText(n),
    html`${isolated(reason)}${flags}`,
  ];
}

function sampleText(n: NonNullable<Contribution['n']>): string {
  return `${n.units} units, ${n.pairs} pairs, ${n.cells} cells, ${n.discordant} discordant`;
}

function stepText({ place }: CandidateView): Markup {
  return place === '' ? html`` : html`<p class="note">${place}</p>`;
}

function effectText(need: CandidateView['decided']['furtherUnits'][number]['atEffect']): string {
  return need === null ? 'no effect was planned' : `effect ${needEffect(need)}: ${needText(need)}`;
}

function furtherTable({ decided }: CandidateView): Markup {
  if (decided.furtherUnits.length === 0) return html``;
  return html`<h4>What would settle it</h4>
<p class="note">By ${furtherText(decided.furtherUnits)}.</p>${dataTable({
    caption: 'Units that would settle the open gates',
    head: ['gate', 'power', 'for the planned effect', 'for the observed effect'],
    rows: decided.furtherUnits.map((plan) => [
      furtherGate(plan),
      shownNumber(plan.target),
      effectText(plan.atEffect),
      effectText(plan.atObserved),
    ]),
  })}`;
}

function scoresText(cell: CellEvidence): string {
  const scores = Object.entries(cell.scores).map(
    ([id, value]) => `${id} ${value === null ? 'not scored' : shownNumber(value)}`,
  );
  const critical =
    cell.critical === null || cell.critical.length === 0
      ? []
      : [`critical: ${cell.critical.join(', ')}`];
  return [...scores, ...critical].join('; ') || 'no scores';
}

function valueText({ value, failed }: CellEvidence): string {
  if (value === null) return 'none';
  return failed ? `${shownNumber(value)} (failure value)` : shownNumber(value);
}

function cellRow(arm: string, pair: PairEvidence, cell: CellEvidence): Fragment[] {
  const tries = cell.attempts === 1 ? '1 attempt' : `${cell.attempts} attempts`;
  return [
    isolated(pair.case),
    String(pair.repeat),
    arm,
    valueText(cell),
    `${cell.outcome}, ${tries}`,
    scoresText(cell),
    digestText(cell.artifact),
  ];
}

function regressionDetails(each: Regression, candidate: string): Markup {
  const more =
    each.pairsLeftOut === 0
      ? html``
      : html`<p class="note">${each.pairsLeftOut} more pairs of this unit are left out.</p>`;
  return html`<details><summary>${isolated(each.unit)}: ${signedNumber(each.improvement)}</summary><div>${dataTable(
    {
      caption: `Evidence of unit ${each.unit}`,
      head: ['case', 'repeat', 'arm', 'value', 'outcome', 'all scores', 'artifact'],
      rows: each.pairs.flatMap((pair) => [
        cellRow('baseline', pair, pair.baseline),
        cellRow(candidate, pair, pair.candidate),
      ]),
    },
  )}${more}</div></details>\n`;
}

/** Ids of the regressed units that have no evidence here, worst first. */
function furtherIds({ units, regressions, worse }: DifferencesView): Markup {
  const rest = units.slice(regressions.length, worse);
  if (rest.length === 0) return html``;
  const listed = rest.slice(0, listedIds);
  const left = rest.length - listed.length;
  const most = left === 0 ? '' : `; ${left} more are left out here and stand in the JSON report`;
  return html`<details><summary>${rest.length} further units that got worse, without their evidence</summary><div><p class="note">Worst first${most}.</p><ul class="ids">${listed.map(
    (each) => html`<li>${isolated(each.unit)} ${signedNumber(each.improvement)}</li>`,
  )}</ul></div></details>`;
}

function regressionList(differences: DifferencesView, candidate: string): Markup {
  const { regressions, worse, measure } = differences;
  if (worse === 0) return html`<p>No unit got worse on ${measure}.</p>`;
  return html`<h5>Worst regressions on ${measure}</h5>
<p class="note">${regressions.length} of ${worse} units that got worse, worst first, with both arms' scores and the digests of what they produced.</p>
${regressions.map((each) => regressionDetails(each, candidate))}${furtherIds(differences)}`;
}

/** Losses that no unit's mean shows. */
function coveredList(differences: DifferencesView, candidate: string): Markup {
  const { coveredLosses, coveredLossesLeftOut, measure } = differences;
  const count = coveredLosses.length + coveredLossesLeftOut;
  if (count === 0) return html``;
  return html`<h5>Losses covered by gains on ${measure}</h5>
<p class="note">${coveredLosses.length} of ${count} units that did not get worse although pairs of theirs did, worst pairs first.</p>
${coveredLosses.map((each) => regressionDetails(each, candidate))}`;
}

function differencesPart(differences: DifferencesView, candidate: string): Markup {
  const { measure, role, worse, equal, better, lostUnits, units } = differences;
  const lost = lostUnits.length === 0 ? '' : `, ${lostUnits.length} without a complete pair`;
  const picture = units.length === 0 ? html`` : unitPlot(differences);
  return html`<h4>Differences by unit: ${measure} <span class="role">${role}</span></h4>
<p>${worse} units worse, ${equal} equal, ${better} better${lost}.</p>${picture}${regressionList(differences, candidate)}${coveredList(differences, candidate)}`;
}

/** Rows of a funnel table. */
export function stageRows(of: string, stages: readonly FunnelStage[]): Fragment[][] {
  return stages.map((stage) => [
    of,
    stage.stage,
    `${stage.input} ${stage.of}`,
    stage.kept,
    stage.excluded.length === 0
      ? 'none'
      : isolated(stage.excluded.map(({ reason, count }) => `${count} ${reason}`).join(', ')),
  ]);
}

/** Columns of a funnel table. */
export const funnelHead = ['of', 'stage', 'in', 'kept', 'excluded'];

function funnelTable({ decided, cells, stages }: CandidateView): Markup {
  return html`<h4>Funnel</h4>${dataTable({
    caption: `Funnel of ${decided.candidate}`,
    head: funnelHead,
    rows: [
      ...stageRows('cells', cells),
      ...stages.flatMap((each) => stageRows(each.measure, each.stages)),
    ],
  })}`;
}

function missingTable({ decided }: CandidateView): Markup {
  if (decided.missing.length === 0) return html``;
  return html`<h4>Missing cells</h4>${dataTable({
    caption: `Missing cells of ${decided.candidate} and its baseline`,
    head: ['arm', 'reason', 'cells', 'first of them'],
    rows: decided.missing.map(({ arm, reason, count, cells }) => [
      arm,
      reason,
      count,
      isolated(cells.map((cell) => `${cell.case} (repeat ${cell.repeat})`).join(', ')),
    ]),
  })}`;
}

/** The section of one candidate. */
export function candidateSection(view: CandidateView): Markup {
  const { decided, sentence } = view;
  const { candidate, decision, contributions } = decided;
  return html`<section aria-labelledby="candidate-${candidate}">
<h2 id="candidate-${candidate}">${candidate} <span class="badge ${decision}">${decision}</span></h2>
<p>${isolated(sentence)}</p>${stepText(view)}
<h3>Gates</h3>${dataTable({
    caption: `Contributions of the gates to the decision about ${candidate}`,
    head: ['gate', 'status', 'statistic', 'threshold', 'error level', 'n', 'reason'],
    rows: contributions.map(contributionRow),
  })}${furtherTable(view)}
<h3>Units</h3>${view.differences.map((each) => differencesPart(each, candidate))}
<h3>Counting</h3>${missingTable(view)}${funnelTable(view)}
</section>\n`;
}
