/**
 * @module
 * Designs in the browser: a question that is impossible, the change that makes it possible, and the address, which
 * restores both. The address, the request and the command state the same question.
 */

import { describe, expect, it } from 'vitest';

import {
  commandOf,
  MEMBERS,
  queryOf,
  requestOf,
  roughValue,
} from '../../server/web/design/members.ts';
import { browserLab, hasBrowser } from './browser.ts';

describe('the question of a design', () => {
  it('is the same in the address and in the request', () => {
    const query = {
      ...{ protocol: 'raft', question: 'no-leader', epsilon: '1%', nodes: '2^5' },
      ...{ joinSeconds: '90s', advantage: '4', machines: '2', elections: '1', check: '1' },
    };

    const request = requestOf(query);
    const again = requestOf(
      Object.fromEntries(
        Object.entries(queryOf(request)).flatMap(([name, value]) =>
          value === null || value === undefined ? [] : [[name, String(value)]],
        ),
      ),
    );

    expect(request).toMatchObject({ epsilon: '1%', nodes: '2^5', advantage: 4, elections: true });
    expect(again).toEqual(request);
  });

  it('is the command with every number', () => {
    const command = commandOf(requestOf({}));

    expect(MEMBERS.filter(({ flag }) => !command.includes(flag))).toEqual([]);
    expect(command).toContain('--no-check');
  });

  it.each([
    ['2^10', 1024],
    ['90s', 90],
    ['2h', 7200],
    ['5%', 0.05],
    ['1e6', 1e6],
    ['some', null],
    ['', null],
  ])('has %j at about %j on a slider', (text, value) => {
    expect(roughValue(text)).toBe(value);
  });
});

describe.skipIf(!hasBrowser)('a design', () => {
  const browser = browserLab();

  it('says what is impossible and why, and becomes possible by the change that it names', async () => {
    const { page } = await browser.open('#/design?joinSeconds=10s');
    await page.getByText(/Not possible: .* 10\.22 more than the 21\.67 bits/).waitFor();
    await page.getByRole('img', { name: /Advantage 8 needs 31\.9 bits/ }).waitFor();

    await page.getByRole('button', { name: /^Try: Accept a time to join/ }).press('Enter');
    await page.getByText(/Possible: 32 bits limit an adversary/).waitFor();
    await page.reload();
    await page.getByText(/Possible: 32 bits limit an adversary/).waitFor();

    await expect.poll(() => page.url()).toContain('joinSeconds=12870');
    const jobs = await (await fetch(`${browser.lab.url}/v1/jobs?kind=design`)).json();
    expect((jobs as { items: unknown[] }).items.length).toBeLessThanOrEqual(1); // By the contract.
  });

  it('follows a slider that is moved by keys, and names a number that is refused', async () => {
    const { page, expects } = await browser.open('#/design?advantage=1');
    expects(/status of 400/);
    const slider = page.getByRole('slider', { name: 'Advantage of the adversary' });
    await page
      .getByText(/at 1 times the speed|at the speed/)
      .first()
      .waitFor();

    await slider.press('End');
    await page.getByText(/at 1000000 times the speed/).waitFor();
    await page.getByLabel('Honest nodes', { exact: true }).fill('many');
    await page.locator('[aria-invalid]').waitFor();

    await expect.poll(() => page.locator('#nodes-note').innerText()).toMatch(/must be/);
  });
});
