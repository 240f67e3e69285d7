/**
 * @module
 * A hundred kill -9 at random nodes within about five minutes, with losses and partitions. The seed can be given as
 * KILLS_SEED; it is drawn by the day otherwise, and printed.
 */

import process from 'node:process';
import { expect, it } from 'vitest';
import { parseSeed } from '../../../src/random.ts';
import { runKills } from './run.ts';

const seed = parseSeed(process.env.KILLS_SEED ?? String(Math.floor(Date.now() / 86_400_000)));
/** So short that a leader is elected between most kills. */
const LATENCY_MS = 30;
const PLAN = { seed, nodes: 3, rounds: 20, killsPerRound: 5, roundMs: 9_000 };

it.each(['raft', 'db-lease'] as const)(
  '100 kills of %s give no epoch two leaders, and one leads after each calm',
  async (protocol) => {
    const { faults, ...figures } = await runKills(PLAN, protocol, LATENCY_MS);

    process.stderr.write(`${protocol}, KILLS_SEED=${seed}: ${JSON.stringify(figures)}\n`);
    expect(faults).toEqual([]);
    expect(figures.kills).toBe(100);
  },
);
