/**
 * @module
 * The rules of Raft's elections one step at a time: what a node stores, grants, refuses and sends.
 */

import { describe, expect, it } from 'vitest';
import type { Event, Json } from '../../../src/election/machine.ts';
import { TERM_LIMIT } from '../../../src/election/quorum/majority.ts';
import { createLog } from '../../../src/election/quorum/raft-entries.ts';
import type { RaftMessage } from '../../../src/election/quorum/raft-step.ts';
import { recordOf } from '../../../src/election/quorum/raft-step.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import type { RaftNode } from './raft-node.ts';
import { createLeader, createNode, ELECTION } from './raft-node.ts';

const PRE_VOTE = { preVote: 'on' } as const;
const CHECK_QUORUM = { checkQuorum: 'on' } as const;

it('a node begins without a term, a leader and a vote', () => {
  expect(createNode().state).toEqual({
    ...{ role: 'follower', term: 0, votedFor: null, leader: null, timeoutTicks: 0 },
    ...{ granted: [], refused: [], active: [], confirmed: [], leaving: [] },
    ...{ drawing: false, leased: false, configuration: null },
  });
});

describe('a candidacy', () => {
  it('stores the next term and its own vote, then asks everybody', () => {
    const node = createNode();

    const done = node.handle(ELECTION);

    expect(done).toEqual([
      'persist {"term":1,"votedFor":1}',
      ...[2, 3, 4, 5].map((rank) => `VOTE ${rank} {"term":1,"lastIndex":0}`),
      'choose 10',
      'set election 100',
    ]);
  });

  it('and a new term draw a fresh time-out; heartbeats restart the one of the term', () => {
    const node = createNode();
    const booted = node.handle({ type: 'start' }, 3);
    const later = node.handle(heartbeatFrom(2, 1), 5);
    const same = node.handle(heartbeatFrom(2, 1), 6);
    const stood = node.handle(ELECTION, 7);

    expect(booted).toEqual(['choose 10', 'set election 103']);
    expect(later).toContain('set election 105');
    expect(same).toContain('set election 105');
    expect(same).not.toContain('choose 10');
    expect(stood).toContain('set election 107');
  });

  it('is drawn for once: a node asks for one number at a time, and takes no other', () => {
    const node = createNode();
    const unasked = node.handle({ type: 'chosen', value: 3 });
    node.handle({ type: 'start' }, 3);
    const again = node.handle({ type: 'start' });
    node.receive(2, { type: 'HEARTBEAT', term: 1 });
    node.state.drawing = true;
    const heard = node.receive(2, { type: 'HEARTBEAT', term: 1 });
    const stood = node.handle(ELECTION);

    expect([unasked, again, heard]).toEqual([[], [], ['HEARTBEAT_REPLY 2 {"term":1}']]);
    expect(stood).not.toContain('choose 10');
  });

  it('and all that follows carry the members, where these are not the founders', () => {
    const members = [1, 2, 3].map(toRank);
    const configuration = { term: 0, version: 1, members, removed: [] };
    const said = [{}, PRE_VOTE].flatMap((options) => {
      const node = createNode(options, { nodes: 3 });
      node.state.configuration = configuration;
      const asked = node.handle(ELECTION);
      node.receive(2, { type: 'VOTE_REPLY', term: 1, granted: true });
      return [...asked, ...node.handle({ type: 'timeout', timer: 'heartbeat' })];
    });
    const follower = createNode({}, { nodes: 3 });

    const replied = follower.receive(2, { type: 'HEARTBEAT', term: 0, configuration });

    const own = JSON.stringify(configuration);
    const written = own.replace('"term":0', '"term":1');
    expect(said.filter((effect) => /^[A-Z_]+ 2/.test(effect))).toEqual([
      `VOTE 2 {"term":1,"lastIndex":0,"configuration":${own}}`,
      `HEARTBEAT 2 {"term":1,"configuration":${written}}`,
      `PRE_VOTE 2 {"term":1,"lastIndex":0,"configuration":${own}}`,
    ]);
    expect(replied[0]).toBe(`persist {"term":0,"votedFor":null,"configuration":${own}}`);
    expect(replied).toContain(`HEARTBEAT_REPLY 2 {"term":0,"configuration":${own}}`);
  });

  it('wins with the votes of a majority of all members and not with one fewer', () => {
    const node = createNode();
    node.handle(ELECTION);

    const two = node.receive(2, { type: 'VOTE_REPLY', term: 1, granted: true });
    const three = node.receive(3, { type: 'VOTE_REPLY', term: 1, granted: true });

    expect(two).toEqual([]);
    expect(three).toEqual([
      'cancel election',
      'elect 1 in 1',
      ...[2, 3, 4, 5].map((rank) => `HEARTBEAT ${rank} {"term":1}`),
      'set heartbeat 10 periodic',
    ]);
  });

  it.each([
    ['the same voter twice', 2, { term: 1, granted: true }],
    ['a voter of an earlier term', 3, { term: 0, granted: true }],
    ['one that refuses', 3, { term: 1, granted: false }],
    ['an unknown node', 9, { term: 1, granted: true }],
    ['itself', 1, { term: 1, granted: true }],
  ])('does not count %s', (_what, from, reply) => {
    const node = createNode();
    node.handle(ELECTION);
    node.receive(2, { type: 'VOTE_REPLY', term: 1, granted: true });

    node.receive(from, { type: 'VOTE_REPLY', ...reply });

    expect(node.state.role).toBe('candidate');
  });

  it('counts a voter that refused first and grants later as refusing', () => {
    const node = createNode();
    node.handle(ELECTION);
    node.receive(2, { type: 'VOTE_REPLY', term: 1, granted: false });
    node.receive(3, { type: 'VOTE_REPLY', term: 1, granted: true });

    node.receive(2, { type: 'VOTE_REPLY', term: 1, granted: true });

    expect(node.state.role).toBe('candidate');
  });

  it('is over at the heartbeat of the leader of its term', () => {
    const node = createNode();
    node.handle(ELECTION);

    const done = node.receive(2, { type: 'HEARTBEAT', term: 1 });

    expect(done).toContain('elect 2 in 1');
    expect(node.state).toMatchObject({ role: 'follower', granted: [] });
  });

  it('is over when a majority has refused', () => {
    const node = createNode();
    node.handle(ELECTION);
    for (const voter of [2, 3])
      node.receive(voter, { type: 'VOTE_REPLY', term: 1, granted: false });
    const before = node.state.role;

    node.receive(4, { type: 'VOTE_REPLY', term: 1, granted: false });

    expect([before, node.state.role]).toEqual(['candidate', 'follower']);
  });

  it.each([{}, PRE_VOTE])('of the only member wins at once with %o', (options) => {
    const node = createNode(options, { nodes: 1 });

    const done = node.handle(ELECTION);

    expect(done).toContain('elect 1 in 1');
    expect(done).not.toContain('choose 10');
  });

  it('of one of two needs the other', () => {
    const node = createNode({}, { nodes: 2 });
    node.handle(ELECTION);

    const done = node.receive(2, { type: 'VOTE_REPLY', term: 1, granted: true });

    expect(done).toContain('elect 1 in 1');
  });

  it('is not held in the last term that is an exact number', () => {
    const last = createNode();
    const lastButOne = createNode();
    last.receive(2, { type: 'HEARTBEAT', term: TERM_LIMIT });
    lastButOne.receive(2, { type: 'HEARTBEAT', term: TERM_LIMIT - 1 });

    expect(last.handle(ELECTION)).toEqual([]);
    expect(lastButOne.handle(ELECTION)).toContain(`persist {"term":${TERM_LIMIT},"votedFor":1}`);
  });
});

