/**
 * @module
 * quorum-lease step by step: votes and promises, what a lease is counted from, renewals, and what a
 * node that returns may do. Δ = 1, so that D = 30 ticks, X = 29, R = 6, and a node that forgot its
 * promises sits out 31.
 */

import { describe, expect, it } from 'vitest';
import type { Flags } from '../../../src/election/definition/flags.ts';
import type { Json } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import type { QuorumNode } from './quorum-node.ts';
import { createNode } from './quorum-node.ts';

const START = { type: 'start' } as const;

function node(rank: number, { nodes = 3, flags = {} }: { nodes?: number; flags?: Flags } = {}) {
  return createNode({ protocol: 'quorum-lease', rank, nodes, flags });
}

function request(term: number, round = 1, leads = false) {
  return { type: 'REQ', term, round, leads };
}

function grant(term: number, round = 1) {
  return { type: 'GRANT', term, round };
}

/** Node 1 of `nodes`, which asks for a lease in term 1. */
function candidate(options?: Parameters<typeof node>[1]): QuorumNode {
  const asking = node(1, options);
  asking.handle(START);
  asking.fire('attempt');
  return asking;
}

/** Node 1 of three, master of term 1 by the vote of 2. */
function master(flags?: Flags): QuorumNode {
  const leading = candidate({ flags: flags ?? {} });
  leading.receive(2, grant(1));
  return leading;
}

describe('a node that is started', () => {
  it('waits at random before it stands', () => {
    expect(node(1).handle(START)).toBe('sets attempt in 6');
  });

  it('votes for itself on disk before it asks, and counts its lease from there', () => {
    const waiting = node(1);
    waiting.handle(START);

    expect(waiting.fire('attempt')).toBe(
      'persists term 1, votedFor 1; sets lease-b in 29; sets renew in 14; REQ 1 1 false to 2, 3; sets attempt in 6',
    );
  });

  it('stands again in the next term when no node answers', () => {
    expect(candidate().fire('attempt')).toBe(
      'persists term 2, votedFor 1; sets lease-b in 29; sets renew in 14; REQ 2 2 false to 2, 3; sets attempt in 6',
    );
  });

  it('waits only once, and not while it stands, leads or follows', () => {
    const waiting = node(1);
    waiting.handle(START);
    const following = node(1);
    following.receive(2, { type: 'MASTER', term: 1 });

    for (const started of [waiting, candidate(), master(), following]) {
      expect(started.handle(START)).toBe('');
    }
  });
});

describe('a vote', () => {
  it('is on disk before it is given, and binds for D', () => {
    expect(node(2).receive(1, request(1))).toBe(
      'persists term 1, votedFor 1; sets promise in 30; GRANT 1 1 to 1',
    );
  });

  it('is given to the same candidate again, and the promise lasts longer', () => {
    const voter = node(2);
    voter.receive(1, request(1));

    expect(voter.receive(1, request(1, 2))).toBe('sets promise in 30; GRANT 1 2 to 1');
    expect(voter.receive(1, request(2, 3))).toContain('GRANT 2 3 to 1');
  });

  it.each([1, 2, 9])('is not given to another in term %i while the promise lasts', (term) => {
    const voter = node(2);
    voter.receive(1, request(1));

    expect(voter.receive(3, request(term))).toBe('DENY 1 to 3');
  });

  it('is not given to another in the same term when the promise is over, only in a later one', () => {
    const voter = node(2);
    voter.receive(1, request(1));
    voter.fire('promise');

    expect(voter.receive(3, request(1))).toBe('DENY 1 to 3');
    expect(voter.receive(3, request(2))).toContain('GRANT 2 1 to 3');
  });

  it('is not given by a master, whatever the term', () => {
    expect(master().receive(3, request(9))).toBe('DENY 1 to 3');
  });

  it('is given by a candidate in a later term, which gives its own candidacy up', () => {
    const asking = candidate();

    const done = asking.receive(3, request(2));

    expect(done).toBe(
      'cancels renew; cancels lease-b; cancels attempt; persists term 2, votedFor 3; sets promise in 30; GRANT 2 1 to 3',
    );
    expect(asking.receive(2, grant(1))).toBe('');
  });

  it('is not given to strangers, nor counted from them', () => {
    expect(node(2).receive(7, request(1))).toBe('');
    expect(candidate().receive(7, grant(1))).toBe('');
  });
});

