/** Bodies of the ledger's entries, one strict schema per kind; the format around them stands in `entry.ts`. */
import * as z from '../base/shape.ts';
import { changeSchema, maximumChanges, seenSchema } from '../spec/amendment.ts';
import { digestSchema, idSchema, textSchema } from '../spec/words.ts';

/** 32 lower-case hex digits: ledger ids and fences, 128 random bits each. */
export const hex32Schema = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'expected 32 lower-case hex digits (128 random bits)');

/** Largest entry number: names have eight digits. */
export const maximumSeq = 99_999_999;

/** Number of an entry, 0 .. 99,999,999. */
export const seqSchema = z.int().min(0).max(maximumSeq);

/** Error in units of 1e-9, so that budgets are summed exactly: 25,000,000 is 0.025. */
export const alphaNanoSchema = z.int().min(0).max(1_000_000_000);

/** How much of a final measurement its readers saw. */
export const disclosureSchema = z.enum(['gate-bit', 'rounded', 'aggregate', 'per-unit']);
/** `gate-bit`: ship or not; `rounded`: a score on a grid; `aggregate`: counts and intervals; `per-unit`: everything. */
export type Disclosure = z.infer<typeof disclosureSchema>;

/** The five decisions an outcome can record. */
export const verdictSchema = z.enum([
  'ship',
  'hold',
  'need_more_work',
  'model_ceiling',
  'arch_ceiling',
]);

const countSchema = z.int().min(0);

/** Count, Merkle root and stored list of a set of units. */
const unitSet = {
  population: idSchema,
  unitCount: z.int().min(1),
  unitsRoot: digestSchema,
  unitsObject: digestSchema,
};

/** Defines the ledger's identity; only entry 0. `parent` is the head of the ledger this one continues. */
export const genesisBody = z.strictObject({
  origin: z.string().min(1).max(256),
  hash: z.literal('sha256'),
  unicode: z.string().min(1).max(32),
  parent: digestSchema.nullable(),
});

/**
 * Reuse policy of a family of units: `alphaNano` is the error of all its slots together (one-shot: of each measurement), `weights` the
 * shares of the slots in units of 1e-9. `requireSignature` and `requireAnchor` are enforced by `policy-demands.ts`; `online-fdr` is refused.
 */
export const policyBody = z.strictObject({
  family: idSchema,
  mode: z.enum(['one-shot', 'alpha-slots', 'online-fdr']),
  alphaNano: alphaNanoSchema,
  weights: z.array(alphaNanoSchema).max(1000),
  retireOnShip: z.boolean(),
  requireSignature: z.boolean(),
  requireAnchor: z.boolean(),
});

/**
 * What a key may sign: checkpoints, others' checkpoints, statements about a run, other keys, entries of this ledger. Receipts are refused
 * until something checks them.
 */
const keyScopeSchema = z.enum(['checkpoint', 'witness', 'statement', 'key', 'receipt', 'entry']);
export type KeyScope = z.infer<typeof keyScopeSchema>;

/** Fingerprint of a key as `ssh-keygen -l` prints it. */
const keyIdSchema = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'expected a fingerprint such as SHA256: and 43 characters');

/** Name a signature carries. */
const signerNameSchema = z
  .string()
  .regex(
    /^[^\s+,*?!\p{Cc}\p{Cs}]{1,100}$/u,
    'a signer has no spaces, commas, plus signs or patterns',
  );

/**
 * A signing key: introduced, put in the place of another (`replaces`), or revoked (`key` null). `public` is the blob of an SSH public
 * key in base64; `signer` signed for it, see `keys.ts`.
 */
export const keyBody = z.strictObject({
  op: z.enum(['add', 'rotate', 'revoke']),
  keyId: keyIdSchema,
  key: z
    .strictObject({
      name: signerNameSchema,
      type: z.string().min(1).max(64),
      public: z.string().min(1).max(4096),
      scopes: z.array(keyScopeSchema).min(1).max(6),
    })
    .nullable(),
  replaces: keyIdSchema.nullable(),
  reason: textSchema,
  signer: keyIdSchema,
  signature: z.string().min(1).max(8192),
});

/** Who signed an entry, and its signature in base64; what is signed: `policy-demands.ts`. */
export const entrySignatureSchema = z.strictObject({
  signer: keyIdSchema,
  value: z.string().min(1).max(8192),
});

/** Makes a seal visible, also when it is never used. `plan` is null for a plan and the plan's digest for a final seal. */
export const sealBody = z.strictObject({
  experimentId: idSchema,
  sealDigest: digestSchema,
  size: z.int().min(1),
  stage: z.enum(['plan', 'final']),
  plan: digestSchema.nullable(),
});

/** Replaces a plan by another before its exposure; `size` is that of the new seal, whose last amendment says the same. */
export const amendBody = z.strictObject({
  experimentId: idSchema,
  from: digestSchema,
  to: digestSchema,
  size: z.int().min(1),
  reason: textSchema,
  changed: z.array(changeSchema).min(1).max(maximumChanges),
  seen: seenSchema,
});

