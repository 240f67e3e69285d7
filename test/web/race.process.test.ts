/**
 * @module
 * The race for the top ID in the browser: a forger wins or loses within its budget, the address restores the race, it can
 * be stopped, and all of it works with the keyboard.
 */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { browserLab, hasBrowser } from './browser.ts';

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
      /It spent 8\s192 attempts and [\d.]+ s of CPU time, and found \d+ valid IDs/,
    );
    expect(text).toContain('finds 8.0 on average, and wins 48 % of such races');
    expect(text).toMatch(/Bully elected rank [89] of [89], (the forger|an honest node)/);
    expect(height).toBeLessThanOrEqual(800);
  });

  it('is won with enough attempts: all nodes follow the forged ID', async () => {
    const { page } = await browser.open('#/race?c1=4&budget=12&strategy=walk&nodes=3&seed=1');

    const text = await race(page);

    expect(text).toContain('The forger won.');
    expect(text).toContain('Bully elected rank 4 of 4, the forger: all 4 nodes follow it.');
    await page.waitForURL(/election=/);
    const { query } = addressOf(page);
    const { leader } = await answer(`/v1/elections/${query.get('election')}`);
    const { result } = await answer(`/v1/jobs/${query.get('forgery')}`);
    const { claims } = result as { claims: readonly { nodeId: string }[] }; // By the contract.
    const [best] = claims
      .map(({ nodeId }) => nodeId)
      .toSorted()
      .reverse();
    expect(leader).toMatchObject({ nodeId: best });
    await expect.poll(() => page.getByText('best ID after').count()).toBe(1);
  });

  it('is lost with too few attempts', async () => {
    const { page } = await browser.open('#/race?c1=14&budget=5&strategy=walk&nodes=3&seed=1');

    const text = await race(page);

    expect(text).toContain('The forger lost. Its budget ended before it found a single valid ID.');
    expect(text).toContain('wins less than 0.1 % of such races');
    expect(text).toContain('Bully elected rank 3 of 3, an honest node: all 3 nodes follow it.');
  });

  it('is restored by its address', async () => {
    const { page } = await browser.open('#/race?c1=6&budget=9&strategy=walk&nodes=5&seed=3');
    const before = await race(page);

    await page.reload();

    expect(await outcomeOf(page)).toBe(before);
    await expect.poll(() => addressOf(page).query.get('seed')).toBe('3');
    const again = await browser.open(addressOf(page).hash);
    expect(await outcomeOf(again.page)).toBe(before);
  });

  it('is run to its end if the page is loaded again during the search', async () => {
    const { page } = await browser.open('#/race?c1=12&budget=12&nodes=3&seed=4');
    await page.getByRole('button', { name: 'Race', exact: true }).click();
    await page.waitForURL(/forgery=/);

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

function addressOf(page: Page) {
  const { hash } = new URL(page.url());
  return { hash, query: new URLSearchParams(hash.split('?')[1] ?? '') };
}
