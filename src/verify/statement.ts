/**
 * Statements for others: what was sealed or decided, as an in-toto Statement v1, for policy engines that know nothing of Liftgate. In a
 * DSSE envelope it says who stands behind it. Canonical JSON:
 *
 *     {"_type": "https://in-toto.io/Statement/v1",
 *      "subject": [{"name": "desk.seal.json", "digest": {"sha256": "..."}}, ...],
 *      "predicateType": "liftgate/release-evidence/v1",
 *      "predicate": {"stage": "outcome", "experimentId": "desk", "seal": "sha256:...", "plan": ..., "design": ..., "cases": ...,
 *                    "entry": {"ledger": "...", "seq": 9, "id": "sha256:..."},
 *                    "result": {"manifest": "sha256:...", "evidence": "confirmatory", "exitCode": 0,
 *                               "decisions": [{"candidate", "decision", "reason", "improvement", "interval", "n"}]}}}
 *
 * subject  the seal's file, then per candidate that is bound `candidate:ID` (its tree digest) and its files by path
 * stage    `plan` and `final` name the ledger entry of that seal and have no result; `outcome` names the outcome entry, whose id fixes
 *          the whole ledger before it
 *
 * A future version changes the word in `predicateType`.
 */
import { canonicalText } from '../base/canonical.ts';
import { digestHex } from '../base/digest.ts';
import { openEnvelope, parseEnvelope, statementType } from '../base/dsse.ts';
import { LiftgateError } from '../base/errors.ts';
import * as z from '../base/shape.ts';
import { fingerprintOf } from '../base/signature.ts';
import { readJson } from '../base/strict-json.ts';
import type { TrustedKey } from '../base/trust.ts';
import type { StoredEntry } from '../ledger/entry.ts';
import { type DecisionDocument, parseDecision, verdictSchema } from '../report/decision.ts';
import { parseSeal, type SealedExperiment, sealDigest } from '../spec/seal.ts';
import { digestSchema, idSchema } from '../spec/words.ts';
import { checkEntries, outcomeOf } from './check-entries.ts';
import type { LedgerView, Reading } from './reading.ts';
import {
  manifestDigest,
  parseManifest,
  type RunFiles,
  type RunManifest,
  runFile,
  runFileNames,
} from './record.ts';

/** Type and version word of the predicate. */
export const predicateType = 'liftgate/release-evidence/v1';

/** Recorded shape of a statement. */
export const statementSchema = z.strictObject({
  _type: z.literal('https://in-toto.io/Statement/v1'),
  subject: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        digest: z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
      }),
    )
    .min(1),
  predicateType: z.literal(predicateType),
  predicate: z.strictObject({
    stage: z.enum(['plan', 'final', 'outcome']),
    experimentId: idSchema,
    seal: digestSchema,
    plan: digestSchema.nullable(),
    design: digestSchema,
    cases: digestSchema,
    entry: z.strictObject({ ledger: z.string(), seq: z.int().min(0), id: digestSchema }),
    result: z
      .strictObject({
        manifest: digestSchema,
        evidence: verdictSchema.shape.evidence,
        exitCode: z.int(),
        decisions: verdictSchema.shape.decisions,
      })
      .nullable(),
  }),
});
/** What was sealed or decided, for others. */
export type Statement = z.infer<typeof statementSchema>;

/** What a statement is made of. */
export interface StatementParts {
  readonly seal: SealedExperiment;
  /** Entry of the seal, or with a result the outcome entry. */
  readonly entry: StoredEntry;
  readonly result: { readonly manifest: RunManifest; readonly document: DecisionDocument } | null;
}

/** The statement about a seal, or about the result of its run. */
export function statementOf({ seal, entry, result }: StatementParts): Statement {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjectsOf(seal),
    predicateType,
    predicate: {
      stage: result === null ? seal.stage : 'outcome',
      experimentId: seal.experimentId,
      seal: sealDigest(seal),
      plan: seal.plan,
      design: seal.digests.design,
      cases: seal.digests.cases,
      entry: { ledger: entry.entry.ledger, seq: entry.entry.seq, id: entry.entryId },
      result: result === null ? null : resultOf(result.manifest, result.document),
    },
  };
}

function resultOf(
  manifest: RunManifest,
  { verdict }: DecisionDocument,
): Statement['predicate']['result'] {
  const { evidence, exitCode, decisions } = verdict;
  return { manifest: manifestDigest(manifest), evidence, exitCode, decisions };
}

/** The seal's file and the candidates that exist; a file that two candidates share is named once. */
function subjectsOf(seal: SealedExperiment): Statement['subject'] {
  const subjects = new Map([[`${seal.experimentId}.seal.json`, digestHex(sealDigest(seal))]]);
  for (const arm of seal.arms) {
    if (arm.role !== 'candidate' || arm.surfaceDigest === null) continue;
    subjects.set(`candidate:${arm.id}`, digestHex(arm.tree));
    for (const { path, sha256 } of arm.materials) subjects.set(path, sha256);
  }
  return [...subjects].map(([name, sha256]) => ({ name, digest: { sha256 } }));
}

/** Exact bytes of a statement as they are signed. */
export function formatStatement(statement: Statement): string {
  return canonicalText(statement);
}

/** A statement and the trusted keys that have signed it; none when it lies in no envelope. */
export interface SignedStatement {
  readonly statement: Statement;
  readonly signers: readonly TrustedKey[];
}

/**
 * Opens an envelope with a statement of ours, or reads a bare statement, which nobody vouches for.
 *
 * @param file  how messages call it
 * @throws {LiftgateError} json-invalid, signature-invalid  when no trusted key signed it, a trusted key's signature does not hold, or
 *                                                          what was signed is no such statement
 */
export function openStatement(
  envelope: Uint8Array,
  { trust, file }: { readonly trust: readonly TrustedKey[]; readonly file: string },
): SignedStatement {
  const bare = statementSchema.safeParse(readJson(envelope, { file }));
  if (bare.success) return { statement: bare.data, signers: [] };
  const parsed = parseEnvelope(envelope, file);
  const { body } = openEnvelope(parsed, { payloadType: statementType, trust, file });
  const shape = statementSchema.safeParse(readJson(body, { file }));
  if (!shape.success) {
    throw new LiftgateError(
      'signature-invalid',
      `What was signed is no statement of type ${predicateType}.`,
      { where: { file }, mend: 'Name the .dsse.json file that Liftgate wrote for this run.' },
    );
  }
  const signers = trust.filter(({ key }) =>
    parsed.signatures.some(({ keyid }) => keyid === fingerprintOf(key)),
  );
  return { statement: shape.data, signers };
}

/**
 * The statement about the outcome of a run, whose files and ledger were verified before.
 * @throws {LiftgateError} run-invalid, seal-invalid, ledger-conflict  when the ledger records no outcome of it
 */
export function statementOfRun(files: RunFiles, ledger: LedgerView): Statement {
  const seal = parseSeal(runFile(files, runFileNames.seal), runFileNames.seal);
  const read: Reading = {};
  checkEntries(files, seal, read);
  const manifest = parseManifest(files);
  const outcome = read.entries === undefined ? null : outcomeOf(ledger, read.entries, manifest);
  if (outcome === null) {
    throw new LiftgateError('ledger-conflict', 'The ledger records no outcome of this run.', {
      mend: 'Finish the run with `liftgate run`, and name the ledger that recorded it with --ledger.',
    });
  }
  const document = parseDecision(runFile(files, runFileNames.decision), runFileNames.decision);
  return statementOf({ seal, entry: outcome.stored, result: { manifest, document } });
}
