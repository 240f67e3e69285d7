/**
 * @module
 * The checker in the browser: a check from its form to its counterexample, action by action; a walk by hand to a
 * violation; and a search that reached its limit, which never reads like a proof.
 */

import { describe, expect, it } from 'vitest';

import { browserLab, hasBrowser } from './browser.ts';
import { expectLinesAccepted, expectNoFaults } from './every-view/inspection.ts';

describe.skipIf(!hasBrowser)('the checker', () => {
  const browser = browserLab();

  it('finds two leaders and shows them action by action', async () => {
    const { page } = await browser.open('#/checks');
    await page.getByLabel('one-leader', { exact: true }).check();
    await page.getByRole('button', { name: 'Run', exact: true }).click();

    await page.getByText('violated: one-leader: nodes 1 and 3 lead at the same time').waitFor();
    await page.getByText('Action 4 of 4').waitFor();
    const leading = page.getByRole('cell', { name: 'leading' });
    await expect.poll(() => leading.count()).toBe(2);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByText('Action 3 of 4').waitFor();
    await expect.poll(() => leading.count()).toBe(1);

    await expect.poll(() => page.locator('.paper .later').count()).toBe(1);
    await expect.poll(() => page.url()).toContain('step=3');
    await expectNoFaults(page);
    await expectLinesAccepted(page);
  });

  it('walks by hand to a violation, and back', async () => {
    const { page } = await browser.open('#/checks');
    await page.getByRole('button', { name: 'Walk by hand' }).click();
    for (const action of [
      'node 1 starts',
      'node 2 starts',
      'node 3 starts',
      'timer answer: leads',
    ]) {
      await page.getByRole('button', { name: action }).first().click();
    }

    await page.getByText('here nodes 1 and 3 lead at the same time').waitFor();
    await page.reload();
    await page.getByText('here nodes 1 and 3 lead at the same time').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('3 actions so far').waitFor();

    await page.getByText('here nodes 1 and 3 lead at the same time').waitFor({ state: 'detached' });
  });

  it('never words a search that reached its limit like a proof', async () => {
    const { page } = await browser.open(
      '#/checks?timing=synchronous&nodes=4&bounds=crash%3D1&maxStates=50',
    );
    await page.getByRole('button', { name: 'Run', exact: true }).click();

    await page.getByText('the other worlds are unknown').waitFor();
    const words = await page.locator('main').innerText();

    expect(words).not.toMatch(/\b(holds|proved|safe|none violates)\b/);
  });

  it('shows why the server refuses a check', async () => {
    const { page, expects } = await browser.open('#/checks?protocol=no-such-protocol');
    expects(/status of 400/);
    await page.getByRole('button', { name: 'Run', exact: true }).click();

    await page.getByRole('alert').getByText('#/protocol').waitFor();
  });
});
