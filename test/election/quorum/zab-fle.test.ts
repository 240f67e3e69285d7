/**
 * @module
 * Zab's phase 0, fast leader election, step by step: which vote is better, what counts as a quorum, and
 * who joins a leader that is there (Medeiros 2012; Hunt et al. 2010).
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVotes } from '../../../src/election/quorum/zab-looking.ts';
import type { Notification, Vote } from '../../../src/election/quorum/zab-state.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { createNode, disk, epoch, follower, from, rings, START, vote } from './zab-node.ts';

describe('the order of votes', () => {
  const votes = fc.record({
    leader: fc.integer({ min: 1, max: 3 }).map(toRank),
    zxid: fc.nat(2),
    peerEpoch: fc.nat(2),
  });
  const sign = (one: Vote, other: Vote) => Math.sign(compareVotes(one, other));
  const check = <Votes>(property: fc.IProperty<Votes>) =>
    fc.assert(property, { seed: 2011, numRuns: 2000 });

  it('is total: of two votes one is better, unless they are the same', () => {
    check(
      fc.property(votes, votes, (one, other) => {
        expect(sign(one, other) + sign(other, one)).toBe(0);
        expect(sign(one, other) === 0).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });

  it('is transitive', () => {
    check(
      fc.property(votes, votes, votes, (one, other, third) => {
        fc.pre(sign(one, other) > 0 && sign(other, third) > 0);
        expect(sign(one, third)).toBe(1);
      }),
    );
  });

  it('asks for the epoch first, then for the log, then for the rank', () => {
    const ordered = [0, 1].flatMap((peerEpoch) =>
      [0, 1].flatMap((zxid) => [1, 2].map((rank) => ({ leader: toRank(rank), zxid, peerEpoch }))),
    );

    expect(ordered.toReversed().toSorted(compareVotes)).toEqual(ordered);
  });
});

describe('a looking node', () => {
  it('votes for itself and says so to every other member', () => {
    expect(createNode({ rank: 2, nodes: 3, zxids: [0, 7, 0] })(START)).toEqual([
      'NOTIFICATION 2 7 0 1 LOOKING to 1',
      'NOTIFICATION 2 7 0 1 LOOKING to 3',
      'sets notify 3',
    ]);
  });

  it('takes over a better vote, says so, and waits when a quorum agrees', () => {
    const node = createNode({ rank: 1, nodes: 3 });
    node(START);

    expect(node(from(3, vote(3)))).toEqual([
      'NOTIFICATION 3 0 0 1 LOOKING to 2',
      'NOTIFICATION 3 0 0 1 LOOKING to 3',
      'sets notify 3',
      'cancels notify',
      'sets finalize 3',
    ]);
    expect(node(rings('finalize'))).toEqual(['sets silence 30', 'CEPOCH 0 to 3', 'sets retry 3']);
  });

  it('waits anew for the better vote that comes meanwhile', () => {
    const node = createNode({ rank: 1, nodes: 3 });
    node(START, from(2, vote(2)));

    expect(node(from(3, vote(3)))[0]).toBe('cancels finalize');
    expect(node(rings('finalize'))).toContain('CEPOCH 0 to 3');
  });

  it('does not take over a vote that is worse or its own', () => {
    const node = createNode({ rank: 2, nodes: 5 });
    node(START);

    expect(node(from(1, vote(1)), from(3, vote(2)))).toEqual([]);
  });

  it('counts two of five for no quorum, three for one, and the same one twice once', () => {
    const node = createNode({ rank: 5, nodes: 5 });

    expect(node(START, from(1, vote(5)), from(1, vote(5)))).not.toContain('sets finalize 3');
    expect(node(from(2, vote(5)))).toContain('sets finalize 3');
  });

  it('does not count a vote that an older one of the same round overtook', () => {
    const node = createNode({ rank: 5, nodes: 5 });
    node(START, from(1, vote(5)), from(1, vote(1)));

    expect(node(from(2, vote(5)))).toContain('sets finalize 3');
  });

  it('does not count the votes of nodes of another round', () => {
    const node = createNode({ rank: 5, nodes: 5 });
    node(START, from(1, vote(5)));

    expect(node(from(2, vote(5, { round: 7, state: 'FOLLOWING' })))).toEqual([]);
    expect(node(from(3, vote(5, { state: 'FOLLOWING' })))).toContain('sets finalize 3');
  });

  it('answers a vote of an older round and does not count it', () => {
    const node = createNode({ rank: 3, nodes: 3 });
    node(disk(null), from(2, vote(2, { round: 4 })));

    expect(node(from(1, vote(3, { round: 3 })))).toEqual(['NOTIFICATION 3 0 0 4 LOOKING to 1']);
  });

  it('forgets the votes of its round for a newer one, and its own vote with them', () => {
    const node = createNode({ rank: 3, nodes: 5 });
    node(START, from(5, vote(5)), from(4, vote(5)));

    expect(node(from(2, vote(2, { round: 2 })))).toEqual([
      'cancels finalize',
      ...[1, 2, 4, 5].map((to) => `NOTIFICATION 3 0 0 2 LOOKING to ${to}`),
      'sets notify 3',
    ]);
  });

  it('says its vote again, less and less often, up to the time of silence', () => {
    const node = createNode({ rank: 1, nodes: 2 });
    node(START);

    const waits = Array.from({ length: 5 }, () => node(rings('notify')).at(-1));

    expect(waits).toEqual([6, 12, 24, 30, 30].map((ticks) => `sets notify ${ticks}`));
  });

  it('wakes up when another one looks, and not for anything else', () => {
    const others = [epoch('CEPOCH', 0), epoch('NEWEPOCH', 1), vote(2, { state: 'LEADING' })];
    const node = createNode({ rank: 3, nodes: 3 });

    expect(node(...others.map((message) => from(2, message)))).toEqual([]);
    expect(node(from(2, vote(2)))).toContain('NOTIFICATION 3 0 0 1 LOOKING to 1');
  });

  it('passes over a vote for an unknown node', () => {
    const node = createNode({ rank: 1, nodes: 3 });
    node(START);

    expect(node(from(2, vote(9)))).toEqual([]);
  });
});

describe('a node that comes late', () => {
  const led = (round: number, state: Notification['state']) => vote(1, { round, state });

  it('joins the leader that a quorum follows, though its own vote is better', () => {
    const node = createNode({ rank: 5, nodes: 5, zxids: [0, 0, 0, 0, 9] });
    node(START, from(1, led(7, 'LEADING')), from(2, led(7, 'FOLLOWING')));

    expect(node(from(3, led(7, 'FOLLOWING')))).toEqual([
      'cancels notify',
      'sets silence 30',
      'CEPOCH 0 to 1',
      'sets retry 3',
    ]);
  });

  it.each([
    ['the leader itself has not said so', [led(7, 'FOLLOWING'), led(7, 'FOLLOWING')], null],
    ['one of them looks in another round', [led(7, 'FOLLOWING'), led(6, 'LOOKING')], 7],
    ['the leader looks again', [led(7, 'FOLLOWING'), led(7, 'FOLLOWING')], 8],
  ])('waits when %s', (_why, followers, leaderRound) => {
    const node = createNode({ rank: 5, nodes: 5 });
    node(START);
    if (leaderRound !== null) node(from(1, led(7, 'LEADING')));
    if (leaderRound === 8) node(from(1, vote(1, { round: 8 })));

    const done = followers.flatMap((word, index) => node(from(2 + index, word)));

    expect(done).not.toContain('CEPOCH 0 to 1');
  });

  it('counts who follows since an older round, in which the leader still looked', () => {
    const node = createNode({ rank: 5, nodes: 5 });
    node(START, from(1, led(7, 'LEADING')), from(2, led(6, 'FOLLOWING')));

    expect(node(from(3, led(5, 'FOLLOWING')))).toContain('CEPOCH 0 to 1');
  });

  it('counts votes of the leader’s own round, its own too', () => {
    const node = createNode({ rank: 1, nodes: 5 });
    node(START, from(2, vote(5)));

    expect(node(from(5, vote(5, { state: 'LEADING' })))).toContain('CEPOCH 0 to 5');
  });

  it('gets answers of nodes with a leader, and starts no new round', () => {
    const node = follower();

    expect(node(from(2, vote(2, { round: 9 })))).toEqual(['NOTIFICATION 3 0 0 1 FOLLOWING to 2']);
    expect(node(from(2, vote(2, { state: 'FOLLOWING' })))).toEqual([]);
  });
});