describe('a vote', () => {
  it('is stored with its term, in one record, before it is answered', () => {
    const node = createNode();

    const done = node.receive(2, { type: 'VOTE', term: 4, lastIndex: 0 });

    expect(done.filter((effect) => !effect.includes('election'))).toEqual([
      'choose 10',
      'persist {"term":4,"votedFor":2}',
      'VOTE_REPLY 2 {"term":4,"granted":true}',
    ]);
  });

  it('is stored too in a term that the node was in already', () => {
    const node = createNode({ lastIndexOf: () => 7 });
    const refused = node.receive(3, { type: 'VOTE', term: 4, lastIndex: 6 });

    const granted = node.receive(2, { type: 'VOTE', term: 4, lastIndex: 7 });

    expect(refused).toContain('persist {"term":4,"votedFor":null}');
    expect(granted).toContain('persist {"term":4,"votedFor":2}');
  });

  it('goes to the first who asks in a term, however often it asks, and to no other', () => {
    const node = createNode();

    const answers = [2, 3, 2]
      .flatMap((from) => node.receive(from, { type: 'VOTE', term: 1, lastIndex: 0 }))
      .filter((effect) => effect.startsWith('VOTE_REPLY'));

    expect(answers).toEqual([
      'VOTE_REPLY 2 {"term":1,"granted":true}',
      'VOTE_REPLY 3 {"term":1,"granted":false}',
      'VOTE_REPLY 2 {"term":1,"granted":true}',
    ]);
  });

  it('is free again in the next term', () => {
    const node = createNode();
    node.receive(2, { type: 'VOTE', term: 1, lastIndex: 0 });

    const done = node.receive(3, { type: 'VOTE', term: 2, lastIndex: 0 });

    expect(done).toContain('VOTE_REPLY 3 {"term":2,"granted":true}');
  });

  it('is refused to an earlier term, whose candidate gets the present one', () => {
    const node = createNode();
    node.receive(2, { type: 'HEARTBEAT', term: 5 });

    const done = node.receive(3, { type: 'VOTE', term: 4, lastIndex: 9 });

    expect(done).toEqual(['VOTE_REPLY 3 {"term":5,"granted":false}']);
  });

  it('is given by etcd where no leader is known', () => {
    const done = createNode({ rules: 'etcd' }).receive(2, { type: 'VOTE', term: 1, lastIndex: 0 });

    expect(done).toContain('VOTE_REPLY 2 {"term":1,"granted":true}');
  });

  it('of an earlier term is ignored by etcd', () => {
    const node = createNode({ rules: 'etcd' });
    node.receive(2, { type: 'HEARTBEAT', term: 5 });

    expect(node.receive(3, { type: 'VOTE', term: 4, lastIndex: 9 })).toEqual([]);
  });

  it.each([
    [6, false],
    [7, true],
    [8, true],
  ])('of a node whose log ends at 7 for one that ends at %i: %s', (lastIndex, granted) => {
    const node = createNode({ lastIndexOf: () => 7 });

    const done = node.receive(2, { type: 'VOTE', term: 1, lastIndex });

    expect(done).toContain(`VOTE_REPLY 2 ${JSON.stringify({ term: 1, granted })}`);
    expect(node.state.votedFor).toBe(granted ? 2 : null);
  });

  it.each([
    ['figure2', true],
    ['etcd', false],
  ] as const)(
    'that was never given in a term whose leader is known, by %s: %s',
    (rules, granted) => {
      const node = createNode({ rules });
      node.receive(2, { type: 'HEARTBEAT', term: 1 });

      const done = node.receive(3, { type: 'VOTE', term: 1, lastIndex: 0 });

      expect(done).toContain(`VOTE_REPLY 3 ${JSON.stringify({ term: 1, granted })}`);
      expect(node.state).toMatchObject({ leader: 2, votedFor: granted ? 3 : null });
    },
  );

  it('that is refused leaves the election timer alone', () => {
    const node = createNode({ lastIndexOf: () => 7 });
    node.handle({ type: 'start' });

    const done = node.receive(2, { type: 'VOTE', term: 1, lastIndex: 6 });

    expect(done.filter((effect) => effect.startsWith('set'))).toEqual([]);
  });
});

