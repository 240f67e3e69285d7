/**
 * @module
 * The jobs in the browser: a list in pages that follows them, filters, buttons that cancel and remove one, and the page of
 * a job whose kind has no view. The slow suite has a page more.
 */

import { describe, expect, it } from 'vitest';

import { IS_WHOLE } from '../sample.ts';
import { browserLab, hasBrowser } from './browser.ts';
import { expectNoAttack, forbidAttacks, HOSTILE } from './every-view/hostile.ts';
import { expectLinesAccepted, expectNoFaults } from './every-view/inspection.ts';

/** Answered at once. */
const DESIGN = {
  ...{ epsilon: 0.01, time: 60, rate: 1e6, joinTime: 10 },
  ...{ check: false, elections: false },
};
const ATTACK = { protocol: 'cr-join', behaviours: ['phantom-id'], level: 'L0', seed: '1' };
const FORGERY = { goal: 'any', policy: { c1: 4 }, seed: '1' };
const LONG_CHECK = { protocol: 'raft', nodes: 5, bounds: { crash: 2 }, maxStates: 2_000_000 };

/** Members without which the page has nothing to show. */
const KEPT: ReadonlySet<string> = new Set([
  ...['id', 'kind', 'status', 'created', 'self', 'events', 'nextPageToken'],
]);

