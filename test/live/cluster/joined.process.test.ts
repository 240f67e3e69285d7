/**
 * @module
 * A node that joins a cluster of a folder.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { addressesText } from '../../../src/cli/live/state-text.ts';
import { newIdentities } from '../../../src/live/cluster/cluster-files.ts';
import type { ClusterSettings } from '../../../src/live/cluster/cluster-plan.ts';
import type { WholeSession } from '../../../src/live/cluster/cluster-session.ts';
import { startCluster } from '../../../src/live/cluster/cluster-session.ts';

const signal = new AbortController().signal;
const ROOT = mkdtempSync(join(tmpdir(), 'usurp-joined-'));
afterAll(() => rmSync(ROOT, { recursive: true }));

const settings: ClusterSettings = {
  ...({ protocol: 'raft', level: 'L3', detector: 'fd-heartbeat' } as const),
  ...{ nodes: 1, c1: 0, c2: 0, tls: false, defences: [], timing: { latencyTicksMax: 50 } },
};

/** Starts the cluster of the folder and stops it after some work. Returns its warnings. */
async function withCluster(
  folder: string,
  work: (session: WholeSession) => Promise<void>,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  const session = await startCluster(settings, {
    ...{ folder, threads: 1, signal },
    onFault: (node, text) => expect.fail(`node ${node}: ${text}`),
    onWarning: (_node, text) => void warnings.push(text),
    onRecord: () => undefined,
  });
  try {
    await session.cluster.startedWithin(60_000, signal);
    await work(session);
  } finally {
    await session.close();
  }
  return warnings;
}

/** Lets a new node join. Returns its number. */
async function joinNew(session: WholeSession): Promise<number> {
  const [identity] = await newIdentities(1, session.policy, { threads: 1, signal });
  if (identity === undefined) throw new TypeError('an identity was expected');
  const node = await session.join(identity);
  expect(session.cluster.isDown(node)).toBe(false);
  return node;
}

it('has its address among those that are printed, also when the cluster is started again', async () => {
  const folder = join(ROOT, 'again');
  let text = '';
  await withCluster(folder, async (session) => {
    await joinNew(session);
    text = addressesText(session);
  });

  expect(text).toMatch(
    /^node 1 {2}http:\/\/127\.0\.0\.1:\d+\nnode 2 {2}http:\/\/127\.0\.0\.1:\d+$/,
  );
  await withCluster(folder, async (session) => expect(addressesText(session)).toBe(text));
});

it('joins although a controller was killed before it noted a node, whose key is kept', async () => {
  const folder = join(ROOT, 'left');
  const warnings = await withCluster(folder, async (session) => {
    writeFileSync(join(folder, 'key-2.json'), 'a key');
    expect(await joinNew(session)).toBe(2);
  });

  const [kept = ''] = readdirSync(folder).filter((name) => name.includes('unused'));
  expect(readFileSync(join(folder, kept), 'utf8')).toBe('a key');
  expect(kept).toMatch(/^key-2\.unused-\d+\.json$/);
  expect(warnings).toEqual([
    `${join(folder, 'key-2.json')} was there, but no node has used it; it is now ${join(folder, kept)}`,
  ]);
});
