/** Whose signatures count once the ledger itself introduces, replaces and revokes keys. */
import { beforeEach, describe, expect, test } from 'vitest';
import { formatEnvelope, statementType } from '../../src/base/dsse.ts';
import type { Signer } from '../../src/base/signature.ts';
import {
  checkpointOf,
  formatSignedCheckpoint,
  signCheckpoint,
} from '../../src/ledger/checkpoint.ts';
import { isKind } from '../../src/ledger/entry.ts';
import { auditLines } from '../../src/verify/audit.ts';
import { gatherBundle, type NoteFiles } from '../../src/verify/bundle.ts';
import type { Demands } from '../../src/verify/check-trust.ts';
import { parseManifest } from '../../src/verify/record.ts';
import { formatStatement, statementOf } from '../../src/verify/statement.ts';
import type { Verification } from '../../src/verify/verify.ts';
import { checkBundle, smallMails } from '../support/bundles.ts';
import { sealOf } from '../support/forgery.ts';
import { recordKey } from '../support/ledger-keys.ts';
import { bytesOf } from '../support/ledger-story.ts';
import { type SettledRun, settledRun } from '../support/run.ts';
import { plainSigner } from '../support/signers.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
const [alice, ci, next] = [plainSigner('alice'), plainSigner('ci'), plainSigner('alice')];
let run: SettledRun;

beforeEach(async () => {
  run = await settledRun({ folder: await folder(), files: smallMails });
});

/** A checkpoint over the first entries as the ledger is now. */
async function note(signers: readonly Signer[], less = 0): Promise<NoteFiles> {
  const entries = await run.ledger.entries();
  const checkpoint = checkpointOf(entries, entries.length - less);
  const lines = await Promise.all(signers.map((signer) => signCheckpoint(checkpoint, signer)));
  const name = `${String(checkpoint.size).padStart(8, '0')}.txt`;
  return new Map([[name, bytesOf(formatSignedCheckpoint(checkpoint, lines))]]);
}

async function check(demands: Partial<Demands>): Promise<Verification> {
  const bundle = await gatherBundle(run.files, run.ledger, new Map());
  return checkBundle(bundle, { trust: [alice], ...demands });
}

const codes = ({ checks }: Verification): string[] =>
  checks.flatMap(({ id, problems }) => problems.map(({ code }) => `${id} ${code}`));

const lines = ({ audit }: Verification): string =>
  audit === null ? '' : auditLines(audit, 'liftgate').join('\n');

describe('a key that a trusted one has introduced', () => {
  test('counts on checkpoints that cover its entry, and not as a second witness', async () => {
    await recordKey(run.ledger, { op: 'add', key: alice });
    await recordKey(run.ledger, { op: 'add', key: ci, by: alice, scopes: ['witness'] });
    const signed = await check({ notes: await note([ci]), require: ['signed'] });
    expect(codes(signed)).toEqual([]);
    expect(lines(signed)).toContain(`signed by ci`);
    const both = { notes: await note([alice, ci]), require: ['witnessed'] as const };
    expect(codes(await check(both))).toEqual(['witnessed signature-missing']);
    expect(codes(await check({ ...both, trust: [alice, ci] }))).toEqual([]);
  });

  test('does not count on a checkpoint before it, and the audit says why', async () => {
    await recordKey(run.ledger, { op: 'add', key: alice });
    await recordKey(run.ledger, { op: 'add', key: ci, by: alice, scopes: ['witness'] });
    const found = await check({ notes: await note([ci], 1), require: ['signed'] });
    expect(codes(found)).toEqual(['signed signature-missing']);
    expect(lines(found)).toMatch(/not counted: the key of ci was introduced in entry \d+, after/);
  });

  test('counts for nobody who does not trust the first key', async () => {
    await recordKey(run.ledger, { op: 'add', key: alice });
    await recordKey(run.ledger, { op: 'add', key: ci, by: alice, scopes: ['witness'] });
    const found = await check({ notes: await note([ci]), require: ['signed'], trust: [next] });
    expect(codes(found)).toEqual(['signed signature-missing']);
    expect(lines(found)).toMatch(
      /keys {7}alice SHA256:\S+ may sign checkpoint, key since #\d+; nobody you trust stands behind it/,
    );
  });

  test('may sign what its scopes say and nothing else', async () => {
    await recordKey(run.ledger, { op: 'add', key: alice });
    await recordKey(run.ledger, { op: 'add', key: ci, by: alice, scopes: ['statement'] });
    const found = await check({ notes: await note([ci]), require: ['signed'] });
    expect(codes(found)).toEqual(['checkpoints key-misused', 'signed signature-missing']);
    expect(found.exitCode).toBe(41);
  });
});

describe('a key that has ended', () => {
  test('signs nothing later: a signature after its revocation is a fault', async () => {
    await recordKey(run.ledger, { op: 'add', key: alice });
    await recordKey(run.ledger, { op: 'add', key: ci, by: alice });
    await recordKey(run.ledger, { op: 'revoke', key: alice, by: ci });
    const late = await check({ notes: await note([alice]), require: ['signed'] });
    expect(codes(late)).toEqual(['checkpoints key-misused', 'signed signature-missing']);
    const early = { notes: await note([alice], 1), require: ['signed'] as const };
    expect(codes(await check(early))).toEqual(['signed signature-missing']);
    const vouched = new Map([...early.notes, ...(await note([ci]))]);
    expect(codes(await check({ ...early, notes: vouched }))).toEqual([]);
  });

  test('by a successor keeps what it signed before', async () => {
    await recordKey(run.ledger, { op: 'add', key: alice });
    await recordKey(run.ledger, { op: 'rotate', key: next, replaces: alice, by: alice });
    const early = await check({ notes: await note([alice], 1), require: ['signed'] });
    expect(codes(early)).toEqual([]);
    const late = await check({ notes: await note([next]), require: ['signed'] });
    expect(codes(late)).toEqual([]);
    expect(lines(late)).toMatch(
      /alice SHA256:\S+ may sign checkpoint, key since #\d+, rotated in #/,
    );
  });
});

describe('a statement', () => {
  const about = async (...signers: Signer[]) => {
    const entry = (await run.ledger.entries()).find((each) => isKind(each.entry, 'outcome'));
    if (entry === undefined) throw new Error('no outcome');
    const result = { manifest: parseManifest(run.files), document: run.result.document };
    const statement = statementOf({ seal: sealOf(run.files), entry, result });
    const body = bytesOf(formatStatement(statement));
    return { file: 'x', bytes: bytesOf(await formatEnvelope(statementType, body, signers)) };
  };

  test('counts under a key introduced for statements, and not once that was revoked', async () => {
    await recordKey(run.ledger, { op: 'add', key: alice });
    await recordKey(run.ledger, { op: 'add', key: ci, by: alice, scopes: ['statement'] });
    const demands = { statement: await about(ci), require: ['signed'] as const };
    expect(codes(await check(demands))).toEqual([]);
    await recordKey(run.ledger, { op: 'revoke', key: ci, by: alice });
    expect(codes(await check(demands))).toEqual([
      'statement signature-missing',
      'signed signature-missing',
    ]);
  });

  test('of a key that may sign checkpoints alone is a misuse', async () => {
    await recordKey(run.ledger, { op: 'add', key: alice });
    const found = await check({ statement: await about(alice), require: ['signed'] });
    expect(codes(found)).toEqual(['statement key-misused', 'signed signature-missing']);
  });
});
