/**
 * @module
 * Live nodes in the browser: a cluster is started, its leader killed, a node separated, and the model checks what the
 * nodes did.
 */

import { describe, expect, it } from 'vitest';

import { browserLab, hasBrowser } from '../browser.ts';
import { expectNoFaults } from '../every-view/inspection.ts';

describe.skipIf(!hasBrowser)('live nodes', () => {
  const browser = browserLab({ clusters: true });

  it('are started, killed, separated and checked', async () => {
    const { page } = await browser.open('#/exercises');
    await page.getByRole('navigation').getByRole('link', { name: 'Live nodes' }).click();
    await page.getByText('There is no cluster.').waitFor();
    await expectNoFaults(page);
    await page.getByRole('button', { name: 'Start the cluster' }).click();
    await page.getByText('Node 3 leads nodes 1, 2, 3.').waitFor();
    await page.getByRole('button', { name: 'Node 3, leads', exact: true }).click();
    await page.getByRole('button', { name: 'Kill', exact: true }).click();
    await page.getByText('Node 2 leads nodes 1, 2.').waitFor();
    await page.getByText('1. kill 3, done').waitFor();
    await page.getByText(/^Event [1-9]\d* of \d+$/).waitFor();
    await page.getByRole('button', { name: 'Node 1', exact: true }).click();
    await page.getByRole('button', { name: 'Separate it' }).click();
    await page.getByRole('button', { name: 'Separate them' }).click();
    await page.getByText('Partition: 1 | 2, 3.').waitFor();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: /^Node 1.*, paused$/ }).waitFor();
    const marks = page.getByRole('list', { name: 'Marks of the diagram' });
    for (const mark of [
      'crashes',
      'pauses',
      'is paused',
      'is down',
      'a partition begins or ends',
    ]) {
      await marks.getByText(mark, { exact: true }).waitFor();
    }
    await page.getByRole('list', { name: 'Marks of nodes' }).getByText('‖ paused').waitFor();
    await expectNoFaults(page);

    await page.getByRole('button', { name: 'End and check' }).click();
    await page.getByText(/The model takes all \d+ steps of the nodes\./).waitFor();

    await expect
      .poll(() => page.getByRole('button', { name: 'Kill', exact: true }).count())
      .toBe(0);
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('This cluster is removed.').waitFor();
  });
});
