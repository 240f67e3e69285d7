/**
 * @module
 * The view of sweeps in a browser: from the form to charts, table and files, a closer look at a part, and a sweep
 * that is cancelled.
 */

import { readFile } from 'node:fs/promises';
import { parquetReadObjects } from 'hyparquet';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

import { browserLab, hasBrowser } from './browser.ts';
import { expectLinesAccepted, expectNoFaults } from './every-view/inspection.ts';

/** Saves the file of a button. */
async function saved(page: Page, button: string) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

describe.skipIf(!hasBrowser)('sweeps', () => {
  const browser = browserLab();
  /** A finished sweep with two axes. The last number of bits is refused. */
  let id = '';
  const submit = async (body: object): Promise<string> => {
    const response = await fetch(`${browser.lab.url}/v1/sweeps`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ threatModel: 'top-id', seed: '1', ...body }),
    });
    const job = (await response.json()) as { id: string }; // By the schema.
    return job.id;
  };

  beforeAll(async () => {
    if (!hasBrowser) return;
    id = await submit({
      axes: {
        'adversaries.main.budget.attempts': '2^4:2^8|*4',
        'network.identity.c1': [0, 4, 8, 300],
      },
      ...{ set: { work: 'sampled' }, runs: 40 },
    });
    // The events end when the sweep is over.
    const accept = { headers: { Accept: 'application/jsonl' } };
    const events = await fetch(`${browser.lab.url}/v1/jobs/${id}/events`, accept);
    expect(await events.text()).toContain('"done"');
  });

  it('are started by the form, which the address restores', async () => {
    const { page } = await browser.open('#/sweeps');

    await page.getByLabel('Threat model').selectOption('top-id-naive');
    await page
      .getByRole('group', { name: 'Axis 1' })
      .getByLabel('Member')
      .selectOption('network.honest');
    await page.getByRole('group', { name: 'Axis 1' }).getByLabel('List, with commas').fill('4, 8');
    await page.getByRole('button', { name: 'Remove axis 2' }).click();
    await page.getByRole('combobox', { name: /^Work/ }).selectOption('sampled');
    await page.getByLabel('Runs of each cell').fill('20');
    await page.getByLabel('Seed', { exact: true }).fill('7');
    await page.reload();
    await page.getByText(/^2 cells of 20 runs, 40 runs/).waitFor();
    await page.getByRole('button', { name: 'Start the sweep' }).click();
    await page.getByRole('heading', { name: 'Cells', exact: true }).waitFor();

    const rows = page.getByRole('region', { name: 'The table of cells' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(2);
    await expect
      .poll(() => page.locator('.facts').textContent())
      .toContain('network.honest (2 values)');
    await expect.poll(() => page.locator('.facts').textContent()).toContain('Seed7');
    await page.getByRole('link', { name: 'All sweeps' }).click();
    await page.getByRole('link', { name: 'Your sweeps' }).click();
    await page.getByRole('link', { name: /^s_/ }).nth(1).waitFor();
  });

  it('are shown as a map with the frontier, curves with theory, and a table with refusals', async () => {
    const { page } = await browser.open(`#/sweeps/${id}`);
    await page.getByRole('heading', { name: 'Cells', exact: true }).waitFor();

    const pictures = page.locator('.picture svg');
    const [map, curves] = [pictures.nth(0), pictures.nth(1)];
    await expect.poll(() => map.textContent()).toContain('closed form = ε = 0.5');
    await expect.poll(() => map.textContent()).toContain('refused by the document');
    await expect.poll(() => curves.textContent()).toContain('95 % interval (exact)');
    await expect.poll(() => curves.textContent()).toContain('closed form');
    const table = page.getByRole('region', { name: 'The table of cells' });
    await expect.poll(() => table.locator('tbody tr').count()).toBe(12);
    await expect.poll(() => table.locator('tbody tr', { hasText: 'refused' }).count()).toBe(3);
    await page.getByText('network.identity.c1 = 300 (3 cells)').last().waitFor();
    await expectLinesAccepted(page);
  });

  it('are saved as CSV, JSON lines, Parquet, SVG and PNG', async () => {
    const { page } = await browser.open(`#/sweeps/${id}`);
    await page.getByRole('heading', { name: 'Cells', exact: true }).waitFor();

    const csv = await saved(page, 'Cells as CSV');
    const lines = await saved(page, 'Runs as JSON lines');
    const parquet = await saved(page, 'Cells as Parquet');
    const svg = await saved(page, 'frontier as SVG');
    const png = await saved(page, 'frontier as PNG');

    expect(csv.name).toBe(`${id}.cells.csv`);
    expect(csv.bytes.toString()).toMatch(
      /^cell,adversaries_main_budget_attempts,network_identity_c1,/,
    );
    expect(csv.bytes.toString().trim().split('\n').length).toBe(13);
    const runs = lines.bytes.toString().trim().split('\n');
    expect(runs.map((line): unknown => JSON.parse(line)).length).toBe(9 * 40);
    const { buffer, byteOffset, byteLength } = new Uint8Array(parquet.bytes);
    const file = buffer.slice(byteOffset, byteOffset + byteLength);
    expect(await parquetReadObjects({ file })).toHaveLength(12);
    expect(svg.bytes.toString()).toMatch(/^<svg xmlns=[\s\S]*<style>[\s\S]*<\/svg>\s*$/);
    expect(png.bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(png.bytes.readUInt32BE(16)).toBe(2 * 760);
  });

  it('have a part that the pointer or the keyboard chooses, and that a new sweep examines', async () => {
    const { page } = await browser.open(`#/sweeps/${id}`);
    const from = page.getByLabel('attempts from');
    await from.waitFor();
    const map = page.locator('.picture').first();
    await expect.poll(() => map.textContent()).toContain('refused by the document');
    const cells = map.locator('g:has(> title) > rect');

    const drag = async () => {
      // A cell is below its text, and later below the frame of the choice.
      await cells.nth(4).hover({ force: true });
      await page.mouse.down();
      await cells.nth(2).hover({ force: true });
      await page.mouse.up();
      return from.inputValue();
    };

    // The charts move while the rest of the page loads.
    await expect.poll(drag).toBe('64');
    await expect.poll(() => page.getByLabel('c1 to').inputValue()).toBe('4');
    await page.getByLabel('c1 to').focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.url()).toContain('to2=8');
    await page.reload();
    await expect.poll(() => from.inputValue()).toBe('64');
    await expect.poll(() => page.locator('.picked').count()).toBe(2);
    await expectNoFaults(page);
    await page.getByRole('button', { name: 'Prepare a sweep of this part' }).click();

    await page.getByText(/^15 cells of 40 runs, 600 runs/).waitFor();
    const lists = page.getByLabel('List, with commas');
    await expect.poll(() => lists.nth(0).inputValue()).toBe('64, 128, 256');
    await expect.poll(() => lists.nth(1).inputValue()).toBe('0, 2, 4, 6, 8');
    await expect.poll(() => page.getByLabel('Seed', { exact: true }).inputValue()).toBe('1');
  });

  it('can be cancelled and resumed, without computing a finished run again', async () => {
    const long = await submit({
      axes: { 'network.honest': 'range(4,99,1)' },
      ...{ set: { 'network.identity.c1': 4 }, runs: 2_000 },
    });
    const { page } = await browser.open(`#/sweeps/${long}`);

    await page.locator('.progress-note', { hasText: /cells, [1-9]\d/ }).waitFor();
    await page.getByRole('button', { name: 'Cancel the sweep' }).click();
    await page.getByText('The sweep was cancelled.').waitFor();
    await page.getByText(/takes over the .+ finished run/).waitFor();
    await page.getByRole('button', { name: 'Resume the sweep' }).click();
    await expect.poll(() => page.url()).not.toContain(long);
    await page.getByText(`sweep ${long}`).waitFor();
    await page.getByRole('button', { name: 'Cancel the sweep' }).click();
    await page.getByText('The sweep was cancelled.').waitFor();
    await page.locator('dd', { hasText: /with [1-9].* finished runs? of it/ }).waitFor();
  });
});