describe('a leader', () => {
  it.each([
    { type: 'VOTE', term: 2, lastIndex: 0 },
    { type: 'HEARTBEAT_REPLY', term: 2 },
    { type: 'VOTE_REPLY', term: 2, granted: false },
  ] satisfies RaftMessage[])('steps down when it learns of a later term by %o', (message) => {
    const node = createLeader();

    const done = node.receive(5, message);

    expect(done).toContain('step-down');
    expect(done).toContain('cancel heartbeat');
    expect(done).toContain('set election 100');
    expect(node.state).toMatchObject({ role: 'follower', term: 2, leader: null });
  });

  it('follows the leader of a later term, without a moment without a leader', () => {
    const node = createLeader();

    const done = node.receive(5, { type: 'HEARTBEAT', term: 2 });

    expect(done).toContain('elect 5 in 2');
    expect(done).not.toContain('step-down');
  });

  it('has no ballot of its election any more when it follows', () => {
    const node = createLeader();
    node.receive(4, { type: 'HEARTBEAT_REPLY', term: 1 });
    const { granted, active } = structuredClone(node.state);
    node.state.refused = [toRank(5)];

    node.receive(5, { type: 'HEARTBEAT', term: 2 });

    expect([granted, active]).toEqual([[1, 2, 3], [4]]);
    expect(node.state).toMatchObject({ granted: [], refused: [], active: [] });
  });

  it.each(['heartbeat', 'quorum'])('alone acts on the timer %s', (timer) => {
    const node = createNode();
    node.receive(2, { type: 'HEARTBEAT', term: 1 });

    expect(node.handle({ type: 'timeout', timer })).toEqual([]);
  });

  it('does not stand', () => {
    expect(createLeader().handle(ELECTION)).toEqual([]);
  });

  it('gives no way to another of its own term', () => {
    const node = createLeader();

    expect(node.receive(5, { type: 'HEARTBEAT', term: 1 })).toEqual([]);
  });

  it('sends a heartbeat to everybody when it is due', () => {
    const node = createLeader();

    const done = node.handle({ type: 'timeout', timer: 'heartbeat' });

    expect(done).toEqual([2, 3, 4, 5].map((rank) => `HEARTBEAT ${rank} {"term":1}`));
  });

  it('is followed again, in its new term, when it is elected twice', () => {
    const node = createNode();
    node.receive(2, { type: 'HEARTBEAT', term: 1 });

    const same = node.receive(2, { type: 'HEARTBEAT', term: 1 });
    const next = node.receive(2, { type: 'HEARTBEAT', term: 2 });

    expect(same).not.toContain('elect 2 in 1');
    expect(next).toContain('elect 2 in 2');
  });

  it.each([
    [{}, ['HEARTBEAT_REPLY 2 {"term":1}']],
    [{ rules: 'etcd' }, []],
    [{ rules: 'etcd', ...PRE_VOTE }, ['HEARTBEAT_REPLY 2 {"term":1}']],
    [{ rules: 'etcd', ...CHECK_QUORUM }, ['HEARTBEAT_REPLY 2 {"term":1}']],
  ] as const)('that has been overtaken gets from a node with %o: %o', (options, answer) => {
    const node = createNode(options);
    node.handle(ELECTION);
    if ('preVote' in options) grantPreVotes(node);

    expect(node.receive(2, { type: 'HEARTBEAT', term: 0 })).toEqual(answer);
  });
});

