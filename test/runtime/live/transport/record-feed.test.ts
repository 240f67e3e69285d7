/**
 * @module
 * The places of observers that follow the records of a node: each is free again when its observer is gone.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { parsePeers } from '../../../../src/runtime/live/peers.ts';
import { startNode } from '../../../../src/runtime/live/start-node.ts';
import { FOLLOWERS_MAX } from '../../../../src/runtime/live/transport/record-feed.ts';
import { settingsFor } from '../hostile-peer.ts';
import { testNetwork } from '../network.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The address of the records of a node that is alone. */
async function recordsOfOne(): Promise<string> {
  const made = await testNetwork(1);
  closing.push(() => rmSync(made.folder, { recursive: true }));
  const [key] = made.keys;
  if (key === undefined) throw new Error('a key was expected');
  const node = await startNode(
    settingsFor(parsePeers(made.peers), key, join(made.folder, 'node.log')),
    { onLeader: () => undefined, onRecord: () => undefined },
    new AbortController().signal,
  );
  closing.unshift(node.close);
  return `${node.url}/events`;
}

it('HEAD takes no place, and a follower that goes away leaves its own', async () => {
  const url = await recordsOfOne();
  const asked = async (method: string, signal?: AbortSignal) => {
    const answer = await fetch(url, { method, ...(signal === undefined ? {} : { signal }) });
    return answer.status;
  };
  const leaving = new AbortController();

  const heads = await Promise.all(Array.from({ length: 2 * FOLLOWERS_MAX }, () => asked('HEAD')));
  const followers = Array.from({ length: FOLLOWERS_MAX }, () => asked('GET', leaving.signal));
  const followed = await Promise.all(followers);
  const tooMany = await asked('GET');
  leaving.abort();

  expect(new Set([...heads, ...followed])).toEqual(new Set([200]));
  expect(tooMany).toBe(503);
  const after = new AbortController();
  closing.unshift(() => after.abort());
  await expect.poll(() => asked('GET', after.signal), { timeout: 5_000 }).toBe(200);
});
