/** The pages below docs/ against what they describe: schema, closed sets of words, real output, each other. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gateFields, generatedPages, specFields } from '../../scripts/write-docs.mjs';
import {
  type ErrorCode,
  errorExitCodes,
  formatProblem,
  problemCodes,
} from '../../src/base/errors.ts';
import { decisionOf } from '../../src/gate/compose.ts';
import {
  contributionFlagSchema,
  contributionOf,
  findingSchema,
  statusOf,
} from '../../src/gate/gate.ts';
import { gateSchema } from '../../src/spec/gates.ts';
import { readSpec } from '../../src/spec/parse.ts';
import { liftgate, outputPattern, projectFolder } from '../support/cli.ts';

const read = (path: string): string => readFileSync(join(projectFolder, path), 'utf8');
const refusals = read('docs/refusals.md');
const gates = read('docs/gates-and-findings.md');

/** Cells of every table row below a heading, up to the next heading of its rank or a higher one. */
function rowsBelow(page: string, heading: string): string[][] {
  const start = page.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`no heading ${heading}`);
  const rest = page.slice(start + heading.length + 1);
  const end = rest.search(new RegExp(`^#{1,${heading.indexOf(' ')}} `, 'm'));
  return rest
    .slice(0, end < 0 ? undefined : end)
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const word = (cell = ''): string => cell.replaceAll('`', '');

/** Text of every source file. */
function sources(folder = join(projectFolder, 'src')): { path: string; text: string }[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(projectFolder, path), text: readFileSync(path, 'utf8') }));
}

describe('the generated tables', () => {
  const schema: unknown = JSON.parse(read('schemas/experiment.schema.json'));

  test.each(generatedPages())('of $path are fresh (npm run docs)', ({ page, text }) => {
    expect(page).toBe(text);
  });

  test('say what every field and every parameter means', () => {
    const rows = [...specFields(schema), ...gateFields(schema).flatMap((each) => each.rows)];
    expect(rows.length).toBeGreaterThan(90);
    expect(rows.filter(({ meaning }) => meaning === '').map(({ field }) => field)).toEqual([]);
  });
});

