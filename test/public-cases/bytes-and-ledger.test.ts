/** Public cases about canonical bytes, orders, specs and the ledger. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { canonicalText, compareCodeUnits } from '../../src/base/canonical.ts';
import { digestOf } from '../../src/base/digest.ts';
import { checkLedger } from '../../src/ledger/check-ledger.ts';
import { openLedgerStore } from '../../src/ledger/ledger.ts';
import { memoryLedger, memoryStore } from '../../src/ledger/memory-ledger.ts';
import { readSpec } from '../../src/spec/parse.ts';
import { startProgram } from '../support/cli.ts';
import {
  alphaNano,
  countingPorts,
  exposeExperiment,
  outcomeBody,
  recordPlan,
  reserve,
  tellStory,
  unitsNamed,
} from '../support/ledger-story.ts';
import { inputWords, publicCase } from '../support/public-cases.ts';
import { refusalOf } from '../support/refusal.ts';

describe('public cases', () => {
  test('PB-47: keys are ordered by UTF-16 code units, not by code points', () => {
    const wanted = z.array(z.string()).parse(publicCase('PB-47').expected['canonical_key_order']);
    const text = canonicalText(publicCase('PB-47').input['object']);
    expect(Object.keys(JSON.parse(text) as object)).toEqual(wanted);
    expect(text).toBe(`{"${wanted[0]}":2,"${wanted[1]}":1}`);
  });

  test('PB-50: an order before a digest is the same in every locale', async () => {
    const ids = inputWords('PB-50', 'ids');
    const wanted = publicCase('PB-50').expected['order'];
    expect([...ids].sort(compareCodeUnits)).toEqual(wanted);
    const record = Object.fromEntries(ids.map((id, at) => [id, at]));
    const program = `
      import { canonicalText } from '../../src/base/canonical.ts';
      console.log(canonicalText(${JSON.stringify(record)}));`;
    const source = new URL('../../dist/base/canonical.js', import.meta.url).href;
    const texts = await Promise.all(
      inputWords('PB-50', 'locales').map(async (locale) => {
        const code = program.replace('../../src/base/canonical.ts', source);
        const words = ['env', `LC_ALL=${locale}`, `LANG=${locale}`, process.execPath] as const;
        return (await startProgram('.', [...words, '--input-type=module', '-e', code]).ended)
          .stdout;
      }),
    );
    expect(new Set(texts)).toEqual(new Set([`${canonicalText(record)}\n`]));
    expect(digestOf(texts[0] ?? '')).toBe(digestOf(texts[1] ?? ''));
  });

  test('PB-51: a removed tail is a contradiction of what is kept outside, and never plainly valid without', async () => {
    const { ledger_entries: entries } = z
      .object({ ledger_entries: z.number() })
      .parse(publicCase('PB-51').input);
    const store = memoryStore();
    const ledger = openLedgerStore(store, countingPorts());
    await tellStory(ledger);
    const bytes = (await ledger.entries()).map((each) => each.bytes);
    const cut = {
      ...store,
      listEntries: () => Promise.resolve(entries - 2),
      readEntry: (seq: number) => Promise.resolve(bytes[seq] ?? new Uint8Array()),
    };
    const pin = { size: entries, head: digestOf(bytes[entries - 1] ?? '') };
    expect(await checkLedger(cut, pin)).toMatchObject({ ok: false, completeness: 'contradicted' });
    expect(await checkLedger(cut)).toMatchObject({
      entries: 3,
      completeness: 'unknown',
      completenessDetail: expect.stringMatching(/^Completeness is unknown/),
    });
  });

  test('PB-53: after a refusal neither a looser bar nor its absence buys another look', async () => {
    const sealed = z.number().parse(publicCase('PB-53').input['sealed_alpha']);
    const looks = z.number().parse(publicCase('PB-53').input['max_consultations']);
    const ledger = memoryLedger();
    await ledger.append({
      kind: 'policy',
      requestId: 'p',
      body: {
        family: 'mails',
        mode: 'alpha-slots',
        alphaNano: Math.round(sealed * 1e9),
        weights: Array.from({ length: looks }, () => 1e9 / looks),
        retireOnShip: true,
        requireSignature: false,
        requireAnchor: false,
      },
    });
    const units = unitsNamed(['u-1', 'u-2']);
    const plan = await recordPlan(ledger, 'first');
    const each = Math.round((sealed * 1e9) / looks);
    expect(alphaNano).toBeGreaterThan(each);
    const loose = await refusalOf(reserve(ledger, 'first', plan, units));
    expect(loose.message).toBe(
      `The design spends ${alphaNano} nano of error; slot 0 of family "mails" has ${each}.`,
    );
  });

  test('PB-54: renamed units are known by their content, in a new campaign and after a restart', async () => {
    const store = memoryStore();
    const ledger = openLedgerStore(store, countingPorts());
    const exposed = await exposeExperiment(
      ledger,
      'alpha',
      unitsNamed(['known-1'], () => 'd1'),
    );
    await ledger.append({
      kind: 'outcome',
      requestId: 'outcome:alpha',
      body: outcomeBody(exposed.expose),
    });
    const restarted = openLedgerStore(store, countingPorts());
    const plan = await recordPlan(restarted, 'beta');
    const refused = await refusalOf(
      reserve(
        restarted,
        'beta',
        plan,
        unitsNamed(['renamed-1'], () => 'd1'),
      ),
    );
    expect(refused.code).toBe('ledger-conflict');
    expect(`${refused.message} ${JSON.stringify(refused.details)}`).toMatch(/renamed-1.*known-1/);
  });

  test('PB-58: a second value of a key is refused at its line', async () => {
    const text = z.string().parse(publicCase('PB-58').input['yaml']);
    const { problems, spec } = await readSpec(new TextEncoder().encode(text), 'experiment.yaml');
    expect(spec).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ where: { line: 3 } });
    expect(problems[0]?.message).toMatch(/alpha/);
  });
});
