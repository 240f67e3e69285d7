/**
 * @module
 * Clusters over HTTP without processes: who may run them, what is refused, the order of actions, and their end.
 */

import { afterEach, describe, expect, it, vi } from 'vitest';

import { TokenSet } from '../../../server/callers/tokens.ts';
import { CLUSTERS_KEPT_MAX, CLUSTERS_MAX } from '../../../server/clusters/clusters.ts';
import { CLUSTER_IDLE_SECONDS } from '../../../server/clusters/live-cluster.ts';
import type { StartRunning } from '../../../server/clusters/running-cluster.ts';
import { HELD_ROLES } from '../../../server/request/principal.ts';
import { LabError } from '../../../src/errors.ts';
import type { LabUnderTest } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';
import { stagedClusters, startNothing } from './staged-clusters.ts';

afterEach(() => void vi.useRealTimers());

const BULLY = { protocol: 'bully-oneshot' };
const SECRET = '5e'.repeat(32);

async function clusterIn({ post }: LabUnderTest, body: object = BULLY): Promise<string> {
  const { headers } = await post('/v1/clusters', body);
  return String(headers.get('Location'));
}

describe('a server', () => {
  it('without clusters says how to have them', async () => {
    const { post, call } = labUnderTest({ clusters: null });

    const refused = [await post('/v1/clusters', BULLY), await call('GET', '/v1/clusters')];

    for (const { status, json } of refused) {
      expect(status).toBe(404);
      expect(json.detail).toBe(
        'this server runs no clusters; start it with usurp serve --clusters',
      );
    }
  });

  it('with tokens lets only operators run and see clusters', async () => {
    const token = (role: string) => `${role}-0123456789abcdef`;
    const holders = HELD_ROLES.map((role) => ({ name: role, role, token: token(role) }));
    const { post, call } = labUnderTest({ tokens: new TokenSet(holders) });

    const statuses = [];
    for (const role of HELD_ROLES) {
      const headers = { Authorization: `Bearer ${token(role)}` };
      const created = await post('/v1/clusters', BULLY, headers);
      const listed = await call('GET', '/v1/clusters', { headers });
      statuses.push([role, created.status, listed.status]);
    }

    expect(statuses).toEqual([
      ['reader', 403, 403],
      ['student', 403, 403],
      ['instructor', 403, 403],
      ['operator', 201, 200],
    ]);
  });

  it('runs a bounded number of clusters and of nodes', async () => {
    const { post, call } = labUnderTest();
    const paths = [];
    for (let count = 0; count < CLUSTERS_MAX; count += 1) {
      const { headers } = await post('/v1/clusters', { ...BULLY, nodes: 6 });
      paths.push(headers.get('Location'));
    }

    const tooMany = await post('/v1/clusters', { ...BULLY, nodes: 1 });
    const joined = await post(`${paths[0]}/actions`, { type: 'join' });
    await call('DELETE', String(paths[0]));
    const tooLarge = await post('/v1/clusters', { ...BULLY, nodes: 7 });
    const fitting = await post('/v1/clusters', { ...BULLY, nodes: 6 });

    expect([tooMany.json.code, joined.json.code, tooLarge.json.code]).toEqual(
      Array.from({ length: 3 }, () => 'limit.clusters'),
    );
    expect(fitting.status).toBe(201);
  });

  it('keeps the last clusters that are over', async () => {
    const lab = labUnderTest();
    const paths = [];
    for (let count = 0; count < CLUSTERS_KEPT_MAX + 2; count += 1) {
      const path = await clusterIn(lab);
      await lab.call('DELETE', path);
      paths.push(path);
    }

    const statuses = [];
    for (const path of paths) statuses.push((await lab.call('GET', path)).status);

    expect(statuses).toEqual(
      [404, 404, ...paths.slice(2).map(() => 200)].with(1, statuses[1] ?? 0),
    );
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(
      CLUSTERS_KEPT_MAX + 1,
    );
  });
});

describe('the settings of a cluster', () => {
  it.each<readonly [object, string]>([
    [{ protocol: 'db-lease' }, '#/protocol'],
    [{ ...BULLY, nodes: 17 }, '#/nodes'],
    [{ ...BULLY, c1: 17 }, '#/c1'],
    [{ ...BULLY, detector: 'fd-none' }, '#/detector'],
    [{ ...BULLY, flags: { preVote: 'on' } }, '#/flags/preVote'],
    [{ protocol: 'raft', flags: { electionTicks: '0' } }, '#/flags/electionTicks'],
    [
      { protocol: 'raft', flags: { electionTicks: '10', heartbeatTicks: '20' } },
      '#/flags/heartbeatTicks',
    ],
    [{ ...BULLY, defences: ['fencing'] }, '#/defences'],
    [{ ...BULLY, store: 'redis:127.0.0.1:6379' }, '#/store'],
    [{ ...BULLY, folder: '/tmp/x' }, '#/folder'],
  ])('are refused with a pointer: %j', async (body, pointer) => {
    const { status, json } = await labUnderTest().post('/v1/clusters', body);

    expect(status).toBe(400);
    expect(json.errors).toMatchObject([{ pointer }]);
  });
});