describe('docs/refusals.md', () => {
  const sections = [...refusals.matchAll(/^## (\d+): /gm)].map(([, exit]) => Number(exit));

  test('has every error code once, under its exit code, and no other', () => {
    const shown = sections.flatMap((exit) => {
      const heading = new RegExp(`^## ${exit}: .*$`, 'm').exec(refusals)?.[0] ?? '';
      return rowsBelow(refusals, heading)
        .filter((cells) => Object.hasOwn(errorExitCodes, word(cells[0])))
        .map(([code]) => [word(code), exit] as const);
    });
    expect(Object.fromEntries(shown)).toEqual(errorExitCodes);
    expect(shown.length).toBe(Object.keys(errorExitCodes).length);
  });

  test('has every problem code once and no other', () => {
    const shown = rowsBelow(refusals, '### Problems that check lists').map(([code]) => word(code));
    expect(shown.filter((code, at) => shown.indexOf(code) !== at)).toEqual([]);
    expect([...shown].sort()).toEqual([...problemCodes].sort());
  });

  test('says for each what it means and how to mend it', () => {
    const rows = refusals.split('\n').filter((line) => line.startsWith('| `'));
    const short = rows.filter((line) =>
      line
        .split('|')
        .slice(2, 4)
        .some((cell) => cell.trim().length < 10),
    );
    const reasons = rowsBelow(refusals, '## Why the ledger says no').length;
    expect(rows.length).toBe(Object.keys(errorExitCodes).length + problemCodes.length + reasons);
    expect(short).toEqual([]);
  });

  test('names reasons of the ledger that it really gives, each once, and every one of plans and keys', () => {
    const shown = rowsBelow(refusals, '## Why the ledger says no').flatMap(([cell = '']) =>
      cell.split(', ').map(word),
    );
    expect(shown.filter((reason, at) => shown.indexOf(reason) !== at)).toEqual([]);
    const ledger = sources().filter(({ path }) => path.startsWith('src/ledger/'));
    const given = ledger.map(({ text }) => text).join('\n');
    expect(shown.filter((reason) => !given.includes(`'${reason}'`))).toEqual([]);
    const own = ledger.filter(({ path }) => /\/(keys|amend)\.ts$/.test(path));
    const refused = own.flatMap(({ text }) => [
      ...text.matchAll(/refuse\(\s*'([a-z-]+)'/g),
      ...text.matchAll(/\? '((?:nothing|changes)-[a-z]+)'/g),
    ]);
    // Two words that an experiment's own entries give too.
    const elsewhere = ['already-sealed', 'key-missing'];
    const words = new Set(refused.map(([, reason = '']) => reason));
    expect([...words].filter((each) => ![...shown, ...elsewhere].includes(each))).toEqual([]);
    expect(words.size).toBeGreaterThan(12);
  });

  test('opens with a refusal as it is really printed', async () => {
    const [, shown = ''] = /```\n([\s\S]*?)```/.exec(refusals) ?? [];
    const [, spec = ''] =
      /```yaml file=\S+\n([\s\S]*?)```/.exec(read('docs/writing-a-spec.md')) ?? [];
    const changed = spec.replace('role: primary', 'role: guardrail');
    expect(changed).not.toBe(spec);
    const { problems } = await readSpec(new TextEncoder().encode(changed), 'experiment.yaml');
    expect(problems.map((problem) => `${formatProblem(problem)}\n`)).toContain(shown);
  });
});

describe('the closed sets of codes', () => {
  const texts = sources().filter(({ path }) => path !== join('src', 'base', 'errors.ts'));
  const isUsed = (code: string): boolean => texts.some(({ text }) => text.includes(`'${code}'`));

  test('have no code that nothing in src gives', () => {
    const codes: string[] = [...problemCodes, ...Object.keys(errorExitCodes)];
    // invariant() gives it, beside the list itself.
    const own: ErrorCode = 'internal';
    expect(codes.filter((code) => code !== own && !isUsed(code))).toEqual([]);
  });
});

describe('docs/gates-and-findings.md', () => {
  test('maps every finding to the status and the decision that the engine gives it', () => {
    const rows = rowsBelow(gates, '## From findings to a decision').filter(
      ([finding]) => findingSchema.safeParse(word(finding)).success,
    );
    const engine = findingSchema.options.map((finding) => {
      const parts = { name: 'g', gate: 'lift', required: true, finding, reason: '' };
      return [finding, statusOf(finding), decisionOf(contributionOf(parts))];
    });
    expect(rows.map(([finding, status, , decision]) => [word(finding), status, decision])).toEqual(
      engine,
    );
  });

  test('explains every kind of gate and no other', () => {
    const explained = [...gates.matchAll(/^\*\*`([a-z-]+)`\*\*/gm)].map(([, gate]) => gate);
    const kinds = gateSchema.options.map((option) => option.shape.gate.value);
    expect([...explained].sort()).toEqual([...kinds].sort());
  });

  test('explains every flag and no other', () => {
    const flags = rowsBelow(gates, '## Flags').map(([flag]) => word(flag));
    expect([...flags].sort()).toEqual([...contributionFlagSchema.options].sort());
  });

  test('lists reasons for a lacking interval that the engine gives', () => {
    const reasons = rowsBelow(gates, '## Why there is no interval').map(([reason]) => word(reason));
    const text = sources().filter(({ path }) => /^src.(analysis|stats|spec)/.test(path));
    expect(reasons.length).toBeGreaterThan(8);
    expect(
      reasons.filter((reason) => !text.some((each) => each.text.includes(`'${reason}'`))),
    ).toEqual([]);
  });
});

describe('docs/reading-a-report.md', () => {
  const page = read('docs/reading-a-report.md');
  const blocks = [...page.matchAll(/<!-- output of: (.+) -->\n```text\n([\s\S]*?)```/g)].map(
    ([, command = '', text = '']) => ({ command, text }),
  );
  const runs = 'experiments/refund-desk/runs';
  const [run = ''] = readdirSync(join(projectFolder, runs));

  test('shows five outputs', () => {
    expect(blocks.length).toBe(5);
    expect(page.match(/^```/gm)?.length).toBe(2 * blocks.length);
  });

  test.each(blocks)(
    'shows lines that "$command" prints, in their order',
    async ({ command, text }) => {
      const words = command.replace('RUN', `${runs}/${run}`).split(' ');
      const { stdout } = await liftgate(projectFolder, ...words);
      expect(stdout).toMatch(outputPattern(text));
    },
  );
});

describe('links', () => {
  const pages = [
    'README.md',
    'ledger/README.md',
    ...readdirSync(join(projectFolder, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];
  const prose = (page: string): string => page.replace(/^```[\s\S]*?^```/gm, '');
  /** The name of a heading in links, as GitHub makes it. */
  const anchorOf = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');

  test.each(pages)('of %s lead somewhere', (path) => {
    const broken = [...prose(read(path)).matchAll(/\]\(([^)]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const full = file === '' ? path : join(dirname(path), file);
        if (!existsSync(join(projectFolder, full))) return true;
        if (anchor === undefined) return false;
        const headings = [...prose(read(full)).matchAll(/^#+ (.+)$/gm)].map(
          ([, text = '']) => text,
        );
        return !headings.map(anchorOf).includes(anchor);
      });
    expect(broken).toEqual([]);
  });

  test('of README.md reach every page below docs/', () => {
    const reached = [...read('README.md').matchAll(/\]\((docs\/[^)#]+)/g)].map(([, path]) => path);
    expect(pages.filter((path) => path.startsWith('docs/') && !reached.includes(path))).toEqual([]);
  });
});
