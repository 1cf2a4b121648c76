import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { gateRunner } from '../../src/host/gate-runner.ts';
import type { GateCode, GateReply } from '../../src/run/gate-reply.ts';

const runner = gateRunner();

function code(text: string, more: Partial<GateCode> = {}): GateCode {
  const files = new Map([['gates/own.mjs', text]]);
  return { gate: 'own', module: 'gates/own.mjs', files, timeLimitMs: 10_000, ...more };
}

const head = "import { defineGate } from 'liftgate/gate';\n";
const gate = (body: string): GateCode => code(`${head}export default defineGate(${body});\n`);

function ask(asked: GateCode, value: unknown = { options: { floor: 0.5 } }): Promise<GateReply> {
  const input = JSON.stringify(value);
  const question = { gate: 'own', candidate: 'new', input, digest: digestOf(input), units: 9 };
  return runner.ask(asked, question, 2);
}

const ok = { decision: 'hold', reason: 'why', value: null, bound: null, threshold: null, n: null };

describe('an answer', () => {
  test('is read with its numbers, rounded to 12 digits', async () => {
    const asked = gate(
      "({ options }) => ({ decision: 'ship', reason: 'above', value: 0.1 + 0.2, bound: 0.6, threshold: options.floor, n: 9 })",
    );
    expect(await ask(asked)).toEqual({
      status: 'answered',
      answer: { decision: 'ship', reason: 'above', value: 0.3, bound: 0.6, threshold: 0.5, n: 9 },
    });
  });

  test('may come from an object without a prototype and from files it names', async () => {
    const text = `import { why } from '../lib/why.mjs';
export default { type: 'liftgate/gate/v1', decide: () => Object.assign(Object.create(null), { decision: 'hold', reason: why, n: undefined }) };`;
    const files = new Map([
      ['gates/own.mjs', text],
      ['lib/why.mjs', "import { word } from './word.mjs';\nexport const why = word;"],
      ['lib/word.mjs', "export const word = 'why';"],
    ]);
    expect(await ask(code(text, { files }))).toEqual({ status: 'answered', answer: ok });
  });

  test('is given a frozen input, down to its lists', async () => {
    const asked = gate(`(input) => {
      const frozen = [input, input.a, input.a[0]].every(Object.isFrozen);
      try { input.a.push(1); } catch { return { decision: 'hold', reason: frozen ? 'why' : 'not frozen' }; }
      return { decision: 'ship', reason: 'could write' };
    }`);
    expect(await ask(asked, { a: [{ b: 1 }] })).toEqual({ status: 'answered', answer: ok });
  });
});

describe('a fault in place of an answer', () => {
  test.each([
    ['throws', "() => { throw new Error('no floor'); }", 'threw', 'no floor'],
    ['throws no error', '() => { throw null; }', 'threw', 'null'],
    [
      'throws what cannot be told',
      '() => { throw { get message() { throw 1; } }; }',
      'threw',
      'cannot be told',
    ],
    ['answers nothing', '() => {}', 'malformed', 'the answer is a undefined, not an object'],
    [
      'answers by a promise',
      "async () => ({ decision: 'ship', reason: 'x' })",
      'malformed',
      'no plain object (a promise',
    ],
    ['answers a list', '() => []', 'malformed', 'no plain object'],
    [
      'answers an instance',
      "() => new (class { decision = 'ship'; reason = 'x' })()",
      'malformed',
      'no plain object',
    ],
    [
      'answers another word',
      "() => ({ decision: 'shipit', reason: 'x' })",
      'malformed',
      'decision',
    ],
    ['answers no reason', "() => ({ decision: 'ship' })", 'malformed', 'reason'],
    ['answers an empty reason', "() => ({ decision: 'ship', reason: '' })", 'malformed', 'reason'],
    [
      'answers NaN',
      "() => ({ decision: 'ship', reason: 'x', value: NaN })",
      'malformed',
      'value is NaN, no finite number',
    ],
    [
      'answers Infinity',
      "() => ({ decision: 'ship', reason: 'x', bound: -1 / 0 })",
      'malformed',
      'bound is -Infinity',
    ],
    [
      'answers part of a unit',
      "() => ({ decision: 'ship', reason: 'x', n: 0.5 })",
      'malformed',
      'n',
    ],
    [
      'answers more units than there are',
      "() => ({ decision: 'ship', reason: 'x', n: 10 })",
      'malformed',
      '10 units are claimed, and there are 9',
    ],
    [
      'answers more members',
      "() => ({ decision: 'ship', reason: 'x', level: 1 })",
      'malformed',
      'level',
    ],
    [
      'answers by a getter',
      "() => ({ get decision() { return 'ship'; }, reason: 'x' })",
      'malformed',
      'decision is computed',
    ],
    [
      'answers nested data',
      "() => ({ decision: 'ship', reason: { toJSON: () => 'x' } })",
      'malformed',
      'reason is neither text nor number',
    ],
    [
      'answers half a character',
      "() => ({ decision: 'ship', reason: '\\ud83d' })",
      'malformed',
      'surrogate',
    ],
    [
      'answers __proto__',
      '() => JSON.parse(\'{"__proto__": 1, "decision": "ship", "reason": "x"}\')',
      'malformed',
      '__proto__',
    ],
    [
      'inherits its answer',
      "() => { Object.prototype.decision = 'ship'; return { reason: 'x' }; }",
      'malformed',
      'decision',
    ],
    [
      'draws',
      "() => ({ decision: Math.random() < 2 ? 'ship' : 'hold', reason: 'x' })",
      'threw',
      'no chance',
    ],
    [
      'looks at the clock',
      "() => ({ decision: 'ship', reason: String(Date.now()) })",
      'threw',
      'Date is not defined',
    ],
    [
      'looks at the process',
      "() => ({ decision: 'ship', reason: process.cwd() })",
      'threw',
      'process is not defined',
    ],
    [
      'makes code',
      "() => Function('return process')()",
      'threw',
      'Code generation from strings disallowed',
    ],
    [
      'reaches for the context',
      "() => ({ decision: 'ship', reason: globalThis.constructor.constructor('return process')().cwd() })",
      'threw',
      '',
    ],
    ['calls out', "() => { fetch('http://127.0.0.1:1'); }", 'threw', 'fetch is not defined'],
  ])('%s', async (_name, body, fault, detail) => {
    const reply = await ask(gate(body));
    expect(reply).toMatchObject({
      status: 'failed',
      fault: { code: fault, class: 'evaluatorFailure', attempts: 1 },
    });
    expect(JSON.stringify(reply)).toContain(detail);
  });

  test.each([
    ['never ends', '() => { for (;;); }', 'no answer within 700 ms'],
    [
      'takes all memory',
      '() => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); }',
      'without an answer',
    ],
  ])(
    '%s',
    async (_name, body, detail) => {
      const asked = { ...gate(body), timeLimitMs: detail.includes('within') ? 700 : 30_000 };
      const reply = await ask(asked);
      expect(reply).toMatchObject({
        status: 'failed',
        fault: { code: 'no-answer', class: 'infrastructureFault', attempts: 2 },
      });
      expect(JSON.stringify(reply)).toContain(detail);
    },
    60_000,
  );
});

