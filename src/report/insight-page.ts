/** The insight report as Markdown and as one HTML file, both from the same sections. */
import { shownNumber } from '../gate/gate.ts';
import { contentPolicy, styleSheet } from './html-style.ts';
import { dataTable, html, isolated, type Markup, trusted } from './html-text.ts';
import type { Difference, InsightView } from './insight-facts.ts';
import { escapeMarkdown, markdownTable } from './markdown.ts';
import { binPlot } from './unit-plot.ts';
import { signedNumber } from './verdict-lines.ts';

/** Says on every page what these numbers are not. */
const exploratoryNote =
  'Exploratory: nothing here was declared beforehand and no interval is corrected for the number of comparisons. No release follows from it.';

interface Section {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Counts by bin of each row, drawn beside it. */
  readonly bins?: readonly (readonly number[])[];
}

function shownOrNone(value: number | null): string {
  return value === null ? 'none' : shownNumber(value);
}

function intervalText({ lower, upper, without }: Difference): string {
  if (lower === null || upper === null) return `none (${without ?? 'no value'})`;
  return `${signedNumber(lower)} .. ${signedNumber(upper)}`;
}

function differenceRow(each: Difference): string[] {
  const { measure, arm, units, improvement, method } = each;
  const shown = improvement === null ? 'none' : signedNumber(improvement);
  return [measure, arm, shown, intervalText(each), String(units), method];
}

function distributionSection({ distributions }: InsightView): Section {
  return {
    id: 'distributions',
    title: 'Distributions',
    note: 'Mean score of each unit, by measure and arm. Bars share one scale within a measure.',
    head: ['measure', 'arm', 'units', 'mean', 'sd', 'least', '25 %', 'median', '75 %', 'most'],
    rows: distributions.map(({ measure, arm, units, mean, standardDeviation, quantiles }) => [
      measure,
      arm,
      String(units),
      shownNumber(mean),
      shownOrNone(standardDeviation),
      ...quantiles.map(shownNumber),
    ]),
    bins: distributions.map(({ bins }) => bins),
  };
}

function differenceSections({ differences, strata, baseline }: InsightView): Section[] {
  const note = `Improvement over ${baseline}, paired by unit, at level 0.95; above 0 is better.`;
  const head = ['measure', 'arm', 'improvement', 'interval', 'units', 'method'];
  return [
    { id: 'differences', title: 'Differences', note, head, rows: differences.map(differenceRow) },
    {
      id: 'strata',
      title: 'Differences by stratum',
      note: `${note} ${strata.length} comparisons: some will look large by chance.`,
      head: ['stratum', ...head],
      rows: strata.map((each) => [each.stratum ?? '', ...differenceRow(each)]),
    },
  ];
}

function frontierSection({ frontier }: InsightView): Section {
  return {
    id: 'frontier',
    title: 'Cost and quality',
    note: `Mean cost of the cells whose cost is known, and mean ${frontier[0]?.measure ?? 'score'}. Efficient: no other arm is at least as good for at most the money.`,
    head: ['arm', frontier[0]?.measure ?? 'score', 'USD per cell', 'cells', 'efficient'],
    rows: frontier.map(({ arm, quality, usd, cells, efficient }) => [
      arm,
      shownNumber(quality),
      shownNumber(usd),
      String(cells),
      efficient ? 'yes' : 'no',
    ]),
  };
}

function failureSection({ failures }: InsightView): Section {
  return {
    id: 'failures',
    title: 'How cells ended',
    note: 'By arm, the last attempt of every cell.',
    head: ['arm', 'cells', 'outcomes'],
    rows: failures.map(({ arm, cells, classes }) => [
      arm,
      String(cells),
      classes.map(({ outcome, count }) => `${count} ${outcome}`).join(', '),
    ]),
  };
}

function agreementSection({ agreement }: InsightView): Section {
  return {
    id: 'agreement',
    title: 'Agreement of raters',
    note: "Krippendorff's alpha over the cells that several raters saw; kappa where two raters gave 0 and 1.",
    head: ['measure', 'raters', 'cells', 'alpha', 'metric', 'agree', 'kappa'],
    rows: agreement.map((each) => [
      each.measure,
      each.raters.join(', '),
      String(each.cells),
      shownOrNone(each.alpha),
      each.metric,
      shownOrNone(each.observedAgreement),
      shownOrNone(each.kappa),
    ]),
  };
}

