/**
 * @module
 * What comes from others is shown as text in the view of elections: names of messages and members, and the reasons and
 * names in answers of the API. Also what every page has to be, for elections under way, at rest, and of many nodes.
 */

import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { browserLab, hasBrowser } from '../browser.ts';
import { expectNoAttack, forbidAttacks, HOSTILE } from '../every-view/hostile.ts';
import { expectLinesAccepted, expectNoFaults } from '../every-view/inspection.ts';

describe.skipIf(!hasBrowser)('the view of elections', () => {
  const browser = browserLab();

  async function call(path: string, body: object): Promise<{ readonly id: string }> {
    const response = await fetch(`${browser.lab.url}/v1/elections${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.ok, await response.clone().text()).toBe(true);
    // The contract gives elections an id.
    return (await response.json()) as { readonly id: string };
  }

  const start = (members: object) =>
    call('', { protocol: 'bully-oneshot', nodes: 3, seed: '1', level: 'L0', ...members });

  it('shows 200 hostile strings of messages as text', async () => {
    const { id } = await start({});
    await call(`/${id}/actions`, { type: 'start' });
    for (const [index, text] of HOSTILE.entries()) {
      const message = {
        type: index % 2 === 0 ? 'ELECTION' : text.replace(/[^\x20-\x7e]/g, ''),
        text,
      };
      await call(`/${id}/actions`, { type: 'inject', from: 1, to: 3, message });
    }
    const { page } = await browser.open(`#/elections/${id}`);
    await forbidAttacks(page);

    await page.getByText('Messages in flight: 2').waitFor();
    const types = page.getByRole('list', { name: 'Types of messages' });
    await types.filter({ hasText: '<script>' }).waitFor();
    for (const text of [HOSTILE[1], HOSTILE[2]]) {
      const flights = page.locator('.flight');
      const index = await flights.evaluateAll(
        (all, part) => all.findIndex((each) => each.textContent?.includes(part) === true),
        text ?? '',
      );
      if (index >= 0) await flights.nth(index).click();
    }

    await expect.poll(() => types.textContent()).toContain('<script>');
    await expectNoAttack(page);
  });

  it('shows hostile reasons, names and IDs in answers as text', async () => {
    const { id } = await start({ run: true });
    const { page } = await browser.open('#/elections');
    let served = 0;
    const next = () => HOSTILE[served++ % HOSTILE.length] ?? '';
    const replace = async (route: Route) => {
      const response = await route.fetch();
      const text = await response.text();
      const json: unknown = JSON.parse(text, (name, value: unknown) =>
        REPLACED.has(name) && (typeof value === 'string' || value === null) ? next() : value,
      );
      await route.fulfill({ response, json });
    };
    await page.route(new RegExp(`/v1/elections/${id}(/nodes.*)?$`), replace);
    await page.goto(`${browser.lab.url}/#/elections/${id}?node=3`);
    await page
      .locator('.verdict-line')
      .getByText(/attacked|gnp|proto|&lt/)
      .waitFor();
    await expect
      .poll(async () => (await page.locator('.node-id').first().textContent())?.length)
      .toBeGreaterThan(3);

    expect(served).toBeGreaterThan(5);
    await expectNoAttack(page);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('can be read and reached in the middle of an election', async () => {
    const { id } = await start({ latency: 'uniform:1:9', byzantine: BYZANTINE });
    await call(`/${id}/actions`, { type: 'start' });
    await call(`/${id}/actions`, { type: 'advance', events: 5 });
    await call(`/${id}/actions`, { type: 'crash', rank: 1 });
    const { page } = await browser.open(`#/elections/${id}?node=2`);
    await page.locator('.flight').first().click();
    await page.getByRole('button', { name: 'Drop', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Node 1, down' }).waitFor();

    await expectNoFaults(page);
  });

  it('can be read and reached at the end of an election of 40 nodes', async () => {
    const { id } = await start({ nodes: 40, run: true });
    const { page } = await browser.open(`#/elections/${id}?node=2`);
    await page.getByText('all 40 live nodes follow 40').waitFor();

    await expectNoFaults(page);
    await expect
      .poll(() => page.locator('.equivalent code').allInnerTexts())
      .toContain('usurp elect bully-oneshot --nodes 40 --level L0 --latency 1 --seed 1');
    await expectLinesAccepted(page);
  });

  it('shows 500 nodes in groups that can be told apart', async () => {
    const { id } = await start({ protocol: 'cr-join', nodes: 500, run: true });
    const { page } = await browser.open(`#/elections/${id}`);
    await page.getByRole('button', { name: 'Nodes 491–500, leads' }).click();

    await page.getByRole('heading', { name: 'Node 491' }).waitFor();
    await expect.poll(() => page.locator('.members button').count()).toBe(10);
    await expect.poll(() => page.locator('.ring-picture .node').count()).toBe(50);
  });
});

const BYZANTINE = [{ rank: 2, behaviours: ['spoof-coordinator'] }];
const REPLACED: ReadonlySet<string> = new Set([
  ...['reason', 'nodeId', 'participant', 'name', 'detector', 'latency', 'seed'],
]);