describe('loading', () => {
  test.each([
    [
      'nothing exported',
      'export const gate = 1;',
      'the default export of gates/own.mjs is no defineGate(...)',
    ],
    ['a bare function', 'export default () => 1;', 'is no defineGate(...)'],
    ['no function', `${head}export default defineGate(1);`, 'defineGate takes a function'],
    ['a syntax error', 'export default (', 'Unexpected'],
    [
      'a builtin',
      "import fs from 'node:fs';\nexport default fs;",
      'gates/own.mjs imports "node:fs"; a gate imports liftgate/gate and the files it names',
    ],
    ['a package', "import 'simple-statistics';", 'imports "simple-statistics"'],
    ['an unnamed file', "import './other.mjs';", 'imports "./other.mjs"'],
    ['a file above the folder', "import '../../other.mjs';", 'imports "../../other.mjs"'],
    ['a late import', "await import('node:fs');", 'a gate imports at its top only'],
    ['a wait without end', 'await new Promise(() => {});', 'without an answer'],
    ['TypeScript', 'export default (input: number) => input;', 'Unexpected'],
  ])('refuses %s', async (_name, text, detail) => {
    expect((await runner.load(code(text)))?.detail).toContain(detail);
  });

  test('takes a gate without asking it', async () => {
    expect(await runner.load(gate('() => { throw 1; }'))).toBeNull();
  });

  test.each([
    ['is no module', `${head}const floor = ;\n`, { file: 'gates/own.mjs', line: 2, column: 15 }],
    [
      'throws while it is loaded',
      `${head}\nthrow new Error('no');\n`,
      { file: 'gates/own.mjs', line: 3, column: 7 },
    ],
    [
      'imports a file that is no module',
      "import '../lib/why.mjs';\n",
      { file: 'lib/why.mjs', line: 3, column: 7 },
    ],
    ['exports nothing', 'export const none = 1;\n', null],
    ['lies about its place', "throw { message: 'no', stack: 'x (elsewhere.mjs:1:1)' };\n", null],
    ['throws what has no stack that can be read', 'throw { get stack() { throw 1; } };\n', null],
  ])('names the place where code %s', async (_, text, place) => {
    const files = new Map([
      ['gates/own.mjs', text],
      ['lib/why.mjs', '\n\nlet a b;\n'],
    ]);
    expect((await runner.load(code(text, { files })))?.place).toEqual(place);
  });
});

describe('the walls around it', () => {
  const way = `import('node:fs').catch((thrown) => thrown)`;

  test('what a refused import throws leads nowhere', async () => {
    const asked = code(`const thrown = await ${way};
export default { type: 'liftgate/gate/v1', decide: () => ({ decision: 'hold', reason: typeof thrown }) };`);
    expect(await ask(asked)).toEqual({ status: 'answered', answer: { ...ok, reason: 'string' } });
  });
});

describe('a process that is no gate of ours', () => {
  const instead = (name: string) =>
    gateRunner(fileURLToPath(new URL(`../fixtures/gates/${name}.mjs`, import.meta.url)));
  const question = { gate: 'own', candidate: 'new', input: '{}', digest: digestOf('{}'), units: 1 };

  test.each([
    [
      'unsteady',
      { code: 'unsteady', class: 'evaluatorFailure', detail: 'ship with two reasons or numbers' },
    ],
    [
      'garbage',
      { code: 'no-answer', detail: 'its process wrote something else than an answer', attempts: 2 },
    ],
    ['endless', { code: 'no-answer', detail: 'its process wrote without end', attempts: 2 }],
    ['nowhere', { code: 'no-answer', class: 'infrastructureFault', attempts: 2 }],
  ])('%s is a fault', async (name, fault) => {
    const reply = await instead(name).ask(gate('() => {}'), question, 2);
    expect(reply).toMatchObject({ status: 'failed', fault });
  });
});
