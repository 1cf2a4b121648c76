// Writes the generated parts of docs/ from schemas/experiment.schema.json. A test fails when a committed part is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));

/** Alternatives of a schema, unions in unions opened. */
function branches(schema) {
  const union = schema.anyOf ?? schema.oneOf;
  return union === undefined ? [schema] : union.flatMap(branches);
}

/** Forms of text with a name, by the pattern that tells them. */
const forms = [
  ['^(?:(?:@[a-z0-9-]', 'package pin'],
  ['^[A-Za-z][A-Za-z0-9_.-]{0,63}$', 'id'],
  ['^[A-Za-z_][A-Za-z0-9_]*$', 'name of a variable'],
];

/** The only references are those to any JSON value, which refers to itself. */
const isAnyJson = (schema) => branches(schema).some(({ $ref }) => $ref !== undefined);

/** What values a schema takes, in a few words. */
function typeOf(schema) {
  if (isAnyJson(schema)) return 'any JSON';
  const words = branches(schema).map((branch) => {
    if (branch.type === 'array') return `list of ${typeOf(branch.items)}`;
    return wordOf(branch);
  });
  return [...new Set(words)].join(' or ');
}

const typeWords = { string: 'text', integer: 'whole number', object: 'mapping' };

function wordOf({ const: word, enum: words = [word], pattern = '', type = typeof words[0] }) {
  const form = forms.find(([start]) => pattern.startsWith(start));
  if (form !== undefined) return form[1];
  const types = [type].flat();
  if (types.includes('null')) return 'scalar';
  return types.map((each) => typeWords[each] ?? each).join(' or ');
}

/** Bounds, words and lengths that a value must meet. */
function allowedOf(schema) {
  const found = branches(schema).flatMap((branch) => {
    if (branch.const !== undefined) return [code(branch.const)];
    if (branch.enum !== undefined) return branch.enum.map(code);
    if (branch.type === 'array') return [...lengthOf(branch), ...allowedOf(branch.items)];
    return boundsOf(branch);
  });
  return [...new Set(found)];
}

function lengthOf({ minItems }) {
  return minItems === undefined ? [] : [`at least ${minItems}`];
}

function boundsOf(schema) {
  const bounds = [];
  if (schema.exclusiveMinimum !== undefined) bounds.push(`> ${schema.exclusiveMinimum}`);
  const safe = schema.minimum === Number.MIN_SAFE_INTEGER;
  if (schema.minimum !== undefined && !safe) bounds.push(`>= ${schema.minimum}`);
  if (schema.exclusiveMaximum !== undefined) bounds.push(`< ${schema.exclusiveMaximum}`);
  if (schema.maximum !== undefined && schema.maximum !== Number.MAX_SAFE_INTEGER) {
    bounds.push(`<= ${schema.maximum}`);
  }
  return bounds.length === 0 ? [] : [bounds.join(', ')];
}

