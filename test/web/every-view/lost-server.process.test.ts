/**
 * @module
 * A server with `--data` that is killed and started again under an open page: the page says that the server does not
 * answer, goes on when it does, and shows what the server has.
 */

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ended, scratchFolder, spawnUsurp } from '../../cli/shell.ts';
import { browserPages, hasBrowser } from '../browser.ts';

const LONG_CHECK = { protocol: 'raft', nodes: 5, bounds: { crash: 2 }, maxStates: 2_000_000 };
/** A server that still reads its data, or restores an election, answers 503. */
const NO_ANSWER = /net::ERR_|status of 503/;

describe.skipIf(!hasBrowser)('a page whose server is killed and started again', () => {
  const browser = browserPages();
  const data = join(scratchFolder(), 'lab.sqlite');
  let server: Awaited<ReturnType<typeof start>>;

  beforeAll(async () => {
    if (hasBrowser) server = await start(data, '0');
  });
  afterAll(() => server?.child.kill('SIGKILL'));

  async function kill(): Promise<void> {
    server.child.kill('SIGKILL');
    await server.end;
  }

  async function startAgain(): Promise<void> {
    server = await start(data, new URL(server.url).port);
  }

  async function post(path: string, body: object): Promise<{ readonly id: string }> {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.ok, path).toBe(true);
    // The contract gives elections and jobs an id.
    return (await response.json()) as { readonly id: string };
  }

  const isLost = (page: Page) => page.getByText('The server does not answer.');

  it('shows every event of an election once', async () => {
    const plan = { protocol: 'bully-oneshot', nodes: 5, seed: '1', level: 'L0' };
    const { id } = await post('/v1/elections', plan);
    const { page, expects } = await browser.open(`${server.url}/#/elections/${id}`);
    expects(NO_ANSWER);
    await page.getByRole('button', { name: 'Start the nodes', exact: true }).click();
    await page.getByText(/Event [1-9]\d* of/).waitFor();

    await kill();
    await isLost(page).waitFor();
    await startAgain();
    await post(`/v1/elections/${id}/actions`, { type: 'advance', events: 3 });
    await isLost(page).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Run until it rests', exact: true }).click();
    await page.getByText('all 5 live nodes follow 5').waitFor();

    const response = await fetch(`${server.url}/v1/elections/${id}/events`, {
      headers: { Accept: 'application/jsonl' },
    });
    const events = (await response.text()).split('\n').filter((line) => line.includes('"seq":'));
    await page.getByText(`Event ${events.length} of ${events.length}`).waitFor();
  });

  it('shows a job as the server has it', async () => {
    const { id } = await post('/v1/checks', LONG_CHECK);
    const { page, expects } = await browser.open(`${server.url}/#/jobs/${id}`);
    expects(NO_ANSWER);
    await page.locator('.facts', { hasText: 'running' }).waitFor();

    await kill();
    await isLost(page).waitFor();
    await startAgain();
    await page.locator('.facts', { hasText: 'interrupted' }).waitFor();

    const response = await fetch(`${server.url}/v1/jobs/${id}`);
    // By the contract.
    const job = (await response.json()) as { status: string; problem: { detail: string } };
    expect(job.status).toBe('interrupted');
    await page.getByText(job.problem.detail).first().waitFor();
  });

  it('opens a view that was asked for in the meantime', async () => {
    const { page, expects } = await browser.open(`${server.url}/#/checks`);
    expects(NO_ANSWER);
    expects(/dynamically imported module|preload/);
    await page.locator('main .equivalent').first().waitFor();

    await kill();
    await page.getByRole('link', { name: 'Design', exact: true }).click();
    await isLost(page).waitFor();
    await startAgain();

    await page.getByRole('slider', { name: 'Advantage of the adversary' }).waitFor();
    await isLost(page).waitFor({ state: 'hidden' });
  });
});

/** Starts the command, and waits until it has printed its URL. */
async function start(data: string, port: string) {
  const child = spawnUsurp(['serve', '--port', port, '--data', data, '--quiet']);
  const end = ended(child);
  const url = await Promise.race([
    new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text)))),
    end.then(({ code, stderr }) => Promise.reject(new Error(`ended with ${code}: ${stderr}`))),
  ]);
  return { child, end, url: url.trim() };
}
