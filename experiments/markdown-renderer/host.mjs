// The renderers' host: reads cell/1 requests as JSON lines, answers each with one receipt/1 line, in turn.
// It renders the Markdown it was sent with the program it was sent, and grades HTML without seeing the program.
// It runs in processes of its own, so that a renderer that hangs or exits takes nobody with it.
import { createInterface } from 'node:readline';
import { textOf } from './examples.mjs';
import { gradeHtml } from './grade.mjs';
import { loadProgram } from './programs.mjs';
import { executeReceipt, gradeReceipt, startTiming } from './receipt.mjs';

const HELLO = {
  kind: 'hello',
  protocols: ['cell/1'],
  host: { name: 'markdown-renderer', version: '1' },
  supports: ['execute', 'grade'],
  honoursSeed: false,
};

/** What a deliberate `host-exit` control does: the process is gone and no answer was written. */
const EXIT_ON_REQUEST = 3;
const EXIT_ON_NONSENSE = 64;

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function faultOf(error, { code, phase }) {
  return { code, phase, detail: String(error?.message ?? error).slice(0, 2000) };
}

// Loading a renderer takes longer than rendering an example, so a loaded one serves every cell that names it.
const programs = new Map();

async function programOf(armText) {
  const known = programs.get(armText);
  if (known !== undefined) return known;
  const program = await loadProgram(armText);
  programs.set(armText, program);
  return program;
}

async function setUp(request) {
  const markdown = textOf('markdown', request.input?.markdown);
  return { markdown, program: await programOf(request.surface.components.renderer.text) };
}

async function execute(request) {
  const stop = startTiming();
  let cell;
  try {
    cell = await setUp(request);
  } catch (error) {
    const fault = faultOf(error, { code: 'sandboxStart', phase: 'setup' });
    return executeReceipt(request, { outcome: 'infrastructureFault', fault, timing: stop() });
  }
  try {
    if (request.fault === 'agent-throw') throw new Error('the renderer was told to throw');
    const artifact = { html: cell.program(cell.markdown) };
    return executeReceipt(request, { outcome: 'completed', artifact, timing: stop() });
  } catch (error) {
    const fault = faultOf(error, { code: 'agentCrash', phase: 'agent' });
    return executeReceipt(request, { outcome: 'agentError', fault, timing: stop() });
  }
}

function grade(request) {
  const stop = startTiming();
  try {
    if (request.fault === 'scorer-throw') throw new Error('the scorer was told to throw');
    const result = gradeHtml(request.artifact.inline, textOf('html', request.expected.html));
    return gradeReceipt(request, { outcome: 'completed', grade: result, timing: stop() });
  } catch (error) {
    const fault = faultOf(error, { code: 'graderCrash', phase: 'grade' });
    return gradeReceipt(request, { outcome: 'evaluatorFailure', fault, timing: stop() });
  }
}

function refuse(text) {
  process.stderr.write(`markdown-renderer: ${text}\n`);
  process.exit(EXIT_ON_NONSENSE);
}

function parseLine(line) {
  try {
    return JSON.parse(line);
  } catch {
    return refuse('a request line is not JSON; send one cell/1 request per line');
  }
}

async function answer(line) {
  const request = parseLine(line);
  if (request?.protocol !== 'cell/1') refuse('a request is not of protocol cell/1');
  if (request.fault === 'host-exit') process.exit(EXIT_ON_REQUEST);
  switch (request.kind) {
    case 'execute':
      return send(await execute(request));
    case 'grade':
      return send(grade(request));
    case 'cancel':
      return undefined; // cells end before the next line is read, so there is nothing left to cancel
    default:
      return refuse(`a request has the unknown kind ${JSON.stringify(request.kind)}`);
  }
}

send(HELLO);
for await (const line of createInterface({ input: process.stdin })) await answer(line);