describe('a restart', () => {
  it('keeps term and vote where the disk has them', () => {
    const node = createNode();
    node.handle({ type: 'recover', persisted: { term: 3, votedFor: 2 } });

    const done = node.receive(4, { type: 'VOTE', term: 3, lastIndex: 0 });

    expect(done).toContain('VOTE_REPLY 4 {"term":3,"granted":false}');
  });

  it('finds the log on the disk', () => {
    const log = createLog([]);

    expect(recordOf({ ...createNode().state, log })).toEqual({ term: 0, votedFor: null, log: [] });
  });

  it('with amnesia gives a second vote in the same term', () => {
    const node = createNode();
    node.receive(2, { type: 'VOTE', term: 3, lastIndex: 0 });
    node.handle({ type: 'recover', persisted: null });

    const done = node.receive(4, { type: 'VOTE', term: 3, lastIndex: 0 });

    expect(done).toContain('VOTE_REPLY 4 {"term":3,"granted":true}');
  });

  it.each<[Json]>([
    ['{"term":3'],
    [7],
    [[]],
    [{ term: 3 }],
    [{ votedFor: 2 }],
    [{ term: '3', votedFor: 2 }],
    [{ term: -1, votedFor: null }],
    [{ term: 1.5, votedFor: null }],
    [{ term: 2 ** 53, votedFor: null }],
    [{ term: 3, votedFor: 6 }],
    [{ term: 3, votedFor: '2' }],
  ])('with %j on the disk takes no part', (persisted) => {
    const node = createNode();

    const done = [
      ...node.handle({ type: 'recover', persisted }),
      ...node.handle({ type: 'start' }),
      ...node.handle(ELECTION),
      ...node.receive(2, { type: 'VOTE', term: 9, lastIndex: 9 }),
      ...node.receive(2, { type: 'HEARTBEAT', term: 9 }),
    ];

    expect(done).toEqual([]);
  });

  it('with a good disk takes part again', () => {
    const node = createNode();
    node.handle({ type: 'recover', persisted: 7 });

    const done = node.handle({ type: 'recover', persisted: { term: 0, votedFor: null } });

    expect(done).toContain('set election 100');
  });
});

describe('a message', () => {
  it.each([-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])(
    'of term %d is ignored',
    (term) => {
      const node = createNode();

      expect(node.receive(2, { type: 'HEARTBEAT', term })).toEqual([]);
      expect(node.receive(2, { type: 'VOTE', term, lastIndex: 0 })).toEqual([]);
    },
  );

  it.each([1, 9])('from %i, itself or an unknown node, is ignored', (from) => {
    const node = createNode();

    expect(node.receive(from, { type: 'HEARTBEAT', term: 1 })).toEqual([]);
    expect(node.receive(from, { type: 'VOTE', term: 1, lastIndex: 0 })).toEqual([]);
  });
});

function heartbeatFrom(leader: number, term: number): Event<RaftMessage> {
  return { type: 'deliver', from: toRank(leader), message: { type: 'HEARTBEAT', term } };
}

function grantPreVotes(node: RaftNode): void {
  for (const voter of [2, 3])
    node.receive(voter, { type: 'PRE_VOTE_REPLY', term: 1, granted: true });
}
