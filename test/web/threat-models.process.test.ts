/**
 * @module
 * The view of threat models in a browser: the catalogue, the document as form and as YAML, and its run.
 */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { browserLab, hasBrowser } from './browser.ts';
import { expectNoAttack, forbidAttacks, HOSTILE, hostile } from './every-view/hostile.ts';
import { expectLinesAccepted, expectNoFaults } from './every-view/inspection.ts';

const FAST = '?runs=8&seed=1';

function yamlOf(page: Page) {
  return page.getByLabel('YAML of the threat model');
}

/** Opens a group of the form that is closed. */
async function openGroup(page: Page, name: string): Promise<void> {
  const own = page.locator(':scope > summary .member-name', { hasText: new RegExp(`^${name}$`) });
  const group = page.locator('details.group', { has: own });
  if ((await group.getAttribute('open')) === null) await group.locator(own).click();
}

describe.skipIf(!hasBrowser)('threat models', () => {
  const browser = browserLab();

  it('are found by the words of their prose, and opened', async () => {
    const { page } = await browser.open('#/threat-models');
    await page.getByText(/^\d+ models$/).waitFor();

    await page.getByLabel('Search').fill('lease resource epochs');
    await page.getByText('The same paused leader against a resource that checks epochs').click();
    await page.getByRole('heading', { level: 1, name: /paused leader/ }).waitFor();

    await expect.poll(() => page.url()).toMatch(/#\/threat-models\/zombie-leader-fenced$/);
  });

  it('change in the form when the YAML is edited, also after a reload', async () => {
    const { page } = await browser.open('#/threat-models/top-id');
    const yaml = yamlOf(page);
    await yaml.waitFor();

    await yaml.fill((await yaml.inputValue()).replace('honest: 8', 'honest: 12 # nodes'));

    const honest = page.getByLabel('honest', { exact: true });
    await expect.poll(() => honest.inputValue()).toBe('12');
    await expect.poll(() => page.url()).toContain('document=');
    await page.reload();
    await expect.poll(() => yamlOf(page).inputValue()).toContain('honest: 12 # nodes');
    await expect.poll(() => honest.inputValue()).toBe('12');
  });

  it('change in the YAML when the form is edited, and keep comments', async () => {
    const { page } = await browser.open('#/threat-models/top-id');
    const yaml = yamlOf(page);
    await yaml.waitFor();
    await yaml.fill((await yaml.inputValue()).replace('c1: 4', 'c1: 4 # bits'));

    await openGroup(page, 'identity');
    await page.getByLabel('c1', { exact: true }).fill('2');
    await page.getByLabel('c1', { exact: true }).press('Tab');
    await page.getByLabel('property', { exact: true }).selectOption('highest-leads');
    await openGroup(page, 'epochs');
    await page.getByLabel('count', { exact: true }).first().fill('7');
    await page.getByLabel('count', { exact: true }).first().press('Tab');

    await expect.poll(() => yaml.inputValue()).toContain('c1: 2 # bits');
    await expect.poll(() => yaml.inputValue()).toContain('property: highest-leads');
    await expect.poll(() => yaml.inputValue()).toMatch(/epochs:\n +count: 7/);
  });

  it('show a wrong value at its member and at its line', async () => {
    const { page } = await browser.open('#/threat-models/top-id');
    const yaml = yamlOf(page);
    await yaml.waitFor();
    const text = await yaml.inputValue();
    const line = text.split('\n').findIndex((each) => each.includes('honest: 8')) + 1;

    await page.getByLabel('honest', { exact: true }).fill('-1');
    await page.getByLabel('honest', { exact: true }).press('Tab');

    const fault = page.locator('.member', { hasText: 'network.honest must be' });
    await fault.waitFor();
    await expect.poll(() => fault.locator('input').getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: `Line ${line}` }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^Run/ }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Restore the original' }).click();
    await expect.poll(() => yaml.inputValue()).toBe(text);
    await expect.poll(() => page.getByRole('button', { name: /^Run/ }).isDisabled()).toBe(false);
  });

  it('show a fault of YAML at its line, while the form waits', async () => {
    const { page } = await browser.open('#/threat-models/top-id');
    const yaml = yamlOf(page);
    await yaml.waitFor();

    await yaml.fill(`id: [\n${await yaml.inputValue()}`);

    await page.getByText('this is not YAML').first().waitFor();
    await expect.poll(() => page.getByLabel('honest', { exact: true }).isDisabled()).toBe(true);
  });

  it('are run, and an edited one as it was edited', async () => {
    const { page } = await browser.open(`#/threat-models/top-id${FAST}`);

    await page.getByRole('button', { name: 'Run the model' }).click();
    await page
      .getByText(/the adversary with 64 attempts led in \d+ of 8 runs/)
      .first()
      .waitFor();
    await page.locator('.run .picture svg').waitFor();
    await expectNoFaults(page);
    await expectLinesAccepted(page);
    const other = await browser.open('#/threat-models?search=top-id');
    const entry = other.page.locator('article', {
      has: other.page.locator('code', { hasText: /^top-id$/ }),
    });
    await entry.locator('.last-run .verdict').waitFor();
    await entry.getByRole('link', { name: 'The last run' }).click();
    await other.page
      .getByText(/led in \d+ of 8 runs/)
      .first()
      .waitFor();
    await page.reload();
    await page
      .getByText(/led in \d+ of 8 runs/)
      .first()
      .waitFor();

    await page.getByLabel('probability', { exact: true }).fill('1%');
    await page.getByLabel('probability', { exact: true }).press('Tab');
    await page.getByText('have changed since this run').waitFor();
    await page.getByRole('button', { name: 'Run the edited model' }).click();
    await page
      .getByText(/at most 1 % is allowed/)
      .first()
      .waitFor();

    await expect.poll(() => page.locator('.answer-sentence').textContent()).toContain('FALSE');
  });

  it('have extreme runs, which open as the elections that they held', async () => {
    const { page } = await browser.open(`#/threat-models/top-id${FAST}`);
    await page.getByRole('button', { name: 'Run the model' }).click();

    await page.getByRole('button', { name: 'Find the extreme runs' }).click();
    const won = page.locator('tr', { hasText: 'bully-oneshot' }).filter({ hasText: 'with the' });
    await won.getByRole('button', { name: 'Open the election' }).click();
    const link = won.getByRole('link', { name: 'Election of bully-oneshot' });
    const id = (await link.getAttribute('href'))?.split('/').at(-1);
    const answer = await fetch(`${browser.lab.url}/v1/elections/${id}`);
    const election = (await answer.json()) as { messages: { total: number } }; // By the schema.
    await won.getByRole('link', { name: 'Only this run' }).click();
    await page.getByRole('button', { name: 'Run the model' }).click();
    await page.getByText('seen with bully-oneshot').waitFor();

    const observed = await page.locator('.run .values').textContent();
    expect(election).toMatchObject({ nodes: 9, leader: { rank: 9 }, ticks: expect.any(Number) });
    expect(observed).toContain(`messages ${election.messages.total}`);
  });

  it('open their elections with the faults and behaviours of the run', async () => {
    const { page } = await browser.open('#/threat-models/spoofed-coordinator-l0?runs=2&seed=1');
    await page.getByRole('button', { name: 'Run the model' }).click();

    await page.getByRole('button', { name: 'Find the extreme runs' }).click();
    const most = page.locator('tr', { hasText: 'The most messages' }).first();
    await most.getByRole('button', { name: 'Open the election' }).click();
    await most.getByRole('link', { name: /^Election of/ }).click();
    await page.getByText(/is Byzantine \(spoof-coordinator\)/).waitFor();

    await expect.poll(() => page.locator('.election-facts').textContent()).toContain('level L0');
  });

  it('say why their runs cannot be opened as elections', async () => {
    const { page } = await browser.open('#/threat-models/last-revealer?runs=2&seed=1');
    await page.getByRole('button', { name: 'Run the model' }).click();

    await page.getByRole('button', { name: 'Find the extreme runs' }).click();

    await page.getByText('No election of this server can repeat these runs').waitFor();
    expect(await page.getByRole('button', { name: 'Open the election' }).count()).toBe(0);
  });

  it('can be cancelled', async () => {
    const { page } = await browser.open('#/threat-models/top-id?runs=1000000&seed=1');

    await page.getByRole('button', { name: 'Run the model' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The run was cancelled.').waitFor();
  });

  it('show 200 hostile strings of names, prose, values and YAML as text', async () => {
    const { page } = await browser.open('#/threat-models/top-id');
    await forbidAttacks(page);
    const yaml = yamlOf(page);
    await yaml.waitFor();
    const original = await yaml.inputValue();

    await yaml.fill(hostileModel(original));
    await page.getByRole('heading', { level: 1, name: hostile(0), exact: true }).waitFor();
    for (const text of [hostile(1), hostile(2), hostile(3)]) {
      await page.locator('.prose dd, .prose p', { hasText: text }).first().waitFor();
    }
    await page
      .locator('.faults li', { hasText: hostile(4) })
      .first()
      .waitFor();
    await page
      .locator('.member-name', { hasText: hostile(44) })
      .first()
      .waitFor();
    await expectNoAttack(page);
    await yaml.fill(`id: [\n${HOSTILE.slice(144).join('\n')}`);
    await page.getByText('this is not YAML').first().waitFor();

    await expectNoAttack(page);
  });
});

/** A model whose title, prose, members, names of adversaries and values are hostile. */
function hostileModel(original: string): string {
  const [title, assumes, can, wants] = HOSTILE.map((text) => JSON.stringify(text));
  const members = HOSTILE.slice(4, 44).map((text) => `${JSON.stringify(text)}: 1`);
  const adversaries = HOSTILE.slice(44, 94).map((text) => `  ${JSON.stringify(text)}: {}`);
  const values = HOSTILE.slice(94, 144).map((text) => JSON.stringify(text));
  return original
    .replace(/title: .*/, () => `title: ${title}`)
    .replace(
      /^assumes: [\s\S]*?(?=^network:)/m,
      () => `assumes: ${assumes}\ncan: ${can}\nwants: ${wants}\n`,
    )
    .replace(/^adversaries:$/m, () => `adversaries:\n${adversaries.join('\n')}`)
    .replace('behaviours: []', () => `behaviours: [${values.join(', ')}]`)
    .concat(`\n${members.join('\n')}\n`);
}
