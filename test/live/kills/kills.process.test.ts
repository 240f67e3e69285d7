/**
 * @module
 * Kill -9 at random nodes, with losses and a partition, for a short time. The slow suite does it a hundred times.
 */

import { expect, it } from 'vitest';
import { parseSeed } from '../../../src/random.ts';
import { runKills } from './run.ts';

const PLAN = { seed: parseSeed('7'), nodes: 3, rounds: 1, killsPerRound: 4, roundMs: 6_000 };

it.concurrent.each(['raft', 'db-lease'] as const)(
  '4 kills of %s give no epoch two leaders, and one leads after each calm',
  async (protocol) => {
    const { kills, faults } = await runKills(PLAN, protocol, 50);

    expect(faults).toEqual([]);
    expect(kills).toBe(4);
  },
);
