/**
 * @module
 * The trace of a cluster over HTTP: its forms, parts of it, and ranks that no node has.
 */

import { describe, expect, it } from 'vitest';

import { clusterTraceLines } from '../../../server/clusters/routes.ts';
import type { StartRunning } from '../../../server/clusters/running-cluster.ts';
import type { Rank } from '../../../src/election/machine.ts';
import { PART_RECORDS } from '../../../src/simulation/trace/view.ts';
import type { LabUnderTest } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';
import { stagedClusters, startNothing } from './staged-clusters.ts';

async function clusterIn({ post }: LabUnderTest): Promise<string> {
  const { headers } = await post('/v1/clusters', { protocol: 'bully-oneshot' });
  return String(headers.get('Location'));
}

describe('the trace of a cluster', () => {
  it.each([
    ['application/jsonl', /^\{"trace":"usurp\/trace\/v1".*"live":true.*\n.*"clock":\{/],
    ['text/plain', /^node1 {"node1":1,"node3":1}$/m],
    ['image/svg+xml', /^<svg/],
  ])('is there as %s while it runs and afterwards', async (type, form) => {
    const lab = labUnderTest();
    const path = await clusterIn(lab);
    const traced = () => lab.app.request(`${path}/trace`, { headers: { Accept: type } });

    const running = await (await traced()).text();
    await lab.call('DELETE', path);
    const over = await (await traced()).text();

    expect(running).toMatch(form);
    expect(over).toBe(running);
  });

  it('of a part has what the query selects, in every form', async () => {
    const lab = labUnderTest();
    const path = await clusterIn(lab);
    const read = async (query: string, type: string) => {
      const answer = await lab.app.request(`${path}/trace?${query}`, { headers: { Accept: type } });
      return await answer.text();
    };

    const lines = await read('from=325ms&to=1s', 'application/jsonl');
    const log = await read('only=3', 'text/plain');
    const picture = await read('to=0.33s&heartbeats=false', 'image/svg+xml');

    const [header, delivered, ...rest] = lines.trim().split('\n');
    expect(header).toContain('"part":{"from":325,"to":1000,"nodes":null,"heartbeats":true}');
    expect(delivered).toContain('"t":332');
    expect(rest).toEqual([]);
    expect(log.split('\n')[2]).toBe('node3 {"node3":1}');
    expect(picture).toContain('bully-oneshot, 3 nodes: to 0.33 s, without heartbeats');
    expect(picture).toContain('COORDINATOR 3 from 3 to 1, sent at 320 ms, still under way');
  });

  it.each([
    [
      'from=1h',
      400,
      'nothing happens in this part of the trace, whose times are from 0.32 s to 0.332 s',
    ],
    ['only=9', 400, 'there is no node 9; the nodes are 1..3'],
    ['only=a', 400, 'must be numbers of nodes such as 1,3'],
    ['from=soon', 400, 'must be a time from 0s to 24h such as 5s'],
  ])('of the part %s is refused', async (query, status, detail) => {
    const lab = labUnderTest();
    const path = await clusterIn(lab);

    const refused = await lab.call('GET', `${path}/trace?${query}`);

    expect(refused.status).toBe(status);
    expect(JSON.stringify(refused.json)).toContain(detail);
  });

  it('has the rank that no node has as one more node', async () => {
    const phantom = 'f'.repeat(64) as string as Rank; // As in the records of live nodes.
    const forging: StartRunning = (settings, options) => {
      const message = { type: 'COORDINATOR', leader: phantom };
      const to = 1 as number as Rank; // Ranks in traces are small integers.
      options.onEvents([
        {
          ...{ seq: 0, t: 1, action: { type: 'inject', node: 0, effects: [] }, node: 0 },
          effects: [{ type: 'send', id: 0, to, message }],
        },
        {
          ...{ seq: 1, t: 2, action: { type: 'deliver', message: 0 }, node: 1, from: 0 },
          effects: [{ type: 'elect', leader: phantom, epoch: 0 }],
        },
      ]);
      return startNothing(settings, { ...options, onEvents: () => undefined });
    };
    const lab = labUnderTest({ clusters: stagedClusters({ start: forging }) });
    const answer = await lab.app.request(`${await clusterIn(lab)}/trace`);
    const text = await answer.text();

    const [header, injected, delivered] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(header.options).toMatchObject({ nodes: 4, phantoms: [4] });
    expect(injected).toMatchObject({ action: { node: 4 }, clock: { 4: 1 } });
    expect(delivered.effects).toEqual([{ type: 'elect', leader: 4, epoch: 0 }]);
  });
});

describe('the work for a trace of many events', () => {
  const EVENTS = 2_000;

  /** A cluster whose nodes have fired many timers, and how often their effects were read. */
  async function busyCluster() {
    const reads = { count: 0 };
    const busy: StartRunning = (settings, options) => {
      const records = Array.from({ length: EVENTS }, (_, seq) => ({
        ...{ seq, t: seq, node: 1, action: { type: 'timeout', node: 1, timer: `${seq}` } as const },
        get effects() {
          reads.count += 1;
          return [];
        },
      }));
      options.onEvents(records);
      return startNothing(settings, { ...options, onEvents: () => undefined });
    };
    const clusters = stagedClusters({ start: busy });
    const lab = labUnderTest({ clusters });
    const path = await clusterIn(lab);
    const [cluster] = clusters.list;
    if (cluster === undefined) throw new Error('none');
    return { lab, path, cluster, reads };
  }

  it('is cut into parts of a few records', async () => {
    const { cluster } = await busyCluster();
    const selection = { from: 1, to: null, nodes: [1], heartbeats: false };
    let parts = 0;
    const work = clusterTraceLines(cluster, 'application/jsonl', selection);
    let step = work.next();
    for (; step.done !== true; step = work.next()) parts += 1;

    // The records are numbered, read, and looked through.
    expect(parts).toBeGreaterThanOrEqual((3 * EVENTS) / PART_RECORDS - 3);
    expect([...step.value].filter((line) => line !== '')).toHaveLength(EVENTS);
  });

  it('is not done for a time in which nothing happens', async () => {
    const { lab, path, reads } = await busyCluster();

    const refused = await lab.call('GET', `${path}/trace?from=80000s&heartbeats=false`);

    expect(refused.status).toBe(400);
    expect(reads.count).toBe(0);
  });

  it('is done once for answers at the same time', async () => {
    const { lab, path, reads } = await busyCluster();
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => lab.app.request(`${path}/trace`)),
    );
    const texts = await Promise.all(answers.map((answer) => answer.text()));

    expect(new Set(texts).size).toBe(1);
    expect(reads.count).toBe(EVENTS);
  });
});