/** Exclusive claim on units, and the slot and error held for their one measurement. */
export const reserveBody = z.strictObject({
  experimentId: idSchema,
  plan: digestSchema,
  family: idSchema,
  ...unitSet,
  slot: countSchema,
  alphaNano: alphaNanoSchema,
});

/** Frees units that were never exposed; `reserve` is the number of the reservation. */
export const releaseBody = z.strictObject({ reserve: seqSchema, reason: textSchema });

/**
 * Irreversible: the candidates are fixed, one dispatcher may start. `reserve` is the number of the reservation, `controlsRoot` the root
 * over the receipts of the controls, which ran before; exposures recorded before it was introduced have none.
 */
export const exposeBody = z.strictObject({
  reserve: seqSchema,
  seal: digestSchema,
  arms: z
    .array(z.strictObject({ id: idSchema, digest: digestSchema }))
    .min(2)
    .max(1000),
  evaluatorTree: digestSchema,
  cellsObject: digestSchema,
  disclosure: disclosureSchema,
  attempt: z.literal(1),
  fence: hex32Schema,
  controlsRoot: digestSchema.optional(),
});

/** A journal as far as it was read: its first lines, and the SHA-256 of their bytes. */
export const journalMarkSchema = z.strictObject({ lines: countSchema, digest: digestSchema });
/** What the ledger knows of a journal; `{lines: 0, digest: SHA-256 of nothing}` before the first line. */
export type JournalMark = z.infer<typeof journalMarkSchema>;

/**
 * Resumes an exposed experiment under the same seal with a new fence; `expose` is the number of the exposure, `journal` what the
 * new runner found.
 */
export const attemptBody = z.strictObject({
  expose: seqSchema,
  attempt: z.int().min(2).max(10_000),
  reason: textSchema,
  missingCells: countSchema,
  missingObject: digestSchema.nullable(),
  fence: hex32Schema,
  journal: journalMarkSchema,
});

/**
 * What the journal of an exposure holds while its cells run: whoever resumes must find these lines again. `stopped` says that the
 * runner ended its session there and wrote no line after them.
 */
export const journalBody = z.strictObject({
  expose: seqSchema,
  attempt: z.int().min(1).max(10_000),
  journal: journalMarkSchema,
  stopped: z.boolean(),
});

/**
 * Settles an exposure with its decision; `receiptsCount` counts all attempts, `missing` the cells without an outcome. `controlsRoot`
 * is that of the exposure; outcomes recorded before it was introduced have none.
 */
export const outcomeBody = z.strictObject({
  expose: seqSchema,
  attempt: z.int().min(1).max(10_000),
  receiptsRoot: digestSchema,
  receiptsObject: digestSchema.nullable(),
  receiptsCount: countSchema,
  controlsRoot: digestSchema.optional(),
  plannedCells: countSchema,
  missing: countSchema,
  manifestDigest: digestSchema,
  resultDigest: digestSchema,
  verdict: verdictSchema,
  exitCode: z.int().min(0).max(255),
  disclosure: disclosureSchema,
  alphaNano: alphaNanoSchema,
});

/** Settles an exposure without a result; its units stay exposed. */
export const abortBody = z.strictObject({
  expose: seqSchema,
  reason: textSchema,
  receiptsRoot: digestSchema,
});

/** A recorded result that must not be used; units and error stay spent. `outcome` is the number of the outcome. */
export const voidBody = z.strictObject({
  outcome: seqSchema,
  reason: textSchema,
  evidence: z.string().max(4000),
});

/** Units contaminated outside the workflow; `source` says where. They are never reserved again. */
export const leakBody = z.strictObject({ ...unitSet, source: textSchema, reason: textSchema });

/** No further measurement of units of a family, or with `units` null of any unit of it. */
export const retireBody = z.strictObject({
  family: idSchema,
  units: z.strictObject(unitSet).nullable(),
  reason: textSchema,
});

/**
 * Conservative merge of another branch of this ledger: `forkSeq` is the number of the first entry that differs, `forkId` the identity
 * of the last common one; `size`, `head` and `root` (Merkle) are those of their whole ledger. Their entries from `forkSeq` on lie
 * verbatim in `entriesObject`; units that both sides claimed stand in `contestedObject`, null when there are none.
 */
export const importBody = z.strictObject({
  forkSeq: z.int().min(1).max(maximumSeq),
  forkId: digestSchema,
  size: z.int().min(2).max(maximumSeq),
  head: digestSchema,
  root: digestSchema,
  entriesObject: digestSchema,
  contestedObject: digestSchema.nullable(),
});

/**
 * Binds the first `size` entries, by `head` (identity of the last of them) and Merkle `root`, to a proof kept outside: a reply of a
 * time-stamping authority (RFC 3161), an OpenTimestamps file, a git commit that holds them, a note that witnesses signed.
 */
export const anchorBody = z.strictObject({
  size: z.int().min(1).max(maximumSeq),
  head: digestSchema,
  root: digestSchema,
  type: z.enum(['rfc3161', 'ots', 'git-commit', 'witness']),
  object: digestSchema,
});

/** Units used in development: optimizers and controls may read them, a final measurement never. */
export const developBody = z.strictObject({
  experimentId: idSchema,
  ...unitSet,
  reason: textSchema,
});
