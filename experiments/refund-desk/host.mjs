// The refund desk's host: reads cell/1 requests as JSON lines, answers each with one receipt/1 line.
// It applies the skill it was sent to the mail it was sent, and grades answers without seeing the skill.
// It never learns which arm a skill belongs to, and it writes nothing but protocol lines to standard output.
import { createInterface } from 'node:readline';
import { gradeAnswer } from './grade.mjs';
import { executeReceipt, gradeReceipt, startTiming } from './receipt.mjs';
import { answerMail, parseSkill } from './skill.mjs';

const HELLO = {
  kind: 'hello',
  protocols: ['cell/1'],
  host: { name: 'refund-desk', version: '1' },
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

// Reading a skill costs more than applying it, and one child sees the same few skills again and again.
const skills = new Map();

function skillOf(text) {
  const known = skills.get(text);
  if (known !== undefined) return known;
  const skill = parseSkill(text);
  skills.set(text, skill);
  return skill;
}

function runAgent(request) {
  if (request.fault === 'agent-throw') throw new Error('the agent was told to throw');
  return answerMail(skillOf(request.surface.components.skill.text), request.input.mail);
}

function execute(request) {
  const stop = startTiming();
  if (
    typeof request.input?.mail !== 'string' ||
    typeof request.surface?.components?.skill?.text !== 'string'
  ) {
    const fault = {
      code: 'protocolViolation',
      phase: 'setup',
      detail: 'expected input.mail and a surface component "skill"',
    };
    return executeReceipt(request, { outcome: 'infrastructureFault', fault, timing: stop() });
  }
  try {
    const artifact = runAgent(request);
    return executeReceipt(request, { outcome: 'completed', artifact, timing: stop() });
  } catch (error) {
    const fault = faultOf(error, { code: 'agentCrash', phase: 'agent' });
    return executeReceipt(request, { outcome: 'agentError', fault, timing: stop() });
  }
}

function runScorer(request) {
  if (request.fault === 'scorer-throw') throw new Error('the scorer was told to throw');
  return gradeAnswer(request.artifact.inline, request.expected);
}

function grade(request) {
  const stop = startTiming();
  try {
    const result = runScorer(request);
    return gradeReceipt(request, { outcome: 'completed', grade: result, timing: stop() });
  } catch (error) {
    const fault = faultOf(error, { code: 'graderCrash', phase: 'grade' });
    return gradeReceipt(request, { outcome: 'evaluatorFailure', fault, timing: stop() });
  }
}

function refuse(text) {
  process.stderr.write(`refund-desk: ${text}\n`);
  process.exit(EXIT_ON_NONSENSE);
}

function parseLine(line) {
  try {
    return JSON.parse(line);
  } catch {
    return refuse('a request line is not JSON; send one cell/1 request per line');
  }
}

function answer(line) {
  const request = parseLine(line);
  if (request?.protocol !== 'cell/1') refuse('a request is not of protocol cell/1');
  if (request.fault === 'host-exit') process.exit(EXIT_ON_REQUEST);
  switch (request.kind) {
    case 'execute':
      return send(execute(request));
    case 'grade':
      return send(grade(request));
    case 'cancel':
      return undefined; // cells end before the next line is read, so there is nothing left to cancel
    default:
      return refuse(`a request has the unknown kind ${JSON.stringify(request.kind)}`);
  }
}

send(HELLO);
createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }).on('line', answer);
