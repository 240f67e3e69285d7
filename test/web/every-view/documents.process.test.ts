/**
 * @module
 * The documents as the server shows them: each document and each code of an error has a page, links of pages lead to what
 * is there, the search finds sections, and the views lead to the documents and explain the terms of the glossary.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { readBuiltDocuments } from '../../../server/pages/pages.ts';
import type { Section, Term } from '../../../server/web/documents/section.ts';
import { matching } from '../../../server/web/documents/section.ts';
import { ERROR_CODES } from '../../../src/errors.ts';
import { ROOT } from '../../cli/shell.ts';
import { readDocuments } from '../../documents/markdown.ts';
import { labUnderTest } from '../../server/lab-under-test.ts';
import { browserLab, hasBrowser } from '../browser.ts';

const BROWSER = { Accept: 'text/html,*/*;q=0.8' };

/** Words that a reader searches for, with the page that is listed first. */
const ASKED = [
  ['threat models', '/docs/threat-models'],
  ['exercises', '/docs/exercises'],
  ['http api', '/docs/http'],
  ['live nodes', '/docs/live'],
  ['limits', '/docs/limits'],
  ['exit codes', '/docs/cli'],
  ['raft', '/docs/protocols'],
  ['playing a node', '/docs/http'],
  ['inbox outbox', '/docs/http'],
  ['tokens', '/docs/cli/serve'],
  ['usurp class', '/docs/cli/class'],
  ['regrade', '/docs/exercises'],
  ['retry-after', '/docs/http'],
  ['zombie leader', '/docs/glossary'],
  ['key.small_order', '/problems/key.small_order'],
  ['docker', '/docs/live'],
  ['--load', '/docs/load'],
] as const;

