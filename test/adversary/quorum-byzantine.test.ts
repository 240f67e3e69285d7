/**
 * @module
 * Byzantine nodes with votes, terms and leases: what each does at a step, and what becomes of
 * elections at each level. All of it is said in their own names, so no level makes a difference.
 */

import { describe, expect, test } from 'vitest';

import { DOUBLE_VOTE } from '../../src/adversary/behaviours/quorums/double-vote.ts';
import { HOG_TIMER, LEASE_HOG } from '../../src/adversary/behaviours/quorums/lease-hog.ts';
import {
  INFLATION_TIMER,
  LAST_NUMBER,
  TERM_INFLATION,
} from '../../src/adversary/behaviours/quorums/term-inflation.ts';
import { LEVELS } from '../../src/election/authentication/authenticated.ts';
import type { AnyMachine } from '../../src/election/definition/protocol.ts';
import type { ResourceKind } from '../../src/election/lease/stores/resource.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import {
  deliver,
  honest,
  sendsOf,
  timeout,
  withBehaviour,
  wordsOf,
} from './staging/byzantine-node.ts';
import {
  always,
  byzantineElection,
  cutLink,
  faults,
  measuresAt,
  outcomeOf,
  outcomesByLevel,
  runUntil,
} from './staging/byzantine-runs.ts';

describe('term-inflation', () => {
  const says: [ProtocolName, object][] = [
    ['raft', { type: 'VOTE', term: LAST_NUMBER }],
    ['quorum-lease', { type: 'REQ', term: LAST_NUMBER }],
    ['zk-slide-quorum', { type: 'NEW_LEADER', epoch: LAST_NUMBER }],
  ];

  test.each(says)('says the last number of %s to everybody, again and again', (protocol, word) => {
    const node = withBehaviour(TERM_INFLATION, { protocol });

    const start = wordsOf(node.handle({ type: 'start' }));
    const again = wordsOf(node.handle(timeout(INFLATION_TIMER)));

    for (const said of [start, again]) {
      expect(said).toEqual([
        [1, expect.objectContaining(word)],
        [3, expect.objectContaining(word)],
      ]);
    }
  });

  test('is believed by an honest node that checks signatures, numbers and candidacies', () => {
    const node = withBehaviour(TERM_INFLATION, { protocol: 'zk-slide-quorum', level: 'L3' });
    const voter = honest({ protocol: 'zk-slide-quorum', level: 'L3', rank: 1 });

    const [said] = sendsOf(node.handle({ type: 'start' }));
    if (said === undefined) throw new TypeError('"said" expected a word, got none');
    voter.handle(deliver(2, said[1]));

    expect(voter.state).toMatchObject({ inner: { ackedEpoch: LAST_NUMBER, ackedId: 2 } });
  });

  const inflated: ProtocolName[] = ['raft', 'quorum-lease', 'zk-slide-quorum', 'db-lease'];

  test.each(inflated)('ends all elections of %s at every level', (protocol) => {
    const inflating = [{ rank: 1, behaviours: ['term-inflation'] }];

    const outcomes = outcomesByLevel(byzantineElection(protocol, inflating), 500);

    expect(outcomes).toEqual(always('none'));
  });

  test('leaves zab-fle no epoch to propose', () => {
    const inflating = [{ rank: 1, behaviours: ['term-inflation'] }];

    const outcomes = outcomesByLevel(byzantineElection('zab-fle', inflating), 1500);

    expect(outcomes).toEqual(always('none'));
  });
});

