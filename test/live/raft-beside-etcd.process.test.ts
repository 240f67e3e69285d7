/**
 * @module
 * Live nodes of Raft beside a cluster of etcd, after the kill -9 of the leader: another one leads, in a higher term, and
 * no term has two. `npm run study:raft` measures this, and partitions.
 */

import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { isEtcdInstalled, startEtcdCluster } from '../../bench/study/etcd-cluster.ts';
import type { RaftSystem } from '../../bench/study/raft-run.ts';
import { runRaftFaults, startOwnRaft } from '../../bench/study/raft-run.ts';

const hasEtcd = isEtcdInstalled();
if (!hasEtcd) process.stderr.write('etcd is not installed: the comparison with it is skipped\n');

const SYSTEMS: readonly (readonly [string, boolean, () => Promise<RaftSystem>])[] = [
  ['usurp', true, () => startOwnRaft(3, 50)],
  ['etcd', hasEtcd, () => startEtcdCluster(3, { heartbeatMs: 101, electionMs: 1010 })],
];

describe.each(SYSTEMS)('three nodes of Raft by %s', (_name, isInstalled, start) => {
  it.skipIf(!isInstalled)('replace a leader that is killed, in a higher term', async () => {
    const { samples, leadersPerTermMax } = await runRaftFaults(await start(), {
      ...{ nodes: 3, repetitions: 1, faults: ['kill -9'] },
    });

    expect(samples).toHaveLength(1);
    expect(samples[0]?.terms).toBeGreaterThan(0);
    expect(leadersPerTermMax).toBe(1);
  });
});
