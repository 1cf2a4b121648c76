/** Every format of one decision says the same: random evidence under gates in code, max-T, looks, losses and amendments. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Decision, decisionSchema } from '../../src/gate/gate.ts';
import { exitCodeOf } from '../../src/report/decision.ts';
import { renderStepSummary } from '../../src/report/github.ts';
import { renderHtml } from '../../src/report/html.ts';
import { renderJUnit } from '../../src/report/junit.ts';
import { renderSummary } from '../../src/report/markdown.ts';
import { failedReply, type GateReply, readAnswer } from '../../src/run/gate-reply.ts';
import {
  type CaseTable,
  type EvidenceTable,
  evidenceOf,
  rightMeasure,
} from '../support/evidence.ts';
import { unitIds } from '../support/looks.ts';
import { amendmentOf, reportOf } from '../support/report.ts';
import { upTo } from '../support/two-measures.ts';

const critical = { kind: 'binary', role: 'critical', direction: 'lower' };
const measures = { right: rightMeasure, harm: critical };
const ids = unitIds(40);

interface Draw {
  readonly candidates: number;
  readonly gain: number;
  readonly harmful: boolean;
  readonly lost: boolean;
  readonly multiplicity: 'holm' | 'max-t';
  readonly looks: boolean;
  readonly amended: boolean;
  readonly custom: boolean;
  readonly answers: readonly string[];
}

const draw: fc.Arbitrary<Draw> = fc.record({
  candidates: fc.constantFrom(1, 2, 3),
  gain: fc.constantFrom(0, 4, 9, 22),
  harmful: fc.constantFrom(false, false, false, true),
  lost: fc.constantFrom(false, false, true),
  multiplicity: fc.constantFrom('holm', 'max-t'),
  looks: fc.boolean(),
  amended: fc.boolean(),
  custom: fc.boolean(),
  answers: fc.array(fc.constantFrom('ship', 'ship', ...decisionSchema.options, 'nothing'), {
    minLength: 3,
    maxLength: 3,
  }),
});

function replyOf(answer: string): GateReply {
  if (answer === 'nothing') return failedReply('no-answer', 'late');
  return readAnswer(JSON.stringify({ decision: answer, reason: `it says ${answer}` }), 0);
}

function tableOf(drawn: Draw): EvidenceTable {
  const candidates = ['a', 'b', 'c'].slice(0, drawn.candidates);
  // Losses come once in four units where a candidate does not gain; each candidate gains in fewer units than the one before.
  const cellOf = (at: number, of: number) => {
    const gains = (at * 7) % 40 < drawn.gain - 3 * of;
    const harm = drawn.harmful && of === 0 && at === 5 ? 1 : 0;
    return { scores: { right: gains || at % 4 !== 0 ? 1 : 0, harm } };
  };
  return {
    measures,
    candidates,
    multiplicity: drawn.candidates === 1 ? 'none' : drawn.multiplicity,
    ...(drawn.looks
      ? { stopping: { rule: 'group-sequential', spending: 'pocock', looks: [20, 40] } }
      : {}),
    ...(drawn.amended ? { amendments: [amendmentOf()] } : {}),
    gates: [
      { gate: 'lift', measure: 'right' },
      ...(drawn.custom
        ? [{ gate: 'custom', name: 'own', module: 'own.mjs', measures: ['right'] }]
        : []),
    ],
    replies: ({ candidate }) => replyOf(drawn.answers[candidates.indexOf(candidate)] ?? 'ship'),
    cases: upTo(40, (at): CaseTable => {
      const own = candidates.map((arm, of) => {
        const isLost = drawn.lost && of === 0 && at === 11;
        return [arm, isLost ? ('infrastructureFault' as const) : cellOf(at, of)] as const;
      });
      const baseline = { scores: { right: at % 3 === 0 ? 1 : 0, harm: 0 } };
      const id = ids[at] ?? '';
      return { id, unit: id, cells: { baseline, ...Object.fromEntries(own) } };
    }),
  };
}

const escaped = (text: string): string => text.replaceAll('\\', '');

/** The decisions a format shows, by candidate, as `pattern` finds them: candidate first, decision second. */
function shown(text: string, pattern: RegExp): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(pattern)].map(([, candidate = '', decision = '']) => [candidate, decision]),
  );
}

test('JSON, Markdown, HTML, JUnit, the step summary and the exit code never disagree', () => {
  const met = new Set<Decision>();
  const features = new Set<string>();
  fc.assert(
    fc.property(draw, (drawn) => {
      const table = tableOf(drawn);
      const { document, view } = reportOf(table);
      const decided = Object.fromEntries(
        document.decisions.map(({ candidate, decision }) => [candidate, decision]),
      );
      const word = decisionSchema.options.join('|');
      const markdown = escaped(renderSummary(document, evidenceOf(table).seal));
      expect(shown(markdown, new RegExp(`^## ([abc]): (${word})$`, 'gm'))).toEqual(decided);
      const html = renderHtml(view);
      const badge = `id="candidate-([abc])">[abc] <span class="badge (?:${word})">(${word})<`;
      expect(shown(html, new RegExp(badge, 'g'))).toEqual(decided);
      const summary = escaped(renderStepSummary(view));
      expect(shown(summary, new RegExp(`^### ([abc]): (${word})$`, 'gm'))).toEqual(decided);
      const junit = renderJUnit(view);
      const passed = [
        ...junit.matchAll(
          /classname="tables\.decisions" name="([abc])"[^>]*?(\/?)>(<failure|<error)?/g,
        ),
      ]
        .filter(([, , , failure]) => failure === undefined)
        .map(([, candidate]) => candidate);
      const shipped = document.decisions.filter(({ decision }) => decision === 'ship');
      expect(passed).toEqual(shipped.map(({ candidate }) => candidate));
      const exit = exitCodeOf(document.decisions);
      expect(exit === 0).toBe(shipped.length > 0);
      expect(view.exitCode).toBe(exit);
      expect(document.verdict).toBeDefined();
      for (const { candidate, reason } of document.decisions) {
        const plain = html.replaceAll('&#39;', "'").replaceAll('&quot;', '"');
        for (const text of [markdown, summary, plain]) expect(text).toContain(candidate);
        expect(markdown).toContain(reason);
      }
      for (const { decision } of document.decisions) met.add(decision);
      if (document.decisions.some(({ correction }) => correction?.applied === 'max-t'))
        features.add('max-t');
      for (const key of ['looks', 'amended', 'custom', 'lost'] as const)
        if (drawn[key]) features.add(key);
    }),
    { numRuns: 60, seed: 31 },
  );
  expect([...met].sort()).toEqual([...decisionSchema.options].sort());
  expect([...features].sort()).toEqual(['amended', 'custom', 'looks', 'lost', 'max-t']);
});
