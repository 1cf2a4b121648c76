/** Headless Chromium that opens files from disk. Without one, tests fail in CI and are left out elsewhere, with a line that says so. */
import { existsSync } from 'node:fs';
import { type BrowserContext, chromium } from 'playwright-core';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Whether the browser's tests must be left out here: there is none, and this is not CI. */
export const withoutBrowser = !existsSync(executablePath) && process.env['CI'] !== 'true';

if (withoutBrowser) {
  process.stderr.write(
    `No browser at ${executablePath}: its tests are left out. Run .ci/services.sh, or name one in CHROMIUM.\n`,
  );
}

/**
 * Starts the browser on an empty profile.
 * @param profile  an empty folder
 */
export function startBrowser(profile: string): Promise<BrowserContext> {
  if (!existsSync(executablePath)) {
    throw new Error(`No browser at ${executablePath}. Run .ci/services.sh before the tests.`);
  }
  return chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
