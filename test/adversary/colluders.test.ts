/**
 * @module
 * The keys of an adversary with several nodes, several behaviours on one node, and their messages among
 * those of the node's own machine.
 */

import { describe, expect, test } from 'vitest';

import type { BehaviourName } from '../../src/adversary/behaviours/registry.ts';
import { BEHAVIOURS } from '../../src/adversary/behaviours/registry.ts';
import { confined } from '../../src/adversary/keys.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { toRank } from '../../src/election/world/cast.ts';
import {
  byzantineNodeOf,
  deliver,
  honest,
  sendsOf,
  withBehaviour,
} from './staging/byzantine-node.ts';
import { byzantineElection, detector, runUntil } from './staging/byzantine-runs.ts';

const SETUP = { protocol: 'raft', level: 'L3', accomplices: [1, 2] } as const;

describe('confined', () => {
  const { authentication } = byzantineNodeOf(SETUP);
  const accomplices = [1, 2].map(toRank);

  test('signs for an accomplice', () => {
    const { keysOf } = confined(authentication, accomplices);

    const signature = keysOf(toRank(1)).sign('a vote');

    expect(authentication.keysOf(toRank(3)).verify(toRank(1), 'a vote', signature)).toBe(true);
  });

  test('signs for no other node', () => {
    const { keysOf } = confined(authentication, accomplices);

    expect(() => keysOf(toRank(3)).sign('a vote')).toThrow('expected an accomplice, got 3');
  });
});

describe('words of its own among those of its machine', () => {
  test('are numbered in one row, so that no honest node takes either for old', () => {
    const inflating = [{ rank: 1, behaviours: ['term-inflation'] }];
    const options = byzantineElection('zk-slide-quorum', inflating, { level: 'L3' });

    const simulation = runUntil(options, 300);

    for (const rank of [2, 3, 4, 5]) {
      expect(simulation.stateOf(rank)).toMatchObject({ refused: { replay: 0, signature: 0 } });
    }
  });

  test('go on above the numbers of an earlier life', () => {
    const setup = { protocol: 'zk-slide-quorum', level: 'L3' } as const;
    const voter = honest({ ...setup, rank: 1 });
    const receive = (effects: Parameters<typeof sendsOf>[0]) => {
      for (const [to, message] of sendsOf(effects)) {
        if (to === 1) voter.handle(deliver(2, message));
      }
    };
    receive(withBehaviour(BEHAVIOURS['term-inflation'], setup).handle({ type: 'start' }));

    const returned = withBehaviour(BEHAVIOURS['term-inflation'], setup);
    receive(returned.handle({ type: 'recover', persisted: { life: 1, saved: null } }));

    expect(voter.state).toMatchObject({ refused: { replay: 0, signature: 0 } });
  });
});

describe('two behaviours on one node', () => {
  const NAMES: readonly BehaviourName[] = [
    'flap',
    'answer-and-stall',
    'late-joiner',
    'heartbeat-forger',
    'false-accuser',
    'slow-drip',
    'term-inflation',
    'double-vote',
    'lease-hog',
  ];
  const PROTOCOLS: readonly ProtocolName[] = [
    'zk-slide-quorum',
    'bully-oneshot',
    'ring-robust',
    'quorum-lease',
    'db-lease',
  ];
  const fitting = (names: readonly BehaviourName[]) =>
    PROTOCOLS.filter((protocol) =>
      names.every((name) => !BEHAVIOURS[name].unsupportedReason(protocol)),
    );

  test.each(NAMES)('%s inside any other: states stay plain data, and nothing breaks', (inner) => {
    for (const outer of NAMES) {
      for (const protocol of fitting([inner, outer])) {
        const byzantine = [{ rank: 3, behaviours: [inner, outer] }];
        const more = { nodes: 3, level: 'L3', ...detector('fd-heartbeat') } as const;

        const state = runUntil(byzantineElection(protocol, byzantine, more), 150).stateOf(3);

        expect(JSON.parse(JSON.stringify(state)), `${outer}, ${protocol}`).toEqual(state);
      }
    }
  });
});