describe('the documents of the server', () => {
  const documentPages = readBuiltDocuments();
  const { app } = labUnderTest({ documentPages });
  const textAt = async (path: string) => {
    const response = await app.request(path, { headers: BROWSER });
    expect(response.status, path).toBe(200);
    return response.text();
  };

  it('are as new as their sources', () => {
    expect(documentPages, 'npm run build:docs builds them').not.toBeNull();
  });

  it('are all in the index, without inline scripts and styles', async () => {
    const index = await textAt('/docs');

    expect(index).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=/);
    expect(index.match(/<li><a href="\/docs\//g)?.length).toBe(readDocuments().length + 1);
  });

  it('have links, anchors and pictures that are there', async () => {
    const index = await textAt('/docs');
    const pages = new Map<string, string>();
    const targets = [...index.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target = '']) => target);
    for (const address of targets) {
      const path = address.split('#')[0] ?? '';
      if (!/^\/(?:docs|problems)/.test(path) || pages.has(path)) continue;
      const html = await textAt(path);
      pages.set(path, html);
      targets.push(
        ...[...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target = '']) =>
          target.startsWith('#') ? `${path}${target}` : target,
        ),
      );
    }

    const anchors = targets.filter((target) => target.startsWith('/docs/') && target.includes('#'));
    const missing = anchors.filter((target) => {
      const [path = '', anchor = ''] = target.split('#');
      return !pages.get(path)?.includes(`id="${decodeURIComponent(anchor)}"`);
    });
    expect(missing).toEqual([]);
    expect(pages.size).toBeGreaterThan(100);
  });

  it.each(ERROR_CODES)('explain %s to browsers and to programs', async (code) => {
    const page = await textAt(`/problems/${code}`);
    const { json } = await labUnderTest({ documentPages }).call('GET', `/problems/${code}`);

    expect(page).toContain(`<code>${code}</code>`);
    expect(page).toContain('href="/docs/http#errors"');
    expect(page.match(/<dd>.*`.*<\/dd>/)).toBeNull();
    expect(json).toMatchObject({ code });
  });

  it('are found by the name of a verb, of a term, of an error and of a document', async () => {
    const sections = (await (await app.request('/docs/search.json')).json()) as Section[];
    const terms = (await (await app.request('/docs/glossary.json')).json()) as Term[];
    const pageOf = (words: string) =>
      matching(sections, words.toLowerCase().split(' '))[0]?.address.replace(/#.*/, '');
    const pages = new Map(
      sections
        .filter(({ page, title }) => page === title)
        .map(({ page, address }) => {
          return [page.toLowerCase().replace(/^usurp /, ''), address.replace(/#.*/, '')];
        }),
    );

    for (const code of ERROR_CODES) expect(pageOf(code), code).toBe(`/problems/${code}`);
    const verbs = new Set(
      sections.flatMap(({ address }) => /^\/docs\/cli\/([a-z-]+)/.exec(address)?.[1] ?? []),
    );
    for (const name of verbs)
      expect([pageOf(name), pageOf(`usurp ${name}`)], name).toEqual([
        `/docs/cli/${name}`,
        `/docs/cli/${name}`,
      ]);
    for (const { name } of terms)
      expect(pageOf(name), name).toBe(pages.get(name.toLowerCase()) ?? '/docs/glossary');
    expect(ASKED.map(([words]) => [words, pageOf(words)])).toEqual(ASKED);
  });

  it('say how they are built if they are not', async () => {
    const response = await labUnderTest().app.request('/docs/http', { headers: BROWSER });

    expect(await response.text()).toContain('npm run build:docs');
  });

  it('load at most 20 kB besides the page, and 250 kB for a search', () => {
    const size = (path: string) => documentPages?.at(path)?.gzipped.length ?? Number.NaN;

    expect(size('/docs/documents.css') + size('/docs/search.js')).toBeLessThanOrEqual(20_000);
    expect(size('/docs/search.json')).toBeLessThanOrEqual(250_000);
  });
});

describe.skipIf(!hasBrowser)('documents in the browser', () => {
  const browser = browserLab();

  it('are searched for words, and the address keeps the search', async () => {
    const { page } = await browser.open('docs');

    await page.getByRole('searchbox').fill('inbox outbox');

    await page.getByText(/^\d+ sections$/).waitFor();
    expect(page.url()).toContain('?q=inbox+outbox');
    await page.getByRole('link', { name: 'HTTP API: Playing a node' }).click();
    await page.getByRole('heading', { name: 'Playing a node' }).waitFor();
  });

  it('are what the link of each view leads to', async () => {
    const { page } = await browser.open('#/');
    const views = await page.getByRole('navigation').getByRole('link').all();
    const addresses = await Promise.all(views.map((view) => view.getAttribute('href')));

    for (const address of addresses) {
      await page.goto(new URL(address ?? '', page.url()).href);
      const help = page.getByRole('link', { name: 'Help' });
      const [path = '', anchor] = ((await help.getAttribute('href')) ?? '').split('#');
      const response = await page.request.get(new URL(path, page.url()).href);
      expect(response.status(), path).toBe(200);
      if (anchor !== undefined) expect(await response.text(), path).toContain(`id="${anchor}"`);
    }
    expect(addresses.length).toBeGreaterThan(9);
  });

  it('explain a term at its first use with the sentence of the glossary', async () => {
    const { page } = await browser.open('#/threat-models');
    const glossary = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');
    const sentence = /^\| threat model \| (.*) \|$/m.exec(glossary)?.[1] ?? '';
    await page.locator('.model-list article').first().waitFor();
    await expect.poll(() => page.evaluate("CSS.highlights.get('term')?.size")).toBeGreaterThan(5);

    await page.getByRole('heading', { name: 'Threat models', level: 1 }).hover({
      position: { x: 20, y: 15 },
    });
    const tip = page.getByRole('tooltip');
    await tip.waitFor();
    expect(await tip.textContent()).toBe(`threat model: ${sentence}`);
    await page.keyboard.press('Escape');
    expect(await tip.isVisible()).toBe(false);

    await page.getByText('Terms on this page').press('Enter');
    const terms = page.getByRole('complementary', { name: 'Terms' }).getByRole('definition');
    await expect.poll(() => terms.allTextContents()).toContain(sentence);
  });

  it('underlines each term of a view once', async () => {
    const { page } = await browser.open('#/design');
    await page.locator('.operation .picture').waitFor();
    await expect.poll(() => page.evaluate("CSS.highlights.get('term')?.size")).toBeGreaterThan(5);

    const terms = await page.evaluate<string[]>(
      "[...CSS.highlights.get('term')].map((range) => String(range).toLowerCase())",
    );

    expect(terms).toContain('adversary');
    expect(new Set(terms).size).toBe(terms.length);
  });

  it('underlines no part of an identifier, and no choice', async () => {
    const { page } = await browser.open('#/exercises');
    await page.locator('tbody tr').first().waitFor();
    await page.evaluate(`document.querySelector('#main h1').insertAdjacentHTML('afterend',
      '<p>verify-claim, given.protocol</p><label><input type="radio" />budget</label><p>quorum.</p>')`);
    const terms = () =>
      page.evaluate<string[]>(
        "[...CSS.highlights.get('term') ?? []].map((range) => String(range).toLowerCase())",
      );

    await expect.poll(terms).toContain('quorum');
    for (const name of ['claim', 'protocol', 'budget']) expect(await terms()).not.toContain(name);
  });
});
