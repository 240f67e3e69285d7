/**
 * @module
 * Who counts in Raft while nodes join and leave, one step at a time (Schultz, Dardik and Tripakis, OPODIS 2021).
 */

import { describe, expect, it } from 'vitest';
import type { Json, Rank } from '../../../src/election/machine.ts';
import {
  storedConfiguration,
  storedVoters,
  votersOf,
} from '../../../src/election/quorum/raft-members.ts';
import type { RaftMessage } from '../../../src/election/quorum/raft-step.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import type { RaftNode } from './raft-node.ts';
import { createNode, ELECTION } from './raft-node.ts';

const ranks = (...positions: number[]): Rank[] => positions.map(toRank);
const THREE = { term: 1, version: 0, members: ranks(1, 2, 3), removed: [] };
const FOUR = { term: 1, version: 1, members: ranks(1, 2, 3, 4), removed: [] };

/** Node 1, which leads 2 and 3 in term 1. Nodes 4 and 5 have joined. */
function createLeader(): RaftNode {
  const node = createNode({}, { nodes: 5, absent: [4, 5] });
  node.handle(ELECTION);
  node.receive(2, { type: 'VOTE_REPLY', term: 1, granted: true });
  return node;
}

function reply(configuration?: RaftNode['state']['configuration']): RaftMessage {
  return { type: 'HEARTBEAT_REPLY', term: 1, ...(configuration ? { configuration } : {}) };
}

describe('a leader', () => {
  it('writes the present members in its term, and admits one when a majority of them has that', () => {
    const node = createLeader();
    const first = node.state.configuration;

    node.receive(4, reply(THREE));
    const byStranger = node.state.configuration;
    node.receive(2, reply());
    const byFollowerWithoutIt = node.state.configuration;
    const done = node.receive(2, reply(THREE));

    expect(first).toEqual(THREE);
    expect(byStranger).toEqual(THREE);
    expect(byFollowerWithoutIt).toEqual(THREE);
    expect(node.state.configuration).toEqual(FOUR);
    expect(done[0]).toBe(`persist {"term":1,"votedFor":1,"configuration":${JSON.stringify(FOUR)}}`);
  });

  it('admits the next node when a majority has the last change', () => {
    const node = createLeader();
    node.receive(2, reply(THREE));

    node.receive(2, reply(FOUR));
    const two = node.state.configuration;
    node.receive(4, reply(FOUR));

    expect(two).toEqual(FOUR);
    expect(node.state.configuration?.members).toEqual(ranks(1, 2, 3, 4, 5));
  });

  it('removes a node that is to leave, and admits it never again', () => {
    const node = createLeader();
    node.receive(2, reply(THREE));
    node.handle({ type: 'leave', node: toRank(3) });

    node.receive(2, reply(FOUR));
    node.receive(4, reply(FOUR));

    expect(node.state.configuration).toMatchObject({
      members: ranks(1, 2, 4),
      removed: ranks(3),
    });
  });

  it('that is to leave steps down, and does not stand', () => {
    const node = createLeader();

    const done = node.handle({ type: 'leave', node: toRank(1) });
    const later = node.handle(ELECTION);

    expect(done).toContain('step-down');
    expect(later.filter((effect) => effect.startsWith('VOTE'))).toEqual([]);
  });

  it('announces a change to all, and needs a new majority for the next', () => {
    const node = createLeader();

    const done = node.receive(2, reply(THREE));

    const configuration = JSON.stringify(FOUR);
    expect(done.slice(1)).toEqual(
      [2, 3, 4, 5].map((rank) => `HEARTBEAT ${rank} {"term":1,"configuration":${configuration}}`),
    );
    expect(node.state.confirmed).toEqual([]);
  });

  it('counts a member that confirms twice once', () => {
    const node = createNode({}, { nodes: 6, absent: [6] });
    node.handle(ELECTION);
    for (const voter of [2, 3]) node.receive(voter, { type: 'VOTE_REPLY', term: 1, granted: true });
    const five = { ...THREE, members: ranks(1, 2, 3, 4, 5) };

    for (const from of [2, 2]) node.receive(from, reply(five));
    const before = node.state.configuration;
    node.receive(3, reply(five));

    expect(before).toEqual(five);
    expect(node.state.configuration?.version).toBe(1);
  });

  it('of the founders counts no confirmations, and begins to remove one that is to leave', () => {
    const node = createNode();
    node.handle(ELECTION);
    for (const voter of [2, 3]) node.receive(voter, { type: 'VOTE_REPLY', term: 1, granted: true });
    node.receive(2, reply());
    const { confirmed } = structuredClone(node.state);

    const done = node.handle({ type: 'leave', node: toRank(5) });

    const configuration = { ...THREE, members: ranks(1, 2, 3, 4, 5) };
    expect(confirmed).toEqual([]);
    expect(node.state.configuration).toEqual(configuration);
    expect(done.at(-1)).toBe(`HEARTBEAT 5 ${JSON.stringify({ term: 1, configuration })}`);
  });

  it('puts a newcomer where its rank is', () => {
    const node = createNode({}, { nodes: 3, absent: [2] });
    node.handle(ELECTION);
    node.receive(3, { type: 'VOTE_REPLY', term: 1, granted: true });

    node.receive(3, reply({ ...THREE, members: ranks(1, 3) }));

    expect(node.state.configuration?.members).toEqual(ranks(1, 2, 3));
  });

  it('does not admit a node that is to leave, nor remove it before', () => {
    const node = createLeader();
    for (let report = 0; report < 2; report += 1) {
      node.handle({ type: 'leave', node: toRank(5) });
    }

    for (const from of [2, 3]) node.receive(from, reply(THREE));
    for (const from of [2, 3]) node.receive(from, reply(FOUR));

    expect(node.state).toMatchObject({ configuration: FOUR, leaving: ranks(5) });
  });

  it('is not removed if it is the only member', () => {
    const node = createNode({}, { nodes: 1 });
    node.handle(ELECTION);

    const done = node.handle({ type: 'leave', node: toRank(1) });

    expect(done).toEqual([]);
    expect(node.state).toMatchObject({ role: 'leader', leaving: [] });
  });

  it('without the guard changes the members at once', () => {
    const node = createNode({ reconfiguration: 'unguarded' }, { nodes: 5, absent: [4, 5] });
    node.handle(ELECTION);

    const done = node.receive(2, { type: 'VOTE_REPLY', term: 1, granted: true });

    expect(node.state.configuration).toEqual({
      ...FOUR,
      version: 2,
      members: ranks(1, 2, 3, 4, 5),
    });
    expect(done.filter((effect) => effect.startsWith('HEARTBEAT 2'))).toEqual([
      'HEARTBEAT 2 {"term":1}',
      `HEARTBEAT 2 {"term":1,"configuration":${JSON.stringify(node.state.configuration)}}`,
    ]);
  });

  it('writes its members anew when a follower has a change that an earlier leader did not complete', () => {
    const node = createNode({}, { nodes: 3 });
    node.handle(ELECTION);
    node.handle(ELECTION);
    node.receive(2, { type: 'VOTE_REPLY', term: 2, granted: true });

    const done = node.receive(3, { ...reply({ ...THREE, version: 4 }), term: 2 });

    const configuration = { ...THREE, term: 2 };
    expect(node.state.configuration).toEqual(configuration);
    expect(done.slice(1)).toEqual(
      [2, 3].map((rank) => `HEARTBEAT ${rank} ${JSON.stringify({ term: 2, configuration })}`),
    );
  });

  it('writes the members of an earlier leader in its own term', () => {
    const node = createNode({}, { nodes: 5 });
    node.receive(2, { type: 'HEARTBEAT', term: 1, configuration: { ...FOUR, removed: ranks(5) } });
    node.handle(ELECTION);
    for (const voter of [3, 4]) node.receive(voter, { type: 'VOTE_REPLY', term: 2, granted: true });

    expect(node.state.configuration).toEqual({ ...FOUR, term: 2, removed: ranks(5) });
  });
});

