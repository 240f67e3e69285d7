/**
 * @module
 * zk-slide-quorum step by step: who stands, what is acknowledged, when the pointer moves, and what a
 * node does that has no quorum, no successor or no disk. Δ = 1: R = 6, and a node waits 17 ticks for
 * its successor.
 */

import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import type { QuorumNode } from './quorum-node.ts';
import { createNode } from './quorum-node.ts';

const START = { type: 'start' } as const;

function node(rank: number, { nodes = 3, crashedBefore = [] as number[] } = {}): QuorumNode {
  return createNode({ protocol: 'zk-slide-quorum', rank, nodes, crashedBefore });
}

function says(type: 'NEW_LEADER' | 'ACK' | 'COMMIT', epoch: number, id: number) {
  return { type, epoch, id: toRank(id) };
}

function suspect(rank: number) {
  return { type: 'suspect', node: toRank(rank) } as const;
}

function trust(rank: number) {
  return { type: 'trust', node: toRank(rank) } as const;
}

/** Node 3 of `nodes`, which stands in epoch 1. */
function candidate(nodes = 3): QuorumNode {
  const standing = node(3, { nodes });
  for (let rank = 4; rank <= nodes; rank += 1) standing.handle(suspect(rank));
  standing.handle(START);
  return standing;
}

/** Node 3 of three, leader of epoch 1. */
function leader(): QuorumNode {
  const leading = candidate();
  leading.receive(1, says('ACK', 1, 3));
  return leading;
}

/** Node 1 of three, which follows 3 in epoch 1. */
function follower(rank = 1): QuorumNode {
  const following = node(rank);
  following.receive(3, says('COMMIT', 1, 3));
  return following;
}

describe('the highest node that a node knows to be up', () => {
  it('stands, its own acknowledgement on disk before it is sent', () => {
    expect(node(3).handle(START)).toBe(
      'persists ackedEpoch 1, ackedId 3; NEW_LEADER 1 3 to 1, 2; sets retry in 6',
    );
  });

  it('is waited for by the others', () => {
    expect(node(1).handle(START)).toBe('sets check in 17');
    expect(node(2).handle(START)).toBe('sets check in 17');
  });

  it('is not the leader of before, which is down', () => {
    expect(node(2, { crashedBefore: [3] }).handle(START)).toContain('NEW_LEADER 1 2 to 1, 3');
  });

  it('is presumed gone when nothing came of the wait, and then the next one above', () => {
    const waiting = node(1);
    waiting.handle(START);

    expect(waiting.fire('check')).toBe('sets check in 17');
    expect(waiting.fire('check')).toContain('NEW_LEADER 1 1 to 2, 3');
  });

  it('is there again once it is heard', () => {
    const waiting = node(1);
    waiting.handle(START);
    waiting.fire('check');
    waiting.receive(2, { type: 'NACK', epoch: 0 });

    expect(waiting.fire('check')).toBe('sets check in 17');
    expect(waiting.fire('check')).toContain('NEW_LEADER');
  });
});

describe('an acknowledgement', () => {
  it('is on disk before it is given', () => {
    expect(node(1).receive(3, says('NEW_LEADER', 1, 3))).toBe(
      'persists ackedEpoch 1, ackedId 3; sets check in 17; ACK 1 3 to 3',
    );
  });

  it('is given again to the same candidate', () => {
    const voter = node(1);
    voter.receive(3, says('NEW_LEADER', 1, 3));

    expect(voter.receive(3, says('NEW_LEADER', 1, 3))).toBe('ACK 1 3 to 3');
  });

  it.each([1, 2])('is given to one candidate an epoch: refused in %i after 2', (epoch) => {
    const voter = node(1);
    voter.receive(3, says('NEW_LEADER', 2, 3));

    expect(voter.receive(2, says('NEW_LEADER', epoch, 2))).toBe('NACK 2 to 2');
  });

  it('of a later epoch ends the candidacy of the node that gives it', () => {
    const standing = candidate();

    expect(standing.receive(2, says('NEW_LEADER', 2, 2))).toBe(
      'persists ackedEpoch 2, ackedId 2; cancels retry; sets check in 17; ACK 2 2 to 2',
    );
    expect(standing.receive(1, says('ACK', 1, 3))).toBe('');
  });
});