describe.skipIf(!hasBrowser)('the jobs', () => {
  const browser = browserLab();

  const submit = async (path: string, body: object) => {
    const response = await fetch(`${browser.lab.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Prefer: 'wait=10' },
      body: JSON.stringify(body),
    });
    expect(response.status, path).toBeLessThan(300);
    return (await response.json()) as { readonly id: string }; // By the contract.
  };
  const remove = (id: string) => fetch(`${browser.lab.url}/v1/jobs/${id}`, { method: 'DELETE' });
  /** Removes all jobs, and those that still run as soon as they are done. */
  const removeAll = async () => {
    const { items } = (await (await fetch(`${browser.lab.url}/v1/jobs`)).json()) as {
      readonly items: readonly { readonly id: string }[];
    }; // By the contract.
    for (const { id } of items) await remove(id);
    return items.length;
  };

  it('are listed, cancelled and removed', async () => {
    const { page } = await browser.open('#/jobs');
    await page.getByText('There are no jobs.').waitFor();
    const submitted = await fetch(`${browser.lab.url}/v1/checks`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(LONG_CHECK),
    });
    expect(submitted.status).toBe(202);

    await page.reload();
    await page.getByRole('button', { name: /^Cancel check_/ }).click();
    await page.getByRole('cell', { name: 'cancelled', exact: true }).waitFor();
    await page.getByRole('button', { name: /^Remove check_/ }).click();

    await page.getByText('There are no jobs.').waitFor();
  });

  it('that another caller removes while they are shown disappear without an error', async () => {
    const { id } = await submit('/v1/designs', { ...DESIGN, nodes: 16 });
    const list = await browser.open('#/jobs');
    const single = await browser.open(`#/jobs/${id}`);
    for (const { expects } of [list, single]) expects(/status of 404/);
    await list.page.getByRole('link', { name: id }).waitFor();
    await single.page.getByRole('heading', { name: 'Request' }).waitFor();

    await remove(id);
    await list.page.getByRole('button', { name: `Remove ${id}` }).click();
    await single.page.getByRole('button', { name: `Remove ${id}` }).click();

    await list.page.getByText('There are no jobs.').waitFor();
    await single.page.getByText('There are no jobs.').waitFor();
    expect(await list.page.getByRole('alert').count()).toBe(0);
  });

  it('of a kind without a view have a page with their result', async () => {
    const { id } = await submit('/v1/attacks', ATTACK);
    const { page, expects } = await browser.open('#/jobs?kind=attack');
    expects(/status of 404/);

    await page.getByRole('link', { name: id }).click();
    await page
      .locator('.answer-sentence', { hasText: /The adversary, rank 1 of 5, .* broke the election/ })
      .waitFor();

    await page.getByText('usurp attack cr-join --behaviours phantom-id').first().waitFor();
    await expect.poll(() => page.locator('main').innerText()).toContain('hop-limit');
    await expectNoFaults(page);
    await expectLinesAccepted(page); // The curl line of the page submits another job.
    await expect.poll(removeAll).toBe(0);
    await page.reload();
    await page.getByRole('alert').getByText('Not found.').waitFor();
  });

  it('show hostile words of requests, results, progress and problems as text', async () => {
    const { id } = await submit('/v1/forgeries', FORGERY);
    // The progress of a search has words as long as the search runs.
    const long = await fetch(`${browser.lab.url}/v1/forgeries`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...FORGERY, policy: { c1: 60 } }),
    });
    const { page } = await browser.open('#/nothing');
    await forbidAttacks(page);
    let served = 0;
    await page.route(/\/v1\/jobs(\?|\/\w+$)/, async (route) => {
      const response = await route.fetch();
      const json: unknown = JSON.parse(await response.text(), (name, value: unknown) =>
        typeof value === 'string' && !KEPT.has(name) ? HOSTILE[served++ % HOSTILE.length] : value,
      );
      await route.fulfill({ response, json });
    });

    await page.goto(`${browser.lab.url}/#/jobs`);
    await page
      .locator('.job-progress', { hasText: /attacked|gnp|proto|&lt/ })
      .first()
      .waitFor();
    await expectNoAttack(page);
    await page.goto(`${browser.lab.url}/#/jobs/${id}`);
    await page.locator('.values', { hasText: '<script>attacked()</script>' }).first().waitFor();

    await expectNoAttack(page);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await fetch(`${browser.lab.url}${long.headers.get('Location')}/cancel`, { method: 'POST' });
    await expect.poll(removeAll).toBe(0);
  });

  it('of an operation of the user have its title, and open its form', async () => {
    const { id } = await submit('/v1/designs', { ...DESIGN, nodes: 5 });
    const { page } = await browser.open('#/nothing');
    await page.route(/\/v1\/(jobs|operations)\?/, async (route) => {
      const response = await route.fetch();
      const json: unknown = JSON.parse(await response.text(), (name, value: unknown) => {
        if (name === 'title' && value === 'Design') return 'Tries of mine';
        return ['kind', 'name'].includes(name) && value === 'design' ? 'tries' : value;
      });
      await route.fulfill({ response, json });
    });

    await page.goto(`${browser.lab.url}/#/jobs`);
    const row = page.locator('tbody tr', { hasText: id });
    await row.waitFor();
    await expect.poll(() => row.locator('td').nth(1).innerText()).toContain('Tries of mine');
    expect(await row.getByRole('link').getAttribute('href')).toMatch(
      /^#\/operations\/tries\?.*job=/,
    );
    const options = page.getByLabel('Kind').locator('option');
    expect(await options.allInnerTexts()).toContain('Tries of mine');

    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await expect.poll(removeAll).toBe(0);
  });

  it('are in pages, and are selected by their kind and status', async () => {
    const older = IS_WHOLE ? [50, 11] : [11];
    const jobs = older.reduce((sum, count) => sum + count, 50);
    for (let nodes = 2; nodes <= jobs; nodes++) await submit('/v1/designs', { ...DESIGN, nodes });
    const { id } = await submit('/v1/runs', { threatModel: 'top-id', runs: 5, seed: '1' });
    const { page } = await browser.open('#/jobs');
    const rows = page.locator('tbody tr');
    const links = async () => page.locator('tbody a').allInnerTexts();
    await expect.poll(() => rows.count()).toBe(50);

    const seen = new Set(await links());
    for (const left of older) {
      const [first] = await links();
      await page.getByRole('link', { name: 'Older jobs' }).click();
      await expect.poll(async () => (await links())[0]).not.toBe(first);
      await expect.poll(() => rows.count()).toBe(left);
      for (const link of await links()) seen.add(link);
    }

    expect(seen.size).toBe(jobs);
    expect(await page.getByRole('link', { name: 'Older jobs' }).count()).toBe(0);
    await page.getByLabel('Kind').selectOption('run');
    await page.getByLabel('Status').selectOption('done');
    await expect.poll(links).toEqual([id]);
    await expect
      .poll(() => page.locator('tbody a').getAttribute('href'))
      .toBe(`#/threat-models/top-id?runs=5&untilDecided=0&seed=1&job=${id}`);
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('There are no such jobs.').waitFor();
  });
});