describe('a majority', () => {
  it('makes a master with the lease that runs since the request', () => {
    expect(candidate().receive(2, grant(1))).toBe(
      'cancels attempt; leads in epoch 1; MASTER 1 to 2, 3',
    );
  });

  it('counts voters, not votes', () => {
    const asking = candidate({ nodes: 5 });

    expect(asking.receive(2, grant(1))).toBe('');
    expect(asking.receive(2, grant(1))).toBe('');
    expect(asking.receive(3, grant(1))).toContain('leads in epoch 1');
  });

  it.each([
    [4, 2],
    [5, 2],
    [6, 3],
    [7, 3],
  ])('of %i members, the dead included, is %i more and itself', (nodes, others) => {
    const asking = candidate({ nodes });

    const done = Array.from({ length: others }, (_, index) => asking.receive(2 + index, grant(1)));

    expect(done.map((words) => words.includes('leads'))).toEqual([
      ...Array.from({ length: others - 1 }, () => false),
      true,
    ]);
  });

  it('of one is itself', () => {
    const alone = node(1, { nodes: 1 });
    alone.handle(START);

    expect(alone.fire('attempt')).toContain('leads in epoch 1');
  });

  it('does not count grants of an earlier request', () => {
    const asking = candidate();
    asking.fire('attempt');

    expect(asking.receive(2, grant(1, 1))).toBe('');
    expect(asking.receive(2, grant(2, 1))).toBe('');
    expect(asking.receive(2, grant(2, 2))).toContain('leads in epoch 2');
  });

  it('comes too late when the lease that was asked for has run out', () => {
    const asking = candidate();

    expect(asking.fire('lease-b')).toBe('');
    expect(asking.receive(2, grant(1))).toBe('');
  });
});

describe('a lease', () => {
  it.each([
    [{}, 29],
    [{ drift: 'ignored' }, 30],
    [{ leaseTicks: '1000', driftPpm: '50000' }, 904],
    [{ leaseTicks: '1000', driftPpm: '0' }, 1000],
  ])('under %o is held for %i ticks', (flags, ticks) => {
    const waiting = node(1, { flags });
    waiting.handle(START);

    expect(waiting.fire('attempt')).toContain(`sets lease-b in ${ticks};`);
  });

  it('counts from the answer where that is asked for', () => {
    const flags = { countedFrom: 'answer' };
    const waiting = node(1, { flags });
    waiting.handle(START);

    expect(waiting.fire('attempt')).not.toContain('lease');
    expect(waiting.receive(2, grant(1))).toContain('sets lease-b in 29; cancels attempt;');
  });

  it('that runs out ends the reign before anything else', () => {
    expect(master().fire('lease-b')).toBe('steps down; cancels renew; sets attempt in 6');
  });

  it('is renewed at half, under a name of its own, and again after R', () => {
    const leading = master();

    expect(leading.fire('renew')).toBe(
      'sets lease-a in 29; sets renew in 14; sets retry in 6; REQ 1 2 true to 2, 3',
    );
    expect(leading.fire('retry')).toContain('sets retry in 6; REQ 1 3 true to 2, 3');
  });

  it('is renewed as soon as it is granted, once, when it is half over by then', () => {
    const asking = candidate();

    expect(asking.fire('renew')).toBe('');
    expect(asking.receive(2, grant(1))).toContain(
      'leads in epoch 1; MASTER 1 to 2, 3; sets lease-a in 29; sets renew in 14; sets retry in 6; REQ 1 2 true to 2, 3',
    );
    expect(asking.receive(2, grant(1, 2))).toBe('cancels lease-b; cancels retry');
  });

  it('is replaced by its renewal once a majority has granted that, not before', () => {
    const leading = master();
    leading.fire('renew');

    expect(leading.receive(2, grant(1, 1))).toBe('');
    expect(leading.receive(2, grant(1, 2))).toBe('cancels lease-b; cancels retry');
    expect(leading.fire('lease-a')).toContain('steps down');
  });

  it('runs out although a renewal is under way', () => {
    const leading = master();
    leading.fire('renew');

    expect(leading.fire('lease-b')).toContain(
      'steps down; cancels retry; cancels renew; cancels lease-a;',
    );
    expect(leading.receive(2, grant(1, 2))).toBe('');
  });

  it('outlasts a renewal that no node granted in time', () => {
    const leading = master();
    leading.fire('renew');

    expect(leading.fire('lease-a')).toBe('');
    expect(leading.fire('retry')).toBe(
      'sets lease-a in 29; sets renew in 14; sets retry in 6; REQ 1 3 true to 2, 3',
    );
  });

  it('ends when a voter is ahead', () => {
    const leading = master();

    expect(leading.receive(2, { type: 'DENY', term: 1 })).toBe('');
    expect(leading.receive(2, { type: 'DENY', term: 4 })).toBe(
      'steps down; cancels renew; cancels lease-b; persists term 4, votedFor null; sets attempt in 6',
    );
  });
});

