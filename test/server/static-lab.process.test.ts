/**
 * @module
 * The lab without a server, as `usurp lab` writes it: below a folder of a web server that has files alone, in Chromium
 * without a network. What it answers equals what the command line answers.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { staticLab } from '../../server/pages/static-lab.ts';
import { EXIT } from '../../src/cli/shell/exit.ts';
import { parsed, usurp } from '../cli/shell.ts';
import { browserPages, hasBrowser } from '../web/browser.ts';
import { violationsIn } from '../web/every-view/axe.ts';

const folder = join(mkdtempSync(join(tmpdir(), 'usurp-lab-')), 'public');
const pages = browserPages();
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};
/** The folder of the lab on its site. */
const SITE_FOLDER = '/course/lab/';

const server = createServer(({ url = '' }, answer) => {
  const { pathname } = new URL(url, 'http://x');
  const file = join(folder, pathname.slice(SITE_FOLDER.length) || 'index.html');
  const isThere =
    pathname.startsWith(SITE_FOLDER) && statSync(file, { throwIfNoEntry: false })?.isFile();
  if (isThere !== true) return void answer.writeHead(pathname === '/healthz' ? 200 : 404).end();
  answer.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' });
  answer.end(readFileSync(file));
});

beforeAll(async () => {
  await usurp(['lab', '--static', folder]);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

function open(address: string) {
  // A TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return pages.open(`http://127.0.0.1:${port}${SITE_FOLDER}${address}`);
}

it('writes the lab once, and never over the files of another site', async () => {
  const again = await usurp(['lab', '--static', folder]);
  const forced = await usurp(['lab', '--static', folder, '--force']);
  const other = await usurp(['lab', '--static', 'docs', '--force']);
  const nowhere = await usurp(['lab']);

  expect(again).toMatchObject({ code: EXIT.refused, stderr: expect.stringContaining('--force') });
  expect(forced).toMatchObject({ code: 0, stdout: `${join(folder, 'index.html')}\n` });
  expect(other).toMatchObject({
    code: EXIT.refused,
    stderr: expect.stringContaining('name an empty'),
  });
  expect(nowhere).toMatchObject({
    code: EXIT.refused,
    stderr: expect.stringContaining('usurp serve'),
  });
  // The name of a variable that is not set, and a folder that takes no new ones.
  expect(await usurp(['lab', '--static', ''])).toMatchObject({ code: EXIT.refused });
  expect((await usurp(['lab', '--static', '/proc/usurp'])).stderr).toContain(
    'could not be written',
  );
});

it('has pages whose links lead to its own files', () => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const html = names.filter((name) => extname(name) === '.html' && name !== 'index.html');
  const dead = html.flatMap((name) => {
    const links = [
      ...readFileSync(join(folder, name), 'utf8').matchAll(/\b(?:href|src)="([^"#?]+)/g),
    ];
    return links
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter(
        (link) => statSync(join(folder, name, '..', link), { throwIfNoEntry: false }) === undefined,
      )
      .map((link) => `${name}: ${link}`);
  });

  expect([...staticLab().keys()].toSorted()).toEqual(
    names.filter((name) => statSync(join(folder, name)).isFile()).toSorted(),
  );
  expect(html.length).toBeGreaterThan(100);
  expect(dead).toEqual([]);
});

it('uses no global value that only Node has', () => {
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => extname(name) === '.js',
  );
  const nodes = scripts.flatMap((name) =>
    [
      ...readFileSync(join(folder, name), 'utf8').matchAll(
        /(?<![.\w])(?:setImmediate|clearImmediate|__dirname|__filename)\b(?!['"`:])/g,
      ),
    ].map(([value]) => `${name}: ${value}`),
  );

  expect(scripts.length).toBeGreaterThan(20);
  expect(nodes).toEqual([]);
});

it.runIf(hasBrowser)('runs a threat model as the command line does', async () => {
  const { page } = await open('#/threat-models/top-id');
  const command = await page.getByText(/^usurp run top-id --seed/).textContent();
  const words = (command ?? '').split(' ').slice(1);
  const { sentence } = parsed(await usurp([...words, '--format', 'json'])).verdict;

  await page.getByRole('button', { name: 'Run the model' }).click();

  await page
    .getByText(sentence.replace(/^\w+: /, ''))
    .first()
    .waitFor();
  expect(await violationsIn(page)).toEqual([]);
});

it.runIf(hasBrowser)('plays an election', async () => {
  const { page } = await open('#/elections');

  await page.getByRole('button', { name: 'Create the election' }).click();
  await page.getByRole('button', { name: 'Start the nodes' }).click();
  await page.getByRole('button', { name: 'Run until it rests' }).click();

  await page.getByRole('button', { name: 'Node 5, leads' }).waitFor();
  expect(await violationsIn(page)).toEqual([]);
});

it.runIf(hasBrowser)('checks a protocol', async () => {
  const { page } = await open('#/checks');

  await page.getByRole('button', { name: 'Run', exact: true }).click();

  await page.getByText('violated').first().waitFor();
  expect(await violationsIn(page)).toEqual([]);
});

it.runIf(hasBrowser)('races, and shows and searches the documents', async () => {
  const { page } = await open('');
  await page.getByText(/The forger (won|lost)\./).waitFor();
  const start = await violationsIn(page);
  await page.getByRole('link', { name: 'Help' }).click();
  await page.getByRole('heading', { name: 'The browser lab' }).waitFor();
  await page.getByRole('searchbox').fill('detector');
  await page.locator('#results a').first().click();
  await page.waitForURL(/\.html/);

  expect(start).toEqual([]);
  expect(await page.locator('article').count()).toBe(1);
});
