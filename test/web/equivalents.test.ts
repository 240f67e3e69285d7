/**
 * @module
 * What each view says does the same without the page: the curl line is accepted by the server, and the command by the
 * command line. No view sends a request to another host.
 */

import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { argumentsOf, usurp } from '../cli/shell.ts';
import { browserLab, hasBrowser } from './browser.ts';

const ADDRESSES = [
  '#/?c1=4&budget=6&seed=1',
  '#/race?c1=4&budget=8&strategy=walk&seed=1',
  '#/race?c1=10&budget=8&strategy=walk&seed=1&policy=version-byte',
  '#/elections?protocol=franklin&nodes=4&seed=2',
  '#/threat-models',
  '#/threat-models/top-id?runs=20&seed=1',
  '#/checks?crash=1&timing=synchronous&maxStates=500',
  '#/checks?behaviour=swallow&rank=2&level=L1&maxStates=500',
  '#/checks/walk?address=0.0',
  '#/jobs?kind=run&status=done',
];

const hasCurl = spawnSync('curl', ['--help']).error === undefined;
if (!hasCurl) console.warn('skipped: the lines under a view need curl');

describe.skipIf(!hasBrowser || !hasCurl)('the lines under a view', { timeout: 60_000 }, () => {
  const browser = browserLab();

  it.each(ADDRESSES)('of %s are accepted', async (address) => {
    const { page } = await browser.open('#/nothing');
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!/^(?:blob|data):/.test(request.url()) && !request.url().startsWith(browser.lab.url)) {
        foreign.push(request.url());
      }
    });
    await page.goto(`${browser.lab.url}/${address}`);
    await page.locator('.equivalent code').first().waitFor();
    const lines = await page.locator('.equivalent code').allInnerTexts();

    for (const line of lines) {
      if (line.startsWith('curl ')) {
        const { stdout } = await promisify(execFile)('sh', [
          '-c',
          `${line} -o /dev/null -w '%{http_code}'`,
        ]);
        expect(stdout, line).toMatch(/^20[012]$/);
      } else {
        const { code, stderr } = await usurp(argumentsOf(`npx ${line}`));
        expect([0, 1, 2], `${line}\n${stderr}`).toContain(code);
      }
    }

    expect(lines.some((line) => line.startsWith('curl '))).toBe(true);
    expect(foreign).toEqual([]);
  });
});