describe('a quorum', () => {
  it('makes a leader and moves the pointer of all', () => {
    expect(candidate().receive(1, says('ACK', 1, 3))).toBe(
      'cancels retry; leads in epoch 1; COMMIT 1 3 to 1, 2',
    );
  });

  it('counts voters, not acknowledgements', () => {
    const standing = candidate(5);

    expect(standing.receive(1, says('ACK', 1, 3))).toBe('');
    expect(standing.receive(1, says('ACK', 1, 3))).toBe('');
    expect(standing.receive(2, says('ACK', 1, 3))).toContain('leads in epoch 1');
  });

  it('is of its epoch, of its candidate and of members', () => {
    const standing = candidate();

    expect(standing.receive(1, says('ACK', 2, 3))).toBe('');
    expect(standing.receive(1, says('ACK', 1, 2))).toBe('');
    expect(standing.receive(7, says('ACK', 1, 3))).toBe('');
  });

  it('that did not come is asked for in an epoch after all that were heard of', () => {
    const standing = candidate();
    standing.receive(1, { type: 'NACK', epoch: 6 });

    expect(standing.fire('retry')).toBe(
      'persists ackedEpoch 7, ackedId 3; NEW_LEADER 7 3 to 1, 2; sets retry in 6',
    );
  });

  it('is not asked for while too many are suspected', () => {
    const standing = candidate();
    standing.handle(suspect(1));
    standing.handle(suspect(2));

    expect(standing.fire('retry')).toBe('');
    expect(standing.handle(trust(2))).toBe('sets check in 17');
    expect(standing.fire('check')).toContain('NEW_LEADER 2 3');
  });

  it('of one is itself', () => {
    expect(node(1, { nodes: 1 }).handle(START)).toContain('leads in epoch 1');
  });
});

describe('a pointer', () => {
  it('moves with COMMIT', () => {
    expect(follower().receive(2, says('COMMIT', 1, 2))).toBe('');
    expect(node(1).receive(3, says('COMMIT', 1, 3))).toContain('follows 3 in epoch 1');
  });

  it('is on disk before it moves to a node that it has not acknowledged', () => {
    expect(node(1).receive(3, says('COMMIT', 1, 3))).toBe(
      'persists ackedEpoch 1, ackedId 3; follows 3 in epoch 1',
    );
  });

  it('never moves back, nor twice in an epoch', () => {
    const following = node(1);
    following.receive(3, says('COMMIT', 2, 3));

    expect(following.receive(2, says('COMMIT', 1, 2))).not.toContain('follows');
    expect(following.receive(2, says('COMMIT', 2, 2))).toBe('');
    expect(following.receive(2, says('COMMIT', 3, 2))).toContain('follows 2 in epoch 3');
  });

  it('does not move to a node that is suspected', () => {
    const following = node(1);
    following.handle(suspect(3));

    expect(following.receive(3, says('COMMIT', 1, 3))).toBe('');
  });

  it('that is behind is informed, that of a leader too', () => {
    const leading = leader();

    expect(follower().receive(2, says('COMMIT', 0, 2))).toBe('COMMIT 1 3 to 2');
    expect(leading.receive(2, says('COMMIT', 0, 2))).toBe('COMMIT 1 3 to 2');
    expect(leading.receive(2, says('COMMIT', 4, 2))).toContain('follows 2 in epoch 4');
  });

  it('is waited for after an acknowledgement, even by a node that has one', () => {
    const following = follower();
    following.receive(2, says('NEW_LEADER', 2, 2));

    expect(following.fire('check')).toBe('sets check in 17');
    expect(following.receive(2, says('COMMIT', 2, 2))).toBe('follows 2 in epoch 2; cancels check');
  });
});

