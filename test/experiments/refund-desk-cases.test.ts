import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import {
  experimentPath,
  experimentText,
  type MailCase,
  parseMailCases,
} from './experiment-folder.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'refund-desk-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function generate(seed: string, environment: Readonly<Record<string, string>> = {}): string {
  const out = join(folder, 'cases.jsonl');
  const script = experimentPath('refund-desk', 'generate.mjs');
  execFileSync(process.execPath, [script, seed, out], {
    cwd: folder,
    env: { ...process.env, ...environment },
  });
  return readFileSync(out, 'utf8');
}

function familiesOf(cases: readonly MailCase[], split: MailCase['split']): Map<string, MailCase[]> {
  const families = new Map<string, MailCase[]>();
  for (const each of cases) {
    if (each.split === split)
      families.set(each.family, [...(families.get(each.family) ?? []), each]);
  }
  return families;
}

function styleCounts(families: Map<string, MailCase[]>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const mails of families.values()) {
    for (const style of new Set(mails.map((mail) => mail.style)))
      counts[style] = (counts[style] ?? 0) + 1;
  }
  return counts;
}

const sealed = parseMailCases(experimentText('refund-desk', 'cases.jsonl'));

describe('generate', () => {
  it('writes the committed cases byte for byte from the sealed seed', () => {
    expect(generate('final-2026')).toBe(experimentText('refund-desk', 'cases.jsonl'));
  });

  it('does not look at locale or time zone', () => {
    const abroad = generate('final-2026', {
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'tr_TR.UTF-8',
      TZ: 'Asia/Kolkata',
    });
    expect(abroad).toBe(experimentText('refund-desk', 'cases.jsonl'));
  });

  it('shares no mail, case or family between two seeds', () => {
    const other = parseMailCases(generate('final-2027'));
    for (const field of ['id', 'family', 'mail'] as const) {
      const known = new Set(sealed.map((each) => each[field]));
      expect(other.filter((each) => known.has(each[field]))).toEqual([]);
    }
  });

  test.each(['final-2026', 'final-2027', 'spring'])(
    'keeps the mix of styles under the seed %s',
    (seed) => {
      const cases = parseMailCases(generate(seed));
      const final = familiesOf(cases, 'final');
      expect(cases).toHaveLength(120);
      expect(styleCounts(final)).toEqual({ plain: 14, grouped: 4, comma: 2, code: 2, minus: 2 });
      expect(styleCounts(familiesOf(cases, 'train'))).toEqual({
        plain: 2,
        grouped: 1,
        comma: 1,
        code: 1,
        minus: 1,
      });
      expect([...final.values()].every((mails) => mails.length === 4)).toBe(true);
    },
  );

  it('asks for a seed and a file', () => {
    const script = experimentPath('refund-desk', 'generate.mjs');
    expect(() => execFileSync(process.execPath, [script, 'final-2026'], { stdio: 'pipe' })).toThrow(
      'usage: node generate.mjs SEED OUT',
    );
  });
});

describe('the sealed cases', () => {
  const families = [
    ...familiesOf(sealed, 'final').values(),
    ...familiesOf(sealed, 'train').values(),
  ];

  it('give one order, one sum, one date and one language to each family', () => {
    for (const mails of families) {
      expect(new Set(mails.map((mail) => `${mail.order} ${mail.date} ${mail.language}`)).size).toBe(
        1,
      );
      const sums = mails
        .filter((mail) => mail.has_amount)
        .map((mail) => JSON.stringify(mail.amount));
      expect(new Set(sums).size).toBe(1);
    }
  });

  it('share no order between two families', () => {
    expect(new Set(families.map((mails) => mails[0]?.order)).size).toBe(families.length);
  });

  it('word no two mails alike and write in both languages', () => {
    expect(new Set(sealed.map((each) => each.mail.toLowerCase().replace(/\d/g, '0'))).size).toBe(
      sealed.length,
    );
    const german = families.filter((mails) => mails[0]?.language === 'de').length;
    expect([german, families.length - german]).toEqual([17, 13]);
  });

  it('name the order in every mail and never in an id', () => {
    for (const each of sealed) {
      expect(each.mail).toContain(each.order);
      expect(each.id).not.toContain(each.order.slice(3));
    }
  });

  it('leave the sum out only where it is plain, and say so in has_amount', () => {
    const without = sealed.filter((each) => each.amount === null);
    expect(without.map((each) => each.style)).toEqual(without.map(() => 'plain'));
    expect(without.filter((each) => each.split === 'final')).toHaveLength(8);
    expect(sealed.filter((each) => each.has_amount === (each.amount === null))).toEqual([]);
  });

  it('start every mail with a number that is not the sum', () => {
    for (const each of sealed) {
      const first = /\d+/.exec(each.mail)?.[0];
      expect(Number(first) * 100).not.toBe(each.amount?.minor);
      expect(each.mail).toMatch(/^(?:Subject: \[Ticket|Betreff: \[Vorgang) \d{5}\]/);
    }
  });
});
