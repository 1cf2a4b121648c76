/**
 * The HTML report: one file that opens from disk, loads nothing and runs nothing; made from the view model alone.
 */
import { shownNumber } from '../gate/gate.ts';
import { forestPlot } from './forest-plot.ts';
import { candidateSection } from './html-candidate.ts';
import {
  amendmentsSection,
  costSection,
  countsSection,
  faultsSection,
  latencySection,
  provenanceSection,
  uncheckedSection,
} from './html-run.ts';
import { contentPolicy, styleSheet } from './html-style.ts';
import { html, isolated, type Markup, trusted } from './html-text.ts';
import { signedNumber } from './verdict-lines.ts';
import type { CandidateView, ReportView } from './view.ts';

function improvement({ decided }: CandidateView): Markup {
  if (decided.improvement === null) return html`<p class="big">no estimate</p>`;
  const { value, interval, n, measure } = decided.improvement;
  return html`<p class="big">${signedNumber(value)}</p>
<p class="note">${measure}, ${signedNumber(interval.lower)} .. ${signedNumber(interval.upper)} at level ${shownNumber(interval.level)}, n = ${n.units} units</p>`;
}

function card(view: CandidateView): Markup {
  const { candidate, decision, cap, sameSurface } = view.decided;
  const capped =
    cap === null ? html`` : html`<p class="note">Capped: ${cap}. Such evidence never ships.</p>`;
  const same = sameSurface
    ? html`<p class="note">The candidate is the baseline byte for byte: an A/A run.</p>`
    : html``;
  return html`<li class="card ${decision}"><h3><a href="#candidate-${candidate}">${candidate}</a> <span class="badge ${decision}">${decision}</span></h3>${improvement(view)}<p>${isolated(view.sentence)}</p>${capped}${same}</li>\n`;
}

function decisionSection(view: ReportView): Markup {
  return html`<section aria-labelledby="decision"><h2 id="decision">Decision</h2>
<ul class="cards">${view.candidates.map(card)}</ul>
<p>Exit code ${view.exitCode}; evidence ${view.evidence}. This page shows what the run recorded; <code>liftgate verify</code> recomputes it.</p></section>\n`;
}

function effectsSection(view: ReportView): Markup {
  return html`<section aria-labelledby="effects"><h2 id="effects">Effects</h2>
<p class="note">Improvement of every measure with its interval: right of 0 the candidate is better. A filled dot cleared its gate, a square breached it, a ring is open or only shown.</p>
${view.measures.map(forestPlot)}</section>\n`;
}

function claimFacts({ claim, level }: ReportView): Markup {
  const useful =
    claim.minimumEffect === undefined ? 'none declared' : shownNumber(claim.minimumEffect);
  const shown: readonly (readonly [string, string])[] = [
    ['population', claim.population.description],
    ['sampling frame', claim.samplingFrame],
    ['unit', `${claim.unit}, generalizes to ${claim.generalization}`],
    ['use', claim.use],
    ['minimum effect', useful],
    ['level', shownNumber(level)],
  ];
  return html`<dl class="facts">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${isolated(value)}</dd>`)}</dl>`;
}

function contents(view: ReportView): Markup {
  const places: readonly (readonly [string, string])[] = [
    ['decision', 'Decision'],
    ['effects', 'Effects'],
    ...view.candidates.map(
      ({ decided }) => [`candidate-${decided.candidate}`, decided.candidate] as const,
    ),
    ['counts', 'Counts'],
    ['latency', 'Latency'],
    ['cost', 'Cost'],
    ['faults', 'Faults'],
    ...(view.amendments.length === 0 ? [] : [['amendments', 'Amendments'] as const]),
    ['provenance', 'Provenance'],
    ['unchecked', 'Not checkable'],
  ];
  return html`<nav aria-label="Contents"><ul>${places.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>\n`;
}

/**
 * The report as one self-contained HTML file.
 *
 * Everything a run recorded is escaped; characters that cannot be seen or that reorder text are written as their code points. The
 * worst regressions are listed first and capped, with the number left out, so that 5,000 units stay below 2 MB.
 *
 * @param view  from `reportView`
 * @returns     HTML that ends with a line feed; equal views give equal text
 */
export function renderHtml(view: ReportView): string {
  const title = `${view.experiment}: ${view.headline}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<title>${title}</title>
<style>${trusted(styleSheet)}</style>
</head>
<body>
<a class="skip" href="#decision">Skip to the decision</a>
<header><p class="eyebrow">Liftgate report</p><h1>${title}</h1>
<p>${isolated(view.claim.decision)}</p>${claimFacts(view)}</header>
${contents(view)}<main>
${decisionSection(view)}${effectsSection(view)}${view.candidates.map(candidateSection)}${countsSection(view)}${latencySection(view)}${costSection(view)}${faultsSection(view)}${amendmentsSection(view)}${provenanceSection(view)}${uncheckedSection(view)}</main>
<footer><p>Made by liftgate ${view.engine.version} from seal ${view.run.sealDigest}.</p></footer>
</body>
</html>
`.text;
}
