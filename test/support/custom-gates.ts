/** The mails with a gate in code: its spec, its module, and stand-ins for whoever runs it. */
import type { GateReply, GateRunner } from '../../src/run/gate-reply.ts';
import type { Verification } from '../../src/verify/verify.ts';
import { mailsExperiment, type SettledRun, settledRun } from './run.ts';

/** The mails with the candidate `new` alone. */
export const single: string = mailsExperiment.replace(
  '    same: {surface: {rule: rules/same.txt}}\n',
  '',
);

/** The mails with one custom gate; `spec` is its line without the braces. */
export function withGate(
  code: string,
  spec = 'measures: [right]',
  experiment = single,
): Record<string, string> {
  return {
    'experiment.yaml': `${experiment}  - {gate: custom, name: own, module: gates/own.mjs, ${spec}}\n`,
    'gates/own.mjs': code,
  };
}

export const gate = (body: string): string =>
  `import { defineGate } from 'liftgate/gate';\nexport default defineGate(${body});\n`;
export const saying = (decision: string): string =>
  gate(
    `({ measures }) => ({ decision: '${decision}', reason: 'because', value: 0.25, n: measures.right.units.length })`,
  );

export function runWith(
  folder: string,
  files: Record<string, string>,
  ports: Parameters<typeof settledRun>[0]['ports'] = {},
): Promise<SettledRun> {
  return settledRun({ folder, files, ports });
}

export function ofNew({ result }: SettledRun) {
  const found = result.document.decisions.find(({ candidate }) => candidate === 'new');
  if (found === undefined) throw new Error('no candidate new');
  const own = found.contributions.find(({ gate: kind }) => kind === 'custom');
  return { decision: found.decision, reason: found.reason, own };
}

/** Answers in process: what a gate says is the test's own, and how often it was asked is seen. */
export function answering(
  reply: (candidate: string) => GateReply,
): GateRunner & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    load: () => Promise.resolve(null),
    ask: (_code, { candidate, input }) => {
      asked.push(input);
      return Promise.resolve(reply(candidate));
    },
  };
}

export function said(decision: 'ship' | 'hold' | 'need_more_work'): GateReply {
  const numbers = { value: null, bound: null, threshold: null, n: null };
  return { status: 'answered', answer: { decision, reason: 'because', ...numbers } };
}

export const checkOf = (verification: Verification, id: string) =>
  verification.checks.find((check) => check.id === id);
