import { beforeAll, describe, expect, test } from 'vitest';
import { formatEnvelope, statementType } from '../../src/base/dsse.ts';
import type { Signer } from '../../src/base/signature.ts';
import type { TrustedKey } from '../../src/base/trust.ts';
import {
  checkpointOf,
  formatSignedCheckpoint,
  signCheckpoint,
} from '../../src/ledger/checkpoint.ts';
import { isKind } from '../../src/ledger/entry.ts';
import { auditLines } from '../../src/verify/audit.ts';
import { type Bundle, gatherBundle, type NoteFiles } from '../../src/verify/bundle.ts';
import type { Demands } from '../../src/verify/check-trust.ts';
import { parseManifest } from '../../src/verify/record.ts';
import { formatStatement, type Statement, statementOf } from '../../src/verify/statement.ts';
import { checkRun, type Verification } from '../../src/verify/verify.ts';
import { checkBundle, smallMails } from '../support/bundles.ts';
import { sealOf } from '../support/forgery.ts';
import { bytesOf, recordPlan } from '../support/ledger-story.ts';
import { type SettledRun, settledRun } from '../support/run.ts';
import { plainSigner } from '../support/signers.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
const alice = plainSigner('alice');
const ci = plainSigner('ci');
const mallory = plainSigner('mallory');
const trust: readonly TrustedKey[] = [alice, ci];
let run: SettledRun;
let bundle: Bundle;
let outcomeSeq = 0;

beforeAll(async () => {
  run = await settledRun({ folder: await folder(), files: smallMails });
  await recordPlan(run.ledger, 'later');
  bundle = await gatherBundle(run.files, run.ledger, new Map());
  outcomeSeq = bundle.entries.find(({ entry }) => isKind(entry, 'outcome'))?.entry.seq ?? -1;
});

/** A folder with one checkpoint over the first entries, signed by these. */
async function noteOf(
  signers: readonly Signer[],
  size = bundle.entries.length,
): Promise<NoteFiles> {
  const checkpoint = checkpointOf(bundle.entries, size);
  const lines = await Promise.all(signers.map((signer) => signCheckpoint(checkpoint, signer)));
  const name = `${String(size).padStart(8, '0')}.txt`;
  return new Map([[name, bytesOf(formatSignedCheckpoint(checkpoint, lines))]]);
}

const codes = ({ checks }: Verification): string[] =>
  checks.flatMap(({ id, problems }) => problems.map(({ code }) => `${id} ${code}`));

