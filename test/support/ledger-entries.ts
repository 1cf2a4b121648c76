/** Entries of every kind, for tests of the format. */
import { createGenesis, type EntryOf, type LedgerEntry } from '../../src/ledger/entry.ts';
import { digestNamed } from './ledger-story.ts';

/** The digest every entry below names. */
export const d = digestNamed('something');
/** Members around the body. */
export const around = {
  v: 1,
  ledger: 'ab'.repeat(16),
  seq: 7,
  prev: d,
  requestId: 'request-1',
  at: '2026-01-01T00:00:00.000Z',
  actor: 'tester',
} as const;
const set = { population: 'mails', unitCount: 2, unitsRoot: d, unitsObject: d };

/** One entry of every kind of the format, also of those not written yet. */
export const everyKind: readonly LedgerEntry[] = [
  createGenesis({
    ledger: around.ledger,
    at: around.at,
    actor: around.actor,
    body: { origin: 'example.com', hash: 'sha256', unicode: '15.1', parent: null },
  }),
  {
    ...around,
    kind: 'policy',
    body: {
      family: 'mails',
      mode: 'alpha-slots',
      alphaNano: 50_000_000,
      weights: [500_000_000],
      retireOnShip: true,
      requireSignature: false,
      requireAnchor: false,
    },
  },
  {
    ...around,
    kind: 'key',
    body: {
      op: 'add',
      keyId: `SHA256:${'A'.repeat(43)}`,
      key: { name: 'ci', type: 'ssh-ed25519', public: 'AAAA', scopes: ['witness'] },
      replaces: null,
      reason: 'r',
      signer: `SHA256:${'B'.repeat(43)}`,
      signature: 'AAAA',
    },
  },
  {
    ...around,
    kind: 'seal',
    body: { experimentId: 'e', sealDigest: d, size: 3, stage: 'plan', plan: null },
  },
  {
    ...around,
    kind: 'amend',
    body: {
      ...{ experimentId: 'e', from: d, to: d, size: 3, reason: 'r' },
      changed: [{ pointer: '/spec/gates/0/threshold', from: d, to: null }],
      seen: { exposures: [d], finals: [d], declared: ['alice: selection scores'] },
    },
  },
  {
    ...around,
    kind: 'reserve',
    body: { experimentId: 'e', plan: d, family: 'mails', ...set, slot: 0, alphaNano: 25_000_000 },
  },
  { ...around, kind: 'release', body: { reserve: 2, reason: 'r' } },
  {
    ...around,
    kind: 'expose',
    body: {
      reserve: 2,
      seal: d,
      arms: [
        { id: 'baseline', digest: d },
        { id: 'r2', digest: d },
      ],
      evaluatorTree: d,
      cellsObject: d,
      disclosure: 'per-unit',
      attempt: 1,
      fence: '01'.repeat(16),
      controlsRoot: d,
    },
  },
  {
    ...around,
    kind: 'attempt',
    body: {
      expose: 3,
      attempt: 2,
      reason: 'r',
      missingCells: 1,
      missingObject: d,
      fence: '02'.repeat(16),
      journal: { lines: 3, digest: d },
    },
  },
  {
    ...around,
    kind: 'journal',
    body: { expose: 3, attempt: 1, journal: { lines: 3, digest: d }, stopped: false },
  },
  {
    ...around,
    kind: 'outcome',
    body: {
      expose: 3,
      attempt: 1,
      receiptsRoot: d,
      receiptsObject: d,
      receiptsCount: 4,
      controlsRoot: d,
      plannedCells: 4,
      missing: 0,
      manifestDigest: d,
      resultDigest: d,
      verdict: 'hold',
      exitCode: 20,
      disclosure: 'aggregate',
      alphaNano: 25_000_000,
    },
  },
  { ...around, kind: 'abort', body: { expose: 3, reason: 'r', receiptsRoot: d } },
  { ...around, kind: 'void', body: { outcome: 4, reason: 'r', evidence: '' } },
  { ...around, kind: 'leak', body: { ...set, source: 's', reason: 'r' } },
  { ...around, kind: 'retire', body: { family: 'mails', units: set, reason: 'r' } },
  {
    ...around,
    kind: 'import',
    body: {
      ...{ forkSeq: 3, forkId: d, size: 5, head: d, root: d },
      ...{ entriesObject: d, contestedObject: d },
    },
  },
  {
    ...around,
    kind: 'anchor',
    body: { size: 4, head: d, root: d, type: 'rfc3161', object: d },
  },
  { ...around, kind: 'develop', body: { experimentId: 'e', ...set, reason: 'search' } },
];

/** The shortest entry. */
export const release: EntryOf<'release'> = {
  ...around,
  kind: 'release',
  body: { reserve: 2, reason: 'r' },
};
