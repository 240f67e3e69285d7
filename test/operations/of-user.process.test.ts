/**
 * @module
 * An operation in one file outside of src has a verb with help, an endpoint with OpenAPI, a job and a form in the browser
 * that asks it. The file is the skeleton of `usurp new operation`.
 */

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ROOT, scratchFolder, spawnUsurp } from '../cli/shell.ts';
import { hasBrowser, newWindow, startChromium } from '../web/chromium.ts';

const FILE = `${ROOT}/examples/definitions/example-operation.ts`;
const NAME = 'example-operation';

/** What a command prints. */
async function printedBy(args: readonly string[], cwd?: string): Promise<string> {
  const child = spawnUsurp(args, cwd);
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return text;
}

describe('an operation of the user', () => {
  it('has a verb with help, flags and JSON', async () => {
    const help = await printedBy([NAME, '--load', FILE, '--help']);
    const answer = await printedBy([NAME, '--load', FILE, '--c1', '2^3', '--count', '3', '--json']);

    expect(help).toContain('--c1 <count>');
    expect(help).toContain('whatever the others did');
    expect(JSON.parse(answer)).toMatchObject({
      attempts: 768,
      replay: expect.stringContaining(`${NAME} --load ${FILE} --c1 8 --count 3`),
    });
  });

  it('is written by usurp new, and its test passes', async () => {
    const folder = scratchFolder();

    await printedBy(['new', 'operation', 'kth-id'], folder);
    const tested = await printedBy(['conform', './kth-id.ts'], folder);
    const answer = await printedBy(['kth-id', '--load', './kth-id.ts', '--c1', '4'], folder);

    expect(tested).toBe('./kth-id.test.ts passes\n');
    expect(answer).toMatch(/^About 16 attempts are expected\.\n/);
  });
});

describe('a server with an operation of the user', () => {
  let server: ChildProcessWithoutNullStreams;
  let url = '';

  beforeAll(async () => {
    server = spawnUsurp(['serve', '--port', '0', '--load', FILE]);
    url = await new Promise((resolve) => {
      server.stdout.on('data', (chunk) => {
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(String(chunk)) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
  });

  afterAll(async () => {
    const closed = new Promise((resolve) => server.once('close', resolve));
    server.kill('SIGINT');
    await closed;
  });

  it('has an endpoint with a schema, and a job with a report', async () => {
    const { paths } = (await get('/openapi.json')) as { readonly paths: object };
    const body = JSON.stringify({ c1: '8', count: 3 });
    const headers = { 'Content-Type': 'application/json' };
    const posted = await fetch(`${url}/v1/example-operations`, { method: 'POST', headers, body });
    const job = (await posted.json()) as { readonly id: string }; // By the schema.
    const report = await get(`/v1/jobs/${job.id}/results/report`);

    expect(Object.keys(paths)).toContain('/v1/example-operations');
    expect(posted.status).toBe(202);
    expect(job).toMatchObject({ kind: NAME, status: 'done', result: { attempts: 768 } });
    expect(report).toMatchObject({ blocks: [{ type: 'sentence' }, { type: 'facts' }] });
  });

  it.skipIf(!hasBrowser)('has a form in the browser that asks it', async () => {
    const browser = await startChromium();
    try {
      const page = await (await newWindow(browser, {})).newPage();
      await page.goto(`${url}/#/operations`);
      await page.getByRole('link', { name: 'Attempts until the k-th ID' }).click();
      await page.getByText('About 256 attempts are expected.').waitFor();

      await page.getByLabel('Identities', { exact: true }).fill('2');
      await page.getByText('About 512 attempts are expected.').waitFor();

      expect(await page.locator('.equivalent').innerText()).toContain('usurp example-operation');
    } finally {
      await browser.close();
    }
  });

  async function get(path: string): Promise<unknown> {
    return (await fetch(`${url}${path}`)).json();
  }
});
