/**
 * @module
 * Races on a graphics card by WebGPU of the browser, here on SwiftShader: the device finds what the processor finds, is
 * called a software device, and is compared with one honest core. A browser without a device says so, and does not race.
 */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { browserLab, hasBrowser } from '../browser.ts';

const RACE = '#/race?c1=8&budget=14&strategy=siblings&nodes=4&seed=45';

const start = (page: Page) => page.getByRole('button', { name: 'Race', exact: true }).click();

/** What the page says of a race, without times. Null after a notice if the browser has no device. */
async function outcomeOf(page: Page): Promise<readonly string[] | null> {
  const refusal = page.getByRole('alert');
  await page.locator('.winner').or(refusal).waitFor();
  if ((await refusal.count()) > 0) {
    console.log(`skipped: ${await refusal.innerText()}`);
    return null;
  }
  const texts = await page.locator('.winner, .forged title, .odds-chart .found').allTextContents();
  return [...texts, ...(await ledgerOf(page)).slice(0, 3)];
}

function ledgerOf(page: Page): Promise<readonly string[]> {
  return page.locator('.numbers > div:last-child tr').allInnerTexts();
}

describe.skipIf(!hasBrowser)('a browser with a device', () => {
  const browser = browserLab({ device: true });

  it('finds on the device the keys that its processor finds, and says how far it is ahead', async () => {
    const { page } = await browser.open(`${RACE}&device=gpu`);
    await start(page);
    const found = await outcomeOf(page);
    if (found === null) return;
    const rows = await ledgerOf(page);
    const cost = await page.locator('.outcome').innerText();
    const other = await browser.open(RACE);
    await start(other.page);

    expect(await outcomeOf(other.page)).toEqual(found);
    expect(found.filter((text) => text.startsWith('forged ID')).length).toBeGreaterThan(20);
    expect(cost).toMatch(/in this browser on .*swiftshader/i);
    expect(rows[3]).toContain('a software device, which computes on the processor');
    expect(rows.at(-1)).toMatch(/\d+\.\d bits (ahead of|behind) one honest core/);
  });

  it('measures the device beside an honest core', async () => {
    const { page } = await browser.open('#/race');
    await page.getByRole('button', { name: 'Measure the graphics card' }).click();

    const rates = page.locator('.card-rates');
    const refusal = page.getByRole('alert');
    await rates.or(refusal).waitFor();
    if ((await refusal.count()) > 0) return;

    const text = await rates.innerText();
    expect(text).toContain('a software device');
    expect(text).toMatch(/It is \d+\.\d bits (ahead of|behind) one honest core/);
    expect(text).not.toContain('The card');
  });
});

describe.skipIf(!hasBrowser)('a browser without a device', () => {
  const browser = browserLab();

  it('says so in a sentence, and does not race on its processor', async () => {
    const { page } = await browser.open(`${RACE}&device=gpu`);
    await start(page);

    const refusal = page.getByRole('alert');
    await refusal.waitFor();

    expect(await refusal.innerText()).toMatch(/^This browser .* no graphics card/);
    expect(await page.locator('.winner').count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Forge on the graphics card' }).uncheck();
    await page.getByRole('button', { name: 'Race again' }).click();
    await page.locator('.winner').waitFor();
  });

  it('refuses a strategy that no device carries out', async () => {
    const { page } = await browser.open('#/race?strategy=walk&device=gpu');
    await start(page);

    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toBe('A graphics card searches with the strategies siblings and batch, not walk.');
  });

  it('takes the fastest strategy with the device', async () => {
    const { page } = await browser.open('#/race?strategy=fresh');

    await page.getByRole('checkbox', { name: 'Forge on the graphics card' }).check();

    await expect.poll(() => page.locator('.chosen').innerText()).toContain('Strategy siblings');
  });
});
