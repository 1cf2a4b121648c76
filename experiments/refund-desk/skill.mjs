// A skill is data: ordered extraction rules per field and a reply template. This file reads and applies one.
//
// skill: refund-desk/1
// fields:
//   order:  [{pattern}]                                whole match
//   amount: [{pattern, number, currency?}]             groups: number, optional sign and currency
//   date:   [{pattern, months?}]                       groups: year, month, day
// reply: {germanWhen, english, german}                 slots {order} {amount} {date}
//
// The first rule of a field that matches decides it; a field without a match is null.
import { parse } from 'yaml';

const FIELDS = ['order', 'amount', 'date'];
const NUMBER_STYLES = {
  point: { group: null, decimal: '.' },
  'grouped-point': { group: ',', decimal: '.' },
  comma: { group: '.', decimal: ',' },
  digits: { group: ',', decimal: '.' },
};

/** Reads the text of a skill; throws with the place and the mend when it is not one. */
export function parseSkill(text) {
  const skill = parse(text, { uniqueKeys: true, maxAliasCount: 0 });
  if (skill?.skill !== 'refund-desk/1')
    throw new Error('skill: expected "refund-desk/1" on the first line');
  const fields = {};
  for (const field of FIELDS) {
    const rules = skill.fields?.[field];
    if (!Array.isArray(rules))
      throw new Error(`fields.${field}: expected a list of rules; write [] for none`);
    fields[field] = rules.map((rule, index) => readRule(field, rule, `fields.${field}[${index}]`));
  }
  for (const key of ['germanWhen', 'english', 'german']) {
    if (typeof skill.reply?.[key] !== 'string') throw new Error(`reply.${key}: expected a text`);
  }
  return { fields, reply: { ...skill.reply, germanWhen: new RegExp(skill.reply.germanWhen, 'u') } };
}

function readRule(field, rule, where) {
  if (typeof rule?.pattern !== 'string')
    throw new Error(`${where}.pattern: expected a regular expression`);
  if (field === 'amount' && !Object.hasOwn(NUMBER_STYLES, rule.number)) {
    throw new Error(`${where}.number: expected one of ${Object.keys(NUMBER_STYLES).join(', ')}`);
  }
  return { ...rule, pattern: new RegExp(rule.pattern, 'u') };
}

const READERS = {
  order: (match) => match[0],
  amount: (match, rule) => {
    const { number, sign, currency } = match.groups ?? {};
    const minor = minorUnits(number, NUMBER_STYLES[rule.number]);
    if (minor === null) return null;
    return { currency: currency ?? rule.currency ?? null, minor: sign ? -minor : minor };
  },
  date: (match, rule) => {
    const { year, month, day } = match.groups ?? {};
    const position = rule.months ? rule.months.indexOf(month) + 1 : Number(month);
    const pad = (value) => String(value).padStart(2, '0');
    return position >= 1 && position <= 12 ? `${year}-${pad(position)}-${pad(day)}` : null;
  },
};

function minorUnits(number, { group, decimal }) {
  if (typeof number !== 'string') return null;
  const [whole, cents = ''] = (group === null ? number : number.replaceAll(group, '')).split(
    decimal,
  );
  const minor = Number(whole) * 100 + Number(cents.padEnd(2, '0').slice(0, 2));
  return Number.isSafeInteger(minor) ? minor : null;
}

function readField(field, rules, mail) {
  for (const rule of rules) {
    const match = rule.pattern.exec(mail);
    const value = match === null ? null : READERS[field](match, rule);
    if (value !== null) return value;
  }
  return null;
}

/** Applies a skill to one mail: the three fields and the reply it would send. */
export function answerMail(skill, mail) {
  const answer = {};
  for (const field of FIELDS) answer[field] = readField(field, skill.fields[field], mail);
  const german = skill.reply.germanWhen.test(mail);
  const unknown = german ? 'ohne Angabe' : 'not stated';
  const slots = {
    order: answer.order ?? unknown,
    date: answer.date ?? unknown,
    amount: moneyText(answer.amount) ?? unknown,
  };
  const template = german ? skill.reply.german : skill.reply.english;
  return {
    ...answer,
    reply: template.replace(/\{(order|amount|date)\}/g, (_, slot) => slots[slot]),
  };
}

function moneyText(amount) {
  if (amount === null) return null;
  const size = Math.abs(amount.minor);
  const text = `${Math.floor(size / 100)}.${String(size % 100).padStart(2, '0')}`;
  return `${amount.currency} ${amount.minor < 0 ? '-' : ''}${text}`;
}
