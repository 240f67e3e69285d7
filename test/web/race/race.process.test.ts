/**
 * @module
 * The race for the top ID in the browser: a forger wins or loses within its budget, the address restores the race, it can
 * be stopped, and all of it works with the keyboard.
 */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { Forger, honestOf } from '../../../server/web/race/contest.ts';
import { forgeryOf, planOf } from '../../../server/web/race/plan.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import type { Ledger } from '../../../src/mining/ledger.ts';
import { threadClocks } from '../../../src/runtime/threads/clocks.ts';
import { kernelSource } from '../../../src/runtime/threads/kernels.ts';
import { browserLab, hasBrowser } from '../browser.ts';

interface Nodes {
  readonly items: readonly { readonly nodeId: string }[];
}

interface ForgeryView {
  readonly status: string;
  readonly result: {
    readonly claims: readonly { readonly nodeId: string }[];
    readonly ledger: Ledger;
  };
}

describe.skipIf(!hasBrowser)('a race for the top ID', () => {
  const browser = browserLab();

  const outcomeOf = async (page: Page) => {
    await page.locator('.winner').waitFor();
    return page.locator('.outcome').innerText();
  };
  const race = async (page: Page) => {
    await page.getByRole('button', { name: 'Race', exact: true }).click();
    return outcomeOf(page);
  };
  const post = async (path: string, body: object): Promise<{ readonly id: string }> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${browser.lab.url}${path}`, {
      ...{ method: 'POST', headers, body: JSON.stringify(body) },
    });
    return (await response.json()) as { readonly id: string }; // By the contract.
  };
  const answer = async (path: string): Promise<Record<string, unknown>> => {
    const response = await fetch(`${browser.lab.url}${path}`);
    return (await response.json()) as Record<string, unknown>; // By the contract.
  };

  it('is run by the start page, which states its cost and its expectation without scrolling', async () => {
    const { page } = await browser.open('#/', { width: 1280, height: 800 });

    const text = await outcomeOf(page);
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');

    expect(text).toMatch(/The forger (won|lost)\./);
    expect(text).toMatch(
      /It spent 8\s192 attempts and [\d.]+ s in this browser, and found \d+ valid IDs/,
    );
    expect(text).toContain('finds 8.0 on average, and wins 48 % of such races');
    expect(text).toMatch(/Bully elects rank [89] of [89], (the forger|an honest node)/);
    expect(height).toBeLessThanOrEqual(800);
  });

  it('is won with enough attempts: all nodes follow the forged ID', async () => {
    const { page } = await browser.open('#/race?c1=4&budget=12&strategy=walk&nodes=3&seed=1');

    const text = await race(page);

    expect(text).toContain('The forger won.');
    expect(text).toContain('Bully elects rank 4 of 4, the forger.');
    await expect.poll(() => page.getByText('best ID after').count()).toBe(1);
    await page.getByRole('button', { name: 'Play this election' }).click();
    await page.waitForURL(/#\/elections\/e_/);
    const [, id] = /elections\/(\w+)/.exec(addressOf(page).hash) ?? [];
    expect(await answer(`/v1/elections/${id}`)).toMatchObject({ leader: { rank: 4 }, nodes: 4 });
  });

  it('has the honest IDs of an election over HTTP, and the forged IDs of a forgery', async () => {
    const policy = { ...STRICT_POLICY, c1: 5 };
    const plan = planOf({ nodes: '5', c1: '5', budget: '10', strategy: 'walk' }, '7');
    const means = { clocks: threadClocks, kernels: kernelSource() };
    const honest = honestOf({ plan, policy }, means);
    const forger = new Forger({ plan, policy }, means);
    while (!forger.advance(0.01));

    const created = await post('/v1/elections', {
      ...{ protocol: 'bully-oneshot', nodes: 5, seed: '7', policy: { c1: 5 }, honest: 'earned' },
    });
    const { items } = (await answer(`/v1/elections/${created.id}/nodes`)) as unknown as Nodes;
    const body = { ...forgeryOf(plan, null), goal: 'count:256' };
    const { id } = await post('/v1/forgeries', body);
    const job = async () => (await answer(`/v1/jobs/${id}`)) as unknown as ForgeryView;
    await expect.poll(async () => (await job()).status, { timeout: 60_000 }).toBe('done');
    const { claims, ledger } = (await job()).result;

    expect(honest.nodeIds).toEqual(items.map(({ nodeId }) => nodeId));
    expect(forger.search().forged).toEqual(claims.map(({ nodeId }) => nodeId));
    expect(forger.search().ledger).toMatchObject({
      ...{ attempts: ledger.attempts, hashes: ledger.hashes },
      groupOperations: ledger.groupOperations,
    });
  });

  it('keeps nothing on the server', async () => {
    const before = await Promise.all([answer('/v1/elections'), answer('/v1/jobs')]);
    const { page } = await browser.open('#/');
    await outcomeOf(page);

    expect(await Promise.all([answer('/v1/elections'), answer('/v1/jobs')])).toEqual(before);
  });

  it('is lost with too few attempts', async () => {
    const { page } = await browser.open('#/race?c1=14&budget=5&strategy=walk&nodes=3&seed=1');

    const text = await race(page);

    expect(text).toContain('The forger lost. Its budget ended before it found a single valid ID.');
    expect(text).toContain('wins less than 0.1 % of such races');
    expect(text).toContain('Bully elects rank 3 of 3, an honest node.');
  });

  it('is restored by its address', async () => {
    const { page } = await browser.open('#/race?c1=6&budget=9&strategy=walk&nodes=5&seed=3');
    const before = timeless(await race(page));

    await page.reload();

    expect(timeless(await outcomeOf(page))).toBe(before);
    await expect.poll(() => addressOf(page).query.get('seed')).toBe('3');
    const again = await browser.open(addressOf(page).hash);
    expect(timeless(await outcomeOf(again.page))).toBe(before);
  });

  it('is run to its end if the page is loaded again during the search', async () => {
    const { page } = await browser.open('#/race?c1=12&budget=12&nodes=3&seed=4');
    await page.getByRole('button', { name: 'Race', exact: true }).click();
    await page.waitForURL(/run=1/);

    await page.reload();

    expect(await outcomeOf(page)).toContain('It spent 4\u202f096 attempts');
  });

  it('can be stopped; what was spent until then counts', async () => {
    const { page } = await browser.open('#/race?c1=30&budget=24&nodes=3&seed=1');
    await page.getByRole('button', { name: 'Race', exact: true }).click();

    await page.getByRole('button', { name: 'Stop' }).click();

    const text = await outcomeOf(page);
    expect(text).toContain('The forger lost.');
    expect(text).toContain('It was stopped after');
    await expect.poll(() => page.getByText('its ID is drawn').count()).toBe(1);
  });

  it('works with the keyboard alone', async () => {
    const { page } = await browser.open('#/race?c1=5&budget=8&strategy=walk&nodes=3&seed=9');

    await page.getByRole('slider', { name: 'Difficulty' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');

    const text = await outcomeOf(page);
    expect(text).toContain('A budget of 512 attempts finds 8.0 on average');
    await expect
      .poll(() => Object.fromEntries(addressOf(page).query))
      .toMatchObject({ c1: '6', budget: '9' });
  });

  it('can be against a weak policy, with another seed each time', async () => {
    const { page } = await browser.open('#/race?budget=12&strategy=siblings&nodes=3&seed=9');
    await page.getByRole('radio', { name: 'version-byte' }).check();
    await page.getByRole('slider', { name: 'Difficulty' }).fill('16');

    const text = await race(page);
    await page.getByRole('button', { name: 'Race again' }).click();
    await page.waitForURL((url) => !url.hash.includes('seed=9&'));
    await outcomeOf(page);

    // Eight of the bits cost nothing.
    expect(text).toContain('A budget of 4\u202f096 attempts finds 16 on average');
    await expect.poll(() => addressOf(page).query.get('policy')).toBe('version-byte');
  });
});

/** The outcome without the time that it took. */
function timeless(text: string): string {
  return text.replace(/[\d.]+ s in this browser/, '');
}

function addressOf(page: Page) {
  const { hash } = new URL(page.url());
  return { hash, query: new URLSearchParams(hash.split('?')[1] ?? '') };
}