describe('when a node is suspected', () => {
  it('its successor in rank takes over if it was the leader', () => {
    expect(follower(2).handle(suspect(3))).toBe(
      'steps down; persists ackedEpoch 2, ackedId 2; NEW_LEADER 2 2 to 1, 3; sets retry in 6',
    );
  });

  it('a node with a live successor waits for that', () => {
    expect(follower(1).handle(suspect(3))).toBe('steps down; sets check in 17');
  });

  it('no node reacts to one that does not lead', () => {
    expect(follower(1).handle(suspect(2))).toBe('');
    expect(leader().handle(suspect(2))).toBe('');
  });
});

describe('when a node is trusted', () => {
  it('all nodes send it the position of the pointer', () => {
    expect(leader().handle(trust(1))).toBe('COMMIT 1 3 to 1');
    expect(follower().handle(trust(2))).toBe('COMMIT 1 3 to 2');
  });

  it('a node without a leader waits for one', () => {
    expect(node(1).handle(trust(2))).toBe('sets check in 17');
  });
});

describe('a leader that is started again', () => {
  it('says once more that it leads', () => {
    expect(leader().handle(START)).toBe('COMMIT 1 3 to 1, 2');
  });
});

describe('a node that returns', () => {
  it('waits for an announcement, even if it is the highest', () => {
    const returned = node(3);

    expect(returned.recover({ ackedEpoch: 4, ackedId: 2 })).toBe('sets check in 17');
    expect(returned.fire('check')).toContain('NEW_LEADER 5 3');
  });

  it('acknowledges in the epoch of its disk only the node that it acknowledged', () => {
    const returned = node(1);
    returned.recover({ ackedEpoch: 4, ackedId: 2 });

    expect(returned.receive(3, says('NEW_LEADER', 4, 3))).toBe('NACK 4 to 3');
    expect(returned.receive(2, says('NEW_LEADER', 4, 2))).toBe('ACK 4 2 to 2');
  });

  it('follows no leader from before the epoch of its disk', () => {
    const returned = node(1);
    returned.recover({ ackedEpoch: 4, ackedId: 2 });

    expect(returned.receive(3, says('COMMIT', 3, 3))).toBe('');
    expect(returned.receive(2, says('COMMIT', 4, 2))).toContain('follows 2 in epoch 4');
  });

  it('acknowledges an epoch twice when it has forgotten the first time', () => {
    const returned = node(1);
    returned.receive(2, says('NEW_LEADER', 4, 2));
    returned.recover(null);

    expect(returned.receive(3, says('NEW_LEADER', 4, 3))).toContain('ACK 4 3 to 3');
  });

  it.each<[Json]>([
    ["another program's"],
    [{ ackedEpoch: 4 }],
    [{ ackedEpoch: -1, ackedId: 1 }],
    [{ ackedEpoch: '4', ackedId: 1 }],
    [{ ackedEpoch: 4, ackedId: 7 }],
    [{ ackedEpoch: 4, ackedId: null }],
    [[4, 1]],
  ])('takes no part when it finds %j on its disk', (persisted) => {
    const barred = node(3);

    expect(barred.recover(persisted)).toBe('');
    expect(barred.handle(START)).toBe('');
    expect(barred.receive(1, says('NEW_LEADER', 9, 1))).toBe('');
    expect(barred.receive(1, says('COMMIT', 9, 1))).toBe('');
    expect(barred.handle(suspect(1))).toBe('');
  });
});

describe('a message with no such epoch', () => {
  it.each([-1, 0.5, '1', null, 2 ** 53])('%j is not answered', (epoch) => {
    expect(node(1).receive(3, { type: 'NEW_LEADER', epoch, id: toRank(3) })).toBe('');
    expect(node(1).receive(3, { type: 'COMMIT', epoch, id: toRank(3) })).toBe('');
  });
});
