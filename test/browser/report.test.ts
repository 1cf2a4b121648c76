/** The HTML report in a browser, opened from disk: read, tabbed through, measured at two widths, in light and dark, and on paper. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { renderHtml } from '../../src/report/html.ts';
import { insightView } from '../../src/report/insight.ts';
import { renderInsightHtml } from '../../src/report/insight-page.ts';
import { startBrowser, withoutBrowser } from '../support/browser.ts';
import { hostileTable, mixedTable, viewOf } from '../support/report.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);
const makeFolder = temporaryFolders();

/** Records with every section of the insight report in them, some of hostile names. */
const ratedSource = {
  records: ['baseline', 'next'].flatMap((arm, position) =>
    Array.from({ length: 24 }, (_, at) => ({
      case: `c${Math.floor(at / 2)}`,
      unit: `u${Math.floor(at / 2)}`,
      arm,
      repeat: 0,
      rater: at % 2 === 0 ? 'ann' : '<bob>',
      outcome: at % 11 === 3 ? 'agentError' : 'completed',
      scores: { right: (at * 7 + position * 3) % 4 === 0 ? 0 : 1, 'tone "1"': (at * 5) % 9 },
      usd: 0.01 * (position + 1),
      ms: null,
      strata: { language: at % 4 < 2 ? 'de' : 'en' },
      split: at < 4 ? 'train' : 'final',
      input: `input-${at % 10}`,
    })),
  ),
  inputs: [],
  decisions: [{ source: 'runs/1', candidate: 'next', decision: 'hold', reason: 'as judged' }],
  baseline: 'baseline',
  lower: new Set<string>(),
  quality: 'right',
};

const violationsSchema = z.array(
  z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
);

