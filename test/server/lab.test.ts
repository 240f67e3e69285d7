/**
 * @module
 * The smoke test of the whole lab: a real socket, the real catalogue, real worker threads.
 */

import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';

import { startLab } from '../../server/lab.ts';
import type { ServerFault } from '../../server/request/refusals.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';

const faults: ServerFault[] = [];
const lab = await startLab(
  { host: '127.0.0.1', port: 0, data: null, version: '0.0.0-test', policy: STRICT_POLICY },
  (fault) => void faults.push(fault),
);
afterAll(() => lab.close());

interface RunAnswer {
  readonly id: string;
  readonly status: string;
  readonly progress: { readonly done: number };
}

async function send(method: string, path: string, body?: object) {
  const response = await fetch(lab.url + path, {
    method,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const json = (await response.json()) as RunAnswer; // Or something whose members are not read.
  return { status: response.status, json };
}

/** Polls until the run has ended. Worker threads need real time. */
async function ended(id: string) {
  for (;;) {
    const { json } = await send('GET', `/v1/jobs/${id}`);
    if (!['queued', 'running', 'cancelling'].includes(json.status)) return json;
    await setTimeout(20);
  }
}

describe('the lab', () => {
  it('executes a sampled run, whose report the command line reproduces', async () => {
    const request = { threatModel: 'top-id', runs: 300, seed: '1', set: { work: 'sampled' } };

    const { status, json } = await send('POST', '/v1/runs', request);
    const run = await ended(json.id);

    expect(status).toBe(202);
    expect(run).toMatchObject({
      status: 'done',
      progress: { done: 1, total: 1 },
      result: {
        results: [{ measured: { runs: 300 } }],
        replay: 'usurp run top-id --runs 300 --seed 1 --set work=sampled',
      },
    });
    expect(faults).toEqual([]);
  });

  it('answers while it mines, stops mining on request, and keeps finished results', async () => {
    const { json } = await send('POST', '/v1/runs', { threatModel: 'top-id', runs: 100_000 });

    const health = await send('GET', '/healthz');
    const cancelling = await send('POST', `/v1/jobs/${json.id}/cancel`);
    const run = await ended(json.id);

    expect(health.status).toBe(200);
    expect(cancelling).toMatchObject({ status: 200, json: { status: 'cancelling' } });
    expect(run).toMatchObject({ status: 'cancelled', request: { runs: 100_000 } });
    expect(run.progress.done).toBeLessThan(100_000);
    expect(faults).toEqual([]);
  });
});
