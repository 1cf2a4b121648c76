// Writes the refund mails of one seed: node generate.mjs SEED OUT
//
// A family is one incident: one order, one sum written in one style, one date written in one style, told in
// four mails. The 24 final families hold 14 plain sums, 4 grouped, 2 with a decimal comma, 2 with a currency
// code and 2 with a Unicode minus; 6 development families show every style once. Which family gets which
// style, language, date, sum and wording comes from the seed alone, so equal seeds give equal bytes.
//
// Mails without a sum occur only among plain sums. There a revision that reads no other style is right about
// "no sum" as well, so that all four mails of a family stand or fall together: the family, not the mail, is
// the independent source, and no mail count can hide that.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { MONTHS, WORDING } from './wording.mjs';

const FINAL_STYLES = { plain: 14, grouped: 4, comma: 2, code: 2, minus: 2 };
const DEVELOPMENT_STYLES = { plain: 2, grouped: 1, comma: 1, code: 1, minus: 1 };
const WORDED_DATE_SHARE = 0.3;
const NO_AMOUNT_SHARE = 0.5;

/** Labelled draws from one seed: the number for a label never depends on what else was drawn. */
function drawsOf(chosenSeed) {
  const hex = (label) => createHash('sha256').update(`${chosenSeed}\n${label}`).digest('hex');
  const fraction = (label) => Number.parseInt(hex(label).slice(0, 12), 16) / 2 ** 48;
  const whole = (label, from, to) => from + Math.floor(fraction(label) * (to - from + 1));
  const pick = (label, list) => list[whole(label, 0, list.length - 1)];
  const shuffle = (label, list) =>
    list
      .map((value, index) => ({ value, key: hex(`${label}/${index}`) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ value }) => value);
  return { hex, fraction, whole, pick, shuffle };
}

function expand(styles) {
  return Object.entries(styles).flatMap(([style, times]) =>
    Array.from({ length: times }, () => style),
  );
}

/** One whole number per index, none twice, in [from, to]. */
function distinctNumbers(draws, label, { count, from, to }) {
  const seen = new Set();
  for (let tries = 0; seen.size < count; tries += 1)
    seen.add(draws.whole(`${label}/${tries}`, from, to));
  return [...seen];
}

function moneyOf(draws, label, style) {
  const whole =
    style === 'grouped'
      ? draws.whole(`${label}/whole`, 1000, 4999)
      : draws.whole(`${label}/whole`, 12, 989);
  const cents = draws.whole(`${label}/cents`, 1, 99);
  const decimals = String(cents).padStart(2, '0');
  const minor = whole * 100 + cents;
  switch (style) {
    case 'plain':
      return { text: `$${whole}.${decimals}`, truth: { currency: 'USD', minor } };
    case 'grouped':
      return {
        text: `$${Math.floor(whole / 1000)},${String(whole % 1000).padStart(3, '0')}.${decimals}`,
        truth: { currency: 'USD', minor },
      };
    case 'comma':
      return { text: `${whole},${decimals} €`, truth: { currency: 'EUR', minor } };
    case 'code': {
      const currency = draws.pick(`${label}/currency`, ['EUR', 'GBP', 'CHF', 'USD']);
      const number = `${whole}.${decimals}`;
      const before = draws.fraction(`${label}/code-first`) < 0.5;
      return {
        text: before ? `${currency} ${number}` : `${number} ${currency}`,
        truth: { currency, minor },
      };
    }
    case 'minus':
      return { text: `\u2212$${whole}.${decimals}`, truth: { currency: 'USD', minor: -minor } };
    default:
      throw new Error(`no such amount style: ${style}`);
  }
}

/** A date between January and July 2026. Bank exports (the minus style) always write ISO dates. */
function dateOf(draws, label, { style, language }) {
  const month = draws.whole(`${label}/month`, 1, 7);
  const day = draws.whole(`${label}/day`, 1, 28);
  const truth = `2026-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  if (style === 'minus' || draws.fraction(`${label}/worded-date`) >= WORDED_DATE_SHARE)
    return { text: truth, truth };
  const name = MONTHS[language][month - 1];
  if (language === 'de') return { text: `${day}. ${name} 2026`, truth };
  const monthFirst = draws.fraction(`${label}/month-first`) < 0.5;
  return { text: monthFirst ? `${name} ${day}, 2026` : `${day} ${name} 2026`, truth };
}

function fill(template, slots) {
  return template.replace(/\{(\w+)\}/g, (_, slot) => {
    if (!Object.hasOwn(slots, slot)) throw new Error(`the wording names an unknown slot {${slot}}`);
    return slots[slot];
  });
}

function familyOf(draws, { split, index, style, order }) {
  const label = `${split}/${index}`;
  const language = draws.pick(`${label}/language`, ['en', 'de']);
  const wording = WORDING[language];
  return {
    label,
    split,
    style,
    language,
    family: `incident-${draws.hex(`${label}/id`).slice(0, 10)}`,
    order: `RD-${order}`,
    money: moneyOf(draws, label, style),
    date: dateOf(draws, label, { style, language }),
    name: draws.pick(`${label}/name`, wording.names),
    product: draws.pick(`${label}/product`, wording.products),
    noise: draws.shuffle(`${label}/noise`, wording.noise),
    sentences: draws.shuffle(
      `${label}/sentences`,
      wording.amounts[style === 'minus' ? 'statement' : 'charge'],
    ),
  };
}

function mailOf(draws, family, position) {
  const { label, language, style } = family;
  const wording = WORDING[language];
  const hasAmount = !(
    style === 'plain' &&
    position === 1 &&
    draws.fraction(`${label}/no-amount`) < NO_AMOUNT_SHARE
  );
  const templates = hasAmount ? wording.mails[position] : wording.reminders;
  const mail = fill(draws.pick(`${label}/template/${position}`, templates), {
    ticket: String(draws.whole(`${label}/ticket/${position}`, 20000, 89999)),
    order: family.order,
    date: family.date.text,
    name: family.name,
    product: family.product,
    noise: family.noise[position],
    money: fill(family.sentences[position], { amount: family.money.text }),
  });
  return {
    id: `${family.family}-${position + 1}`,
    family: family.family,
    split: family.split,
    language,
    style,
    has_amount: hasAmount,
    mail,
    amount: hasAmount ? family.money.truth : null,
    order: family.order,
    date: family.date.truth,
  };
}

function casesOf(chosenSeed) {
  const draws = drawsOf(chosenSeed);
  const plan = [
    ...expand(DEVELOPMENT_STYLES).map((style, index) => ({ split: 'train', index, style })),
    ...draws
      .shuffle('final/styles', expand(FINAL_STYLES))
      .map((style, index) => ({ split: 'final', index, style })),
  ];
  const orders = distinctNumbers(draws, 'order', { count: plan.length, from: 100000, to: 999999 });
  return plan.flatMap((entry, index) => {
    const family = familyOf(draws, { ...entry, order: orders[index] });
    return [0, 1, 2, 3].map((position) => mailOf(draws, family, position));
  });
}

const [seed, out] = process.argv.slice(2);
if (seed === undefined || out === undefined) {
  process.stderr.write('usage: node generate.mjs SEED OUT\n');
  process.exit(64);
}
writeFileSync(
  out,
  casesOf(seed)
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join(''),
);