describe('double-vote', () => {
  test('votes for two candidates of one term', () => {
    const node = withBehaviour(DOUBLE_VOTE, { protocol: 'raft' });
    const vote = { type: 'VOTE', term: 4, lastIndex: 0 };

    const first = wordsOf(node.handle(deliver(1, vote)));
    const second = wordsOf(node.handle(deliver(3, vote)));

    const granted = { type: 'VOTE_REPLY', term: 4, granted: true };
    expect([...first, ...second]).toEqual([
      [1, granted],
      [3, granted],
    ]);
  });

  test('leads both of two that look for a leader through all phases', () => {
    const node = withBehaviour(DOUBLE_VOTE, { protocol: 'zab-fle' });
    const notification = { type: 'NOTIFICATION', zxid: 0, peerEpoch: 0, round: 1 };

    const said = [1, 3].map((leader) => {
      const looking = { ...notification, leader, state: 'LOOKING' };
      const words = [
        looking,
        { type: 'NEWEPOCH', epoch: 1 },
        { type: 'NEWLEADER', epoch: 1 },
        { type: 'PING', epoch: 1 },
      ];
      return words.flatMap((word) => wordsOf(node.handle(deliver(leader, word))));
    });

    const types = ['NOTIFICATION', 'CEPOCH', 'ACKEPOCH', 'ACK', 'PONG'];
    expect(said.map((words) => words.map(([, { type }]) => type))).toEqual([types, types]);
    expect(said.map((words) => words.every(([to]) => to === words[0]?.[0]))).toEqual([true, true]);
  });

  const splits: [ProtocolName, number][] = [
    ['raft', 60],
    ['quorum-lease', 25],
    ['zk-slide-quorum', 60],
    ['zab-fle', 60],
  ];

  test.each(splits)('gives one epoch of %s two leaders, one voter of three', (protocol, ticks) => {
    const voting = [{ rank: 1, behaviours: ['double-vote'] }];
    const options = byzantineElection(protocol, voting, { nodes: 3, ...faults(cutLink(2, 3)) });

    const leaders = LEVELS.map((level) => {
      const run = runUntil({ ...options, level }, ticks);
      return [measuresAt(run, ticks).leadersPerEpochMax, outcomeOf(run)];
    });
    const honestRun = runUntil({ ...options, byzantine: [] }, ticks);

    expect(leaders).toEqual(LEVELS.map(() => [2, 'split']));
    expect(measuresAt(honestRun, ticks).leadersPerEpochMax).toBe(1);
  });

  test('is too few among five alone, and enough with an accomplice', () => {
    const voter = (rank: number) => ({ rank, behaviours: ['double-vote'] });
    const links = faults(cutLink(3, 4), cutLink(3, 5), cutLink(4, 5));
    const leadersAt = (ranks: readonly number[]) => {
      const options = byzantineElection('raft', ranks.map(voter), { level: 'L3', ...links });
      return measuresAt(runUntil(options, 200), 200).leadersPerEpochMax ?? 0;
    };

    const [alone, together] = [leadersAt([1]), leadersAt([1, 2])];

    expect(alone).toBeLessThan(2);
    expect(together).toBeGreaterThanOrEqual(2);
  });

  test('changes nothing where candidates do not lack its vote', () => {
    const voting = [{ rank: 1, behaviours: ['double-vote'] }];

    const outcomes = outcomesByLevel(byzantineElection('zk-slide-quorum', voting), 60);

    expect(outcomes).toEqual(always('5'));
  });
});

/** Leads at its start, writes when asked, and gives everything back on demand. */
const TENANT: AnyMachine = {
  init: () => 0,
  step(self, _state, event, effects) {
    if (event.type === 'start') effects.elect(self.rank, 7);
    if (event.type !== 'timeout') return;
    if (event.timer === 'write') effects.call({ type: 'WRITE' });
    if (event.timer === 'renew') effects.call({ type: 'RENEW' });
    if (event.timer === 'over') {
      effects.stepDown();
      effects.call({ type: 'RELEASE' });
    }
  },
};

describe('lease-hog', () => {
  const typesOf = (effects: readonly { readonly type: string }[]) =>
    effects.map(({ type }) => type);

  test('renews and does not work while it hogs', () => {
    const node = withBehaviour(LEASE_HOG, { protocol: 'lease-local' }, TENANT);
    node.handle({ type: 'start' });

    const [write, renewal] = [node.handle(timeout('write')), node.handle(timeout('renew'))];

    expect(write).toEqual([]);
    expect(typesOf(renewal)).toEqual(['call']);
  });

  test('works and does not renew once it overstays', () => {
    const node = withBehaviour(LEASE_HOG, { protocol: 'lease-local' }, TENANT);
    node.handle({ type: 'start' });
    node.handle(timeout(HOG_TIMER));

    const [write, renewal] = [node.handle(timeout('write')), node.handle(timeout('renew'))];

    expect(typesOf(write)).toEqual(['call']);
    expect(renewal).toEqual([]);
  });

  test('neither steps down nor gives its lease back when it is over', () => {
    const node = withBehaviour(LEASE_HOG, { protocol: 'lease-local' }, TENANT);
    node.handle({ type: 'start' });

    const over = node.handle(timeout('over'));

    expect(over).toEqual([]);
    expect(node.state).toMatchObject({ phase: 'overstaying' });
  });

  const hogs: [ProtocolName, rank: number][] = [
    ['db-lease', 1],
    ['lease-local', 1],
    ['zk-recipe', 1],
    ['quorum-lease', 2],
  ];

  test.each(hogs)('outlives its lease of %s at every level', (protocol, rank) => {
    const hogging = [{ rank, behaviours: ['lease-hog'] }];
    const options = byzantineElection(protocol, hogging, { nodes: 3 });

    const split = LEVELS.map((level) => {
      return measuresAt(runUntil({ ...options, level }, 400), 400).ticksSplit;
    });

    expect(Math.min(...split)).toBeGreaterThan(200);
  });

  const fences: [ResourceKind, staleMin: number, staleMax: number][] = [
    ['unfenced', 50, 1000],
    ['fencing-max', 0, 0],
    ['fencing-register', 0, 0],
  ];

  test.each(fences)('writes late on a resource that is %s', (resource, staleMin, staleMax) => {
    const hogging = [{ rank: 1, behaviours: ['lease-hog'] }];
    const workload = { resource, everyTicks: null };
    const options = byzantineElection('db-lease', hogging, { nodes: 3, workload });

    const state = runUntil(options, 600).resource();

    expect(state?.lateWrites).toBeGreaterThanOrEqual(staleMin);
    expect(state?.lateWrites).toBeLessThanOrEqual(staleMax);
  });
});
