/**
 * @module
 * What holds for every view of the browser lab: it opens without an error, axe finds no violation in light and dark
 * colours, and nothing is wider than the window of a phone.
 */

import { describe, expect, it } from 'vitest';

import { violationsIn } from './axe.ts';
import { browserLab, hasBrowser } from './browser.ts';

/** The addresses of all views. */
const ADDRESSES = [
  '#/',
  '#/race',
  '#/elections',
  '#/threat-models',
  '#/threat-models/top-id',
  '#/sweeps',
  '#/checks',
  '#/checks/walk?address=0.0',
  '#/matrices',
  '#/design',
  '#/jobs',
];

describe.skipIf(!hasBrowser)('every view', () => {
  const browser = browserLab();

  it.each(
    ADDRESSES.flatMap((address) =>
      (['light', 'dark'] as const).map((scheme) => ({ address, scheme })),
    ),
  )(
    '$address in $scheme colours opens without an error or a violation that axe finds',
    async ({ address, scheme }) => {
      const { page } = await browser.open(address, { scheme });
      await page.locator('main h1').waitFor();

      const violations = await violationsIn(page);

      expect(violations).toEqual([]);
    },
  );

  it.each(ADDRESSES)('%s fits into 360 pixels', async (address) => {
    const { page } = await browser.open(address, { width: 360, height: 740 });
    await page.locator('main h1').waitFor();

    const widest = await page.evaluate<number>('document.documentElement.scrollWidth');

    expect(widest).toBeLessThanOrEqual(360);
  });

  it('scrolls the navigation of a phone to its link', async () => {
    const { page } = await browser.open('#/jobs', { width: 360, height: 740 });
    const link = page.getByRole('navigation').getByRole('link', { name: 'Jobs' });
    await link.waitFor();

    const box = await link.boundingBox();

    expect(box?.x).toBeGreaterThan(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
  });

  it('says that there is nothing at an unknown address', async () => {
    const { page } = await browser.open('#/nothing');

    await page.getByText('There is no view at this address.').waitFor();
  });
});
