// The sentiment host: runs one sentiment program over one sentence, in process. It answers cell/1 requests with
// receipt/1 receipts, never learns which arm it runs, and never sees a label before grading.
import { gradeVerdict } from './grade.mjs';
import { loadProgram } from './programs.mjs';
import { executeReceipt, gradeReceipt, startTiming } from './receipt.mjs';

export const hello = {
  kind: 'hello',
  protocols: ['cell/1'],
  host: { name: 'sentiment', version: '1' },
  supports: ['execute', 'grade'],
  honoursSeed: false,
};

// Loading a lexicon takes longer than a thousand sentences, so a loaded program serves every cell that names it.
const programs = new Map();

function programOf(armText) {
  const known = programs.get(armText);
  if (known !== undefined) return known;
  const program = loadProgram(armText);
  programs.set(armText, program);
  return program;
}

function faultOf(error, { code, phase }) {
  return { code, phase, detail: String(error?.message ?? error).slice(0, 2000) };
}

function verdictOf(score) {
  if (!Number.isFinite(score)) throw new Error('the program returned a score that is no number');
  if (score === 0) return { score: 0, says: 'nothing' };
  return { score, says: score > 0 ? 'positive' : 'negative' };
}

/** An in-process host has no process of its own to leave; throwing out of the call is how it dies. */
function dieIfTold(request) {
  if (request.fault === 'host-exit') throw new Error('the host was told to exit');
}

function setUp(request) {
  if (typeof request.input?.text !== 'string') throw new Error('expected input.text');
  return programOf(request.surface.components.program.text);
}

/** Runs the named program over `input.text`. */
export function execute(request, { signal } = {}) {
  dieIfTold(request);
  const stop = startTiming();
  if (signal?.aborted) return executeReceipt(request, { outcome: 'cancelled', timing: stop() });
  let program;
  try {
    program = setUp(request);
  } catch (error) {
    const fault = faultOf(error, { code: 'sandboxStart', phase: 'setup' });
    return executeReceipt(request, { outcome: 'infrastructureFault', fault, timing: stop() });
  }
  try {
    if (request.fault === 'agent-throw') throw new Error('the agent was told to throw');
    const artifact = verdictOf(program(request.input.text));
    return executeReceipt(request, { outcome: 'completed', artifact, timing: stop() });
  } catch (error) {
    const fault = faultOf(error, { code: 'agentCrash', phase: 'agent' });
    return executeReceipt(request, { outcome: 'agentError', fault, timing: stop() });
  }
}

/** Compares the verdict with `expected.class`. */
export function grade(request, { signal } = {}) {
  dieIfTold(request);
  const stop = startTiming();
  if (signal?.aborted) return gradeReceipt(request, { outcome: 'cancelled', timing: stop() });
  try {
    if (request.fault === 'scorer-throw') throw new Error('the scorer was told to throw');
    const result = gradeVerdict(request.artifact.inline, request.expected.class);
    return gradeReceipt(request, { outcome: 'completed', grade: result, timing: stop() });
  } catch (error) {
    const fault = faultOf(error, { code: 'graderCrash', phase: 'grade' });
    return gradeReceipt(request, { outcome: 'evaluatorFailure', fault, timing: stop() });
  }
}
