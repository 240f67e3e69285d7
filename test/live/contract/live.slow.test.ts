/**
 * @module
 * The contract of elections with live processes: all scenarios.
 */

import { expect, it } from 'vitest';
import { playedLive } from './live.ts';
import { CONTRACT_PROTOCOLS, SCENARIOS } from './scenarios.ts';

it.each(CONTRACT_PROTOCOLS)('live nodes of %s fulfil the whole contract', async (protocol) => {
  expect(await playedLive(SCENARIOS, protocol)).toEqual([]);
});
