/**
 * @module
 * A node that joins a cluster of a folder.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { addressesText } from '../../../../src/cli/live/state-text.ts';
import { newIdentities } from '../../../../src/runtime/live/cluster/cluster-files.ts';
import type { ClusterSettings } from '../../../../src/runtime/live/cluster/cluster-plan.ts';
import type { WholeSession } from '../../../../src/runtime/live/cluster/cluster-session.ts';
import { startCluster } from '../../../../src/runtime/live/cluster/cluster-session.ts';

const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'usurp-joined-'));
afterAll(() => rmSync(folder, { recursive: true }));

const settings: ClusterSettings = {
  ...({ protocol: 'raft', level: 'L3', detector: 'fd-heartbeat' } as const),
  ...{ nodes: 1, c1: 0, c2: 0, tls: false, defences: [], timing: { latencyTicksMax: 50 } },
};

/** Starts the cluster of the folder and stops it after some work. */
async function withCluster(work: (session: WholeSession) => Promise<void>): Promise<void> {
  const session = await startCluster(settings, {
    ...{ folder, threads: 1, signal },
    onFault: (node, text) => expect.fail(`node ${node}: ${text}`),
    onRecord: () => undefined,
  });
  try {
    await session.cluster.startedWithin(60_000, signal);
    await work(session);
  } finally {
    await session.close();
  }
}

it('has its address among those that are printed, also when the cluster is started again', async () => {
  let text = '';
  await withCluster(async (session) => {
    const [identity] = await newIdentities(1, session.policy, { threads: 1, signal });
    if (identity === undefined) throw new TypeError('an identity was expected');
    const node = await session.join(identity);
    expect(session.cluster.isDown(node)).toBe(false);
    text = addressesText(session);
  });

  expect(text).toMatch(
    /^node 1 {2}http:\/\/127\.0\.0\.1:\d+\nnode 2 {2}http:\/\/127\.0\.0\.1:\d+$/,
  );
  await withCluster(async (session) => expect(addressesText(session)).toBe(text));
});
