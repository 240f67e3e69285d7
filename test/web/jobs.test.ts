/**
 * @module
 * The jobs in the browser: a list that follows them, and buttons that cancel and remove one.
 */

import { describe, expect, it } from 'vitest';

import { browserLab, hasBrowser } from './browser.ts';

describe.skipIf(!hasBrowser)('the jobs', () => {
  const browser = browserLab();

  it('are listed, cancelled and removed', async () => {
    const { page, faults } = await browser.open('#/jobs');
    await page.getByText('There are no jobs.').waitFor();
    const body = JSON.stringify({
      protocol: 'raft',
      nodes: 5,
      bounds: { crash: 2 },
      maxStates: 2_000_000,
    });
    const headers = { 'Content-Type': 'application/json' };
    const submitted = await fetch(`${browser.lab.url}/v1/checks`, {
      method: 'POST',
      headers,
      body,
    });
    expect(submitted.status).toBe(202);

    await page.reload();
    await page.getByRole('button', { name: /^Cancel x_/ }).click();
    await page.getByRole('cell', { name: 'cancelled', exact: true }).waitFor();
    await page.getByRole('button', { name: /^Remove x_/ }).click();

    await page.getByText('There are no jobs.').waitFor();
    expect(faults).toEqual([]);
  });
});
