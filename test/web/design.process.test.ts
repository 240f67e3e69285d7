/**
 * @module
 * Operations in the browser, with the form that every operation has: a question that is impossible, the change that makes
 * it possible, and the address, which restores both. The address, the body and the command state the same question.
 */

import { describe, expect, it } from 'vitest';

import type { Operation } from '../../server/web/operations/draft.ts';
import { bodyOf, commandOf, membersOf, queryOf } from '../../server/web/operations/draft.ts';
import { roughValue } from '../../server/web/operations/slider.ts';
import { flagOf } from '../../src/operations/command-words.ts';
import { labUnderTest } from '../server/lab-under-test.ts';
import { browserLab, hasBrowser } from './browser.ts';

describe('the question of a design', async () => {
  const { json } = await labUnderTest().call('GET', '/v1/operations/design');
  const operation = json as unknown as Operation; // By the contract.

  it('is the same in the address and in the request', () => {
    const query = {
      ...{ protocol: 'raft', question: 'no-leader', epsilon: '1%', nodes: '2^5' },
      ...{ joinTime: '90s', advantage: '4,8', machines: '2', elections: '1', check: '1' },
    };

    const body = bodyOf(operation, query);

    expect(body).toMatchObject({
      ...{ epsilon: '1%', nodes: '2^5', advantage: ['4', '8'], elections: true, machines: 2 },
    });
    expect(bodyOf(operation, queryOf(body))).toEqual(body);
  });

  it('is the command with every number that is not the default', () => {
    const query = Object.fromEntries(
      membersOf(operation).map(({ name, example }) => [name, example]),
    );

    const command = commandOf(operation, bodyOf(operation, query));

    const usual = ['elections', 'check', 'joinQuantile', 'stockSpeed', 'confidence'];
    const flags = membersOf(operation)
      .filter(({ name }) => !usual.includes(name))
      .map(({ name }) => flagOf(name));
    expect(flags.filter((flag) => !command.includes(flag))).toEqual([]);
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

  it('begins with a question whose answer is that it is possible', async () => {
    const { page } = await browser.open('#/design');

    await page
      .getByText(/Possible: 24 bits limit an adversary/)
      .first()
      .waitFor();
  });

  it('shows the whole chart on a phone, and one to read that scrolls', async () => {
    const { page } = await browser.open('#/design', { width: 390, height: 844 });
    const chart = page.locator('.operation .picture svg');
    const widths = async () => [
      await chart.evaluate((svg) => svg.getBoundingClientRect().right <= 390),
      await page.getByRole('region', { name: 'Chart' }).evaluate((at) => at.scrollWidth),
    ];
    await chart.waitFor();

    expect(await widths()).toEqual([true, expect.any(Number)]);
    await page.getByRole('button', { name: 'Large chart' }).click();
    expect(await widths()).toEqual([false, 760]);
  });

  it('says what is impossible and why, and becomes possible by the change that it names', async () => {
    const question = 'epsilon=1%25&nodes=16&joinTime=10s&advantage=8';
    const { page } = await browser.open(`#/design?${question}`);
    await page
      .getByText(/Not possible: .* 10\.22 more than the 21\.67 bits/)
      .first()
      .waitFor();
    await page.getByRole('img', { name: 'The chart of this answer' }).waitFor();

    await page.getByRole('button', { name: /^Try: accept a time to join/ }).press('Enter');
    await page
      .getByText(/Possible: 32 bits limit an adversary/)
      .first()
      .waitFor();
    await page.reload();
    await page
      .getByText(/Possible: 32 bits limit an adversary/)
      .first()
      .waitFor();

    await expect.poll(() => page.url()).toContain('joinTime=12870s');
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
    await page
      .getByText(/at 1000000 times the speed/)
      .first()
      .waitFor();
    await page.getByLabel('Honest nodes', { exact: true }).fill('many');
    await page.locator('[aria-invalid]').waitFor();

    await expect.poll(() => page.locator('#nodes-note').innerText()).toMatch(/must be/);
  });

  it('shows what an empty amount stands for, and what a switch means', async () => {
    const { page } = await browser.open('#/operations/cheapest-attack');
    const most = page.getByLabel('Most identities of the adversary', { exact: true });

    await expect.poll(() => most.getAttribute('placeholder')).toBe('1');
    await expect.poll(() => page.locator('#colluders-note').innerText()).toMatch(/If empty: 1\.$/);

    await page.goto(page.url().replace(/#.*/, '#/operations/compare'));
    const pairs = page.getByLabel('Every pair of defences as well');
    await expect.poll(() => pairs.getAttribute('aria-describedby')).toBe('pairs-note');
    await expect.poll(() => page.locator('#pairs-note').count()).toBe(1);
  });

  it('shows the progress of work that takes long, and stops it', async () => {
    const { page } = await browser.open('#/operations/calibrate');

    await page.getByRole('button', { name: 'Run' }).press('Enter');
    await page.getByText(/^measuring /).waitFor();
    await page.getByRole('button', { name: 'Stop' }).press('Enter');

    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('button', { name: 'Run' }).isEnabled()).toBe(true);
  });

  it('shows the answer of a job in the address again', async () => {
    const asked = 'detectors=fd-heartbeat:timeout=150&latency=exp:30&loss=0.1&runs=3';
    const { page } = await browser.open(`#/operations/detectors?${asked}`);

    await page.getByRole('button', { name: 'Run' }).press('Enter');
    const row = page.locator('.result-side tbody tr');
    await row.waitFor();
    const shown = await row.innerText();
    await expect.poll(() => page.url()).toContain('job=detectors_');
    await page.reload();

    await row.waitFor();
    expect(await row.innerText()).toBe(shown);
  });
});