describe.skipIf(withoutBrowser)('the HTML report in a browser', () => {
  const requests: string[] = [];
  const complaints: string[] = [];
  const files = new Map<string, string>();
  let browser: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    const folder = await makeFolder();
    const tables = { mixed: mixedTable(240), hostile: hostileTable };
    for (const [name, table] of Object.entries(tables)) {
      const path = join(folder, `${name}.html`);
      writeFileSync(path, renderHtml(viewOf(table)));
      files.set(name, pathToFileURL(path).href);
    }
    const insightPath = join(folder, 'insight.html');
    writeFileSync(insightPath, renderInsightHtml(insightView(ratedSource)));
    files.set('insight', pathToFileURL(insightPath).href);
    browser = await startBrowser(await makeFolder());
    page = await browser.newPage();
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => complaints.push('a dialog stayed open'));
    });
  });

  afterAll(() => browser?.close());

  /** Opens one of the reports at a width and in a colour scheme. */
  async function open(name: string, width = 1440, colorScheme: 'light' | 'dark' = 'light') {
    await page.emulateMedia({ colorScheme, media: 'screen' });
    await page.setViewportSize({ width, height: 900 });
    await page.goto(files.get(name) ?? '');
  }

  test('reads the decision, its reason and the exit code', async () => {
    await open('mixed');
    expect(await page.title()).toBe('tables: better may ship');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(
      'tables: better may ship',
    );
    const cards = page.locator('.cards > li');
    expect(await cards.count()).toBe(2);
    expect(await cards.nth(0).textContent()).toMatch(/^better ship\+0\.3333/);
    expect(await cards.nth(1).textContent()).toContain('worse is held: lift:right: the interval');
    expect(await page.getByText('Exit code 0; evidence confirmatory.').isVisible()).toBe(true);
  });

  test('finds gates, plots and regressions by the roles a screen reader reads', async () => {
    await open('mixed');
    const gates = page.getByRole('table', { name: /Contributions of the gates .* better/ });
    expect(await gates.getByRole('columnheader').allTextContents()).toEqual([
      'gate',
      'status',
      'statistic',
      'threshold',
      'error level',
      'n',
      'reason',
    ]);
    expect(await gates.getByRole('rowheader').first().textContent()).toBe('lift:right');
    const plot = page.getByRole('img', { name: /^worse, right: .*lift:right: breached$/ });
    expect(await plot.count()).toBe(1);
    await page.locator('summary').first().click();
    const evidence = page.getByRole('table', { name: /^Evidence of unit unit-/ }).first();
    expect(await evidence.getByRole('row').count()).toBe(3);
    expect(await evidence.isVisible()).toBe(true);
  });

  test('reads amendments as a table, on a narrow screen too', async () => {
    for (const width of [1440, 390]) {
      await open('mixed', width);
      const amendments = page.getByRole('table', { name: 'Amendments of the plan, oldest first' });
      expect(await amendments.getByRole('row').count()).toBe(3);
      const first = amendments.getByRole('row').nth(1);
      expect(await first.getByRole('rowheader').textContent()).toBe('2026-07-30T08:00:00.000Z');
      expect(await first.getByText('/spec/gates/0/threshold').isVisible()).toBe(true);
      expect(await first.getByText('alice: the selection scores').isVisible()).toBe(true);
    }
  });

  test('keeps its tables tables for a screen reader on a narrow screen', async () => {
    await open('mixed', 390);
    const gates = page.getByRole('table', { name: /Contributions of the gates .* better/ });
    expect(await gates.getByRole('row').count()).toBe(7);
    expect(await gates.getByRole('cell').count()).toBe(36);
  });

  test('tabs through every link and every unit in the order of the page, each with a visible focus', async () => {
    await open('mixed');
    const expected = z
      .number()
      .parse(await page.evaluate(`document.querySelectorAll('a[href], summary').length`));
    const focusSchema = z.object({ at: z.number(), outline: z.string(), inView: z.boolean() });
    const seen: number[] = [];
    for (let step = 0; step < expected; step += 1) {
      await page.keyboard.press('Tab');
      const focus = focusSchema.parse(
        await page.evaluate(`(() => {
          const element = document.activeElement;
          const box = element.getBoundingClientRect();
          return {
            at: [...document.querySelectorAll('a[href], summary')].indexOf(element),
            outline: getComputedStyle(element).outlineStyle,
            inView: box.bottom > 0 && box.top < innerHeight && box.width > 0,
          };
        })()`),
      );
      expect(focus).toEqual({ at: step, outline: 'solid', inView: true });
      seen.push(focus.at);
    }
    expect(seen).toHaveLength(expected);
    expect(expected).toBeGreaterThan(20);
  });

  test('opens a unit and jumps to a section by keyboard alone', async () => {
    await open('mixed');
    await page.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('details[open]').count()).toBe(1);
    await page.keyboard.press('Enter');
    expect(await page.locator('details[open]').count()).toBe(0);
    await page.getByRole('link', { name: 'Skip to the decision' }).focus();
    await page.keyboard.press('Enter');
    expect(page.url()).toMatch(/#decision$/);
  });

  test.each([
    ['mixed', 1440, 'light'],
    ['mixed', 1440, 'dark'],
    ['mixed', 390, 'light'],
    ['mixed', 390, 'dark'],
    ['hostile', 1440, 'light'],
    ['hostile', 390, 'dark'],
    ['insight', 1440, 'light'],
    ['insight', 1440, 'dark'],
    ['insight', 390, 'light'],
    ['insight', 390, 'dark'],
  ] as const)(
    'has no accessibility violation and no horizontal scroll: %s at %d px in %s',
    async (name, width, scheme) => {
      await open(name, width, scheme);
      await page.evaluate(
        `document.querySelectorAll('details').forEach((each) => { each.open = true; })`,
      );
      await page.evaluate(axeSource);
      const violations = violationsSchema.parse(
        await page.evaluate(`axe.run().then((found) => found.violations)`),
      );
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
      expect(
        await page.evaluate(
          `document.documentElement.scrollWidth - document.documentElement.clientWidth`,
        ),
      ).toBe(0);
      expect(
        await page.evaluate(`[...document.querySelectorAll('main *')].filter((each) =>
        !each.closest('.unseen, thead') && each.getBoundingClientRect().right > innerWidth + 1).length`),
      ).toBe(0);
    },
  );

  test('has other colours in the dark', async () => {
    const colour = `getComputedStyle(document.body).backgroundColor`;
    await open('mixed', 1440, 'light');
    expect(await page.evaluate(colour)).toBe('rgb(251, 250, 248)');
    await open('mixed', 1440, 'dark');
    expect(await page.evaluate(colour)).toBe('rgb(20, 23, 26)');
  });

  test('prints black on white with the evidence of every unit open and without the contents', async () => {
    await open('mixed', 1440, 'dark');
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(`getComputedStyle(document.body).color`)).toBe('rgb(0, 0, 0)');
    expect(await page.getByRole('navigation').isVisible()).toBe(false);
    const evidence = page.locator('details table').first();
    expect((await evidence.boundingBox())?.height).toBeGreaterThan(40);
    expect((await page.pdf({ format: 'A4' })).subarray(0, 5).toString()).toBe('%PDF-');
  });

  test('runs nothing that a run recorded and asks the network for nothing', async () => {
    await open('hostile');
    expect(await page.title()).toBe('tables: next may ship');
    expect(await page.locator('script, img, iframe').count()).toBe(0);
    expect(
      await page.getByText('<script>document.title="owned"</script>').first().isVisible(),
    ).toBe(true);
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => !url.startsWith('file://'))).toEqual([]);
    expect(requests.length).toBeGreaterThan(0);
  });
});