function sharedSection({ sharedInputs }: InsightView): Section[] {
  if (sharedInputs === null) return [];
  const { inputs, shared, leftOut } = sharedInputs;
  const count = shared.length + leftOut;
  const rest = leftOut === 0 ? '' : ` ${leftOut} more are not listed.`;
  return [
    {
      id: 'shared-inputs',
      title: 'Inputs in several splits',
      note: `${count} of ${inputs} inputs occur in more than one split.${rest}`,
      head: ['splits', 'cases'],
      rows: shared.map(({ splits, cases }) => [splits.join(', '), cases.slice(0, 10).join(', ')]),
    },
  ];
}

function associationSection({ associations }: InsightView): Section {
  return {
    id: 'associations',
    title: 'What moves together',
    note: 'Rank correlation of the improvements of two measures over units, bootstrap interval at level 0.95.',
    head: ['arm', 'measures', 'correlation', 'interval', 'units'],
    rows: associations.map(({ arm, first, second, spearman, lower, upper, units }) => [
      arm,
      `${first}, ${second}`,
      signedNumber(spearman),
      lower === null || upper === null
        ? 'none'
        : `${signedNumber(lower)} .. ${signedNumber(upper)}`,
      String(units),
    ]),
  };
}

function decisionSection({ decisions }: InsightView): Section {
  return {
    id: 'decisions',
    title: 'Recorded decisions',
    note: 'What the gates decided; these stand whatever the other sections show.',
    head: ['candidate', 'decision', 'where', 'why'],
    rows: decisions.map(({ candidate, decision, source, reason }) => [
      candidate,
      decision,
      source,
      reason,
    ]),
  };
}

/** Sections whose inputs exist; shared inputs are shown also when there are none, since that was looked for. */
function sectionsOf(view: InsightView): Section[] {
  const filled = [
    decisionSection(view),
    distributionSection(view),
    ...differenceSections(view),
    frontierSection(view),
    failureSection(view),
    agreementSection(view),
    associationSection(view),
  ].filter(({ rows }) => rows.length > 0);
  return [...filled, ...sharedSection(view)];
}

function overview({ records, units, arms, baseline }: InsightView): string {
  return `${records} records of ${units} units in ${arms.length} arms; compared with ${baseline}.`;
}

const nothingAdvised = 'Nothing stands out.';

/**
 * The report for a terminal or a pull request.
 * @returns Markdown that ends with a line feed
 */
export function renderInsightMarkdown(view: InsightView): string {
  const advice = view.recommendations.map((text) => `- ${escapeMarkdown(text)}`);
  const lines = [
    '# Insight report',
    '',
    escapeMarkdown(overview(view)),
    '',
    exploratoryNote,
    '',
    '## What to do next',
    '',
    ...(advice.length === 0 ? [nothingAdvised] : advice),
    '',
    ...sectionsOf(view).flatMap(({ title, note, head, rows }) => [
      `## ${title}`,
      '',
      escapeMarkdown(note),
      '',
      ...(rows.length === 0
        ? []
        : [
            ...markdownTable(
              head,
              rows.map((row) => row.map(escapeMarkdown)),
            ),
            '',
          ]),
    ]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function sectionMarkup({ id, title, note, head, rows, bins }: Section): Markup {
  const drawn = bins === undefined ? head : [...head, 'shape'];
  const cells = rows.map((row, at) => {
    const own = row.map((text) => isolated(text));
    const counts = bins?.[at];
    if (counts === undefined) return own;
    return [
      ...own,
      binPlot(
        counts,
        `${row[0] ?? ''}, ${row[1] ?? ''}: ${counts.join(', ')} units from least to most`,
      ),
    ];
  });
  const table =
    rows.length === 0 ? html`` : dataTable({ caption: title, head: drawn, rows: cells });
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<p class="note">${note}</p>
${table}</section>\n`;
}

/**
 * The report as one self-contained HTML file that loads nothing and runs nothing.
 * @returns HTML that ends with a line feed; equal views give equal text
 */
export function renderInsightHtml(view: InsightView): string {
  const sections = sectionsOf(view);
  const advice = view.recommendations.map((text) => html`<li>${isolated(text)}</li>`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<title>Liftgate insight report</title>
<style>${trusted(styleSheet)}</style>
</head>
<body>
<a class="skip" href="#next">Skip to what to do next</a>
<header><p class="eyebrow">Liftgate</p><h1>Insight report</h1>
<p>${isolated(overview(view))}</p><p><strong>${exploratoryNote}</strong></p></header>
<nav aria-label="Contents"><ul><li><a href="#next">What to do next</a></li>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<main>
<section aria-labelledby="next"><h2 id="next">What to do next</h2>
${advice.length === 0 ? html`<p>${nothingAdvised}</p>` : html`<ul>${advice}</ul>`}</section>
${sections.map(sectionMarkup)}</main>
</body>
</html>
`.text;
}
