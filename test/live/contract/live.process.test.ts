/**
 * @module
 * The contract of elections with live processes: four of the six most essential scenarios with each protocol, each scenario
 * with two protocols or more. The slow suite plays all.
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
  const first = CONTRACT_PROTOCOLS.indexOf(protocol);
  const names = ESSENTIAL.filter((_, index) => (index + first) % 3 > 0);
  const scenarios = SCENARIOS.filter(({ name }) => names.includes(name));

  const faults = await playedLive(scenarios, protocol);

  expect(scenarios).toHaveLength(4);
  expect(faults).toEqual([]);
});
