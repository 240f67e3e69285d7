/**
 * @module
 * PreVote and CheckQuorum one step at a time, as etcd has them.
 */

import { describe, expect, it } from 'vitest';

import { toRank } from '../../../src/election/world/cast.ts';
import { createLeader, createNode, ELECTION } from './raft-node.ts';

const PRE_VOTE = { preVote: 'on' } as const;
const CHECK_QUORUM = { checkQuorum: 'on' } as const;

describe('preVote', () => {
  it('asks for the next term before it raises its own, and stores nothing', () => {
    const node = createNode(PRE_VOTE);

    const done = node.handle(ELECTION);

    expect(done).toEqual([
      ...[2, 3, 4, 5].map((rank) => `PRE_VOTE ${rank} {"term":1,"lastIndex":0}`),
      'choose 10',
      'set election 100',
    ]);
    expect(node.state).toMatchObject({ role: 'pre-candidate', term: 0, votedFor: null });
  });

  it('makes a candidate of a node that a majority would vote for', () => {
    const node = createNode(PRE_VOTE);
    node.handle(ELECTION);
    node.receive(2, { type: 'PRE_VOTE_REPLY', term: 1, granted: true });
    node.receive(2, { type: 'PRE_VOTE_REPLY', term: 1, granted: true });
    const before = node.state.role;

    const done = node.receive(3, { type: 'PRE_VOTE_REPLY', term: 1, granted: true });

    expect(before).toBe('pre-candidate');
    expect(done).toContain('persist {"term":1,"votedFor":1}');
    expect(done).toContain('VOTE 2 {"term":1,"lastIndex":0}');
  });

  it('is granted for a later term without entering it, and to several', () => {
    const node = createNode(PRE_VOTE);
    const before = structuredClone(node.state);

    const done = [2, 3].flatMap((from) =>
      node.receive(from, { type: 'PRE_VOTE', term: 6, lastIndex: 0 }),
    );

    expect(done).toEqual([
      'PRE_VOTE_REPLY 2 {"term":6,"granted":true}',
      'PRE_VOTE_REPLY 3 {"term":6,"granted":true}',
    ]);
    expect(node.state).toEqual(before);
  });

  it.each([
    ['its log is shorter', { term: 6, lastIndex: 1 }],
    ['its term is over', { term: 4, lastIndex: 2 }],
    ['its term has a leader', { term: 5, lastIndex: 2 }],
  ])('is refused, with the present term, where %s', (_why, question) => {
    const node = createNode({ ...PRE_VOTE, lastIndexOf: () => 2 });
    node.receive(2, { type: 'HEARTBEAT', term: 5 });

    const done = node.receive(3, { type: 'PRE_VOTE', ...question });

    expect(done).toEqual(['PRE_VOTE_REPLY 3 {"term":5,"granted":false}']);
  });

  it('ends if a refusal shows that the requester is behind', () => {
    const node = createNode(PRE_VOTE);
    node.handle(ELECTION);

    const done = node.receive(2, { type: 'PRE_VOTE_REPLY', term: 5, granted: false });

    expect(done).toEqual(['persist {"term":5,"votedFor":null}']);
    expect(node.state.role).toBe('follower');
  });

  it('ends where a majority refuses', () => {
    const node = createNode(PRE_VOTE);
    node.handle(ELECTION);

    for (const from of [2, 3, 4]) {
      node.receive(from, { type: 'PRE_VOTE_REPLY', term: 0, granted: false });
    }

    expect(node.state.role).toBe('follower');
  });

  it.each([
    ['figure2', 6, false],
    ['etcd', 6, true],
    ['etcd', 5, false],
  ] as const)(
    'is, by %s, granted for term %i while a leader is heard in term 5: %s',
    (rules, term, granted) => {
      const node = createNode({ ...PRE_VOTE, rules });
      const heard = node.receive(2, { type: 'HEARTBEAT', term: 5 });

      const done = node.receive(3, { type: 'PRE_VOTE', term, lastIndex: 0 });

      expect(heard.includes('set lease 100')).toBe(rules === 'figure2');
      expect(done).toEqual([
        `PRE_VOTE_REPLY 3 ${JSON.stringify({ term: granted ? term : 5, granted })}`,
      ]);
    },
  );

  it('is granted when the leader is heard no more, also for the present term', () => {
    const node = createNode(PRE_VOTE);
    node.receive(2, { type: 'HEARTBEAT', term: 5 });
    node.handle({ type: 'timeout', timer: 'lease' });

    const done = node.receive(3, { type: 'PRE_VOTE', term: 5, lastIndex: 0 });

    expect(done).toEqual(['PRE_VOTE_REPLY 3 {"term":5,"granted":true}']);
  });

  it('is refused for an earlier term, also when no leader is known to be alive', () => {
    const node = createNode(PRE_VOTE);
    node.receive(2, { type: 'HEARTBEAT', term: 5 });
    node.handle({ type: 'timeout', timer: 'lease' });

    const done = node.receive(3, { type: 'PRE_VOTE', term: 4, lastIndex: 0 });

    expect(done).toEqual(['PRE_VOTE_REPLY 3 {"term":5,"granted":false}']);
  });

  it('is refused by a leader', () => {
    const node = createNode(PRE_VOTE, { nodes: 2 });
    node.handle(ELECTION);
    node.receive(2, { type: 'PRE_VOTE_REPLY', term: 1, granted: true });
    node.receive(2, { type: 'VOTE_REPLY', term: 1, granted: true });

    const done = node.receive(2, { type: 'PRE_VOTE', term: 2, lastIndex: 0 });

    expect(done).toEqual(['PRE_VOTE_REPLY 2 {"term":1,"granted":false}']);
  });

  it.each([
    ['a grant of the present term', { term: 0, granted: true }],
    ['a grant of a term after the next', { term: 2, granted: true }],
    ['a refusal', { term: 0, granted: false }],
  ])('does not count %s as a grant', (_what, reply) => {
    const node = createNode(PRE_VOTE);
    node.handle(ELECTION);
    node.receive(2, { type: 'PRE_VOTE_REPLY', term: 1, granted: true });

    const done = node.receive(3, { type: 'PRE_VOTE_REPLY', ...reply });

    expect(done).toEqual([]);
    expect(node.state).toMatchObject({ role: 'pre-candidate', term: 0 });
  });

  it('needs no further answers when it is over', () => {
    const node = createNode(PRE_VOTE);
    for (const from of [2, 3, 4]) {
      expect(node.receive(from, { type: 'PRE_VOTE_REPLY', term: 1, granted: true })).toEqual([]);
    }

    expect(node.state.role).toBe('follower');
  });

  it('leaves a leader that is heard no more before it asks', () => {
    const node = createNode(PRE_VOTE);
    node.receive(2, { type: 'HEARTBEAT', term: 1 });

    expect(node.handle(ELECTION)[0]).toBe('step-down');
  });
});

