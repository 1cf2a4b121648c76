/** The Markdown summary: the decision per candidate, the gates behind it, the funnel, faults, provenance and what stays unchecked. */
import type { Estimate } from '../analysis/estimate.ts';
import type { FunnelStage } from '../analysis/funnel.ts';
import { hasCustomGates } from '../gate/custom.ts';
import { type Contribution, shownNumber } from '../gate/gate.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import type { CandidateDecision, DecisionDocument } from './decision.ts';
import {
  furtherGate,
  furtherText,
  headlineOf,
  improvementText,
  needEffect,
  needText,
  signedNumber,
  standingText,
  statisticText,
} from './verdict-lines.ts';
import { type AmendmentView, amendmentViews, followedText, seenText } from './view-amendments.ts';
import { visibleText } from './visible-text.ts';

/**
 * Text safe inside a Markdown table cell or line: no markup, no line breaks, nothing invisible.
 * @example escapeMarkdown('a|b') // => 'a\\|b'
 */
export function escapeMarkdown(text: string): string {
  return visibleText(text.replace(/\s+/g, ' ').trim()).replace(
    /[\\`*_{}[\]<>#|~]/g,
    (character) => `\\${character}`,
  );
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Lines of a Markdown table; cells are escaped by the caller. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)];
}

const decisionWords: Readonly<Record<CandidateDecision['decision'], string>> = {
  ship: '**ship**',
  hold: '**hold**',
  need_more_work: '**need_more_work**',
  model_ceiling: '**model_ceiling**',
  arch_ceiling: '**arch_ceiling**',
};

/**
 * The summary of a decision for people.
 * @returns Markdown that ends with a line feed; equal documents and seals give equal text
 */
export function renderSummary(document: DecisionDocument, seal: SealedExperiment): string {
  const lines = [
    `# ${escapeMarkdown(seal.experimentId)}: ${escapeMarkdown(headlineOf(document.decisions))}`,
    '',
    `${escapeMarkdown(seal.claim.decision)}. Population: ${escapeMarkdown(seal.claim.population.description)} (unit: ${escapeMarkdown(seal.claim.unit)}, ${seal.claim.generalization}, use: ${seal.claim.use}).`,
    '',
    ...markdownTable(
      ['candidate', 'decision', 'improvement', 'why'],
      document.decisions.map((each) => [
        escapeMarkdown(each.candidate),
        decisionWords[each.decision],
        escapeMarkdown(improvementText(each)),
        escapeMarkdown(each.reason),
      ]),
    ),
    '',
    ...document.decisions.flatMap((each) => candidateSection(each, document, seal)),
    ...rowsSection(document),
    ...amendmentsSection(seal),
    ...runSection(document, seal),
  ];
  return `${lines.join('\n')}\n`;
}

function candidateSection(
  decided: CandidateDecision,
  document: DecisionDocument,
  seal: SealedExperiment,
): string[] {
  const place = standingText(decided, seal.decision.multiplicity);
  return [
    `## ${escapeMarkdown(decided.candidate)}: ${decided.decision}`,
    '',
    ...(place === '' ? [] : [place, '']),
    ...markdownTable(
      ['gate', 'status', 'finding', 'statistic', 'threshold', 'error', 'n', 'reason'],
      decided.contributions.map(contributionRow),
    ),
    '',
    ...shownSection(decided.shown),
    ...furtherSection(decided),
    ...regressedSection(decided),
    ...funnelSection(decided.candidate, document),
  ];
}

function contributionRow(contribution: Contribution): string[] {
  const { name, status, finding, required, threshold, errorLevel, n, reason, flags } = contribution;
  const flagged = flags.length === 0 ? '' : ` (${flags.join(', ')})`;
  return [
    escapeMarkdown(required ? name : `${name} (optional)`),
    status,
    finding,
    statisticText(contribution),
    threshold === null ? '' : shownNumber(threshold),
    errorLevel === null ? '' : shownNumber(errorLevel),
    n === null ? '' : `${n.units} units`,
    escapeMarkdown(reason + flagged),
  ];
}

function estimateRow(estimate: Estimate): string[] {
  const { lower, upper, level } = estimate.interval;
  return [
    escapeMarkdown(estimate.measure),
    signedNumber(estimate.value),
    `${signedNumber(lower)} .. ${signedNumber(upper)}`,
    shownNumber(level),
    `${estimate.n.units} units, ${estimate.n.pairs} pairs`,
    `${estimate.method} (${estimate.guarantee})`,
  ];
}

function shownSection(shown: readonly Estimate[]): string[] {
  if (shown.length === 0) return [];
  return [
    'Other measures (improvement: above 0 the candidate is better; log-ratio for durations and costs); no gate reads them:',
    '',
    ...markdownTable(
      ['measure', 'improvement', 'interval', 'level', 'n', 'method'],
      shown.map(estimateRow),
    ),
    '',
  ];
}

function neededFor(need: CandidateDecision['furtherUnits'][number]['atObserved']): string {
  const effect = needEffect(need);
  const shown = need.effects === undefined ? effect : escapeMarkdown(effect);
  return `${shown}: ${escapeMarkdown(needText(need))}`;
}

function furtherSection(decided: CandidateDecision): string[] {
  if (decided.furtherUnits.length === 0) return [];
  return [
    `What would settle it (${furtherText(decided.furtherUnits)}):`,
    '',
    ...markdownTable(
      ['gate', 'power', 'for the planned effect', 'for the observed effect'],
      decided.furtherUnits.map((plan) => [
        escapeMarkdown(furtherGate(plan)),
        shownNumber(plan.target),
        plan.atEffect === null ? 'no effect was planned' : neededFor(plan.atEffect),
        neededFor(plan.atObserved),
      ]),
    ),
    '',
  ];
}

function regressedSection(decided: CandidateDecision): string[] {
  const { count, units } = decided.regressed;
  if (count === 0) return [];
  const more = count > units.length ? ` and ${count - units.length} more` : '';
  return [`Units that got worse: ${count} (${units.map(escapeMarkdown).join(', ')}${more}).`, ''];
}

function stageRow(of: string, stage: FunnelStage): string[] {
  const excluded = stage.excluded.map(({ reason, count }) => `${count} ${reason}`).join(', ');
  return [
    escapeMarkdown(of),
    escapeMarkdown(stage.stage),
    `${stage.input} ${stage.of}`,
    String(stage.kept),
    escapeMarkdown(excluded),
  ];
}

const funnelHead = ['of', 'stage', 'in', 'kept', 'excluded'];

function funnelSection(candidate: string, { verdict }: DecisionDocument): string[] {
  const own = verdict.funnel.candidates.find((each) => each.candidate === candidate);
  if (own === undefined) return [];
  const rows = [
    ...own.cells.map((stage) => stageRow('cells', stage)),
    ...own.measures.flatMap(({ measure, stages }) =>
      stages.map((stage) => stageRow(measure, stage)),
    ),
  ];
  return [
    '<details><summary>Funnel</summary>',
    '',
    ...markdownTable(funnelHead, rows),
    '',
    '</details>',
    '',
  ];
}

function rowsSection({ verdict }: DecisionDocument): string[] {
  return [
    '## From rows to cases',
    '',
    ...markdownTable(
      funnelHead,
      verdict.funnel.rows.map((stage) => stageRow('rows', stage)),
    ),
    '',
  ];
}

/** Pointers shown of one amendment; its entry in the ledger has them all. */
const shownPointers = 12;

function pointersText(amendment: AmendmentView): string {
  const { changed } = amendment;
  const left = changed.length - shownPointers;
  return [
    ...changed.slice(0, shownPointers).map(escapeMarkdown),
    ...(left > 0 ? [`${left} more`] : []),
    ...[followedText(amendment)].filter((text) => text !== ''),
  ].join(', ');
}

function amendmentsSection(seal: SealedExperiment): string[] {
  if (seal.amendments.length === 0) return [];
  return [
    '## Amendments of the plan',
    '',
    'Before the exposure the plan was replaced; times and declarations are those of whoever amended.',
    '',
    ...markdownTable(
      ['when', 'changed', 'why', 'seen by then', 'declared'],
      amendmentViews(seal).map((each) => [
        escapeMarkdown(each.at),
        pointersText(each),
        escapeMarkdown(each.reason),
        seenText(each),
        escapeMarkdown(each.declared.join('; ') || 'nothing'),
      ]),
    ),
    '',
  ];
}

function runSection({ run, verdict }: DecisionDocument, seal: SealedExperiment): string[] {
  const attempts = run.attempts.map((each) => `${each.count} ${each.class}`).join(', ');
  const faults = run.faults.map(
    (each) => `${each.count} ${each.class} (${each.code ?? 'no code'}) in ${each.arm}`,
  );
  const unknown =
    run.cost.unknownCells === 0 ? '' : `, ${run.cost.unknownCells} cells of unknown cost`;
  return [
    '## Run',
    '',
    `- evidence: ${verdict.evidence}; exit code ${verdict.exitCode}`,
    `- attempts: ${attempts === '' ? 'none' : attempts}; cost ${shownNumber(run.cost.knownUsd)} USD known${unknown}`,
    ...(faults.length === 0 ? [] : [`- faults: ${escapeMarkdown(faults.join('; '))}`]),
    `- final seal \`${run.sealDigest}\`, plan \`${run.planDigest ?? 'none'}\``,
    `- design \`${run.designDigest}\`, cases \`${run.casesDigest}\`, receipts root \`${run.receiptsRoot}\``,
    `- engine liftgate ${escapeMarkdown(seal.engine.version)}, build \`${seal.engine.build}\``,
    '',
    '## What cannot be checked',
    '',
    ...uncheckable(seal).map((each) => `- ${escapeMarkdown(each)}`),
    '',
  ];
}

/** Without the secret nobody can say which content a keyed fingerprint belongs to. */
function keyedFingerprints({ units }: SealedExperiment): string[] {
  return units.fingerprintKey === undefined
    ? []
    : [
        `without the secret behind ${units.fingerprintKey}: whether the fingerprints of the units are those of their contents, so whether copies under other ids would have been noticed`,
      ];
}

/** What stays open of custom gates while nobody runs their code again. */
export const unrunGates =
  'whether the code of the custom gates says what is recorded of it: `liftgate verify --run-gates` runs it';

/** What neither this run nor its verification can show. */
export function uncheckable(seal: SealedExperiment): string[] {
  return [
    'whether somebody read the final cases outside the workflow',
    'whether a private ledger was tried first',
    'whether the declared unit and sampling frame are true of the world',
    'whether the host told the truth in its receipts',
    'the true time, without an outside anchor',
    ...keyedFingerprints(seal),
    ...(hasCustomGates(seal) ? [unrunGates] : []),
    ...seal.unpinned.map((each) => `not pinned by the seal: ${each}`),
  ];
}
