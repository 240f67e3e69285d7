/**
 * @module
 * Zab's discovery and synchronisation step by step: which promise goes to which node, what is on disk when it
 * is said, when a node leads, and when it gives up (Junqueira, Reed and Serafini 2011).
 */

import { describe, expect, it } from 'vitest';

import {
  ackEpoch,
  createNode,
  disk,
  epoch,
  follower,
  from,
  rings,
  START,
  vote,
  winner,
} from './zab-node.ts';

describe('discovery and synchronisation', () => {
  it('leads when a quorum has acknowledged its history, and not before', () => {
    const node = winner();

    expect(node(from(1, epoch('CEPOCH', 4)))).toEqual([
      'persists {"acceptedEpoch":5,"currentEpoch":0}',
      'NEWEPOCH 5 to 1',
    ]);
    expect(node(from(1, ackEpoch(5)))).toEqual([
      'persists {"acceptedEpoch":5,"currentEpoch":5}',
      'NEWLEADER 5 to 1',
    ]);
    expect(node(from(1, epoch('ACK', 5)))).toEqual([
      'elects 3 in 5',
      'COMMIT 5 to 1',
      'sets silence 30',
      'sets heartbeat 3',
    ]);
  });

  it('proposes an epoch above all that a quorum has accepted, its own included', () => {
    const node = createNode({ rank: 3, nodes: 3 });
    node(disk({ acceptedEpoch: 7, currentEpoch: 2 }), from(1, vote(3, { peerEpoch: 2 })));
    node(rings('finalize'));

    expect(node(from(1, epoch('CEPOCH', 4)))).toContain('NEWEPOCH 8 to 1');
  });

  it('counts no word about an epoch that it proposed before', () => {
    const node = winner();
    node(from(1, epoch('CEPOCH', 4)), rings('silence'), from(1, vote(3, { round: 2 })));
    node(rings('finalize'), from(1, epoch('CEPOCH', 5)));

    expect(node(from(1, ackEpoch(5)))).toEqual([]);
    expect(node(from(1, ackEpoch(6)))).toContain('NEWLEADER 6 to 1');
    expect(node(from(1, epoch('ACK', 5)))).toEqual([]);
    expect(node(from(1, epoch('ACK', 6)))).toContain('elects 3 in 6');
  });

  it('follows in the epoch that it has acknowledged alone', () => {
    const node = follower();
    node(from(3, epoch('NEWEPOCH', 5)));

    expect(node(from(3, epoch('NEWLEADER', 4)), from(3, epoch('COMMIT', 5)))).toEqual([]);
    node(from(3, epoch('NEWLEADER', 5)));
    expect(node(from(3, epoch('COMMIT', 4)))).toEqual([]);
    expect(node(from(3, epoch('COMMIT', 5)))).toContain('elects 3 in 5');
  });

  it('counts a follower that was there before the leader knew', () => {
    const node = createNode({ rank: 3, nodes: 3 });
    node(START, from(1, vote(3)), from(1, epoch('CEPOCH', 0)));

    expect(node(rings('finalize'))).toContain('NEWEPOCH 1 to 1');
  });

  it('follows at the end, with everything on disk that it has said', () => {
    const node = follower();

    expect(node(from(3, epoch('NEWEPOCH', 5)))).toEqual([
      'persists {"acceptedEpoch":5,"currentEpoch":0}',
      'ACKEPOCH 5 true 0 0 to 3',
      'sets retry 3',
    ]);
    expect(node(from(3, epoch('NEWLEADER', 5)))).toEqual([
      'persists {"acceptedEpoch":5,"currentEpoch":5}',
      'ACK 5 to 3',
      'sets retry 3',
    ]);
    expect(node(from(3, epoch('COMMIT', 5)))).toEqual([
      'cancels retry',
      'sets silence 30',
      'elects 3 in 5',
    ]);
  });

  it('promises an epoch to one leader: the next one gets an answer that does not count', () => {
    const node = follower();
    node(from(3, epoch('NEWEPOCH', 1)), rings('silence'));
    node(from(2, vote(2, { round: 2, zxid: 1 })), rings('finalize'));

    expect(node(from(2, epoch('NEWEPOCH', 1)))).toContain('ACKEPOCH 1 false 0 0 to 2');
  });

  it('does not know after a crash which node has its promise', () => {
    const node = createNode({ rank: 1, nodes: 3 });
    node(disk({ acceptedEpoch: 1, currentEpoch: 0 }), from(3, vote(3)), rings('finalize'));

    expect(node(from(3, epoch('NEWEPOCH', 1)))).toContain('ACKEPOCH 1 false 0 0 to 3');
  });

  it('counts no answer that is no promise', () => {
    const node = winner();
    node(from(1, epoch('CEPOCH', 0)));

    expect(node(from(1, ackEpoch(1, { promised: false })))).toEqual([]);
  });

  it('answers the same again for a follower that asks again', () => {
    const node = follower();
    const steps = [epoch('NEWEPOCH', 1), epoch('NEWLEADER', 1)].map((each) => from(3, each));
    node(...steps);

    expect(node(rings('retry'))).toEqual(['CEPOCH 1 to 3', 'sets retry 3']);
    expect(node(...steps)).toEqual([
      'ACKEPOCH 1 true 1 0 to 3',
      'sets retry 3',
      'ACK 1 to 3',
      'sets retry 3',
    ]);
  });

  it('takes a late follower through all steps without a new epoch', () => {
    const node = winner();
    node(from(1, epoch('CEPOCH', 0)), from(1, ackEpoch(1)), from(1, epoch('ACK', 1)));

    expect(node(from(2, epoch('CEPOCH', 0)))).toEqual(['NEWEPOCH 1 to 2']);
    expect(node(from(2, ackEpoch(1)))).toEqual(['NEWLEADER 1 to 2']);
    expect(node(from(2, epoch('ACK', 1)))).toEqual(['COMMIT 1 to 2']);
    expect(node(rings('heartbeat'))).toEqual(['PING 1 to 1', 'PING 1 to 2']);
  });

  it.each([
    ['has accepted a higher epoch', epoch('CEPOCH', 2)],
    ['has been in an epoch that the leader has not', ackEpoch(1, { currentEpoch: 1 })],
  ])('gives up leading for a follower that %s', (_what, word) => {
    const node = winner();
    node(from(1, epoch('CEPOCH', 0)));

    expect(node(from(2, word))).toContain('NOTIFICATION 3 0 0 2 LOOKING to 1');
  });

  it('leaves a leader whose epoch is below the accepted one', () => {
    const node = createNode({ rank: 1, nodes: 3 });
    node(disk({ acceptedEpoch: 2, currentEpoch: 2 }), from(3, vote(3, { peerEpoch: 2 })));
    node(rings('finalize'));

    expect(node(from(3, epoch('NEWEPOCH', 1)))).toContain('NOTIFICATION 1 0 2 2 LOOKING to 2');
  });

  it('ignores followers as a follower, and leaders that are not its own', () => {
    const node = follower();

    expect(
      node(
        ...[epoch('CEPOCH', 0), ackEpoch(1), epoch('ACK', 1), epoch('PONG', 1)].map((each) =>
          from(2, each),
        ),
        from(2, epoch('NEWEPOCH', 1)),
        from(2, epoch('PING', 0)),
      ),
    ).toEqual([]);
  });
});

