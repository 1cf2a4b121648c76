/**
 * Runs the code of custom gates, each question in a process of its own with a time limit.
 *
 * A gate is asked twice. Whoever gives no answer is asked again, as a cell without an outcome is; whoever answers two things of one
 * input is broken. The process is told the recorded texts, so nothing is read again between sealing and running; what it can reach is
 * said in `gate-child`. This keeps honest code reproducible and apart from the ledger; it is no prison for code that means harm.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { canonicalText } from '../base/canonical.ts';
import { LiftgateError } from '../base/errors.ts';
import { readJson } from '../base/strict-json.ts';
import {
  failedReply,
  type GateCode,
  type GateQuestion,
  type GateReply,
  type GateRunner,
  type GateTrouble,
  readAnswer,
} from '../run/gate-reply.ts';
import { packageFolder } from '../store/package.ts';

/** Most bytes an answer may have; far more than any that is accepted. */
const mostBytes = 65_536;

/** Most pieces of what a process prints that are kept; a message is one. */
const mostPrinted = 16;

/** Least time that loading has: what its limit is about is answering. */
const loadLimitMs = 30_000;

/** What the process has longer than whoever waits for it. */
const graceMs = 2000;

/** Memory of the code, in megabytes. */
const memoryMb = 256;

/** What a process said before it ended, or why it said nothing. */
type Said =
  | {
      readonly kind: 'loaded' | 'answer' | 'threw' | 'malformed';
      readonly text: string;
      readonly stack?: string;
    }
  | { readonly kind: 'silent'; readonly text: string };

const builtProgram = join(packageFolder, 'dist', 'host', 'gate-child.js');

/** Flag of the permission model: it has its own name since Node 22.13 and 23.5. */
function permissionFlag(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const named = major >= 24 || (major === 23 && minor >= 5) || (major === 22 && minor >= 13);
  return named ? '--permission' : '--experimental-permission';
}

function flagsFor(program: string): string[] {
  return [
    permissionFlag(process.versions.node),
    `--allow-fs-read=${program}`,
    `--allow-fs-read=${join(packageFolder, 'package.json')}`,
    '--experimental-vm-modules',
    '--no-warnings',
    `--max-old-space-size=${memoryMb}`,
    program,
  ];
}

function readSaid(bytes: Buffer): Said {
  try {
    const value = readJson(bytes);
    if (typeof value === 'object' && value !== null && 'kind' in value && 'text' in value) {
      const { kind, text } = value;
      const known = (['loaded', 'answer', 'threw', 'malformed'] as const).find(
        (each) => each === kind,
      );
      const told = 'stack' in value ? value['stack'] : '';
      const stack = typeof told === 'string' ? told : '';
      if (known !== undefined && typeof text === 'string') return { kind: known, text, stack };
    }
  } catch (error) {
    if (!(error instanceof LiftgateError)) throw error;
  }
  return { kind: 'silent', text: 'its process wrote something else than an answer' };
}

/** One process, one question; null as input only loads the gate. */
function askOnce(program: string, code: GateCode, input: string | null): Promise<Said> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, flagsFor(program), {
      env: {},
      stdio: 'pipe',
    });
    const chunks: Buffer[] = [];
    const printed: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => {
      if (printed.length < mostPrinted) printed.push(chunk);
    });
    let size = 0;
    const end = (said: Said): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      resolve(said);
    };
    const late = `no answer within ${code.timeLimitMs} ms`;
    const timer = setTimeout(() => end({ kind: 'silent', text: late }), code.timeLimitMs);
    child.on('error', (error) => end({ kind: 'silent', text: `not started: ${error.message}` }));
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > mostBytes) end({ kind: 'silent', text: 'its process wrote without end' });
    });
    child.on('close', (exit, signal) => {
      const ended = `its process ended (${signal ?? `exit ${exit}`}) without an answer`;
      const said = size === 0 ? null : readSaid(Buffer.concat(chunks));
      const isPrinted = said !== null && said.kind === 'threw' && printed.length > 0;
      end(
        isPrinted
          ? { ...said, stack: Buffer.concat(printed).toString('utf8') }
          : (said ?? { kind: 'silent', text: ended }),
      );
    });
    // A process that ended before it was told everything is heard of by its end.
    child.stdin.on('error', () => undefined);
    const files = Object.fromEntries(code.files);
    const { module, timeLimitMs } = code;
    child.stdin.end(JSON.stringify({ module, files, input, timeLimitMs: timeLimitMs + graceMs }));
  });
}

/** The first place of the code's own files in what was printed or in a stack. */
function placeIn(text: string, files: GateCode['files']): GateTrouble['place'] {
  const [head = '', , marks = ''] = text.split('\n');
  const printed = /^(.+):(\d+)$/.exec(head);
  if (printed?.[1] !== undefined && files.has(printed[1])) {
    const column = marks.indexOf('^') + 1;
    return { file: printed[1], line: Number(printed[2]), column: Math.max(1, column) };
  }
  for (const [, file = '', line, column] of text.matchAll(/([^\s()]+):(\d+):(\d+)\)?$/gm)) {
    if (files.has(file)) return { file, line: Number(line), column: Number(column) };
  }
  return null;
}

function replyOf(said: Said, units: number): GateReply {
  switch (said.kind) {
    case 'answer':
      return readAnswer(said.text, units);
    case 'threw':
      return failedReply('threw', said.text);
    case 'malformed':
      return failedReply('malformed', said.text);
    case 'loaded':
    case 'silent':
      return failedReply('no-answer', said.text);
  }
}

/** The reply of one asking; asked again while no answer comes. */
async function askUntil(
  once: () => Promise<Said>,
  { units, attempts }: { readonly units: number; readonly attempts: number },
): Promise<GateReply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = replyOf(await once(), units);
    if (reply.status === 'answered' || reply.fault.code !== 'no-answer') return reply;
    if (attempt >= attempts) return failedReply('no-answer', reply.fault.detail, attempt);
  }
}

/** Of two replies to one question the one that counts. */
function steady(first: GateReply, second: GateReply): GateReply {
  if (canonicalText(first) === canonicalText(second)) return first;
  const failed = [first, second].find((each) => each.status === 'failed');
  if (failed !== undefined) return failed;
  const [one, other] = [first, second].map((each) =>
    each.status === 'answered' ? each.answer.decision : '',
  );
  const what = one === other ? `${one} with two reasons or numbers` : `${one} and ${other}`;
  return failedReply('unsteady', what);
}

/**
 * The runner of custom gates.
 * @param program  the program of a process; the built one by default
 */
export function gateRunner(program: string = builtProgram): GateRunner {
  return {
    async load(code) {
      const timeLimitMs = Math.max(code.timeLimitMs, loadLimitMs);
      const said = await askOnce(program, { ...code, timeLimitMs }, null);
      if (said.kind === 'loaded') return null;
      const stack = 'stack' in said ? (said.stack ?? '') : '';
      return { detail: said.text, place: placeIn(stack, code.files) };
    },
    async ask(code: GateCode, question: GateQuestion, attempts: number) {
      const { units, input } = question;
      const once = (): Promise<Said> => askOnce(program, code, input);
      const [first, second] = await Promise.all([
        askUntil(once, { units, attempts }),
        askUntil(once, { units, attempts }),
      ]);
      return steady(first, second);
    },
  };
}
