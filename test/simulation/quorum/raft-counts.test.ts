/**
 * @module
 * What a Raft election costs when the leader is dead and the first candidate wins, message by
 * message; one that needs no other node; and that an election settles.
 */

import { describe, expect, it } from 'vitest';

import type { Flags } from '../../../src/election/definition/flags.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';
import { withChoices } from './raft-runs.ts';

const TIMING = { latencyTicksMax: 1 };
const ELECTION_TICKS = 30;

describe('one leader change of Raft, the highest of n dead, 1 the first candidate', () => {
  it.each([3, 4, 5, 7, 9, 50])('costs n−1 VOTE, n−2 replies and n−1 HEARTBEAT at n = %i', (n) => {
    const counts = countFirst(n, {});

    expect(counts).toEqual({ VOTE: n - 1, VOTE_REPLY: n - 2, HEARTBEAT: n - 1 });
  });

  it.each([3, 4, 5, 7, 9, 50])(
    'costs n−1 PRE_VOTE and n−2 replies more under preVote at n = %i',
    (n) => {
      const counts = countFirst(n, { preVote: 'on' });

      expect(counts).toEqual({
        ...{ PRE_VOTE: n - 1, PRE_VOTE_REPLY: n - 2 },
        ...{ VOTE: n - 1, VOTE_REPLY: n - 2, HEARTBEAT: n - 1 },
      });
    },
  );

  it.each([
    [{}, 11],
    [{ preVote: 'on' }, 18],
  ])('costs at n = 5 with %o altogether %i, replies to heartbeats apart', (flags, total) => {
    const counts = countFirst(5, flags);

    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(total);
  });
});

describe('an election of Raft', () => {
  it('needs no message where there is one member', () => {
    const { leader, messages } = simulateElection({ protocol: 'raft', nodes: 1, seed: SEED });

    expect({ leader, total: messages.total }).toEqual({ leader: 1, total: 0 });
  });

  it.each([2, 3, 5, 20])('settles among %i on a leader that all follow', (nodes) => {
    const outcome = simulateElection({ protocol: 'raft', nodes, seed: SEED });

    expect(outcome).toMatchObject({ agreed: true, bound: 'idle', verdict: { value: 'true' } });
  });

  it('has no leader without a majority', () => {
    const crashedBefore = [3, 4, 5];

    const outcome = simulateElection({ protocol: 'raft', nodes: 5, crashedBefore, seed: SEED });

    expect(outcome).toMatchObject({ leader: null, bound: 'until', messages: { HEARTBEAT: 0 } });
  });

  it('ends with a leader whose log no majority is ahead of', () => {
    const attributes = [9, 1, 5, 9, 9];

    const leaders = Array.from({ length: 20 }, (_, index) => {
      const seed = SEED.replace('1', String(index + 1)) as typeof SEED;
      return simulateElection({ protocol: 'raft', nodes: 5, attributes, seed }).leader;
    });

    expect(new Set(leaders)).toEqual(new Set([1, 4, 5]));
  });
});

/** Sends until the first heartbeats are out; only 1 has been a candidate by then. */
function countFirst(nodes: number, flags: Flags): Record<string, number> {
  const all = {
    ...{ electionTicks: String(ELECTION_TICKS), spreadTicks: '20', heartbeatTicks: '10' },
    ...flags,
  };
  const choices = Array.from({ length: nodes }, (_, index) => (index === 0 ? 0 : 15));
  const crashedBefore = [nodes];
  const simulation = createSimulation(
    { protocol: 'raft', nodes, crashedBefore, seed: SEED, flags: all },
    withChoices(TIMING, all, choices),
  );
  simulation.start();
  simulation.advance({ until: ELECTION_TICKS + 6 });
  const { messages, leader } = simulation.status();
  expect(leader).toBe(1);
  const { total: _total, HEARTBEAT_REPLY: _replies, ...counts } = messages;
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