describe('checkTrust', () => {
  test('adds nothing when there is nothing to check', async () => {
    const { checks } = await checkBundle(bundle, { trust });
    expect(checks.map(({ id }) => id).slice(-2)).toEqual(['ledger', 'outcome']);
  });

  const cases: [string, () => Promise<Partial<Demands>>, string[]][] = [
    ['signed by nobody', async () => ({ require: ['signed'] }), ['signed signature-missing']],
    ['signed by one', async () => ({ require: ['signed'], notes: await noteOf([alice]) }), []],
    [
      'signed by one nobody trusts',
      async () => ({ require: ['signed'], notes: await noteOf([mallory]) }),
      ['signed signature-missing'],
    ],
    [
      'signed before the outcome',
      async () => ({ require: ['signed'], notes: await noteOf([alice], outcomeSeq) }),
      ['signed signature-missing'],
    ],
    [
      'signed at the outcome',
      async () => ({ require: ['signed'], notes: await noteOf([alice], outcomeSeq + 1) }),
      [],
    ],
    [
      'witnessed by one',
      async () => ({ require: ['signed', 'witnessed'], notes: await noteOf([alice]) }),
      ['witnessed signature-missing'],
    ],
    [
      'witnessed by one key under two names',
      async () => ({
        require: ['witnessed'],
        trust: [alice, { name: 'other', key: alice.key }],
        notes: await noteOf([alice, { ...alice, name: 'other' }]),
      }),
      ['witnessed signature-missing'],
    ],
    [
      'witnessed by two keys of one name',
      async () => ({
        require: ['witnessed'],
        trust: [alice, { name: 'alice', key: ci.key }],
        notes: await noteOf([alice, { ...ci, name: 'alice' }]),
      }),
      ['witnessed signature-missing'],
    ],
    [
      'witnessed by two',
      async () => ({ require: ['witnessed'], notes: await noteOf([alice, ci]) }),
      [],
    ],
    [
      'witnessed by two on different checkpoints',
      async () => ({
        require: ['witnessed'],
        notes: new Map([...(await noteOf([alice])), ...(await noteOf([ci], outcomeSeq + 1))]),
      }),
      [],
    ],
    [
      'anchored by a file that is no time stamp',
      async () => ({ require: ['anchored'], notes: new Map([['00000009.tsr', bytesOf('x')]]) }),
      ['anchored anchor-missing'],
    ],
  ];
  test.each(cases)('finds an outcome %s', async (_what, demands, expected) => {
    const found = await checkBundle(bundle, { trust, ...(await demands()) });
    expect(codes(found)).toEqual(expected);
    expect(found.exitCode).toBe(expected.length === 0 ? 0 : 41);
  });

  test('says of every proof why it counts for nothing', async () => {
    const notes = new Map([['00000099.tsr', bytesOf('x')]]);
    const { checks } = await checkBundle(bundle, { require: ['anchored'], notes });
    expect(checks.at(-1)?.detail).toMatch(
      /^no outside proof that counts for this reader .*\(there is none\)$/,
    );
    const name = `${String(bundle.entries.length).padStart(8, '0')}.tsr`;
    const beside = new Map([[name, bytesOf('x')]]);
    const found = await checkBundle(bundle, { require: ['anchored'], notes: beside });
    expect(found.checks.at(-1)?.detail).toContain(
      `(${name}: This is no time stamp: it ends early.)`,
    );
  });

  test('refuses a trusted signature that does not hold', async () => {
    const notes = new Map(
      [...(await noteOf([alice]))].map(([name, bytes]) => {
        const text = new TextDecoder().decode(bytes);
        return [
          name,
          bytesOf(
            text.replace(/(.)(.{8})\n$/, (_, one, rest) => `${one === 'A' ? 'B' : 'A'}${rest}\n`),
          ),
        ];
      }),
    );
    const found = await checkBundle(bundle, { trust, notes, require: ['signed'] });
    expect(codes(found)).toEqual(['checkpoints signature-invalid', 'signed signature-missing']);
    expect(found.exitCode).toBe(41);
    const untrusted = await checkBundle(bundle, { trust: [ci], notes });
    expect(untrusted.exitCode).toBe(0);
  });

  test('refuses a ledger that its own checkpoint contradicts: 42', async () => {
    const other = await settledRun({
      folder: await folder(),
      files: { ...smallMails, 'rules/new.txt': '11' },
    });
    const foreign = checkpointOf(await other.ledger.entries());
    const line = await signCheckpoint(foreign, alice);
    const name = `${String(foreign.size).padStart(8, '0')}.txt`;
    const notes = new Map([[name, bytesOf(formatSignedCheckpoint(foreign, [line]))]]);
    const found = await checkBundle(bundle, { trust, notes, require: ['signed'] });
    expect(codes(found)).toEqual([
      'checkpoints checkpoint-contradicted',
      'signed signature-missing',
    ]);
    expect(found.exitCode).toBe(42);
  });

  test('never calls a demand met without a ledger', () => {
    const demands = { notes: new Map(), trust, require: ['signed'], statement: null } as const;
    const found = checkRun(run.files, null, demands);
    expect(codes(found)).toEqual(['signed signature-missing']);
    expect(found.exitCode).toBe(41);
  });
});

