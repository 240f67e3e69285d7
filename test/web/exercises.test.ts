/**
 * @module
 * The exercises in the browser: a student opens one, starts it, submits a wrong answer and sees what is missing.
 */

import { describe, expect, it } from 'vitest';

import { browserLab, hasBrowser } from './browser.ts';
import { expectLinesAccepted, expectNoFaults } from './every-view/inspection.ts';

describe.skipIf(!hasBrowser)('the exercises', { timeout: 60_000 }, () => {
  const browser = browserLab();

  it('are listed, started and graded, with what is missing', async () => {
    const { page } = await browser.open('#/exercises');
    await page.getByRole('link', { name: /^Spoof COORDINATOR/ }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const election = page.locator('.instance').getByRole('link').first();
    await election.waitFor();
    await page.getByLabel('Answer (JSON)').fill('{"type":"elections"}');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.locator('.grade').getByText('not correct').waitFor();
    await page.locator('details .findings').waitFor({ state: 'attached' });

    expect(await page.locator('.grade .findings').innerText()).toContain('0 points');
    await expectNoFaults(page);
    await expectLinesAccepted(page);
    await election.click();
    await page.getByRole('heading', { name: 'Space-time diagram' }).waitFor();
    await page.goto(`${browser.lab.url}/#/exercises`);
    await page.getByRole('cell', { name: 'tried', exact: true }).waitFor();
  });
});
