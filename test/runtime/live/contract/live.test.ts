/**
 * @module
 * The contract of elections with live processes: the most essential scenarios. The slow suite plays all.
 */

import { expect, it } from 'vitest';
import { playedLive } from './live.ts';
import { CONTRACT_PROTOCOLS, SCENARIOS } from './scenarios.ts';

const ESSENTIAL = [
  'the leader returns',
  'messages arrive twice',
  'a message is forged',
  'the leader is cut off, and the partition heals',
  'all restart from disk',
  'the leader is paused',
];

it.concurrent.each(CONTRACT_PROTOCOLS)('live nodes of %s fulfil the contract', async (protocol) => {
  const scenarios = SCENARIOS.filter(({ name }) => ESSENTIAL.includes(name));

  const faults = await playedLive(scenarios, protocol);

  expect(scenarios).toHaveLength(ESSENTIAL.length);
  expect(faults).toEqual([]);
});