describe('a voter', () => {
  it.each([
    ['none, and has none itself', null, 'none', true],
    ['the same', THREE, THREE, true],
    ['a later version', THREE, FOUR, true],
    ['an earlier version', FOUR, THREE, false],
    ['a later term with an earlier version', FOUR, { ...THREE, term: 2 }, true],
    ['an earlier term with a later version', { ...THREE, term: 2 }, FOUR, false],
    ['none', FOUR, 'none', false],
  ])('lets a candidate win or lose with %s', (_what, own, theirs, granted) => {
    const node = createNode({}, { nodes: 5 });
    node.state.configuration = own;

    const configured = typeof theirs === 'object' ? { configuration: theirs } : {};
    node.receive(2, { type: 'VOTE', term: 9, lastIndex: 0, ...configured });

    expect(node.state.votedFor === 2).toBe(granted);
  });

  it('without the guard votes for a candidate with earlier members', () => {
    const node = createNode({ reconfiguration: 'unguarded' });
    node.state.configuration = FOUR;

    node.receive(2, { type: 'VOTE', term: 9, lastIndex: 0, configuration: THREE });

    expect(node.state.votedFor).toBe(2);
  });

  it('that is to leave ends its candidacy, and follows on', () => {
    const candidate = createNode();
    const follower = createNode();
    candidate.handle(ELECTION);
    follower.receive(2, { type: 'HEARTBEAT', term: 1 });

    for (const node of [candidate, follower]) node.handle({ type: 'leave', node: toRank(1) });

    expect(candidate.state.role).toBe('follower');
    expect(follower.state.leader).toBe(2);
  });

  it('keeps its members at a heartbeat with earlier ones', () => {
    const node = createNode();
    node.state.configuration = FOUR;

    node.receive(2, { type: 'HEARTBEAT', term: 1, configuration: THREE });

    expect(node.state.configuration).toEqual(FOUR);
  });

  it('follows no more when it is removed', () => {
    const node = createNode();
    node.receive(2, { type: 'HEARTBEAT', term: 1 });

    const configuration = { ...FOUR, members: ranks(2, 3, 4, 5), removed: ranks(1) };
    const done = node.receive(2, { type: 'HEARTBEAT', term: 1, configuration });

    expect(done).toContain('step-down');
    expect(node.state.leader).toBeNull();
  });

  it('that is to leave gives up a silent leader, and waits again', () => {
    const node = createNode();
    node.receive(2, { type: 'HEARTBEAT', term: 1 });
    node.handle({ type: 'leave', node: toRank(1) });

    expect(node.handle(ELECTION)).toEqual(['step-down', 'choose 10', 'set election 100']);
  });

  it('takes no answers to a leader', () => {
    const node = createNode();
    node.receive(2, { type: 'HEARTBEAT', term: 1, configuration: THREE });

    expect(node.receive(3, reply(FOUR))).toEqual([]);
    expect(node.state).toMatchObject({ configuration: THREE, active: [] });
  });

  it('changes no members when a node joins', () => {
    const node = createNode({}, { nodes: 5, absent: [4, 5] });

    expect(node.handle({ type: 'join', node: toRank(4) })).toEqual([]);
    expect(node.state.configuration).toBeNull();
  });

  it('that does not count gives a vote that does not count', () => {
    const node = createNode({}, { nodes: 5, absent: [4, 5] });
    node.handle(ELECTION);

    node.receive(4, { type: 'VOTE_REPLY', term: 1, granted: true });
    node.receive(5, { type: 'VOTE_REPLY', term: 1, granted: true });

    expect(node.state.role).toBe('candidate');
  });
});