describe('a signed statement', () => {
  const about = (stage: 'plan' | 'final' | 'outcome'): Statement => {
    const seal = sealOf(run.files);
    const entry = bundle.entries.find((each) =>
      stage === 'outcome'
        ? isKind(each.entry, 'outcome')
        : isKind(each.entry, 'seal') && each.entry.body.stage === 'final',
    );
    if (entry === undefined) throw new Error('no such entry');
    const result = { manifest: parseManifest(run.files), document: run.result.document };
    return statementOf({ seal, entry, result: stage === 'outcome' ? result : null });
  };
  const signed = async (statement: unknown, ...signers: Signer[]) => ({
    file: 'x.dsse.json',
    bytes: bytesOf(
      await formatEnvelope(
        statementType,
        bytesOf(formatStatement(statement as Statement)),
        signers,
      ),
    ),
  });

  test('about the outcome counts as a signature, and two as witnesses', async () => {
    const one = await checkBundle(bundle, {
      trust,
      statement: await signed(about('outcome'), alice),
      require: ['signed', 'witnessed'],
    });
    expect(codes(one)).toEqual(['witnessed signature-missing']);
    const two = await checkBundle(bundle, {
      trust,
      statement: await signed(about('outcome'), alice, ci),
      require: ['signed', 'witnessed'],
    });
    expect(two.exitCode).toBe(0);
  });

  test('about the seal holds, and does not vouch for the outcome', async () => {
    const found = await checkBundle(bundle, {
      trust,
      statement: await signed(about('final'), alice),
      require: ['signed'],
    });
    expect(codes(found)).toEqual(['signed signature-missing']);
  });

  test('names the seal, the candidates and their files', () => {
    const { subject, predicate } = about('outcome');
    expect(subject.map(({ name }) => name)).toEqual([
      'mails.seal.json',
      'candidate:new',
      'rules/new.txt',
    ]);
    expect(predicate.entry.seq).toBe(outcomeSeq);
    expect(predicate.result?.decisions[0]?.decision).toBe('ship');
    expect(predicate.result?.decisions[0]?.interval?.level).toBe(0.95);
  });

  test('of nobody trusted, or changed after it was signed, is refused', async () => {
    const foreign = await signed(about('outcome'), mallory);
    expect(codes(await checkBundle(bundle, { trust, statement: foreign }))).toEqual([
      'statement signature-invalid',
    ]);
    const { bytes, file } = await signed(about('outcome'), alice);
    const text = new TextDecoder().decode(bytes);
    const changed = { file, bytes: bytesOf(text.replace('"payload":"e', '"payload":"f')) };
    expect(changed.bytes).not.toEqual(bytes);
    expect(codes(await checkBundle(bundle, { trust, statement: changed }))).toEqual([
      'statement signature-invalid',
    ]);
  });

  test('that says something else than the run is refused, naming the member', async () => {
    const statement = about('outcome');
    const { predicate } = statement;
    const changes: [unknown, string][] = [
      [
        { ...statement, predicate: { ...predicate, design: predicate.seal } },
        'predicate.design differ',
      ],
      [
        { ...statement, predicate: { ...predicate, entry: { ...predicate.entry, seq: 3 } } },
        'predicate.entry differ',
      ],
      [{ ...statement, subject: statement.subject.slice(1) }, 'subject differ'],
    ];
    for (const [changed, said] of changes) {
      const found = await checkBundle(bundle, { trust, statement: await signed(changed, alice) });
      expect(codes(found)).toEqual(['statement statement-differs']);
      expect(found.checks.at(-1)?.detail).toContain(said);
    }
    const strange = await signed({ ...statement, extra: 1 }, alice);
    expect(codes(await checkBundle(bundle, { trust, statement: strange }))).toEqual([
      'statement signature-invalid',
    ]);
  });
});

describe('auditLines', () => {
  test('shows ledger, signers, entries, arms, the recomputed decision and the history of the claim', async () => {
    const notes = await noteOf([alice]);
    const { audit } = await checkBundle(bundle, { trust, notes });
    if (audit === null) throw new Error('no audit');
    const lines = auditLines(audit, 'liftgate 9.9.9').join('\n');
    expect(lines).toContain(`${bundle.entries.length} entries, sound, head ${audit.ledger.head}`);
    expect(lines).toContain(`${outcomeSeq + 2} entries, signed by alice`);
    expect(lines).toContain('every entry is signed for');
    expect(lines).toContain(`outcome #${outcomeSeq}: ship`);
    expect(lines).toContain('10 units of mails (family mails), 10 final cases');
    expect(lines).toContain('recomputed: new ship = recorded');
    expect(lines).toContain('1 plan seal of this name (0 never measured), 0 other final seals');
    expect(lines).toContain(
      'family mails (one-shot): 1 final measurement, error spent 0.050000000, held 0.000000000',
    );
    expect(lines).toContain('checked by liftgate 9.9.9');
  });

  test('counts plans of the same name that were sealed and never measured', async () => {
    const at = await folder();
    const settled = await settledRun({ folder: at, files: smallMails });
    await settled.ledger.append({
      kind: 'seal',
      requestId: 'seal:other',
      body: {
        experimentId: 'mails',
        sealDigest: await settled.ledger.putObject(bytesOf('another plan\n')),
        size: 13,
        stage: 'plan',
        plan: null,
      },
    });
    const found = await checkBundle(await gatherBundle(settled.files, settled.ledger, new Map()));
    expect(found.audit?.experiment?.claim).toMatchObject({ seals: 2, abandoned: 1, voided: 0 });
    expect(auditLines(found.audit as NonNullable<typeof found.audit>, 'x').join('\n')).toContain(
      `entries 0..${settled.view.entries.length} are signed for by nobody trusted`,
    );
  });
});
