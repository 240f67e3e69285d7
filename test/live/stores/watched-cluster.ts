/**
 * @module
 * Three live nodes on a store that a test disturbs, with what they have warned of.
 */

import process from 'node:process';
import type { ProtocolName } from '../../../src/election/registry.ts';
import type { ClusterSession } from '../../../src/live/cluster/cluster-session.ts';
import { startCluster } from '../../../src/live/cluster/cluster-session.ts';

const NODES = 3;
const START_MS_MAX = 60_000;
const never = new AbortController().signal;

export interface WatchedCluster {
  readonly session: ClusterSession;
  readonly warnings: readonly { readonly node: number; readonly text: string }[];
}

/** Starts the nodes. Their leader writes to a resource with a fence. */
export async function startWatchedCluster(
  protocol: ProtocolName,
  store: string,
  latencyTicksMax = 50,
): Promise<WatchedCluster> {
  const warnings: { readonly node: number; readonly text: string }[] = [];
  const session = await startCluster(
    {
      protocol,
      nodes: NODES,
      store,
      level: 'L0',
      detector: 'fd-phi-akka',
      defences: [],
      workload: { resource: 'fencing-max', everyTicks: null },
      timing: { latencyTicksMax },
      c1: 0,
      c2: 0,
      tls: false,
    },
    {
      folder: null,
      threads: 1,
      signal: never,
      onFault: (node, text) => process.stderr.write(`node ${node} has ended: ${text}\n`),
      onRecord: () => undefined,
      onWarning: (node, text) => warnings.push({ node, text }),
    },
  );
  const { cluster } = session;
  await cluster.startedWithin(START_MS_MAX, never);
  if (cluster.awake().length < NODES) throw new Error('a node has not started');
  return { session, warnings };
}

/** The leader on which the nodes agree. */
export async function agreed({ cluster }: ClusterSession) {
  const agreement = await cluster.agreedWithin(30_000, never);
  if (agreement === null) throw new Error('the nodes found no leader');
  return agreement;
}