describe('a newcomer', () => {
  it('knows no members', () => {
    const self = createCast({
      ...{ protocol: 'raft', timing: { latencyTicksMax: 1 }, ring: [1, 2, 3] },
      ...{ crashedBefore: [], absent: [1] },
    }).selfOf(1);

    expect(votersOf({ self, state: { configuration: null } })).toEqual([]);
  });

  it('neither stands nor follows until a leader has admitted it', () => {
    const node = createNode({}, { nodes: 5, absent: [1] });

    const stood = node.handle(ELECTION);
    const before = node.receive(2, { type: 'HEARTBEAT', term: 1 });
    const after = node.receive(2, { type: 'HEARTBEAT', term: 1, configuration: FOUR });

    expect(stood.filter((effect) => effect.startsWith('VOTE'))).toEqual([]);
    expect(before.filter((effect) => effect.startsWith('elect'))).toEqual([]);
    expect(after).toContain('elect 2 in 1');
  });

  it('returns with the members that it had on disk', () => {
    const node = createNode({}, { nodes: 5, absent: [1] });

    node.handle({
      type: 'recover',
      persisted: { term: 1, votedFor: null, configuration: FOUR },
    });

    expect(node.state.configuration).toEqual(FOUR);
  });

  it('takes no part when the members on its disk are damaged', () => {
    const node = createNode({}, { nodes: 5 });

    node.handle({ type: 'recover', persisted: { term: 1, votedFor: null, configuration: {} } });

    expect(node.state.role).toBe('halted');
  });
});

describe('members on a disk', () => {
  it.each<[Json, Json]>([
    [{ configuration: FOUR }, ranks(1, 2, 3, 4)],
    [{ configuration: { ...FOUR, members: ['a1'] } }, ['a1']],
    [{ configuration: null }, null],
    [{ configuration: 7 }, null],
    [{ term: 1 }, null],
    ['configuration', null],
    [null, null],
  ])('by the record %j are %j', (record, members) => {
    expect(storedVoters(record)).toEqual(members);
  });

  it.each<[string, Json]>([
    ['a number', 7],
    ['without members', { term: 1, version: 0, removed: [] }],
    ['of a wrong term', { ...FOUR, term: -1 }],
    ['of a wrong version', { ...FOUR, version: 0.5 }],
    ['of members that are no list', { ...FOUR, members: 4 }],
    ['of a member that is no rank', { ...FOUR, members: [1, null] }],
    ['of removed ones that are no list', { ...FOUR, removed: null }],
  ])('are damaged: %s', (_what, stored) => {
    expect(storedConfiguration(stored)).toBeUndefined();
  });
});
