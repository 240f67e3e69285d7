/**
 * @module
 * Chromium of this system, as the tests and the screenshots start it.
 */

import { existsSync } from 'node:fs';
import process from 'node:process';
import type { Browser, BrowserContext } from 'playwright-core';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Whether Chromium is installed. */
export const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser) console.warn(`skipped: the browser lab needs Chromium (${CHROMIUM})`);

/** How a page is shown; by default 1280 × 800 in light colours. */
export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
}

export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** A window with cookies of its own. */
export function newWindow(
  browser: Browser,
  { width = 1280, height = 800, scheme = 'light' }: Look,
): Promise<BrowserContext> {
  return browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  });
}

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
