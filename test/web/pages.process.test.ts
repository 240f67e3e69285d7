/**
 * @module
 * How the server serves the browser lab: the page for browsers, links for programs, files that are kept for ever, a
 * policy that allows nothing of other sites, and no page that is older than its sources.
 */

import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { readBuiltPages } from '../../server/pages/pages.ts';
import { labUnderTest } from '../server/lab-under-test.ts';

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const BUILT = join(import.meta.dirname, '../../build/web');

const folder = mkdtempSync(join(tmpdir(), 'usurp-pages-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the page at /', () => {
  const lab = labUnderTest();

  it.each([{}, { Accept: '*/*' }, { Accept: 'application/json' }])(
    'is JSON for %o',
    async (headers) => {
      const { json } = await lab.call('GET', '/', { headers });

      expect(json).toMatchObject({ name: 'usurp' });
    },
  );

  it('says how to build the lab if it is not built', async () => {
    const response = await lab.app.request('/', { headers: BROWSER });

    expect(await response.text()).toContain('npm run build:web');
  });
});

describe('the built lab', () => {
  const pages = readBuiltPages();
  const { app } = labUnderTest({ pages });
  const get = async (path: string, headers: Record<string, string> = {}) =>
    app.request(path, { headers });

  it('is as new as its sources', () => {
    expect(pages, 'npm run build:web builds it').not.toBeNull();
  });

  it('is a page without inline scripts and styles, under a strict policy', async () => {
    const response = await get('/', BROWSER);
    const html = await response.text();

    expect(response.headers.get('Content-Type')).toBe('text/html; charset=UTF-8');
    expect(response.headers.get('Content-Security-Policy')).toContain("script-src 'self'");
    expect(response.headers.get('Content-Security-Policy')).not.toContain('unsafe');
    expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=|https?:/);
  });

  it('has files that never change, compressed where the browser can read it', async () => {
    const html = await (await get('/', BROWSER)).text();
    const script = /src="([^"]+\.js)"/.exec(html)?.[1] ?? '';

    const plain = await get(script);
    const gzipped = await get(script, { 'Accept-Encoding': 'gzip' });
    const known = await get(script, { 'If-None-Match': plain.headers.get('ETag') ?? '' });

    expect(plain.headers.get('Cache-Control')).toContain('immutable');
    expect(gzipped.headers.get('Content-Encoding')).toBe('gzip');
    expect(known.status).toBe(304);
  });

  it('is at most 250 kB when compressed, without its threads: that which mines has 110 kB with its kernels, that of a device 100 kB, the simulator 170 kB', () => {
    const files = [...(pages ?? [])].map(([path, { gzipped }]) => ({
      path,
      bytes: gzipped.length,
    }));
    const isOfMining = ({ path }: { readonly path: string }) =>
      /\/mining-thread-|\.wasm$/.test(path);
    const isOfSimulator = ({ path }: { readonly path: string }) => path.includes('/simulator-');
    const isOfDevice = ({ path }: { readonly path: string }) => path.includes('/device-thread-');
    const isOfThread = (file: { readonly path: string }) =>
      [isOfMining, isOfSimulator, isOfDevice].some((isOf) => isOf(file));
    const sum = (some: typeof files) => some.reduce((all, { bytes }) => all + bytes, 0);

    expect(sum(files.filter((file) => !isOfThread(file)))).toBeLessThanOrEqual(250_000);
    expect(sum(files.filter(isOfMining))).toBeLessThanOrEqual(110_000);
    expect(sum(files.filter(isOfDevice))).toBeLessThanOrEqual(100_000);
    expect(sum(files.filter(isOfSimulator))).toBeLessThanOrEqual(170_000);
  });

  it('is not served when a source has changed since', () => {
    cpSync(BUILT, folder, { recursive: true });
    const unchanged = readBuiltPages(folder);
    writeFileSync(join(folder, 'sources.json'), JSON.stringify([['server/web/main.tsx', 1, 1]]));

    expect(unchanged?.size).toBeGreaterThan(2);
    expect(readBuiltPages(folder)).toBeNull();
  });
});
