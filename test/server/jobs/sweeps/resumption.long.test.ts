/**
 * @module
 * Sweeps that resume a stopped one: no finished run is computed again, and the tables are those of a sweep that was never
 * stopped. What would be another sweep is refused.
 */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { SweepFolders } from '../../../../server/jobs/sweeps/folders.ts';
import { sweepInThreads } from '../../../../server/jobs/sweeps/sweep.ts';
import { labUnderTest } from '../../lab-under-test.ts';

const BODY = {
  ...{ threatModel: 'top-id', runs: 40, seed: '1' },
  ...{ set: { 'network.honest': 4 }, axes: { 'network.identity.c1': [8, 9] } },
};

interface Sweep {
  readonly id: string;
  readonly status: string;
  readonly resumed: string | null;
  readonly request: object;
  readonly result: { readonly runs: number; readonly reused: number; readonly complete: boolean };
}

describe('a sweep that resumes a stopped one', () => {
  const folders = new SweepFolders();
  const lab = labUnderTest({ executions: { sweep: sweepInThreads(1, folders) } });
  let stopped: Sweep;

  const sweepIn = ({ json }: { readonly json: object }) => json as unknown as Sweep; // By the contract.
  const read = async (id: string) => sweepIn(await lab.call('GET', `/v1/jobs/${id}`));
  const submit = async (body: object) => sweepIn(await lab.post('/v1/sweeps', body));
  const over = async (id: string): Promise<Sweep> => {
    return vi.waitFor(
      async () => {
        const sweep = await read(id);
        expect(sweep.status).toMatch(/done|cancelled|failed/);
        return sweep;
      },
      { timeout: 60_000, interval: 20 },
    );
  };
  /** The cells without the times that were measured. */
  const cells = async (id: string): Promise<object[]> => {
    const { json } = await lab.call('GET', `/v1/jobs/${id}/results/cells`);
    const read = json as unknown as readonly object[]; // By the contract.
    return read.map((cell) => ({ ...cell, cpuMeanS: null, wallMeanS: null }));
  };

  beforeAll(async () => {
    const { id } = await submit(BODY);
    const reported = async () => (await lab.call('GET', `/v1/jobs/${id}`)).json.progress;
    await vi.waitFor(async () => expect(await reported()).toMatchObject({ phase: 'computing' }), {
      timeout: 60_000,
      interval: 10,
    });
    await lab.call('POST', `/v1/jobs/${id}/cancel`);
    stopped = await over(id);
  });
  afterAll(() => folders.close());

  it('computes the other runs only, and has the tables of a sweep that was not stopped', async () => {
    const resumed = await over((await submit({ ...BODY, resumes: stopped.id })).id);
    const whole = await over((await submit(BODY)).id);

    expect(stopped).toMatchObject({ status: 'cancelled', resumed: null, result: { reused: 0 } });
    expect(stopped.result.runs).toBeGreaterThan(0);
    expect(resumed.resumed).toBe(stopped.id);
    expect(resumed.result).toMatchObject({ complete: true, reused: stopped.result.runs });
    expect(resumed.request).toEqual(whole.request);
    expect(whole.result.reused).toBe(0);
    expect(await cells(resumed.id)).toEqual(await cells(whole.id));
  });

  it('can add runs to a sweep that is done', async () => {
    const whole = await over((await submit({ ...BODY, runs: 20 })).id);

    const more = await over((await submit({ ...BODY, runs: 30, resumes: whole.id })).id);

    expect(more.result).toMatchObject({ complete: true, reused: whole.result.runs });
    expect(more.result.runs).toBe((whole.result.runs * 3) / 2);
  });

  it.each([
    ['other axes', { axes: { 'network.identity.c1': [8, 10] } }, 'has another document'],
    ['another seed', { seed: '2' }, 'has another document'],
    ['fewer runs', { runs: 10 }, 'has 40 runs of each cell'],
    ['an unknown sweep', { resumes: 's_unknown' }, 'there is no sweep s_unknown'],
  ])('is refused with %s', async (_, changes, detail) => {
    const { status, json } = await lab.post('/v1/sweeps', {
      ...{ ...BODY, resumes: stopped.id },
      ...changes,
    });

    expect([status, json.code]).toEqual([400, 'arguments']);
    expect(json.errors).toMatchObject([{ pointer: '#/resumes' }]);
    expect(json.detail).toContain(detail);
  });
});
