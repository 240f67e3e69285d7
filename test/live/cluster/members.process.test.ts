/**
 * @module
 * Members of Raft that join, are lost and are replaced, between real processes: a minority admits no node, so that no
 * epoch gets a second leader.
 */

import { afterEach, expect, it } from 'vitest';
import { newIdentities } from '../../../src/live/cluster/cluster-files.ts';
import type { ClusterSettings } from '../../../src/live/cluster/cluster-plan.ts';
import type { WholeSession } from '../../../src/live/cluster/cluster-session.ts';
import { startCluster } from '../../../src/live/cluster/cluster-session.ts';
import { admissionText } from '../../../src/live/cluster/members.ts';

const signal = new AbortController().signal;
const LONG_MS = 60_000;
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const RAFT: ClusterSettings = {
  ...({ protocol: 'raft', level: 'L3', detector: 'fd-gossip' } as const),
  ...{ nodes: 3, c1: 0, c2: 0, tls: false, defences: [], timing: { latencyTicksMax: 50 } },
};

/** Three nodes that follow one leader. */
async function started(settings: Partial<ClusterSettings> = {}): Promise<WholeSession> {
  const session = await startCluster(
    { ...RAFT, ...settings },
    {
      ...{ folder: null, threads: 1, signal },
      onFault: (node, text) => expect.fail(`node ${node}: ${text}`),
      onRecord: () => undefined,
    },
  );
  closing.push(() => session.close());
  await session.cluster.startedWithin(LONG_MS, signal);
  expect(await session.cluster.agreedWithin(LONG_MS, signal)).not.toBeNull();
  return session;
}

async function joinNew(session: WholeSession): Promise<number> {
  const [identity] = await newIdentities(1, session.policy, { threads: 1, signal });
  if (identity === undefined) throw new TypeError('an identity was expected');
  return session.join(identity);
}

it('a minority admits no node; the majority does when it is back, and replaces a dead member', async () => {
  const session = await started();
  const { cluster } = session;
  const leader = cluster.leader() ?? 0;
  const [lost = 0, other = 0] = cluster.nodes().filter((node) => node !== leader);
  await cluster.kill(lost);
  await cluster.kill(other);

  await joinNew(session);
  await joinNew(session);
  const early = await cluster.agreedWithin(3_000, signal);
  const why = admissionText(cluster);
  cluster.start(other, false);
  const late = await cluster.agreedWithin(LONG_MS, signal);
  const removed = await session.remove(lost);
  const removedAgain = await session.remove(lost).catch((error: unknown) => String(error));
  await cluster.down();

  expect(early).toBeNull();
  expect(why).toBe(
    `the members are 1, 2, 3, and 2 of them must confirm each change; of them, only ${leader} is up`,
  );
  expect(late?.nodes).toEqual([1, 2, 3, 4, 5].filter((node) => node !== lost));
  expect({ removed, voters: session.notes.removed }).toEqual({ removed: null, voters: [lost] });
  expect(removedAgain).toContain(`node ${lost} was removed; let a node with a new key join`);
  expect(session.check()).toMatchObject({ replayed: { defect: null }, clash: null });
});

it('no member is removed from a protocol that counts all of them', async () => {
  const session = await started({ protocol: 'bully-oneshot', nodes: 1 });

  await expect(session.remove(1)).rejects.toThrow(
    'the members of bully-oneshot are never removed; kill the node, or use raft',
  );
});
