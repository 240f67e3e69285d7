/**
 * @module
 * `npm run docs:screens`: makes the pictures of docs/browser-lab.md anew, each view with contents of fixed seeds, in a
 * window of 1280 × 800 in light and dark colours and in one of 390 × 844. Names of views as arguments make only those.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Browser, Page } from 'playwright-core';

import type { Lab } from '../../server/lab.ts';
import { startLab } from '../../server/lab.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import { ROOT } from '../cli/shell.ts';
import type { Look } from './chromium.ts';
import { newWindow, startChromium } from './chromium.ts';
import { startClassLab } from './class-screen.ts';
import { SCREENS } from './screens.ts';

const FOLDER = join(ROOT, 'docs/lab');
const LOOKS: Readonly<Record<string, Look>> = {
  light: {},
  dark: { scheme: 'dark' },
  phone: { width: 390, height: 844 },
};

/** What has to be on the page is waited for this long. */
const WAIT_MS = 120_000;

async function main(names: readonly string[]): Promise<void> {
  // Most pictures are those of a server without clusters, whose lab has one view less.
  for (const hasClusters of [false, true]) await take(names, hasClusters);
}

async function take(names: readonly string[], hasClusters: boolean): Promise<void> {
  const chosen = Object.entries(SCREENS).filter(
    ([name, screen]) =>
      (names.length === 0 || names.includes(name)) && (screen.hasClusters === true) === hasClusters,
  );
  if (chosen.length === 0) return;
  const lab = await startLab(
    {
      ...{ host: '127.0.0.1', port: 0, version: '0', policy: STRICT_POLICY, data: null },
      ...{ tokens: null, courseSecret: new Uint8Array(32).fill(1), clusters: hasClusters },
    },
    ({ error }) => console.error(error),
  );
  const ofClass = await startClassLab();
  const browser = await startChromium();
  mkdirSync(FOLDER, { recursive: true });
  try {
    for (const [name, screen] of chosen) {
      const { url } = screen.isOfClass === true ? ofClass.lab : lab;
      const opener = await openPage(browser, {});
      const address = await screen.prepare({
        ...{ page: opener, url },
        post: (path, body) => post(lab, path, body),
      });
      await opener.context().close();
      for (const [look, options] of Object.entries(LOOKS)) {
        const page = await openPage(browser, options);
        if (screen.isOfClass === true) await signIn(page, url, ofClass.token);
        await page.goto(`${url}/${address}`);
        await screen.shown(page);
        // A picture is not drawn before the page has its width.
        await page.waitForTimeout(300);
        await page.screenshot({ path: join(FOLDER, `${name}-${look}.png`) });
        await page.context().close();
      }
      console.log(name);
    }
  } finally {
    await browser.close();
    await lab.close();
    await ofClass.lab.close();
  }
}

async function openPage(browser: Browser, look: Look): Promise<Page> {
  const page = await (await newWindow(browser, look)).newPage();
  page.setDefaultTimeout(WAIT_MS);
  return page;
}

/** Gives the window of a page the cookie of a session. */
async function signIn(page: Page, url: string, token: string): Promise<void> {
  const answer = await page.context().request.post(`${url}/v1/sessions`, {
    data: { type: 'token', token, cookie: true },
    headers: { Origin: url },
  });
  if (!answer.ok()) throw new Error(await answer.text());
}

/** Sends a request and waits for the end of the job, if it submits one. */
async function post(lab: Lab, path: string, body: object): Promise<{ readonly id: string }> {
  const response = await fetch(`${lab.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Prefer: 'wait=60' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${text}`);
  return JSON.parse(text) as { readonly id: string }; // By the contract.
}

await main(process.argv.slice(2));