describe('silence', () => {
  const leader = () => {
    const node = createNode({ rank: 5, nodes: 5 });
    node(START, from(1, vote(5)), from(2, vote(5)), rings('finalize'));
    for (const word of [epoch('CEPOCH', 0), ackEpoch(1), epoch('ACK', 1)]) {
      node(from(1, word), from(2, word));
    }
    return node;
  };

  it('of a quorum ends leadership, and one follower’s word is no quorum of five', () => {
    const node = leader();

    expect(node(from(1, epoch('PONG', 1)), from(1, epoch('PONG', 1)))).toEqual([]);
    expect(node(from(2, epoch('PONG', 1)))).toEqual(['sets silence 30']);
    expect(node(rings('silence')).slice(0, 3)).toEqual([
      'steps down',
      'cancels silence',
      'cancels heartbeat',
    ]);
  });

  it('of a leader ends following, and its PING puts that off', () => {
    const node = follower();
    for (const type of ['NEWEPOCH', 'NEWLEADER', 'COMMIT'] as const) node(from(3, epoch(type, 1)));

    expect(node(from(3, epoch('PING', 1)))).toEqual(['PONG 1 to 3', 'sets silence 30']);
    expect(node(from(3, epoch('PING', 2)))).toEqual([]);
    expect(node(rings('silence'))).toContain('NOTIFICATION 1 0 1 2 LOOKING to 2');
  });

  it.each([
    ['a would-be leader', winner()],
    ['a would-be follower', follower()],
  ])('sends %s looking again', (_who, node) => {
    expect(node(rings('silence')).filter((done) => done.includes('LOOKING'))).toHaveLength(2);
  });
});

describe('the disk', () => {
  it('gives back the epochs, and the vote says in which it was last', () => {
    const node = createNode({ rank: 1, nodes: 2 });

    expect(node(disk({ acceptedEpoch: 4, currentEpoch: 3 }))).toContain(
      'NOTIFICATION 1 0 3 1 LOOKING to 2',
    );
  });

  it.each([
    ['of another shape', 'epoch 3'],
    ['a list', [1, 1]],
    ['without an epoch', { acceptedEpoch: 1 }],
    ['with half an epoch', { acceptedEpoch: 1.5, currentEpoch: 1 }],
    ['with a negative one', { acceptedEpoch: 1, currentEpoch: -1 }],
    ['with an epoch that was never accepted', { acceptedEpoch: 1, currentEpoch: 2 }],
  ])('that is %s keeps the node from taking part', (_what, persisted) => {
    const node = createNode({ rank: 1, nodes: 2 });

    const done = node(disk(persisted), START, from(2, vote(2)), from(2, epoch('CEPOCH', 0)));

    expect(done).toEqual([]);
  });

  it('that is mended lets it take part again', () => {
    const node = createNode({ rank: 1, nodes: 2 });

    expect(node(disk('epoch 3'), disk({ acceptedEpoch: 1, currentEpoch: 1 }))).toHaveLength(2);
  });
});
