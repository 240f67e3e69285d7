/**
 * @module
 * What has to hold for every page, whatever it shows: axe finds nothing in light and dark colours, all text can be read
 * at every size, the Tab key reaches all controls, nothing moves by itself, and the lines under the page are accepted.
 */

import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

import { argumentsOf, usurp } from '../../cli/shell.ts';
import { colourViolationsIn, violationsIn } from './axe.ts';
import { keyboardFaultsIn, layoutFaultsIn, SIZES } from './layout.ts';

const hasCurl = spawnSync('curl', ['--help']).error === undefined;
if (!hasCurl) console.warn('skipped: the curl lines under a view need curl');

/** Expects a page without faults, which is shown in light colours again afterwards. */
export async function expectNoFaults(page: Page): Promise<void> {
  // Controls that appear later would be reached later than there are keys pressed.
  await page.evaluate(UNTIL_UNCHANGED);
  const faults = [
    ...(await keyboardFaultsIn(page)),
    ...(await layoutFaultsIn(page)),
    ...(await violationsIn(page)),
  ];
  await page.emulateMedia({ colorScheme: 'dark' });
  faults.push(...(await colourViolationsIn(page)));
  await page.emulateMedia({ colorScheme: 'light' });
  const moving = await page.evaluate<number>('document.getAnimations().length');
  if (moving > 0) faults.push(`${moving} elements move`);
  await page.setViewportSize(SIZES.window);

  expect(faults, page.url()).toEqual([]);
}

/** Until no element has been added or removed for a fifth of a second. A page with progress changes all the time. */
const UNTIL_UNCHANGED = `new Promise((done) => {
  let quiet = setTimeout(done, 200);
  setTimeout(done, 5000);
  new MutationObserver(() => {
    clearTimeout(quiet);
    quiet = setTimeout(done, 200);
  }).observe(document.body, { subtree: true, childList: true });
})`;

/** Expects that the server accepts the curl lines of a page, and the command line its commands. */
export async function expectLinesAccepted(page: Page): Promise<void> {
  await page.locator('.equivalent code').first().waitFor();
  const lines = await page.locator('.equivalent code').allInnerTexts();
  for (const line of lines) {
    if (!line.startsWith('curl ')) {
      const { code, stderr } = await usurp(argumentsOf(`npx ${line}`));
      expect([0, 1, 2], `${line}\n${stderr}`).toContain(code);
    } else if (hasCurl) {
      const status = `${line} -o /dev/null -w '%{http_code}'`;
      const { stdout } = await promisify(execFile)('sh', ['-c', status]);
      expect(stdout, line).toMatch(/^20[012]$/);
    }
  }

  expect(lines.some((line) => line.startsWith('curl '))).toBe(true);
}