describe('a follower', () => {
  it('follows a node that announces itself as master, in its term', () => {
    expect(node(2).receive(1, { type: 'MASTER', term: 3 })).toBe(
      'persists term 3, votedFor null; follows 1 in epoch 3; sets belief in 30',
    );
  });

  it('learns of a master by a renewal too', () => {
    expect(node(2).receive(1, request(1, 2, true))).toContain('follows 1 in epoch 1');
  });

  it('does not follow a master of an earlier term', () => {
    const voter = node(2);
    voter.receive(3, request(2));

    expect(voter.receive(1, { type: 'MASTER', term: 1 })).toBe('');
    expect(voter.receive(1, request(1, 2, true))).toBe('DENY 2 to 1');
  });

  it('follows no leader after D without messages, and stands once its promise is over', () => {
    const voter = node(2);
    voter.receive(1, request(1, 2, true));

    expect(voter.fire('belief')).toBe('steps down');
    expect(voter.fire('promise')).toBe('sets attempt in 6');
  });

  it('knows no detector', () => {
    const following = node(2);
    const leader = { type: 'MASTER', term: 1 };
    following.receive(1, leader);

    expect(following.handle({ type: 'suspect', node: toRank(1) })).toBe('');
    expect(following.receive(1, leader)).toBe('sets belief in 30');
  });
});

describe('a node that returns', () => {
  it('sits out a whole lease', () => {
    expect(node(2).recover({ term: 4, votedFor: 1 })).toBe('sets promise in 31');
  });

  it('votes meanwhile for the one it voted for alone', () => {
    const returned = node(2);
    returned.recover({ term: 4, votedFor: 1 });

    expect(returned.receive(3, request(5))).toBe('DENY 4 to 3');
    expect(returned.receive(1, request(4))).toContain('GRANT 4 1 to 1');
  });

  it('casts no vote meanwhile when it has forgotten its vote', () => {
    const returned = node(2);
    returned.recover(null);

    expect(returned.receive(1, request(4))).toBe('DENY 0 to 1');
    expect(returned.handle(START)).toBe('');
    expect(returned.fire('promise')).toBe('sets attempt in 6');
    expect(returned.receive(1, request(4))).toContain('GRANT 4 1 to 1');
  });

  it('does not vote twice in the term of its disk', () => {
    const returned = node(2);
    returned.recover({ term: 4, votedFor: 1 });
    returned.fire('promise');

    expect(returned.receive(3, request(4))).toBe('DENY 4 to 3');
  });

  it('stands at once when it voted for itself, in a new term', () => {
    const returned = node(1);

    expect(returned.recover({ term: 4, votedFor: 1 })).toBe(
      'sets promise in 31; sets attempt in 6',
    );
    expect(returned.fire('attempt')).toContain('persists term 5, votedFor 1');
  });

  it.each<[Json]>([
    ["another program's"],
    [{ term: 4 }],
    [{ term: -1, votedFor: 1 }],
    [{ term: 1.5, votedFor: 1 }],
    [{ term: '4', votedFor: 1 }],
    [{ term: 4, votedFor: 7 }],
    [[4, 1]],
  ])('takes no part when it finds %j on its disk', (persisted) => {
    const barred = node(2);

    expect(barred.recover(persisted)).toBe('');
    expect(barred.handle(START)).toBe('');
    expect(barred.receive(1, request(9))).toBe('');
    expect(barred.receive(1, { type: 'MASTER', term: 9 })).toBe('');
    expect(barred.fire('promise')).toBe('');
  });
});

describe('a message with no such term', () => {
  it.each([-1, 0.5, '1', null, 2 ** 53])('%j is not answered', (term) => {
    expect(node(2).receive(1, { type: 'REQ', term, round: 1, leads: true })).toBe('');
    expect(node(2).receive(1, { type: 'MASTER', term })).toBe('');
  });
});
