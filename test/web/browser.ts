/**
 * @module
 * A real server with the browser lab, and Chromium that operates it. Every page fails its test for a message on its
 * console, an uncaught error or a request that failed.
 */

import { existsSync } from 'node:fs';
import process from 'node:process';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';

import type { TokenSet } from '../../server/callers/tokens.ts';
import type { Lab } from '../../server/lab.ts';
import { startLab } from '../../server/lab.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Whether the tests of the browser can run here. */
export const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser) console.warn(`skipped: the tests of the browser lab need Chromium (${CHROMIUM})`);

/** How a page is shown; by default 1280 × 800 in light colours. */
export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
}

export interface OpenPage {
  readonly page: Page;
  /** Messages of the console, uncaught errors and failed requests so far. */
  readonly faults: string[];
}

export interface BrowserLab {
  readonly lab: Lab;
  /** Opens a view by its address, such as `#/elections`, in a new context with cookies of its own. */
  open(address: string, look?: Look): Promise<OpenPage>;
}

/** Starts the server and the browser before the tests of a file, and stops both after them. */
export function browserLab(options: { readonly tokens?: TokenSet } = {}): BrowserLab {
  let browser: Browser | null = null;
  let lab: Lab | null = null;
  const contexts: BrowserContext[] = [];
  const faultsOfServer: string[] = [];
  beforeAll(async () => {
    if (!hasBrowser) return;
    const { tokens = null } = options;
    lab = await startLab(
      { host: '127.0.0.1', port: 0, version: '0', policy: STRICT_POLICY, data: null, tokens },
      ({ error }) => faultsOfServer.push(String(error)),
    );
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  });
  afterAll(async () => {
    await browser?.close();
    await lab?.close();
    expect(faultsOfServer).toEqual([]);
  });
  return {
    get lab() {
      if (lab === null) throw new Error('the server is not started');
      return lab;
    },
    async open(address, { width = 1280, height = 800, scheme = 'light' } = {}) {
      if (browser === null || lab === null) throw new Error('the browser is not started');
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        reducedMotion: 'reduce',
      });
      contexts.push(context);
      const page = await context.newPage();
      const faults = watched(page);
      await page.goto(`${lab.url}/${address}`);
      return { page, faults };
    },
  };
}

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function watched(page: Page): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // The page itself ends the streams of a view that is left.
    if (reason !== 'net::ERR_ABORTED') faults.push(`${request.url()}: ${reason}`);
  });
  return faults;
}
