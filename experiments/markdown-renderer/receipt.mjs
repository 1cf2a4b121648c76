// Receipts of protocol receipt/1 as this host writes them, and the two digests it computes from what it received.
import { createHash } from 'node:crypto';

/** JSON text with keys in code-unit order and no spaces: the bytes every digest is taken over. */
export function canonicalText(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`).join(',')}}`;
}

/** `sha256:<64 hex>` of a text's UTF-8 bytes. */
export function digestOf(text) {
  return `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`;
}

/** The digest of a bundle, recomputed from the component texts this host loaded. */
export function surfaceDigest(surface) {
  const components = {};
  for (const [name, { text }] of Object.entries(surface.components))
    components[name] = digestOf(text);
  return digestOf(canonicalText({ components, kind: 'bundle' }));
}

/** Starts a stopwatch; calling the result ends it. Active time is above zero whatever the clock's resolution. */
export function startTiming() {
  const startedAt = new Date().toISOString();
  const from = performance.now();
  return () => ({
    startedAt,
    endedAt: new Date().toISOString(),
    activeMs: Math.max(0.001, Math.round((performance.now() - from) * 1000) / 1000),
    waitedMs: 0,
    firstOutputMs: null,
  });
}

const FREE = {
  costUsd: 0,
  costKnown: true,
  costSource: 'declared',
  tokens: null,
  tokensKnown: false,
};

/** The receipt of one execution; `artifact` is any JSON value, or undefined when there is none. */
export function executeReceipt(request, { outcome, fault = null, artifact, timing }) {
  return {
    protocol: 'receipt/1',
    kind: 'execute',
    cellKey: request.cellKey,
    attempt: request.attempt,
    experimentDigest: request.experimentDigest,
    inputDigest: digestOf(canonicalText(request.input)),
    surfaceLoadedDigest: surfaceDigest(request.surface),
    outcome,
    fault,
    artifact: artifact === undefined ? null : { mediaType: 'application/json', inline: artifact },
    usage: FREE,
    timing,
    internalRetries: {},
    model: null,
    logs: null,
  };
}

/** The receipt of one grading; without a grade neither scores nor findings exist. */
export function gradeReceipt(request, { outcome, fault = null, grade, timing }) {
  return {
    protocol: 'receipt/1',
    kind: 'grade',
    cellKey: request.cellKey,
    attempt: request.attempt,
    experimentDigest: request.experimentDigest,
    outcome,
    fault,
    scores: grade?.scores ?? {},
    critical: grade?.critical ?? null,
    gradeUsage: null,
    timing,
  };
}