function code(value) {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

const isLeaf = (schema) =>
  branches(schema).every(({ type, items }) => type !== 'object' && !isMappingList(type, items));

function isMappingList(type, items) {
  return type === 'array' && branches(items).some((item) => item.type === 'object');
}

/** Names that stand for a key the writer chooses, by the path of the mapping. */
const chosenKeys = {
  'arms.candidates': 'ID',
  measures: 'ID',
  surface: 'NAME',
  set: 'FIELD',
  case: 'FIELD',
  expect: 'MEASURE',
};

function chosenKey(path) {
  return chosenKeys[path] ?? chosenKeys[last(path)] ?? 'KEY';
}

/**
 * Rows of a schema: one per field that takes a value. `when` names the alternatives a field belongs to, `within` the optional mapping
 * that it is required in.
 */
function fieldRows(schema, { path = '', required = true, when = '', within = '' } = {}) {
  if (isAnyJson(schema) || isLeaf(schema))
    return [leafRow(schema, { path, required, when, within })];
  const { description, default: preset } = schema;
  const options = branches(schema);
  const lists = options.filter(({ type }) => type === 'array');
  const records = options.filter(
    ({ additionalProperties }) => typeof additionalProperties === 'object',
  );
  const plain = options.filter(({ type }) => !['object', 'array'].includes(type));
  const mapping = options.filter(({ properties }) => properties !== undefined);
  const inner = required || preset !== undefined ? within : last(path);
  const described = description !== undefined && mapping.length === options.length;
  return [
    ...(described ? [leafRow(schema, { path, required, when, within })] : []),
    ...(plain.length === 0
      ? []
      : [
          leafRow({ anyOf: plain, default: preset, description }, { path, required, when, within }),
        ]),
    ...lists.flatMap(({ items }) => fieldRows(items, { path: `${path}[]`, when, within })),
    ...records.flatMap(({ additionalProperties: member }) =>
      fieldRows(
        { ...member, description: member.description ?? description },
        { path: `${path}.${chosenKey(path)}`, required, when, within },
      ),
    ),
    ...memberRows(mapping, { path, when, within: inner }),
  ];
}

const last = (path) => path.split('.').at(-1) ?? '';

/** Rows of the members of alternatives: equal members once, the others with the alternatives that have them. */
function memberRows(options, { path, when, within }) {
  const rows = new Map();
  const discriminator = discriminatorOf(options);
  for (const option of options) {
    for (const [name, member] of Object.entries(option.properties)) {
      const inner = path === '' ? name : `${path}.${name}`;
      if (name === discriminator) {
        add(rows, inner, { member: wordsOf(options, name), required: true, option: 'every' });
        continue;
      }
      const required = option.required?.includes(name) === true;
      add(rows, inner, { member, required, option: labelOf(option, discriminator, options) });
    }
  }
  const found = [...rows.values()].flat();
  const first = found.filter(({ labels }) => labels.includes('every'));
  return [...first, ...found.filter((each) => !first.includes(each))].flatMap(
    ({ inner, member, required, labels }) => {
      const only =
        labels.includes('every') || labels.length === options.length || labels.includes(null)
          ? when
          : labels.filter((label) => label !== `with \`${last(inner)}\``).join(', ');
      return fieldRows(member, { path: inner, required, when: only, within });
    },
  );
}

function add(rows, inner, { member, required, option }) {
  const known = rows.get(inner) ?? [];
  rows.set(inner, known);
  const text = JSON.stringify([member, required]);
  const same = known.find((each) => each.text === text);
  if (same === undefined) known.push({ inner, member, required, text, labels: [option] });
  else if (!same.labels.includes(option)) same.labels.push(option);
}

/** The member whose fixed words tell the alternatives apart. */
function discriminatorOf(options) {
  if (options.length < 2) return null;
  const [first] = options;
  const names = Object.keys(first.properties).filter((name) =>
    options.every(({ properties }) => properties[name]?.const !== undefined),
  );
  return names[0] ?? null;
}

function wordsOf(options, name) {
  const members = options.map(({ properties }) => properties[name]);
  const { description } = members[0];
  return { type: 'string', enum: members.map((member) => member.const), description };
}

function labelOf(option, discriminator, options) {
  if (options.length === 1) return null;
  if (discriminator !== null) return code(option.properties[discriminator].const);
  const others = options.filter((each) => each !== option);
  const own = (option.required ?? []).find((name) =>
    others.every(({ properties }) => properties[name] === undefined),
  );
  return own === undefined ? null : `with ${code(own)}`;
}

function leafRow(schema, { path, required, when, within }) {
  const preset = schema.default;
  const need = within === '' ? 'required' : `required in \`${within}\``;
  return {
    field: path,
    type: typeOf(schema),
    preset: preset === undefined ? (required ? need : 'none') : code(preset),
    meaning: schema.description ?? '',
    allowed: allowedOf(schema),
    when,
  };
}

function tableRow(cells) {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}

function table(head, rows) {
  return [tableRow(head), tableRow(head.map(() => '---')), ...rows.map(tableRow)].join('\n');
}

/** Rows of the experiment file, gates left out: docs/gates-and-findings.md has those. */
export function specFields(schema) {
  const names = Object.keys(schema.properties).filter((name) => name !== 'gates');
  const place = (name) => fieldOrder.indexOf(name);
  const unplaced = names.filter((name) => place(name) < 0);
  if (unplaced.length > 0) throw new Error(`fieldOrder lacks ${unplaced.join(', ')}`);
  return names
    .sort((first, second) => place(first) - place(second))
    .flatMap((name) =>
      fieldRows(schema.properties[name], { path: name, required: schema.required.includes(name) }),
    );
}

/** Order in which people write an experiment; the schema has the order of the alphabet. */
const fieldOrder = [
  'liftgate',
  'name',
  'claim',
  'cases',
  'splits',
  'admission',
  'fingerprint',
  'arms',
  'multiplicity',
  'host',
  'repeats',
  'measures',
  'inference',
  'stopping',
  'loss',
  'attempts',
  'budget',
  'disclosure',
  'power',
  'controls',
];

/** Every gate may be required or not; only those that differ have a row for it. */
function isUsualRequired(name, member) {
  return name === 'required' && member.type === 'boolean' && member.default === true;
}

/** Parameters of each kind of gate, by its word. */
export function gateFields(schema) {
  const kinds = branches(schema.properties.gates.items);
  return kinds.map((kind) => ({
    gate: kind.properties.gate.const,
    rows: Object.entries(kind.properties)
      .filter(
        ([name, member]) => !['gate', 'name'].includes(name) && !isUsualRequired(name, member),
      )
      .flatMap(([name, member]) =>
        fieldRows(member, { path: name, required: kind.required?.includes(name) === true }),
      ),
  }));
}

function fieldTable(rows) {
  return table(
    ['field', 'type', 'default', 'meaning', 'allowed'],
    rows.map(({ field, type, preset, meaning, allowed, when }) => [
      `\`${field}\`${when === '' ? '' : ` (${when})`}`,
      type,
      preset,
      meaning,
      allowed.join(', '),
    ]),
  );
}

function gateTable(gates) {
  const rows = gates.flatMap(({ gate, rows: fields }) => {
    if (fields.length === 0) return [[`\`${gate}\``, '', '', '', '', '']];
    return fields.map(({ field, type, preset, meaning, allowed }, index) => [
      index === 0 ? `\`${gate}\`` : '',
      `\`${field}\``,
      type,
      preset,
      meaning,
      allowed.join(', '),
    ]);
  });
  return table(['gate', 'parameter', 'type', 'default', 'meaning', 'allowed'], rows);
}

/** A page with the text between the markers of a generated part replaced. */
export function withGenerated(page, name, text) {
  const from = `<!-- generated: ${name} -->`;
  const to = '<!-- generated end -->';
  const start = page.indexOf(from);
  const end = page.indexOf(to, start);
  if (start < 0 || end < 0) throw new Error(`no place for the generated part "${name}"`);
  return `${page.slice(0, start + from.length)}\n\n${text}\n\n${page.slice(end)}`;
}

/** Generated parts by page. */
export function generatedParts() {
  const schema = JSON.parse(readFileSync(join(project, 'schemas/experiment.schema.json'), 'utf8'));
  return {
    'docs/writing-a-spec.md': { fields: fieldTable(specFields(schema)) },
    'docs/gates-and-findings.md': { 'gate parameters': gateTable(gateFields(schema)) },
  };
}

/** Pages as they are to be. */
export function generatedPages() {
  return Object.entries(generatedParts()).map(([path, parts]) => {
    const page = readFileSync(join(project, path), 'utf8');
    const text = Object.entries(parts).reduce(
      (rest, [name, part]) => withGenerated(rest, name, part),
      page,
    );
    return { path, page, text };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, text } of generatedPages()) writeFileSync(join(project, path), text);
  console.log(`wrote ${Object.keys(generatedParts()).length} pages`);
}
