/**
 * @module
 * A real server with the browser lab, and Chromium that operates it. Every page fails its test for a message on its
 * console, an uncaught error, a request that failed or one to another host.
 */

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

import type { TokenSet } from '../../server/callers/tokens.ts';
import type { Lab, ServedClass } from '../../server/lab.ts';
import { startLab } from '../../server/lab.ts';
import type { Exercise } from '../../src/exercise/document.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import type { Look } from './chromium.ts';
import { hasBrowser, newWindow, startChromium } from './chromium.ts';

export { hasBrowser };

export interface OpenPage {
  readonly page: Page;
  /** Says which messages this page causes on purpose, such as a request that is refused. */
  expects(cause: RegExp): void;
}

export interface BrowserLab {
  readonly lab: Lab;
  /** Opens a view by its address, such as `#/elections`, in a window without cookies and stored data. */
  open(address: string, look?: Look): Promise<OpenPage>;
}

/** Starts the server and the browser before the tests of a file, and stops both after them. */
export function browserLab(
  options: {
    readonly tokens?: TokenSet;
    readonly class?: ServedClass;
    /** By default those of the product. */
    readonly exercises?: readonly Exercise[];
    readonly clusters?: boolean;
    /** Whether pages can use a software device by WebGPU. */
    readonly device?: boolean;
  } = {},
): BrowserLab {
  let lab: Lab | null = null;
  const faultsOfServer: string[] = [];
  beforeAll(async () => {
    if (!hasBrowser) return;
    const { tokens = null, class: served, exercises, clusters = false } = options;
    lab = await startLab(
      {
        host: '127.0.0.1',
        port: 0,
        version: '0',
        policy: STRICT_POLICY,
        data: null,
        tokens,
        class: served,
        clusters,
        ...(exercises !== undefined && { exercises }),
      },
      ({ error }) => faultsOfServer.push(String(error)),
    );
  });
  afterAll(async () => {
    await lab?.close();
    expect(faultsOfServer).toEqual([]);
  });
  // Its hooks close the browser before the server.
  const pages = browserPages(options);
  const started = () => {
    if (lab === null) throw new Error('the server is not started');
    return lab;
  };
  return {
    get lab() {
      return started();
    },
    open: (address, look) => pages.open(`${started().url}/${address}`, look),
  };
}

interface BrowserPages {
  /** Opens a page by its URL, in a window without cookies and stored data. */
  open(url: string, look?: Look): Promise<OpenPage>;
}

/** Starts the browser alone, for a test that has a server of its own. */
export function browserPages(options: { readonly device?: boolean } = {}): BrowserPages {
  let browser: Browser | null = null;
  const opened: Watch[] = [];
  const idle = new Map<string, Window>();
  beforeAll(async () => {
    if (hasBrowser) browser = await startChromium(options);
  });
  afterEach(async () => {
    const watches = opened.splice(0);
    const faults = watches.flatMap(unexpectedFaults);
    for (const { window } of watches) {
      // The test has closed it, because the clock of all its pages was stopped.
      if (window.first.isClosed()) continue;
      if (idle.has(window.look)) await window.context.close();
      else await emptied(window);
      idle.set(window.look, idle.get(window.look) ?? window);
    }
    expect(faults).toEqual([]);
  });
  afterAll(() => browser?.close());
  return {
    async open(url, look = {}) {
      if (browser === null) throw new Error('the browser is not started');
      const { origin } = new URL(url);
      const key = JSON.stringify(look);
      const window = idle.get(key) ?? (await windowOf(await newWindow(browser, look), key));
      idle.delete(key);
      const page = await window.context.newPage();
      const watch: Watch = { page, window, faults: watched(page, origin), expected: [] };
      opened.push(watch);
      // The process of another server's page is of no use.
      if (new URL(window.first.url()).origin !== origin)
        await window.first.goto(`${origin}/healthz`);
      await page.goto(url);
      return { page, expects: (cause) => void watch.expected.push(cause) };
    },
  };
}

/**
 * A window, which one test after the other has. Its first page stays open, and with it the process that has compiled the lab:
 * a page takes half of the time then.
 */
interface Window {
  readonly look: string;
  readonly context: BrowserContext;
  readonly first: Page;
}

async function windowOf(context: BrowserContext, look: string): Promise<Window> {
  return { look, context, first: await context.newPage() };
}

/** Closes the pages of a test, and removes all that they have stored. */
async function emptied({ context, first }: Window): Promise<void> {
  await Promise.all(context.pages().map((page) => (page === first ? null : page.close())));
  await context.clearCookies();
  const tools = await context.newCDPSession(first);
  const { origin } = new URL(first.url());
  await tools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await tools.detach();
}

interface Watch {
  readonly page: Page;
  readonly window: Window;
  /** Messages of the console, uncaught errors, and requests that failed or went to another host so far. */
  readonly faults: string[];
  readonly expected: RegExp[];
}

function unexpectedFaults({ faults, expected }: Watch): string[] {
  return faults.filter((fault) => !expected.some((cause) => cause.test(fault)));
}

function watched(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    faults.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // The page itself ends the streams of a view that is left.
    if (reason !== 'net::ERR_ABORTED') faults.push(`${request.url()}: ${reason}`);
  });
  page.on('request', (request) => {
    const isOwn = /^(?:blob|data):/.test(request.url()) || request.url().startsWith(`${origin}/`);
    if (!isOwn) faults.push(`${request.url()}: a request to another host`);
  });
  return faults;
}
