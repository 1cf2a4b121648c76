import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';

const digest = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

function readPrice({ fault, input, surface }) { // the agent: yours is called here
  if (fault === 'agent-throw') throw new Error('told to throw');
  const { pattern } = JSON.parse(surface.components.rule.text);
  if (pattern === null) return 999;
  const found = input.note.match(new RegExp(pattern));
  return found === null ? null : Number(found[0].replace(',', '.'));
}

function execute(request) {
  const startedAt = new Date().toISOString();
  const start = performance.now();
  const components = Object.entries(request.surface.components).map(([name, { text }]) => [name, digest(text)]);
  let result;
  try {
    const price = readPrice(request);
    result = { outcome: 'completed', fault: null, artifact: { mediaType: 'application/json', inline: { price } } };
  } catch (error) {
    result = { outcome: 'agentError', fault: { code: 'agentCrash', phase: 'agent', detail: String(error) }, artifact: null };
  }
  const activeMs = Math.max(0.001, performance.now() - start);
  return {
    ...result,
    inputDigest: digest(canonical(request.input)),
    surfaceLoadedDigest: digest(canonical({ kind: 'bundle', components: Object.fromEntries(components) })),
    usage: { costUsd: 0, costKnown: true, costSource: 'declared' },
    timing: { startedAt, endedAt: new Date().toISOString(), activeMs },
  };
}

function grade({ fault, artifact, expected }) { // the scorer: one number per measure
  if (fault === 'scorer-throw') {
    return { outcome: 'evaluatorFailure', fault: { code: 'graderCrash', phase: 'grade' }, critical: null };
  }
  const { price } = artifact.inline;
  const invented = price === 999;
  return {
    outcome: 'completed',
    scores: { right: price === expected.price ? 1 : 0, invented: invented ? 1 : 0 },
    critical: invented ? [{ id: 'invented', detail: 'a price no note names' }] : [],
  };
}

send({ kind: 'hello', protocols: ['cell/1'], host: { name: 'prices', version: '1' }, supports: ['execute', 'grade'] });
createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line);
  const { kind, cellKey, attempt, experimentDigest } = request;
  if (request.fault === 'host-exit') process.exit(3);
  if (kind === 'cancel') return;
  const result = kind === 'execute' ? execute(request) : grade(request);
  send({ protocol: 'receipt/1', kind, cellKey, attempt, experimentDigest, ...result });
});
