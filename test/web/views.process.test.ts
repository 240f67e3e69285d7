/**
 * @module
 * What holds for every view of the browser lab as it opens: no error, nothing that axe finds, nothing that cannot be read
 * or reached, and lines that do the same without the page. The tests of the views inspect what they show later.
 */

import { describe, expect, it } from 'vitest';

import { browserLab, hasBrowser } from './browser.ts';
import { expectLinesAccepted, expectNoFaults } from './every-view/inspection.ts';

/** The addresses of all views, each with what is shown last. */
const ADDRESSES = [
  ['#/?c1=4&budget=6&seed=1', '.winner'],
  ['#/race?c1=10&budget=8&strategy=walk&seed=1&policy=version-byte', '[name=policy]'],
  ['#/guide/first-election?at=40', '.stage svg'],
  ['#/guide/lie?at=24', '.ring-picture .message'],
  ['#/elections?protocol=franklin&nodes=4&seed=2', '.equivalent'],
  ['#/threat-models', '.model-list article'],
  ['#/threat-models/top-id?runs=20&seed=1', '.yaml textarea'],
  ['#/sweeps', '.equivalent'],
  ['#/checks?bounds=crash%3D1&timing=synchronous&maxStates=500', '.equivalent'],
  ['#/checks?byzantine=2%3Dswallow&level=L1&maxStates=500', '.equivalent'],
  ['#/checks/walk?address=0.0', '.verdict'],
  ['#/matrices?protocols=lease-local', '[type=checkbox]'],
  ['#/design', '.operation .picture'],
  ['#/exercises', 'tbody tr'],
  ['#/exercises/mine-claim', '.commands'],
  ['#/jobs?kind=run&status=done', '.equivalent'],
] as const;

describe.skipIf(!hasBrowser)('every view', () => {
  const browser = browserLab();

  it.each(ADDRESSES)('%s can be read and reached', async (address, last) => {
    const { page } = await browser.open(address);
    await page.locator(last).first().waitFor();

    await expectNoFaults(page);
    await expectLinesAccepted(page);
  });

  it('scrolls the navigation of a phone to its link', async () => {
    const { page } = await browser.open('#/jobs', { width: 360, height: 740 });
    const link = page.getByRole('navigation').getByRole('link', { name: 'Jobs' });
    await link.waitFor();

    const edges = async () => {
      const box = await link.boundingBox();
      return { left: box?.x ?? 0, right: (box?.x ?? 0) + (box?.width ?? 0) };
    };

    await expect.poll(async () => (await edges()).left).toBeGreaterThan(0);
    await expect.poll(async () => (await edges()).right).toBeLessThanOrEqual(360);
  });

  it('shows the rows of a wide table as cards on a phone', async () => {
    const { page } = await browser.open('#/race', { width: 390, height: 844 });
    const table = page.getByRole('table').filter({ hasText: 'yggdrasil' });
    const row = table.getByRole('row').filter({ hasText: 'yggdrasil' });
    const flaw = row.getByRole('cell').last();
    await flaw.waitFor();
    const edge = async () => {
      const { x, width } = (await flaw.boundingBox()) ?? { x: 0, width: Number.NaN };
      return x + width;
    };
    const column =
      'getComputedStyle(document.activeElement.closest("tr").lastChild, "::before").content';

    expect(await edge()).toBeLessThanOrEqual(390);
    await row.getByRole('radio').focus();
    expect(await page.evaluate(column)).toBe('"Flaw"');
    await page.setViewportSize({ width: 1280, height: 800 });
    await table.getByRole('columnheader', { name: 'Flaw' }).waitFor();
    expect(await edge()).toBeGreaterThan(390);
    expect(await page.evaluate(column)).toBe('none');
  });

  it('has no entry for what the server does not offer', async () => {
    const { page } = await browser.open('#/exercises');
    await page.locator('tbody tr').first().waitFor();

    expect(await page.getByRole('link', { name: 'Live nodes' }).count()).toBe(0);
  });

  it('says that there is nothing at an unknown address', async () => {
    const { page } = await browser.open('#/nothing');

    await page.getByText('There is no view at this address.').waitFor();
  });
});
