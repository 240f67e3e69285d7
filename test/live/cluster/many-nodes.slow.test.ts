/**
 * @module
 * A cluster of as many nodes as two cores carry.
 */

import { expect, it } from 'vitest';
import type { ClusterSettings } from '../../../src/live/cluster/cluster-plan.ts';
import { startCluster } from '../../../src/live/cluster/cluster-session.ts';

const NODES = 50;
const signal = new AbortController().signal;
const settings: ClusterSettings = {
  ...{ nodes: NODES, protocol: 'bully-oneshot', timing: { latencyTicksMax: 1_000 } },
  level: 'L3',
  ...{ detector: 'fd-gossip', defences: [], c1: 0, c2: 0, tls: true },
};

it('50 nodes follow the one with the highest ID, over TLS', async () => {
  const faults: string[] = [];
  const { cluster } = await startCluster(settings, {
    ...{ folder: null, threads: 1, signal },
    onFault: (node, text) => void faults.push(`node ${node}: ${text}`),
    onRecord: () => undefined,
  });
  try {
    const agreement = await cluster.agreedWithin(180_000, signal);

    expect(faults).toEqual([]);
    expect(agreement?.leader).toBe(NODES);
    expect(agreement?.nodes).toHaveLength(NODES);
  } finally {
    await cluster.down();
    await cluster.close();
  }
});