describe('a protocol that needs a store', () => {
  it('is refused with what to do instead', async () => {
    const { json } = await labUnderTest().post('/v1/clusters', { protocol: 'db-lease' });

    expect(json.errors).toMatchObject([
      {
        detail: expect.stringContaining(
          'db-lease needs a store, which clusters of a server do not have; run it with usurp cluster up --store',
        ),
      },
    ]);
  });
});

describe('an attack', () => {
  it('holds up no other action, but refuses nodes that would join meanwhile', async () => {
    const mined = Promise.withResolvers<void>();
    const slow: StartRunning = async (settings, options) => {
      const running = await startNothing(settings, options);
      const attack: typeof running.attack = async (budget, behaviours) => {
        await mined.promise;
        return running.attack(budget, behaviours);
      };
      return { ...running, attack };
    };
    const lab = labUnderTest({ clusters: stagedClusters({ start: slow }) });
    const path = await clusterIn(lab);
    const act = (body: object) => lab.post(`${path}/actions`, body);

    const attacking = act({ type: 'attack', budget: { attempts: 9 } });
    const killed = await act({ type: 'kill', node: 1 });
    const joined = await act({ type: 'join' });
    const read = await lab.call('GET', path);
    mined.resolve();
    const attacked = await attacking;

    expect([killed.status, joined.status, read.status, attacked.status]).toEqual([
      200, 409, 200, 200,
    ]);
    expect(joined.json.detail).toContain('action 1, an attack, is not over; repeat this when');
    expect(read.json.actions).toMatchObject([
      { type: 'attack', status: 'running' },
      { type: 'kill', status: 'done' },
    ]);
    expect((await act({ type: 'join' })).status).toBe(200);
  });
});

it('the actions of a cluster keep what they did, and each attack keeps its report', async () => {
  const lab = labUnderTest();
  const path = await clusterIn(lab);
  const bodies = [
    { type: 'partition', sides: [[1], [2, 3]] },
    { type: 'heal' },
    { type: 'skew', node: 2, rate: 1.5 },
    { type: 'lose', share: '10%', seed: '7' },
    { type: 'attack', budget: { attempts: 9 }, behaviours: ['equivocate'] },
    { type: 'attack', budget: { attempts: 9 } },
  ];

  for (const body of bodies) await lab.post(`${path}/actions`, body);
  const { json } = await lab.call('GET', path);

  const none = { sides: null, rate: null, share: null, takeover: null };
  expect(json.actions).toMatchObject([
    { ...none, type: 'partition', sides: [[1], [2, 3]], asked: expect.stringMatching(/Z$/) },
    { ...none, type: 'heal' },
    { ...none, type: 'skew', rate: 1.5 },
    { ...none, type: 'lose', share: 0.1, detail: 'seed 7' },
    { ...none, type: 'attack', takeover: { node: 4, behaviours: ['equivocate'] } },
    { ...none, type: 'attack', takeover: { node: 5, behaviours: [] } },
  ]);
  const honest = { adversary: false };
  const others = { adversary: true };
  expect(json['nodes']).toMatchObject([honest, honest, honest, others, others]);
  // What is in force now.
  expect(json['nodes']).toMatchObject([1, 1.5, 1, 1, 1].map((rate) => ({ rate })));
  expect(json).toMatchObject({ lose: { share: 0.1, seed: '7' }, duplicate: null });
});

