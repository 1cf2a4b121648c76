import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { ensurePlanSeal } from '../../src/store/seal-experiment.ts';
import { textsAtHand } from '../../src/store/sealed-texts.ts';
import { type AcrossExperiments, acrossLines } from '../../src/verify/across.ts';
import { auditLines } from '../../src/verify/audit.ts';
import { noDemands } from '../../src/verify/check-trust.ts';
import { ledgerView } from '../../src/verify/reading.ts';
import { checkRun } from '../../src/verify/verify.ts';
import { exampleTests } from '../support/examples.ts';
import { recordPlan } from '../support/ledger-story.ts';
import { engine, mailsExperiment, mailsIn, type SettledRun, settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

exampleTests('src/verify/across.ts', { names: ['acrossLines'], scope: { acrossLines } });

const makeFolder = temporaryFolders();
const sentence = 'dear shop the parcel came late and the blue cup in it was broken again';

/** Cases of one split with a text each. */
function casesWith(texts: readonly (readonly [string, string, string])[]): string {
  const rows = Array.from({ length: 16 }, (_, at) => {
    const [id, split, text] = texts[at] ?? [`x${at}`, at > 11 ? 'train' : 'final', `mail ${at}`];
    return JSON.stringify({ id, family: `f-${id}`, split, n: at + 1, label: 'yes', text });
  });
  return `${rows.join('\n')}\n`;
}

const others = (name: string, cases: string) => ({
  'experiment.yaml': mailsExperiment
    .replace('name: mails', `name: ${name}`)
    .replace('id: mails,', `id: ${name},`),
  'cases.jsonl': cases,
});

let run: SettledRun;
let ledger: Ledger;
let [own, similar, edited] = ['', '', ''];

beforeAll(async () => {
  [own, similar, edited] = [await makeFolder(), await makeFolder(), await makeFolder()];
  ledger = memoryLedger();
  const seal = async (folder: string, name: string, cases: string) => {
    const loaded = await mailsIn(folder, others(name, cases));
    await ensurePlanSeal({ loaded, ledger, engine: engine(), write: true });
  };
  await seal(similar, 'similar', casesWith([['s1', 'train', `${sentence} 17`]]));
  await seal(edited, 'edited', casesWith([['e1', 'final', sentence]]));
  run = await settledRun({
    folder: own,
    ledger,
    files: { 'cases.jsonl': casesWith([['m1', 'final', sentence]]) },
  });
  await recordPlan(ledger, 'unreadable');
  writeFileSync(join(edited, 'cases.jsonl'), casesWith([['e1', 'final', `${sentence} indeed`]]));
});

async function across(...folders: string[]): Promise<AcrossExperiments> {
  const texts = await textsAtHand(ledger, folders);
  const { audit } = checkRun(run.files, await ledgerView(ledger), { ...noDemands, texts });
  if (audit?.experiment == null) throw new Error('there is no audit');
  return audit.experiment.across;
}

describe('an audit of near-copies across experiments', () => {
  test('reports what the texts at hand show, and whose texts are not those that were sealed', async () => {
    const found = await across(own, similar, edited);
    expect(found).toMatchObject({ looked: true, compared: ['similar'] });
    expect(found.missing).toEqual(['edited', 'unreadable']);
    expect(found.pairs).toHaveLength(1);
    expect(found.pairs[0]).toMatchObject({ unit: 'f-m1', like: 'f-s1', experiment: 'similar' });
    expect(acrossLines(found)).toEqual([
      '1 unit resembles one of another experiment; compared with similar; 15 cases have too few words',
      expect.stringMatching(/^ {2}"f-m1" \(final\) ~ "f-s1" of similar \(train\): 0\.\d\d alike$/),
      'not compared with edited, unreadable: their texts are not at hand as they were sealed (verify --texts FOLDERS)',
    ]);
  });

  test("compares nothing without the run's own texts, and says so", async () => {
    const found = await across(similar);
    expect(found).toEqual({
      ...{ looked: false, compared: [], pairs: [], tooShort: 0 },
      missing: ['similar', 'edited', 'unreadable'],
    });
    expect(acrossLines(found)).toEqual([
      "not compared with similar, edited, unreadable: this run's own texts are not at hand as they were sealed (verify --texts FOLDERS)",
    ]);
  });

  test('changes no verdict, and is told in every audit', async () => {
    const found = checkRun(run.files, await ledgerView(ledger));
    expect(found.exitCode).toBe(0);
    if (found.audit === null) throw new Error('there is no audit');
    expect(auditLines(found.audit, 'x').at(-1)).toMatch(/^near copies not compared with similar, /);
  });

  test('shows ten pairs and counts the rest', async () => {
    const found = await across(own, similar);
    const [pair] = found.pairs;
    if (pair === undefined) throw new Error('no pair was found');
    const pairs = Array.from({ length: 12 }, (_, at) => ({
      ...pair,
      unit: `u${at}`,
      onlyNumbers: true,
    }));
    const lines = acrossLines({ ...found, pairs });
    expect(lines[0]).toBe(
      '12 units resemble one of another experiment; compared with similar; 15 cases have too few words',
    );
    expect(lines[1]).toBe('  "u0" (final) ~ "f-s1" of similar (train): only numbers differ');
    expect(lines[11]).toBe('  and 2 more');
  });
});