describe('checkQuorum', () => {
  it.each(['VOTE', 'PRE_VOTE'] as const)(
    'ignores a %s while a leader has been heard within the shortest time-out',
    (type) => {
      const node = createNode(CHECK_QUORUM);
      const heard = node.receive(2, { type: 'HEARTBEAT', term: 1 });
      const ignored = node.receive(3, { type, term: 2, lastIndex: 0 });
      node.handle({ type: 'timeout', timer: 'lease' });

      const answered = node.receive(3, { type, term: 2, lastIndex: 0 });

      expect(heard).toContain('set lease 100');
      expect(ignored).toEqual([]);
      expect(answered).toContain(`${type}_REPLY 3 {"term":2,"granted":true}`);
    },
  );

  it('answers them when it has given its leader up', () => {
    const node = createNode(CHECK_QUORUM);
    node.receive(2, { type: 'HEARTBEAT', term: 1 });
    node.handle(ELECTION);

    expect(node.receive(3, { type: 'VOTE', term: 3, lastIndex: 0 })).toContain(
      'VOTE_REPLY 3 {"term":3,"granted":true}',
    );
  });

  it('is due once an election time-out, and no more when the node leads no more', () => {
    const node = createNode({ ...CHECK_QUORUM, rules: 'etcd' }, { nodes: 2 });
    node.handle(ELECTION);
    const led = node.receive(2, { type: 'VOTE_REPLY', term: 1, granted: true });

    const ended = node.handle({ type: 'timeout', timer: 'quorum' });

    expect(led).toContain('set quorum 100 periodic');
    expect(ended).toEqual([
      ...['cancel heartbeat', 'cancel quorum', 'choose 10', 'step-down', 'set election 100'],
    ]);
  });

  it('does not count a node that is no member', () => {
    const node = createNode(CHECK_QUORUM, { nodes: 5, absent: [4, 5] });
    node.handle(ELECTION);
    node.receive(2, { type: 'VOTE_REPLY', term: 1, granted: true });
    for (const from of [4, 5]) node.receive(from, { type: 'HEARTBEAT_REPLY', term: 1 });

    expect(node.handle({ type: 'timeout', timer: 'quorum' })).toContain('step-down');
  });

  it('does not count a node that was removed after it answered', () => {
    const node = createLeader(CHECK_QUORUM);
    for (const from of [4, 5]) node.receive(from, { type: 'HEARTBEAT_REPLY', term: 1 });
    const members = [1, 2, 3].map(toRank);
    node.state.configuration = { term: 1, version: 2, members, removed: [4, 5].map(toRank) };

    expect(node.handle({ type: 'timeout', timer: 'quorum' })).toContain('step-down');
  });

  it('ignores them while it leads', () => {
    const node = createLeader(CHECK_QUORUM);

    expect(node.receive(3, { type: 'VOTE', term: 2, lastIndex: 0 })).toEqual([]);
  });

  it.each([
    ['a majority with itself', [2, 3], true],
    ['one fewer', [2, 2], false],
    ['one fewer, and one of a term that is over', [2], false],
  ])('keeps leading after an answer of %s: see %o', (_what, answering, leads) => {
    const node = createLeader(CHECK_QUORUM);
    for (const from of answering) node.receive(from, { type: 'HEARTBEAT_REPLY', term: 1 });
    node.receive(4, { type: 'HEARTBEAT_REPLY', term: 0 });

    const done = node.handle({ type: 'timeout', timer: 'quorum' });

    expect(done.includes('step-down')).toBe(!leads);
    expect(node.state).toMatchObject({ term: 1, role: leads ? 'leader' : 'follower' });
  });

  it('counts the answers since the last time only', () => {
    const node = createLeader(CHECK_QUORUM);
    for (const from of [2, 3]) node.receive(from, { type: 'HEARTBEAT_REPLY', term: 1 });
    node.handle({ type: 'timeout', timer: 'quorum' });

    expect(node.state).toMatchObject({ role: 'leader', active: [] });
    expect(node.handle({ type: 'timeout', timer: 'quorum' })).toContain('step-down');
  });
});