describe('a cluster', () => {
  it('that cannot start says why, and is over', async () => {
    const refuse: StartRunning = () => Promise.reject(new LabError('arguments', 'no port is free'));
    const lab = labUnderTest({ clusters: stagedClusters({ start: refuse }) });

    const { json } = await lab.call('GET', await clusterIn(lab));

    expect(json).toMatchObject({ status: 'over', reason: 'failed', fault: 'no port is free' });
    expect(lab.faults).toEqual([]);
  });

  it('carries out simultaneous actions one after another', async () => {
    const order: string[] = [];
    const slow: StartRunning = async (settings, options) => {
      const running = await startNothing(settings, options);
      return {
        ...running,
        async act(action) {
          order.push(`begin ${action.type}`);
          await new Promise((resolve) => setTimeout(resolve, action.type === 'kill' ? 20 : 1));
          order.push(`end ${action.type}`);
          return running.act(action);
        },
      };
    };
    const lab = labUnderTest({ clusters: stagedClusters({ start: slow }) });
    const path = await clusterIn(lab);

    const kinds = ['kill', 'start', 'pause'];
    await Promise.all(kinds.map((type) => lab.post(`${path}/actions`, { type, node: 1 })));

    expect(order).toEqual(kinds.flatMap((type) => [`begin ${type}`, `end ${type}`]));
  });

  it('answers 202 to an action that takes long, and says what became of it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const admission = Promise.withResolvers<void>();
    const slow: StartRunning = async (settings, options) => {
      const running = await startNothing(settings, options);
      const join: typeof running.join = async (text) => {
        await admission.promise;
        return running.join(text);
      };
      return { ...running, join };
    };
    const lab = labUnderTest({ clusters: stagedClusters({ start: slow }) });
    const path = await clusterIn(lab);

    const pending = lab.post(`${path}/actions`, { type: 'join' });
    await vi.advanceTimersByTimeAsync(5_000);
    const { status, json, headers } = await pending;
    admission.resolve();
    await vi.advanceTimersByTimeAsync(1);
    const after = await lab.call('GET', path);

    expect([status, headers.get('Location')]).toEqual([202, path]);
    expect(json.actions).toMatchObject([{ type: 'join', status: 'running' }]);
    expect(after.json.actions).toMatchObject([{ type: 'join', status: 'done', node: 4 }]);
  });

  it('refuses an action that is impossible, and any action after its end', async () => {
    const lab = labUnderTest();
    const path = await clusterIn(lab);

    const impossible = await lab.post(`${path}/actions`, { type: 'kill', node: 9 });
    const ended = await lab.call('DELETE', path);
    const late = await lab.post(`${path}/actions`, { type: 'heal' });

    expect(impossible.json.code).toBe('cluster.conflict');
    expect(ended.json).toMatchObject({
      ...{ status: 'over', reason: 'deleted', expires: null },
      check: { outcome: 'accepted', steps: 30, defect: null, epochClash: null },
    });
    expect(late.json).toMatchObject({ code: 'cluster.conflict', detail: 'the cluster is over' });
  });

  it('is removed by a second DELETE', async () => {
    const lab = labUnderTest();
    const path = await clusterIn(lab);
    await lab.call('DELETE', path);

    const removed = await lab.call('DELETE', path);

    expect([removed.status, (await lab.call('GET', path)).status]).toEqual([204, 404]);
  });

  it('ends by itself when no action comes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const lab = labUnderTest();
    const path = await clusterIn(lab);
    const halfMs = CLUSTER_IDLE_SECONDS * 500;
    await vi.advanceTimersByTimeAsync(halfMs);
    await lab.post(`${path}/actions`, { type: 'heal' });

    await vi.advanceTimersByTimeAsync(halfMs + 1);
    const before = await lab.call('GET', path);
    await vi.advanceTimersByTimeAsync(halfMs);
    const after = await lab.call('GET', path);

    expect([before.json.status, after.json.status]).toEqual(['running', 'over']);
    expect(after.json.reason).toBe('idle');
  });

  it('never answers with the secret of a key that joins', async () => {
    const lab = labUnderTest();
    const path = await clusterIn(lab);
    const key = {
      ...{ format: 'usurp/key/v1', policy: { c1: 0, c2: 0 } },
      claim: {
        ...{ scheme: 'ed25519', publicKey: 'ab'.repeat(32), nodeId: 'ab'.repeat(32) },
        ...{ solution: null, signature: 'cd'.repeat(64) },
      },
      secret: { form: 'seed', hex: SECRET },
    };

    const { status, text } = await lab.post(`${path}/actions`, { type: 'join', key });

    expect(status).toBe(200);
    expect(text).not.toContain(SECRET);
  });

  it('names the path of no file for a key', async () => {
    const lab = labUnderTest();
    const path = await clusterIn(lab);

    const { status } = await lab.post(`${path}/actions`, { type: 'join', key: '/etc/passwd' });

    expect(status).toBe(400);
  });

  it('is followed from its first event or after the last one received, until it is over', async () => {
    const lab = labUnderTest();
    const path = await clusterIn(lab);
    const headers = { Accept: 'application/jsonl', 'Last-Event-ID': '0' };
    const following = lab.app.request(`${path}/events`, { headers });
    await lab.call('DELETE', path);

    const lines = (await (await following).text()).trim().split('\n');

    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { seq: 1, event: 'message.delivered', node: 1, from: 3, action: { message: 0 } },
      { event: 'done', reason: 'over' },
    ]);
  });
});
